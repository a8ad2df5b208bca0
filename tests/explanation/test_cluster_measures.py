"""Measures of clusters: means by hand, perplexity of all tokens, sides without texts."""

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.explanation.describe import cluster_measures, text_measures
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


class TestTexts:
    def test_words_and_repetition(self):
        found = text_measures(TEXTS)
        assert sorted(found) == ["repetition", "words"]
        assert found["words"].tolist() == [5, 0, 5, 2, 4, 2]
        assert found["repetition"].tolist() == [0, 0, 1, 0, 0, 0]

    def test_perplexity_is_a_mean_over_tokens(self):
        seen = []
        found = text_measures(["a b", "", "c"], Fixed(), lambda *args: seen.append(args))
        assert found["tokens"].tolist() == [2, 0, 1]
        np.testing.assert_array_equal(found["perplexity"], [1, np.nan, 3])
        assert seen == [("scoring", 3, 3)]

    def test_no_texts(self):
        assert all(len(values) == 0 for values in text_measures([], Fixed()).values())

    @pytest.mark.parametrize("value", [-np.inf, np.nan])
    def test_probabilities_that_are_not_finite(self, value):
        with pytest.raises(InvalidParameterError, match=r"Got (-inf|nan) at position 1 instead"):
            text_measures(["", "a"], Fixed(value))


class TestClusters:
    def test_means_by_hand(self):
        found = cluster_measures(text_measures(TEXTS), np.array([0, 3]), np.array([1, 2]))
        assert as_dict(found) == {"words": (3.5, 2.5), "repetition": (0.0, 0.5)}

    def test_perplexity_is_that_of_all_tokens(self):
        """Of 2 tokens at 1 nat and 1 token at 3: exp(5/3), not the mean of exp(1) and exp(3)."""
        per_text = text_measures(["a b", "", "c"], Fixed())
        found = as_dict(cluster_measures(per_text, np.array([0, 1, 2]), np.array([1])))
        assert found["perplexity"] == (pytest.approx(np.exp(5 / 3), rel=1e-12), None)

    def test_perplexity_equals_the_measure(self):
        scorer = BundledScorer()
        rows = np.arange(len(TEXTS))
        found = as_dict(cluster_measures(text_measures(TEXTS, scorer), rows, rows[:1]))
        scores = scorer.log_probabilities(TEXTS)
        # Batches differ, so that the last bits of float32 do.
        assert found["perplexity"][0] == pytest.approx(corpus_perplexity(scores), rel=1e-5)
        assert found["perplexity"][1] == pytest.approx(corpus_perplexity(scores[:1]), rel=1e-5)

    def test_a_side_without_texts_has_no_values(self):
        none = np.array([], dtype=int)
        found = as_dict(cluster_measures(text_measures(["a b"], Fixed()), np.array([0]), none))
        assert found["words"] == (2.0, None)
        assert found["repetition"] == (0.0, None)
        assert found["perplexity"] == (pytest.approx(np.e), None)
