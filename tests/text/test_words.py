"""Words are counted, cut and split, with spaces between them and without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.text.words import first_words, tokenize, word_counts, word_runs, words_and_marks

ANY_TEXT = st.text(st.sampled_from("ab ,\n\t\u2003é漢字かカ。！"), max_size=40)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("", 0),
        (" \n", 0),
        ("one", 1),
        (" one,  two\nthree ", 3),
        ("naïve café\u2003bar", 3),
        ("我喜欢猫。", 4),
        ("「日本語」を話す。", 7),
        ("GPT模型 is here", 5),
        ("한국어 문장", 2),
    ],
)
def test_words_are_counted(text, n):
    assert word_counts([text]).tolist() == [n]


@given(ANY_TEXT, st.integers(1, 12))
def test_first_words_are_a_prefix_with_so_many_words(text, n):
    start = first_words(text, n)
    assert text.startswith(start)
    assert word_counts([start])[0] == min(n, word_counts([text])[0])
    if word_counts([text])[0] < n:
        assert start == text
    else:
        assert not start[-1].isspace()


@given(st.text(max_size=60), st.integers(1, 5))
def test_any_character_may_stand_in_a_text(text, n):
    assert word_counts([first_words(text, n)])[0] == min(n, word_counts([text])[0])


@given(st.text() | ANY_TEXT)
def test_words_and_marks_leave_out_white_space_alone(text):
    without_space = "".join(text.split())
    assert "".join(words_and_marks(text)) == without_space
    assert "".join(word_runs(text)) == without_space


@pytest.mark.parametrize(
    ("text", "marks_apart", "runs"),
    [
        ("It can't.", ["It", "can't", "."], ["It", "can", "'", "t", "."]),
        ("so...", ["so", "..."], ["so", ".", ".", "."]),
        ("漢字か", ["漢", "字", "か"], ["漢字か"]),
        ("cafe\u0301", ["cafe\u0301"], ["cafe", "\u0301"]),
    ],
)
def test_where_the_two_rules_for_words_differ(text, marks_apart, runs):
    assert words_and_marks(text) == marks_apart
    assert word_runs(text) == runs


# Lossless tokens. Any text, and text of the characters that the rule is about.
TOKEN_TEXTS = st.text() | st.text(alphabet="ab1_ \t\n\r\u00a0.,*'’(é-")


@given(TOKEN_TEXTS)
def test_joined_tokens_are_the_text(text):
    assert "".join(tokenize(text)) == text


@given(TOKEN_TEXTS)
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
def test_tokens_by_hand(text, tokens):
    assert tokenize(text) == tokens
