"""The parts of a text that its properties are computed from, each computed once."""

import re
from collections import Counter
from functools import cached_property

# Both apostrophes, so that "don’t" and "don't" are one word.
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?…。！？]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]")
_NUMBER = re.compile(r"\d[\d.,:/]*")
# A capital that does not begin a sentence, nor follows an opening quote: a name, mostly.
_NAME = re.compile(r"(?<=[^\W\d_] |[,;] )[A-Z][^\W\d_]{2,}")


class TextView:
    """One text with its words, sentences and marks.

    Parameters
    ----------
    text : str

    Examples
    --------
    >>> view = TextView("It can’t end. Or can it?")
    >>> view.words, view.n_sentences
    (['it', "can't", 'end', 'or', 'can', 'it'], 2)
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> list[str]:
        """Words in lower case, without punctuation."""
        return _WORD.findall(self.text.lower().replace("’", "'"))

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each word occurs."""
        return Counter(self.words)

    @cached_property
    def n_sentences(self) -> int:
        """Number of sentences, at least one: an unfinished one counts if it is the only one."""
        return max(1, len(_SENTENCE_END.findall(self.text)))

    @cached_property
    def n_letters(self) -> int:
        """Number of letters."""
        return sum(map(str.isalpha, self.text))

    @cached_property
    def n_capitals(self) -> int:
        """Number of capital letters."""
        return sum(map(str.isupper, self.text))

    @cached_property
    def n_numbers(self) -> int:
        """Number of numbers in digits."""
        return len(_NUMBER.findall(self.text))

    @cached_property
    def n_names(self) -> int:
        """Number of words that begin with a capital within a sentence."""
        # White space is form, and must not change what is a name.
        return len(_NAME.findall(" ".join(self.text.split())))

    def per_100_words(self, n: float) -> float:
        """Return a number in relation to the length of the text."""
        return 100 * n / max(len(self.words), 1)
