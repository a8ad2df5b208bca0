import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups, deal_prompts, deal_texts
from mauve.measures.frechet import FRECHET, FRECHET_UNBIASED, extrapolate, frechet_distance
from mauve.measures.protocol import MeasuredSample


def make_sample(features, *, n_groups=None, name="model"):
    n = len(features)
    keys = np.random.default_rng(n).permutation(n).astype(np.uint64)
    return MeasuredSample(
        name, deal_texts(keys, n if n_groups is None else n_groups), features=features
    )


def correlated(rng, n, d):
    """Samples of one Gaussian with eigenvalues from 1 down to 0.01."""
    return rng.normal(size=(n, d)) * np.geomspace(1, 0.1, d) @ rotation(np.random.default_rng(7), d)


def rotation(rng, d):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def by_eigenvalues(first, second):
    """The formula as it stands, through the eigenvalues of the product of both covariances."""
    covariances = [np.cov(features, rowvar=False) for features in (first, second)]
    values = np.linalg.eigvals(covariances[0] @ covariances[1]).astype(complex)
    shift = first.mean(axis=0) - second.mean(axis=0)
    return shift @ shift + sum(map(np.trace, covariances)) - 2 * np.sqrt(values).real.sum()


def test_equals_torch_fidelity():
    # fid_statistics_to_metric of torch-fidelity 0.4.0, with np.cov, on the same arrays.
    squares = np.arange(120.0) ** 2
    system, human = np.sin(squares).reshape(30, 4), np.cos(squares).reshape(30, 4) * 1.5 + 0.25
    assert frechet_distance(system, human) == pytest.approx(1.214395109876632, rel=1e-10)


def test_of_a_sample_to_itself_is_zero():
    features = correlated(np.random.default_rng(0), 200, 20) * 1e3
    assert 0 <= frechet_distance(features, features) < 1e-20
    assert 0 <= frechet_distance(features[:10], features[:10]) < 1e-8  # n < d
    estimate = FRECHET.estimate(make_sample(features), make_sample(features))
    assert estimate.standard_error < 1e-6


def test_of_shifted_and_scaled_copies():
    # Of X and c X + a, covariances S and c² S commute: F = |(c - 1) μ + a|² + (c - 1)² tr S.
    rng = np.random.default_rng(1)
    human = correlated(rng, 100, 6) + 2
    shift = rng.normal(size=6)
    for scale in (0.0, 0.5, 1.0, 3.0):
        difference = (scale - 1) * human.mean(axis=0) + shift
        expected = difference @ difference + (scale - 1) ** 2 * human.var(axis=0, ddof=1).sum()
        assert frechet_distance(scale * human + shift, human) == pytest.approx(expected, rel=1e-10)


def test_of_two_gaussians():
    # For N(0, I) and N(a, c² I), F = |a|² + d (c - 1)², here 0.7 + 0.5. At n = 20000 the bias
    # is below 0.001 and the standard error 0.024 (measured), of which 0.12 is 5: false alarms
    # below 1e-6. Guards against a lost factor of 2 or a forgotten square root.
    rng = np.random.default_rng(2)
    d, n = 2, 20_000
    human = rng.normal(size=(n, d))
    system = 1.5 * rng.normal(size=(n, d)) + np.sqrt(0.35)
    assert frechet_distance(system, human) == pytest.approx(0.7 + 0.5, abs=0.12)


@pytest.mark.parametrize(("n", "m", "d"), [(50, 80, 5), (8, 40, 20), (40, 8, 20), (6, 9, 30)])
def test_equals_the_formula_at_any_shape(n, m, d):
    rng = np.random.default_rng(3)
    system, human = correlated(rng, n, d) + 0.5, correlated(rng, m, d) * 2
    assert frechet_distance(system, human) == pytest.approx(by_eigenvalues(system, human), rel=1e-5)


def test_needs_no_full_rank():
    rng = np.random.default_rng(4)
    system, human = correlated(rng, 60, 5), correlated(rng, 60, 5) + 0.3
    value = frechet_distance(system, human)
    constant = [np.column_stack([features, np.full(60, 7.0)]) for features in (system, human)]
    twice = [np.hstack([features, features]) for features in (system, human)]
    assert frechet_distance(*constant) == pytest.approx(value, rel=1e-12)
    assert frechet_distance(*twice) == pytest.approx(2 * value, rel=1e-10)
    for first, second in (constant, twice):
        estimate = FRECHET.estimate(make_sample(first), make_sample(second))
        assert np.isfinite(estimate.standard_error)


