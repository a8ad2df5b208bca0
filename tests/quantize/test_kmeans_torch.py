"""The torch twin of k-means, on the CPU, against the NumPy one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

import mauve
from mauve.errors import InvalidParameterError
from mauve.quantize.kmeans import KMeans

pytest.importorskip("torch")

from mauve.quantize.gpu import TorchKMeans, torch_device


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of torch wait for each other where several tests run at once."""
    with threadpool_limits(limits=1):
        yield


def make_features(seed, n=600, d=6):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def test_same_start_leads_to_nearly_the_same_objective():
    features = make_features(0)
    for seed in range(5):
        here = KMeans().fit(features, 20, np.random.default_rng(seed))
        there = TorchKMeans("cpu").fit(features, 20, np.random.default_rng(seed))
        assert_allclose(there.objective, here.objective, rtol=1e-3)


def test_same_seed_same_labels():
    features = make_features(1)
    one, two = (
        TorchKMeans("cpu").fit(features, 20, np.random.default_rng(2)).assign(features)
        for _ in range(2)
    )
    assert_array_equal(one, two)


def test_labels_are_those_of_the_nearest_centre():
    features = make_features(3)
    found = TorchKMeans("cpu").fit(features, 12, np.random.default_rng(4))
    labels = found.assign(features)
    distance = ((features[:, None] - found.centres.numpy()[None]) ** 2).sum(axis=-1)
    assert labels.dtype == np.int32
    assert_allclose(distance[np.arange(600), labels], distance.min(axis=1), atol=1e-4)


def test_objective_is_the_sum_of_squared_distances():
    features = make_features(5)
    found = TorchKMeans("cpu").fit(features, 12, np.random.default_rng(6))
    distance = ((features[:, None] - found.centres.numpy()[None]) ** 2).sum(axis=-1)
    assert_allclose(found.objective, distance.min(axis=1).sum(), rtol=1e-4)


def test_empty_clusters_are_filled():
    features = make_features(7, n=200, d=3)
    features[:100] = 0
    found = TorchKMeans("cpu").fit(features, 20, np.random.default_rng(8))
    assert len(np.unique(found.assign(features))) == 20


def test_fewer_distinct_texts_than_clusters():
    features = np.repeat(make_features(9, n=5), 20, axis=0)
    found = TorchKMeans("cpu").fit(features, 12, np.random.default_rng(10))
    assert len(np.unique(found.assign(features))) == 5


def test_signature_differs_from_that_of_the_cpu():
    assert TorchKMeans("cpu").signature != KMeans().signature


def test_works_as_the_quantizer_of_a_comparison():
    rng = np.random.default_rng(11)
    human, model = rng.normal(size=(2, 100, 4))
    settings = {"n_clusterings": 5, "n_permutations": 20, "num_buckets": 8}
    here = mauve.compare(human, model + 0.5, **settings)["model"]
    there = mauve.compare(human, model + 0.5, quantizer=TorchKMeans("cpu"), **settings)["model"]
    assert abs(here.mauve - there.mauve) < 0.05
    assert "quant:kmeans:torch" in there.signature


@pytest.mark.parametrize("device", ["warp", "cpu:x"])
def test_unknown_devices_are_refused(device):
    with pytest.raises(InvalidParameterError, match=f"device of this machine. Got '{device}'"):
        torch_device(device)


def test_a_device_that_is_not_there_is_refused():
    import torch

    device = f"cuda:{torch.cuda.device_count()}"
    with pytest.raises(InvalidParameterError, match=f"device of this machine. Got '{device}'"):
        torch_device(device)
