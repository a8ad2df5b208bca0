"""Name the samples of a call: human text, and one system or several."""

from collections.abc import Mapping, Sequence

from mauve.embed.samples import SampleLike
from mauve.errors import bad_parameter

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
    named = systems if isinstance(systems, Mapping) else {"model": systems}
    names = [str(name) for name in named]
    if not names or len(set(names)) < len(names):
        rule = "one sample or a mapping of at least one name, all different"
        raise bad_parameter("systems", rule, names)
    return dict(zip([human_name_beside(names), *names], [human, *named.values()], strict=True))


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