def test_of_constant_features_is_that_of_the_means():
    assert frechet_distance(np.full((10, 3), 2.0), np.zeros((12, 3))) == pytest.approx(12)


def test_grows_with_the_shift_and_the_scale():
    human = correlated(np.random.default_rng(5), 100, 8)
    shifts = [frechet_distance(human + shift, human) for shift in (0, 0.1, 0.5, 2)]
    scales = [frechet_distance(human * scale, human) for scale in (1, 1.1, 2, 5)]
    assert shifts == sorted(shifts)
    assert scales == sorted(scales)


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 30),
    st.integers(2, 30),
    st.integers(1, 12),
    st.floats(0.01, 100),
)
def test_symmetry_and_invariance(seed, n, m, d, scale):
    rng = np.random.default_rng(seed)
    system, human = rng.normal(size=(n, d)) + 0.5, rng.normal(size=(m, d)) * 2
    value = frechet_distance(system, human)
    turn, shift = rotation(rng, d), rng.normal(size=d)
    assert value >= 0
    assert frechet_distance(human, system) == pytest.approx(value, rel=1e-9)
    assert frechet_distance(system @ turn + shift, human @ turn + shift) == pytest.approx(value)
    assert frechet_distance(scale * system, scale * human) == pytest.approx(scale**2 * value)
    assert frechet_distance(system[::-1], human[::-1]) == pytest.approx(value)


def test_influences_are_those_of_the_jackknife():
    # Against the distance computed again without each text; terms of order 1/n remain.
    rng = np.random.default_rng(6)
    system, human = correlated(rng, 400, 3) * 1.3 + 0.4, correlated(rng, 300, 3)
    estimate = FRECHET.estimate(make_sample(system), make_sample(human))
    for features, influences, distance in (
        (system, estimate.influences, lambda others: frechet_distance(others, human)),
        (human, estimate.human_influences, lambda others: frechet_distance(system, others)),
    ):
        n = len(features)
        without = np.array([distance(np.delete(features, i, axis=0)) for i in range(n)])
        jackknife = -np.sqrt((n - 1) / n) * (without - without.mean())
        labels = make_sample(features).groups.labels
        np.testing.assert_allclose(
            influences[labels], jackknife, atol=0.05 * np.abs(jackknife).max()
        )


@pytest.mark.parametrize(("n", "m", "d"), [(30, 20, 4), (12, 9, 20), (12, 40, 20), (40, 12, 20)])
def test_influences_are_derivatives_at_any_shape(n, m, d):
    # Each text of the first sample in turn weighs a little more or less than the others, and
    # the distance is that of weighted moments, by the formula as it stands.
    rng = np.random.default_rng(14)
    system, human = correlated(rng, n, d) * 1.3 + 0.4, correlated(rng, m, d)
    other = (human - human.mean(axis=0)) / np.sqrt(m - 1)

    def distance(weights):
        weights = weights / weights.sum()
        mean = weights @ system
        centred = np.sqrt(weights * n / (n - 1))[:, None] * (system - mean)
        shift = mean - human.mean(axis=0)
        nuclear = np.linalg.norm(centred @ other.T, "nuc")
        return shift @ shift + (centred**2).sum() + (other**2).sum() - 2 * nuclear

    step = 1e-5 * np.eye(n)
    slopes = np.array([distance(1 + change) - distance(1 - change) for change in step]) / 2e-5
    expected = slopes * np.sqrt(n / (n - 1))  # as group_influences makes the variance that of n - 1
    influences = FRECHET.estimate(make_sample(system), make_sample(human)).influences
    by_text = influences[make_sample(system).groups.labels]
    np.testing.assert_allclose(by_text, expected, atol=1e-6 * np.abs(expected).max())


def test_intervals_cover_the_truth():
    # Of 200 intervals of 95%, fewer than 178 hold the truth with probability 3e-4 (binomial).
    # Guards against a standard error that is off by a factor. In scratch, 400 samples of
    # n = 300: 96.8% here, 96.0% at P = Q.
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(200):
        system, human = rng.normal(size=(200, 4)) + 0.5, rng.normal(size=(200, 4))
        estimate = FRECHET_UNBIASED.estimate(
            make_sample(system, n_groups=50), make_sample(human, n_groups=50)
        )
        low, high = estimate.interval(0.95)
        hits += low <= 1.0 <= high  # 4 · 0.5²
    assert hits >= 178


