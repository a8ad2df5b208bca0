"""The density of a deep residual mixture model against brute force."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax, logsumexp

pytest.importorskip("torch")

import torch

from mauve.quantize.drmm_model import Layers, Paths


def make_layers(seed, n_layers=3, n_components=4, dim=5):
    """Return a model with random parameters, none of them special."""
    layers = Layers.zeros(n_layers, n_components, dim)
    layers.theta.normal_(generator=torch.Generator().manual_seed(seed))
    return layers


def brute_force(layers, x):
    """log p(x, path) for every path, by the formula, in double precision."""
    dim = x.shape[1]
    means, tables = layers.means.numpy().astype(float), layers.tables.numpy().astype(float)
    variance = np.exp(float(layers.log_variances[-1]))
    log_w = log_softmax(layers.logits[-1].numpy().astype(float))
    columns = []
    for path in product(range(means.shape[1]), repeat=len(means)):
        centre = sum(means[layer, k] for layer, k in enumerate(path))
        column = -((x - centre) ** 2).sum(axis=1) / (2 * variance)
        column += log_w[path[-1]] - dim / 2 * np.log(2 * np.pi * variance)
        for j, k in enumerate(path[:-1]):
            column += log_softmax(tables[-1, path[-1], j])[k]
        columns.append(column)
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_path_and_likelihood_are_those_of_brute_force(n_layers):
    layers = make_layers(2, n_layers=n_layers)
    features = np.random.default_rng(3).normal(size=(200, 5)).astype(np.float32)
    expected, paths = brute_force(layers, features.astype(float)), Paths.of(layers)
    x = torch.from_numpy(features)
    assert_array_equal(paths.most_likely(x), expected.argmax(axis=1))
    assert_allclose(paths.log_likelihood(x), logsumexp(expected, axis=1), rtol=1e-4)
