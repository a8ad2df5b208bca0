import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from measured_samples import make_sample

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups, deal_prompts
from mauve.measures.mmd import MMD, cubic, estimate_mmd, median_distance, rbf, squared_mmd
from mauve.measures.protocol import MeasuredSample


def by_loops(system, human, kernel):
    """The definition, pair by pair."""
    n, m = len(system), len(human)

    def within(rows):
        return sum(kernel(a, b) for i, a in enumerate(rows) for b in np.delete(rows, i, 0))

    value = within(system) / n / (n - 1) + within(human) / (m * (m - 1))
    return value - 2 * sum(kernel(a, b) for a in system for b in human) / (n * m)


def two_samples():
    squares = np.arange(120.0) ** 2
    return np.sin(squares).reshape(30, 4), np.cos(squares).reshape(30, 4) * 1.5 + 0.25


def test_equals_torch_fidelity():
    # mmd2 of torch-fidelity 0.4.0 with kernel_poly (degree 3, gamma 1/d, coef0 1) and with
    # kernel_rbf, sigma the median of SciPy's pdist of the human sample; "unbiased".
    system, human = two_samples()
    assert squared_mmd(system, human, "cubic") == pytest.approx(0.6982293367227768, rel=1e-10)
    assert squared_mmd(system, human) == pytest.approx(0.03600913491756619, rel=1e-10)


def test_equals_the_definition():
    system, human = (sample[:7] for sample in two_samples())
    system = system[:5]
    width = np.median(scipy.spatial.distance.pdist(human))
    gaussian = by_loops(system, human, lambda a, b: np.exp(-((a - b) ** 2).sum() / (2 * width**2)))
    polynomial = by_loops(system, human, lambda a, b: (a @ b / 4 + 1) ** 3)
    assert squared_mmd(system, human) == pytest.approx(gaussian)
    assert squared_mmd(system, human, "cubic") == pytest.approx(polynomial)


@pytest.mark.parametrize("kernel", ["rbf", "cubic"])
def test_of_a_sample_to_itself(kernel):
    # The pairs of a text with its copy are counted between samples and not within them:
    # MMD² = 2 (mean off the diagonal - mean of all) = -2/n (mean on it - mean off it).
    human = two_samples()[1]
    function = rbf(median_distance(human)) if kernel == "rbf" else cubic
    values = function(human, human)
    on, off = values.trace() / 30, (values.sum() - values.trace()) / (30 * 29)
    assert squared_mmd(human, human, kernel) == pytest.approx(-2 / 30 * (on - off))


def test_of_two_gaussians():
    # For N(0, I), N(a, I) in d dimensions and a kernel of width w, E k(x, y) is
    # (w² / (w² + 2))^(d/2) exp(-|a|² / (2 (w² + 2))), E k(x, x') the same with a = 0. Distances
    # of two texts have a median of sqrt(2 χ²_d(1/2)). The standard deviation is 0.0038
    # at n = 2000 (measured), so 0.019 is 5 of them: false alarms below 1e-6. Guards against a
    # lost term or factor; the expected value is 0.068.
    rng = np.random.default_rng(0)
    d, n = 5, 2000
    shift = np.full(d, 0.5)
    system, human = rng.normal(size=(n, d)) + shift, rng.normal(size=(n, d))
    square = 2 * scipy.stats.chi2.ppf(0.5, d)
    same = (square / (square + 2)) ** (d / 2)
    expected = 2 * same * (1 - np.exp(-shift @ shift / (2 * (square + 2))))
    estimate = MMD.estimate(make_sample(system), make_sample(human))
    assert estimate.standard_error == pytest.approx(0.0038, rel=0.5)
    assert estimate.value == pytest.approx(expected, abs=0.019)


