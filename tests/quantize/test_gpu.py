"""k-means and principal components by torch, on the CPU, against those by NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mauve
from mauve.errors import InvalidParameterError
from mauve.quantize.kmeans import KMeans
from mauve.quantize.reduce import reduce_features

pytest.importorskip("torch")

from mauve.quantize.gpu import TorchKMeans, reduce_on_device, torch_device

pytestmark = pytest.mark.usefixtures("one_thread")


def make_features(seed, n=600, d=6):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def test_same_start_leads_to_nearly_the_same_objective():
    features = make_features(0)
    for seed in range(5):
        by_numpy = KMeans().fit(features, 20, np.random.default_rng(seed))
        by_torch = TorchKMeans("cpu").fit(features, 20, np.random.default_rng(seed))
        assert_allclose(by_torch.objective, by_numpy.objective, rtol=1e-3)


def test_same_seed_same_labels():
    features = make_features(1)
    first, again = (
        TorchKMeans("cpu").fit(features, 20, np.random.default_rng(2)).assign(features)
        for _ in range(2)
    )
    assert_array_equal(first, again)


def test_labels_are_those_of_the_nearest_centre():
    features = make_features(3)
    fitted = TorchKMeans("cpu").fit(features, 12, np.random.default_rng(4))
    labels = fitted.assign(features)
    distance = ((features[:, None] - fitted.centres.numpy()[None]) ** 2).sum(axis=-1)
    assert labels.dtype == np.int32
    assert_allclose(distance[np.arange(600), labels], distance.min(axis=1), atol=1e-4)


def test_objective_is_the_sum_of_squared_distances():
    features = make_features(5)
    fitted = TorchKMeans("cpu").fit(features, 12, np.random.default_rng(6))
    distance = ((features[:, None] - fitted.centres.numpy()[None]) ** 2).sum(axis=-1)
    assert_allclose(fitted.objective, distance.min(axis=1).sum(), rtol=1e-4)


def test_empty_buckets_are_filled():
    features = make_features(7, n=200, d=3)
    features[:100] = 0
    fitted = TorchKMeans("cpu").fit(features, 20, np.random.default_rng(8))
    assert len(np.unique(fitted.assign(features))) == 20


def test_fewer_distinct_texts_than_buckets():
    features = np.repeat(make_features(9, n=5), 20, axis=0)
    fitted = TorchKMeans("cpu").fit(features, 12, np.random.default_rng(10))
    assert len(np.unique(fitted.assign(features))) == 5


def test_signature_differs_from_that_of_the_cpu():
    assert TorchKMeans("cpu").signature != KMeans().signature


def test_works_as_the_quantizer_of_a_comparison():
    rng = np.random.default_rng(11)
    human, model = rng.normal(size=(2, 100, 4))
    settings = {"n_clusterings": 5, "n_permutations": 20, "num_buckets": 8}
    by_numpy = mauve.compare(human, model + 0.5, **settings)["model"]
    by_torch = mauve.compare(human, model + 0.5, quantizer=TorchKMeans("cpu"), **settings)["model"]
    assert abs(by_numpy.mauve - by_torch.mauve) < 0.05
    assert "quant:kmeans:torch" in by_torch.signature


@pytest.mark.parametrize("device", ["warp", "cpu:x"])
def test_unknown_devices_are_refused(device):
    with pytest.raises(InvalidParameterError, match=f"device of this machine. Got '{device}'"):
        torch_device(device)


def test_a_device_that_is_not_there_is_refused():
    import torch

    device = f"cuda:{torch.cuda.device_count()}"
    with pytest.raises(InvalidParameterError, match=f"device of this machine. Got '{device}'"):
        torch_device(device)


def make_uneven(seed, n=300, d=12):
    """Features whose variance grows with the dimension."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) * np.arange(1, d + 1) + 3).astype(np.float32)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_components_span_the_subspace_of_numpy(order, share):
    options = {"explained_variance": share, "order": order}
    by_numpy, numpy_reduction = reduce_features(make_uneven(0), **options)
    by_torch, torch_reduction = reduce_on_device(make_uneven(0), **options, device="cpu")
    assert by_numpy.shape == by_torch.shape
    new_by_numpy, new_by_torch = (
        reduction.apply(make_uneven(1)) for reduction in (numpy_reduction, torch_reduction)
    )
    # Components are known up to their sign, so inner products must agree.
    for expected, actual in ((by_numpy, by_torch), (new_by_numpy, new_by_torch)):
        inner = expected @ expected.T
        assert_allclose(actual @ actual.T, inner, atol=1e-4 * np.abs(inner).max())


def test_a_row_of_zeros_and_a_huge_row_stay_finite():
    data = make_uneven(2)
    data[0] = 0
    data[1] *= 1e30
    reduced, _ = reduce_on_device(data, explained_variance=0.9, order="norm-pca", device="cpu")
    assert np.isfinite(reduced).all()


def test_constant_features_are_refused():
    with pytest.raises(InvalidParameterError, match="must vary from text to text"):
        reduce_on_device(
            np.ones((20, 3), np.float32), explained_variance=0.9, order="norm-pca", device="cpu"
        )


def test_components_on_an_unknown_device_are_refused():
    with pytest.raises(InvalidParameterError, match=r"device of this machine\. Got 'warp'"):
        reduce_on_device(make_uneven(0), explained_variance=0.9, order="norm-pca", device="warp")
