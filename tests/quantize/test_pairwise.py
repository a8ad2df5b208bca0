"""Buckets that are learnt from two samples, and who is counted in them."""

import numpy as np
import pytest
from clustered_features import clustered
from numpy.testing import assert_array_equal
from threadpoolctl import threadpool_limits

from mauve.errors import InvalidParameterError
from mauve.hashes import scramble_hashes
from mauve.quantize.assigning import RowAssigner
from mauve.quantize.classifier import Classifier
from mauve.quantize.kmeans import KMeans
from mauve.quantize.pairwise import SortedSample, cluster_pair

QUANTIZERS = [KMeans(), Classifier()]


def cluster(human, system, **settings):
    defaults = {"quantizer": KMeans(), "num_buckets": 6, "n_learning": 48, "n_clusterings": 5}
    return cluster_pair(human, system, **{**defaults, "seed": 0, **settings})


def pair(seed=0, n=80, n_system=110):
    return clustered(seed, n), clustered(seed + 1, n_system) + np.float32(0.2)


def hashes_of_numbers(numbers):
    return scramble_hashes(np.asarray(numbers, dtype=np.uint64), 0)


class TestSortedSample:
    @pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
    def test_positions_restore_the_order(self, order):
        features = clustered(0, 60)
        sample = SortedSample.of(features, order=order)
        expected = features
        if order == "norm-pca":
            expected = features / np.linalg.norm(features.astype(float), axis=1)[:, None]
        np.testing.assert_allclose(sample.scaled[sample.position], expected, rtol=1e-6)

    def test_features_are_left_as_they_were(self):
        features = clustered(1, 60)
        before = features.copy()
        SortedSample.of(features)
        assert_array_equal(features, before)


