"""What each text adds to the divergences: sums, symmetry, closed forms, errors."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import rel_entr

from mauve import compare
from mauve.explanation.contributions import divergences_at, group_shares, text_contributions
from mauve.frontier.estimators import ESTIMATORS
from mauve.frontier.grid import curve_grid
from mauve.inference.resampling import LabelledPair

MIXTURES = (0.1, 0.5, 0.9)
QUICK = {"num_buckets": 8, "n_clusterings": 5, "n_permutations": 0}


def clouds(seed, n=100, n_model=None, shift=0.5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), rng.normal(size=(n_model or n, 4)) + shift


def pair_of(human, model, **settings):
    comparison = compare(human, model, **{**QUICK, **settings})
    return comparison["model"], comparison.compared.pairs["model"]


@cache
def uneven_pair(estimator):
    return pair_of(*clouds(0, n_model=130), estimator=estimator)[1]


def labelled(buckets, is_human, *, num_buckets=None, groups=None):
    """Return a pair with one clustering, all of whose texts count."""
    buckets = np.asarray(buckets, dtype=np.int32)
    return LabelledPair(
        labels=buckets[None],
        counted=np.ones((1, len(buckets)), dtype=bool),
        is_human=np.asarray(is_human),
        blocks=np.zeros(len(buckets), dtype=np.int64),
        groups=np.arange(len(buckets)) if groups is None else np.asarray(groups),
        num_buckets=num_buckets or int(buckets.max()) + 1,
    )


def from_counts(a, b):
    """Return a pair with so many texts of each sample in each bucket."""
    buckets = np.concatenate([np.repeat(np.arange(len(a)), a), np.repeat(np.arange(len(b)), b)])
    return labelled(buckets, np.arange(sum(a) + sum(b)) < sum(a), num_buckets=len(a))


def check_sums(pair, estimator, mixture):
    """Per-text parts add up to the divergences, and those of groups to the same."""
    contributions = text_contributions(pair, estimator, mixture)
    wholes = divergences_at(pair, estimator, mixture)
    members = np.arange(len(contributions)) * 7 % 5
    shares = group_shares(pair, contributions, members, 5, mixture)
    for sample, whole, share in zip((pair.is_human, ~pair.is_human), wholes, shares, strict=True):
        assert_allclose(contributions[sample].sum(), whole, rtol=0, atol=1e-12)
        assert_allclose(share.values.sum(), whole, rtol=0, atol=1e-12)
        sums = [contributions[sample & (members == g)].sum() for g in range(5)]
        assert_allclose(share.values, sums, rtol=0, atol=1e-12)
        assert np.isfinite(share.errors).all()
        assert (share.errors > 0).all()


class TestSums:
    @pytest.mark.slow
    @pytest.mark.parametrize("mixture", MIXTURES)
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_parts_add_up_to_the_divergences(self, estimator, mixture):
        check_sums(uneven_pair(estimator), estimator, mixture)

    @pytest.mark.slow
    @pytest.mark.parametrize("mixture", [1e-12, 1 / 65, 0.3, 0.7, 1 - 1e-9])
    def test_any_mixture_will_do(self, mixture):
        _, pair = pair_of(*clouds(1))
        check_sums(pair, "jackknife", mixture)

    @pytest.mark.parametrize("mixture", MIXTURES)
    def test_samples_of_one_source(self, mixture):
        """The estimates fall below zero, and are clipped to it."""
        _, pair = pair_of(*clouds(2, shift=0.0))
        check_sums(pair, "jackknife", mixture)

    @pytest.mark.parametrize("mixture", MIXTURES)
    def test_prompts(self, mixture):
        _, pair = pair_of(*clouds(3), prompts=np.arange(100) // 2)
        check_sums(pair, "jackknife", mixture)

    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
    @pytest.mark.parametrize("mixture", MIXTURES)
    def test_ten_texts(self, mixture):
        _, pair = pair_of(*clouds(4, n=10), num_buckets=2)
        check_sums(pair, "jackknife", mixture)

    @pytest.mark.parametrize("mixture", MIXTURES)
    def test_quantizers_with_a_fixed_number_of_buckets(self, mixture):
        result, pair = pair_of(*clouds(5), num_buckets="auto", quantizer=Octants())
        assert result.num_buckets == 8
        check_sums(pair, "jackknife", mixture)

    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_equal_mixture_is_that_of_the_result_to_the_last_bit(self, estimator):
        result, pair = pair_of(*clouds(6), estimator=estimator)
        assert divergences_at(pair, estimator, 0.5) == (result.type_2, result.type_1)

    def test_mixtures_of_the_curve_have_its_values(self):
        """The curve holds exp(-5 KL), so a logarithm and a division round: a few bits."""
        result, pair = pair_of(*clouds(7))
        grid = curve_grid()
        kl_q, kl_p = -np.log(result.divergence_curve.T) / 5
        for at in (3, grid.middle - 1, grid.middle, len(grid.weight_p) - 4):
            divergences = divergences_at(pair, "jackknife", float(grid.weight_p[at]))
            assert_allclose(divergences, (kl_p[at], kl_q[at]), rtol=0, atol=1e-14)

    def test_divergences_are_monotone_in_the_mixture(self):
        _, pair = pair_of(*clouds(8, shift=0.1))
        divergences = np.array(
            [divergences_at(pair, "jackknife", m) for m in np.linspace(0.05, 0.95, 19)]
        )
        assert (np.diff(divergences[:, 0]) <= 1e-12).all()
        assert (np.diff(divergences[:, 1]) >= -1e-12).all()
        assert (divergences >= 0).all()


class Octants:
    """A quantizer that always has eight buckets, by the signs of three features."""

    num_buckets = 8
    signature = "octants"

    def fit(self, features, n_clusters, rng):
        return self

    def assign(self, features):
        return (features[:, :3] > 0) @ np.array([1, 2, 4])


class TestIdentityAndSymmetry:
    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_identical_samples_add_nothing(self, estimator):
        """Single texts have the noise of the correction, which the jackknife alone has."""
        human, _ = clouds(9)
        _, pair = pair_of(human, human.copy(), estimator=estimator)
        for mixture in MIXTURES:
            contributions = text_contributions(pair, estimator, mixture)
            assert divergences_at(pair, estimator, mixture) == (0, 0)
            assert_allclose([contributions[:100].sum(), contributions[100:].sum()], 0, atol=1e-15)
            if estimator != "jackknife":
                assert_allclose(contributions, 0, atol=1e-15)

    @pytest.mark.parametrize("mixture", MIXTURES)
    @pytest.mark.parametrize("estimator", ["jackknife", "plugin", "laplace"])
    def test_swapping_the_samples_swaps_the_parts(self, estimator, mixture):
        pair = uneven_pair(estimator)
        swapped = LabelledPair(
            pair.labels, pair.counted, ~pair.is_human, pair.blocks, pair.groups, pair.num_buckets
        )
        one = text_contributions(pair, estimator, mixture)
        other = text_contributions(swapped, estimator, 1 - mixture)
        assert_allclose(one, other, rtol=0, atol=1e-13)
        members = np.arange(230) % 4
        of_p, of_q = group_shares(pair, one, members, 4, mixture)
        p_swapped, q_swapped = group_shares(swapped, other, members, 4, 1 - mixture)
        assert_allclose(
            [of_p.values, of_q.values], [q_swapped.values, p_swapped.values], atol=1e-12
        )
        assert_allclose([of_p.errors, of_q.errors], [q_swapped.errors, p_swapped.errors], rtol=1e-9)

    def test_order_of_the_texts_does_not_matter(self):
        human, model = clouds(11)
        order = np.random.default_rng(0).permutation(100)
        _, one = pair_of(human, model)
        _, other = pair_of(human[order], model[order])
        contributions = text_contributions(one, "jackknife", 0.5)
        reordered = text_contributions(other, "jackknife", 0.5)
        assert_allclose(
            reordered, contributions[np.concatenate([order, 100 + order])], rtol=0, atol=1e-15
        )

    def test_more_of_the_same_texts_add_the_same(self):
        """Plug-in estimates depend on shares of texts alone."""
        one = text_contributions(from_counts([3, 1], [1, 5]), "plugin", 0.3)
        other = text_contributions(from_counts([6, 2], [2, 10]), "plugin", 0.3)
        assert_allclose(sorted(np.repeat(one, 2) / 2), sorted(other), rtol=1e-12)


class TestClosedForms:
    @pytest.mark.parametrize("mixture", MIXTURES)
    def test_plugin_is_the_logarithm_of_the_ratio_of_shares(self, mixture):
        a, b = np.array([4, 3, 0, 3]), np.array([1, 2, 2, 0])
        p, q = a / 10, b / 5
        r = mixture * p + (1 - mixture) * q
        pair = from_counts(a, b)
        contributions = text_contributions(pair, "plugin", mixture)
        buckets = pair.labels[0]
        with np.errstate(divide="ignore"):
            expected = np.where(
                pair.is_human, np.log(p / r)[buckets] / 10, np.log(q / r)[buckets] / 5
            )
        assert_allclose(contributions, expected, rtol=0, atol=1e-15)
        wholes = divergences_at(pair, "plugin", mixture)
        assert_allclose(wholes, (rel_entr(p, r).sum(), rel_entr(q, r).sum()), rtol=1e-12)

    def test_shares_of_buckets_are_their_terms(self):
        a, b = np.array([40, 30, 30]), np.array([10, 20, 70])
        p, q = a / 100, b / 100
        pair = from_counts(a, b)
        parts = text_contributions(pair, "plugin", 0.5)
        of_p, of_q = group_shares(pair, parts, pair.labels[0].astype(np.int64), 3, 0.5)
        assert_allclose(of_p.values, p * np.log(2 * p / (p + q)), rtol=1e-12)
        assert_allclose(of_q.values, q * np.log(2 * q / (p + q)), rtol=1e-12)

    def test_clusterings_are_averaged(self):
        one, two = from_counts([3, 1], [1, 3]), from_counts([2, 2], [4, 0])
        both = LabelledPair(
            np.concatenate([one.labels, two.labels]), np.ones((2, 8), bool), one.is_human,
            one.blocks, one.groups, 2,
        )  # fmt: skip
        for mixture in MIXTURES:
            parts = [text_contributions(pair, "plugin", mixture) for pair in (one, two)]
            assert_allclose(text_contributions(both, "plugin", mixture), np.mean(parts, axis=0))

    def test_texts_that_are_counted_less_often_do_not_add_less(self):
        """The second clustering counts every other text, of buckets that lie apart."""
        one = from_counts([50, 0], [0, 50])
        counted = np.stack([np.ones(100, dtype=bool), np.arange(100) % 2 == 0])
        both = LabelledPair(
            np.repeat(one.labels, 2, axis=0), counted, one.is_human, one.blocks, one.groups, 2
        )
        for estimator in ("jackknife", "plugin"):
            parts = text_contributions(both, estimator, 0.5)
            assert_allclose(50 * parts, np.log(2), rtol=1e-9)

    def test_what_lies_apart_has_log_two(self):
        pair = from_counts([50, 0], [0, 50])
        assert_allclose(50 * text_contributions(pair, "jackknife", 0.5), np.log(2), rtol=1e-9)

    @pytest.mark.parametrize("mixture", MIXTURES)
    def test_errors_are_those_of_the_delta_method_in_large_buckets(self, mixture):
        """Two buckets that are the groups, 20,000 texts: the jackknife adds 1/n to the variance.

        With f = q log(q/r) and r = λp + (1-λ)q, df/dq = log(q/r) + 1 - (1-λ)q/r and
        df/dp = -λq/r; shares have variances p(1-p)/n and q(1-q)/n. What one more text would
        change comes on top, a thousandth of it.
        """
        n, p, q = 20_000, np.array([0.6, 0.4]), np.array([0.3, 0.7])
        pair = from_counts((n * p).astype(int), (n * q).astype(int))
        parts = text_contributions(pair, "jackknife", mixture)
        shares = group_shares(pair, parts, pair.labels[0].astype(np.int64), 2, mixture)
        for share, same, other, weight in zip(
            shares, (p, q), (q, p), (mixture, 1 - mixture), strict=True
        ):
            r = weight * same + (1 - weight) * other
            by_same = np.log(same / r) + 1 - weight * same / r
            by_other = -(1 - weight) * same / r
            variance = by_same**2 * same * (1 - same) / n + by_other**2 * other * (1 - other) / n
            assert_allclose(share.errors, np.sqrt(variance), rtol=0.01)

    def test_copies_of_one_prompt_have_wider_errors(self):
        """Each text four times over: a quarter of the prompts, twice the error."""
        rng = np.random.default_rng(12)
        buckets = np.repeat(rng.integers(4, size=200), 4)
        is_human = np.repeat(np.arange(200) < 100, 4)
        prompts = np.repeat(np.arange(200), 4)
        alone, together = (
            labelled(buckets, is_human),
            labelled(buckets, is_human, groups=prompts),
        )
        parts = text_contributions(alone, "plugin", 0.5)
        members = buckets.astype(np.int64)
        one, other = (group_shares(pair, parts, members, 4, 0.5)[0] for pair in (alone, together))
        assert_array_equal(one.values, other.values)
        # 800 against 200 independent ones, each with the factor n/(n-1) of a sample's variance.
        assert_allclose(other.errors / one.errors, 2, rtol=0.02)


class TestErrors:
    def test_groups_without_texts_have_an_error(self):
        pair = from_counts([20, 0], [20, 20])
        parts = text_contributions(pair, "plugin", 0.5)
        of_p, _ = group_shares(pair, parts, pair.labels[0].astype(np.int64), 2, 0.5)
        assert of_p.values[1] == 0
        # One of twenty human texts among half of the model's; no model text would change it.
        assert_allclose(of_p.errors[1], -0.05 * np.log(2 * 0.05 / (0.05 + 0.5)), rtol=1e-9)

    def test_interval_is_as_wide_as_its_level(self):
        pair = from_counts([30, 20], [20, 30])
        parts = text_contributions(pair, "plugin", 0.5)
        of_p, _ = group_shares(pair, parts, pair.labels[0].astype(np.int64), 2, 0.5)
        share = of_p.share(0, 0.95)
        assert share.value == of_p.values[0]
        low, high = share.interval
        assert_allclose((high - low) / 2, 1.959964 * of_p.errors[0], rtol=1e-6)
        narrow = of_p.share(0, 0.5).interval
        assert low < narrow[0] < share.value < narrow[1] < high

    @pytest.mark.slow
    def test_intervals_hold_the_truth_as_often_as_they_say(self):
        """Shares of three regions, multinomial counts in twelve buckets, 100 samples.

        There are 600 intervals, those of one sample dependent. As if they were 200 independent
        ones, 95% of which hold, fewer than 90% do so in two of 1,000 runs, and more than 99% in
        five of 1,000.
        """
        rng = np.random.default_rng(13)
        p, q = rng.dirichlet(np.full(12, 5.0)), rng.dirichlet(np.full(12, 5.0))
        region = np.arange(12) // 4
        r = (p + q) / 2
        truth = [np.bincount(region, x * np.log(x / r)) for x in (p, q)]
        held = []
        for _ in range(100):
            pair = from_counts(rng.multinomial(400, p), rng.multinomial(400, q))
            parts = text_contributions(pair, "jackknife", 0.5)
            shares = group_shares(pair, parts, region[pair.labels[0]], 3, 0.5)
            held += [
                np.abs(share.values - true) < 1.96 * share.errors
                for share, true in zip(shares, truth, strict=True)
            ]
        assert 0.9 <= np.mean(held) <= 0.99
