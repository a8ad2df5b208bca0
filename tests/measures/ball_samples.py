"""Samples of features for the measures that put balls around texts."""

import numpy as np

from mauve.measures.estimate import deal_texts
from mauve.measures.protocol import MeasuredSample


def make_side(features, name="model", n_groups=50):
    keys = np.random.default_rng(len(features)).permutation(len(features)).astype(np.uint64)
    return MeasuredSample(name, deal_texts(keys, n_groups), features=features)


def two_samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(80, 3)), rng.normal(size=(60, 3)) * 1.2 + 0.4


def modes(centres, n, seed):
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(size=(n, 4)) + 20 * centre for centre in centres])
