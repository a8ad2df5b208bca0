"""Escaped text cannot act, and plain text of any language stays as it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.escape import escaped, escaped_text, listed

ANY_TEXT = st.text(st.characters(), max_size=400)  # surrogates too


@given(ANY_TEXT)
def test_anything_can_be_encoded_and_nothing_is_hidden(text):
    visible = escaped_text(text)
    visible.encode()
    hidden = {
        letter
        for letter in visible
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    }
    assert hidden <= set("\n\t\u200c\u200d")


@given(ANY_TEXT)
def test_what_is_plain_stays(text):
    assert escaped_text(escaped_text(text)) == escaped_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two\nlines\tand a tab",
        "می\u200cخواهم",
        "👩\u200d👧",
        "1\u00a0000",
        "全角\u3000空白",
    ],
)
def test_texts_of_all_languages_stay_as_they_are(text):
    assert escaped_text(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\x00", r"\x00"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\u202e", r"\u202e"),
        ("\u2066", r"\u2066"),
        ("\u200f", r"\u200f"),
        ("\u061c", r"\u061c"),
        ("\ud800", r"\ud800"),
        ("\ufeff", r"\ufeff"),
        ("\U000e0041", r"\U000e0041"),
        ("a\rb", r"a\rb"),
        ("a\r\nb", "a\nb"),
        ("\x85", r"\x85"),
    ],
)
def test_what_would_act_is_written_out(text, written):
    assert escaped_text(text) == written


def test_what_a_terminal_would_act_on_is_written_out():
    assert escaped("a\tb\x1b[31m\u202e\ud800") == r"a\tb\x1b[31m\u202e\ud800"
    assert escaped("naïve – 漢字 😀") == "naïve – 漢字 😀"


def test_items_are_listed_up_to_eight():
    assert listed(range(8)) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert listed(range(9)) == "0, 1, 2, 3, 4, 5, 6, 7 and 1 more"
