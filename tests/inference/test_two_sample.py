"""The test of P = Q: exact if P = Q, powerful if not, the same however it is computed."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from mauve.hashes import feature_hashes
from mauve.inference.quadratic_forms import PooledFeatures
from mauve.inference.two_sample import STATISTICS, two_sample_test


def run(first, second, *, groups=None, n_permutations=99, seed=0):
    hashes = [feature_hashes(rows) for rows in (first, second)]
    return two_sample_test(PooledFeatures([first, second], hashes, groups), n_permutations, seed)


def assert_valid(p_values):
    """Small p-values are not too frequent; if P = Q, each of two fails with probability 1e-5."""
    p_values, n = np.asarray(p_values), len(p_values)
    assert np.sum(p_values <= 0.1) <= binom.isf(1e-5, n, 0.1)
    assert np.sum(p_values <= 0.05) <= binom.isf(1e-5, n, 0.05)


class TestSize:
    @pytest.mark.slow
    def test_is_right_if_both_samples_have_one_source(self):
        """200 pairs of 40 texts: small p-values are as frequent as they should be.

        All statistics are on one scale. False alarms: 2e-4 in all.
        """
        results = []
        for seed in range(200):
            rng = np.random.default_rng(seed)
            results.append(run(*rng.normal(size=(2, 40, 5)), seed=seed))
        values = np.array([result.p_value for result in results])
        assert_valid(values)
        assert np.sum(values <= 0.5) >= binom.ppf(1e-5, 200, 0.5)
        assert np.sum(values <= 0.1) >= binom.ppf(1e-5, 200, 0.1)
        for statistic in np.transpose([result.statistics for result in results]):
            for limit, share in ((0, 0.5), (1.96, 0.025)):
                n_above = np.sum(statistic > limit)
                assert binom.ppf(1e-5, 200, share) <= n_above <= binom.isf(1e-5, 200, share)

    @pytest.mark.slow
    def test_is_right_for_unequal_sizes_heavy_tails_and_copies(self):
        """100 pairs of 25 and 60 texts, of which half are copies. False alarms: 2e-5."""
        values = []
        for seed in range(100):
            rng = np.random.default_rng(seed)
            pool = rng.standard_t(2, size=(40, 3))
            first, second = (pool[rng.integers(40, size=n)] for n in (25, 60))
            values.append(run(first, second, seed=seed).p_value)
        assert_valid(values)

    @pytest.mark.slow
    def test_is_right_for_samples_that_are_bundled(self):
        """60 pairs of 2,001 and 2,600 texts, in bundles of two. False alarms: 2e-5."""
        values = []
        for seed in range(60):
            rng = np.random.default_rng(seed)
            first, second = rng.normal(size=(2001, 2)), rng.normal(size=(2600, 2))
            values.append(run(first, second, n_permutations=39, seed=seed).p_value)
        assert_valid(values)

    @pytest.mark.slow
    def test_is_right_for_several_texts_of_a_prompt(self):
        """100 pairs of 15 prompts of four texts, each sample with prompts of its own.

        Texts of a prompt are alike: exchanged one by one, nearly all pairs would be rejected.
        False alarms: 2e-5.
        """
        values, alone = [], []
        for seed in range(100):
            rng = np.random.default_rng(seed)
            topics = np.repeat(rng.normal(size=(30, 4)), 4, axis=0)
            first, second = np.split(topics + 0.1 * rng.normal(size=(120, 4)), 2)
            groups = np.repeat(np.arange(30), 4)
            values.append(run(first, second, groups=groups, seed=seed).p_value)
            if seed < 20:
                alone.append(run(first, second, seed=seed).p_value)
        assert_valid(values)
        assert np.mean(np.array(alone) <= 0.05) > 0.5

    @pytest.mark.slow
    def test_is_right_for_prompts_that_both_samples_answer(self):
        """100 pairs with 40 prompts in common. False alarms: 2e-5."""
        values = []
        for seed in range(100):
            rng = np.random.default_rng(seed)
            topics = rng.normal(size=(40, 4))
            first, second = (topics + 0.3 * rng.normal(size=(40, 4)) for _ in range(2))
            groups = np.tile(np.arange(40), 2)
            values.append(run(first, second, groups=groups, seed=seed).p_value)
        assert_valid(values)


def topics(rng, n, shares, spread=1.0):
    centres = 4 * np.eye(len(shares), 8)
    return centres[rng.choice(len(shares), n, p=shares)] + spread * rng.normal(size=(n, 8))


EVEN, UNEVEN = [1 / 6] * 6, [0.05, 0.05, 0.3, 0.3, 0.15, 0.15]


class TestPower:
    """Differences that the test must see: with 99 permutations the least p-value is 0.01."""

    def test_a_shift(self):
        rng = np.random.default_rng(0)
        assert run(rng.normal(size=(150, 5)), rng.normal(size=(150, 5)) + 0.5).p_value == 0.01

    def test_a_shift_along_a_direction_in_which_texts_hardly_vary(self):
        rng = np.random.default_rng(1)
        first, second = rng.normal(size=(2, 150, 10)) * np.r_[0.05, np.ones(9)]
        turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]  # no feature has the direction alone
        second[:, 0] += 0.1
        result = run(first @ turn, second @ turn)
        assert result.p_value == 0.01
        assert result.largest == "linear classifier"

    def test_another_spread(self):
        rng = np.random.default_rng(2)
        result = run(rng.normal(size=(150, 5)), 1.6 * rng.normal(size=(150, 5)))
        assert result.p_value == 0.01
        assert result.largest != "linear classifier"

    def test_other_shares_of_topics(self):
        rng = np.random.default_rng(3)
        assert run(topics(rng, 400, EVEN), topics(rng, 400, UNEVEN)).p_value == 0.01

    def test_a_topic_that_is_missing(self):
        rng = np.random.default_rng(4)
        assert run(topics(rng, 150, EVEN), topics(rng, 150, [0.2] * 5 + [0])).p_value == 0.01

    def test_a_small_shift_of_many_texts(self):
        rng = np.random.default_rng(5)
        first, second = rng.normal(size=(2500, 6)), rng.normal(size=(3100, 6)) + 0.1
        assert run(first, second).p_value == 0.01

    def test_copies_of_few_texts(self):
        """A system that repeats itself: ten texts, each fifteen times."""
        rng = np.random.default_rng(6)
        assert (
            run(rng.normal(size=(150, 5)), np.repeat(rng.normal(size=(10, 5)), 15, 0)).p_value
            == 0.01
        )

    def test_a_difference_within_prompts(self):
        """Prompts vary far more than the samples differ: exchanges within them see it."""
        rng = np.random.default_rng(7)
        prompts = 5 * rng.normal(size=(60, 4))
        first = prompts + 0.3 * rng.normal(size=(60, 4))
        second = prompts + 0.3 * rng.normal(size=(60, 4)) + 0.3
        assert run(first, second).p_value > 0.1
        assert run(first, second, groups=np.tile(np.arange(60), 2)).p_value == 0.01


class TestResult:
    def test_is_a_share_of_permutations_and_names_the_largest_statistic(self):
        rng = np.random.default_rng(0)
        result = run(rng.normal(size=(60, 3)), rng.normal(size=(60, 3)) + 0.2, n_permutations=39)
        assert round(40 * result.p_value) == pytest.approx(40 * result.p_value)
        assert result.statistics.shape == result.single_p_values.shape == (len(STATISTICS),)
        assert result.largest == STATISTICS[int(np.argmax(result.statistics))]
        assert result.single_p_values.min() >= 1 / 40
        assert result.single_p_values.max() <= 1

    def test_identical_samples_have_a_p_value_of_one(self):
        features = np.random.default_rng(1).normal(size=(80, 4))
        assert run(features, features.copy()).p_value == 1
        assert run(features, features.copy(), groups=np.tile(np.arange(80), 2)).p_value == 1

    def test_exchanges_that_change_nothing_give_a_p_value_of_one(self):
        """Both texts of a prompt are copies; 30 texts of one sample have no partner."""
        rng = np.random.default_rng(2)
        second = rng.normal(size=(70, 4))
        first = np.concatenate([second, rng.normal(size=(30, 4)) + 5])
        groups = np.concatenate([np.arange(100), np.arange(70)])
        assert run(first, second, groups=groups).p_value == 1
        assert run(first, second).p_value == 0.01

    def test_few_possible_exchanges_give_no_small_p_value(self):
        """Four prompts have sixteen exchanges, each as likely as its reverse."""
        rng = np.random.default_rng(3)
        first, second = rng.normal(size=(4, 3)), rng.normal(size=(4, 3)) + 50
        result = run(first, second, groups=np.tile(np.arange(4), 2), n_permutations=999)
        assert_allclose(result.p_value, 2 / 16, atol=0.06)  # five standard errors
        assert (result.single_p_values > 0.06).all()

    def test_depends_on_the_seed_alone(self):
        samples = np.random.default_rng(4).normal(size=(2, 60, 3))
        first, again, other = (run(*samples, seed=seed) for seed in (1, 1, 2))
        assert_array_equal(first.statistics, again.statistics)
        assert first.p_value == again.p_value
        assert np.any(first.statistics != other.statistics)


class TestOrderAndThreads:
    @pytest.mark.parametrize("n", [90, 1300])
    def test_order_of_texts_does_not_matter(self, n):
        rng = np.random.default_rng(0)
        first, second = rng.normal(size=(n, 4)), rng.normal(size=(n + 20, 4)) + 0.1
        first[5:9] = first[4]  # copies in one sample
        second[:3] = first[:3]  # and in both
        before = run(first, second, n_permutations=49)
        after = run(rng.permutation(first), rng.permutation(second), n_permutations=49)
        assert after.p_value == before.p_value
        assert_array_equal(after.statistics, before.statistics)

    def test_order_of_texts_with_prompts_does_not_matter(self):
        rng = np.random.default_rng(1)
        samples = [rng.integers(3, size=(n, 2)).astype(float) for n in (80, 70)]
        groups = [rng.integers(40, size=n) for n in (80, 70)]
        before = run(*samples, groups=np.concatenate(groups))
        orders = [rng.permutation(n) for n in (80, 70)]
        after = run(
            *(rows[order] for rows, order in zip(samples, orders, strict=True)),
            groups=np.concatenate([g[order] for g, order in zip(groups, orders, strict=True)]),
        )
        assert after.p_value == before.p_value
        assert_array_equal(after.statistics, before.statistics)

    @pytest.mark.slow
    @pytest.mark.parametrize(("n", "d"), [(150, 700), (2300, 33)])
    def test_number_of_threads_does_not_matter(self, n, d):
        samples = np.random.default_rng(2).normal(size=(2, n, d)).astype(np.float32)
        on_all = run(*samples, n_permutations=499)
        with threadpool_limits(limits=1):
            on_one = run(*samples, n_permutations=499)
        assert on_all.p_value == on_one.p_value
        assert on_all.statistics.tobytes() == on_one.statistics.tobytes()

    def test_features_of_any_type_and_layout(self, tmp_path):
        rng = np.random.default_rng(3)
        first, second = rng.normal(size=(2, 70, 4)).astype(np.float32)
        np.save(tmp_path / "first.npy", first)
        mapped = np.load(tmp_path / "first.npy", mmap_mode="r")
        expected = run(first, second).statistics
        assert_array_equal(run(mapped, np.asfortranarray(second)).statistics, expected)
        assert_array_equal(run(first.astype(float), second).statistics, expected)


class TestOddFeatures:
    """No warning, no NaN, and no difference where there is none."""

    @staticmethod
    def check(first, second, **options):
        result = run(first, second, **options)
        assert np.isfinite(result.statistics).all()
        assert result.p_value > 0.01
        return result

    @pytest.mark.parametrize("scale", [1e-30, 1e18, 1e37])
    def test_huge_and_tiny_values(self, scale):
        samples = np.random.default_rng(0).normal(size=(2, 80, 4))
        hashes = np.split(np.arange(160, dtype=np.uint64), 2)
        plain, scaled = (
            two_sample_test(PooledFeatures([*rows], hashes), 99, 0)
            for rows in (samples, samples * scale)
        )
        # Texts near a limit of buckets may be in another one.
        assert_allclose(scaled.statistics, plain.statistics, atol=0.02)
        assert scaled.p_value == pytest.approx(plain.p_value, abs=0.02)

    @pytest.mark.parametrize("constant", [0.0, 1.0, -1e18])
    def test_constant_features(self, constant):
        samples = np.random.default_rng(1).normal(size=(2, 80, 4))
        samples[:, :, 2] = constant
        self.check(*samples)

    def test_features_that_all_are_constant(self):
        assert self.check(*np.ones((2, 50, 3))).p_value == 1

    def test_zeros(self):
        samples = np.random.default_rng(2).normal(size=(2, 80, 4))
        samples[:, ::3] = 0
        self.check(*samples)

    def test_one_text_far_away(self):
        samples = np.random.default_rng(3).normal(size=(2, 80, 4))
        samples[0, 0] = 1e18
        self.check(*samples)

    @pytest.mark.parametrize("shift", [0, 50])
    def test_one_feature(self, shift):
        """A positive number has no direction: all texts of unit length are the same."""
        samples = np.random.default_rng(4).normal(size=(2, 80, 1)) + shift
        self.check(*samples)
        assert run(samples[0], samples[1] + 1).p_value == 0.01

    def test_different_texts_of_few_places(self):
        """An embedder may put most texts in one place: half of all distances are zero."""
        rng = np.random.default_rng(5)
        samples = [np.eye(3)[(rng.random(80) < 0.1).astype(int)] for _ in range(2)]
        hashes = np.split(np.arange(160, dtype=np.uint64), 2)
        result = two_sample_test(PooledFeatures(samples, hashes), 99, 0)
        assert np.isfinite(result.statistics).all()
        assert result.p_value > 0.01

    def test_more_features_than_texts(self):
        self.check(*np.random.default_rng(6).normal(size=(2, 30, 300)))

    @pytest.mark.slow
    @pytest.mark.parametrize("d", [1, 2])
    def test_many_texts_of_few_features(self, d):
        """Smooth kernels of few features have many small eigenvalues, which rounding hides."""
        self.check(*np.random.default_rng(7).normal(size=(2, 60_000, d)), n_permutations=39)
