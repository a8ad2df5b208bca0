"""Which claims of the paper hold in an experiment: counts over its settings, as Markdown.

    python benchmarks/paper_claims.py RUN [--figures FOLDER]

RUN is what ``mauve experiment run`` wrote. Values are means over seeds. A claim about two
settings is counted in every pair of settings that differ in nothing else, and a pair counts as
clear if the 95% intervals of the two scores (those of the first seed) do not overlap.
"""

import argparse
import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from mauve.experiment.figures import draw_figure
from mauve.experiment.results import SCORING, ExperimentResults, GridRow, read_results
from mauve.experiment.tabulation import make_table

FIGURES = ("curves", "length", "quantizers", "histogram")
BY_MODEL = ("curves", "quantizers")  # the others show the last model of the config


def mean(rows: Sequence[GridRow], measure: str = "mauve", *, gap: bool = False) -> float:
    """Return the mean over seeds; NaN without a value."""
    values = [row.value(measure, gap=gap) for row in rows]
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else np.nan


def groups(results: ExperimentResults) -> list[tuple[str, int | None]]:
    """Return the models and lengths of the experiment."""
    return [(m, n) for m in results.levels("model") for n in results.levels("length")]


def ordered(
    results: ExperimentResults, pairs: Sequence[tuple[dict, dict]], measure: str = "mauve"
) -> str:
    """Return in how many pairs the first setting scores less than the second, and how clearly."""
    held, clear, against, total = 0, 0, 0, 0
    for low, high in pairs:
        below, above = results.base_rows(**low), results.base_rows(**high)
        if not below or not above or np.isnan(mean(below) + mean(above)):
            continue
        total += 1
        holds = mean(below, measure) < mean(above, measure)
        held += holds
        first, second = below[0].values[measure].interval, above[0].values[measure].interval
        clear += holds and first[1] < second[0]
        against += not holds and second[1] < first[0]
    return f"{held} of {total} pairs ({clear} clearly; {against} clearly the other way)"


def decoders(results: ExperimentResults, low: str, high: Callable[[str], bool]) -> list:
    """Return the pairs of a decoder and others, of one model and length."""
    names = [name for name in results.levels("decoder") if high(name)]
    return [
        ({"model": m, "length": n, "decoder": low}, {"model": m, "length": n, "decoder": name})
        for m, n in groups(results)
        for name in names
    ]


def neighbours(results: ExperimentResults, dimension: str, *, falls: bool = False) -> list:
    """Return the pairs of neighbouring levels of a dimension, for each decoder."""
    other = "length" if dimension == "model" else "model"
    levels = results.levels(dimension)
    steps = [*itertools.pairwise(levels)]
    if falls:
        steps = [(b, a) for a, b in steps]
    return [
        ({dimension: a, other: o, "decoder": d}, {dimension: b, other: o, "decoder": d})
        for a, b in steps
        for o in results.levels(other)
        for d in results.levels("decoder")
    ]


def agreement(results: ExperimentResults, dimension: str) -> str:
    """Return Spearman's correlation of all scores between the base and another level."""
    parts = []
    for level in results.levels(dimension):
        if level == results.base[dimension]:
            continue
        pairs = []
        for row in results.select(**{dimension: level}):
            setting = {**row.setting.without(), **results.base}
            pairs += [
                (base.value("mauve"), row.value("mauve")) for base in results.select(**setting)
            ]
        known = np.array([pair for pair in pairs if None not in pair], dtype=float)
        if len(known) > 2:
            shift = (known[:, 1] - known[:, 0]).mean()
            rho = spearmanr(*known.T).statistic
            parts.append(f"{level}: {rho:.3f} over {len(known)} samples, mean shift {shift:+.3f}")
    return "; ".join(parts)


def fooled(results: ExperimentResults) -> list[str]:
    """Return how the adversarial decoder ranks by the gap of perplexity, and by MAUVE."""
    lines = []
    for model, length in groups(results):
        of = {
            name: results.base_rows(model=model, length=length, decoder=name)
            for name in results.levels("decoder")
        }
        known = {name: rows for name, rows in of.items() if rows}
        name = next((each for each in known if each.startswith("adversarial")), None)
        if name is None or np.isnan(mean(known[name], "perplexity", gap=True)):
            continue
        by_gap = sorted(known, key=lambda each: mean(known[each], "perplexity", gap=True))
        by_mauve = sorted(known, key=lambda each: -mean(known[each]))
        gap, score = mean(known[name], "perplexity", gap=True), mean(known[name])
        lines.append(
            f"| {model} | {length} | {gap:.1f} | {by_gap.index(name) + 1} | {score:.3f} | "
            f"{by_mauve.index(name) + 1} | {len(known)} |"
        )
    return lines


def main() -> None:
    """Print the tables and the claims."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--figures", type=Path, help="draw figures into this folder")
    args = parser.parse_args()
    results = read_results(args.run)
    print(f"{len(results)} settings, complete: {results.is_complete}; base: {dict(results.base)}\n")
    shown = [each.name for each in results.measures if each.is_statistic]
    shown = ["mauve", "mauve-classifier", *shown, "frechet"]
    known = [each.name for each in results.measures]
    print(make_table(results, [name for name in shown if name in known]).to_markdown(), "\n")
    print(make_table(results, ["mauve"], columns="length").to_markdown(), "\n")

    def truncating(name: str) -> bool:
        return name.startswith(("nucleus", "top-k"))

    claims = {
        "greedy below ancestral": decoders(results, "greedy", lambda name: name == "ancestral"),
        "ancestral below nucleus and top-k": decoders(results, "ancestral", truncating),
        "greedy below nucleus and top-k": decoders(results, "greedy", truncating),
        "greedy below beam search": decoders(results, "greedy", lambda n: n.startswith("beam")),
        "adversarial below ancestral": [
            (low, high)
            for high, low in decoders(results, "ancestral", lambda n: n.startswith("adversarial"))
        ],
        "a model below the next larger one": neighbours(results, "model"),
        "a length below the next shorter one": neighbours(results, "length", falls=True),
    }
    print("| claim, by MAUVE | holds in |\n|---|---|")
    for claim, pairs in claims.items():
        print(f"| {claim} | {ordered(results, pairs)} |")
    print("\n| Spearman of all scores with those of the base | |\n|---|---|")
    for dimension in SCORING:
        if found := agreement(results, dimension):
            print(f"| {dimension} ({results.base[dimension]}) | {found} |")
    print(
        "\n| model | length | adversarial: gap of perplexity | its rank | MAUVE | its rank | of |"
    )
    print("|---|---|---|---|---|---|---|")
    print("\n".join(fooled(results)))
    if args.figures is not None:
        args.figures.mkdir(parents=True, exist_ok=True)
        for name in FIGURES:
            levels = {} if name in BY_MODEL else {"model": results.levels("model")[-1]}
            figure = draw_figure(results, name, levels=levels)
            figure.savefig(args.figures / f"paper-{name}.png", dpi=120)


if __name__ == "__main__":
    main()
