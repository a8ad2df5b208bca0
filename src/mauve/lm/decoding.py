"""Decoding algorithms that change the distribution of the next token."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.calls import either
from mauve.errors import bad_parameter, check_int, check_real

Tokens = NDArray[np.intp]


class Decoding(Protocol):
    """A decoding algorithm; ``str`` returns its canonical specification."""

    @property
    def is_random(self) -> bool:
        """Whether texts depend on the random seed."""


class Decoder(Protocol):
    """A function from the model's distribution of the next token to the one to draw from."""

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return the new probabilities; both arrays have the shape (vocabulary_size,)."""


@dataclass(frozen=True)
class Greedy:
    r"""Always the most probable token; of tokens with equal probability the lowest id.

    Notes
    -----
    :math:`x_t = \arg\max_x \hat P(x | x_{1:t-1})` (section 4 of the paper).

    Examples
    --------
    >>> Greedy()(np.array([0.2, 0.4, 0.4])).tolist()
    [0.0, 1.0, 0.0]
    """

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Give the most probable token the probability 1."""
        greedy = np.zeros_like(probabilities)
        greedy[probabilities.argmax()] = 1
        return greedy


@dataclass(frozen=True)
class Ancestral:
    r"""Sampling from the unchanged distribution of the model, also called pure sampling.

    Notes
    -----
    :math:`x_t \sim \hat P(x | x_{1:t-1})` (section 4 of the paper).

    Examples
    --------
    >>> Ancestral()(np.array([0.5, 0.3, 0.2])).tolist()
    [0.5, 0.3, 0.2]
    """

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return the probabilities unchanged."""
        return probabilities


@dataclass(frozen=True)
class Temperature:
    r"""Sampling at a temperature: below 1 probable tokens gain, above 1 they lose.

    Notes
    -----
    :math:`x_t \sim \hat P(x | x_{1:t-1})^{1/T}`, normalised: logits divided by T (Ackley,
    Hinton and Sejnowski 1985).

    Examples
    --------
    >>> Temperature(0.5)(np.array([0.6, 0.2, 0.2])).round(3).tolist()
    [0.818, 0.091, 0.091]
    """

    temperature: float

    def __post_init__(self) -> None:
        check_real("temperature", self.temperature, above=0)

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Raise the probabilities to the power 1/T."""
        # Relative to the largest, which stays 1 at any temperature, so the sum is never 0.
        powers = (probabilities / probabilities.max()) ** (1 / self.temperature)
        return np.asarray(powers / powers.sum())


@dataclass(frozen=True)
class TopK:
    """Sampling from the k most probable tokens; ties go to the lowest ids.

    References
    ----------
    Fan, Lewis and Dauphin, *Hierarchical neural story generation*, ACL 2018.

    Examples
    --------
    >>> TopK(2)(np.array([0.2, 0.4, 0.2, 0.2])).round(3).tolist()
    [0.333, 0.667, 0.0, 0.0]
    """

    k: int

    def __post_init__(self) -> None:
        check_int("k", self.k, 1)

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Set all but the k largest to zero and normalise."""
        head = _head(probabilities, lambda tokens: len(tokens) >= self.k)
        return _only_largest(self.k, head, probabilities)


@dataclass(frozen=True)
class Nucleus:
    r"""Sampling from the smallest set of tokens that has at least the probability p.

    The token that crosses p is included; ties go to the lowest ids.

    Notes
    -----
    :math:`x_t \sim \hat P(x | x_{1:t-1})` for x in :math:`V_p`, the smallest set V with
    :math:`\sum_{x \in V} \hat P(x | x_{1:t-1}) \ge p`, normalised (section 4 of the paper).

    References
    ----------
    Holtzman, Buys, Du, Forbes and Choi, *The curious case of neural text degeneration*,
    ICLR 2020.

    Examples
    --------
    >>> Nucleus(0.7)(np.array([0.1, 0.5, 0.3, 0.1])).round(3).tolist()
    [0.0, 0.625, 0.375, 0.0]
    """

    p: float

    def __post_init__(self) -> None:
        check_real("p", self.p, above=0, up_to=1)

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Set all outside the nucleus to zero and normalise."""
        head = _head(probabilities, lambda tokens: probabilities[tokens].sum() >= self.p)
        mass = np.sort(probabilities[head])[::-1].cumsum()
        # A sum of n floats may fall short by n roundings: 0.4 + 0.3 + 0.2 < 0.9.
        reached = self.p - len(head) * np.finfo(np.float64).eps
        return _only_largest(int(mass.searchsorted(reached)) + 1, head, probabilities)


def _head(probabilities: FloatArray, enough: Callable[[Tokens], bool]) -> Tokens:
    """Return enough of the most probable tokens, or all, so that few need to be sorted."""
    for least in (1e-2, 1e-3, 1e-4, 1e-5, 0):
        tokens = np.flatnonzero(probabilities >= least)
        if enough(tokens):
            break
    return tokens


def _only_largest(n: int, head: Tokens, probabilities: FloatArray) -> FloatArray:
    """Set all but the n most probable tokens, which are in `head`, to zero and normalise."""
    values = probabilities[head]
    n = min(n, len(values))
    smallest = np.partition(values, -n)[-n]
    larger = head[values > smallest]
    largest = np.append(larger, head[values == smallest][: n - len(larger)])
    truncated = np.zeros_like(probabilities)
    truncated[largest] = probabilities[largest] / probabilities[largest].sum()
    return truncated


#: Decoders by their name on the command line; those with a parameter take a number.
DECODERS: dict[str, Callable[..., Decoder]] = {
    "greedy": Greedy,
    "ancestral": Ancestral,
    "temperature": Temperature,
    "topk": TopK,
    "nucleus": Nucleus,
}


def parse_decoder(spec: str) -> Decoder:
    """Return the decoder that a string names.

    Parameters
    ----------
    spec : str
        "greedy", "ancestral", "temperature:0.7", "topk:40" or "nucleus:0.9", with any number.

    Examples
    --------
    >>> parse_decoder("nucleus:0.9")
    Nucleus(p=0.9)
    >>> parse_decoder("greedy")
    Greedy()
    """
    name, colon, number = spec.partition(":")
    make = DECODERS.get(name)
    try:
        if make is None or bool(colon) != bool(signature(make).parameters):
            raise ValueError
        numbers = [int(number) if number.isdecimal() else float(number)] if colon else []
    except ValueError:
        forms = (n + ":NUMBER" * bool(signature(d).parameters) for n, d in DECODERS.items())
        rule = f"a decoder: one of {', '.join(map(repr, forms))}"
        raise bad_parameter(either("models", "spec"), rule, spec) from None
    return make(*numbers)
