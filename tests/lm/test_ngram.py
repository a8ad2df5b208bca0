"""The model of words: its vocabulary, its symbols and its scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mauve.errors import InvalidParameterError
from mauve.lm.ngram import END, UNKNOWN, NGramModel
from mauve.text.words import tokenize

WORDS = ["a", "b", " c", "\n", "<end>", "<unk>"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=10), min_size=1, max_size=5)
CONTEXTS = st.lists(st.sampled_from([*WORDS, "never seen"]), max_size=6)


@pytest.fixture(scope="module")
def model():
    """Return the bigrams that tests/lm/test_kneser_ney.py counts by hand."""
    return NGramModel.fit([["a", "b", "a"], ["a", "b"]], order=2)


# P(a|^), P(b|a) and P($|b), from the same count by hand.
A, B, DOLLAR = 11 / 14 + 3 / 14 * 0.39, 11 / 21 + 2 / 7 * 0.19, 2 / 7 + 3 / 7 * 0.39


@given(DOCUMENTS.filter(any), st.integers(1, 4), CONTEXTS)
def test_probabilities_add_up_to_one_and_none_is_zero(documents, order, context):
    model = NGramModel.fit(documents, order=order)
    probabilities = model.probabilities(context)
    assert probabilities.shape == (model.vocabulary_size,)
    assert probabilities.dtype == np.float64
    assert probabilities.min() > 0
    assert abs(probabilities.sum() - 1) < 1e-12


def test_vocabulary_is_sorted_after_the_symbols(model):
    assert model.vocabulary == ("<end>", "<unk>", "a", "b")
    assert model.vocabulary_size == 4
    assert model.end == END == 0
    assert UNKNOWN == 1


def test_order_of_documents_does_not_matter():
    documents = [["b", "a"], ["a", "c", "a"], ["c"]]
    model, reordered = NGramModel.fit(documents), NGramModel.fit(documents[::-1])
    assert model.vocabulary == reordered.vocabulary
    np.testing.assert_array_equal(model.probabilities(["a"]), reordered.probabilities(["a"]))


def test_words_spelt_like_the_symbols_are_words():
    model = NGramModel.fit([["<end>", "<unk>", "<end>"]], order=1)
    assert model.vocabulary == ("<end>", "<unk>", "<end>", "<unk>")
    probabilities = model.probabilities([])
    assert probabilities[2:].min() > probabilities[UNKNOWN]  # both occur, the unknown word does not


def test_probabilities_by_hand(model):
    assert_allclose(model.probabilities([])[2], A, rtol=1e-14)
    assert_allclose(model.probabilities(["a"])[3], B, rtol=1e-14)
    assert_allclose(model.probabilities(["a", "b"])[END], DOLLAR, rtol=1e-14)


def test_any_unknown_word_has_the_probability_of_one(model):
    assert_allclose(model.probabilities([])[UNKNOWN], 3 / 14 * 0.03, rtol=1e-13)
    assert model.log_probability(["x"]) == model.log_probability(["never seen"])
    # After a word never seen there are only the unigrams.
    assert_allclose(model.probabilities(["a", "x"]), [0.39, 0.03, 0.39, 0.19], rtol=1e-14)


def test_log_probability_by_hand(model):
    expected = np.log(A) + np.log(B) + np.log(DOLLAR)
    assert model.log_probability(["a", "b"]) == pytest.approx(expected, rel=1e-14)


def test_perplexity_by_hand(model):
    # a b $ and x $: five words, with P(x|^) the unknown word's and P($|x) the unigram's.
    product = A * B * DOLLAR * (3 / 14 * 0.03) * 0.39
    documents = [["a", "b"], ["x"]]
    assert model.perplexity(documents) == pytest.approx(product ** (-1 / 5), rel=1e-13)
    product /= 3 / 14 * 0.03
    perplexity = model.perplexity(documents, unknown="skip")
    assert perplexity == pytest.approx(product ** (-1 / 4), rel=1e-13)


def test_longer_contexts_predict_text_better():
    text = "the cat sat on the mat and the dog sat on the rug. "
    documents = [tokenize(text * 3), tokenize(text * 2)]
    perplexities = [NGramModel.fit(documents, order=n).perplexity(documents) for n in (1, 2, 3, 4)]
    assert perplexities == sorted(perplexities, reverse=True)


class TestCausalModel:
    def test_encode_and_decode_are_inverse_for_known_words(self):
        text = "It isn't so,\n\n  is it?"
        model = NGramModel.fit([tokenize(text)])
        assert model.decode(model.encode(text)) == text

    def test_encode_marks_unknown_words(self, model):
        assert model.encode("a,b") == [2, UNKNOWN, 3]

    def test_next_is_the_distribution_without_the_unknown_word(self, model):
        probabilities = model.next([[], [2], [2, UNKNOWN]])
        assert probabilities.shape == (3, 4)
        assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-14)
        assert not probabilities[:, UNKNOWN].any()
        expected = model.probabilities(["a"])
        expected[UNKNOWN] = 0
        assert_allclose(probabilities[1], expected / expected.sum(), rtol=1e-14)


class TestErrors:
    @pytest.mark.parametrize("order", [0, 2.0, True])
    def test_order(self, order):
        match = r"'order' parameter of NGramModel\.fit must be an int of at least 1\. Got"
        with pytest.raises(InvalidParameterError, match=match):
            NGramModel.fit([["a"]], order=order)

    @pytest.mark.parametrize("documents", [[], [[], []]])
    def test_no_tokens(self, documents):
        match = rf"must hold at least one token\. Got {len(documents)} documents without any"
        with pytest.raises(InvalidParameterError, match=match):
            NGramModel.fit(documents)

    def test_texts_instead_of_tokens(self, model):
        match = r"'{}' parameter of NGramModel\.{} must be tokens, as .*tokenize .* Got 'a b' "
        with pytest.raises(InvalidParameterError, match=match.format("documents", "fit")):
            NGramModel.fit(["a b"])
        with pytest.raises(InvalidParameterError, match=match.format("context", "probabilities")):
            model.probabilities("a b")
        with pytest.raises(InvalidParameterError, match=match.format("tokens", "log_probability")):
            model.log_probability("a b")
        with pytest.raises(InvalidParameterError, match=match.format("documents", "perplexity")):
            model.perplexity(["a b"])

    def test_no_documents_to_score(self, model):
        with pytest.raises(InvalidParameterError, match=r"at least one document\. Got \[\]"):
            model.perplexity([])

    def test_unknown_treatment_of_unknown_words(self, model):
        match = r"'unknown' parameter .* must be one of 'score', 'skip'\. Got 'drop'"
        with pytest.raises(InvalidParameterError, match=match):
            model.perplexity([["a"]], unknown="drop")
