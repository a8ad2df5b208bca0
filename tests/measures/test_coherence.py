"""Coherence: the log-probability of texts after their prompts."""

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.lm.scorer import get_scorer

PROMPTS = [f"On day {i} the sea was" for i in range(12)]
HUMAN = [f" calm, and {i} boats went out." for i in range(12)]
MODEL = [f" the the the the {i}." for i in range(12)]


def measured(names="coherence", **options):
    return mauve.measure(HUMAN, MODEL, names, prompts=PROMPTS, progress=False, **options)


def test_equal_to_the_mean_after_prompts():
    scorer = get_scorer("bundled")
    values = measured()
    for texts, row in ((MODEL, values["model"]), (HUMAN, values.human)):
        logs = scorer.log_probabilities(texts, prompts=PROMPTS)
        expected = np.mean([np.mean(text) for text in logs])
        assert row["coherence"].value == pytest.approx(expected, rel=1e-6)  # float32
        low, high = row["coherence"].interval
        assert low < row["coherence"].value < high <= 0


def test_perplexity_beside_it_reads_no_prompt_unless_asked():
    alone = measured("perplexity").human["perplexity"].value
    assert measured("perplexity,coherence").human["perplexity"].value == alone
    with_context = measured("perplexity,coherence", prompt_context=True)
    assert with_context.human["perplexity"].value < alone
    assert with_context.human["coherence"].value == measured().human["coherence"].value


def test_the_prompt_of_another_text_lowers_it():
    about = [f"{i} eggs for the cake and" for i in range(6)]
    about += [f"The king went to war {i} times and" for i in range(6)]
    texts = [" butter, sugar and flour."] * 6 + [" the army lost the battle."] * 6
    right = mauve.measure(texts, texts, "coherence", prompts=about, progress=False)
    wrong = mauve.measure(texts, texts, "coherence", prompts=about[::-1], progress=False)
    assert right.human["coherence"].value > wrong.human["coherence"].value


def test_without_prompts_the_remedy_is_named():
    with pytest.raises(InvalidParameterError, match=r"'coherence' needs .*prompts=PROMPTS"):
        mauve.measure(HUMAN, MODEL, "coherence", progress=False)
    names = "coherence,repetition"  # of a group it would be left out
    with pytest.raises(InvalidParameterError, match="leave 'coherence' out"):
        mauve.measure(HUMAN, MODEL, names, progress=False)
