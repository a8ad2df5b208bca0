"""The bucket of a text does not depend on where it stands."""

import numpy as np
import pytest
from clustered_features import clustered
from numpy.testing import assert_array_equal

from mauve.hashes import feature_hashes
from mauve.quantize.assigning import RowAssigner
from mauve.quantize.classifier import Classifier, LevelSets
from mauve.quantize.kmeans import Centres, KMeans
from mauve.quantize.pairwise import SortedSample, cluster_pair


@pytest.mark.parametrize("quantizer", [KMeans(), Classifier()])
@pytest.mark.parametrize("n_features", [8, 67])
def test_neither_order_nor_parts_change_buckets(quantizer, n_features):
    human, model = (SortedSample.of(clustered(n=1500, d=n_features, seed=seed)) for seed in (1, 2))
    clustering = cluster_pair(
        human, model, quantizer=quantizer, num_buckets=25, n_learning=400, n_clusterings=40, seed=0
    )
    assign = RowAssigner(clustering.partitions, 25)
    rows = np.concatenate([human.scaled, model.scaled])
    whole = assign(rows)
    rng = np.random.default_rng(0)
    for _ in range(3):
        order = rng.permutation(len(rows))
        ends = np.sort(rng.choice(len(rows), 5, replace=False))
        parts = [assign(part) for part in np.split(rows[order], ends) if len(part)]
        assert_array_equal(np.concatenate(parts, axis=1), whole[:, order])


def test_near_ties_are_decided_in_double_precision():
    """Two centres whose scores single precision cannot tell apart; the second is nearer."""
    x = np.float32([[0.6, 0.8]])
    centres = np.float32([[1.0, 0.0], [1.0, 0.0]])
    centres[1, 1] = np.float32(1e-9)
    exact = x.astype(np.float64) @ centres.T.astype(np.float64)
    assert exact[0, 1] > exact[0, 0]
    many = np.repeat(x, 700, axis=0)
    labels = RowAssigner([Centres(centres, 0.0)], 2)(many)
    assert_array_equal(labels, 1)


def test_the_first_of_equal_centres_is_chosen():
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.normal(size=(5, 33)).astype(np.float32), 5, axis=0)
    rows = rng.normal(size=(1100, 33)).astype(np.float32)
    labels = RowAssigner([Centres(centres, 0.0)], 25)(rows)
    assert set(np.unique(labels)) <= {0, 5, 10, 15, 20}


def test_values_at_the_limit_of_a_level():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(600, 50)).astype(np.float32)
    weights = rng.normal(size=50)
    values = rows.astype(np.float64) @ weights.astype(np.float32).astype(np.float64)
    # Limits within single precision's rounding of a text on either side.
    limits = np.sort(values[:9] * (1 + 1e-9 * np.sign(rng.normal(size=9))))
    labels = RowAssigner([LevelSets(weights, 0.0, limits)], 10)(rows)[0]
    assert_array_equal(labels, np.searchsorted(limits, values))


def test_hashes_do_not_depend_on_the_place_of_a_row():
    rows = np.random.default_rng(0).normal(size=(3000, 67)).astype(np.float32)
    order = np.random.default_rng(1).permutation(3000)
    assert_array_equal(feature_hashes(rows[order]), feature_hashes(rows)[order])
