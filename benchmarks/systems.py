"""Systems of real text, scored in sets that share their human texts, as tables and pictures.

A folder holds features of every source, as ``benchmarks/features.py`` and ``mauve embed`` make
them: ``human.npy`` and systems, or ``KIND-human.npy`` and ``KIND-SYSTEM.npy``.
"""

import os
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy
from scipy.stats import spearmanr

from mauve import compare, compute_mauve
from mauve.comparison.results import MauveResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Pairs = dict[str, tuple[np.ndarray, np.ndarray]]  # features of human text and of a system
Sources = Mapping[str, np.ndarray]  # features by source, "human" among them
Sets = dict[str, dict[str, np.ndarray]]  # sources by set
Scores = dict[str, float]  # by system
Panels = dict[tuple[str, str], tuple[Iterable[float], Mapping[str, Iterable[float]]]]

# Okabe and Ito's colours, which the colour-blind can distinguish, and a marker each.
STYLES = tuple(
    zip(
        ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"),
        "os^Dv*P",
        strict=True,
    )
)


def pairs_of_text(folder: Path) -> Pairs:
    """Return human against machine text for every source in the folder."""
    files = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    pairs = {}
    for name, features in files.items():
        kind, dash, source = name.partition("-")  # "stories-gpt", or "greedy" without a kind
        human = f"{kind}-human" if dash else "human"
        if source != "human" and name != "human":
            pairs[name] = (files[human], features)
    return pairs


def sets_of_text(folder: Path) -> Sets:
    """Return the sources by set: those that share their human texts."""
    sets: Sets = {}
    for name, (human, features) in pairs_of_text(folder).items():
        kind = name.partition("-")[0] if "-" in name else "decoders"
        sets.setdefault(kind, {"human": human})[name] = features
    return sets


def groups_of(sets: Sets) -> dict[str, list[str]]:
    """Return the names of all systems, and those of each set."""
    by_set = {kind: [n for n in sources if n != "human"] for kind, sources in sets.items()}
    together = [name for names in by_set.values() for name in names]
    named = {f"{kind} ({len(names)})": names for kind, names in by_set.items()}
    return {f"all ({len(together)})": together} | named


def rows_of(sets: Sets) -> dict[str, list[str]]:
    """Return the systems of each row of a picture."""
    rows: dict[str, list[str]] = {}
    for kind, sources in sets.items():
        row = "decoders" if kind == "decoders" else "essays, stories"
        rows.setdefault(row, []).extend(n for n in sources if n != "human")
    return rows


def ours(sources: Sources, n_permutations: int = 0, **settings: object) -> dict[str, MauveResult]:
    """Compare all systems of a set with its human texts."""
    systems = {name: features for name, features in sources.items() if name != "human"}
    comparison = compare(
        sources["human"], systems, n_permutations=n_permutations, progress=False, **settings
    )
    return dict(comparison)


def ours_everywhere(sets: Sets, **settings: object) -> dict[str, MauveResult]:
    """Compare the systems of every set with the human texts of the set."""
    return {n: r for sources in sets.values() for n, r in ours(sources, **settings).items()}


def scores(results: Mapping[str, MauveResult]) -> Scores:
    """Return the scores alone."""
    return {name: result.mauve for name, result in results.items()}


def by_classifier(results: Mapping[str, MauveResult]) -> Scores:
    """Return the scores by the classifier that stand beside the others."""
    return {name: r.classifier.mauve for name, r in results.items() if r.classifier is not None}


def plugin(sources: Sources, num_buckets: int | str = "auto", seed: int = 0) -> Scores:
    """Return the paper's estimate for all systems of a set, with n/10 buckets by default."""
    return {
        name: compute_mauve(sources["human"], features, num_buckets=num_buckets, seed=seed).mauve
        for name, features in sources.items()
        if name != "human"
    }


def spearman(one: Scores, two: Scores) -> float:
    """Return the rank correlation; systems with equal scores share their ranks."""
    names = list(one)
    return float(spearmanr([one[n] for n in names], [two[n] for n in names]).statistic)


def table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> None:
    """Print a Markdown table, each row as soon as it is computed."""
    names = list(head)
    print("\n| " + " | ".join(map(str, names)) + " |\n" + "|---" * len(names) + "|")
    for row in rows:
        cells = (f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row)
        print("| " + " | ".join(cells) + " |", flush=True)


def new_figure(height: float) -> "Figure":
    """Return an empty figure; only pictures need matplotlib."""
    from matplotlib.figure import Figure

    return Figure(figsize=(7.6, height), layout="constrained")


def lines(axes: "Axes", x: Iterable[float], by_system: Mapping[str, Iterable[float]]) -> None:
    """Draw one line for each system, without points that are NaN."""
    for (name, y), (colour, marker) in zip(by_system.items(), STYLES, strict=False):
        axes.plot(list(x), list(y), color=colour, marker=marker, markersize=5, label=name)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.25)


def grid(panels_of: Panels, xlabel: str, ticks: tuple[int, ...], path: Path) -> None:
    """Draw panels by row and column, a legend right of each row, x on a log scale."""
    rows, columns = (list(dict.fromkeys(key[i] for key in panels_of)) for i in (0, 1))
    figure = new_figure(0.6 + 2.7 * len(rows))
    panels = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for (row, column), (x, by_system) in panels_of.items():
        axes = panels[rows.index(row), columns.index(column)]
        lines(axes, x, by_system)
        axes.set(title=f"{row}, {column}" if len(rows) > 1 else column, xscale="log")
        axes.title.set_fontsize("medium")
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize="small")
        axes.minorticks_off()
    for row_of_panels in panels:
        row_of_panels[0].set_ylabel("MAUVE")
        row_of_panels[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    for axes in panels[-1]:
        axes.set_xlabel(xlabel)
    figure.savefig(path, dpi=120)


def print_sources(sets: Sets) -> None:
    """Print what this runs on, and the number of texts of each source."""
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}, "
          f"{os.cpu_count()} cores")  # fmt: skip
    for kind, sources in sets.items():
        print(f"{kind}: " + ", ".join(f"{name} {len(rows)}" for name, rows in sources.items()))
