"""Prompts that were left in are found, and beginnings that are a habit are not."""

import random

import pytest

import mauve
from mauve.text.form import check_form
from mauve.text.shared_prompts import found_prompts, given_length

SENTENCE = "the sea was grey and cold that day so we went home to drink tea by an old fire"
WORDS = SENTENCE.split()


def written(seed, n=200, length=40):
    words = random.Random(seed)
    return [" ".join(words.choices(WORDS, k=length)) for _ in range(n)]


def prompted(seed, n=200):
    prompts = [f"{text}, they said." for text in written("prompts", n, 8)]
    return [f"{prompt} {text}" for prompt, text in zip(prompts, written(seed, n), strict=True)]


def kinds(human, model):
    return [finding.kind for finding in check_form(human, model, name="model").findings]


def test_prompts_left_in_are_found():
    (found,) = check_form(prompted(0), prompted(1), name="model").findings
    assert (found.kind, found.step, found.human, found.model) == ("prompt", "prompt", 1, 1)
    assert "100% of the texts of 'model' and 100% of human texts begin as a text" in found.message


def test_prompts_in_one_sample_are_not_shared():
    assert "prompt" not in kinds(written(0), prompted(1))


def test_a_habit_of_both_sources_is_no_prompt():
    start = "Once upon a time, there was a king. "
    assert kinds([start + t for t in written(0)], [start + t for t in written(1)]) == []


def test_texts_of_one_source_begin_differently():
    assert kinds(written(0), written(1)) == []


def test_texts_of_other_prompts_are_not_compared():
    samples = {"human": ["It was a bright cold day."], "m": ["It was a bright cold night."]}
    assert found_prompts(samples, {"human": ["a"], "m": ["a"]}) == {"human": [20], "m": [20]}
    assert found_prompts(samples, {"human": ["a"], "m": ["b"]}) == {"human": [0], "m": [0]}


def test_white_space_before_a_prompt_is_a_part_of_it():
    samples = {"human": ["  It was a bright cold day."], "m": ["It was a bright cold night."]}
    assert found_prompts(samples) == {"human": [22], "m": [20]}
    assert given_length("\n It was cold.", "It was") == 8


@pytest.mark.parametrize("equal", ["It was a bright cold day.", "short"])
def test_equal_texts_are_copies(equal):
    assert found_prompts({"human": [equal], "m": [equal]}) == {"human": [0], "m": [0]}


def letters(texts):
    return [[text.count(letter) for letter in "aeghnorst"] for text in texts]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")  # other than that on prompts
def test_the_warning_names_the_step_and_the_ladder_has_a_rung():
    # What follows the prompts differs entirely; prompts make up most of the text.
    n_prompt = 10  # words
    human = [" ".join(text.split()[: n_prompt + 4]) for text in prompted(0)]
    model = [" ".join([*text.split()[:n_prompt], *["zzzz"] * 4]) for text in prompted(1)]
    with pytest.warns(mauve.MauveWarning, match="remove them with normalize='prompt'"):
        comparison = mauve.compare(human, model, embedder=letters, n_clusterings=5)
    assert "prompt" in comparison.ladder().steps("model")
