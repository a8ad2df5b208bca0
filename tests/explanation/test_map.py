"""The map of texts: discs that do not overlap, texts within them, degenerate features."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mauve.explanation.map import map_texts


def clusters(seed, sizes, d=6, spread=4.0):
    rng = np.random.default_rng(seed)
    members = np.repeat(np.arange(len(sizes)), sizes)
    centres = spread * rng.normal(size=(len(sizes), d))
    features = centres[members] + rng.normal(size=(len(members), d))
    return features.astype(np.float32), members


def overlaps(text_map):
    """Return by how much discs reach into each other, relative to the smaller radius."""
    distance = np.linalg.norm(text_map.centres[:, None] - text_map.centres[None], axis=-1)
    radii = text_map.radii
    inside = (radii[:, None] + radii - distance) / np.minimum(radii[:, None], radii)
    return inside[np.triu_indices(len(radii), 1)]


class TestDiscs:
    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(10))
    @pytest.mark.parametrize("n_clusters", [2, 3, 13, 30])
    def test_hardly_overlap(self, seed, n_clusters):
        sizes = np.random.default_rng(seed).integers(10, 200, size=n_clusters)
        text_map = map_texts(*clusters(seed, sizes))
        assert overlaps(text_map).max(initial=-1) < 0.05

    def test_are_as_large_as_their_clusters(self):
        text_map = map_texts(*clusters(0, [160, 40, 10]))
        assert_allclose(text_map.radii / text_map.radii[2], [4, 2, 1])

    def test_near_clusters_are_near(self):
        """Two pairs of clusters, far from each other: the nearest disc is that of the pair."""
        members = np.repeat(np.arange(4), 30)
        features = np.array([[0, 0], [3, 0], [0, 40], [3, 40]], dtype=np.float32)[members]
        centres = map_texts(features, members).centres
        distance = np.linalg.norm(centres[:, None] - centres, axis=-1) + 1e9 * np.eye(4)
        assert distance.argmin(axis=1).tolist() == [1, 0, 3, 2]

    def test_lie_about_the_origin(self):
        text_map = map_texts(*clusters(1, [50] * 12))
        reach = np.abs(text_map.centres).max() + text_map.radii.max()
        assert reach < 3


class TestTexts:
    def test_lie_in_the_disc_of_their_cluster(self):
        features, members = clusters(2, [100, 50, 20])
        text_map = map_texts(features, members)
        reach = np.linalg.norm(text_map.positions - text_map.centres[members], axis=1)
        assert (reach <= text_map.radii[members]).all()

    def test_the_nearest_to_the_centre_lies_in_the_middle(self):
        features, members = clusters(3, [60, 40])
        text_map = map_texts(features, members)
        for c in range(2):
            rows = np.flatnonzero(members == c)
            away = np.linalg.norm(features[rows] - features[rows].mean(axis=0), axis=1)
            reach = np.linalg.norm(text_map.positions[rows] - text_map.centres[c], axis=1)
            assert_array_equal(np.argsort(away), np.argsort(reach))

    def test_are_spread_evenly(self):
        """Half of the texts lie within the radius that has half of the area."""
        features, members = clusters(4, [100])
        text_map = map_texts(features, members)
        reach = np.linalg.norm(text_map.positions - text_map.centres[0], axis=1) / text_map.radii[0]
        assert np.sum(reach < np.sqrt(0.5)) == 50


class TestDegenerate:
    @pytest.mark.parametrize("n_clusters", [1, 2, 3, 8])
    def test_identical_features(self, n_clusters):
        members = np.arange(40) % n_clusters
        text_map = map_texts(np.ones((40, 5), dtype=np.float32), members)
        for values in (text_map.positions, text_map.centres, text_map.radii):
            assert np.isfinite(values).all()
        assert overlaps(text_map).max(initial=-1) < 0.2

    def test_one_cluster(self):
        text_map = map_texts(*clusters(5, [30]))
        assert text_map.centres.shape == (1, 2)
        assert np.isfinite(text_map.positions).all()

    def test_one_feature(self):
        text_map = map_texts(*clusters(6, [20, 20, 20], d=1))
        assert np.isfinite(text_map.positions).all()
        assert overlaps(text_map).max() < 0.05

    def test_one_text_in_a_cluster(self):
        members = np.array([0] * 20 + [1])
        features = np.random.default_rng(7).normal(size=(21, 3)).astype(np.float32)
        assert np.isfinite(map_texts(features, members).positions).all()

    def test_no_randomness(self):
        features, members = clusters(8, [30, 20, 10])
        first, second = map_texts(features, members), map_texts(features, members)
        assert_array_equal(first.positions, second.positions)
