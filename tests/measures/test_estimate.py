"""Groups, jackknife, influences, intervals."""

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import (
    Estimate,
    Groups,
    deal_prompts,
    deal_texts,
    group_influences,
    jackknife_influences,
    ratio,
)

_KEYS = arrays(np.uint64, st.integers(1, 200), elements=st.integers(0, 2**64 - 1))


@given(_KEYS, st.integers(1, 60))
def test_groups_are_of_equal_size(keys, n_groups):
    groups = deal_texts(keys, n_groups)
    assert groups.count == min(n_groups, len(keys))
    assert groups.sizes.max() - groups.sizes.min() <= 1


@pytest.mark.slow
@given(arrays(np.uint64, 40, elements=st.integers(0, 2**64 - 1), unique=True), st.randoms())
def test_groups_follow_the_text_and_not_its_place(keys, random):
    order = np.array(random.sample(range(40), 40))
    assert (deal_texts(keys[order], 7).labels == deal_texts(keys, 7).labels[order]).all()


def test_copies_of_a_text_are_dealt_over_the_groups_at_random():
    """Dealt in turn, 150 copies among 500 texts made the standard error a quarter of the truth.

    Random groups have a variance whose s.d. is a fifth of it; 0.6 is three times that off.
    """
    keys = np.r_[np.zeros(150), np.arange(1, 351)].astype(np.uint64)
    groups = deal_texts(keys)
    assert groups.sizes.tolist() == [10] * 50
    estimate = ratio((keys == 0).astype(float), np.ones(500), groups)
    assert estimate.standard_error == pytest.approx(np.sqrt(0.3 * 0.7 / 500), rel=0.35)


def test_texts_of_one_prompt_are_in_one_group_of_every_sample():
    rng = np.random.default_rng(0)
    prompts = rng.integers(0, 2**63, size=30, dtype=np.uint64)
    samples = [rng.choice(prompts, size=n) for n in (50, 80)]
    first, second = deal_prompts(samples, 8)
    group = dict(zip(samples[0].tolist(), first.labels.tolist(), strict=True))
    shared = [i for i, key in enumerate(samples[1].tolist()) if key in group]
    assert shared
    assert all(second.labels[i] == group[samples[1][i]] for i in shared)
    assert first.count == second.count == 8
    assert first.by_prompt


def test_jackknife_and_influences_agree_for_a_mean():
    rng = np.random.default_rng(1)
    x = rng.normal(size=500)
    groups = deal_texts(rng.integers(0, 2**63, size=500, dtype=np.uint64))
    sizes, sums = groups.sizes, groups.sums(x)
    without = (x.sum() - sums) / (500 - sizes)
    by_jackknife = jackknife_influences(without, sizes)
    by_influence = group_influences(x, groups)
    np.testing.assert_allclose(
        np.square(by_jackknife).sum(), np.square(by_influence).sum(), rtol=1e-6
    )
    # The same sign, so that differences of samples can be paired group by group.
    np.testing.assert_allclose(by_jackknife, by_influence, atol=1e-9)


def test_the_standard_error_is_right_for_a_mean():
    """Over 400 samples the mean of the variances is within 4 of its own errors of the truth.

    A wrong factor (such as G - 1 for G) is 2% off, which 400 samples of 50 groups cannot see;
    this guards against a lost square root or n. It fails by chance once in 15,000.
    """
    rng = np.random.default_rng(2)
    variances = []
    for _ in range(400):
        groups = deal_texts(rng.integers(0, 2**63, size=300, dtype=np.uint64))
        x = rng.normal(size=300)
        variances.append(ratio(x, np.ones(300), groups).standard_error ** 2)
    mean, error = np.mean(variances), np.std(variances) / np.sqrt(400)
    assert abs(mean - 1 / 300) < 4 * error


def test_a_group_without_texts_has_no_influence():
    influences = jackknife_influences(np.array([1.0, 2.0, 5.0]), np.array([3, 3, 0]))
    assert influences[2] == 0
    assert influences[0] == -influences[1]


@pytest.mark.parametrize("count", [0, 1])
def test_one_group_has_no_spread(count):
    assert jackknife_influences(np.full(count, 0.5)).tolist() == [0.0] * count
    if count:
        assert group_influences(np.ones(3), Groups(np.zeros(3, dtype=np.intp), 1)).tolist() == [0.0]


def test_pairs_of_prompts_cancel_in_a_gap():
    rng = np.random.default_rng(3)
    easy = rng.normal(size=200)  # what both answers to a prompt have in common
    prompts = rng.integers(0, 2**63, size=200, dtype=np.uint64)
    human, model = deal_prompts([prompts, prompts])
    reference = ratio(easy + 0.1 * rng.normal(size=200), np.ones(200), human)
    system = ratio(easy + 0.1 * rng.normal(size=200), np.ones(200), model)
    gap = system.gap_to(reference)
    assert gap.by_prompt
    assert gap.standard_error < 0.2 * system.standard_error
    unpaired = Estimate(system.value, system.influences).gap_to(
        Estimate(reference.value, reference.influences)
    )
    assert unpaired.standard_error > system.standard_error