def test_is_zero_on_average_at_equal_distributions():
    # 300 values with a standard deviation s: their mean is beyond 4.5 s / sqrt(300) with
    # probability 7e-6. Guards against the diagonal, which would add 2 (1 - 0.6) / 60.
    rng = np.random.default_rng(1)
    for kernel, diagonal in (("rbf", 0.8 / 60), ("cubic", 0.1)):
        values = [
            squared_mmd(rng.normal(size=(60, 4)), rng.normal(size=(60, 4)), kernel)
            for _ in range(300)
        ]
        reach = 4.5 * np.std(values) / np.sqrt(300)
        assert min(values) < 0
        assert abs(np.mean(values)) < reach < diagonal / 2


def test_grows_with_the_shift():
    human = two_samples()[1]
    for kernel in ("rbf", "cubic"):
        values = [squared_mmd(human + shift, human, kernel) for shift in (0, 0.3, 1, 3)]
        assert values == sorted(values)


def test_sees_more_than_two_moments():
    # Signs have the mean and the variance of a normal variable, but not its distribution.
    rng = np.random.default_rng(2)
    system, human = rng.choice([-1.0, 1.0], size=(400, 1)), rng.normal(size=(400, 1))
    estimate = MMD.estimate(make_sample(system), make_sample(human))
    assert estimate.value > 5 * estimate.standard_error


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(1e-3, 1e3))
def test_does_not_depend_on_shift_rotation_scale_and_order(seed, d, scale):
    rng = np.random.default_rng(seed)
    system, human = rng.normal(size=(12, d)) + 0.5, rng.normal(size=(15, d))
    turn, shift = np.linalg.qr(rng.normal(size=(d, d)))[0], 100 * rng.normal(size=d)
    transformed = [(scale * features @ turn + shift)[::-1] for features in (system, human)]
    assert squared_mmd(*transformed) == pytest.approx(squared_mmd(system, human), abs=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "cubic"])
def test_is_symmetric_where_the_kernel_is_the_same(kernel):
    # The width is that of the human texts: a mirror image of them has the same.
    human = two_samples()[1]
    system = -human
    assert squared_mmd(system, human, kernel) == pytest.approx(squared_mmd(human, system, kernel))


def test_chunks_do_not_matter():
    samples = [make_sample(features) for features in two_samples()]
    whole, chunks = MMD.estimate(*samples), estimate_mmd(*samples, chunk_size=7)
    assert chunks.value == pytest.approx(whole.value)
    np.testing.assert_allclose(chunks.influences, whole.influences, atol=1e-12)


@pytest.mark.slow
def test_median_of_many_texts():
    # Taken of 1000 texts out of 3000: within 2% of that of all, whatever their order.
    rng = np.random.default_rng(3)
    features = rng.normal(size=(3000, 3)) ** 3
    median = median_distance(features)
    everything = np.median(scipy.spatial.distance.pdist(features))
    assert median == pytest.approx(everything, rel=0.02)
    assert median_distance(rng.permutation(features)) == pytest.approx(median, rel=1e-12)


@pytest.mark.slow
def test_influences_are_those_of_the_jackknife():
    # The kernel stays, so each value without a group is computed with the width of all.
    rng = np.random.default_rng(4)
    system, human = rng.normal(size=(40, 3)) + 0.5, rng.normal(size=(33, 3))
    samples = make_sample(system, n_groups=8), make_sample(human, n_groups=8, name="human")
    estimate = MMD.estimate(*samples)
    kernel = rbf(median_distance(human))

    def distance(first, second):
        return by_loops(first, second, lambda a, b: kernel(a[None], b[None])[0, 0])

    def influences(sample, without):
        values = np.array([without(sample.features[sample.groups.labels != g]) for g in range(8)])
        return -np.sqrt(7 / 8) * (values - values.mean())

    np.testing.assert_allclose(estimate.value, distance(system, human))
    np.testing.assert_allclose(
        estimate.influences, influences(samples[0], lambda x: distance(x, human))
    )
    np.testing.assert_allclose(
        estimate.human_influences, influences(samples[1], lambda y: distance(system, y))
    )


