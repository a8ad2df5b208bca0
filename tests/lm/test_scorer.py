"""Scorers by name, and the bundled model as one."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mauve.embed.bundled import MODEL
from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.lm import bundled_scorer
from mauve.lm.bundled_scorer import BundledScorer
from mauve.lm.causal import TransformersScorer
from mauve.lm.scorer import TokenScorer, get_scorer
from mauve.measures.perplexity import corpus_perplexity

TEXTS = [
    "It was a bright cold day in April, and the clocks were striking thirteen.",
    "",
    "a",
    "one\ud800two",
    "The night went on. " * 180,  # 900 tokens, more than the model reads at once
    "naïve café 今日は 🐈",
]
PROMPTS = ["Winston said: ", "nothing follows", "", "x", "It began. " * 40, "A title\n\n"]


@pytest.mark.parametrize("prompts", [None, PROMPTS])
@pytest.mark.parametrize("sizes", [{}, {"max_length": 64, "stride": 16}])
def test_bundled_is_what_transformers_makes_of_the_same_folder(prompts, sizes):
    ours = BundledScorer(**sizes).log_probabilities(TEXTS, prompts=prompts)
    theirs = TransformersScorer(MODEL, device="cpu", **sizes).log_probabilities(
        TEXTS, prompts=prompts
    )
    assert [len(text) for text in ours] == [len(text) for text in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        # Either is up to 3e-4 from the same model in float64, and 2e-5 on average.
        assert_allclose(mine, other, atol=1e-3)
        assert mine.dtype == np.float64
    assert corpus_perplexity(ours) == pytest.approx(corpus_perplexity(theirs), rel=1e-4)


def test_a_text_has_the_same_tokens_after_any_prompt():
    alone = BundledScorer().log_probabilities(TEXTS)
    after = BundledScorer().log_probabilities(TEXTS, prompts=PROMPTS)
    assert [len(text) for text in alone] == [len(text) for text in after]
    assert not np.allclose(alone[0][:3], after[0][:3], atol=0.01)


def test_an_empty_prompt_is_none():
    alone = BundledScorer().log_probabilities(TEXTS)
    after = BundledScorer().log_probabilities(TEXTS, prompts=[""] * len(TEXTS))
    for one, other in zip(alone, after, strict=True):
        assert_allclose(one, other, atol=1e-3)


@pytest.mark.parametrize("budget", [1, 700])
def test_batches_do_not_change_scores(monkeypatch, budget):
    expected = BundledScorer().log_probabilities(TEXTS)
    monkeypatch.setattr(bundled_scorer, "_BATCH", budget)
    found = BundledScorer().log_probabilities(TEXTS)
    assert_allclose(np.concatenate(found), np.concatenate(expected), atol=1e-3)


def test_a_longer_context_predicts_better_what_is_far_back():
    """The text repeats itself after 100 tokens: with windows of 64 it is new every time."""
    sentences = [f"Item {i} of the list was {i * 37 % 101} metres long. " for i in range(8)]
    text = "".join(sentences) * 4
    long = BundledScorer().log_probabilities([text])[0]
    short = BundledScorer(max_length=64).log_probabilities([text])[0]
    assert len(long) == len(short)
    assert long[200:].mean() > short[200:].mean() + 0.1


def test_progress_ends_at_its_total():
    seen = []
    BundledScorer().log_probabilities(TEXTS, lambda *step: seen.append(step))
    what, done, total = seen[-1]
    assert (what, done) == ("scoring", total)


def test_no_texts_at_all():
    assert BundledScorer().log_probabilities([]) == []


def test_signature_tells_model_length_and_stride():
    assert get_scorer().signature == BundledScorer(max_length=512, stride=256).signature
    assert get_scorer(stride=128).signature.endswith(":512:128")
    assert "|" not in get_scorer().signature


def test_names():
    assert isinstance(get_scorer("bundled"), BundledScorer)
    found = get_scorer(str(MODEL), device="cpu")
    assert isinstance(found, TransformersScorer)
    assert isinstance(found, TokenScorer)
    assert get_scorer(found) is found


def test_errors():
    with pytest.raises(InvalidParameterError, match=r"has: max_length, stride\. Got dtype, rev"):
        get_scorer("bundled", dtype="float32", revision="main")
    with pytest.raises(InvalidParameterError, match=r"'spec' .* a name or a TokenScorer. Got 3"):
        get_scorer(3)
    with pytest.raises(InvalidParameterError, match=r"'max_length' .* in \[2, 512\]. Got 513"):
        get_scorer(max_length=513)
    with pytest.raises(InvalidParameterError, match=r"'stride' .* in \[1, 511\]. Got 512"):
        get_scorer(stride=512)
    with pytest.raises(InvalidParameterError, match=r"'texts' .* a list of strings. Got 'one'"):
        get_scorer().log_probabilities("one")
    with pytest.raises(InvalidParameterError, match=r"a list of 2, one for each text. Got '1 prom"):
        get_scorer().log_probabilities(["one", "two"], prompts=["a"])


def test_missing_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.setattr("mauve.errors.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'pip install "mauve-eval\[transformers\]"'):
        get_scorer("gpt2-large")
