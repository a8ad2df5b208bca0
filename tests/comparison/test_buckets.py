"""Buckets of one system, and those of all samples together."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from ranked_clouds import QUICK, clouds

import mauve
from mauve import compare
from mauve.comparison.buckets import (
    PairBuckets,
    clustering_to_explain,
    counted_by,
    joint_clustering,
    joint_pair,
)
from mauve.comparison.settings import Settings
from mauve.embed.load import load_samples
from mauve.quantize.classifier import Classifier
from mauve.quantize.kmeans import KMeans
from mauve.quantize.pairwise import SortedSample, cluster_pair
from mauve.quantize.registry import plan_buckets

N_HUMAN, N_MODEL = 150, 120


@pytest.fixture(scope="module")
def samples():
    human, systems = clouds(0)
    return load_samples({"human": human, "near": systems["near"][:N_MODEL], "far": systems["far"]})


def settings_of(**changed):
    defaults = {
        "clustering": "pair", "scaling": 5, "estimator": "jackknife", "confidence": 0.95,
        "interval": "influence", "n_bootstrap": 200, "n_permutations": 20,
        "explained_variance": 0.9, "order": "norm-pca", "seed": 0, "by_prompt": False,
    }  # fmt: skip
    return Settings(**{**defaults, **changed})


def plan(quantizer=None, **options):
    return plan_buckets(quantizer or KMeans(), 8, N_MODEL, n_clusterings=5, **options)


class TestPairBuckets:
    @pytest.mark.parametrize("quantizer", [KMeans(), Classifier()])
    def test_are_learnt_from_the_human_texts_and_one_system(self, samples, quantizer):
        buckets = PairBuckets(samples, settings_of())
        chosen = plan(quantizer)
        pair = buckets.pair("near", buckets.sorted("near"), chosen)
        expected = cluster_pair(
            SortedSample.of(samples.features["human"]),
            SortedSample.of(samples.features["near"]),
            quantizer=quantizer,
            num_buckets=8,
            n_learning=chosen.n_learning,
            n_clusterings=5,
            seed=0,
        )
        assert_array_equal(pair.labels, expected.labels)
        assert_array_equal(pair.counted, expected.counted)
        assert_array_equal(pair.is_human, np.arange(N_HUMAN + N_MODEL) < N_HUMAN)
        assert pair.num_buckets == 8

    def test_settings_reach_the_clustering(self, samples):
        labels = []
        for changed in ({}, {"seed": 1}, {"order": "pca-norm"}, {"explained_variance": 0.3}):
            buckets = PairBuckets(samples, settings_of(**changed))
            labels.append(buckets.pair("near", buckets.sorted("near"), plan()).labels)
        for other in labels[1:]:
            assert np.any(other != labels[0])

    @pytest.mark.parametrize("estimator", ["plugin", "laplace"])
    def test_estimators_with_a_bias_count_all_texts(self, samples, estimator):
        buckets = PairBuckets(samples, settings_of(estimator=estimator))
        assert buckets.pair("near", buckets.sorted("near"), plan()).counted.all()
        buckets = PairBuckets(samples, settings_of())
        pair = buckets.pair("near", buckets.sorted("near"), plan())
        assert not pair.counted.all()
        assert counted_by(pair, settings_of()) is pair

    def test_texts_of_one_prompt_are_one_group(self):
        human, systems = clouds(0)
        prompts = {"human": np.arange(150) // 3, "near": np.arange(150) // 2}
        samples = load_samples({"human": human, "near": systems["near"]}, prompts=prompts)
        buckets = PairBuckets(samples, settings_of(by_prompt=True))
        pair = buckets.pair("near", buckets.sorted("near"), plan())
        joined = np.concatenate([prompts["human"], prompts["near"]])
        same = joined[:, None] == joined[None]
        assert_array_equal(pair.groups[:, None] == pair.groups[None], same)


class TestJoint:
    def test_a_pair_has_the_rows_of_its_samples(self, samples):
        done = []
        clustering = joint_clustering(samples, settings_of(clustering="joint"), plan(), done.append)
        assert sorted(done) == [1, 2, 3, 4, 5]
        pair = joint_pair(samples, clustering, 8, "far")
        rows = np.r_[0:150, 270:420]
        assert_array_equal(pair.labels, clustering.labels[:, rows])
        assert_array_equal(pair.counted, clustering.held_out[:, rows])
        assert_array_equal(pair.blocks, clustering.blocks[rows])

    @pytest.mark.slow
    def test_learning_is_from_two_fifths_of_all_texts(self):
        human, systems = clouds(1)
        with pytest.raises(mauve.InvalidParameterError, match=r"'n_learning' .* left out for clus"):
            compare(human, systems, clustering="joint", n_learning=60)
        comparison = compare(human, systems, clustering="joint", **QUICK)
        for result in comparison.values():
            assert result.n_learning is None
            assert_array_equal(result.counted.mean(axis=1), 0.6)
        auto = compare(human, systems, **{**QUICK, "num_buckets": "auto"}, clustering="joint")
        assert auto["near"].num_buckets == 15  # the paper's, a tenth of the texts

    @pytest.mark.parametrize("n_clusterings", [2, 7])
    def test_clusterings_count_every_text_equally_often(self, n_clusterings):
        with pytest.raises(mauve.InvalidParameterError, match=r"(a multiple|at least 5).* blocks"):
            compare(*clouds(1), clustering="joint", n_clusterings=n_clusterings)


class TestExplained:
    @pytest.mark.slow
    def test_clusters_are_those_of_kmeans_whatever_the_scores_are_by(self):
        human, systems = clouds(2, n=200)
        explanations = [
            mauve.explain(
                compare(human, systems, quantizer=quantizer, n_clusterings=5, n_permutations=0),
                n_permutations=100,
            )
            for quantizer in ("kmeans", "classifier")
        ]
        assert_array_equal(explanations[0].assignment, explanations[1].assignment)
        for name in systems:
            first, second = (
                [(c.n_human, c.n_model, c.p_value) for c in explanation[name].clusters]
                for explanation in explanations
            )
            assert first == second

    def test_all_samples_are_clustered_together_in_the_paper_s_number(self, samples):
        clustering, num_buckets = clustering_to_explain(samples, settings_of())
        assert num_buckets == 12
        assert clustering.labels.shape == (40, 420)
        assert clustering.labels.max() < 12
