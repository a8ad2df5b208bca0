"""Human prose that every Python has with it: the language reference."""

from pydoc_data.topics import topics

import numpy as np

from mauve.errors import InvalidParameterError, check_int
from mauve.lm.tokens import tokenize

_PROSE = 0.8  # letters among the characters of a passage; grammars and tables have fewer


def split_reference(
    n_passages: int = 500, n_tokens: int = 72, *, seed: int = 0
) -> tuple[list[list[str]], list[list[str]]]:
    """Split the Python language reference into passages to compare with and text to learn.

    Parameters
    ----------
    n_passages, n_tokens : int
        Passages of prose, and the length of each.
    seed : int
        Which topics the passages are from follows from it.

    Returns
    -------
    passages : list of list of str
        Tokens, white space included: joined they are the text.
    training : list of list of str
        Whole topics that no passage is from.

    Examples
    --------
    >>> passages, training = split_reference(100)
    >>> len(passages), {len(passage) for passage in passages}
    (100, {72})
    """
    check_int("split_reference", "n_passages", n_passages, 1)
    check_int("split_reference", "n_tokens", n_tokens, 2)
    texts = _distinct_topics()
    passages: list[list[str]] = []
    training = []
    for i in np.random.default_rng(seed).permutation(len(texts)):
        tokens = tokenize(texts[i])
        if len(passages) >= n_passages:
            training.append(tokens)
            continue
        parts = [tokens[end - n_tokens : end] for end in range(n_tokens, len(tokens), n_tokens)]
        passages += [part for part in parts if _is_prose("".join(part))]
    if not training:
        raise InvalidParameterError(
            "The 'n_passages' parameter of split_reference must leave topics to learn from. "
            f"Got {n_passages} instead: use fewer, or shorter ones."
        )
    return passages[:n_passages], training


def _distinct_topics() -> list[str]:
    """Return the topics that are not part of another one, as many sections are."""
    found: list[str] = []
    for text in sorted(topics.values(), key=lambda text: (-len(text), text)):
        middle = text[len(text) // 2 :][:300]
        if not any(middle in longer for longer in found):
            found.append(text)
    return found


def _is_prose(text: str) -> bool:
    printed = [character for character in text if not character.isspace()]
    return sum(character.isalpha() for character in printed) >= _PROSE * len(printed)
