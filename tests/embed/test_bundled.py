"""The bundled model in ONNX Runtime gives what it gives in Transformers."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from tiny_models import TEXTS
from transformers import AutoModel, AutoTokenizer

from mauve.embed.bundled import CONTEXT, MODEL, POOLINGS, WIDTH, BundledEmbedder
from mauve.embed.protocol import Embedder
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError

LONG = "Nobody had lived in the old house at the end of the road for a hundred years. " * 60
ODD = [
    "a\ud800b\udfff",
    "\x00",
    "🐈‍⬛" * 30,
    "a<|endoftext|>b",
    "<|endoftext|>",
    " ",
    "\n\n\n",
    "\ufeffa\u202e",
    LONG,
    "x" * 5000,
]


def tokens(text):
    """Return what the bundled embedder reads: the end-of-text token, and the text."""
    ids = AutoTokenizer.from_pretrained(MODEL)(text)["input_ids"]
    return [0, *ids][:CONTEXT]


@pytest.fixture(scope="module")
def states():
    """Return the hidden states of the texts and the odd ones, each with its first token."""
    model = AutoModel.from_pretrained(MODEL, dtype=torch.float32).eval()
    rows = [tokens(text.encode("utf-8", "replace").decode()) for text in TEXTS]
    with torch.no_grad():
        return [model(torch.tensor([row])).last_hidden_state[0].numpy() for row in rows]


def test_it_is_an_embedder():
    assert isinstance(BundledEmbedder(), Embedder)


@pytest.mark.slow
def test_surprisal_is_that_of_transformers():
    texts = [*TEXTS, *ODD, ""]
    embedded = BundledEmbedder().embed(texts)
    other = TransformersEmbedder(MODEL, pooling="surprisal", device="cpu").embed(texts)
    assert embedded.features.shape == (len(texts), WIDTH + 2)
    # The graph sums exponentials without shifting them; 2e-5 is seen.
    assert_allclose(embedded.features, other.features, atol=1e-3)
    assert_array_equal(embedded.n_tokens, other.n_tokens)
    assert_array_equal(embedded.truncated, other.truncated)


@pytest.mark.slow
def test_mean_is_over_the_tokens_of_the_text(states):
    """But not over the end-of-text token before it."""
    embedded = BundledEmbedder(pooling="mean").embed(TEXTS)
    expected = [rows[1:].mean(axis=0) for rows in states]
    assert_allclose(embedded.features, expected, atol=1e-3)
    assert embedded.n_tokens.tolist() == [len(rows) - 1 for rows in states]


@pytest.mark.slow
def test_last_is_the_last_token_of_the_text(states):
    features = BundledEmbedder(pooling="last").embed(TEXTS).features
    assert_allclose(features, [rows[-1] for rows in states], atol=1e-3)
    other = TransformersEmbedder(MODEL, pooling="last", device="cpu")
    assert_allclose(features, other.embed_tokens([*map(tokens, TEXTS)]), atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("pooling", POOLINGS)
def test_batches_do_not_change_features(pooling):
    small, large = (
        BundledEmbedder(pooling=pooling, token_budget=budget).embed([*TEXTS, *ODD, ""]).features
        for budget in (64, 4096)
    )
    # No difference is seen; another build of ONNX Runtime may add in another order.
    assert_allclose(small, large, atol=1e-4)


def test_odd_texts_have_finite_features():
    embedded = BundledEmbedder().embed(ODD)
    assert np.isfinite(embedded.features).all()
    assert embedded.features.dtype == np.float32
    assert embedded.truncated.tolist() == [text in (LONG, "x" * 5000) for text in ODD]


@pytest.mark.parametrize("pooling", POOLINGS)
def test_the_empty_text_has_finite_features_in_any_company(pooling):
    embedder = BundledEmbedder(pooling=pooling)
    alone = embedder.embed([""])
    assert np.isfinite(alone.features).all()
    assert (alone.n_tokens.tolist(), alone.n_truncated) == ([0], 0)
    assert_allclose(embedder.embed([*TEXTS, ""]).features[-1:], alone.features, atol=1e-4)
    assert_allclose(embedder.embed(["", ""]).features[:1], alone.features, atol=1e-4)


def test_no_text_has_no_features():
    assert BundledEmbedder().embed([]).features.shape == (0, WIDTH + 2)


def test_order_and_duplicates():
    embedder = BundledEmbedder()
    embedded = embedder.embed(TEXTS)
    backwards = embedder.embed([*reversed(TEXTS)])
    assert_allclose(backwards.features[::-1], embedded.features, atol=1e-4)
    assert_array_equal(backwards.n_tokens[::-1], embedded.n_tokens)
    first, second = (i for i, text in enumerate(TEXTS) if text == "The cat sat on the mat.")
    assert_array_equal(embedded.features[first], embedded.features[second])
    assert_array_equal(embedder.embed(TEXTS).features, embedded.features)


def test_a_lone_surrogate_is_read_as_a_replacement_character():
    lone, replaced = BundledEmbedder().embed(["a\ud800b", "a\ufffdb"]).features
    assert_array_equal(lone, replaced)


@pytest.mark.slow
@pytest.mark.parametrize("length", [2, 17, CONTEXT])
def test_max_length_cuts_at_tokens(length):
    [full] = [tokens(LONG)]
    embedded = BundledEmbedder(max_length=length, pooling="last").embed([LONG, "a"])
    assert embedded.n_tokens.tolist() == [length - 1, 1]
    assert embedded.truncated.tolist() == [True, False]
    model = TransformersEmbedder(MODEL, device="cpu")
    assert_allclose(embedded.features[:1], model.embed_tokens([full[:length]]), atol=1e-3)


def test_a_text_that_just_fits_is_not_cut():
    text = "a" + " a" * 9
    n = len(tokens(text))
    assert BundledEmbedder(max_length=n).embed([text]).n_truncated == 0
    assert BundledEmbedder(max_length=n - 1).embed([text]).n_truncated == 1


@pytest.mark.slow
def test_progress_ends_at_the_number_of_texts():
    seen = []
    BundledEmbedder().embed(TEXTS * 20, lambda *step: seen.append(step))
    assert seen[-1] == ("embedding", len(TEXTS) * 20, len(TEXTS) * 20)
    assert [step[1] for step in seen] == sorted({step[1] for step in seen})


def test_signatures_differ_where_features_do():
    every = [
        BundledEmbedder(pooling=pooling, max_length=length).signature
        for pooling in POOLINGS
        for length in (256, 512)
    ]
    assert len({*every}) == len(every)
    assert not any("|" in signature for signature in every)


def test_scaling_can_be_measured_again():
    scaling = BundledEmbedder().measure_scaling(TEXTS)
    assert scaling.center.shape == (WIDTH,)
    assert scaling.spread > 0


@pytest.mark.parametrize("pooling", ["max", "", None])
def test_unknown_pooling(pooling):
    with pytest.raises(InvalidParameterError, match=r"'pooling' parameter of BundledEmbedder must"):
        BundledEmbedder(pooling=pooling)


@pytest.mark.parametrize("length", [1, 513, 2.0, True])
def test_impossible_length(length):
    with pytest.raises(InvalidParameterError, match=rf"an int in \[2, 512\]\. Got {length} inst"):
        BundledEmbedder(max_length=length)


@pytest.mark.parametrize("budget", [0, 1.5])
def test_impossible_budget(budget):
    with pytest.raises(InvalidParameterError, match=rf"'token_budget' .* least 1\. Got {budget}"):
        BundledEmbedder(token_budget=budget)
