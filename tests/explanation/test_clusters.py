"""Clusters that clusterings agree on: planted groups, small and identical ones, order."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mauve import InvalidParameterError
from mauve.explanation.clusters import check_clusters, consensus_clusters, default_clusters


def split_groups(truth, n_parts, n_clusterings, seed):
    """Return clusterings that divide every group at random, and never put two together."""
    rng = np.random.default_rng(seed)
    parts = rng.integers(n_parts, size=(n_clusterings, len(truth)))
    return (truth * n_parts + parts).astype(np.int32), (int(truth.max()) + 1) * n_parts


def same_partition(first, second):
    pairs = np.unique(np.stack([first, second]), axis=1)
    return pairs.shape[1] == len(np.unique(first)) == len(np.unique(second))


class TestPlantedGroups:
    @pytest.mark.parametrize("seed", range(3))
    def test_groups_that_are_never_mixed_are_found(self, seed):
        truth = np.repeat([0, 1, 2, 3], [50, 30, 90, 20])
        labels, k = split_groups(truth, 3, 20, seed)
        consensus = consensus_clusters(labels, k, 4, seed)
        assert same_partition(consensus.members, truth)
        assert_allclose(consensus.typicality, 1)

    def test_groups_that_are_mixed_now_and_then_are_found(self):
        """A tenth of the texts lie in a random bucket in each of 40 clusterings."""
        truth = np.repeat([0, 1, 2], 60)
        labels, k = split_groups(truth, 2, 40, 0)
        rng = np.random.default_rng(1)
        astray = rng.random(labels.shape) < 0.1
        labels[astray] = rng.integers(k, size=astray.sum())
        consensus = consensus_clusters(labels, k, 3, 0)
        assert same_partition(consensus.members, truth)
        assert 0.6 < consensus.typicality.mean() < 0.99

    def test_a_small_group_that_lies_apart_outlives_larger_ones(self):
        """Twelve copies of a template beside 600 texts of three wide topics."""
        truth = np.repeat([0, 1, 2, 3], [200, 200, 200, 12])
        labels, _ = split_groups(truth, 8, 20, 2)
        labels[:, truth == 3] = 24  # always in one bucket
        consensus = consensus_clusters(labels, 25, 4, 0)
        assert same_partition(consensus.members, truth)

    def test_largest_comes_first(self):
        truth = np.repeat([0, 1, 2], [20, 60, 40])
        labels, k = split_groups(truth, 2, 10, 3)
        consensus = consensus_clusters(labels, k, 3, 0)
        assert np.bincount(consensus.members).tolist() == [60, 40, 20]
        assert consensus.n_clusters == 3


class TestSmallGroups:
    @pytest.mark.slow
    def test_are_merged_into_those_they_share_buckets_with(self):
        """Five texts that lie with the second group in half of the clusterings."""
        truth = np.repeat([0, 1, 2], [40, 40, 5])
        labels = np.tile(truth, (10, 1)).astype(np.int32)
        labels[::2, truth == 2] = 1
        consensus = consensus_clusters(labels, 3, 3, 0)
        assert np.bincount(consensus.members).tolist() == [45, 40]
        assert same_partition(consensus.members, np.repeat([0, 1], [40, 45]))

    def test_all_clusters_have_ten_texts_or_more(self):
        rng = np.random.default_rng(4)
        labels = rng.integers(30, size=(10, 200)).astype(np.int32)
        consensus = consensus_clusters(labels, 30, 20, 0)
        assert np.bincount(consensus.members).min() >= 10
        assert consensus.n_clusters <= 20
        assert_array_equal(np.unique(consensus.members), np.arange(consensus.n_clusters))

    def test_fewer_than_ten_texts_are_one_cluster(self):
        labels = np.array([[0, 0, 0, 1, 1, 1]], dtype=np.int32)
        consensus = consensus_clusters(labels, 2, 2, 0)
        assert consensus.n_clusters == 1
        assert_allclose(consensus.typicality, 1)


class TestDegenerate:
    @pytest.mark.slow
    @pytest.mark.parametrize("n", [20, 100])
    def test_all_texts_in_one_bucket_are_one_cluster_or_more_without_nan(self, n):
        consensus = consensus_clusters(np.zeros((5, n), dtype=np.int32), 2, 2, 0)
        assert 1 <= consensus.n_clusters <= 2
        assert np.isfinite(consensus.typicality).all()

    @pytest.mark.slow
    def test_two_buckets(self):
        labels = np.tile(np.repeat([0, 1], [30, 20]), (5, 1)).astype(np.int32)
        consensus = consensus_clusters(labels, 2, 2, 0)
        assert np.bincount(consensus.members).tolist() == [30, 20]

    @pytest.mark.parametrize("seed", range(5))
    def test_texts_that_are_always_together_stay_together(self, seed):
        rng = np.random.default_rng(seed)
        labels = rng.integers(8, size=(10, 120)).astype(np.int32)
        labels[:, 60:] = labels[:, :60]
        consensus = consensus_clusters(labels, 8, 6, seed)
        assert_array_equal(consensus.members[:60], consensus.members[60:])
        assert_allclose(consensus.typicality[:60], consensus.typicality[60:])

    @pytest.mark.slow
    def test_one_clustering(self):
        labels = np.repeat([0, 1, 2, 3], 15)[None].astype(np.int32)
        consensus = consensus_clusters(labels, 4, 4, 0)
        assert same_partition(consensus.members, labels[0])

    def test_empty_buckets_do_not_matter(self):
        truth = np.repeat([0, 1, 2], 30)
        labels, k = split_groups(truth, 2, 10, 5)
        first = consensus_clusters(labels, k, 3, 0)
        second = consensus_clusters(labels * 3, 3 * k, 3, 0)
        assert_array_equal(first.members, second.members)


class TestOrderAndSeed:
    def test_order_of_the_texts_does_not_matter(self):
        rng = np.random.default_rng(6)
        labels = rng.integers(12, size=(10, 240)).astype(np.int32)
        order = rng.permutation(240)
        first = consensus_clusters(labels, 12, 8, 0)
        second = consensus_clusters(labels[:, order], 12, 8, 0)
        assert_array_equal(second.members, first.members[order])

    def test_same_seed_same_clusters(self):
        labels = np.random.default_rng(7).integers(12, size=(10, 240)).astype(np.int32)
        first, second = (consensus_clusters(labels, 12, 8, 3) for _ in range(2))
        assert_array_equal(first.members, second.members)
        assert_array_equal(first.typicality, second.typicality)

    def test_names_of_buckets_do_not_matter_where_groups_are_clear(self):
        truth = np.repeat([0, 1, 2], 40)
        labels, k = split_groups(truth, 3, 10, 8)
        renamed = np.random.default_rng(9).permutation(k)[labels].astype(np.int32)
        first, second = (consensus_clusters(buckets, k, 3, 0) for buckets in (labels, renamed))
        assert same_partition(first.members, second.members)


class TestTypicality:
    def test_is_the_share_of_companions_in_the_cluster(self):
        """By hand: a text's buckets, and the share of each that is in its cluster."""
        truth = np.repeat([0, 1, 2], 20)
        labels, k = split_groups(truth, 2, 4, 10)
        labels[0, 0] = labels[0, -1]  # one text among those of another group, once
        consensus = consensus_clusters(labels, k, 3, 0)
        for i in (0, 5, 59):
            shares = [
                np.mean(consensus.members[buckets == buckets[i]] == consensus.members[i])
                for buckets in labels
            ]
            assert_allclose(consensus.typicality[i], np.mean(shares))
        assert consensus.typicality[0] < 1


class TestNumberOfClusters:
    def test_grows_with_the_texts_up_to_what_a_reader_takes(self):
        numbers = [default_clusters(n) for n in (20, 200, 1000, 2000, 10_000, 10**6)]
        assert numbers == sorted(numbers)
        assert numbers[0] >= 2
        assert numbers[-1] <= 40

    def test_is_checked(self):
        assert check_clusters("auto", 1000) == default_clusters(1000)
        assert check_clusters(2, 20) == 2
        for wrong in (1, 101, 2.5, True):
            with pytest.raises(InvalidParameterError, match="'n_clusters' parameter"):
                check_clusters(wrong, 1000)
        with pytest.raises(InvalidParameterError, match="an int or 'auto'"):
            check_clusters("many", 1000)
