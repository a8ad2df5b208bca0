"""Texts are cut between tokens, never within a character."""

from pydoc_data.topics import topics

import pytest
from generation_tokenizers import Bundled, Bytes, Letters, Lossy
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.generation.splitting import checked_tokenizer, cut_text, split_text

# The language reference of Python.
TEXTS = [*topics.values()]
TEXT = max(TEXTS, key=len)
WORDS = st.text(st.sampled_from(" abcé\n日🙂👨‍👩‍👧 ،"), max_size=60)


def naive(text, prompt_tokens, max_tokens, tokenizer):
    """Cut a text by the tokens of the whole, where no cut is within a character."""
    tokens = tokenizer.encode(text)
    prompt = tokenizer.decode(tokens[:prompt_tokens])
    whole = tokenizer.decode(tokens[: prompt_tokens + max_tokens])
    return prompt, whole.removeprefix(prompt)


class TestSplit:
    def test_is_exact_for_letters(self):
        split = split_text("abcdefgh", 3, 4, Letters())
        assert (split.prompt, split.continuation) == ("abc", "defg")
        assert (split.n_prompt_tokens, split.n_tokens, split.is_whole) == (3, 4, False)

    @pytest.mark.parametrize(("max_tokens", "is_whole"), [(4, False), (5, True), (6, True)])
    def test_says_whether_the_text_ends(self, max_tokens, is_whole):
        assert split_text("abcdefgh", 3, max_tokens, Letters()).is_whole is is_whole

    @pytest.mark.parametrize("text", ["", "a", "abc"])
    def test_needs_a_token_behind_the_prompt(self, text):
        assert split_text(text, 3, 4, Letters()) is None

    def test_no_prompt(self):
        split = cut_text("abc", 2, Letters())
        assert (split.prompt, split.continuation, split.n_prompt_tokens) == ("", "ab", 0)

    @pytest.mark.parametrize("n", range(1, 9))
    def test_moves_a_cut_back_to_the_end_of_a_character(self, n):
        text = "a日b🙂c"  # 1, 3, 1, 4 and 1 bytes
        ends = {1: "a", 4: "a日", 5: "a日b", 9: "a日b🙂"}
        expected = ends[max(end for end in ends if end <= n)]
        split = split_text(text, n, 100, Bytes())
        assert split.prompt == expected
        assert split.n_prompt_tokens == len(expected.encode())
        assert split.prompt + split.continuation == text

    def test_the_limit_counts_from_where_the_prompt_ends(self):
        split = split_text("a日bcdefgh", 3, 4, Bytes())  # the prompt is cut after 1 token
        assert (split.prompt, split.continuation, split.n_tokens) == ("a", "日b", 4)

    @given(WORDS, st.integers(0, 20), st.integers(1, 20))
    @pytest.mark.parametrize("make", [Bytes, Letters, Lossy, Bundled])
    def test_parts_are_the_beginning_of_the_text(self, make, text, prompt_tokens, max_tokens):
        tokenizer = make()
        split = split_text(text, prompt_tokens, max_tokens, tokenizer)
        if split is None:
            # A character has at most 4 tokens.
            assert len(tokenizer.encode(text)) <= prompt_tokens or max_tokens < 4
            return
        assert text.startswith(split.prompt + split.continuation)
        assert split.continuation
        assert 0 <= split.n_prompt_tokens <= prompt_tokens
        assert split.n_tokens <= max_tokens
        assert split.is_whole == (split.prompt + split.continuation == text)

    def test_of_a_tokenizer_that_does_not_give_texts_back(self):
        split = split_text(" The Cat Sat", 7, 2, Lossy())
        assert (split.prompt, split.continuation) == (" The Cat", " S")
        assert (split.n_prompt_tokens, split.n_tokens) == (7, 2)

    def test_of_the_bundled_tokenizer_is_that_of_its_tokens(self):
        text = TEXT
        for prompt_tokens in (1, 7, 35):
            split = split_text(text, prompt_tokens, 50, Bundled())
            expected = naive(text, prompt_tokens, 50, Bundled())
            assert (split.prompt, split.continuation) == expected


class TestLongTexts:
    @pytest.mark.parametrize("separator", [" ", "\n\n", "\t"])
    def test_of_which_a_part_is_read_are_cut_alike(self, separator):
        text = separator.join(TEXTS)[:60_000]
        tokenizer = Bundled()
        split = split_text(text, 35, 100, tokenizer)
        assert tokenizer.n_read < 10_000
        assert (split.prompt, split.continuation) == naive(text, 35, 100, Bundled())

    def test_without_white_space_are_read_whole(self):
        text = "日本語" * 3000
        split = split_text(text, 10, 20, Bundled())
        assert text.startswith(split.prompt + split.continuation)
        assert split.n_prompt_tokens <= 10

    def test_of_tokens_that_are_longer_than_most(self):
        text = "word " + " " * 40_000 + "another"
        split = split_text(text, 1, 5, Bundled())
        assert (split.prompt, split.continuation) == naive(text, 1, 5, Bundled())


class TestTokenizer:
    def test_two_functions(self):
        letters = Letters()
        assert cut_text("abc", 2, checked_tokenizer((letters.encode, letters.decode)))

    def test_name(self):
        text = "The cat sat on the mat."
        assert cut_text(text, 3, checked_tokenizer("bundled")) == cut_text(text, 3, Bundled())

    @pytest.mark.parametrize("bad", [None, (len,), (len, 3)])
    def test_that_is_none(self, bad):
        with pytest.raises(InvalidParameterError, match=r"'tokenizer' .* encode and decode"):
            checked_tokenizer(bad)
