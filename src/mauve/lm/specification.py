"""What a decoding algorithm is: a class with parameters, and the string that names it."""

from collections.abc import Iterator
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar


@dataclass(frozen=True)
class Decoding:
    """A decoding algorithm; ``str`` returns the string that names it.

    Those that draw each token from a distribution are a :class:`Sampler`.

    Attributes
    ----------
    name : str
        Its name in strings.
    is_random : bool
        Whether texts depend on the random seed.

    Examples
    --------
    >>> from mauve.lm.decoding import Beam, Greedy
    >>> str(Beam(8, no_repeat=4)), str(Greedy())
    ('beam:b=8,no_repeat=4', 'greedy')
    """

    name: ClassVar[str]
    is_random: ClassVar[bool] = False

    def __str__(self) -> str:
        parts = [*self._parts()]
        return f"{self.name}:{','.join(parts)}" if parts else self.name

    def _parts(self) -> Iterator[str]:
        for each in parameters(type(self)):
            value = getattr(self, each.name)
            if value is None or (each.kw_only and value == each.default):
                continue
            number = str(int(value)) if float(value).is_integer() else repr(float(value))
            yield number if each.name == self.name else f"{each.name}={number}"


def parameters(decoding: type[Decoding]) -> list[Field[Any]]:
    """Return the parameters of a decoding algorithm in the order of its string.

    Examples
    --------
    >>> from mauve.lm.decoding import Nucleus
    >>> [each.name for each in parameters(Nucleus)]
    ['p', 'temperature']
    """
    return sorted(fields(decoding), key=lambda each: each.kw_only is True)
