"""Decoding algorithms that draw each token from a distribution."""

import sys
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import check_int, check_real
from mauve.lm import truncation
from mauve.lm.specification import Decoding
from mauve.lm.truncation import Distribution


class Decoder(Protocol):
    """A function from the model's distribution of the next token to the one to draw from."""

    def __call__(self, probabilities: FloatArray) -> FloatArray:
        """Return the new probabilities; both arrays have the shape (vocabulary_size,)."""


@dataclass(frozen=True)
class Sampler(Decoding):
    """A decoding algorithm that draws each token from a distribution."""

    is_random: ClassVar[bool] = True

    def __call__(self, probabilities: Distribution) -> Distribution:
        """Return the distributions to draw from.

        Parameters
        ----------
        probabilities : array or tensor of float, shape (..., vocabulary_size)
            Those of a model.

        Returns
        -------
        array or tensor of float, shape (..., vocabulary_size)
        """
        raise NotImplementedError


@dataclass(frozen=True)
class Greedy(Sampler):
    r"""Always the most probable token; of tokens with equal probability the lowest id.

    Notes
    -----
    :math:`x_t = \arg\max_x \hat P(x | x_{1:t-1})` (section 4 of the paper).

    Examples
    --------
    >>> Greedy()(np.array([0.2, 0.4, 0.4])).tolist()
    [0.0, 1.0, 0.0]
    """

    name = "greedy"
    is_random = False

    def __call__(self, probabilities: Distribution) -> Distribution:
        """Give the most probable token the probability 1."""
        return truncation.greedy(probabilities)


@dataclass(frozen=True)
class Ancestral(Sampler):
    r"""Sampling from the unchanged distribution of the model, also called pure sampling.

    Notes
    -----
    :math:`x_t \sim \hat P(x | x_{1:t-1})` (section 4 of the paper).

    Examples
    --------
    >>> Ancestral()(np.array([0.5, 0.3, 0.2])).tolist()
    [0.5, 0.3, 0.2]
    """

    name = "ancestral"

    def __call__(self, probabilities: Distribution) -> Distribution:
        """Return the probabilities unchanged."""
        return probabilities


@dataclass(frozen=True)
class Temperature(Sampler):
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

    name = "temperature"

    temperature: float

    def __post_init__(self) -> None:
        check_real("temperature", self.temperature, above=0)

    def __call__(self, probabilities: Distribution) -> Distribution:
        """Raise the probabilities to the power 1/T."""
        return truncation.temper(probabilities, self.temperature)


@dataclass(frozen=True)
class Truncation(Sampler):
    """Sampling from a part of the tokens, at a temperature that is applied before."""

    temperature: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        check_real("temperature", self.temperature, above=0)

    def __call__(self, probabilities: Distribution) -> Distribution:
        """Set all but the kept tokens to zero and normalise."""
        if self.temperature != 1:
            probabilities = truncation.temper(probabilities, self.temperature)
        return self._truncated(probabilities)

    def _truncated(self, probabilities: Distribution) -> Distribution:
        raise NotImplementedError


@dataclass(frozen=True)
class TopK(Truncation):
    """Sampling from the k most probable tokens; ties go to the lowest ids.

    References
    ----------
    Fan, Lewis and Dauphin, *Hierarchical neural story generation*, ACL 2018.

    Examples
    --------
    >>> TopK(2)(np.array([0.2, 0.4, 0.2, 0.2])).round(3).tolist()
    [0.333, 0.667, 0.0, 0.0]
    """

    name = "top-k"

    k: int

    def __post_init__(self) -> None:
        check_int("k", self.k, 1)
        super().__post_init__()

    def _truncated(self, probabilities: Distribution) -> Distribution:
        return truncation.top_k(probabilities, self.k)


@dataclass(frozen=True)
class Nucleus(Truncation):
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

    name = "nucleus"

    p: float

    def __post_init__(self) -> None:
        check_real("p", self.p, above=0, up_to=1)
        super().__post_init__()

    def _truncated(self, probabilities: Distribution) -> Distribution:
        return truncation.nucleus(probabilities, self.p)


@dataclass(frozen=True)
class Typical(Truncation):
    r"""Sampling from tokens that are about as surprising as expected, of probability p at least.

    Tokens are taken in the order of :math:`|{-\log \hat P(x | x_{1:t-1})} - H|`, where H is the
    entropy of the distribution, until they have the probability p; ties go to the lowest ids.

    References
    ----------
    Meister, Pimentel, Wiher and Cotterell, *Locally typical sampling*, TACL 2023.

    Examples
    --------
    >>> Typical(0.4)(np.array([0.5, 0.2, 0.2, 0.1])).round(3).tolist()
    [0.0, 0.5, 0.5, 0.0]
    """

    name = "typical"

    p: float

    def __post_init__(self) -> None:
        check_real("p", self.p, above=0, up_to=1)
        super().__post_init__()

    def _truncated(self, probabilities: Distribution) -> Distribution:
        return truncation.typical(probabilities, self.p)


@dataclass(frozen=True)
class MinP(Truncation):
    r"""Sampling from tokens at least p times as probable as the most probable one.

    Notes
    -----
    x is kept where :math:`\hat P(x | x_{1:t-1}) \ge p \max_v \hat P(v | x_{1:t-1})`.

    References
    ----------
    Nguyen et al., *Turning up the heat: min-p sampling for creative and coherent LLM outputs*,
    2024, https://arxiv.org/abs/2407.01082.

    Examples
    --------
    >>> MinP(0.5)(np.array([0.5, 0.3, 0.1, 0.1])).round(3).tolist()
    [0.625, 0.375, 0.0, 0.0]
    """

    name = "min-p"

    p: float

    def __post_init__(self) -> None:
        check_real("p", self.p, above=0, up_to=1)
        super().__post_init__()

    def _truncated(self, probabilities: Distribution) -> Distribution:
        return truncation.min_p(probabilities, self.p)


def decode(decoder: Decoder | Sampler, probabilities: Distribution) -> Distribution:
    """Return the distributions that a decoder draws from.

    Parameters
    ----------
    decoder : Decoder or Sampler
        Those of this package are called for all rows at once, on their device; others for
        each row, with an array of float64 that has the sum 1.
    probabilities : array or tensor of float, shape (n, vocabulary_size)

    Returns
    -------
    array or tensor of float, shape (n, vocabulary_size)

    Examples
    --------
    >>> decode(lambda row: row[::-1], np.array([[0.1, 0.9], [0.3, 0.7]])).tolist()
    [[0.9, 0.1], [0.7, 0.3]]
    """
    given: Any = probabilities
    # Not isinstance: a subclass may do anything.
    if type(decoder) in _SAMPLERS:
        return decoder(given)  # type: ignore[return-value]
    if isinstance(given, np.ndarray):
        return _by_row(decoder, given)  # type: ignore[return-value]
    torch = sys.modules["torch"]
    wide = torch.float32 if given.device.type == "mps" else torch.float64
    decoded = torch.from_numpy(_by_row(decoder, given.cpu().numpy()))
    return decoded.to(given.device, wide)  # type: ignore[no-any-return]


def _by_row(decoder: Decoder, rows: FloatArray) -> FloatArray:
    wide = rows.astype(np.float64)
    return np.stack([decoder(row) for row in wide / wide.sum(axis=1, keepdims=True)])


_SAMPLERS = (Greedy, Ancestral, Temperature, TopK, Nucleus, Typical, MinP)
