"""Tokens join to the text they came from, and are what a reader would cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.text.words import tokenize

# Any text, and text of the characters that the rules are about.
TEXTS = st.text() | st.text(alphabet="ab1_ \t\n\r\u00a0.,*'’(é-")


@given(TEXTS)
def test_joined_tokens_are_the_text(text):
    assert "".join(tokenize(text)) == text


@given(TEXTS)
def test_no_token_is_empty(text):
    assert all(tokenize(text))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        ("The cat sat.", ["The", " cat", " sat", "."]),
        ("can't won’t dogs'", ["can't", " won’t", " dogs", "'"]),
        ("f(x) = __init__", ["f", "(", "x", ")", " =", " __init__"]),
        ("so... *** ==>", ["so", "...", " ***", " ==", ">"]),
        ("a\n\n   b\n", ["a", "\n\n", "  ", " b", "\n"]),
        ("a  \n\tb", ["a", "  ", "\n", "\t", "b"]),
        ("größer als 10", ["größer", " als", " 10"]),
    ],
)
def test_hand_values(text, tokens):
    assert tokenize(text) == tokens
