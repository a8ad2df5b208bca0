"""What remains of a ranking once differences of form are removed, step by step.

    python benchmarks/ladder.py human.jsonl.gz a.jsonl.gz b.jsonl.gz

All systems get the steps that remove a difference of form found in any of them, in the order of
the ladder, so that one can compare them after each step. Printed are Markdown tables: the scores
with 95% intervals, the order of the systems, p-values of the differences between systems, adjusted
by Holm's method, and the first three sentences about each pair.
"""

import argparse
import platform
import sys
import warnings
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import mauve
from mauve.explanation.properties import comparison_properties
from mauve.formatting import format_p_value, format_score
from mauve.text.steps import RUNGS, check_steps


def row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |")


def score(result: mauve.MauveResult) -> str:
    """Return a score with its interval."""
    low, high = result.interval
    return f"{format_score(result.mauve)} ({format_score(low)}–{format_score(high)})"


def order(comparison: mauve.Comparison) -> str:
    """Return the systems, best first."""
    return " > ".join(sorted(comparison, key=lambda name: -comparison[name].mauve))


def compared(
    human: Path,
    systems: dict[str, Path],
    steps: Sequence[str],
    n_permutations: int,
    limit: int | None,
) -> mauve.Comparison:
    """Compare the texts after some steps."""
    return mauve.compare(
        human,
        systems,
        empty="keep",
        normalize=check_steps(steps) or None,
        n_permutations=n_permutations,
        limit=limit,
        progress=False,
    )


def print_ranking(human: Path, systems: dict[str, Path], limit: int | None) -> None:
    """Print the tables of one group of systems."""
    given = compared(human, systems, (), 1000, limit)
    found = {
        step for result in given.values() for step in (result.form.steps if result.form else ())
    }
    steps = [step for step in RUNGS if step in found]
    rungs = {"as given": given}
    for i, step in enumerate(steps):
        rungs[RUNGS[step]] = compared(human, systems, steps[: i + 1], 0, limit)
        print(f"{step} done", file=sys.stderr, flush=True)
    print("\nScores, each row without what the rows above it are without\n")
    row("texts", *systems)
    row(*["---"] * (len(systems) + 1))
    for title, comparison in rungs.items():
        row(title, *(score(comparison[name]) for name in systems))
    row("ceiling", *(format_score(given[name].ceiling or 1.0) for name in systems))
    print("\nOrder\n")
    row("texts", "best first")
    row("---", "---")
    for title, comparison in rungs.items():
        row(title, order(comparison))
    print("\nDifferences between systems: p, adjusted by Holm's method\n")
    by_rung = {title: comparison.differences() for title, comparison in rungs.items()}
    row("systems", *by_rung)
    row(*["---"] * (len(by_rung) + 1))
    for pair in zip(*by_rung.values(), strict=True):
        names = f"{pair[0].first}, {pair[0].second}"
        row(names, *(f"{d.difference:+.3f}, {format_p_value(d.p_adjusted)}" for d in pair))
    print("\nThe first three sentences\n")
    properties = comparison_properties(given.compared.samples)
    for name in systems:
        print(f"- {name}: {' '.join(properties[name].sentences[:3])}")
    print("\nForm that is warned of\n")
    for name in systems:
        form = given[name].form
        summaries = [finding.summary for finding in form.findings] if form else []
        print(f"- {name}: {'; '.join(summaries) or 'none'}")


def main() -> None:
    """Print the tables of the samples named on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("human", type=Path)
    parser.add_argument("systems", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, help="texts per sample, drawn at random")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", mauve.MauveWarning)
    print_ranking(
        arguments.human,
        {path.name.partition(".")[0]: path for path in arguments.systems},
        arguments.limit,
    )
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "onnxruntime"))
    print(f"\nPython {platform.python_version()}, {packages}, {platform.machine()}")


if __name__ == "__main__":
    main()
