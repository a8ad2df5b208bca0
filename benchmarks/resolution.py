"""How many standard errors apart two systems are whose order is known.

    python benchmarks/resolution.py human.jsonl.gz --n 250 500 --repetitions 12
    python benchmarks/resolution.py human.jsonl.gz --settings default paper --measures off
    python benchmarks/resolution.py human.jsonl.gz --embedder bundled --embedder sentence:NAME

The systems are those of ``benchmarks/graded.py``: human text that is corrupted at growing
strengths, an n-gram model of human text at temperatures whose order measures agree on, and with
``--models`` samples of models of growing size. A repetition draws n human texts as the reference
and n texts of every system; corrupted texts are always other texts than the reference, the same
ones at every strength.

The *resolution* of a pair is the mean over repetitions of the worse system's distance less the
better one's, divided by its standard deviation over repetitions: 2 is about what a test at the 5%
level sees half the time, below 0 the order is wrong. Distances are deviances, sqrt(-log score), for
MAUVE, and plain values for other measures: |T(Q) - T(P)| for those of one sample.

All repetitions draw from the same file. If n is near half of its texts, two draws share many, and
all resolutions are too high, by up to the square root of 2: compare settings with each other at one
n, and not one n with another.

Settings, as for ``mauve.compare``: ``default`` is k-means with 25 buckets, learnt from 200 texts,
40 times; ``classifier`` is the score by the classifier that comes with it; ``kmeans-K-L`` and
``classifier-K-L`` have K buckets learnt from L texts, where n is at least L;
``clusterings-B`` is the default with B clusterings; ``n/10`` has a bucket for every ten texts;
``joint`` clusters all systems of a chain together; ``paper`` is ``mauve.compute_mauve``.
``--settings`` and ``--kinds`` select some.
"""

import argparse
import multiprocessing
import os
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
from graded import KINDS, Graded, embed, make_graded

from mauve import compare, compute_mauve, measure
from mauve.frontier.score import deviance_of

#: Arguments of `compare`, by the name of the setting. "classifier" is a part of "default".
COMPARE: Mapping[str, dict[str, Any]] = {
    "default": {},
    **{
        f"kmeans-{k}-{learnt}": {"num_buckets": k, "n_learning": learnt}
        for k in (16, 25, 50)
        for learnt in (100, 200, 400)
        if (k, learnt) != (25, 200)
    },
    "n/10": {"num_buckets": "n/10"},
    "joint": {"clustering": "joint"},
    "clusterings-10": {"n_clusterings": 10},
    "clusterings-100": {"n_clusterings": 100},
    "classifier": {},
    **{
        f"classifier-{k}-{learnt}": {
            "quantizer": "classifier",
            "num_buckets": k,
            "n_learning": learnt,
        }
        for k, learnt in ((5, 200), (20, 200), (10, 100), (10, 400))
    },
}
DEPEND_ON_N = ("n/10", "joint")
PAPER = "paper"
FEATURE_MEASURES = ("frechet", "mmd", "precision", "recall", "density", "coverage")
TEXT_MEASURES = ("zipf", "repetition", "distinct-4", "self-bleu", "entropy-2")
MEASURES = (*FEATURE_MEASURES, *TEXT_MEASURES)
RESOLVED = 2.0

Embedders = dict[str, dict[str, np.ndarray]]  # features by embedder and text
Distances = dict[str, list[float]]  # of the systems of each chain, best first
Row = tuple[str, str]  # setting, and embedder; "" for measures of text


@dataclass(frozen=True)
class Job:
    """One repetition of one setting."""

    setting: str
    embedder: str
    n: int
    repetition: int
    seed: int


_material: tuple[list[Graded], Embedders] = ([], {})


def set_material(graded: list[Graded], features: Embedders) -> None:
    """Give a process the texts and features of all jobs."""
    global _material
    _material = graded, features
    warnings.simplefilter("ignore")


def run(job: Job) -> dict[Row, Distances]:
    """Return the distances of all systems by one setting, and by the classifier of the default."""
    rows: dict[Row, Distances] = {}
    all_graded, features = _material
    for number, graded in enumerate(all_graded):
        if job.n > graded.most_texts:
            continue
        rng = np.random.default_rng([job.seed, number, job.n, job.repetition])
        of_human, of_system = graded.draw(job.n, rng)
        human = _sample(job, graded.human, of_human, features)
        systems = {
            label: _sample(job, texts, of_system, features)
            for label, texts in graded.systems.items()
        }
        # Other systems change the score of joint clusterings alone.
        chains = [*graded.chains.values()]
        for labels in chains if job.setting == "joint" else [[*systems]]:
            found = _by_setting(job, human, {label: systems[label] for label in labels})
            for (name, distances), (kind, levels) in product(found.items(), graded.chains.items()):
                if set(levels) <= set(labels):
                    row = (name, "" if name in TEXT_MEASURES else job.embedder)
                    rows.setdefault(row, {})[kind] = [distances[label] for label in levels]
    return rows


