"""Probabilities of human tokens equal those of whole distributions, computed one by one."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from tiny_models import CONTEXT, TEXTS
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.generation import TopKLogitsWarper, TopPLogitsWarper

from mauve.errors import InvalidParameterError
from mauve.lm.causal import TransformersScorer
from mauve.lm.decoding import Nucleus, parse_sampler
from mauve.lm.ngram import NGramModel
from mauve.lm.probabilities import token_probabilities
from mauve.text.words import tokenize

DECODERS = ["greedy", "ancestral", "temperature:0.7", "topk:5", "nucleus:0.8"]
PROMPTS = [f"{i} people said " * (i % 3) for i in range(len(TEXTS))]
SHORT = [text for text in TEXTS if len(text.encode()) < CONTEXT]


def direct(folder, decoder, texts, dtype=torch.float64):
    """Return p(token) and sums of squares, of texts that fit the context."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    probabilities, squares = [], []
    for text in texts:
        text_ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        for end, token in enumerate(text_ids):
            ids = torch.tensor([[tokenizer.bos_token_id, *text_ids[:end]]])
            with torch.no_grad():
                row = model(input_ids=ids).logits[0, -1].softmax(0).numpy()
            distribution = parse_sampler(decoder)(row)
            probabilities.append(distribution[token])
            squares.append((distribution**2).sum())
    return np.array(probabilities), np.array(squares)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_whole_distributions_in_float64(tiny, kind):
    tables = token_probabilities(tiny(kind), DECODERS, SHORT, device="cpu", dtype="float64")
    for decoder, table in zip(DECODERS, tables, strict=True):
        probabilities, squares = direct(tiny(kind), decoder, SHORT)
        assert_allclose(table.probability, probabilities, atol=1e-8)
        assert_allclose(table.sum_of_squares, squares, atol=1e-8)
        assert table.vocabulary_size == len(AutoTokenizer.from_pretrained(tiny(kind)))
        assert table.starts[-1] == len(probabilities)


def test_float32_is_about_the_same(tiny):
    wide = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, device="cpu", dtype="float64")
    narrow = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, device="cpu")
    for actual, expected in zip(narrow, wide, strict=True):
        # Where two probabilities are nearly equal, either may be the one that is cut.
        assert (np.abs(actual.probability - expected.probability) < 1e-4).mean() > 0.995
        assert_array_equal(actual.starts, expected.starts)
        assert actual.probability.dtype == actual.sum_of_squares.dtype == np.float64


def test_ancestral_is_what_the_scorer_says_also_in_windows_and_after_prompts(tiny):
    options = {"device": "cpu", "dtype": "float64", "max_length": 30, "stride": 10}
    (table,) = token_probabilities(tiny("gpt2"), ["ancestral"], TEXTS, PROMPTS, **options)
    scores = TransformersScorer(tiny("gpt2"), **options).log_probabilities(TEXTS, prompts=PROMPTS)
    assert_allclose(np.log(table.probability), np.concatenate(scores), atol=1e-9)
    assert_array_equal(np.diff(table.starts), [len(text) for text in scores])


@pytest.mark.parametrize(
    ("decoder", "warper"),
    [("topk:7", TopKLogitsWarper(top_k=7)), ("nucleus:0.9", TopPLogitsWarper(top_p=0.9))],
)
def test_warpers_of_transformers(tiny, decoder, warper):
    (table,) = token_probabilities(tiny("gpt2"), [decoder], SHORT[:3], device="cpu")
    tokenizer = AutoTokenizer.from_pretrained(tiny("gpt2"))
    model = AutoModelForCausalLM.from_pretrained(tiny("gpt2")).eval()
    probabilities = []
    for text in SHORT[:3]:
        ids = torch.tensor([[0, *tokenizer(text)["input_ids"]]])
        with torch.no_grad():
            logits = model(input_ids=ids).logits[0, :-1]
        shares = warper(ids, logits).softmax(1)
        probabilities += shares.gather(1, ids[0, 1:, None])[:, 0].tolist()
    assert_allclose(table.probability, probabilities, atol=1e-5)


def test_batches_and_chunks_do_not_change_anything(tiny):
    options = {"device": "cpu", "dtype": "float64"}
    whole = token_probabilities(tiny("gpt2"), DECODERS, TEXTS, **options)
    parts = token_probabilities(
        tiny("gpt2"), DECODERS, TEXTS, **options, token_budget=60, logit_budget=3000
    )
    for actual, expected in zip(parts, whole, strict=True):
        assert_allclose(actual.probability, expected.probability, atol=1e-10)
        assert_allclose(actual.sum_of_squares, expected.sum_of_squares, atol=1e-10)


def test_the_bundled_model():
    (table,) = token_probabilities("bundled", ["greedy"], ["The cat sat on the mat."], device="cpu")
    assert set(table.probability.tolist()) <= {0.0, 1.0}
    assert_array_equal(table.sum_of_squares, 1)
    assert table.vocabulary_size == 8192


def test_an_ngram_model():
    model = NGramModel.fit([tokenize("a rose is a rose"), tokenize("a rose is red")], order=3)
    texts, prompts = ["a rose is", "", "is red"], ["", "a", "a rose "]
    tables = token_probabilities(model, ["ancestral", Nucleus(0.6)], texts, prompts)
    for table, decoder in zip(tables, [lambda row: row, Nucleus(0.6)], strict=True):
        probabilities, squares = [], []
        for text, prompt in zip(texts, prompts, strict=True):
            before = model.encode(prompt)
            for token in model.encode(text):
                row = decoder(model.next([before])[0])
                probabilities.append(row[token])
                squares.append((row**2).sum())
                before.append(token)
        assert_allclose(table.probability, probabilities, atol=1e-12)
        assert_allclose(table.sum_of_squares, squares, atol=1e-12)
        assert table.starts.tolist() == [0, 3, 3, len(probabilities)]
        assert table.vocabulary_size == model.vocabulary_size


def test_no_texts_and_no_decoders(tiny):
    (table,) = token_probabilities(tiny("gpt2"), ["greedy"], ["", ""], device="cpu")
    assert table.starts.tolist() == [0, 0, 0]
    assert token_probabilities(tiny("gpt2"), [], ["a"], device="cpu") == []


def test_errors(tiny):
    with pytest.raises(
        InvalidParameterError, match="'model' parameter of token_probabilities must"
    ):
        token_probabilities(tiny("bert"), ["greedy"], ["a"], device="cpu")
    with pytest.raises(
        InvalidParameterError, match=r"'decoders' parameter of token_prob.* distribution"
    ):
        token_probabilities(tiny("gpt2"), ["beam"], ["a"])
    with pytest.raises(InvalidParameterError, match=r"a list of decoders. Got 'greedy'"):
        token_probabilities(tiny("gpt2"), "greedy", ["a"])
    with pytest.raises(InvalidParameterError, match="a list of 1, one for each text"):
        token_probabilities(tiny("gpt2"), ["greedy"], ["a"], ["b", "c"], device="cpu")
