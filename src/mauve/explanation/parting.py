"""Find where texts part from those of the other samples, so that previews skip a shared prompt."""

from collections.abc import Mapping, Sequence

import numpy as np

from mauve.arrays import IntArray
from mauve.text.shared_prompts import found_prompts, given_length

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
    [20, 23, 20, 23]
    """
    human, *systems = texts
    starts = {name: np.zeros(len(sample), dtype=np.intp) for name, sample in texts.items()}
    if prompts is not None:
        for name, sample in texts.items():
            starts[name][:] = [*map(given_length, sample, prompts[name])]
    for system in systems:
        shared = found_prompts({name: texts[name] for name in (human, system)}, prompts)
        if all(
            np.count_nonzero(lengths) >= _LEAST_SHARED * len(lengths) for lengths in shared.values()
        ):
            for name, lengths in shared.items():
                starts[name] = np.maximum(starts[name], lengths)
    for name, sample in texts.items():
        starts[name][
            [not text[n:].strip() for text, n in zip(sample, starts[name], strict=True)]
        ] = 0
    return np.concatenate([*starts.values()])
