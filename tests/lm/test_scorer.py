"""Scorers by name, the bundled model as a scorer, and scorers that remember."""

import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mauve
from mauve.embed.bundled import MODEL
from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.lm.causal import TransformersScorer
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import BundledScorer, RememberedScorer, get_scorer
from mauve.measures.perplexity import corpus_perplexity

TEXTS = [
    "It was a bright cold day in April, and the clocks were striking thirteen.",
    "",
    "a",
    "one\ud800two",
    "The night went on. " * 180,  # 900 tokens, more than the model reads at once
    "naïve café 今日は 🐈",
]
SHORT = ["It rained all day.", "", "Nobody came by."]
PROMPTS = ["Winston said: ", "nothing follows", "", "x", "It began. " * 40, "A title\n\n"]


@pytest.mark.slow
@pytest.mark.parametrize("prompts", [None, PROMPTS])
@pytest.mark.parametrize("sizes", [{}, {"max_length": 64, "stride": 16}])
def test_bundled_is_what_transformers_makes_of_the_same_folder(prompts, sizes):
    scores = BundledScorer(**sizes).log_probabilities(TEXTS, prompts=prompts)
    transformers = TransformersScorer(MODEL, device="cpu", **sizes)
    expected = transformers.log_probabilities(TEXTS, prompts=prompts)
    assert [len(text) for text in scores] == [len(text) for text in expected]
    for actual, reference in zip(scores, expected, strict=True):
        # Either is up to 3e-4 from the same model in float64, and 2e-5 on average.
        assert_allclose(actual, reference, atol=1e-3)
        assert actual.dtype == np.float64
    assert corpus_perplexity(scores) == pytest.approx(corpus_perplexity(expected), rel=1e-4)


@pytest.mark.slow
def test_a_text_has_the_same_tokens_after_any_prompt():
    alone = BundledScorer().log_probabilities(TEXTS)
    after = BundledScorer().log_probabilities(TEXTS, prompts=PROMPTS)
    assert [len(text) for text in alone] == [len(text) for text in after]
    assert not np.allclose(alone[0][:3], after[0][:3], atol=0.01)


@pytest.mark.slow
def test_an_empty_prompt_is_none():
    alone = BundledScorer().log_probabilities(TEXTS)
    after = BundledScorer().log_probabilities(TEXTS, prompts=[""] * len(TEXTS))
    for without, with_empty in zip(alone, after, strict=True):
        assert_allclose(without, with_empty, atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [1, 700])
def test_batches_do_not_change_scores(budget):
    expected = BundledScorer().log_probabilities(TEXTS)
    scores = BundledScorer(token_budget=budget).log_probabilities(TEXTS)
    assert_allclose(np.concatenate(scores), np.concatenate(expected), atol=1e-3)


def test_a_longer_context_predicts_better_what_is_far_back():
    """The text repeats itself after 100 tokens: with windows of 64 it is new every time."""
    sentences = [f"Item {i} of the list was {i * 37 % 101} metres long. " for i in range(8)]
    text = "".join(sentences) * 4
    long = BundledScorer().log_probabilities([text])[0]
    short = BundledScorer(max_length=64).log_probabilities([text])[0]
    assert len(long) == len(short)
    assert long[200:].mean() > short[200:].mean() + 0.1


def test_progress_ends_at_its_total():
    steps = []
    BundledScorer().log_probabilities(TEXTS, lambda *step: steps.append(step))
    what, n_done, total = steps[-1]
    assert (what, n_done) == ("scoring", total)


