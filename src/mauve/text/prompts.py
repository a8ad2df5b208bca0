"""Match texts with the prompts they answer."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import listed_as
from mauve.text.normalize import is_missing

#: Prompts of the texts: one sequence for all samples alike, or one for each sample by name.
Prompts = Sequence[Any] | Iterable[Any] | Mapping[str, Iterable[Any]]


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
    if isinstance(prompts, Set):
        raise InvalidParameterError(
            f"{parameter('prompts')} must be in the order of the texts. Got a "
            f"{type(prompts).__name__} instead, which has none: pass a list."
        )
    if not isinstance(prompts, Mapping):
        prompts = _as_list(prompts)  # an iterator can be read once
    by_sample = {}
    for name, size in sizes.items():
        if isinstance(prompts, Mapping) and name not in prompts:
            raise InvalidParameterError(
                f"{parameter('prompts')} must have the prompts of "
                f"'{next(iter(sizes))}' and of every system. Got none for '{name}' instead."
            )
        sample_prompts = _as_list(prompts[name]) if isinstance(prompts, Mapping) else prompts
        if len(sample_prompts) != size:
            raise InvalidParameterError(
                f"{parameter('prompts')} must have one prompt for each of the "
                f"{size} texts of '{name}'. Got {len(sample_prompts)} instead."
            )
        missing = [i for i, prompt in enumerate(sample_prompts) if is_missing(prompt)]
        if missing:
            raise InvalidParameterError(
                f"{parameter('prompts')} must have a prompt for every text of "
                f"'{name}'. Got missing values at {listed_as('position', missing)} instead."
            )
        by_sample[name] = [str(prompt) for prompt in sample_prompts]
    return by_sample


def _as_list(prompts: Any) -> list[Any]:
    if isinstance(prompts, str) or not isinstance(prompts, Iterable):
        raise bad_parameter("prompts", "a list of prompts, or one by sample", prompts)
    return [*prompts]