@pytest.mark.slow
@pytest.mark.parametrize(("shift", "least"), [(0.0, 0.93), (0.4, 0.88)])
def test_intervals_cover_the_truth(shift, least):
    # 200 intervals of 95%: fewer than 88% hold the truth with probability 3e-5. At P = Q they
    # are too wide by sqrt 2 and hold it in 97.8% (400 samples in scratch): fewer than 93% with
    # probability 3e-4. Guards against an error that is off by a factor, and the degenerate case.
    rng = np.random.default_rng(5)
    square = 2 * scipy.stats.chi2.ppf(0.5, 3)
    same = (square / (square + 2)) ** 1.5
    truth = 2 * same * (1 - np.exp(-3 * shift**2 / (2 * (square + 2))))
    hits = 0
    for _ in range(200):
        system, human = rng.normal(size=(120, 3)) + shift, rng.normal(size=(120, 3))
        low, high = MMD.estimate(make_sample(system), make_sample(human)).interval(0.95)
        hits += low <= truth <= high
    assert hits >= least * 200


def answers(rng, shift=0.0, repeats=1):
    """Two samples that answer the same 60 prompts, which decide most of the features."""
    prompts = np.repeat(rng.normal(size=(60, 4)), repeats, axis=0)
    keys = np.repeat(np.arange(60, dtype=np.uint64), repeats)
    arrays = [prompts + 0.5 * rng.normal(size=prompts.shape) + offset for offset in (shift, 0)]
    groups = deal_prompts([keys, keys])
    return [
        MeasuredSample(name, group, features=features)
        for name, group, features in zip(("model", "human"), groups, arrays, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("repeats", [1, 3])
def test_shared_prompts_do_not_bias_it(repeats):
    # 200 values: their mean is beyond 4.5 standard errors with probability 7e-6. Over all
    # pairs it is 5 to 6 standard deviations, some 70 standard errors, too low.
    rng = np.random.default_rng(6)
    pairs = [answers(rng, repeats=repeats) for _ in range(200)]
    estimates = [MMD.estimate(*pair) for pair in pairs]
    values = np.array([e.value for e in estimates])
    assert abs(values.mean()) < 4.5 * values.std() / np.sqrt(200)
    over_all_pairs = [squared_mmd(system.features, human.features) for system, human in pairs]
    assert np.mean(over_all_pairs) < -4 * values.std()
    # The jackknife errs towards large values, by less than a factor of 2.
    ratio = np.mean([e.standard_error for e in estimates]) / values.std()
    assert 1 < ratio < 2


def test_value_over_pairs_of_different_prompts():
    system, human = answers(np.random.default_rng(7), shift=0.3, repeats=2)
    kernel = rbf(median_distance(human.features))

    def mean(first, second):
        apart = first.groups.labels[:, None] != second.groups.labels
        return kernel(first.features, second.features)[apart].mean()

    expected = mean(system, system) + mean(human, human) - 2 * mean(system, human)
    assert MMD.estimate(system, human).value == pytest.approx(expected)


def test_features_that_do_not_differ_are_an_error():
    same = np.ones((20, 3))
    with pytest.raises(InvalidParameterError, match="half of the pairs of 'people' instead"):
        MMD.estimate(make_sample(np.eye(20, 3)), make_sample(same, name="people"))


def test_too_few_prompts_are_an_error():
    rng = np.random.default_rng(8)
    groups = Groups(np.arange(10) % 2, 2, by_prompt=True)
    samples = [
        MeasuredSample(name, groups, features=rng.normal(size=(10, 2)))
        for name in ("model", "human")
    ]
    with pytest.raises(InvalidParameterError, match=r"'model' must answer at least 3\. Got 2"):
        MMD.estimate(*samples)


def test_wrong_parameters_are_errors():
    with pytest.raises(InvalidParameterError, match=r"'kernel' parameter .* Got 'linear' instead"):
        squared_mmd(np.eye(3), np.eye(3), "linear")
    with pytest.raises(InvalidParameterError, match=r"'system' parameter .* Got \(1, 3\) instead"):
        squared_mmd(np.ones((1, 3)), np.eye(3))