def test_bias_at_equal_distributions():
    # (d + 5) d / (2 n) = 0.25 for unit Gaussians, d = 10, n = 300. The value has a standard
    # deviation of 0.044 and the extrapolated one of 0.062 (measured), over 100 samples 0.0044
    # and 0.0062: 0.03 is 4.8 of the larger, for false alarms of 2e-6; terms of order 1/n²
    # are below 0.005. Guards the formula of the docstring and what is taken off.
    rng = np.random.default_rng(9)
    plain, unbiased = [], []
    for _ in range(100):
        samples = [make_sample(rng.normal(size=(300, 10)), n_groups=50) for _ in range(2)]
        plain.append(FRECHET.estimate(*samples).value)
        unbiased.append(FRECHET_UNBIASED.estimate(*samples).value)
    assert np.mean(plain) == pytest.approx(0.25, abs=0.03)
    assert np.mean(unbiased) == pytest.approx(0, abs=0.03)
    assert min(unbiased) < 0


def test_unbiased_value_is_the_line_through_halves():
    rng = np.random.default_rng(10)
    system, human = rng.normal(size=(40, 3)), rng.normal(size=(60, 3))
    groups = Groups(np.arange(40) % 10, 10), Groups(np.arange(60) % 10, 10)
    estimate = FRECHET_UNBIASED.estimate(
        MeasuredSample("model", groups[0], features=system),
        MeasuredSample("human", groups[1], features=human),
    )
    halves = [frechet_distance(system[half::2], human[half::2]) for half in range(2)]
    assert estimate.value == pytest.approx(2 * frechet_distance(system, human) - np.mean(halves))


def test_extrapolates_a_line_exactly():
    sizes = np.array([100, 30, 70])
    assert extrapolate(4 + 50 / sizes, 1 / sizes) == pytest.approx(4)


def test_order_of_texts_does_not_matter():
    rng = np.random.default_rng(11)
    system, human = rng.normal(size=(100, 5)) + 0.2, rng.normal(size=(100, 5))
    order = rng.permutation(100)
    keys = rng.permutation(100).astype(np.uint64)
    other = make_sample(human, n_groups=50)
    for measure in (FRECHET, FRECHET_UNBIASED):
        ahead = measure.estimate(MeasuredSample("a", deal_texts(keys), features=system), other)
        shuffled = measure.estimate(
            MeasuredSample("a", deal_texts(keys[order]), features=system[order]), other
        )
        assert shuffled.value == pytest.approx(ahead.value)
        assert shuffled.standard_error == pytest.approx(ahead.standard_error)


def test_shared_prompts_make_the_error_smaller():
    # What both samples have from their prompts cancels: here nine tenths of the variance.
    rng = np.random.default_rng(12)
    prompts = 3 * rng.normal(size=(200, 4))
    system, human = (prompts + rng.normal(size=(200, 4)) + shift for shift in (1, 0))
    keys = np.arange(200, dtype=np.uint64)
    paired = deal_prompts([keys, keys])
    apart = [deal_texts(keys), deal_texts(keys)]
    errors = [
        FRECHET.estimate(
            MeasuredSample("model", groups[0], features=system),
            MeasuredSample("human", groups[1], features=human),
        ).standard_error
        for groups in (paired, apart)
    ]
    assert errors[0] < 0.6 * errors[1]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_takes_numbers_of_any_kind(dtype):
    system = np.arange(40).reshape(20, 2) % 7
    distance = frechet_distance(system.astype(dtype), (system[::-1] * 2).astype(dtype))
    assert distance == pytest.approx(
        frechet_distance(system.astype(float), system[::-1] * 2.0), rel=1e-12
    )


def test_one_text_is_an_error():
    with pytest.raises(InvalidParameterError, match=r"'human' parameter .* Got \(1, 3\) instead"):
        frechet_distance(np.ones((5, 3)), np.ones((1, 3)))


def test_half_without_texts_is_an_error():
    features = np.random.default_rng(13).normal(size=(10, 2))
    groups = Groups(np.zeros(10, dtype=np.intp), 2, by_prompt=True)
    samples = [MeasuredSample(name, groups, features=features) for name in ("model", "human")]
    with pytest.raises(InvalidParameterError, match=r"of 'model' .* Got 0 instead"):
        FRECHET_UNBIASED.estimate(*samples)
