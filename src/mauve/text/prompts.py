"""Identify prompts and texts by 64-bit hashes."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mauve.arrays import HashArray
from mauve.errors import InvalidParameterError

#: The prompt of each text: one sequence for all samples, or one for each name of a sample.
Prompts = Sequence[Any] | Mapping[str, Sequence[Any]]


def prompt_hashes(
    prompts: Prompts | None, sizes: Mapping[str, int], caller: str = "compare"
) -> list[HashArray] | None:
    """Return a hash of the prompt of every text, or None where there are no prompts.

    Parameters
    ----------
    prompts : sequence, or mapping from name to one, or None
        The prompt of each text; a single sequence holds for every sample.
    sizes : mapping from name to int
        Number of texts of every sample, human first.
    caller : str
        The function that messages name.

    Examples
    --------
    >>> human, model = prompt_hashes(["a", "b"], {"human": 2, "model": 2})
    >>> bool((human == model).all())
    True
    """
    if prompts is None:
        return None
    hashes = []
    for name, size in sizes.items():
        if isinstance(prompts, Mapping) and name not in prompts:
            raise InvalidParameterError(
                f"The 'prompts' parameter of {caller} must have the prompts of "
                f"'{next(iter(sizes))}' and of every system. Got none for '{name}' instead."
            )
        answered = prompts[name] if isinstance(prompts, Mapping) else prompts
        if len(answered) != size:
            raise InvalidParameterError(
                f"The 'prompts' parameter of {caller} must have one prompt for each of the "
                f"{size} texts of '{name}'. Got {len(answered)} instead."
            )
        hashes.append(text_hashes([str(prompt) for prompt in answered]))
    return hashes


def text_hashes(texts: Sequence[str]) -> HashArray:
    """Hash each text to 64 bits.

    Examples
    --------
    >>> one, other, again = text_hashes(["a", "b", "a"])
    >>> bool(one == again), bool(one == other)
    (True, False)
    """
    digests = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)
