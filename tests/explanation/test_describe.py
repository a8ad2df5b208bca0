"""Descriptions of clusters: words, texts, metadata, and measures of their texts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from topic_texts import TOPICS

from mauve.errors import InvalidParameterError
from mauve.explanation.clusters import Consensus
from mauve.explanation.describe import Describer, cluster_measures, text_measures
from mauve.explanation.texts import PairTexts
from mauve.lm.scorer import BundledScorer
from mauve.measures.perplexity import corpus_perplexity

TEXTS = ["It was a cold day.", "", "on and on and on", "Two words", "你好，世界", "\x00\x1b[31m 🎉"]


class Fixed:
    """A scorer whose log-probabilities are known: -1 for each of a text's words."""

    signature = "fixed"

    def __init__(self, value=-1.0):
        self.value = value

    def log_probabilities(self, texts, on_progress=None, prompts=None):
        if on_progress is not None:
            on_progress("scoring", len(texts), len(texts))
        return [np.full(len(text.split()), self.value) * (1 + i) for i, text in enumerate(texts)]


def as_dict(measures):
    return {measure.name: (measure.human, measure.model) for measure in measures}


class TestTextMeasures:
    def test_words_and_repetition(self):
        per_text = text_measures(TEXTS)
        assert sorted(per_text) == ["repetition", "words"]
        assert per_text["words"].tolist() == [5, 0, 5, 2, 4, 2]
        assert per_text["repetition"].tolist() == [0, 0, 1, 0, 0, 0]

    def test_perplexity_is_a_mean_over_tokens(self):
        seen = []
        per_text = text_measures(["a b", "", "c"], Fixed(), lambda *args: seen.append(args))
        assert per_text["tokens"].tolist() == [2, 0, 1]
        np.testing.assert_array_equal(per_text["perplexity"], [1, np.nan, 3])
        assert seen == [("scoring", 3, 3)]

    def test_no_texts(self):
        assert all(len(values) == 0 for values in text_measures([], Fixed()).values())

    @pytest.mark.parametrize("value", [-np.inf, np.nan])
    def test_probabilities_that_are_not_finite(self, value):
        with pytest.raises(InvalidParameterError, match=r"Got (-inf|nan) at position 1 instead"):
            text_measures(["", "a"], Fixed(value))


class TestClusterMeasures:
    def test_means_by_hand(self):
        measures = cluster_measures(text_measures(TEXTS), np.array([0, 3]), np.array([1, 2]))
        assert as_dict(measures) == {"words": (3.5, 2.5), "repetition": (0.0, 0.5)}

    def test_perplexity_is_that_of_all_tokens(self):
        """Of 2 tokens at 1 nat and 1 token at 3: exp(5/3), not the mean of exp(1) and exp(3)."""
        per_text = text_measures(["a b", "", "c"], Fixed())
        measures = as_dict(cluster_measures(per_text, np.array([0, 1, 2]), np.array([1])))
        assert measures["perplexity"] == (pytest.approx(np.exp(5 / 3), rel=1e-12), None)

    def test_perplexity_equals_the_measure(self):
        scorer = BundledScorer()
        rows = np.arange(len(TEXTS))
        measures = as_dict(cluster_measures(text_measures(TEXTS, scorer), rows, rows[:1]))
        scores = scorer.log_probabilities(TEXTS)
        # Batches differ, so that the last bits of float32 do.
        assert measures["perplexity"][0] == pytest.approx(corpus_perplexity(scores), rel=1e-5)
        assert measures["perplexity"][1] == pytest.approx(corpus_perplexity(scores[:1]), rel=1e-5)

    def test_a_sample_without_texts_has_no_values(self):
        none = np.array([], dtype=int)
        measures = as_dict(cluster_measures(text_measures(["a b"], Fixed()), np.array([0]), none))
        assert measures["words"] == (2.0, None)
        assert measures["repetition"] == (0.0, None)
        assert measures["perplexity"] == (pytest.approx(np.e), None)


def topic_of(text):
    return next(topic for topic, words in TOPICS.items() if text.split()[0] in words.split())


def is_about(cluster):
    """Return the topic that the metadata says dominates a cluster."""
    (dominance,) = cluster.metadata
    return dominance.value


class TestWords:
    @pytest.mark.slow
    def test_are_those_of_the_topic(self, explained):
        for cluster in explained["odd"].clusters:
            topic = TOPICS[is_about(cluster)].split()
            assert cluster.words
            for phrase in cluster.words:
                assert all(word in topic for word in phrase.phrase.split())
                assert phrase.share > phrase.other_share
            # A quotation, where the words are common in another cluster of the topic.
            named = cluster.name.removeprefix("texts like “")
            assert named.split()[0].strip(",") in topic

    def test_belong_to_the_cluster_and_not_to_the_system(self, explained):
        for fair, odd in zip(explained["fair"].clusters, explained["odd"].clusters, strict=False):
            if fair.number == odd.number:
                assert fair.words == odd.words
                assert fair.name == odd.name

    def test_of_a_sample_are_more_frequent_there(self, explained):
        """The five copies make their phrases the model's."""
        copied = explained["odd"].over[0]
        shares = [(phrase.share, phrase.other_share) for phrase in copied.model_words]
        assert all(share > other for share, other in shares)


