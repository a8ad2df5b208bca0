"""Comparison as a mapping, table, HTML and ranking."""

import pydoc
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from ranked_clouds import QUICK, clouds

import mauve
from mauve import compare
from mauve.inference.differences import holm


class TestComparison:
    def test_is_a_mapping_in_the_order_given(self, comparison):
        assert list(comparison) == ["far", "near", "middle"]
        assert len(comparison) == 3
        assert "near" in comparison
        assert comparison["near"].name == "near"
        assert dict(comparison.items())["far"] is comparison["far"]

    def test_unknown_names_are_key_errors(self, comparison):
        with pytest.raises(KeyError, match="nobody"):
            comparison["nobody"]

    def test_rank_puts_the_best_first(self, comparison):
        assert comparison.rank() == ["near", "middle", "far"]

    def test_table_has_a_line_for_each_system_best_first(self, comparison):
        lines = comparison.table().splitlines()
        assert [line.split()[0] for line in lines] == ["system", "near", "middle", "far"]
        for column in (
            "MAUVE",
            "95% interval",
            "ceiling",
            "p (= human)",
            "type I",
            "n",
            "classifier",
        ):
            assert column in lines[0]
        near = comparison["near"]
        assert f"{near.mauve:.3f}" in lines[1]
        assert f"{near.interval[0]:.3f} - {near.interval[1]:.3f}" in lines[1]
        assert "150 + 150" in lines[1]

    def test_columns_of_the_table_are_aligned(self, comparison):
        lines = comparison.table().splitlines()
        assert len({len(line) for line in lines}) == 1

    def test_str_is_the_table_and_repr_one_line(self, comparison):
        assert comparison.warnings == ()
        assert str(comparison) == comparison.table()
        assert repr(comparison).startswith("Comparison(far=0.")
        assert "\n" not in repr(comparison)

    def test_table_without_permutations_has_no_p_values(self, untested):
        assert "ceiling" not in untested.table()
        assert "p (= human)" not in untested.table()

    def test_rows_are_text(self, comparison):
        for row in comparison.rows():
            assert all(type(cell) is str for cell in row.values())

    def test_table_names_the_level_of_the_interval(self):
        human, systems = clouds(1)
        comparison = compare(human, systems, confidence=0.8, **QUICK)
        assert "80% interval" in comparison.table()

    def test_no_interval_is_called_one_of_100_percent(self):
        human, systems = clouds(1)
        assert "100%" not in compare(human, systems, confidence=0.999, **QUICK).table()

    def test_warnings_of_all_systems_are_listed_once(self, comparison):
        assert comparison.warnings == ()

    def test_buckets_come_with_it(self, comparison):
        pair = comparison.compared.pairs["near"]
        assert np.array_equal(pair.labels, comparison["near"].labels)
        assert comparison.compared.plans["near"].num_buckets == 8

    def test_str_lists_the_warnings(self):
        human, systems = clouds(1)
        with pytest.warns(mauve.MauveWarning):
            comparison = compare(human[:60], systems, **QUICK)
        text, html = str(comparison), comparison._repr_html_()
        assert text.startswith(comparison.table() + "\nwarning: 'human' has 60 texts")
        assert text.count("warning: ") == html.count("warning: ") == len(comparison.warnings)

    def test_equal_if_the_results_are(self, comparison):
        human, systems = clouds(0)
        assert comparison == compare(human, systems, **QUICK)
        assert comparison != compare(human, dict(reversed(systems.items())), **QUICK)
        assert comparison != compare(human, systems, **{**QUICK, "seed": 1})
        assert comparison != dict(comparison)

    def test_not_hashable_like_a_dict(self, comparison):
        with pytest.raises(TypeError, match="unhashable type: 'Comparison'"):
            hash(comparison)

    def test_help_shows_no_hook(self):
        shown = pydoc.render_doc(mauve.Comparison, renderer=pydoc.plaintext)
        assert "to_html" in shown
        assert "write_report" not in shown


class TestDataFrame:
    def test_has_a_row_for_each_system_in_the_order_given(self, comparison):
        frame = comparison.to_dataframe()
        assert frame["system"].tolist() == ["far", "near", "middle"]
        for column in ("mauve", "p_value", "ceiling", "type_1", "n_human", "num_buckets"):
            expected = [getattr(result, column) for result in comparison.values()]
            assert frame[column].tolist() == expected
        assert [*zip(frame["low"], frame["high"], strict=True)] == [
            result.interval for result in comparison.values()
        ]
        assert frame["signature"].nunique() == 1

    def test_what_was_not_computed_is_nan(self, untested):
        frame = untested.to_dataframe()
        assert frame["p_value"].isna().all()
        assert frame["p_value"].dtype == "float64"


