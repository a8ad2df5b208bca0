import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_samples import make_sample

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups, deal_texts, jackknife_influences
from mauve.measures.protocol import MeasuredSample
from mauve.measures.vendi import VENDI, vendi_score


def test_equals_vendi_score():
    # score_dual of vendi-score 0.0.3 on the same array.
    features = np.sin(np.arange(120.0) ** 2).reshape(30, 4)
    assert vendi_score(features) == pytest.approx(3.8904625010451386, rel=1e-12)


def test_both_matrices_give_the_same():
    # Columns of zeros change no cosine, but make d larger than n.
    features = np.random.default_rng(0).normal(size=(30, 8)) + 0.5
    wide = np.hstack([features, np.zeros((30, 40))])
    first, second = (
        VENDI.estimate(make_sample(sample), make_sample(sample)) for sample in (features, wide)
    )
    assert second.value == pytest.approx(first.value, rel=1e-12)
    np.testing.assert_allclose(second.influences, first.influences, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 7])
def test_counts_kinds_of_equal_share(k):
    # k orthogonal directions, each as often: eigenvalues are 1/k, k times.
    features = np.repeat(np.eye(7)[:k], 12, axis=0)
    assert vendi_score(features) == pytest.approx(k)
    assert vendi_score(features) >= 1


def test_of_kinds_of_unequal_share():
    # Shares of 1/2, 1/4, 1/4 have an entropy of 1.5 bits.
    features = np.eye(5)[[0, 0, 1, 2]]
    assert vendi_score(features) == pytest.approx(2**1.5)


def test_of_two_texts_at_an_angle():
    # The kernel [[1, c], [c, 1]] / 2 has the eigenvalues (1 ± c) / 2.
    c = 0.6
    shares = np.array([(1 + c) / 2, (1 - c) / 2])
    score = vendi_score(np.array([[1.0, 0.0], [c, 0.8]]))
    assert score == pytest.approx(np.exp(-shares @ np.log(shares)))


def test_of_directions_without_preference():
    # E x xᵀ = I/d, so all eigenvalues are 1/d, and the score of n texts falls short of d by
    # about 0.0045 here, with a standard deviation of 0.0008 (both measured): 0.01 is 7 of these
    # further, false alarms below 1e-6.
    d = 10
    score = vendi_score(np.random.default_rng(1).normal(size=(10_000, d)))
    assert d - 0.01 < score < d


def test_grows_with_the_spread():
    rng = np.random.default_rng(2)
    noise, middle = rng.normal(size=(200, 12)), np.ones(12)
    values = [vendi_score(middle + spread * noise) for spread in (0, 0.1, 0.5, 1, 5)]
    assert values[0] == pytest.approx(1)
    assert values == sorted(values)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 20), st.integers(1, 20))
def test_bounds_and_invariance(seed, n, d):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d))
    value = vendi_score(features)
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    lengths = rng.uniform(1e-3, 1e3, size=(n, 1))
    assert 1 <= value <= min(n, d) * (1 + 1e-12)
    assert vendi_score((lengths * features @ turn)[::-1]) == pytest.approx(value)
    assert vendi_score(np.repeat(features, 3, axis=0)) == pytest.approx(value)


def test_very_large_and_small_features():
    features = np.eye(3)[[0, 1, 2, 2]]
    value = vendi_score(features)
    for scale in (1e-300, 1e300):
        assert vendi_score(features * scale) == pytest.approx(value)


@pytest.mark.parametrize("shape", [(40, 4), (30, 60)])
def test_influences_are_those_of_the_jackknife(shape):
    # Against the score computed again without each group.
    features = np.random.default_rng(3).normal(size=shape) + 0.3
    sample = make_sample(features, n_groups=8)
    without = np.array([vendi_score(features[sample.groups.labels != group]) for group in range(8)])
    estimate = VENDI.estimate(sample, sample)
    assert estimate.value == pytest.approx(vendi_score(features))
    np.testing.assert_allclose(
        estimate.influences, jackknife_influences(without, sample.groups.sizes)
    )


def test_group_without_texts_has_no_influence():
    features = np.random.default_rng(6).normal(size=(10, 3))
    groups = Groups(np.arange(10) % 4, 6, by_prompt=True)
    sample = MeasuredSample("model", groups, features=features)
    assert VENDI.estimate(sample, sample).influences[4:].tolist() == [0, 0]


@pytest.mark.slow
def test_error_where_texts_are_fewer_than_dimensions():
    # 200 samples: a standard deviation is off by 5%, so that 0.8 and 1.25 are 4 standard
    # errors, false alarms 6e-5. Guards against the influence function, which gives 0.70 here.
    rng = np.random.default_rng(7)
    estimates = []
    for _ in range(200):
        sample = make_sample(rng.normal(size=(30, 60)) * np.geomspace(1, 0.2, 60) + 0.3)
        estimates.append(VENDI.estimate(sample, sample))
    ratio = np.mean([e.standard_error for e in estimates]) / np.std([e.value for e in estimates])
    assert 0.8 < ratio < 1.25


@pytest.mark.slow
def test_intervals_cover_the_truth():
    # Unit vectors e_1 with probability 1/2, e_2 and e_3 with 1/4: the score is 2^1.5. Of 300
    # intervals of 95%, fewer than 270 hold it with probability 2e-4. Guards against a standard
    # error that is off by a factor. The bias, about -2^1.5 · 2/(2 · 400) = -0.007, is small beside
    # the standard error, 0.05.
    rng = np.random.default_rng(4)
    hits = 0
    for _ in range(300):
        features = np.eye(3)[rng.choice(3, size=400, p=[0.5, 0.25, 0.25])]
        sample = make_sample(features)
        low, high = VENDI.estimate(sample, sample).interval(0.95, low=VENDI.low)
        hits += low <= 2**1.5 <= high
    assert hits >= 270


def test_order_of_texts_does_not_matter():
    rng = np.random.default_rng(5)
    features, keys = rng.normal(size=(100, 6)), rng.permutation(100).astype(np.uint64)
    order = rng.permutation(100)
    ahead = MeasuredSample("a", deal_texts(keys), features=features)
    shuffled = MeasuredSample("a", deal_texts(keys[order]), features=features[order])
    first, second = VENDI.estimate(ahead, ahead), VENDI.estimate(shuffled, shuffled)
    assert second.value == pytest.approx(first.value)
    assert second.standard_error == pytest.approx(first.standard_error)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_takes_numbers_of_any_kind(dtype):
    features = np.arange(1, 61).reshape(20, 3) % 7 + 1
    score = vendi_score(features.astype(dtype))
    assert score == pytest.approx(vendi_score(features.astype(float)), rel=1e-12)


def test_row_of_zeros_is_an_error():
    features = np.ones((12, 3))
    features[4] = 0
    with pytest.raises(InvalidParameterError, match="zeros for text 4 of 'model' instead"):
        VENDI.estimate(make_sample(features), make_sample(features))
