"""Words counted and cut, with spaces between them and without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.escape import listed
from mauve.text.words import checked_texts, first_words, word_counts

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
    found = first_words(text, n)
    assert text.startswith(found)
    assert word_counts([found])[0] == min(n, word_counts([text])[0])
    if word_counts([text])[0] < n:
        assert found == text
    else:
        assert not found[-1].isspace()


@given(st.text(max_size=60), st.integers(1, 5))
def test_any_character_may_stand_in_a_text(text, n):
    assert word_counts([first_words(text, n)])[0] == min(n, word_counts([text])[0])


@pytest.mark.parametrize(("texts", "got"), [("a text", "one string"), ([], "none")])
def test_what_is_no_list_of_texts_is_refused(texts, got):
    with pytest.raises(
        InvalidParameterError, match=rf"'x' must be a list of at least one text\. Got {got} inst"
    ):
        checked_texts(texts, "x")


@pytest.mark.parametrize("item", [None, 3, b"bytes"])
def test_items_that_are_no_texts_are_refused(item):
    with pytest.raises(
        InvalidParameterError, match=rf"texts only\. Got {type(item).__name__} at position 1 inst"
    ):
        checked_texts(["a", item], "x")


def test_positions_are_listed_up_to_eight():
    assert listed(range(8)) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert listed(range(9)) == "0, 1, 2, 3, 4, 5, 6, 7 and 1 more"
