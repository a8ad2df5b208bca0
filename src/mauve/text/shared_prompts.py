"""Remove prompts from the beginning of texts, given ones or those that samples share."""

from collections.abc import Mapping, Sequence

#: Characters that two texts must share at their beginning for it to be a prompt.
MIN_PROMPT = 20
#: Share of a sample's texts that must begin with a prompt.
MOST = 0.5


def without_prompts(
    samples: Mapping[str, Sequence[str]], prompts: Mapping[str, Sequence[str]] | None = None
) -> dict[str, list[str]]:
    """Remove the prompt, and the white space after it, from the texts that begin with it.

    Parameters
    ----------
    samples : mapping from name to sequence of str
        Human texts first.
    prompts : mapping from name to sequence of str, optional
        The prompt of each text. Without them, or where fewer than half of the texts of every
        sample begin with theirs, prompts are looked for.

    Notes
    -----
    A prompt that is looked for is the longest beginning that a text of a system shares with a
    human text, or a human text with one of a system, of at least 20 characters and up to the end
    of a word. It is removed where more than half of the texts of a sample have one. Two equal
    texts are copies and share no prompt.

    Examples
    --------
    >>> people = ["The old house by the sea was empty.", "In the town of my youth we sang."]
    >>> model = ["The old house by the sea burnt.", "In the town of my youth it rains."]
    >>> without_prompts({"human": people, "model": model})["model"]
    ['burnt.', 'it rains.']
    >>> without_prompts({"human": ["To be or not"]}, {"human": ["To be"]})
    {'human': ['or not']}
    """
    if prompts is not None:
        lengths = {
            name: [given_length(*pair) for pair in zip(texts, prompts[name], strict=True)]
            for name, texts in samples.items()
        }
        if any(map(_is_habit, lengths.values())):
            return _cut(samples, lengths)
    found = found_prompts(samples)
    return _cut(samples, {name: n if _is_habit(n) else [0] * len(n) for name, n in found.items()})


def found_prompts(
    samples: Mapping[str, Sequence[str]], prompts: Mapping[str, Sequence[str]] | None = None
) -> dict[str, list[int]]:
    """Return the length of the beginning that each text shares with one of another sample.

    Parameters
    ----------
    samples : mapping from name to sequence of str
        Systems are compared with the first sample, and the first with all systems.
    prompts : mapping from name to sequence of str, optional
        The prompt of each text: only texts of one prompt are compared.

    Returns
    -------
    dict from name to list of int
        Numbers of characters, with the white space before the text; 0 where fewer than 20 are
        shared, or where the two texts are equal.

    Examples
    --------
    >>> found_prompts({"human": ["It was a bright cold day."],
    ...                "m": ["It was a bright cold night.", "It was."]})
    {'human': [20], 'm': [20, 0]}
    """
    # The texts that share the longest beginning are neighbours in the alphabet.
    order = sorted(
        (prompts[name][row] if prompts else "", text.lstrip(), place > 0, name, row)
        for place, (name, texts) in enumerate(samples.items())
        for row, text in enumerate(texts)
    )
    lengths = {name: [0] * len(texts) for name, texts in samples.items()}
    for direction in (order, order[::-1]):
        last: dict[bool, tuple[str, str]] = {}  # the last human text, and that of a system
        for prompt, text, is_system, name, row in direction:
            other_prompt, other = last.get(not is_system, ("", ""))
            if other_prompt == prompt:
                lengths[name][row] = max(lengths[name][row], _shared_length(text, other))
            last[is_system] = prompt, text
    return {
        name: [
            n + len(text) - len(text.lstrip()) if n else 0
            for n, text in zip(lengths[name], texts, strict=True)
        ]
        for name, texts in samples.items()
    }


def _shared_length(first: str, second: str) -> int:
    """Return the length of the beginning of whole words that two texts share."""
    if first[:MIN_PROMPT] != second[:MIN_PROMPT] or first == second:
        return 0
    low, high = 0, min(len(first), len(second))
    while low < high:  # halving is much faster than a loop over characters
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    while low and not (_is_word_end(first, low) and _is_word_end(second, low)):
        low -= 1
    n = len(first[:low].rstrip())
    return n if n >= MIN_PROMPT else 0


def given_length(text: str, prompt: str) -> int:
    """Return the length of a prompt that a text begins with, 0 if it does not.

    Examples
    --------
    >>> given_length(" To be or not", "To be"), given_length("Tomorrow", "To")
    (6, 0)
    """
    prompt, body = prompt.strip(), text.lstrip()
    if not (prompt and body.startswith(prompt) and _is_word_end(body, len(prompt))):
        return 0
    return len(text) - len(body) + len(prompt)


def _is_word_end(text: str, n: int) -> bool:
    return n >= len(text) or n == 0 or not (text[n - 1].isalnum() and text[n].isalnum())


def _is_habit(lengths: Sequence[int]) -> bool:
    return sum(n > 0 for n in lengths) > MOST * len(lengths)


def _cut(
    samples: Mapping[str, Sequence[str]], lengths: Mapping[str, Sequence[int]]
) -> dict[str, list[str]]:
    return {
        name: [
            text[n:].lstrip() if n else text for text, n in zip(texts, lengths[name], strict=True)
        ]
        for name, texts in samples.items()
    }
