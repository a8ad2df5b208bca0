"""Name the samples of a call: human text, and one system or several."""

from collections.abc import Mapping, Sequence

from mauve.calls import parameter
from mauve.embed.samples import SampleLike
from mauve.errors import InvalidParameterError, bad_parameter

#: One system, or several by name.
SystemsLike = SampleLike | Mapping[str, SampleLike]


def name_samples(human: SampleLike, systems: SystemsLike) -> dict[str, SampleLike]:
    """Return human text and systems by name, human first.

    Parameters
    ----------
    human, systems
        As for :func:`mauve.compare`.

    Examples
    --------
    >>> name_samples("human.txt", "gpt.txt")
    {'human': 'human.txt', 'model': 'gpt.txt'}
    """
    if _is_list_of_samples(systems):
        rule = "one sample, or a mapping from names to samples"
        raise InvalidParameterError(
            f"{parameter('systems')} must be {rule}. Got a {type(systems).__name__} of samples "
            "instead: pass {'NAME': sample, ...}."
        )
    named = systems if isinstance(systems, Mapping) else {"model": systems}
    names = [str(name) for name in named]
    if not names or len(set(names)) < len(names):
        rule = "one sample or a mapping of at least one name, all different"
        raise bad_parameter("systems", rule, names)
    return dict(zip([human_name_beside(names), *names], [human, *named.values()], strict=True))


def _is_list_of_samples(systems: object) -> bool:
    """Whether an unnamed list holds lists of texts; lists of numbers are rows of features."""
    return (
        isinstance(systems, list | tuple)
        and bool(systems)
        and all(
            isinstance(sample, list | tuple) and len(sample) > 1 and isinstance(sample[0], str)
            for sample in systems
        )
    )


def human_name_beside(systems: Sequence[str]) -> str:
    """Return the name of the human sample beside systems of these names.

    A system may be called "human" too, for instance one half of the human texts against the
    other.

    Examples
    --------
    >>> human_name_beside(["gpt"]), human_name_beside(["human"])
    ('human', 'human (reference)')
    """
    return "human" if "human" not in systems else "human (reference)"