class TestTexts:
    def test_are_of_the_cluster_and_of_the_sample(self, explained):
        for cluster in explained["odd"].clusters:
            for sample, shares in (
                ("human", cluster.typical_human + cluster.telling_human),
                ("odd", cluster.typical_model + cluster.telling_model),
            ):
                assert all(share.sample == sample for share in shares)
                assert all(share.cluster == cluster.number for share in shares)
                assert all(topic_of(share.text) == is_about(cluster) for share in shares)

    def test_are_as_many_as_asked_for_or_as_there_are(self, explained):
        for cluster in explained["fair"].clusters:
            assert len(cluster.typical_human) == min(5, cluster.n_human)
            assert len(cluster.telling_model) == min(5, cluster.n_model)

    def test_telling_ones_add_most(self, explained):
        """Up to a hundredth, where the most typical of them come first."""
        odd = explained["odd"]
        for cluster in odd.clusters:
            rows = [t for t in odd.texts() if t.cluster == cluster.number and t.sample == "odd"]
            if rows:
                best = max(share.log_ratio for share in rows)
                assert cluster.telling_model[0].log_ratio > best - 0.011

    def test_copies_are_listed_once(self, explained):
        for cluster in explained["odd"].clusters:
            for shares in (cluster.typical_model, cluster.telling_model):
                assert len({share.text for share in shares}) == len(shares)


class TestMetadata:
    def test_each_cluster_is_pure(self, explained):
        for cluster in explained["odd"].clusters:
            (dominance,) = cluster.metadata
            assert dominance.field == "topic"
            assert dominance.purity == 1
            assert dominance.chance_purity < 0.7
            assert dominance.entropy == 0
            assert dominance.enriched == dominance.value
            assert dominance.p_value < 0.01

    def test_the_field_is_summed_up(self, explained):
        (field,) = explained.fields
        assert field.field == "topic"
        assert field.n_values == 4
        assert field.n_texts == 450
        assert field.purity == 1
        assert field.chance_purity < 0.5
        assert field.p_value < 0.01
        assert explained.fields_left_out == {}


class TestMeasuresOfClusters:
    def test_words_and_repetition_of_both_samples(self, explained):
        for cluster in explained["odd"].clusters:
            measures = {measure.name: measure for measure in cluster.measures}
            assert set(measures) == {"words", "repetition"}
            assert (measures["words"].human is None) == (cluster.n_human == 0)
            assert (measures["words"].model is None) == (cluster.n_model == 0)
            if cluster.n_human:
                assert measures["words"].human == 30


class TestDescriber:
    """Six texts in two clusters on a line, the last two of the model."""

    FEATURES = np.array([[0.0], [1.0], [5.0], [7.0], [2.0], [9.0]], dtype=np.float32)
    MEMBERS = np.array([0, 0, 1, 1, 0, 1])

    def describe(self, texts=None):
        typicality = np.array([0.5, 0.9, 0.8, 0.6, 0.7, 1.0])
        describer = Describer(
            Consensus(self.MEMBERS, 2, typicality), self.FEATURES, texts, None, {}, {}, None, 2, 0
        )
        parts = np.array([0.1, 0.2, -0.1, 0.0, 0.3, 0.2])
        pair = PairTexts(("human", "model"), 4, parts, typicality, self.MEMBERS + 1, texts)
        return describer, describer.describe(np.arange(6), pair, ["same", "same"])

    def test_typical_is_nearest_to_the_mean_of_both_samples(self):
        _, (first, second) = self.describe()
        assert [share.index for share in first["typical_human"]] == [1, 0]
        assert [share.index for share in second["typical_human"]] == [1 + 2, 2]

    def test_telling_adds_most(self):
        _, (first, second) = self.describe()
        assert [share.index for share in first["telling_human"]] == [1, 0]
        assert [share.index for share in second["telling_human"]] == [3, 2]
        assert [share.index for share in second["telling_model"]] == [1]

    def test_stability_is_mean_typicality(self):
        describer, (first, second) = self.describe()
        assert_allclose([first["stability"], second["stability"]], [0.7, 0.8])
        assert_allclose(describer.closeness, [-1, 0, -2, 0, -1, -2])

    def test_clusters_without_words_are_named_by_number_or_by_a_text(self):
        assert [fields["name"] for fields in self.describe()[1]] == ["cluster 1", "cluster 2"]
        texts = ["a", "b " * 50, "c", "d\n\ne", "f", "g"]
        first, second = (fields["name"] for fields in self.describe(texts)[1])
        assert second == "texts like “d e”"
        assert len(first) < 60
        assert first.endswith("…”")