class TestClusterPair:
    @pytest.mark.parametrize("quantizer", QUANTIZERS)
    def test_texts_that_are_not_learnt_from_are_counted(self, quantizer):
        human, system = map(SortedSample.of, pair())
        clustering = cluster(human, system, quantizer=quantizer)
        assert clustering.labels.shape == clustering.counted.shape == (5, 190)
        assert clustering.labels.min() >= 0
        assert clustering.labels.max() < 6
        assert_array_equal(clustering.counted[:, :80].sum(axis=1), 80 - 24)
        assert_array_equal(clustering.counted[:, 80:].sum(axis=1), 110 - 24)

    @pytest.mark.parametrize("quantizer", QUANTIZERS)
    def test_buckets_are_learnt_from_the_others_alone(self, quantizer):
        """Moving a counted text changes no label of another text."""
        human, system = pair()
        hashes = hashes_of_numbers(range(190))
        before = cluster(
            SortedSample.of(human, hashes[:80]),
            SortedSample.of(system, hashes[80:]),
            quantizer=quantizer,
        )
        moved = system.copy()
        moved[7] *= -30
        after = cluster(
            SortedSample.of(human, hashes[:80]),
            SortedSample.of(moved, hashes[80:]),
            quantizer=quantizer,
        )
        counts_it = before.counted[:, 87]
        others = np.arange(190) != 87
        assert 0 < counts_it.sum() < 5
        assert_array_equal(after.labels[counts_it][:, others], before.labels[counts_it][:, others])
        assert np.any(after.labels[~counts_it] != before.labels[~counts_it])
        assert_array_equal(after.counted, before.counted)

    @pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
    @pytest.mark.parametrize("quantizer", QUANTIZERS)
    def test_identical_samples_have_the_same_labels_and_counts(self, quantizer, order):
        features, _ = pair()
        human, system = (SortedSample.of(rows, order=order) for rows in (features, features.copy()))
        clustering = cluster(human, system, quantizer=quantizer)
        assert_array_equal(clustering.labels[:, :80], clustering.labels[:, 80:])
        assert_array_equal(clustering.counted[:, :80], clustering.counted[:, 80:])

    def test_exchanging_the_samples_changes_nothing(self):
        human, system = map(SortedSample.of, pair())
        before, after = cluster(human, system), cluster(system, human)
        order = np.r_[80:190, 0:80]
        assert_array_equal(after.labels, before.labels[:, order])
        assert_array_equal(after.counted, before.counted[:, order])

    def test_exchanging_the_samples_reverses_the_levels_of_a_classifier(self):
        """But for texts whose level is a limit, up to rounding."""
        human, system = map(SortedSample.of, pair())
        before, after = (
            cluster(*samples, quantizer=Classifier())
            for samples in ((human, system), (system, human))
        )
        reversed_labels = 5 - before.labels[:, np.r_[80:190, 0:80]]
        assert np.mean(after.labels == reversed_labels) > 0.99
        assert_array_equal(after.counted, before.counted[:, np.r_[80:190, 0:80]])

    @pytest.mark.parametrize("quantizer", QUANTIZERS)
    def test_order_of_texts_does_not_matter(self, quantizer):
        human, system = pair()
        rng = np.random.default_rng(2)
        first, second = rng.permutation(80), rng.permutation(110)
        before = cluster(*map(SortedSample.of, (human, system)), quantizer=quantizer)
        after = cluster(*map(SortedSample.of, (human[first], system[second])), quantizer=quantizer)
        order = np.concatenate([first, 80 + second])
        assert_array_equal(after.labels, before.labels[:, order])
        assert_array_equal(after.counted, before.counted[:, order])

    @pytest.mark.parametrize("quantizer", QUANTIZERS)
    def test_number_of_threads_does_not_matter(self, quantizer):
        human, system = (clustered(seed, 1100, d=40) for seed in (3, 4))
        samples = [SortedSample.of(rows) for rows in (human, system)]
        settings = {"quantizer": quantizer, "n_clusterings": 3}
        on_all = cluster(*samples, **settings)
        with threadpool_limits(limits=1):
            on_one = cluster(*map(SortedSample.of, (human, system)), **settings)
        assert_array_equal(on_all.labels, on_one.labels)

    def test_depends_on_the_seed_and_not_on_the_number_of_clusterings(self):
        human, system = map(SortedSample.of, pair())
        five, eight = (cluster(human, system, n_clusterings=n) for n in (5, 8))
        assert_array_equal(eight.labels[:5], five.labels)
        assert_array_equal(eight.counted[:5], five.counted)
        other = cluster(human, system, seed=1)
        assert np.any(other.labels != five.labels)
        assert np.any(other.counted != five.counted)

    def test_human_texts_that_are_learnt_from_do_not_depend_on_the_system(self):
        human, system = map(SortedSample.of, pair())
        other = SortedSample.of(clustered(9, 300))
        assert_array_equal(
            cluster(human, system).counted[:, :80], cluster(human, other).counted[:, :80]
        )

    def test_other_texts_are_assigned_as_these_were(self):
        human, system = pair()
        clustering = cluster(*map(SortedSample.of, (human, system)))
        again = clustering.assign(SortedSample.of(system))
        assert_array_equal(again, clustering.labels[:, 80:])
        assert clustering.assign(SortedSample.of(clustered(5, 33))).shape == (5, 33)

    def test_progress_is_reported_for_every_clustering(self):
        done = []
        cluster(*map(SortedSample.of, pair()), on_done=lambda: done.append(1))
        assert len(done) == 5

    def test_half_of_each_sample_is_learnt_if_there_are_few_texts(self):
        human, system = map(SortedSample.of, pair(n=20, n_system=20))
        clustering = cluster(human, system, n_learning=20, num_buckets=2, n_clusterings=4)
        for part in np.split(clustering.counted, 2, axis=1):
            assert_array_equal(part.sum(axis=1), 10)
            assert_array_equal(part.sum(axis=0), 2)

    def test_labels_that_are_no_buckets_are_refused(self):
        class Wrong:
            signature = "wrong"

            def fit(self, features, num_buckets, rng):
                return self

            def assign(self, features):
                return np.full(len(features), 6)

        with pytest.raises(InvalidParameterError, match=r"each of 80 texts .* in \[0, 6\)\. Got"):
            cluster(*map(SortedSample.of, pair()), quantizer=Wrong())


