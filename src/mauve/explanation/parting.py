"""Find where texts part from those of the other samples, so that previews skip a shared prompt."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from mauve.arrays import IntArray

SHORTEST = 20  # characters of a shared beginning; a shorter one is shared by chance
# Share of the texts of both samples that begin like a text of the other, if prompts were left in.
# A template that one sample has often and the other hardly ever is a fault to show, and no prompt.
_LEAST_SHARED = 0.25


def parting_points(
    texts: Mapping[str, Sequence[str]], prompts: Mapping[str, Sequence[str]] | None = None
) -> IntArray:
    """Return where each text parts from the texts of other samples.

    Parameters
    ----------
    texts : mapping from name to sequence of str
        Samples, human text first.
    prompts : mapping from name to sequence of str, optional
        The prompt of each text.

    Returns
    -------
    array of int, shape (n,)
        For all texts, sample after sample: number of characters at the beginning that are the
        prompt, or that a human text and a text of a system (of the same prompt, if there are
        prompts) have in common. It is 0 if these are fewer than 20, if nothing would be left,
        or if fewer than a quarter of the texts of either sample share their beginning: then
        texts begin alike by chance, or by a template.

    Examples
    --------
    >>> human = ["Write about the sea. Grey waves rolled in.", "Write about the sun. It rose."]
    >>> model = ["Write about the sea. The sea is large.", "Write about the sun. It is a star."]
    >>> parting_points({"human": human, "model": model}).tolist()
    [21, 24, 21, 24]
    """
    (human_name, human), *systems = texts.items()
    by_sample = {name: _after_prompts(sample, prompts, name) for name, sample in texts.items()}
    for name, model in systems:
        both = None if prompts is None else [*prompts[human_name], *prompts[name]]
        shared = _shared_beginnings([*human, *model], len(human), both)
        by_sample[human_name] = np.maximum(by_sample[human_name], shared[: len(human)])
        by_sample[name] = np.maximum(by_sample[name], shared[len(human) :])
    return np.concatenate([*by_sample.values()])


def _after_prompts(
    texts: Sequence[str], prompts: Mapping[str, Sequence[str]] | None, name: str
) -> IntArray:
    """Return the length of the prompt that each text begins with, or 0."""
    starts = np.zeros(len(texts), dtype=np.intp)
    if prompts is None:
        return starts
    for i, (text, prompt) in enumerate(zip(texts, prompts[name], strict=True)):
        body, prompt = text.lstrip(), prompt.strip()
        if prompt and body.startswith(prompt) and body[len(prompt) :].strip():
            starts[i] = len(text) - len(body) + len(prompt)
    return starts


def _shared_beginnings(texts: list[str], n_human: int, prompts: list[str] | None) -> IntArray:
    """Return how much of each text is also the beginning of a text of the other sample."""
    bodies = [text.lstrip() for text in texts]
    labels = [""] * len(texts) if prompts is None else prompts
    order = sorted(range(len(texts)), key=lambda i: (labels[i], bodies[i]))
    lengths = [0] * len(texts)
    # In sorted order, the text of the other sample that shares most is the nearest one.
    for direction in (order, order[::-1]):
        last: list[int | None] = [None, None]
        for i in direction:
            is_human = i < n_human
            other = last[is_human]
            if other is not None and labels[other] == labels[i]:
                lengths[i] = max(lengths[i], _common_length(bodies[i], bodies[other]))
            last[not is_human] = i
    kept = [_to_word_end(body, length) for body, length in zip(bodies, lengths, strict=True)]
    is_shared = np.array(kept) > 0
    if min(is_shared[:n_human].mean(), is_shared[n_human:].mean()) < _LEAST_SHARED:
        return np.zeros(len(texts), dtype=np.intp)
    indents = [len(text) - len(body) for text, body in zip(texts, bodies, strict=True)]
    return np.where(is_shared, np.add(kept, indents), 0)


def _common_length(first: str, second: str) -> int:
    """Return the length of the common beginning of two texts, or 0 if it is too short."""
    if first[:SHORTEST] != second[:SHORTEST]:
        return 0
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _to_word_end(text: str, length: int) -> int:
    """Return `length` moved back to the end of a word; 0 if too little is before or after it."""
    if length < len(text) and text[length - 1 : length + 1].isalnum():
        spaces = (i for i in range(length - 1, 0, -1) if text[i].isspace())
        length = next(chain(spaces, [length]))  # scripts without spaces are cut anywhere
    return length if length >= SHORTEST and text[length:].strip() else 0