@pytest.mark.slow
def test_a_very_long_text_is_read_in_batches_of_windows():
    # The logits of all windows at once would take gigabytes for a book.
    text = "The night went on, and nobody in the house could sleep. " * 2000
    seen = []
    (scores,) = BundledScorer().log_probabilities([text], lambda *step: seen.append(step))
    assert len(scores) > 20_000
    assert np.isfinite(scores).all()
    n_windows = seen[-1][2]
    assert n_windows == 1 + -(-(len(scores) + 1 - 512) // 256)
    assert len(seen) == -(-n_windows // 8)  # eight windows of 512 tokens a batch
    assert np.diff([done for _, done, _ in seen]).max() <= 8


def test_no_texts_at_all():
    assert BundledScorer().log_probabilities([]) == []


def test_signature_names_model_length_and_stride():
    assert get_scorer().signature == BundledScorer(max_length=512, stride=256).signature
    assert get_scorer(stride=128).signature.endswith(":512:128")
    assert "|" not in get_scorer().signature


def test_names():
    assert isinstance(get_scorer("bundled"), BundledScorer)
    scorer = get_scorer(str(MODEL), device="cpu")
    assert isinstance(scorer, TransformersScorer)
    assert isinstance(scorer, TokenScorer)
    assert get_scorer(scorer) is scorer


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
    with pytest.raises(MissingExtraError, match=r'pip install "mauve-eval\[transformers\]"'):
        get_scorer("gpt2-large")


class Counting:
    """The bundled model, and a list of the calls that reached it."""

    def __init__(self):
        self.scorer, self.calls = get_scorer("bundled"), []

    @property
    def signature(self):
        return self.scorer.signature

    def log_probabilities(self, texts, on_progress=None, prompts=None):
        self.calls.append((list(texts), prompts))
        return self.scorer.log_probabilities(texts, on_progress, prompts)


def equal(scores, expected):
    return all(np.array_equal(a, b) for a, b in zip(scores, expected, strict=True))


class TestRememberedScorer:
    def test_same_texts_are_read_once(self):
        counting = Counting()
        remembered = RememberedScorer(counting)
        first = remembered.log_probabilities(SHORT)
        assert equal(first, remembered.log_probabilities(tuple(SHORT)))
        assert equal(first, get_scorer("bundled").log_probabilities(SHORT))
        assert len(counting.calls) == 1

    @pytest.mark.slow
    def test_measures_and_explanation_share_what_was_read(self):
        rng = np.random.default_rng(0)
        human, model = (
            [" ".join(rng.choice(["one", "two", "three", "four"], size=12)) for _ in range(40)]
            for _ in range(2)
        )
        counting = Counting()
        remembered = RememberedScorer(counting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mauve.MauveWarning)  # 40 texts are few
            comparison = mauve.compare(human, model, n_permutations=0, n_clusterings=5)
            mauve.measure(human, model, "perplexity", language_model=remembered)
        explanation = mauve.explain(comparison, language_model=remembered, n_permutations=100)
        assert [measure.name for measure in explanation["model"].clusters[0].measures][
            -1
        ] == "perplexity"
        assert len(counting.calls) == 1

    def test_a_caller_that_empties_its_list_spoils_nothing(self):
        remembered = RememberedScorer(get_scorer("bundled"))
        texts = list(SHORT)
        remembered.log_probabilities(texts).clear()
        texts.clear()
        assert len(remembered.log_probabilities(SHORT)) == 3
        assert remembered.log_probabilities(texts) == []

    def test_other_texts_and_other_prompts_are_read(self):
        counting = Counting()
        remembered = RememberedScorer(counting)
        alone = remembered.log_probabilities(SHORT)
        after = remembered.log_probabilities(SHORT, None, ["What?", "Why?", "Who?"])
        assert [len(text) for text in alone] == [len(text) for text in after]
        assert not equal(alone, after)
        remembered.log_probabilities(SHORT[:2])
        remembered.log_probabilities(SHORT)
        assert len(counting.calls) == 4

    def test_is_a_scorer_with_the_signature_of_the_wrapped_one(self):
        remembered = RememberedScorer(get_scorer("bundled"))
        assert isinstance(remembered, TokenScorer)
        assert get_scorer(remembered) is remembered
        assert remembered.signature == get_scorer("bundled").signature

    def test_errors_are_not_remembered(self):
        remembered = RememberedScorer(get_scorer("bundled"))
        for _ in range(2):
            with pytest.raises(InvalidParameterError, match="'prompts'"):
                remembered.log_probabilities(SHORT, None, ["one"])

    def test_progress_is_that_of_the_work(self):
        remembered, steps = RememberedScorer(get_scorer("bundled")), []
        for _ in range(2):
            remembered.log_probabilities(SHORT, lambda *step: steps.append(step))
        assert steps == [("scoring", 2, 2)]
