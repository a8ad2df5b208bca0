"""Equal prompts have equal hashes, and every text needs one."""

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.hashes import text_hashes
from mauve.text.prompts import prompt_hashes

SIZES = {"human": 2, "gpt": 3}


def test_hashes_are_equal_where_texts_are():
    texts = ["a", "b", "a", "", "\ud800"]
    hashes = text_hashes(texts)
    assert hashes.dtype == np.uint64
    assert len(np.unique(hashes)) == 4
    assert hashes[0] == hashes[2]
    assert text_hashes([]).shape == (0,)


def test_prompts_by_name():
    human, gpt = prompt_hashes({"human": ["a", 1], "gpt": ["1", "a", "b"]}, SIZES)
    assert human.tolist() == gpt[[1, 0]].tolist()  # a prompt may be a number


def test_no_prompts():
    assert prompt_hashes(None, SIZES) is None


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        (
            {"human": ["a", "b"]},
            r"of measure must have .* of every system\. Got none for 'gpt'",
        ),
        ({"human": ["a"], "gpt": ["a"]}, r"each of the 2 texts of 'human'\. Got 1 instead"),
        (["a", "b"], r"each of the 3 texts of 'gpt'\. Got 2 instead"),
    ],
)
def test_missing_prompts(prompts, message):
    with pytest.raises(InvalidParameterError, match=message):
        prompt_hashes(prompts, SIZES, "measure")
