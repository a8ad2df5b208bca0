"""Every text needs a prompt, by name or for all samples alike."""

import pytest

from mauve.errors import InvalidParameterError
from mauve.text.prompts import prompts_by_sample

SIZES = {"human": 2, "gpt": 3}


def test_prompts_by_name_may_be_numbers():
    prompts = {"human": ["a", 1], "gpt": ["1", "a", "b"], "unused": []}
    assert prompts_by_sample(prompts, SIZES) == {
        "human": ["a", "1"],
        "gpt": ["1", "a", "b"],
    }


def test_no_prompts():
    assert prompts_by_sample(None, SIZES) is None


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        (
            {"human": ["a", "b"]},
            r"must have .* of every system\. Got none for 'gpt'",
        ),
        ({"human": ["a"], "gpt": ["a"]}, r"each of the 2 texts of 'human'\. Got 1 instead"),
        ({"a", "b"}, r"in the order of the texts\. Got a set instead, which has none: pass a list"),
        ({"human": ["a", None], "gpt": "abc"}, r"text of 'human'\. Got missing .* position 1 inst"),
        (["a", "b"], r"each of the 3 texts of 'gpt'\. Got 2 instead"),
    ],
)
def test_missing_prompts(prompts, message):
    with pytest.raises(InvalidParameterError, match=message):
        prompts_by_sample(prompts, SIZES)


def test_an_iterator_stands_for_every_sample():
    prompts = (prompt for prompt in "ab")
    assert prompts_by_sample(prompts, {"human": 2, "gpt": 2}) == {
        "human": ["a", "b"],
        "gpt": ["a", "b"],
    }
