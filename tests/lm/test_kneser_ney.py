"""Kneser–Ney against counts by hand and against its definition, word for word."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mauve.lm.kneser_ney import KneserNey, discount

N_WORDS = 6  # the last one never occurs
WORDS = st.integers(0, N_WORDS - 2)
DOCUMENTS = st.lists(st.lists(WORDS, max_size=12), min_size=1, max_size=5).filter(any)
CONTEXTS = st.lists(st.integers(0, N_WORDS - 1), max_size=6)


class TestDiscount:
    @pytest.mark.parametrize(
        ("counts", "expected"),
        [
            ([1, 1, 1, 2, 2, 3], 3 / 7),
            ([1, 2], 1 / 3),
            ([2, 2, 3], 1 / 2),  # nothing was seen once
            ([1, 1, 3], 1 / 2),  # nothing was seen twice
            ([], 1 / 2),
        ],
    )
    def test_hand_values(self, counts, expected):
        assert discount(np.array(counts, dtype=np.int64)) == expected


class TestCountByHand:
    """Documents a b a $ and a b $, with ^ before each; words $ = 0, a = 1, b = 2, one unseen.

    Unigrams count the distinct words before them: $ after a, b; a after ^, b; b after a.
    Counts 2, 2, 1 of 5 and D = 1/(1 + 2·2) = 1/5, so (1/5)·3/5 = 12% goes to the uniform
    distribution: 3% a word.

        P($) = (2 - 1/5)/5 + 3% = 39%,  P(a) = 39%,  P(b) = (1 - 1/5)/5 + 3% = 19%,  3%
    """

    DOCUMENTS = ([1, 2, 1, 0], [1, 2, 0])
    UNIGRAM = np.array([0.39, 0.39, 0.19, 0.03])

    # Bigrams, as the longest, by their counts: ^a 2, ab 2, ba 1, a$ 1, b$ 1; D = 3/(3 + 2·2).
    # After ^: a 2 of 2, and D·1/2 is left. After a: b 2 and $ 1 of 3, and D·2/3 is left.
    # After b: a and $ 1 of 2, and D·2/2 is left.
    @pytest.mark.parametrize(
        ("context", "seen", "left"),
        [
            ([], [0, (2 - 3 / 7) / 2, 0, 0], 3 / 14),
            ([1], [(1 - 3 / 7) / 3, 0, (2 - 3 / 7) / 3, 0], 2 / 7),
            ([1, 2], [(1 - 3 / 7) / 2, (1 - 3 / 7) / 2, 0, 0], 3 / 7),
            ([1, 3], [0, 0, 0, 0], 1),  # never seen: the unigrams
        ],
    )
    def test_bigrams(self, context, seen, left):
        model = KneserNey.estimate(self.DOCUMENTS, order=2, n_words=4)
        expected = np.array(seen) + left * self.UNIGRAM
        assert_allclose(model.distribution(context), expected, rtol=1e-14)

    # Trigrams: ^ab 2, aba 1, ba$ 1, ab$ 1; D = 3/(3 + 2·1) = 3/5. Bigrams by the distinct
    # words before them: ab 1 (^, both times), ba 1, a$ 1, b$ 1, and ^a by its count of 2, as
    # nothing is before ^; D = 4/(4 + 2·1) = 2/3. After a there are b and $, 1 of 2 each, and
    # D·2/2 is left; after ^ there is a, 2 of 2, and D·1/2 is left.
    def test_trigrams(self):
        model = KneserNey.estimate(self.DOCUMENTS, order=3, n_words=4)
        after_a = np.array([1 / 6, 0, 1 / 6, 0]) + 2 / 3 * self.UNIGRAM
        after_start_a = np.array([0, 0, (2 - 3 / 5) / 2, 0]) + 3 / 10 * after_a
        after_start = np.array([0, (2 - 2 / 3) / 2, 0, 0]) + 1 / 3 * self.UNIGRAM
        assert_allclose(model.distribution([1]), after_start_a, rtol=1e-14)
        assert_allclose(model.distribution([3, 1]), after_a, rtol=1e-14)
        assert_allclose(model.distribution([]), after_start, rtol=1e-14)


@pytest.mark.slow
@given(DOCUMENTS, st.integers(1, 5), CONTEXTS)
def test_is_a_positive_distribution_after_any_context(documents, order, context):
    probabilities = KneserNey.estimate(documents, order, N_WORDS).distribution(context)
    assert probabilities.shape == (N_WORDS,)
    assert probabilities.min() > 0
    assert abs(probabilities.sum() - 1) < 1e-12


@given(DOCUMENTS, st.integers(1, 5), CONTEXTS)
def test_follows_the_definition(documents, order, context):
    probabilities = KneserNey.estimate(documents, order, N_WORDS).distribution(context)
    expected = _by_definition(documents, order, context)
    assert_allclose(probabilities, expected, rtol=1e-12)  # some twenty roundings


def _by_definition(documents, order, context):
    texts = [("^", *document) for document in documents]
    seen = {
        n: [t[i : i + n] for t in texts for i in range(len(t) - n + 1) if t[i + n - 1] != "^"]
        for n in range(1, order + 1)
    }

    def count(gram):
        if len(gram) == order or gram[0] == "^":
            return seen[len(gram)].count(gram)
        return len({longer[0] for longer in seen[len(gram) + 1] if longer[1:] == gram})

    def probability(word, h):
        after = [count((*h, v)) for v in range(N_WORDS)]
        shorter = probability(word, h[1:]) if h else 1 / N_WORDS
        if not sum(after):
            return shorter
        d = discount(np.array([count(gram) for gram in set(seen[len(h) + 1])]))
        left = d * np.count_nonzero(after) / sum(after)
        return max(after[word] - d, 0) / sum(after) + left * shorter

    h = ("^", *context)[-(order - 1) :] if order > 1 else ()
    return [probability(word, h) for word in range(N_WORDS)]


@given(DOCUMENTS, st.integers(1, 5), CONTEXTS)
def test_score_is_the_distribution_at_each_word(documents, order, scored):
    model = KneserNey.estimate(documents, order, N_WORDS)
    expected = [model.distribution(scored[:i])[word] for i, word in enumerate(scored)]
    assert_allclose(model.score(scored), expected, rtol=1e-14)


def test_documents_shorter_than_the_order():
    model = KneserNey.estimate([[1, 0]], order=9, n_words=3)
    assert len(model.levels) == 2  # contexts ^ and ^ 1
    assert_allclose(model.distribution([1] * 20).sum(), 1, rtol=1e-14)
