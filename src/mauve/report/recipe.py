"""A signature in words."""

from collections.abc import Sequence
from dataclasses import dataclass

_MEANINGS = {
    "mauve": "version of this package",
    "emb": "what turned texts into features",
    "reduce": "projection of the features: order, and share of variance kept",
    "quant": "what divided the features into cells",
    "k": "cells",
    "fit": "blocks of texts that each clustering was fitted on, and number of clusterings",
    "c": "scaling constant of the score",
    "est": "how divergences were estimated from counts",
    "n": "texts, human and the system's",
    "seed": "what everything random follows from",
}


@dataclass(frozen=True)
class Setting:
    """One part of a signature."""

    key: str
    values: list[str]
    meaning: str


def settings_of(signatures: Sequence[str]) -> list[Setting]:
    """Return the parts of signatures, with all values of each.

    Examples
    --------
    >>> for setting in settings_of(["k:50|n:500+500", "k:50|n:500+400"]):
    ...     print(setting.key, setting.values, setting.meaning)
    k ['50'] cells
    n ['500+500', '500+400'] texts, human and the system's
    """
    found: dict[str, list[str]] = {}
    for signature in signatures:
        for part in signature.split("|"):
            key, _, value = part.partition(":")
            values = found.setdefault(key, [])
            if value not in values:
                values.append(value)
    return [Setting(key, values, _MEANINGS.get(key, "")) for key, values in found.items()]
