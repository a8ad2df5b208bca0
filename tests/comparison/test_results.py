"""What a comparison returns: tables, differences, signatures, JSON and HTML."""

import dataclasses
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mauve
from mauve import InvalidParameterError, compare
from mauve.inference.differences import holm
from mauve.inference.intervals import texts_needed
from mauve.quantize.kmeans import KMeans

QUICK = {"num_buckets": 8, "n_clusterings": 5, "n_permutations": 20}


def clouds(seed, n=150, d=4):
    """Human texts, and systems that are ever farther from them."""
    rng = np.random.default_rng(seed)
    systems = {
        name: rng.normal(size=(n, d)) + shift
        for name, shift in (("far", 1.5), ("near", 0.1), ("middle", 0.6))
    }
    return rng.normal(size=(n, d)), systems


@pytest.fixture(scope="module")
def comparison():
    return compare(*clouds(0), **QUICK)


@pytest.fixture(scope="module")
def untested():
    return compare(*clouds(0), **{**QUICK, "n_permutations": 0})


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
        for column in ("MAUVE", "95% interval", "ceiling", "p (= human)", "type I", "n", "k"):
            assert column in lines[0]
        near = comparison["near"]
        assert f"{near.mauve:.3f}" in lines[1]
        assert f"{near.interval[0]:.3f} - {near.interval[1]:.3f}" in lines[1]
        assert "150 + 150" in lines[1]

    def test_columns_of_the_table_are_aligned(self, comparison):
        lines = comparison.table().splitlines()
        assert len({len(line) for line in lines}) == 1

    def test_str_is_the_table_and_repr_one_line(self, comparison):
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
        found = compare(human, systems, confidence=0.8, **QUICK)
        assert "80% interval" in found.table()

    def test_no_interval_is_called_one_of_100_percent(self):
        human, systems = clouds(1)
        assert "100%" not in compare(human, systems, confidence=0.999, **QUICK).table()

    def test_warnings_of_all_systems_are_listed_once(self, comparison):
        assert comparison.warnings == ()

    def test_fitted_clusterings_come_with_it(self, comparison):
        human, _ = clouds(0)
        labels = comparison.compared.clustering.assign(human)
        assert np.mean(labels == comparison["near"].labels[:, :150]) > 0.98


class TestToDict:
    def test_is_json_without_nan(self, comparison):
        text = json.dumps(comparison.to_dict(), allow_nan=False)
        assert json.loads(text) == comparison.to_dict()

    def test_is_json_without_permutations(self, untested):
        (first, *_) = json.loads(json.dumps(untested.to_dict(), allow_nan=False))["results"]
        assert first["p_value"] is None
        assert first["ceiling"] is None

    def test_has_every_number_of_the_result(self, comparison):
        found = comparison["middle"].to_dict()
        arrays = {"p_hist", "q_hist", "labels", "counted"}
        inner = {"deviance_error", "influence"}
        fields = {field.name for field in dataclasses.fields(mauve.MauveResult)}
        assert set(found) == fields - arrays - inner
        assert found["mauve"] == comparison["middle"].mauve
        assert found["interval"] == list(comparison["middle"].interval)

    def test_identical_and_disjoint_samples_are_json_too(self):
        human, _ = clouds(2)
        found = compare(human, {"same": human, "away": human + 50}, **QUICK)
        json.dumps(found.to_dict(), allow_nan=False)


class TestResult:
    def test_numbers_are_consistent(self, comparison):
        for result in comparison.values():
            assert 0 < result.interval[0] <= result.mauve <= result.interval[1] <= 1
            assert 0 < result.mauve_plugin <= 1
            assert 0 < result.mauve_star <= 1
            assert 0 <= result.frontier_integral <= 1
            assert_allclose(result.js, (result.type_1 + result.type_2) / 2)
            assert 1 / 21 <= result.p_value <= 1
            assert 0 < result.ceiling_low <= result.ceiling <= 1
            assert type(result.mauve) is float

    def test_curve_runs_from_one_axis_to_the_other(self, comparison):
        curve = comparison["middle"].divergence_curve
        assert curve.shape[1] == 2
        assert np.all(np.diff(curve[:, 0]) <= 0)
        assert np.all(np.diff(curve[:, 1]) >= 0)
        assert_allclose([curve[0, 0], curve[-1, 1]], 1, atol=1e-4)

    def test_area_under_the_curve_is_about_the_score(self, comparison):
        """By trapezoids between the 65 points: right to a few thousandths."""
        for result in comparison.values():
            x, y = np.concatenate([[[1, 0]], result.divergence_curve, [[0, 1]]]).T
            assert_allclose(np.sum(-np.diff(x) * (y[:-1] + y[1:]) / 2), result.mauve, atol=0.01)

    def test_cannot_be_changed(self, comparison):
        with pytest.raises(dataclasses.FrozenInstanceError, match="mauve"):
            comparison["near"].mauve = 1.0

    def test_repr_is_short(self, comparison):
        assert len(repr(comparison["near"])) < 1000

    def test_equivalence_is_easier_within_a_wider_margin(self, comparison):
        near, far = comparison["near"], comparison["far"]
        values = [near.equivalence(margin) for margin in (0.05, 0.2, 0.5)]
        assert values[0] > values[1] > values[2]
        assert far.equivalence(0.2) > 0.99

    @pytest.mark.parametrize("margin", [0, -0.1, 1, float("nan")])
    def test_margins_of_equivalence_are_checked(self, comparison, margin):
        with pytest.raises(InvalidParameterError, match="'margin' parameter of equivalence must"):
            comparison["near"].equivalence(margin)

    def test_texts_needed_grow_with_the_square(self, comparison):
        one = comparison["middle"].texts_needed(0.1)
        assert one >= 2
        assert abs(comparison["middle"].texts_needed(0.05) - 4 * one) <= 4
        assert comparison["middle"].texts_needed(0.1, power=0.95) > one

    @pytest.mark.parametrize(("difference", "power"), [(0, 0.8), (2, 0.8), (0.1, 0), (0.1, 1)])
    def test_texts_needed_checks_its_parameters(self, comparison, difference, power):
        with pytest.raises(InvalidParameterError, match="parameter of texts_needed must"):
            comparison["near"].texts_needed(difference, power)


