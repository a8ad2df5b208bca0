"""The lattice quantizer as a quantizer: settings, seeds, errors, a comparison."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

import mauve
from mauve.errors import InvalidParameterError
from mauve.quantize.lattice import Lattice
from mauve.quantize.sphere import nearest_points

torch = pytest.importorskip("torch")

QUICK = Lattice(epochs=4, width=32)


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of torch wait for each other where several tests run at once."""
    with threadpool_limits(limits=1):
        yield


def make_features(seed, n=300, d=8):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def fit(features, seed, quantizer=QUICK):
    return quantizer.fit(features, 744, np.random.default_rng(seed))


def test_same_seed_same_cells():
    features = make_features(0)
    one, two, other = (fit(features, seed).assign(features) for seed in (1, 1, 2))
    assert_array_equal(one, two)
    assert np.any(one != other)


if torch.cuda.is_available():  # not skipped elsewhere: a skip counts as a failure

    def test_a_gpu_replays_the_steps_of_the_cpu():
        """The same batches from the same start; rounding grows with time, so one epoch only."""
        features = make_features(12, n=3000)
        cpu, gpu, again = (
            fit(features, 3, Lattice(device=device, epochs=1)) for device in ("cpu", "cuda", "cuda")
        )
        np.testing.assert_allclose(gpu.losses, cpu.losses, rtol=0.1)
        assert_array_equal(gpu.assign(features), again.assign(features))


def test_fits_on_several_threads_are_those_of_one():
    features = make_features(1)
    alone = [fit(features, seed).assign(features) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: fit(features, seed).assign(features), range(4)))
    assert_array_equal(together, alone)


def test_global_random_state_is_left_alone():
    import torch

    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    fit(make_features(2), 0)
    assert torch.rand(1) == expected


def test_features_are_not_overwritten():
    features = make_features(3)
    before = features.copy()
    fit(features, 0, Lattice(epochs=1, width=8, patience=1)).assign(features)
    assert_array_equal(features, before)


def test_cells_are_the_nearest_points_of_unit_vectors():
    features = make_features(4)
    found = fit(features, 0)
    spread = found.spread(features)
    np.testing.assert_allclose(np.linalg.norm(spread, axis=1), 1, atol=1e-6)
    labels = found.assign(features)
    assert labels.dtype == np.int32
    assert_array_equal(labels, nearest_points(spread))


def test_a_text_has_the_same_cell_in_any_company():
    """Statistics of batch normalisation are fixed once the network is trained."""
    features = make_features(5, n=1500)
    found = fit(features, 0)
    whole = found.assign(features)
    some = np.random.default_rng(0).permutation(1500)[:200]
    assert np.mean(found.assign(features[some]) == whole[some]) > 0.99  # but for rounding


def test_copies_of_texts_share_a_cell():
    features = np.repeat(make_features(6, n=80), 5, axis=0)
    labels = fit(features, 0).assign(features).reshape(80, 5)
    assert_array_equal(labels, labels[:, :1].repeat(5, axis=1))


@pytest.mark.filterwarnings("ignore::mauve.errors.MauveWarning")  # few texts, for speed
def test_works_as_the_quantizer_of_a_comparison():
    rng = np.random.default_rng(7)
    human, same, far = rng.normal(size=(3, 1500, 4))
    systems = {"same": same, "far": far + 2}
    settings = {"num_buckets": 744, "n_clusterings": 5, "n_permutations": 0, "estimator": "plugin"}
    found = mauve.compare(human, systems, quantizer=QUICK, **settings)
    assert found["same"].mauve > found["far"].mauve + 0.2
    assert QUICK.signature in found["same"].signature


def test_signature_tells_settings_apart():
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


def test_number_of_cells():
    assert Lattice().num_buckets == 744
    message = "'num_buckets' parameter of compare must be 744 for the lattice.* Got 500 instead"
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
    with pytest.raises(InvalidParameterError, match="'device' parameter of compare"):
        fit(make_features(11), 0, Lattice(device="nowhere"))
