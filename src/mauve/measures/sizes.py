"""Samples of different sizes, whose values cannot be compared by every measure."""

from collections.abc import Mapping, Sequence

from mauve.measures.protocol import Measure, Side
from mauve.printable import listed

_SIZES_APART = 1.25  # times as many tokens, from which on sizes are pointed out


def size_advice(
    measures: Sequence[Measure], people: Side, sides: Mapping[str, Side]
) -> tuple[str, ...]:
    """Return a warning for each system whose size makes measures of it incomparable."""
    found = []
    for unit in ("tokens", "texts"):
        growing = [measure.name for measure in measures if measure.grows_with == unit]
        n_human = _size(people, unit)
        for side in sides.values() if growing else ():
            n = _size(side, unit)
            if n and n_human and not 1 / _SIZES_APART <= n / n_human <= _SIZES_APART:
                found.append(
                    f"'{side.name}' has {n} {unit} and '{people.name}' {n_human}: "
                    f"{listed(growing)} change with the size of a sample, so give as many texts"
                    + (
                        " of about the same length (match_length=True, --match-length)."
                        if unit == "tokens"
                        else "."
                    )
                )
    return tuple(found)


def _size(side: Side, unit: str) -> int:
    if unit == "texts":
        return 0 if side.features is None else len(side.features)
    return 0 if side.tokens is None else len(side.tokens.ids)
