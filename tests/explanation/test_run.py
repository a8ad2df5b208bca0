"""The front door of explanations, end to end on small clouds of points."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mauve
from mauve import InvalidParameterError, compare, explain
from mauve.frontier.estimators import ESTIMATORS

QUICK = {"num_buckets": 10, "n_clusterings": 10, "n_permutations": 0}
TOPICS = 5 * np.eye(4, 6)


def clouds(seed, n=200, shares=(0.5, 0.25, 0.25, 0.0)):
    """Return human points of four topics, and a system with other shares of them."""
    rng = np.random.default_rng(seed)

    def draw(p):
        return TOPICS[rng.choice(4, n, p=p)] + rng.normal(size=(n, 6))

    return draw([0.25] * 4), draw(shares)


def explained(human, model, settings=None, **options):
    comparison = compare(human, model, **{**QUICK, **(settings or {})})
    return comparison, explain(comparison, **{"n_permutations": 100, **options})


def check_sums(explanation):
    """Shares add up to the divergences, and texts' parts to the shares."""
    for system in explanation.values():
        for error, name in ((system.type_1, "type_1"), (system.type_2, "type_2")):
            shares = [getattr(cluster, name) for cluster in system.clusters]
            assert_allclose(sum(share.value for share in shares), error, rtol=0, atol=1e-12)
            assert all(s.interval[0] < s.value < s.interval[1] for s in shares)
        parts, numbers = system.pair.contributions, system.pair.numbers
        is_human = np.arange(len(parts)) < system.pair.n_human
        for cluster in system.clusters:
            inside = numbers == cluster.number
            assert_allclose(parts[inside & ~is_human].sum(), cluster.type_1.value, atol=1e-12)
            assert_allclose(parts[inside & is_human].sum(), cluster.type_2.value, atol=1e-12)
        assert sum(cluster.n_human for cluster in system.clusters) == system.pair.n_human
        assert_allclose(sum(cluster.model_share for cluster in system.clusters), 1)
    json.dumps(explanation.to_dict(), allow_nan=False)