def test_groups_of_prompts_do_not_depend_on_other_systems():
    rng = np.random.default_rng(5)
    keys = [rng.integers(0, 2**63, size=n, dtype=np.uint64) for n in (80, 40, 40)]
    keys[1][:20] = keys[0][:20]
    alone = deal_prompts(keys[:2])
    beside = deal_prompts(keys)
    for first, second in zip(alone, beside, strict=False):
        assert (first.labels == second.labels).all()


def test_unequal_groups_have_the_right_standard_error():
    """One prompt with 400 texts and twenty with 10: the mean variance of 2,000 samples.

    It was half of the truth by the plain jackknife, and a tenth by plain influences. The mean
    has an error of 3%, so this fails by chance hardly ever.
    """
    rng = np.random.default_rng(6)
    sizes = np.r_[400, np.full(20, 10)]
    labels = np.repeat(np.arange(21), sizes)
    means, by_influence, by_jackknife = [], [], []
    groups = Groups(labels, 21, by_prompt=True)
    for _ in range(2000):
        x = rng.normal(size=21)[labels] + 0.1 * rng.normal(size=600)
        sums = groups.sums(x)
        means.append(x.mean())
        by_influence.append(np.square(group_influences(x, groups)).sum())
        by_jackknife.append(
            np.square(jackknife_influences((x.sum() - sums) / (600 - sizes), sizes)).sum()
        )
    assert np.mean(by_influence) == pytest.approx(np.mean(by_jackknife), rel=1e-6)
    assert np.mean(by_influence) == pytest.approx(np.var(means), rel=0.25)


def test_few_used_groups_have_few_degrees_of_freedom():
    estimate = Estimate(0.0, np.r_[0.1, -0.1, np.zeros(48)])
    narrow, wide = estimate.interval(0.95)[1], estimate.interval(0.95, n_groups=2)[1]
    assert wide / narrow == pytest.approx(12.706 / 2.0096, rel=1e-3)  # t of 1 and of 49


def test_none_of_few_prompts_is_not_none_of_many_texts():
    prompts = np.repeat(np.arange(20, dtype=np.uint64), 100)
    (groups,) = deal_prompts([prompts])
    estimate = ratio(np.zeros(2000), np.ones(2000), groups)
    assert estimate.interval(0.95, n=groups.n_independent)[1] > 0.1


def test_interval_is_that_of_student():
    influences = np.full(10, 0.1)
    estimate = Estimate(1.0, influences)
    reach = scipy.stats.t.ppf(0.975, 9) * np.sqrt(0.1)
    assert estimate.interval(0.95) == pytest.approx((1 - reach, 1 + reach))
    assert estimate.interval(0.95, low=0.9, high=1.1) == (0.9, 1.1)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_the_interval_of_none_or_all_is_not_empty(share):
    low, high = Estimate(share, np.zeros(50)).interval(0.95, n=1000)
    assert 0 <= low < high <= 1
    assert high - low == pytest.approx(0.004, abs=0.0005)  # about t^2 / n


def test_wilson_interval_is_the_textbooks():
    """Wilson's interval of 20 of 100 at 95% is 0.1334 to 0.2888 (with the normal quantile)."""
    x = np.r_[np.ones(20), np.zeros(80)]
    groups = Groups(np.arange(100), 100)
    low, high = ratio(x, np.ones(100), groups).interval(0.95, n=100)
    # Student's quantile with 99 degrees of freedom is 1.2% wider, and so is the interval.
    assert (low, high) == pytest.approx((0.1334, 0.2888), abs=0.002)


def test_repeated_texts_of_a_prompt_widen_the_interval_of_a_share():
    rng = np.random.default_rng(4)
    prompts = np.repeat(rng.integers(0, 2**63, size=60, dtype=np.uint64), 10)
    x = np.repeat(rng.random(60) < 0.3, 10).astype(float)
    (by_prompt,) = deal_prompts([prompts])
    wide = ratio(x, np.ones(600), by_prompt).interval(0.95, n=600)
    narrow = ratio(x, np.ones(600), deal_texts(np.arange(600, dtype=np.uint64))).interval(
        0.95, n=600
    )
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])


def test_a_mean_over_no_tokens_is_an_error():
    with pytest.raises(InvalidParameterError, match="at least one token"):
        ratio(np.zeros(3), np.zeros(3), Groups(np.arange(3), 3))


def test_a_share_of_all_with_an_error_has_an_interval():
    """The error of the human sample may be positive even if every text is covered."""
    estimate = Estimate(1.0, np.zeros(50), np.full(50, 0.001))
    low, high = estimate.interval(0.95, n=200)
    assert 0.95 < low < high <= 1
    wider, _ = Estimate(1.0, np.zeros(50), n_texts=50).interval(0.95, n=200)
    assert wider < low
