"""Pooling against NumPy text by text, and statistics of token log-probabilities."""

import json

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal
from tiny_models import TEXTS, save
from transformers import AutoModelForCausalLM, AutoTokenizer

from mauve.embed.bundled import MODEL
from mauve.embed.pooling import (
    ENDING,
    SCALING_FILE,
    WEIGHT,
    FeatureScaling,
    ending_statistics,
    pool,
    surprisal_features,
    token_log_probabilities,
)
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError

LENGTHS = [3, 1, 40, 7, 1]
STARTS = np.concatenate([[0], np.cumsum(LENGTHS)])
BY_HAND = {
    "last": lambda states: states[-1],
    "cls": lambda states: states[0],
    "mean": lambda states: states.mean(axis=0),
    "max": lambda states: states.max(axis=0),
}


@pytest.fixture(scope="module")
def states():
    return np.random.default_rng(0).normal(-2, 1, size=(sum(LENGTHS), 6)).astype(np.float32)


@pytest.mark.parametrize("pooling", BY_HAND)
def test_pooling_by_hand(states, pooling):
    pooled = pool(torch.from_numpy(states), torch.from_numpy(STARTS), pooling)
    texts = np.split(states, STARTS[1:-1])
    assert_allclose(pooled.numpy(), [BY_HAND[pooling](text) for text in texts], rtol=1e-6)


@pytest.mark.parametrize("pooling", BY_HAND)
@pytest.mark.parametrize(
    ("dtype", "wide"),
    [
        (torch.bfloat16, torch.float32),
        (torch.float16, torch.float32),
        (torch.float64, torch.float64),
    ],
)
def test_sixteen_bits_are_widened_before_they_are_added_up(states, pooling, dtype, wide):
    narrow = torch.from_numpy(states).to(dtype)
    starts = torch.from_numpy(STARTS)
    pooled = pool(narrow, starts, pooling)
    assert pooled.dtype == wide
    assert_array_equal(pooled.numpy(), pool(narrow.to(wide), starts, pooling).numpy())


@pytest.mark.parametrize("n_at_once", [1, 7, 52, 4096])
def test_log_probabilities_are_those_of_log_softmax(states, n_at_once):
    torch.manual_seed(0)
    head = torch.nn.Linear(6, 30)
    ids = torch.randint(30, (len(states),))
    hidden = torch.from_numpy(states)
    with torch.no_grad():
        values = token_log_probabilities(hidden, ids, head, n_at_once)
        every = torch.log_softmax(head(hidden), dim=1)
    expected = every[torch.arange(len(ids) - 1), ids[1:]]
    assert values.shape == ids.shape
    assert_allclose(values[1:].numpy(), expected.numpy(), atol=1e-5)  # of numbers about 4


def test_log_probability_of_a_single_token():
    head = torch.nn.Linear(2, 3)
    assert token_log_probabilities(torch.ones(1, 2), torch.tensor([1]), head).tolist() == [0.0]


# Surprisal


