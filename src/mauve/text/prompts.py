"""Match texts with the prompts they answer."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter

#: Prompts of the texts: one sequence for all samples alike, or one for each sample by name.
Prompts = Sequence[Any] | Mapping[str, Sequence[Any]]


def prompts_by_sample(
    prompts: Prompts | None, sizes: Mapping[str, int]
) -> dict[str, list[str]] | None:
    """Return the prompt of every text of each sample, or None without prompts.

    Parameters
    ----------
    prompts : sequence, or mapping from name to one, or None
        A single sequence stands for every sample.
    sizes : mapping from name to int
        Number of texts of every sample, human first.

    Examples
    --------
    >>> prompts_by_sample([1, 2], {"human": 2, "model": 2})
    {'human': ['1', '2'], 'model': ['1', '2']}
    """
    if prompts is None:
        return None
    by_sample = {}
    for name, size in sizes.items():
        if isinstance(prompts, Mapping) and name not in prompts:
            raise InvalidParameterError(
                f"{parameter('prompts')} must have the prompts of "
                f"'{next(iter(sizes))}' and of every system. Got none for '{name}' instead."
            )
        sample_prompts = prompts[name] if isinstance(prompts, Mapping) else prompts
        if isinstance(sample_prompts, str) or not isinstance(sample_prompts, Collection):
            raise bad_parameter("prompts", "a list of prompts, or one by sample", sample_prompts)
        if len(sample_prompts) != size:
            raise InvalidParameterError(
                f"{parameter('prompts')} must have one prompt for each of the "
                f"{size} texts of '{name}'. Got {len(sample_prompts)} instead."
            )
        by_sample[name] = [str(prompt) for prompt in sample_prompts]
    return by_sample
