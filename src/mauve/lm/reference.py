"""Human prose that every Python installation has: the language reference."""

from dataclasses import dataclass
from pydoc_data.topics import topics

import numpy as np

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, check_int
from mauve.text.words import tokenize

_PASSAGE_TOKENS = 72
_MIN_LETTERS = 0.8  # share of letters in a passage of prose; grammars and tables have fewer


@dataclass(frozen=True)
class Reference:
    """The Python language reference in two parts.

    Attributes
    ----------
    passages : list of list of str
        Tokens with their white space: joined, they are the text.
    topics : list of str
        The heading of the topic of each passage.
    training : list of list of str
        Whole topics that contain no passage.
    """

    passages: list[list[str]]
    topics: list[str]
    training: list[list[str]]


def split_reference(n_passages: int, *, seed: int = 0) -> Reference:
    """Split the Python language reference into passages for comparison and training texts.

    Parameters
    ----------
    n_passages : int
        Number of passages of prose, of 72 tokens each.
    seed : int
        Random seed; it selects the topics of the passages.

    Returns
    -------
    Reference

    Examples
    --------
    >>> reference = split_reference(100)
    >>> len(reference.passages), {len(passage) for passage in reference.passages}
    (100, {72})
    >>> len(reference.topics), len(set(reference.topics)) > 3
    (100, True)
    """
    check_int("n_passages", n_passages, 1)
    texts = _distinct_topics()
    passages: list[list[str]] = []
    headings: list[str] = []
    training = []
    for i in np.random.default_rng(seed).permutation(len(texts)):
        tokens = tokenize(texts[i])
        if len(passages) >= n_passages:
            training.append(tokens)
            continue
        ends = range(_PASSAGE_TOKENS, len(tokens), _PASSAGE_TOKENS)
        parts = [tokens[end - _PASSAGE_TOKENS : end] for end in ends]
        prose = [part for part in parts if _is_prose("".join(part))]
        passages += prose
        headings += [_heading(texts[i])] * len(prose)
    if not training:
        raise InvalidParameterError(
            f"{parameter('n_passages')} must leave topics to learn from. "
            f"Got {n_passages} instead: use fewer."
        )
    return Reference(passages[:n_passages], headings[:n_passages], training)


def _distinct_topics() -> list[str]:
    """Return the topics without those that are a section of another topic."""
    distinct: list[str] = []
    for text in sorted(topics.values(), key=lambda text: (-len(text), text)):
        middle = text[len(text) // 2 :][:300]
        if not any(middle in longer for longer in distinct):
            distinct.append(text)
    return distinct


def _heading(text: str) -> str:
    return text.strip().split("\n")[0]


def _is_prose(text: str) -> bool:
    visible = [character for character in text if not character.isspace()]
    return sum(character.isalpha() for character in visible) >= _MIN_LETTERS * len(visible)