def direct(folder, texts, before, max_length):
    """Return mean hidden states and log-probabilities of the full model, text by text."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    hidden, log_probabilities = [], []
    for text in texts:
        ids = [*before, *tokenizer(text)["input_ids"]][:max_length]
        with torch.no_grad():
            output = model(torch.tensor([ids]), output_hidden_states=True)
        every = torch.log_softmax(output.logits[0, :-1], dim=1)
        log_probabilities.append(every[torch.arange(len(ids) - 1), ids[1:]].numpy())
        hidden.append(output.hidden_states[-1][0, 1:].mean(dim=0).numpy())
    return np.array(hidden), log_probabilities


@pytest.mark.parametrize(("kind", "before"), [("gpt2", [0]), ("llama", []), ("qwen2", [1])])
def test_features_are_those_of_the_full_model(tiny, kind, before):
    embedder = TransformersEmbedder(tiny(kind), pooling="surprisal", device="cpu")
    hidden, log_probabilities = direct(tiny(kind), TEXTS, before, embedder.max_length)
    lengths = np.linalg.norm(hidden, axis=1, keepdims=True)
    means = [[np.mean(x), np.median(x)] for x in log_probabilities]
    for budget in (64, 4096):
        embedder.token_budget = budget
        embedded = embedder.embed(TEXTS)
        # 32-bit sums of some hundred terms: 1e-6 is seen.
        assert_allclose(embedded.features[:, :-2], hidden / lengths, atol=1e-4)
        assert_allclose(embedded.features[:, -2:], 0.3 * np.array(means), atol=1e-4)
        # The token that the embedder puts before a text is not counted, the tokenizer's is.
        assert embedded.n_tokens.tolist() == [len(x) + 1 - len(before) for x in log_probabilities]


def test_statistics_are_over_the_end_of_a_long_text():
    text = "The old house stood at the end of the road, and nobody had lived there for years. " * 6
    embedder = TransformersEmbedder(MODEL, pooling="surprisal", device="cpu")
    hidden, [values] = direct(MODEL, [text], [0], 512)
    assert len(values) > ENDING
    scaling = FeatureScaling.read(MODEL)
    raw = [np.mean(values[-50:]), np.median(values[-50:])]
    statistics = (raw - scaling.statistics_center) / scaling.statistics_spread
    [row] = embedder.embed([text]).features
    assert_allclose(row[:-2], (hidden[0] - scaling.center) / scaling.spread, atol=1e-4)
    assert_allclose(row[-2:], WEIGHT / np.sqrt(2) * statistics, atol=1e-4)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "qwen2"])
def test_a_text_has_the_same_features_in_any_company(tiny, kind):
    """The end-of-text token in a text, and a text of one token, once depended on the others."""
    odd = ["", "<|endoftext|>cat", "<s>cat", "a"]
    embedder = TransformersEmbedder(tiny(kind), pooling="surprisal", device="cpu")
    alone = np.concatenate([embedder.embed([text]).features for text in odd])
    together = embedder.embed(["dog", *odd, *TEXTS]).features[1 : 1 + len(odd)]
    # Other shapes of batches round differently; 1e-6 is seen.
    assert_allclose(together, alone, atol=1e-5)
    assert np.isfinite(alone).all()
    assert alone[0, -2:].tolist() == [0.0, 0.0]  # no token, no surprise


def test_a_tokenizer_without_special_tokens_has_no_probability_of_the_first(tiny, tmp_path):
    folder = save("qwen2", tmp_path / "bare")
    path = folder / "tokenizer_config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, "eos_token": None, "pad_token": None}))
    embedder = TransformersEmbedder(folder, pooling="surprisal", device="cpu")
    _, [values] = direct(folder, ["The cat sat"], [], 48)
    embedded = embedder.embed(["The cat sat"])
    assert embedded.n_tokens.tolist() == [len(values) + 1]
    assert_allclose(embedded.features[0, -2], 0.3 * values.mean(), atol=1e-4)


def test_statistics_of_one_token():
    assert ending_statistics([np.array([-3.0])]).tolist() == [[-3.0, -3.0]]


def test_statistics_of_no_text():
    assert ending_statistics([]).shape == (0, 2)


def test_only_the_ending_counts():
    start, ending = np.full(30, -9.0), np.linspace(-2, -1, ENDING)
    [[mean, median]] = ending_statistics([np.concatenate([start, ending])])
    assert (mean, median) == (pytest.approx(-1.5), pytest.approx(-1.5))


def test_measured_scaling_standardises():
    rng = np.random.default_rng(0)
    hidden = rng.normal(3.0, 2.0, size=(200, 5)).astype(np.float32)
    statistics = rng.normal(-4.0, 0.5, size=(200, 2)).astype(np.float32)
    features = surprisal_features(hidden, statistics, FeatureScaling.measured(hidden, statistics))
    # Hidden states have mean square distance 1 together, statistics WEIGHT squared.
    assert_allclose(features.mean(axis=0), 0, atol=1e-5)
    assert_allclose((features[:, :5] ** 2).sum(axis=1).mean(), 1, rtol=1e-5)
    assert_allclose((features[:, 5:] ** 2).sum(axis=1).mean(), WEIGHT**2, rtol=1e-5)
    assert features.dtype == np.float32


def test_scaling_is_read_as_it_was_written(tmp_path):
    scaling = FeatureScaling.measured(np.eye(3, dtype=np.float32), np.eye(3, 2, dtype=np.float32))
    scaling.write(tmp_path)
    read = FeatureScaling.read(tmp_path)
    assert_allclose(read.center, scaling.center, atol=5e-6)  # written with five decimals
    assert read.spread == pytest.approx(scaling.spread, abs=5e-6)
    assert_allclose(read.statistics_spread, scaling.statistics_spread, atol=5e-6)


def test_no_scaling_without_the_file(tmp_path):
    assert FeatureScaling.read(tmp_path) is None


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"center": ["a"]}', "\x00"])
def test_scaling_that_cannot_be_read(tmp_path, content):
    (tmp_path / SCALING_FILE).write_text(content)
    with pytest.raises(InvalidParameterError, match=r"features\.json' could not be read as the sc"):
        FeatureScaling.read(tmp_path)


def test_scaling_of_another_width():
    scaling = FeatureScaling.measured(np.eye(3), np.eye(3, 2))
    with pytest.raises(InvalidParameterError, match=r"a model of 4 features\. Got a centre of sha"):
        surprisal_features(np.eye(4), np.eye(4, 2), scaling)


def test_hidden_states_of_zero_length_stay_finite():
    assert np.isfinite(surprisal_features(np.zeros((1, 3)), np.zeros((1, 2)), None)).all()