class TestAssignRows:
    """One product assigns texts in all clusterings: it must agree with each clustering alone."""

    @pytest.mark.parametrize(("n", "d"), [(700, 10), (513, 300)])
    def test_equals_reduction_and_nearest_centre_but_for_ties(self, n, d):
        human, system = (SortedSample.of(clustered(seed, n, d=d)) for seed in (6, 7))
        clustering = cluster(human, system, num_buckets=12, n_learning=96)
        fused = RowAssigner(clustering.partitions, 12)(human.scaled)
        for labels, fitted in zip(fused, clustering.partitions, strict=True):
            reduced = fitted.reduction.reduce(human.scaled)
            plain = fitted.partition.assign(reduced)
            differ = np.flatnonzero(labels != plain)
            assert len(differ) <= n / 100
            centres = fitted.partition.centres.astype(float)
            distances = np.linalg.norm(reduced[differ, None].astype(float) - centres, axis=2)
            rows = np.arange(len(differ))
            np.testing.assert_allclose(
                distances[rows, labels[differ]], distances[rows, plain[differ]], rtol=1e-5
            )

    def test_the_paper_s_order_is_assigned_without_the_product(self):
        """Unit length after the projection is no linear map."""
        samples = [SortedSample.of(clustered(seed, 90), order="pca-norm") for seed in (6, 7)]
        clustering = cluster(*samples)
        for labels, fitted in zip(clustering.labels, clustering.partitions, strict=True):
            expected = fitted.partition.assign(fitted.reduction.reduce(samples[0].scaled))
            assert_array_equal(labels[:90], expected[samples[0].position])


class TestPrompts:
    @staticmethod
    def samples(human_prompts, system_prompts):
        human, system = clustered(0, len(human_prompts)), clustered(1, len(system_prompts))
        return (
            SortedSample.of(human, prompts=hashes_of_numbers(human_prompts)),
            SortedSample.of(system, prompts=hashes_of_numbers(system_prompts)),
        )

    @pytest.mark.parametrize(
        "system_prompts", [np.arange(100) % 50, np.arange(100) % 70 + 25], ids=["same", "others"]
    )
    def test_texts_of_a_learnt_prompt_are_counted_on_neither_side(self, system_prompts):
        human_prompts = np.arange(100) // 2
        human, system = self.samples(human_prompts, system_prompts)
        clustering = cluster(human, system, n_learning=40)
        prompts = np.concatenate([human_prompts, system_prompts])
        alone = cluster(*(SortedSample.of(clustered(seed, 100)) for seed in (0, 1)), n_learning=40)
        for counted in clustering.counted:
            assert not np.intersect1d(prompts[counted], prompts[~counted]).size
            assert (~counted[:100]).sum() >= 20
            assert (~counted[100:]).sum() >= 20
        assert_array_equal((~alone.counted).sum(axis=1), 40)

    def test_same_prompts_are_learnt_from_in_both_samples(self):
        human, system = self.samples(np.arange(60), np.arange(60))
        clustering = cluster(human, system, n_learning=40)
        assert_array_equal(clustering.counted[:, :60], clustering.counted[:, 60:])
        assert_array_equal(clustering.counted[:, :60].sum(axis=1), 40)

    def test_too_few_prompts_are_refused(self):
        human, system = self.samples(np.arange(60) % 2, np.arange(60) % 2)
        with pytest.raises(InvalidParameterError, match=r"Got 2 different prompts .* more prompts"):
            cluster(human, system, n_learning=48)

    def test_prompts_of_one_sample_alone_can_be_too_few(self):
        human, system = self.samples(np.arange(60), np.zeros(60))
        with pytest.raises(InvalidParameterError, match="Got 60 different prompts"):
            cluster(human, system)
