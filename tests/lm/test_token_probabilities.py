"""Probabilities of human tokens are those of whole distributions, made one by one."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from tiny_models import CONTEXT, TEXTS
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.generation import TopKLogitsWarper, TopPLogitsWarper

from mauve.errors import InvalidParameterError
from mauve.lm.causal import TransformersScorer
from mauve.lm.decoding import Nucleus, parse_decoder
from mauve.lm.ngram import NGramModel
from mauve.lm.token_probabilities import token_probabilities
from mauve.text.words import tokenize

DECODERS = ["greedy", "ancestral", "temperature:0.7", "topk:5", "nucleus:0.8"]
PROMPTS = [f"{i} people said " * (i % 3) for i in range(len(TEXTS))]
SHORT = [text for text in TEXTS if len(text.encode()) < CONTEXT]


def direct(folder, decoder, texts, dtype=torch.float64):
    """Return p(token) and sums of squares, of texts that fit the context."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    chances, squares = [], []
    for text in texts:
        own = tokenizer(text, add_special_tokens=False)["input_ids"]
        for end, token in enumerate(own):
            ids = torch.tensor([[tokenizer.bos_token_id, *own[:end]]])
            with torch.no_grad():
                row = model(input_ids=ids).logits[0, -1].softmax(0).numpy()
            found = parse_decoder(decoder)(row)
            chances.append(found[token])
            squares.append((found**2).sum())
    return np.array(chances), np.array(squares)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_whole_distributions_in_float64(tiny, kind):
    found = token_probabilities(tiny(kind), DECODERS, SHORT, device="cpu", dtype="float64")
    for decoder, own in zip(DECODERS, found, strict=True):
        chances, squares = direct(tiny(kind), decoder, SHORT)
        assert_allclose(own.probability, chances, atol=1e-8)
        assert_allclose(own.sum_of_squares, squares, atol=1e-8)
        assert own.vocabulary_size == len(AutoTokenizer.from_pretrained(tiny(kind)))
        assert own.starts[-1] == len(chances)


def test_float32_is_about_the_same(tiny):
    wide = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, device="cpu", dtype="float64")
    found = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, device="cpu")
    for own, expected in zip(found, wide, strict=True):
        # Where two probabilities are nearly equal, either may be the one that is cut.
        assert (np.abs(own.probability - expected.probability) < 1e-4).mean() > 0.995
        assert_array_equal(own.starts, expected.starts)
        assert own.probability.dtype == own.sum_of_squares.dtype == np.float64


def test_ancestral_is_what_the_scorer_says_also_in_windows_and_after_prompts(tiny):
    options = {"device": "cpu", "dtype": "float64", "max_length": 30, "stride": 10}
    (found,) = token_probabilities(tiny("gpt2"), ["ancestral"], TEXTS, PROMPTS, **options)
    scores = TransformersScorer(tiny("gpt2"), **options).log_probabilities(TEXTS, prompts=PROMPTS)
    assert_allclose(np.log(found.probability), np.concatenate(scores), atol=1e-9)
    assert_array_equal(np.diff(found.starts), [len(text) for text in scores])


@pytest.mark.parametrize(
    ("decoder", "warper"),
    [("topk:7", TopKLogitsWarper(top_k=7)), ("nucleus:0.9", TopPLogitsWarper(top_p=0.9))],
)
def test_warpers_of_transformers(tiny, decoder, warper):
    (found,) = token_probabilities(tiny("gpt2"), [decoder], SHORT[:3], device="cpu")
    tokenizer = AutoTokenizer.from_pretrained(tiny("gpt2"))
    model = AutoModelForCausalLM.from_pretrained(tiny("gpt2")).eval()
    chances = []
    for text in SHORT[:3]:
        ids = torch.tensor([[0, *tokenizer(text)["input_ids"]]])
        with torch.no_grad():
            logits = model(input_ids=ids).logits[0, :-1]
        shares = warper(ids, logits).softmax(1)
        chances += shares.gather(1, ids[0, 1:, None])[:, 0].tolist()
    assert_allclose(found.probability, chances, atol=1e-5)


def test_batches_and_chunks_do_not_change_anything(tiny, monkeypatch):
    expected = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, device="cpu", dtype="float64")
    monkeypatch.setattr("mauve.lm.causal._CPU_LOGITS", 3000)
    found = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, device="cpu", dtype="float64")
    for own, other in zip(found, expected, strict=True):
        assert_allclose(own.probability, other.probability, atol=1e-10)
        assert_allclose(own.sum_of_squares, other.sum_of_squares, atol=1e-10)


def test_the_bundled_model():
    (found,) = token_probabilities("bundled", ["greedy"], ["The cat sat on the mat."], device="cpu")
    assert set(found.probability.tolist()) <= {0.0, 1.0}
    assert_array_equal(found.sum_of_squares, 1)
    assert found.vocabulary_size == 8192


def test_an_ngram_model():
    model = NGramModel.fit([tokenize("a rose is a rose"), tokenize("a rose is red")], order=3)
    texts, prompts = ["a rose is", "", "is red"], ["", "a", "a rose "]
    found = token_probabilities(model, ["ancestral", Nucleus(0.6)], texts, prompts)
    for own, decoder in zip(found, [lambda row: row, Nucleus(0.6)], strict=True):
        chances, squares = [], []
        for text, prompt in zip(texts, prompts, strict=True):
            before = model.encode(prompt)
            for token in model.encode(text):
                row = decoder(model.next([before])[0])
                chances.append(row[token])
                squares.append((row**2).sum())
                before.append(token)
        assert_allclose(own.probability, chances, atol=1e-12)
        assert_allclose(own.sum_of_squares, squares, atol=1e-12)
        assert own.starts.tolist() == [0, 3, 3, len(chances)]
        assert own.vocabulary_size == model.vocabulary_size


def test_no_texts_and_no_decoders(tiny):
    (found,) = token_probabilities(tiny("gpt2"), ["greedy"], ["", ""], device="cpu")
    assert found.starts.tolist() == [0, 0, 0]
    assert token_probabilities(tiny("gpt2"), [], ["a"], device="cpu") == []


def test_errors(tiny):
    with pytest.raises(
        InvalidParameterError, match="'model' parameter of token_probabilities must"
    ):
        token_probabilities(tiny("bert"), ["greedy"], ["a"], device="cpu")
    with pytest.raises(InvalidParameterError, match="'spec' parameter of parse_decoder"):
        token_probabilities(tiny("gpt2"), ["beam"], ["a"])
    with pytest.raises(InvalidParameterError, match=r"a list of decoders. Got 'greedy'"):
        token_probabilities(tiny("gpt2"), "greedy", ["a"])
    with pytest.raises(InvalidParameterError, match="a list of 1, one for each text"):
        token_probabilities(tiny("gpt2"), ["greedy"], ["a"], ["b", "c"], device="cpu")
