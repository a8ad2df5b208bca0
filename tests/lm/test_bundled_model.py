"""The bundled model in NumPy is the one that ONNX Runtime runs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mauve.lm.bundled_model import BundledModel
from mauve.lm.decoding import parse_decoder
from mauve.lm.generation import CausalModelWriter
from mauve.lm.scorer import get_scorer
from mauve.lm.writing import WritingOptions

TEXTS = ["The cat sat on the mat, and then it went home.", "It was late — naïvely so."]


def test_probabilities_are_those_of_the_scorer():
    model = BundledModel()
    for text, scores in zip(TEXTS, get_scorer("bundled").log_probabilities(TEXTS), strict=True):
        ids = model.encode(text)
        rows = [model.next([ids[:end]])[0] for end in range(len(ids))]
        assert_allclose([row.sum() for row in rows], 1, rtol=1e-12)
        logs = [np.log(row[token]) for row, token in zip(rows, ids, strict=True)]
        assert_allclose(logs, scores, atol=2e-3)  # in 32 bits, with another exponential


def test_kept_keys_and_values_change_nothing():
    contexts = [[5, 6, 7], [], [9], [5, 6, 8]]
    model = BundledModel()
    model.next(contexts)
    grown = [[*contexts[3], 1], [*contexts[0], 2], [1, 2], [*contexts[1], 3]]  # in another order
    anew = np.concatenate([BundledModel().next([context]) for context in grown])
    assert_allclose(model.next(grown), anew, rtol=1e-11)


def test_batch_size_does_not_change_texts():
    prompts = ["The old man", "It", "", "In the year", "She said", "a"]
    for spec in ("nucleus:0.9", "adversarial:perplexity=50"):
        written = [
            list(
                CausalModelWriter(BundledModel(), "b", batch_size=size).write(
                    prompts, parse_decoder(spec), WritingOptions(12)
                )
            )
            for size in (1, 4, 6)
        ]
        assert written[0] == written[1] == written[2]


def test_decode_is_the_inverse_of_encode():
    model = BundledModel()
    for text in TEXTS:
        assert model.decode(model.encode(text)) == text
    assert_array_equal(model.encode(""), [])


@pytest.mark.slow
def test_adversarial_texts_have_about_the_perplexity_asked_for():
    model = BundledModel()
    writer = CausalModelWriter(model, "bundled", context=511, batch_size=64)
    prompts = ["The old man", "It was", "In the year"] * 4
    decoding = parse_decoder("adversarial:perplexity=60")
    written = dict(writer.write(prompts, decoding, WritingOptions(80)))
    for i, prompt in enumerate(prompts):
        assert (written[i].n_tokens, written[i].ended) == (80, False)
        context = model.encode(prompt)
        # Other tokens may have the same text, so the first ones are left to the tokenizer.
        total, tokens = 0.0, model.encode(written[i].text)
        for token in tokens:
            [row] = model.next([context])
            total -= np.log(row[token])
            context = [*context, token]
        assert np.exp(total / len(tokens)) == pytest.approx(60, rel=0.25)
