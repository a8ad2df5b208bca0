"""Results and differences of a comparison."""

import dataclasses
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from ranked_clouds import QUICK, clouds

import mauve
from mauve import InvalidParameterError, compare
from mauve.inference.differences import holm
from mauve.inference.intervals import texts_needed
from mauve.quantize.kmeans import KMeans


class TestToDict:
    def test_is_json_without_nan(self, comparison):
        text = json.dumps(comparison.to_dict(), allow_nan=False)
        assert json.loads(text) == comparison.to_dict()

    def test_is_json_without_permutations(self, untested):
        (first, *_) = json.loads(json.dumps(untested.to_dict(), allow_nan=False))["results"]
        assert first["p_value"] is None
        assert first["ceiling"] is None

    def test_has_every_number_of_the_result(self, comparison):
        fieldss = comparison["middle"].to_dict()
        arrays = {"p_hist", "q_hist", "labels", "counted"}
        inner = {"deviance_error", "influence"}
        fields = {field.name for field in dataclasses.fields(mauve.MauveResult)}
        assert set(fieldss) == fields - arrays - inner
        assert fieldss["mauve"] == comparison["middle"].mauve
        assert fieldss["interval"] == list(comparison["middle"].interval)

    def test_identical_and_disjoint_samples_are_json_too(self):
        human, _ = clouds(2)
        comparison = compare(human, {"same": human, "away": human + 50}, **QUICK)
        json.dumps(comparison.to_dict(), allow_nan=False)


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

    def test_repr_is_one_short_line(self, comparison):
        near = comparison["near"]
        low, high = near.interval
        assert repr(near) == (
            f"MauveResult(near: {near.mauve:.3f}, {low:.3f} to {high:.3f}, p = {near.p_value:.4f})"
        )
        assert "p =" not in repr(dataclasses.replace(near, p_value=None))

    def test_prints_as_a_table_with_verdict_and_warnings(self, comparison):
        result = dataclasses.replace(comparison["far"], warnings=("few\ntexts", "long texts"))
        head, row, verdict, *warnings = str(result).splitlines()
        assert head.split()[:2] == ["system", "MAUVE"]
        assert len(head) == len(row)
        assert verdict == f"far: {result.verdict}"
        assert warnings == ["warning: few\\ntexts", "warning: long texts"]
        assert result._repr_html_().count("<li>") == 2

    def test_equal_to_the_last_bit_and_hashable(self, comparison):
        again = compare(*clouds(0), **QUICK)["near"]
        near = comparison["near"]
        assert again == near
        assert hash(again) == hash(near)
        assert len({again, near, comparison["far"]}) == 2
        assert near != dataclasses.replace(near, mauve=np.nextafter(near.mauve, 0))
        labels = near.labels.copy()
        labels[0, 0] += 1
        assert near != dataclasses.replace(near, labels=labels)
        influence = dataclasses.replace(near.influence, human=near.influence.human + 1e-12)
        assert near != dataclasses.replace(near, influence=influence)

    def test_metrics_are_flat_numbers_without_none(self, comparison, untested):
        metrics = comparison["near"].to_metrics()
        assert metrics["score"] == comparison["near"].mauve
        assert [metrics["low"], metrics["high"]] == list(comparison["near"].interval)
        assert all(type(number) is float for number in metrics.values())
        assert metrics.keys() - untested["near"].to_metrics().keys() == {
            "p_value", "ceiling", "ceiling_low",
        }  # fmt: skip

    def test_equivalence_is_easier_within_a_wider_margin(self, comparison):
        near, far = comparison["near"], comparison["far"]
        values = [near.equivalence(margin) for margin in (0.05, 0.2, 0.5)]
        assert values[0] > values[1] > values[2]
        assert far.equivalence(0.2) > 0.99

    @pytest.mark.parametrize("margin", [0, -0.1, 1, float("nan")])
    def test_margins_of_equivalence_are_checked(self, comparison, margin):
        with pytest.raises(
            InvalidParameterError, match=r"'margin' parameter of MauveResult\.equiv"
        ):
            comparison["near"].equivalence(margin)

    def test_texts_needed_grow_with_the_square(self, comparison):
        one = comparison["middle"].texts_needed(0.1)
        assert one >= 2
        assert abs(comparison["middle"].texts_needed(0.05) - 4 * one) <= 4
        assert comparison["middle"].texts_needed(0.1, power=0.95) > one

    @pytest.mark.parametrize(("difference", "power"), [(0, 0.8), (2, 0.8), (0.1, 0), (0.1, 1)])
    def test_texts_needed_checks_its_parameters(self, comparison, difference, power):
        with pytest.raises(InvalidParameterError, match=r"of MauveResult\.texts_needed must"):
            comparison["near"].texts_needed(difference, power)


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
        differences = comparison.differences()
        assert [d.p_adjusted for d in differences] == holm([d.p_value for d in differences])
        assert any(d.p_adjusted > d.p_value for d in differences)

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
        fields = json.loads(json.dumps(comparison.to_dict()["differences"], allow_nan=False))
        assert set(fields[0]) == {
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
        with pytest.raises(InvalidParameterError, match=r"'margin' .* of Difference\.equivalence"):
            d.equivalence(0)
        with pytest.raises(InvalidParameterError, match=r"of Difference\.texts_needed"):
            d.texts_needed(0)


class TestPrintedDifference:
    def test_is_an_aligned_table(self, comparison):
        pair = comparison.ranked_differences()[0]
        head, row = str(pair).splitlines()
        assert head.split("  ")[0] == "first"
        assert "95% interval" in head
        assert ("p (Holm)" in head) == (pair.p_adjusted != pair.p_value)
        assert f"+{pair.difference:.3f}" in row
        assert len(head) == len(row)

    def test_repr_is_one_short_line(self, comparison):
        pair = mauve.difference(comparison["far"], comparison["near"])
        assert repr(pair).startswith(f"Difference(far - near: −{-pair.difference:.3f}, −")
        assert "\n" not in repr(pair)

    def test_shows_as_a_table_in_a_notebook(self, comparison):
        html = comparison.differences()[0]._repr_html_()
        assert html.startswith("<table>")
        assert "<td>far</td><td>near</td>" in html

    def test_equal_and_hashable(self, comparison):
        first, again = (mauve.difference(comparison["far"], comparison["near"]) for _ in range(2))
        assert first == again
        assert len({first, again, first.reversed()}) == 2


class TestAcrossComparisons:
    def test_another_call_with_the_same_texts_and_settings_can_be_compared(self, comparison):
        """Neither the order of the texts nor that of the systems makes a difference."""
        human, systems = clouds(0)
        rng = np.random.default_rng(1)
        other = compare(
            rng.permutation(human),
            {name: rng.permutation(systems[name]) for name in reversed(systems)},
            **QUICK,
        )
        for name, result in comparison.items():
            assert other[name].mauve == result.mauve
            assert other[name].signature == result.signature
        across = mauve.difference(comparison["near"], other["far"])
        assert_allclose(
            across.interval,
            mauve.difference(comparison["near"], comparison["far"]).interval,
            atol=1e-9,  # the sums of influences are in another order
        )

    @pytest.mark.parametrize("others", [[], ["middle"]])
    def test_other_systems_make_no_difference(self, comparison, others):
        human, systems = clouds(0)
        other = compare(human, {name: systems[name] for name in ["near", *others]}, **QUICK)
        assert other["near"] == comparison["near"]
        across = mauve.difference(other["near"], comparison["far"])
        assert across == mauve.difference(comparison["near"], comparison["far"])

    @pytest.mark.parametrize("others", [[], ["middle"]])
    def test_other_systems_are_refused_with_joint_clusterings(self, others):
        """Their texts change the buckets: the same system has another score."""
        human, systems = clouds(0)
        settings = {**QUICK, "clustering": "joint"}
        together = compare(human, systems, **settings)
        other = compare(human, {name: systems[name] for name in ["near", *others]}, **settings)
        assert other["near"].mauve != together["near"].mauve
        with pytest.raises(InvalidParameterError) as raised:
            mauve.difference(other["near"], together["far"])
        assert str(raised.value) == (
            "The scores of 'near' and 'far' cannot be compared: they were clustered together with "
            "different systems. To compare them, pass both systems to one call of compare, or use "
            "clustering='pair'."
        )

    def test_another_number_of_texts_makes_no_difference(self, comparison):
        human, systems = clouds(0)
        fewer = compare(human, {"far": systems["far"][:120]}, **QUICK)["far"]
        assert mauve.difference(comparison["near"], fewer).p_value < 0.05

    def test_too_few_texts_for_the_same_buckets_are_refused(self):
        human, systems = clouds(13, n=200)
        with pytest.warns(mauve.MauveWarning, match="only 120 texts of a sample"):
            comparison = compare(
                human, {"few": systems["near"][:120], **systems}, n_clusterings=5, n_permutations=0
            )
        named = {(pair.first, pair.second) for pair in comparison.differences()}
        assert named == {("far", "near"), ("far", "middle"), ("near", "middle")}
        with pytest.raises(InvalidParameterError) as raised:
            mauve.difference(comparison["few"], comparison["near"])
        assert str(raised.value) == (
            "The scores of 'few' and 'near' cannot be compared: their signatures differ in k (12 "
            "and 25), fit (pair-96x5 and pair-200x5). To compare them, use the same settings, and "
            "as many texts for both."
        )

    def test_other_human_texts_are_refused(self, comparison):
        systems = clouds(0)[1]
        other = compare(clouds(8)[0], systems, **QUICK)
        with pytest.raises(InvalidParameterError) as raised:
            mauve.difference(comparison["near"], other["far"])
        assert str(raised.value) == (
            "The scores of 'near' and 'far' cannot be compared: they were computed against "
            "different human texts. To compare them, compare both with the same human texts."
        )

    def test_one_human_text_more_is_refused(self, comparison):
        human, systems = clouds(0)
        other = compare(np.concatenate([human, human[:1]]), systems, **QUICK)
        with pytest.raises(InvalidParameterError, match="against different human texts"):
            mauve.difference(comparison["near"], other["near"])

    def test_texts_of_other_prompts_are_refused(self):
        human, systems = clouds(14)
        rng = np.random.default_rng(15)
        one, two = (
            compare(human, {"near": systems["near"]}, prompts=prompts, **QUICK)["near"]
            for prompts in (np.arange(150), rng.permutation(150))
        )
        with pytest.raises(InvalidParameterError, match="against different human texts"):
            mauve.difference(one, two)

    def test_settings_are_named_beside_the_texts(self, comparison):
        human, systems = clouds(0)
        other = compare(human, {"near": systems["near"]}, **{**QUICK, "scaling": 4})["near"]
        with pytest.raises(
            InvalidParameterError,
            match=r"their signatures differ in c \(5 and 4\)\. To compare them, use the same "
            "settings",
        ):
            mauve.difference(comparison["near"], other)

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
        assert one.influence.human_hash != two.influence.human_hash

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("setting", "named"),
        [
            ({"num_buckets": 9}, r"k \(8 and 9\)"),
            ({"scaling": 4}, r"c \(5 and 4\)"),
            ({"seed": 1}, r"seed \(0 and 1\)"),
            ({"n_clusterings": 10}, r"fit \(pair-64x5 and pair-64x10\)"),
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

    def test_sizes_may_differ_with_the_correction(self):
        human, systems = clouds(0)
        both = {"near": systems["near"], "few": systems["far"][:110]}
        comparison = compare(human, both, **QUICK)
        assert mauve.difference(comparison["near"], comparison["few"]).difference > 0

    def test_sizes_may_not_differ_without_the_correction(self):
        human, systems = clouds(0)
        both = {"all": systems["near"], "few": systems["near"][:110]}
        comparison = compare(human, both, **{**QUICK, "estimator": "plugin"})
        with pytest.raises(InvalidParameterError, match=r"n \(150\+150 and 150\+110\)"):
            mauve.difference(comparison["all"], comparison["few"])

    @pytest.mark.slow
    @pytest.mark.parametrize("prompted_first", [True, False])
    def test_prompts_of_one_sample_only_are_refused(self, prompted_first):
        human, systems = clouds(13)
        pair = [
            compare(human, systems, prompts=range(150), **QUICK)["near"],
            compare(human, systems, **QUICK)["far"],
        ]
        with pytest.raises(InvalidParameterError, match="their signatures differ in fit"):
            mauve.difference(*(pair if prompted_first else pair[::-1]))


class TestReversed:
    def test_twice_is_the_same(self, comparison):
        pair = comparison.differences()[0]
        assert pair.reversed().reversed() == pair

    def test_is_the_difference_the_other_way_round(self, comparison):
        near, far = comparison["near"], comparison["far"]
        turned, other = mauve.difference(near, far).reversed(), mauve.difference(far, near)
        assert turned.difference == other.difference
        assert_allclose(turned.interval, other.interval, atol=1e-12)
        assert_allclose(turned.pair.limits(0.8), other.pair.limits(0.8), atol=1e-12)


class TestVerdict:
    def test_says_what_the_test_says(self, comparison, untested):
        far = comparison["far"]
        assert far.verdict == f"distinguishable from human text (p = {far.p_value:.4f})"
        assert "not distinguishable" in dataclasses.replace(far, p_value=0.4).verdict
        assert next(iter(untested.values())).verdict == "not tested against human text"