def _sample(job: Job, texts: Sequence[str], rows: np.ndarray, features: Embedders) -> Any:
    """Return the texts of some rows, or their features."""
    drawn = [texts[i] for i in rows]
    if job.setting in TEXT_MEASURES:
        return drawn
    return np.stack([features[job.embedder][text] for text in drawn])


def _by_setting(job: Job, human: Any, systems: dict[str, Any]) -> dict[str, dict[str, float]]:
    name = job.setting
    if name in MEASURES:
        measured = measure(human, systems, name, seed=job.repetition, progress=False)
        return {name: {label: measured.distance(label, name) for label in systems}}
    if name == PAPER:
        scores = {
            label: compute_mauve(p_features=human, q_features=rows, seed=job.repetition).mauve
            for label, rows in systems.items()
        }
        return {name: {label: float(deviance_of(score)) for label, score in scores.items()}}
    comparison = compare(
        human, systems, n_permutations=0, seed=job.repetition, progress=False, **COMPARE[name]
    )
    found = {name: {label: float(deviance_of(r.mauve)) for label, r in comparison.items()}}
    if name == "default":
        sharper = {label: result.classifier for label, result in comparison.items()}
        found["classifier"] = {
            label: float(deviance_of(result.mauve)) for label, result in sharper.items() if result
        }
    return found


def resolutions(distances: np.ndarray) -> np.ndarray:
    """Return the resolution of each adjacent pair, from distances of shape (repetitions, levels).

    Examples
    --------
    >>> resolutions(np.array([[0.0, 1.0, 1.0], [0.0, 3.0, 3.0]])).round(2).tolist()
    [1.41, 0.0]
    """
    steps = np.diff(distances, axis=1)
    mean: np.ndarray = steps.mean(axis=0)
    spread = steps.std(axis=0, ddof=1)
    # A measure that never changes, but for rounding, does not tell the two apart.
    return np.asarray(np.divide(mean, spread, out=np.zeros_like(mean), where=spread > 1e-9))


class Results:
    """Distances of all settings at one n, over repetitions."""

    def __init__(self, found: Iterable[Mapping[Row, Distances]]) -> None:
        listed: dict[Row, dict[str, list[list[float]]]] = {}
        for rows in found:  # those of a setting in the order of the repetitions
            for row, by_kind in rows.items():
                for kind, distances in by_kind.items():
                    listed.setdefault(row, {}).setdefault(kind, []).append(distances)
        self.distances = {
            row: {kind: np.array(values) for kind, values in by_kind.items()}
            for row, by_kind in listed.items()
        }

    def by_kind(self, row: Row, left_out: int | None = None) -> dict[str, np.ndarray]:
        """Return the resolution of every pair of each kind, perhaps without one repetition."""
        return {
            kind: resolutions(values if left_out is None else np.delete(values, left_out, axis=0))
            for kind, values in self.distances[row].items()
        }

    def mean(self, row: Row, left_out: int | None = None) -> float:
        """Return the mean over kinds of the mean resolution of their pairs."""
        by_kind = self.by_kind(row, left_out)
        return float(np.mean([pairs.mean() for pairs in by_kind.values()]))

    def less(self, row: Row, other: Row) -> tuple[float, float]:
        """Return how much better a setting resolves than another, and the jackknife's error."""
        n = len(next(iter(self.distances[row].values())))
        without = np.array([self.mean(row, i) - self.mean(other, i) for i in range(n)])
        error = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
        return self.mean(row) - self.mean(other), float(error)

    def right(self, row: Row) -> float:
        """Return the share of pairs, over repetitions, that are in the right order."""
        steps = [np.diff(values, axis=1).ravel() for values in self.distances[row].values()]
        return float(np.mean([(each > 0).mean() for each in steps]))


