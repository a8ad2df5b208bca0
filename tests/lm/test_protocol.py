"""Windows score every token once, with enough context; texts and prompts are checked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.lm.protocol import checked_prompts, windows


@given(st.data())
def test_every_token_once_with_enough_before_it(data):
    n = data.draw(st.integers(0, 80), label="n")
    context = data.draw(st.integers(2, 40), label="context")
    stride = data.draw(st.integers(1, context - 1), label="stride")
    first = data.draw(st.integers(1, 60), label="first")
    parts = [*windows(n, context, stride, first)]
    scored = [token for window in parts for token in range(window.first, window.end)]
    assert scored == [*range(first, n)]
    for window in parts:
        assert 0 <= window.start < window.first < window.end <= n
        assert window.end - window.start <= context
        for token in range(window.first, window.end):
            assert token - window.start >= context - stride or window.start == 0


def test_a_short_text_is_one_window():
    assert [*windows(6, 6, 3)] == [(0, 1, 6)]
    assert [*windows(1, 6, 3)] == []


def test_a_long_prompt_is_not_read_from_its_beginning():
    assert [*windows(1000, 100, 50, first=990)] == [(900, 990, 1000)]


@pytest.mark.parametrize("stride", [0, 6, 7])
def test_a_stride_that_leaves_nothing_before_a_token(stride):
    with pytest.raises(InvalidParameterError, match=r"'stride' .* an int in \[1, 5\]\. Got"):
        [*windows(10, 6, stride)]


def test_texts_and_prompts_that_do_not_match():
    with pytest.raises(InvalidParameterError, match=r"'texts' .* a list of strings. Got 'one'"):
        checked_prompts("one", None)
    with pytest.raises(InvalidParameterError, match=r"a list of 2, one for each text. Got '1 prom"):
        checked_prompts(["one", "two"], ["a"])
    with pytest.raises(InvalidParameterError, match=r"a list of 1, one for each text. Got 'a'"):
        checked_prompts(["one"], "a")
