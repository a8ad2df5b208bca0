"""k-means: right buckets, reproducible buckets, no empty buckets."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from mauve.quantize.crossfit import cluster_jointly
from mauve.quantize.kmeans import KMeans


def make_clouds(seed, k=6, n_each=40, d=5, distance=20.0):
    """`k` clouds of unit spread around centres that are `distance` apart or more."""
    rng = np.random.default_rng(seed)
    centres = distance * np.eye(max(k, d))[:k, :d] if k <= d else None
    if centres is None:
        centres = distance * np.stack([np.arange(k)] + [np.zeros(k)] * (d - 1), axis=1)
    truth = np.repeat(np.arange(k), n_each)
    return (centres[truth] + rng.normal(size=(k * n_each, d))).astype(np.float32), truth


def objective_of(features, fitted):
    """Sum of squared distances to the nearest centre, by the definition."""
    wide, centres = features.astype(float), fitted.centres.astype(float)
    return ((wide[:, None] - centres[None]) ** 2).sum(axis=-1).min(axis=1).sum()


def same_partition(labels, other):
    return len(set(zip(labels.tolist(), other.tolist(), strict=True))) == len(set(labels.tolist()))


class TestFit:
    @pytest.mark.parametrize("seed", range(5))
    def test_finds_well_separated_clouds(self, seed):
        features, truth = make_clouds(seed)
        fitted = KMeans(n_restarts=20).fit(features, 6, np.random.default_rng(seed))
        labels = fitted.assign(features)
        assert same_partition(truth, labels)
        assert_array_equal(np.bincount(labels), 40)
        for label in range(6):
            mean = features[labels == label].mean(axis=0)
            assert_allclose(fitted.centres[label], mean, atol=1e-3)

    @pytest.mark.parametrize("seed", range(3))
    def test_objective_is_the_sum_of_squared_distances(self, seed):
        rng = np.random.default_rng(seed)
        features = rng.normal(size=(500, 4)).astype(np.float32)
        fitted = KMeans().fit(features, 20, rng)
        assert_allclose(fitted.objective, objective_of(features, fitted), rtol=1e-4)

    def test_objective_falls_with_the_iterations(self):
        features = np.random.default_rng(0).normal(size=(1000, 8)).astype(np.float32)
        objectives = [
            objective_of(
                features,
                KMeans(max_iter=n, tolerance=0).fit(features, 30, np.random.default_rng(1)),
            )
            for n in (1, 2, 3, 5, 10, 20, 50)
        ]
        assert np.all(np.diff(objectives) <= 1e-3)
        assert objectives[-1] < 0.95 * objectives[0]

    def test_converged_centres_are_the_means_of_their_texts(self):
        features = np.random.default_rng(2).normal(size=(400, 3)).astype(np.float32)
        fitted = KMeans(max_iter=500, tolerance=0).fit(features, 10, np.random.default_rng(3))
        labels = fitted.assign(features)
        for label in range(10):
            assert_allclose(
                fitted.centres[label], features[labels == label].mean(axis=0), atol=1e-4
            )

    def test_more_restarts_are_never_worse(self):
        """The starts of fewer restarts are among those of more, so the best can only improve."""
        features = np.random.default_rng(4).normal(size=(300, 2)).astype(np.float32)
        objectives = [
            KMeans(n_restarts=n).fit(features, 12, np.random.default_rng(5)).objective
            for n in (1, 2, 5, 10)
        ]
        assert np.all(np.diff(objectives) <= 0)

    def test_one_bucket_is_the_mean(self):
        features = np.random.default_rng(6).normal(size=(100, 3)).astype(np.float32)
        fitted = KMeans().fit(features, 1, np.random.default_rng(7))
        assert_allclose(fitted.centres[0], features.mean(axis=0), atol=1e-6)
        assert_array_equal(fitted.assign(features), 0)

    def test_as_many_buckets_as_texts(self):
        features = np.random.default_rng(8).normal(size=(30, 3)).astype(np.float32)
        fitted = KMeans().fit(features, 30, np.random.default_rng(9))
        assert len(np.unique(fitted.assign(features))) == 30
        assert fitted.objective < 1e-3

    def test_empty_buckets_are_filled(self):
        """Half of the texts are one point, so half of the starting points coincide."""
        rng = np.random.default_rng(10)
        features = rng.normal(size=(200, 3)).astype(np.float32)
        features[:100] = 0
        for seed in range(10):
            fitted = KMeans().fit(features, 20, np.random.default_rng(seed))
            assert len(np.unique(fitted.assign(features))) == 20

    def test_fewer_distinct_texts_than_buckets(self):
        points = np.random.default_rng(11).normal(size=(5, 3)).astype(np.float32)
        features = np.repeat(points, 20, axis=0)
        fitted = KMeans().fit(features, 12, np.random.default_rng(12))
        labels = fitted.assign(features)
        assert same_partition(np.repeat(np.arange(5), 20), labels)
        assert np.isfinite(fitted.centres).all()
        assert fitted.objective < 1e-3

    def test_all_texts_alike(self):
        features = np.ones((40, 3), dtype=np.float32)
        fitted = KMeans().fit(features, 4, np.random.default_rng(13))
        assert len(np.unique(fitted.assign(features))) == 1
        assert_allclose(fitted.objective, 0, atol=1e-3)

    def test_result_is_float32_and_labels_are_int32(self):
        features = np.random.default_rng(14).normal(size=(100, 3)).astype(np.float32)
        fitted = KMeans().fit(features, 5, np.random.default_rng(15))
        assert fitted.centres.dtype == np.float32
        assert fitted.assign(features).dtype == np.int32
        assert isinstance(fitted.objective, float)

    def test_features_are_left_as_they_were(self):
        features = np.random.default_rng(16).normal(size=(100, 3)).astype(np.float32)
        before = features.copy()
        features.flags.writeable = False
        KMeans(n_restarts=2).fit(features, 5, np.random.default_rng(17)).assign(features)
        assert_array_equal(features, before)

    def test_signature_names_every_setting(self):
        signatures = {
            quantizer.signature
            for quantizer in (KMeans(), KMeans(n_restarts=3), KMeans(tolerance=1e-6))
        }
        assert len(signatures) == 3

    def test_signature_names_the_iterations(self):
        assert KMeans(max_iter=1).signature != KMeans(max_iter=100).signature


class TestAssign:
    @given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 12), st.integers(1, 6))
    @settings(deadline=None, max_examples=40)
    def test_gives_the_nearest_centre(self, seed, n, k, d):
        rng = np.random.default_rng(seed)
        features = rng.normal(size=(n + k, d)).astype(np.float32)
        fitted = KMeans(max_iter=3).fit(features, k, rng)
        labels = fitted.assign(features)
        distance = ((features[:, None] - fitted.centres[None]) ** 2).sum(axis=-1)
        chosen = distance[np.arange(n + k), labels]
        assert_allclose(chosen, distance.min(axis=1), atol=1e-4)

    @pytest.mark.parametrize("n", [1, 511, 512, 513, 1500])
    def test_does_not_depend_on_how_many_texts_come_at_once(self, n):
        features = np.random.default_rng(0).normal(size=(1500, 4)).astype(np.float32)
        fitted = KMeans().fit(features, 8, np.random.default_rng(1))
        whole = fitted.assign(features)
        assert_array_equal(fitted.assign(features[:n]), whole[:n])


class TestReproducibility:
    def test_same_seed_same_bits(self):
        features = np.random.default_rng(0).normal(size=(500, 6)).astype(np.float32)
        first, second = (KMeans().fit(features, 20, np.random.default_rng(1)) for _ in range(2))
        assert first.centres.tobytes() == second.centres.tobytes()
        assert first.objective == second.objective

    def test_another_seed_another_clustering(self):
        features = np.random.default_rng(0).normal(size=(500, 6)).astype(np.float32)
        first, second = (KMeans().fit(features, 20, np.random.default_rng(seed)) for seed in (1, 2))
        assert not same_partition(first.assign(features), second.assign(features))

    @pytest.mark.parametrize("threads", [1, 2])
    def test_labels_of_a_comparison_do_not_depend_on_the_threads(self, threads):
        rng = np.random.default_rng(2)
        samples = [rng.normal(size=(400, 30)), rng.normal(size=(500, 30))]

        def labels():
            return cluster_jointly(
                samples, quantizer=KMeans(), num_buckets=40, n_clusterings=5, seed=0
            ).labels

        free = labels()
        with threadpool_limits(limits=threads):
            assert_array_equal(labels(), free)

    @pytest.mark.slow
    def test_labels_do_not_depend_on_omp_num_threads(self):
        script = (
            "import hashlib, numpy as np\n"
            "from mauve.quantize.crossfit import cluster_jointly\n"
            "from mauve.quantize.kmeans import KMeans\n"
            "rng = np.random.default_rng(3)\n"
            "samples = [rng.normal(size=(300, 20)), rng.normal(size=(300, 20))]\n"
            "clustering = cluster_jointly(\n"
            "    samples, quantizer=KMeans(), num_buckets=30, n_clusterings=5, seed=0)\n"
            "print(hashlib.sha256(clustering.labels.tobytes()).hexdigest())\n"
        )
        digests = []
        for threads in ("1", "2"):
            run = subprocess.run(
                [sys.executable, "-c", script],
                env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
                capture_output=True,
                text=True,
                check=True,
            )
            digests.append(run.stdout.strip())
        assert len(digests[0]) == len(hashlib.sha256().hexdigest())
        assert digests[0] == digests[1]