def print_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a Markdown table."""
    print("\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
    for row in rows:
        cells = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row)
        print("| " + " | ".join(cells) + " |", flush=True)


def _name(row: Row, embedders: Sequence[str]) -> str:
    return f"{row[0]} [{row[1]}]" if row[1] and len(embedders) > 1 else row[0]


def print_settings(n: int, results: Results, embedders: Sequence[str]) -> None:
    """Print the resolution of all settings at one n."""
    kinds = [*dict.fromkeys(kind for by_kind in results.distances.values() for kind in by_kind)]

    def cells(row: Row) -> list[object]:
        by_kind = {kind: float(pairs.mean()) for kind, pairs in results.by_kind(row).items()}
        pairs = np.concatenate([*results.by_kind(row).values()])
        base = ("default", row[1] or embedders[0])
        is_compared = base in results.distances and row != base
        versus = "{:+.2f} ± {:.2f}".format(*results.less(row, base)) if is_compared else ""
        return [
            _name(row, embedders), *(by_kind.get(kind, "") for kind in kinds), results.mean(row),
            f"{(pairs >= RESOLVED).sum()} of {len(pairs)}", f"{results.right(row):.0%}", versus,
        ]  # fmt: skip

    print_table(
        [f"n = {n}", *kinds, "mean", f"pairs ≥ {RESOLVED:g}", "right order", "less default"],
        map(cells, results.distances),
    )


def print_pairs(n: int, results: Results, graded: Sequence[Graded], embedder: str) -> None:
    """Print the resolution of each pair by a few settings, and how many settings resolve it."""
    shown = [(name, embedder) for name in ("default", "classifier", PAPER)]
    shown = [row for row in shown if row in results.distances]

    def score(row: Row, kind: str, i: int) -> str:
        better, worse = np.exp(-(results.distances[row][kind].mean(axis=0)[i : i + 2] ** 2))
        return f"{results.by_kind(row)[kind][i]:.2f} ({better:.3f}, {worse:.3f})"

    def lines() -> Iterable[list[object]]:
        for kind, labels in chain.from_iterable(g.chains.items() for g in graded):
            rows = [row for row, by_kind in results.distances.items() if kind in by_kind]
            for i, pair in enumerate(pairwise(labels if rows else [])):
                seen = sum(results.by_kind(row)[kind][i] >= RESOLVED for row in rows)
                cells = [score(row, kind, i) for row in shown]
                yield [", ".join(pair), *cells, f"{seen} of {len(rows)}"]

    print_table([f"pair, n = {n}", *(row[0] for row in shown), "resolved by"], lines())


def print_best(by_n: Mapping[int, Results], embedders: Sequence[str]) -> None:
    """Print which setting resolves best among those that are the same at every n."""
    rows = [
        row
        for row in next(iter(by_n.values())).distances
        if row[0] in COMPARE and row[0] not in DEPEND_ON_N
        if all(row in results.distances for results in by_n.values())
    ]
    if not rows:
        return
    means = {row: float(np.mean([results.mean(row) for results in by_n.values()])) for row in rows}
    best = max(means, key=means.__getitem__)
    base = ("default", best[1])
    line = f"Best that does not depend on n: {_name(best, embedders)}, mean {means[best]:.2f}"
    if base in means and best != base:
        line += f"; default, mean {means[base]:.2f}; difference "
        line += ", ".join(
            "{:+.2f} ± {:.2f} at n = {}".format(*results.less(best, base), n)
            for n, results in by_n.items()
        )
    print(f"\n{line}.")


def jobs_at(n: int, settings: Sequence[str], args: argparse.Namespace) -> list[Job]:
    """Return the jobs of one n."""
    with_default = dict.fromkeys("default" if s == "classifier" else s for s in settings)
    return [
        Job(setting, embedder, n, repetition, args.seed)
        for setting in with_default
        if COMPARE.get(setting, {}).get("n_learning", 0) <= n  # half of them of each sample
        for embedder in (args.embedder[:1] if setting in TEXT_MEASURES else args.embedder)
        for repetition in range(args.repetitions)
    ]


def main() -> None:
    """Print the tables."""
    every = [*COMPARE, PAPER]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("human", type=Path, help="a file of human texts")
    parser.add_argument("--n", type=int, nargs="+", default=[250, 500, 1000])
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--settings", nargs="+", default=every, choices=every, metavar="NAME")
    parser.add_argument("--measures", choices=["on", "off"], default="on")
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS)
    parser.add_argument("--embedder", action="append", help="repeatable; bundled by default")
    parser.add_argument("--training", type=Path, help="texts for the n-gram model")
    parser.add_argument("--models", type=Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    args.embedder = [*dict.fromkeys(args.embedder or ["bundled"])]
    if args.repetitions < 4:
        parser.error("--repetitions must be at least 4: errors need the spread of all but one")
    settings = [*args.settings, *(MEASURES if args.measures == "on" else ())]
    start = time.perf_counter()
    graded = make_graded(args)
    sizes = sorted(n for n in args.n if any(n <= part.most_texts for part in graded))
    texts = [text for g in graded for sample in (g.human, *g.systems.values()) for text in sample]
    features: Embedders = {name: embed(texts, name) for name in args.embedder}
    print(f"{args.human.name}: " + "; ".join(part.describe() for part in graded))
    print(f"{args.repetitions} repetitions, {len(set(texts))} texts embedded", flush=True)
    # One thread a process from here on: the processes share the cores.
    os.environ["OMP_NUM_THREADS"] = "1"
    spawned = multiprocessing.get_context("spawn")
    by_n = {}
    with ProcessPoolExecutor(
        args.workers, mp_context=spawned, initializer=set_material, initargs=(graded, features)
    ) as pool:
        for n in sizes:
            by_n[n] = Results(pool.map(run, jobs_at(n, settings, args)))
            print_settings(n, by_n[n], args.embedder)
            print_pairs(n, by_n[n], graded, args.embedder[0])
    print_best(by_n, args.embedder)
    print(f"\n{time.perf_counter() - start:.0f} s, {args.workers} processes")


if __name__ == "__main__":
    main()
