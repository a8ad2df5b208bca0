import warnings

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.lm.remembered import RememberedScorer
from mauve.lm.scorer import TokenScorer, get_scorer

TEXTS = ["It rained all day.", "", "Nobody came by."]


class Counting:
    """The bundled model, and a list of what it was asked to read."""

    def __init__(self):
        self.scorer, self.calls = get_scorer("bundled"), []

    @property
    def signature(self):
        return self.scorer.signature

    def log_probabilities(self, texts, on_progress=None, prompts=None):
        self.calls.append((list(texts), prompts))
        return self.scorer.log_probabilities(texts, on_progress, prompts)


def equal(ours, theirs):
    return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_same_texts_are_read_once():
    counting = Counting()
    remembered = RememberedScorer(counting)
    first = remembered.log_probabilities(TEXTS)
    assert equal(first, remembered.log_probabilities(tuple(TEXTS)))
    assert equal(first, get_scorer("bundled").log_probabilities(TEXTS))
    assert len(counting.calls) == 1


def test_measures_and_explanation_share_what_was_read():
    rng = np.random.default_rng(0)
    people, model = (
        [" ".join(rng.choice(["one", "two", "three", "four"], size=12)) for _ in range(40)]
        for _ in range(2)
    )
    counting = Counting()
    remembered = RememberedScorer(counting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)  # 40 texts are few
        comparison = mauve.compare(people, model, n_permutations=0, n_clusterings=5)
        mauve.measure(people, model, "perplexity", language_model=remembered)
    found = mauve.explain(comparison, language_model=remembered, n_permutations=100)
    assert [measure.name for measure in found["model"].clusters[0].measures][-1] == "perplexity"
    assert len(counting.calls) == 1


def test_a_caller_that_empties_its_list_spoils_nothing():
    remembered = RememberedScorer(get_scorer("bundled"))
    texts = list(TEXTS)
    remembered.log_probabilities(texts).clear()
    texts.clear()
    assert len(remembered.log_probabilities(TEXTS)) == 3
    assert remembered.log_probabilities(texts) == []


def test_other_texts_and_other_prompts_are_read():
    counting = Counting()
    remembered = RememberedScorer(counting)
    alone = remembered.log_probabilities(TEXTS)
    after = remembered.log_probabilities(TEXTS, None, ["What?", "Why?", "Who?"])
    assert [len(own) for own in alone] == [len(own) for own in after]
    assert not equal(alone, after)
    remembered.log_probabilities(TEXTS[:2])
    remembered.log_probabilities(TEXTS)
    assert len(counting.calls) == 4


def test_it_is_a_scorer_with_the_signature_of_its_own():
    remembered = RememberedScorer(get_scorer("bundled"))
    assert isinstance(remembered, TokenScorer)
    assert get_scorer(remembered) is remembered
    assert remembered.signature == get_scorer("bundled").signature


def test_errors_are_not_remembered():
    remembered = RememberedScorer(get_scorer("bundled"))
    for _ in range(2):
        with pytest.raises(InvalidParameterError, match="'prompts'"):
            remembered.log_probabilities(TEXTS, None, ["one"])


def test_progress_is_that_of_the_work():
    remembered, said = RememberedScorer(get_scorer("bundled")), []
    for _ in range(2):
        remembered.log_probabilities(TEXTS, lambda *step: said.append(step))
    assert said == [("scoring", 2, 2)]
