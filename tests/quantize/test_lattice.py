"""The lattice quantizer: its points, its training, settings, seeds and errors."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from clustered_features import clustered
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import mauve
from mauve.errors import ConvergenceError, InvalidParameterError
from mauve.quantize.lattice import Lattice, integral_points, nearest_points

pytest.importorskip("torch")

import torch

from mauve.quantize.lattice_network import nearest_texts

QUICK = Lattice(epochs=4, width=32)

BRUTE_FORCE = [u for u in product(range(-8, 9), repeat=4) if sum(c * c for c in u) == 50]

pytestmark = pytest.mark.usefixtures("one_thread")


def make_features(seed, n=300, d=8):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def fit(features, seed, quantizer=QUICK):
    return quantizer.fit(features, 744, np.random.default_rng(seed))


def nearest_by_hand(direction):
    """All points at the smallest distance, in integers: exact."""
    dots = np.array(BRUTE_FORCE) @ np.array([int(value) for value in direction])
    return np.flatnonzero(dots == dots.max()).tolist()


def test_points_are_those_found_by_brute_force():
    assert len(BRUTE_FORCE) == 744
    assert_array_equal(integral_points(), BRUTE_FORCE)  # both in lexicographic order


def test_points_cannot_be_changed_by_a_caller():
    with pytest.raises(ValueError, match="read-only"):
        integral_points()[0, 0] = 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("length", [1e-3, 1 / 50**0.5, 1.0, 1e3])
def test_every_point_is_its_own_nearest(dtype, length):
    points = (integral_points() * length).astype(dtype)
    assert_array_equal(nearest_points(points), np.arange(744))


@pytest.mark.slow
def test_random_directions_against_distances():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5000, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    distance = np.linalg.norm(x[:, None] - integral_points() / 50**0.5, axis=-1)
    assert_array_equal(nearest_points(x), distance.argmin(axis=1))


def test_axes_and_diagonals():
    corners = np.array(list(product([-1, 0, 1], repeat=4)), dtype=np.float32)
    corners = corners[np.any(corners != 0, axis=1)]
    for corner, label in zip(corners, nearest_points(corners), strict=True):
        assert label == nearest_by_hand(corner)[0]


@given(st.tuples(*[st.integers(-1000, 1000)] * 4))
def test_integer_directions_against_integer_arithmetic(direction):
    """Integers have many ties; the first of the nearest points wins."""
    [label] = nearest_points(np.array([direction], dtype=np.float32))
    assert label == nearest_by_hand(direction)[0]


def test_directions_between_two_points():
    """The sum of two neighbours is equally near to both; a nudge decides."""
    points = integral_points().astype(np.int64)
    rng = np.random.default_rng(1)
    for first in rng.choice(744, 20, replace=False):
        dots = points @ points[first]
        second = int(np.flatnonzero(dots == np.unique(dots)[-2])[0])
        middle = points[first] + points[second]
        tied = nearest_by_hand(middle)
        assert {int(first), second} <= set(tied)
        assert nearest_points(middle[None].astype(np.float32))[0] == tied[0]
        for label in (int(first), second):
            nudged = (middle * 2.0**12 + points[label]).astype(np.float32)
            assert nearest_points(nudged[None])[0] == nearest_by_hand(nudged)[0] == label


def test_many_directions_are_assigned_as_each_alone():
    x = np.random.default_rng(2).normal(size=(2050, 4))
    whole = nearest_points(x)
    assert whole.dtype == np.int32
    assert_array_equal(whole, [nearest_points(row[None])[0] for row in x])


def test_no_directions_have_no_points():
    assert nearest_points(np.empty((0, 4))).shape == (0,)


def test_same_seed_same_buckets():
    features = make_features(0)
    first, again, other = (fit(features, seed).assign(features) for seed in (1, 1, 2))
    assert_array_equal(first, again)
    assert np.any(first != other)


if torch.cuda.is_available():  # not skipped elsewhere: a skip counts as a failure

    def test_a_gpu_replays_the_steps_of_the_cpu():
        """The same batches from the same start; rounding grows with time, so one epoch only."""
        features = make_features(12, n=3000)
        cpu, gpu, again = (
            fit(features, 3, Lattice(device=device, epochs=1)) for device in ("cpu", "cuda", "cuda")
        )
        assert_allclose(gpu.losses, cpu.losses, rtol=0.1)
        assert_array_equal(gpu.assign(features), again.assign(features))


def test_fits_on_several_threads_are_those_of_one():
    features = make_features(1)
    alone = [fit(features, seed).assign(features) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: fit(features, seed).assign(features), range(4)))
    assert_array_equal(together, alone)


def test_global_random_state_is_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    fit(make_features(2), 0)
    assert torch.rand(1) == expected


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_trains_where_the_caller_has_switched_gradients_off(mode):
    features = make_features(2)
    with mode():
        labels = fit(features, 0).assign(features)
    assert_array_equal(labels, fit(features, 0).assign(features))


@pytest.mark.slow
def test_import_does_not_need_torch():
    code = "import sys, mauve.quantize.lattice; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_features_are_not_overwritten():
    features = make_features(3)
    before = features.copy()
    fit(features, 0, Lattice(epochs=1, width=8, patience=1)).assign(features)
    assert_array_equal(features, before)


def test_buckets_are_the_nearest_points_of_unit_vectors():
    features = make_features(4)
    fitted = fit(features, 0)
    spread = fitted.spread(features)
    assert_allclose(np.linalg.norm(spread, axis=1), 1, atol=1e-6)
    labels = fitted.assign(features)
    assert labels.dtype == np.int32
    assert_array_equal(labels, nearest_points(spread))


def test_the_bucket_of_a_text_does_not_depend_on_the_others():
    """Statistics of batch normalisation are fixed once the network is trained."""
    features = make_features(5, n=1500)
    fitted = fit(features, 0)
    whole = fitted.assign(features)
    some = np.random.default_rng(0).permutation(1500)[:200]
    assert np.mean(fitted.assign(features[some]) == whole[some]) > 0.99  # but for rounding


def test_copies_of_texts_share_a_bucket():
    features = np.repeat(make_features(6, n=80), 5, axis=0)
    labels = fit(features, 0).assign(features).reshape(80, 5)
    assert_array_equal(labels, labels[:, :1].repeat(5, axis=1))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mauve.errors.MauveWarning")  # few texts, for speed
def test_works_as_the_quantizer_of_a_comparison():
    rng = np.random.default_rng(7)
    human, same, far = rng.normal(size=(3, 1500, 4))
    systems = {"same": same, "far": far + 2}
    settings = {"num_buckets": 744, "n_clusterings": 5, "n_permutations": 0, "estimator": "plugin"}
    comparison = mauve.compare(human, systems, quantizer=QUICK, **settings)
    assert comparison["same"].mauve > comparison["far"].mauve + 0.2
    assert QUICK.signature in comparison["same"].signature


def test_signatures_differ_where_settings_do():
    variants = [
        Lattice(),
        Lattice(device="cuda:1"),
        Lattice(epochs=100),
        Lattice(batch_size=32),
        Lattice(learning_rate=0.05),
        Lattice(momentum=0.5),
        Lattice(layers=3),
        Lattice(width=512),
        Lattice(uniformity=0.05),
        Lattice(positive_ranks=5),
        Lattice(negative_rank=25),
        Lattice(patience=5),
        Lattice(patience=5, held_out=0.2),
    ]
    signatures = [variant.signature for variant in variants]
    assert len(set(signatures)) == len(variants)
    assert not any("|" in signature for signature in signatures)
    assert Lattice(on_epoch=print).signature == Lattice().signature
    assert Lattice(on_epoch=print) == Lattice()


def test_number_of_buckets():
    assert Lattice().num_buckets == 744
    message = "'num_buckets' parameter of Lattice.fit must be 744 for the lattice.* Got 500 instead"
    with pytest.raises(InvalidParameterError, match=message):
        Lattice().fit(make_features(8), 500, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("features", "settings", "message"),
    [
        (np.ones((300, 4), dtype=np.float32), {}, "at least 64 different texts.* Got 1 instead"),
        (np.empty((0, 4), dtype=np.float32), {}, "at least 64 different texts.* Got 0 instead"),
        (make_features(9, n=63), {}, "at least 64 different texts.* Got 63 instead"),
        (make_features(9, n=49), {"batch_size": 8}, "at least 50 different texts.* Got 49"),
        (make_features(9, n=70), {"patience": 2}, "at least 72 different texts.* Got 70"),
        (np.repeat(make_features(9, n=40), 9, axis=0), {}, "at least 64 .* Got 40 instead"),
    ],
)
def test_too_little_to_learn_from(features, settings, message):
    with pytest.raises(InvalidParameterError, match=message):
        fit(features, 0, Lattice(**settings))


def test_the_smallest_sample():
    features = make_features(10, n=64)
    assert fit(features, 0).assign(features).shape == (64,)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("device", 0),
        ("epochs", 0),
        ("batch_size", 1),
        ("learning_rate", 0.0),
        ("momentum", 1.0),
        ("layers", 1),
        ("width", 2.5),
        ("uniformity", -1.0),
        ("positive_ranks", 0),
        ("negative_rank", 0),
        ("patience", 0),
        ("held_out", 0.9),
    ],
)
def test_settings_are_checked(name, value):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of Lattice must be"):
        Lattice(**{name: value})


def test_a_device_that_is_not_there():
    with pytest.raises(InvalidParameterError, match="'device' parameter of Lattice"):
        fit(make_features(11), 0, Lattice(device="nowhere"))


def test_the_rate_is_cut_at_half_and_at_three_quarters():
    rates = [Lattice(epochs=8).rate_at(epoch) for epoch in range(8)]
    assert_allclose(rates, [0.1] * 4 + [0.05] * 2 + [0.01] * 2)


@pytest.mark.slow
def test_training_spreads_held_out_texts_and_keeps_neighbours():
    """Both held-out losses fall; the texts cover more buckets, evenly, and topics stay together."""
    features, new = clustered(9, 800), clustered(10, 800)
    settings = Lattice(epochs=12, width=64, patience=12)
    start = fit(features, 0, Lattice(epochs=1, width=64, learning_rate=1e-6))
    end = fit(features, 0, settings)
    triplet, koleo = end.held_out_losses.T
    assert end.held_out_losses.shape == (12, 2)
    assert koleo[-1] < koleo[0] - 0.2
    assert triplet[-1] + koleo[-1] < triplet[0] + koleo[0]
    assert bucket_entropy(end, new) > bucket_entropy(start, new) + 0.5
    assert neighbours_kept(end, new) > 5 * 10 / 800  # five times what chance keeps


def bucket_entropy(fitted, features):
    counts = np.bincount(fitted.assign(features), minlength=744)
    share = counts[counts > 0] / counts.sum()
    return -(share * np.log(share)).sum()


def neighbours_kept(fitted, features):
    """Share of the ten nearest texts that are among the ten nearest on the sphere."""
    x, y = torch.from_numpy(features), torch.from_numpy(fitted.spread(features))
    before = nearest_texts(x, x, 10, exclude_self=True)
    after = nearest_texts(y, y, 10, exclude_self=True)
    return (before[:, :, None] == after[:, None]).any(dim=2).float().mean()


def test_early_stopping_keeps_the_best_epoch():
    settings = Lattice(epochs=60, width=32, patience=2, learning_rate=0.5)
    fitted = fit(clustered(11, 300), 1, settings)
    total = fitted.held_out_losses.sum(axis=1)
    assert len(total) == len(fitted.losses) < 60
    assert total.argmin() == len(total) - 3


def test_scale_and_offset_of_the_features_do_not_matter():
    """Batch normalisation undoes both, at any size: its epsilon must not come into it."""
    features = clustered(12, 200)
    settings = Lattice(epochs=1, width=16)
    plain = fit(features, 2, settings).losses
    for scale in (2.0**-60, 2.0**40):
        assert_allclose(fit(features * scale, 2, settings).losses, plain, atol=1e-3)
    assert_allclose(fit(features + 4, 2, settings).losses, plain, atol=1e-2)


def test_progress():
    calls = []
    settings = Lattice(epochs=3, width=8, on_epoch=lambda done, total: calls.append((done, total)))
    fit(clustered(13, 100), 3, settings)
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_divergence_is_an_error():
    with pytest.raises(ConvergenceError, match=r"in epoch \d: use a 'learning_rate' below 1e\+38"):
        fit(clustered(14, 100), 4, Lattice(epochs=4, width=8, learning_rate=1e38))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_not_finite_are_refused(value):
    features = clustered(15, 100)
    features[3, 2] = value
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(
            InvalidParameterError, match=r"'features' parameter of Lattice\.fit must be finite"
        ),
    ):
        fit(features, 5, Lattice(epochs=1, width=8))
