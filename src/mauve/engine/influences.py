"""Add up the influences of texts, from their buckets, over groups of pieces."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, IntArray
from mauve.engine.stages import AssignStage


@dataclass
class Influences:
    """Sums over the texts of a piece that follow from their influences.

    Attributes
    ----------
    products : array of shape (n_jobs, n_jobs)
        Sums of the products of the influences of a text on the scores of two jobs.
    by_unit : list of array of int, shape (n_units, n_few * k)
        Counts of the texts of each unit in each bucket of a few clusterings, for each job.
    """

    products: FloatArray
    by_unit: list[IntArray]

    def add(self, other: "Influences") -> None:
        """Add the texts of other pieces; floats depend on the order in the last bits."""
        self.products += other.products
        for one, more in zip(self.by_unit, other.by_unit, strict=True):
            one += more


def grouped(n_pieces: int) -> list[range]:
    """Return the pieces of each group, sixteen times as many groups as pieces in one.

    Examples
    --------
    >>> grouped(3), len(grouped(10_000)), grouped(10_000)[-1]
    ([range(0, 1), range(1, 2), range(2, 3)], 400, range(9975, 10000))
    """
    size = max(1, math.isqrt(n_pieces) // 4)
    return [range(start, min(start + size, n_pieces)) for start in range(0, n_pieces, size)]


@dataclass(frozen=True)
class InfluenceStage:
    """Computes the influences of the texts of a group of pieces from their buckets, and adds them.

    A group is added where it is read, so that what a cluster sends back does not grow with the
    pieces, and in the same order by every engine.

    Attributes
    ----------
    assigned : AssignStage
        Has written the buckets.
    tables : sequence of array of shape (n_clusterings, k)
        Influence of a counted text by its bucket, for each job.
    learnt : sequence of array of bool, shape (n_clusterings, n_drawn)
        Drawn texts that a clustering was learnt from and does not count, for each job.
    n_units : sequence of int
        For each job; 0 for none.
    n_few : int
        Clusterings whose texts are counted by units.
    seed : sequence of int
    """

    assigned: AssignStage
    tables: Sequence[FloatArray]
    learnt: Sequence[NDArray[np.bool_]]
    n_units: Sequence[int]
    n_few: int
    seed: tuple[int, ...]

    @property
    def groups(self) -> list[range]:
        """The pieces of each group."""
        return grouped(len(self.assigned.sample.pieces))

    def __call__(self, number: int) -> Influences:
        """Return the sums over a group."""
        first, *others = self.groups[number]
        total = self._of_piece(first)
        for piece in others:
            total.add(self._of_piece(piece))
        return total

    def _of_piece(self, number: int) -> Influences:
        jobs = self.assigned.jobs
        products = np.zeros((len(jobs), len(jobs)))
        by_unit = [
            np.zeros((units, self.n_few * job.num_buckets), dtype=np.int64)
            for units, job in zip(self.n_units, jobs, strict=True)
        ]
        for place, arrays, facts in self.assigned.read_all(number):
            n = int(facts["n"])
            rows, drawn = self.assigned.located.get(place, (np.empty(0, int), np.empty(0, int)))
            influences = np.zeros((len(jobs), n))
            rng = np.random.default_rng([*self.seed, *place])
            for i, labels in enumerate(self.assigned.by_job(arrays["labels"])):
                learnt = self.learnt[i][:, drawn]
                influences[i] = _influences(labels, self.tables[i], rows, learnt)
                if self.n_units[i]:
                    unit = rng.integers(self.n_units[i], size=n)
                    few, k = min(self.n_few, len(labels)), jobs[i].num_buckets
                    _count_units(by_unit[i], labels[:few], k, unit, rows, learnt[:few])
            products += influences @ influences.T
        return Influences(products, by_unit)


def _influences(
    labels: NDArray[Any], tables: FloatArray, rows: IntArray, learnt: NDArray[np.bool_]
) -> FloatArray:
    """Return the influence of every text, as :func:`mauve.inference.intervals` does."""
    influences = np.zeros(labels.shape[1])
    for of_clustering, table, is_learnt in zip(labels, tables, learnt, strict=True):
        of_text = table[of_clustering]
        of_text[rows[is_learnt]] = 0.0
        influences += of_text
    return influences / len(labels)


def _count_units(
    by_unit: IntArray,
    labels: NDArray[Any],
    k: int,
    unit: IntArray,
    rows: IntArray,
    learnt: NDArray[np.bool_],
) -> None:
    """Add the counted texts of every unit and bucket."""
    n_units, width = by_unit.shape
    for clustering, of_clustering in enumerate(labels):
        is_counted = np.ones(len(unit), dtype=bool)
        is_counted[rows[learnt[clustering]]] = False
        codes = unit * width + clustering * k + of_clustering.astype(np.int64)
        counts = np.bincount(codes[is_counted], minlength=n_units * width)
        by_unit += counts.reshape(by_unit.shape)
