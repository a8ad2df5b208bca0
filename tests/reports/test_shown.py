import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.reports.selection import LONGEST, SNIPPET, shown, visible

ANY_TEXT = st.text(st.characters(), max_size=400)  # surrogates too


@given(ANY_TEXT)
def test_anything_can_be_encoded_and_nothing_is_hidden(text):
    found = visible(text)
    found.encode()
    hidden = {
        letter
        for letter in found
        if unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    }
    assert hidden <= set("\n\t\u200c\u200d")


@given(ANY_TEXT)
def test_what_is_plain_stays(text):
    assert visible(visible(text)) == visible(text)


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
    assert visible(text) == text


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
    assert visible(text) == written


def test_long_texts_are_cut_and_counted():
    found = shown("word " * 250_000)
    assert len(found.text) == LONGEST
    assert found.n_more == 1_250_000 - LONGEST
    assert len(found.snippet) <= SNIPPET + 1
    assert found.snippet.endswith("word…")


def test_what_is_written_out_is_not_longer_either():
    found = shown("\U000e0041" * 10_000)
    assert len(found.text) <= LONGEST
    assert found.n_more == 10_000 - LONGEST // 10


@given(ANY_TEXT, st.integers(1, 50))
def test_no_character_is_lost(text, longest):
    found = shown(text, longest)
    assert len(found.text) <= longest
    lines = text.replace("\r\n", "\n")
    assert found.text == visible(lines[: len(lines) - found.n_more])


@pytest.mark.parametrize(
    ("text", "snippet"),
    [
        ("", ""),
        ("one\n\n  two ", "one two"),
        ("字" * 400, "字" * SNIPPET + "…"),
        ("x" * SNIPPET, "x" * SNIPPET),
    ],
)
def test_snippets(text, snippet):
    assert shown(text).snippet == snippet
