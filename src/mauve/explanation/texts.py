"""Rank the texts of the human sample and of a system by what they add to the divergences."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.equality import ExactEquality
from mauve.explanation.property_results import DifferingProperties


@dataclass(frozen=True)
class TextShare:
    """What one text adds to the divergence between human text and a system.

    Attributes
    ----------
    sample : str
        Name of its sample.
    index : int
        Its position there, from 0.
    cluster : int
        Number of its cluster.
    contribution : float
        What it adds in nats: to KL(Q|R), type I, for a text of the system, and to KL(P|R),
        type II, for a human text.
    log_ratio : float
        The contribution times the number of texts of the sample: the mean logarithm of how
        much more frequent texts like it are in its sample than in the mixture R. At λ = 1/2
        it is about log 2 = 0.69 if the other sample has no text like it, and about 0 if both
        have as many; the bias correction may take it a little beyond.
    typicality : float
        Share of the texts in its buckets, itself included, that are in its cluster.
    text : str or None
        None if features were passed.
    reasons : tuple of str
        Properties of the text that are much more common in its sample than in the other.
    start : int
        Where the text parts from texts of the other samples, in characters: previews begin
        there, after a prompt or another beginning that both samples share.
    """

    sample: str
    index: int
    cluster: int
    contribution: float
    log_ratio: float
    typicality: float
    text: str | None = field(repr=False, default=None)
    reasons: tuple[str, ...] = field(repr=False, default=())
    start: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects, ready for JSON."""
        return vars(self) | {"reasons": list(self.reasons)}


@dataclass(frozen=True, eq=False)
class PairTexts(ExactEquality):
    """The human texts and those of a system, human first, with what each adds.

    Attributes
    ----------
    names : tuple of str
        Of the human sample and of the system.
    n_human : int
    contributions, typicality : array of shape (n,)
    numbers : array of int, shape (n,)
        Number of each text's cluster.
    texts : list of str or None
    properties : DifferingProperties or None
        What differs between the two samples, which gives the reasons of each text.
    starts : array of int, shape (n,), or None
        Where each text parts from those of the other samples, from
        :func:`~mauve.explanation.parting.parting_points`; None for 0.
    """

    names: tuple[str, str]
    n_human: int
    contributions: FloatArray
    typicality: FloatArray
    numbers: IntArray
    texts: list[str] | None
    properties: DifferingProperties | None = None
    starts: IntArray | None = None

    @cached_property
    def log_ratios(self) -> FloatArray:
        """What each text adds, times the number of texts of its sample."""
        is_human = np.arange(len(self.numbers)) < self.n_human
        return self.contributions * np.where(is_human, self.n_human, (~is_human).sum())

    def share_of(self, row: int) -> TextShare:
        """Return a text with its contribution, cluster and typicality."""
        is_human = row < self.n_human
        reasons: tuple[str, ...] = ()
        if self.properties is not None:
            reasons = self.properties.reasons(row, is_model=not is_human)
        return TextShare(
            sample=self.names[0 if is_human else 1],
            index=row if is_human else row - self.n_human,
            cluster=int(self.numbers[row]),
            contribution=float(self.contributions[row]),
            log_ratio=float(self.log_ratios[row]),
            typicality=float(self.typicality[row]),
            text=None if self.texts is None else self.texts[row],
            reasons=reasons,
            start=0 if self.starts is None else int(self.starts[row]),
        )

    def telling(self, rows: IntArray, n: int) -> tuple[TextShare, ...]:
        """Return the texts that add most to the divergence of their sample.

        Log-ratios that are equal to two decimals are ordered by typicality.
        """
        return self.most(rows, self.log_ratios.round(2), n)

    def most(self, rows: IntArray, order: FloatArray, n: int | None) -> tuple[TextShare, ...]:
        """Return the texts with the highest values of `order`, copies of one text once.

        Parameters
        ----------
        rows : array of int
            Texts to choose from.
        order : array of shape (n,)
            A value for every text of the pair.
        n : int or None
            How many at most; None for all, copies included.
        """
        ranked = rows[np.lexsort((-self.typicality[rows], -order[rows]))]
        if n is None:
            return tuple(self.share_of(int(row)) for row in ranked)
        shares: dict[object, TextShare] = {}
        for row in ranked.tolist():
            if len(shares) == n:
                break
            shares.setdefault(row if self.texts is None else self.texts[row], self.share_of(row))
        return tuple(shares.values())