class TestSums:
    @pytest.mark.slow
    @pytest.mark.parametrize("mixture", [0.1, 0.5, 0.9])
    @pytest.mark.parametrize("estimator", ["jackknife", "plugin", "good-turing"])
    def test_of_all_mixtures_and_estimators(self, estimator, mixture):
        _, explanation = explained(*clouds(0), {"estimator": estimator}, mixture=mixture)
        check_sums(explanation)
        assert explanation.mixture == mixture

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_equal_mixture_has_the_errors_of_the_result(self, estimator):
        comparison, explanation = explained(*clouds(1), {"estimator": estimator})
        result = comparison["model"]
        assert (explanation["model"].type_1, explanation["model"].type_2) == (
            result.type_1,
            result.type_2,
        )

    def test_of_samples_of_one_source(self):
        _, explanation = explained(*clouds(2, shares=[0.25] * 4))
        check_sums(explanation)

    def test_of_prompts(self):
        _, explanation = explained(*clouds(3), {"prompts": np.arange(200) // 2})
        check_sums(explanation)

    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
    def test_of_ten_texts(self):
        _, explanation = explained(*clouds(4, n=10), {"num_buckets": 2})
        check_sums(explanation)

    def test_of_several_systems(self):
        human, model = clouds(5)
        _, explanation = explained(human, {"same": human[::-1].copy(), "other": model})
        check_sums(explanation)
        assert list(explanation) == ["same", "other"]

    @pytest.mark.slow
    def test_of_quantizers_with_a_fixed_number_of_buckets(self):
        class Signs:
            num_buckets = 16
            signature = "signs"

            def fit(self, features, n_clusters, rng):
                return self

            def assign(self, features):
                return (features[:, :4] > 0) @ np.array([1, 2, 4, 8])

        _, explanation = explained(*clouds(6), {"num_buckets": "auto", "quantizer": Signs()})
        check_sums(explanation)

    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
    def test_of_samples_of_unequal_size(self):
        human, model = clouds(7)
        _, explanation = explained(human, model[:40])
        check_sums(explanation)


class TestWhatIsFound:
    def test_too_much_and_too_little(self):
        """Half in place of a quarter of 200 texts is 5 standard errors away, none of it 7."""
        human, model = clouds(8)
        _, explanation = explained(human, model, n_clusters=4, n_permutations=400)
        system = explanation["model"]
        (over,), (under,) = system.over, system.under
        assert over.model_share > 0.4 > 0.35 > over.human_share
        assert under.model_share < 0.01
        assert under.human_share > 0.15
        assert over.type_1.value > 0 > over.type_2.value
        assert under.type_2.value > 0.1
        assert over.type_1.interval[0] > 0
        assert under.type_2.interval[0] > 0
        assert system.cluster(over.number).kind == "over"

    def test_another_way_of_writing(self):
        """As much of a topic, but far from where the human texts of it are."""
        rng = np.random.default_rng(9)
        human, model = clouds(9, shares=[0.25] * 4)
        first = model @ TOPICS[0] > 10
        model[first, 5] += rng.choice([-3, 3], size=first.sum())
        _, explanation = explained(human, model, n_clusters=4, n_permutations=400)
        assert [cluster.kind for cluster in explanation["model"].otherwise] == ["otherwise"]
        assert explanation["model"].over == explanation["model"].under == []

    def test_identical_samples_are_not_flagged(self):
        human, _ = clouds(10)
        _, explanation = explained(human, human.copy())
        system = explanation["model"]
        assert system.type_1 == system.type_2 == 0
        assert {cluster.kind for cluster in system.clusters} == {"same"}
        assert {cluster.p_value for cluster in system.clusters} == {1.0}

    def test_samples_that_have_nothing_in_common(self):
        rng = np.random.default_rng(11)
        away = np.array([10, 0, 0, 0])
        human, model = rng.normal(size=(2, 100, 4)) + away * np.array([1, -1])[:, None, None]
        _, explanation = explained(human, model)
        check_sums(explanation)
        system = explanation["model"]
        assert_allclose([system.type_1, system.type_2], np.log(2), rtol=1e-5)
        assert all(0 in (cluster.n_human, cluster.n_model) for cluster in system.clusters)
        assert {cluster.kind for cluster in system.clusters} == {"over", "under"}

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
    def test_copies_of_one_text(self):
        """All human texts are one text, and those of the system another."""
        human, model = np.tile([1.0, 0, 0], (40, 1)), np.tile([0, 1.0, 0], (40, 1))
        _, explanation = explained(human, model, {"num_buckets": 2})
        check_sums(explanation)
        system = explanation["model"]
        assert len(system.over) == len(system.under) == 1
        assert system.over[0].n_human == system.under[0].n_model == 0

    @pytest.mark.slow
    def test_false_alarms_are_rare(self):
        """30 pairs of one source, 5% or fewer of them flagged: 7 or more in one of 1,700 runs."""
        flagged = 0
        for seed in range(30):
            human, model = clouds(100 + seed, n=100, shares=[0.25] * 4)
            _, explanation = explained(human, model, {"n_clusterings": 5, "seed": seed})
            flagged += any(cluster.kind != "same" for cluster in explanation["model"].clusters)
        assert flagged < 7


class TestSymmetry:
    @pytest.mark.slow
    def test_swapping_human_and_model_swaps_the_errors(self):
        human, model = clouds(12)
        _, first = explained(human, model, mixture=0.3)
        _, second = explained(model, human, mixture=0.7)
        assert_array_equal(second.assignment, np.roll(first.assignment, 200))
        for a, b in zip(first["model"].clusters, second["model"].clusters, strict=True):
            assert (a.n_human, a.n_model) == (b.n_model, b.n_human)
            assert_allclose(a.type_1.value, b.type_2.value, atol=1e-12)
            assert_allclose(a.type_2.value, b.type_1.value, atol=1e-12)
            assert_allclose(a.type_1.interval, b.type_2.interval, atol=1e-9)

    @pytest.mark.slow
    def test_order_of_the_texts_does_not_matter(self):
        human, model = clouds(13)
        order = np.random.default_rng(0).permutation(200)
        _, first = explained(human, model)
        _, second = explained(human[order], model[order])
        moved = np.concatenate([order, 200 + order])
        assert_array_equal(second.assignment, first.assignment[moved])
        parts = first["model"].pair.contributions[moved]
        assert_allclose(second["model"].pair.contributions, parts, rtol=0, atol=1e-14)

    @pytest.mark.slow
    def test_same_seed_same_explanation(self):
        human, model = clouds(14)
        (_, first), (_, second) = (explained(human, model, seed=3) for _ in range(2))
        assert first.to_dict() == second.to_dict()
        assert_array_equal(first.text_map.positions, second.text_map.positions)

    @pytest.mark.slow
    def test_sums_do_not_depend_on_the_clusters(self):
        comparison, first = explained(*clouds(15))
        second = explain(comparison, n_clusters=3, n_permutations=100, seed=5)
        assert first["model"].type_1 == second["model"].type_1
        assert_array_equal(first["model"].pair.contributions, second["model"].pair.contributions)
        assert len(second["model"].clusters) == 3


class TestOptions:
    @pytest.mark.slow
    def test_number_of_clusters(self):
        comparison, _ = explained(*clouds(16))
        for n_clusters in (2, 5, 9):
            explanation = explain(comparison, n_clusters=n_clusters, n_permutations=100)
            assert len(explanation["model"].clusters) == n_clusters

    @pytest.mark.slow
    def test_confidence_of_the_comparison_is_used(self):
        _, narrow = explained(*clouds(17), {"confidence": 0.5})
        _, wide = explained(*clouds(17), {"confidence": 0.99})
        assert narrow.confidence == 0.5
        for a, b in zip(narrow["model"].clusters, wide["model"].clusters, strict=True):
            assert a.type_1.value == b.type_1.value
            assert b.type_1.interval[0] < a.type_1.interval[0]

    def test_high_confidence_takes_more_permutations(self):
        comparison = compare(*clouds(18), **QUICK, confidence=0.9995)
        system = explain(comparison, n_clusters=4)["model"]
        assert min(cluster.p_value for cluster in system.clusters) <= 0.0005
        with pytest.raises(InvalidParameterError, match="'n_permutations' parameter of explain"):
            explain(comparison, n_permutations=1000)

    @pytest.mark.slow
    def test_number_of_texts(self):
        comparison, _ = explained(*clouds(19))
        system = explain(comparison, n_texts=1, n_permutations=100)["model"]
        assert {len(cluster.typical_human) for cluster in system.clusters} <= {0, 1}
        none = explain(comparison, n_texts=0, n_permutations=100)["model"]
        assert all(cluster.telling_model == () for cluster in none.clusters)

    def test_metadata_of_features(self):
        human, model = clouds(20)
        topic = [f"topic {i}" for i in (human @ TOPICS.T).argmax(axis=1)]
        _, explanation = explained(
            human, model, n_clusters=4, metadata={"human": {"topic": topic, "row": range(200)}}
        )
        (field,) = explanation.fields
        assert (field.field, field.n_texts, field.n_values) == ("topic", 200, 4)
        assert field.purity > 0.9 > 0.5 > field.chance_purity
        assert list(explanation.fields_left_out) == ["row"]
        assert explanation["model"].clusters[0].metadata[0].p_value < 0.01

    def test_features_have_no_words(self):
        _, explanation = explained(*clouds(21))
        for cluster in explanation["model"].clusters:
            assert cluster.words == cluster.human_words == cluster.model_words == ()
            assert cluster.measures == ()
            assert cluster.name == f"cluster {cluster.number}"
            assert all(share.text is None for share in cluster.typical_human)

    @pytest.mark.slow
    def test_perplexity_of_clusters(self):
        rng = np.random.default_rng(22)
        words = ["the", "old", "ship", "sailed", "over", "a", "grey", "sea", "at", "night"]
        texts = [" ".join(rng.permutation(words)) + f" {i}" for i in range(200)]
        comparison = compare(
            texts[:100], texts[100:], num_buckets=4, n_clusterings=5, n_permutations=0
        )
        system = explain(comparison, language_model="bundled", n_permutations=100)["model"]
        names = {measure.name for measure in system.clusters[0].measures}
        assert names == {"words", "repetition", "perplexity"}
        (*_, perplexity) = system.clusters[0].measures
        assert perplexity.name == "perplexity"
        assert 1 < perplexity.human < 1e6

    @pytest.mark.slow
    def test_progress_goes_from_none_to_all(self):
        comparison, _ = explained(*clouds(23))
        steps = []
        explain(comparison, n_permutations=100, progress=lambda *step: steps.append(step))
        done = [step[1] for step in steps]
        assert done == sorted(done)
        assert steps[0][1] == 0
        assert steps[-1][1] == steps[-1][2]
        assert {step[0] for step in steps} == {"explaining"}


@pytest.fixture(scope="module")
def comparison():
    return compare(*clouds(24), **QUICK)


class TestErrors:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_clusters": 1}, "'n_clusters' parameter of explain must be an int in [2, 40]"),
            ({"n_clusters": 41}, "Got 41 instead"),
            ({"n_clusters": "many"}, "must be an int or 'auto'. Got 'many' instead"),
            ({"mixture": 0}, "'mixture' parameter of explain must be"),
            (
                {"mixture": 1},
                "'mixture' parameter of explain must be a real number between 0 and 1",
            ),
            ({"mixture": float("nan")}, "'mixture' parameter of explain must be"),
            ({"n_texts": -1}, "'n_texts' parameter of explain must be"),
            ({"n_permutations": 99}, "'n_permutations' parameter of explain must be"),
            ({"seed": -1}, "'seed' parameter of explain must be"),
            ({"metadata": {"nobody": {}}}, "'metadata' parameter of explain must be about"),
            ({"metadata": {"human": {"site": ["a"]}}}, "must be a list of 200 values for 'site'"),
            ({"language_model": "bundled"}, "'language_model' parameter of explain must be left"),
        ],
    )
    def test_parameters_are_checked(self, comparison, options, message):
        with pytest.raises(InvalidParameterError, match=re.escape(message)):
            explain(comparison, **options)

    def test_what_is_explained_is_checked(self, comparison):
        for wrong in (comparison["model"], None, [[1.0]]):
            with pytest.raises(InvalidParameterError, match=r"must be what mauve\.compare returns"):
                explain(wrong)

    def test_is_public(self):
        assert mauve.explain is explain
        assert "explain" in mauve.__all__