class TestHtml:
    HOSTILE = '<script>alert("x")</script>&\'<img src=x onerror=alert(1)>'

    def test_hostile_names_are_escaped(self):
        human, systems = clouds(3)
        found = compare(human, {self.HOSTILE: systems["near"], "b": systems["far"]}, **QUICK)
        for html in (found._repr_html_(), found[self.HOSTILE]._repr_html_()):
            assert "<script" not in html
            assert "<img" not in html
            assert "&lt;script&gt;" in html

    def test_is_a_table_with_a_row_for_each_system(self, comparison):
        html = comparison._repr_html_()
        assert html.startswith("<table>")
        assert html.count("<tr>") == 4
        assert html.index("near") < html.index("middle") < html.index("far")
        assert comparison["near"]._repr_html_().count("<tr>") == 2


class TestSignature:
    def test_names_every_setting(self):
        human, systems = clouds(4)
        found = compare(
            human,
            systems["near"][:120],
            num_buckets=9,
            n_clusterings=10,
            scaling=2.5,
            quantizer=KMeans(n_restarts=2),
            estimator="laplace",
            explained_variance=0.8,
            order="pca-norm",
            seed=7,
            n_permutations=0,
        )["model"]
        parts = dict(part.split(":", 1) for part in found.signature.split("|"))
        assert parts["mauve"] == mauve.__version__
        assert parts["emb"] == "features-4"
        assert parts["reduce"] == "pca-norm-0.8"
        assert parts["quant"].startswith("kmeans:best-of-2")
        assert parts["k"] == "9"
        assert parts["fit"] == "2of5x10"
        assert parts["c"] == "2.5"
        assert parts["est"] == "laplace"
        assert parts["n"] == "150+120"
        assert parts["seed"] == "7"

    def test_what_does_not_change_the_score_is_left_out(self, comparison):
        human, systems = clouds(0)
        other = compare(
            human, systems, confidence=0.5, **{**QUICK, "n_permutations": 3}, interval="bootstrap"
        )
        assert other["near"].mauve == comparison["near"].mauve
        assert other["near"].signature == comparison["near"].signature


class TestDifferences:
    def test_every_pair_once_in_the_order_given(self, comparison):
        pairs = [(d.first, d.second) for d in comparison.differences()]
        assert pairs == [("far", "near"), ("far", "middle"), ("near", "middle")]

    def test_difference_interval_and_p_value_belong_together(self, comparison):
        for d in comparison.differences():
            assert d.difference == comparison[d.first].mauve - comparison[d.second].mauve
            assert d.interval[0] <= d.difference <= d.interval[1]
            assert (d.p_value < 0.05) == (not d.interval[0] <= 0 <= d.interval[1])

    def test_p_values_are_adjusted_by_holm(self, comparison):
        found = comparison.differences()
        assert [d.p_adjusted for d in found] == holm([d.p_value for d in found])
        assert any(d.p_adjusted > d.p_value for d in found)

    def test_far_systems_differ_and_the_sign_says_which_is_better(self, comparison):
        (d, _, _) = comparison.differences()
        assert d.difference < 0
        assert d.interval[1] < 0
        assert d.p_adjusted < 0.01

    def test_shared_human_texts_make_scores_correlated(self, comparison):
        assert mauve.difference(comparison["near"], comparison["middle"]).pair.correlation > 0.05

    def test_swapping_changes_the_sign(self, comparison):
        one = mauve.difference(comparison["near"], comparison["middle"])
        other = mauve.difference(comparison["middle"], comparison["near"])
        assert one.difference == -other.difference
        assert_allclose(one.interval, [-other.interval[1], -other.interval[0]], atol=1e-12)
        assert_allclose(one.p_value, other.p_value, rtol=1e-6)

    def test_one_system_has_none(self):
        human, systems = clouds(5)
        assert compare(human, systems["near"], **QUICK).differences() == []

    def test_to_dict_is_json(self, comparison):
        found = json.loads(json.dumps(comparison.to_dict()["differences"], allow_nan=False))
        assert set(found[0]) == {
            "first",
            "second",
            "difference",
            "interval",
            "p_value",
            "p_adjusted",
        }

    def test_equivalence_and_texts_needed(self, comparison):
        d = mauve.difference(comparison["near"], comparison["middle"])
        assert d.equivalence(0.9) < 0.05
        assert d.equivalence(abs(d.difference) / 2) == 1
        low, high = d.pair.limits(0.6827)
        expected = texts_needed(
            150, (high - low) / 2, abs(d.difference), power=0.8, confidence=0.95
        )
        assert d.texts_needed() == expected
        assert d.texts_needed(abs(d.difference) / 2) > 3 * expected

    def test_margin_and_difference_are_checked(self, comparison):
        d = mauve.difference(comparison["near"], comparison["middle"])
        with pytest.raises(InvalidParameterError, match="'margin' parameter of equivalence"):
            d.equivalence(0)
        with pytest.raises(InvalidParameterError, match="'difference' parameter of texts_needed"):
            d.texts_needed(0)