class TestMetrics:
    def test_keys_name_system_and_metric(self, comparison):
        metrics = comparison.to_metrics()
        assert metrics["mauve/near/score"] == comparison["near"].mauve
        assert {key.split("/")[1] for key in metrics} == {"far", "near", "middle"}
        assert all(type(number) is float for number in metrics.values())
        assert "eval/near/score" in comparison.to_metrics("eval")

    def test_names_that_trackers_refuse_are_changed(self):
        human, systems = clouds(3)
        named = {"top_k=5": systems["near"], "top_k/5": systems["far"]}
        metrics = compare(human, named, **QUICK).to_metrics()
        scores = [key for key in metrics if key.endswith("/score")]
        assert scores == ["mauve/top_k_5/score", "mauve/top_k_5_2/score"]


class TestHtml:
    HOSTILE = '<script>alert("x")</script>&\'<img src=x onerror=alert(1)>'

    def test_hostile_names_are_escaped(self):
        human, systems = clouds(3)
        comparison = compare(human, {self.HOSTILE: systems["near"], "b": systems["far"]}, **QUICK)
        for html in (comparison._repr_html_(), comparison[self.HOSTILE]._repr_html_()):
            assert "<script" not in html
            assert "<img" not in html
            assert "&lt;script&gt;" in html

    def test_is_a_table_with_a_row_for_each_system(self, comparison):
        html = comparison._repr_html_()
        assert html.startswith("<table>")
        assert html.count("<tr>") == 4
        assert html.index("near") < html.index("middle") < html.index("far")
        assert comparison["near"]._repr_html_().count("<tr>") == 2


class TestRankedDifferences:
    def test_put_the_higher_score_first_in_the_order_of_the_ranking(self, comparison):
        pairs = comparison.ranked_differences()
        rank = comparison.rank()
        assert [(pair.first, pair.second) for pair in pairs] == [
            (rank[0], rank[1]), (rank[0], rank[2]), (rank[1], rank[2]),
        ]  # fmt: skip
        assert all(pair.difference >= 0 for pair in pairs)

    def test_are_the_same_differences(self, comparison):
        unordered = {frozenset([d.first, d.second]): d for d in comparison.differences()}
        for pair in comparison.ranked_differences():
            same = unordered[frozenset([pair.first, pair.second])]
            assert abs(pair.difference) == abs(same.difference)
            assert (pair.p_value, pair.p_adjusted) == (same.p_value, same.p_adjusted)
            assert_allclose(pair.equivalence(0.1), same.equivalence(0.1), atol=1e-12)
            low, high = pair.interval
            assert low <= pair.difference <= high


class TestShownDifferences:
    @pytest.fixture
    def seven(self):
        rng = np.random.default_rng(0)
        human, model = rng.normal(size=(2, 200, 4))
        systems = {f"{i}": model + 0.1 * ((4 * i) % 7) for i in range(7)}
        return compare(human, systems, n_permutations=0, n_clusterings=5)

    def test_are_those_of_all_pairs_of_few_systems(self, comparison):
        assert comparison.shown_differences() == comparison.ranked_differences()

    def test_are_those_of_neighbours_in_the_ranking_of_many(self, seven):
        shown, rank = seven.shown_differences(), seven.rank()
        assert [(pair.first, pair.second) for pair in shown] == [*pairwise(rank)]
        assert all(pair in seven.ranked_differences() for pair in shown)
        assert len(seven.differences()) == len(seven.to_dict()["differences"]) == 21
        adjusted = holm([pair.p_value for pair in seven.differences()])
        pairs = [frozenset((pair.first, pair.second)) for pair in seven.differences()]
        by_pair = dict(zip(pairs, adjusted, strict=True))
        for pair in shown:
            assert pair.p_adjusted == by_pair[frozenset((pair.first, pair.second))]


@pytest.mark.parametrize("position", [0, 1])
def test_a_difference_is_of_two_scores(position):
    human, systems = clouds(7)
    comparison = compare(human, systems, **QUICK)
    pair = [*comparison.values()][:2]
    pair[position] = comparison
    name = ("first", "second")[position]
    with pytest.raises(
        mauve.InvalidParameterError, match=f"The '{name}' parameter of difference.* by a system's"
    ):
        mauve.difference(*pair)
    pair[position] = 0.5
    with pytest.raises(mauve.InvalidParameterError, match=r"a MauveResult.* Got 0\.5 instead\."):
        mauve.difference(*pair)
