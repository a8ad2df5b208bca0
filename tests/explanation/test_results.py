"""What explain returns: lists, sums, JSON, tables."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from topic_texts import by_topic

import mauve
from mauve import InvalidParameterError


class TestMapping:
    def test_is_a_mapping_in_the_order_given(self, explained):
        assert list(explained) == ["fair", "odd"]
        assert len(explained) == 2
        assert explained["odd"].name == "odd"
        with pytest.raises(KeyError, match="nobody"):
            explained["nobody"]

    def test_knows_what_was_explained(self, explained):
        assert explained.human_name == "human"
        assert explained.sizes == {"human": 150, "fair": 150, "odd": 150}
        assert explained.confidence == 0.95
        assert explained.mixture == 0.5
        assert explained.assignment.shape == (450,)
        assert explained.text_map.positions.shape == (450, 2)

    def test_clusters_are_the_same_for_all_systems(self, explained):
        numbers = explained.assignment
        for at, name in enumerate(("fair", "odd"), start=1):
            for cluster in explained[name].clusters:
                inside = numbers == cluster.number
                assert cluster.n_human == inside[:150].sum()
                assert cluster.n_model == inside[150 * at : 150 * (at + 1)].sum()

    def test_repr_is_short_and_str_has_all_tables(self, explained):
        assert repr(
            explained
        ) == "Explanation(fair: 0 over, 0 under; odd: {} over, {} under)".format(
            len(explained["odd"].over), len(explained["odd"].under)
        )
        assert str(explained).count("the model writes") == 2
        odd = explained["odd"]
        head, *sentences, table = str(odd).split("\n", 1 + len(odd.properties.ranked))
        assert sentences == odd.properties.sentences
        assert head == f"odd: type I error {odd.type_1:.3f}, type II error {odd.type_2:.3f}"
        assert table == odd.table()
        assert len(repr(explained["odd"])) < 300


class TestEquality:
    def test_equal_if_all_numbers_are(self, explained):
        rng = np.random.default_rng(0)
        human, model = rng.normal(size=(100, 3)), rng.normal(size=(100, 3)) + 1
        comparison = mauve.compare(human, model, num_buckets=10, n_clusterings=5, n_permutations=0)
        first, again, other = (mauve.explain(comparison, n_clusters=n) for n in (3, 3, 4))
        assert first == again
        assert first != other
        assert explained["odd"] == explained["odd"]
        assert explained["odd"] != explained["fair"]

    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")  # of few and short texts
    def test_texts_that_lack_a_property_are_equal_too(self):
        rng = np.random.default_rng(0)
        words = [["rain", "sun", "wind", "snow", "fog", "hail"], ["rain", "sun"]]
        texts = [["...", *(" ".join(rng.choice(w, 6)) for _ in range(60))] for w in words]
        comparison = mauve.compare(
            *texts,
            embedder=lambda texts: [[len(text), text.count("a")] for text in texts],
            n_permutations=0,
        )
        first, again = (mauve.explain(comparison, n_permutations=100) for _ in range(2))
        assert "A less varied vocabulary" in str(first)  # which '...' has not
        assert first == again
        assert first["model"] == again["model"]

    def test_not_hashable_like_a_dict(self, explained):
        with pytest.raises(TypeError, match="unhashable type: 'Explanation'"):
            hash(explained)
        assert len({explained["odd"], explained["fair"]}) == 2


class TestLists:
    def test_flagged_clusters_by_importance(self, explained):
        odd = explained["odd"]
        assert {c.metadata[0].value for c in odd.over} == {"garden"}
        assert {c.metadata[0].value for c in odd.under} >= {"music"}
        for clusters, error in ((odd.over, "type_1"), (odd.under, "type_2")):
            values = [getattr(cluster, error).value for cluster in clusters]
            assert values == sorted(values, reverse=True)
        flagged = odd.over + odd.under + odd.otherwise
        assert all(cluster.p_value <= 0.05 for cluster in flagged)
        assert all(c.p_value > 0.05 for c in odd.clusters if c not in flagged)

    def test_nothing_of_the_fair_system_is_flagged(self, explained):
        fair = explained["fair"]
        assert fair.over == fair.under == fair.otherwise == []

    def test_clusters_by_number(self, explained):
        odd = explained["odd"]
        assert odd.cluster(1) is odd.clusters[0]
        with pytest.raises(
            InvalidParameterError,
            match=r"'number' .* of SystemExplanation\.cluster must be",
        ):
            odd.cluster(99)


class TestTexts:
    def test_machine_like_texts_have_no_copies(self, explained):
        texts = explained["odd"].machine_like(100)
        assert len({share.text for share in texts}) == len(texts)
        assert all(share.sample == "odd" for share in texts)

    def test_uncovered_texts_are_what_the_system_leaves_out(self, explained):
        texts = explained["odd"].uncovered(10)
        assert len(texts) == 10
        music = {c.number for c in explained["odd"].clusters if c.metadata[0].value == "music"}
        assert all(share.cluster in music for share in texts)
        assert_allclose([share.log_ratio for share in texts], np.log(2), rtol=1e-6)

    def test_texts_are_all_of_them_by_what_they_add(self, explained):
        texts = explained["odd"].texts()
        assert len(texts) == 300
        assert {(share.sample, share.index) for share in texts} == {
            (name, i) for name in ("human", "odd") for i in range(150)
        }
        parts = [share.contribution for share in texts]
        assert parts[:150] == sorted(parts[:150], reverse=True)
        assert parts[150:] == sorted(parts[150:], reverse=True)

    def test_sums(self, explained):
        for system in explained.values():
            texts = system.texts()
            assert_allclose(sum(t.contribution for t in texts[:150]), system.type_1, atol=1e-12)
            assert_allclose(sum(t.contribution for t in texts[150:]), system.type_2, atol=1e-12)
            for cluster in system.clusters:
                for share, sample in ((cluster.type_1, system.name), (cluster.type_2, "human")):
                    inside = [
                        t.contribution
                        for t in texts
                        if t.cluster == cluster.number and t.sample == sample
                    ]
                    assert_allclose(sum(inside), share.value, rtol=0, atol=1e-12)

    def test_numbers_of_texts_are_checked(self, explained):
        assert explained["odd"].machine_like(0) == ()
        for method in (explained["odd"].machine_like, explained["odd"].uncovered):
            for wrong in (-1, 2.5):
                with pytest.raises(InvalidParameterError, match="'n' parameter of"):
                    method(wrong)


class TestJson:
    def test_to_dict_is_json_without_nan(self, explained):
        text = json.dumps(explained.to_dict(), allow_nan=False)
        assert json.loads(text) == explained.to_dict()

    def test_to_dict_has_everything(self, explained):
        fields = explained.to_dict()
        assert fields["assignment"] == explained.assignment.tolist()
        odd = fields["systems"][1]
        assert odd["type_1"] == explained["odd"].type_1
        assert len(odd["clusters"]) == len(explained["odd"].clusters)
        cluster = odd["clusters"][0]
        assert cluster["type_1"]["value"] == explained["odd"].clusters[0].type_1.value
        assert cluster["metadata"][0]["field"] == "topic"
        assert isinstance(cluster["telling_model"], list)

    def test_jsonl_has_a_line_for_each_text_and_sums(self, explained, tmp_path):
        explained.to_jsonl(tmp_path / "texts.jsonl")
        lines = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
        assert len(lines) == 2 * 300
        for name, system in explained.items():
            for sample, whole in ((name, system.type_1), ("human", system.type_2)):
                parts = [
                    line["contribution"]
                    for line in lines
                    if line["system"] == name and line["sample"] == sample
                ]
                assert len(parts) == 150
                assert_allclose(sum(parts), whole, rtol=0, atol=1e-12)
        texts = explained.compared.texts
        assert all(line["text"] == texts[line["sample"]][line["index"]] for line in lines)


class TestTables:
    def test_have_a_row_for_each_cluster_flagged_ones_first(self, explained):
        odd = explained["odd"]
        lines = odd.table().splitlines()
        assert len(lines) == 1 + len(odd.clusters)
        kinds = [
            next((k for k in ("too much", "too little", "differently") if f" {k} " in line), "–")
            for line in lines[1:]
        ]
        expected = ["too much"] * len(odd.over) + ["too little"] * len(odd.under)
        expected += ["differently"] * len(odd.otherwise)
        assert kinds == expected + ["–"] * (len(odd.clusters) - len(expected))
        assert odd.to_markdown().count("\n") == len(odd.clusters) + 1
        assert odd.to_latex().count(r"\\") == len(odd.clusters) + 1
        assert odd._repr_html_().count("<tr>") == len(odd.clusters) + 1

    def test_numbers_are_those_of_the_clusters(self, explained):
        first = explained["odd"].over[0]
        line = explained["odd"].table().splitlines()[1]
        assert f"{first.human_share:.1%}" in line
        assert f"{first.type_1.value:.3f} ±" in line

    @pytest.mark.slow
    def test_hostile_names_are_escaped(self):
        """Names of systems, and words of clusters, in all formats."""
        evil = "<script>alert(1)</script> \x1b[31m|&_\u202e"
        rng = np.random.default_rng(1)
        human = [f"<b>rose</b> {i} {rng.integers(9)}" for i in range(60)]
        model = [f"wave \x1b[31m\u202e & | $x_1$ {i} {rng.integers(9)}" for i in range(60)]
        with pytest.warns(mauve.MauveWarning):
            comparison = mauve.compare(
                human, {evil: model}, embedder=by_topic, cache=False, n_clusterings=5,
                n_permutations=0,
            )  # fmt: skip
        explanation = mauve.explain(comparison, n_permutations=100)
        for text in (
            str(explanation),
            repr(explanation),
            explanation[evil].table(),
            explanation[evil].to_markdown(),
        ):
            assert "\x1b" not in text
            assert "\u202e" not in text
        for html in (explanation._repr_html_(), explanation[evil]._repr_html_()):
            assert "<script" not in html
            assert "<b>" not in html
            assert "\x1b" not in html
        assert "<script" not in explanation[evil].to_markdown()
        assert "\x1b" not in explanation[evil].to_latex()
        assert (
            json.loads(json.dumps(explanation.to_dict(), allow_nan=False)) == explanation.to_dict()
        )


class TestPlots:
    def test_unknown_systems_are_named(self, explained):
        with pytest.raises(
            InvalidParameterError, match=r"'system' parameter of Explanation\.plot must be one of"
        ):
            explained.plot("nobody")