class TestAcrossComparisons:
    def test_same_settings_can_be_compared(self):
        human, systems = clouds(6)
        one = compare(human, {"near": systems["near"]}, **QUICK)["near"]
        two = compare(human, {"far": systems["far"]}, **QUICK)["far"]
        found = mauve.difference(one, two)
        assert found.difference == one.mauve - two.mauve
        assert found.p_value < 0.05
        assert found.pair.correlation > 0

    def test_other_human_texts_are_taken_as_independent(self):
        one = compare(*clouds(7), **QUICK)["near"]
        two = compare(*clouds(8), **QUICK)["near"]
        assert mauve.difference(one, two).pair.correlation == 0

    def test_the_same_human_texts_in_another_order_are_recognised(self):
        human, systems = clouds(9)
        shuffled = np.random.default_rng(10).permutation(human)
        one = compare(human, systems, **QUICK)
        two = compare(shuffled, systems, **QUICK)
        same = mauve.difference(one["near"], one["middle"]).pair.correlation
        across = mauve.difference(one["near"], two["middle"]).pair.correlation
        assert_allclose(across, same, atol=1e-6)

    def test_other_human_texts_are_recognised_if_each_comes_twice(self):
        (first, systems), (second, _) = clouds(11), clouds(12)
        one, two = (
            compare(np.repeat(human[:75], 2, axis=0), systems, **QUICK)["near"]
            for human in (first, second)
        )
        assert one.influence.human_key != two.influence.human_key

    @pytest.mark.parametrize(
        ("setting", "named"),
        [
            ({"num_buckets": 9}, r"k \(8 and 9\)"),
            ({"scaling": 4}, r"c \(5 and 4\)"),
            ({"seed": 1}, r"seed \(0 and 1\)"),
            ({"n_clusterings": 10}, r"fit \(2of5x5 and 2of5x10\)"),
            ({"estimator": "plugin"}, r"est \(jackknife and plugin\)"),
            ({"order": "pca-norm"}, r"reduce \(norm-pca-0.9 and pca-norm-0.9\)"),
            ({"explained_variance": 0.8}, r"reduce \(norm-pca-0.9 and norm-pca-0.8\)"),
            ({"quantizer": KMeans(n_restarts=2)}, r"quant \(kmeans:best-of-1"),
        ],
    )
    def test_other_settings_are_refused_and_named(self, comparison, setting, named):
        human, systems = clouds(0)
        other = compare(human, systems, **{**QUICK, **setting})
        with pytest.raises(
            InvalidParameterError, match=f"'near' and 'far' cannot be compared: .* {named}"
        ):
            mauve.difference(comparison["near"], other["far"])

    def test_other_features_are_refused(self, comparison):
        human, systems = clouds(0, d=3)
        other = compare(human, systems, **QUICK)
        with pytest.raises(InvalidParameterError, match=r"emb \(features-4 and features-3\)"):
            mauve.difference(comparison["near"], other["near"])

    def test_sizes_may_differ_with_the_correction(self, comparison):
        human, systems = clouds(0)
        other = compare(human, {"few": systems["far"][:110]}, **QUICK)["few"]
        assert mauve.difference(comparison["near"], other).difference > 0

    def test_sizes_may_not_differ_without_the_correction(self):
        human, systems = clouds(0)
        settings = {**QUICK, "estimator": "plugin"}
        one = compare(human, {"all": systems["near"]}, **settings)["all"]
        two = compare(human, {"few": systems["near"][:110]}, **settings)["few"]
        with pytest.raises(InvalidParameterError, match=r"n \(150\+150 and 150\+110\)"):
            mauve.difference(one, two)

    @pytest.mark.parametrize("prompted_first", [True, False])
    def test_prompts_on_one_side_only_are_refused(self, prompted_first):
        human, systems = clouds(13)
        pair = [
            compare(human, systems, prompts=range(150), **QUICK)["near"],
            compare(human, systems, **QUICK)["far"],
        ]
        with pytest.raises(InvalidParameterError, match="signatures differ in fit"):
            mauve.difference(*(pair if prompted_first else pair[::-1]))
