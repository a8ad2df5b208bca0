"""Comparisons as tables for a terminal, readable in a pipe and in 80 columns."""

from rich.console import Console

from mauve.cli.layout import print_table
from mauve.comparison.comparison import Comparison
from mauve.comparison.results import Difference, MauveResult
from mauve.formatting import format_level, format_p_value


def print_comparison(console: Console, comparison: Comparison, margin: float | None) -> None:
    """Print the scores, best first, then the differences of every pair of systems."""
    ranked = comparison.rank()
    print_table(
        console,
        ["system"],
        [([name], _score_cells(comparison[name], margin)) for name in ranked],
    )
    place = {name: i for i, name in enumerate(ranked)}
    # Each pair with the higher score first, the pairs in the order of the table above.
    pairs = sorted(
        ((sorted([d.first, d.second], key=place.__getitem__), d) for d in comparison.differences()),
        key=lambda pair: [place[name] for name in pair[0]],
    )
    if pairs:
        console.print()
        print_table(
            console,
            ["higher", "lower"],
            [(names, _difference_cells(d, names[0] == d.first, margin)) for names, d in pairs],
        )


def how_to_read(margin: float | None) -> str:
    """Return the sentence that goes with the tables."""
    reading = (
        "MAUVE is 1 where a system writes as people do; the ceiling is what human text would get "
        "with as many texts; p (= human) is small where the system can be told from people; "
        "type I and II are KL(Q|R) and KL(P|R), the errors of writing what people do not and of "
        "not writing what they do."
    )
    if margin is None:
        return reading
    return (
        f"{reading} A small p under 'gap < {margin:g}' says that MAUVE is above {1 - margin:g}, "
        f"or that two systems differ by less than {margin:g}."
    )


def _score_cells(result: MauveResult, margin: float | None) -> dict[str, str]:
    low, high = result.interval
    cells = {
        "MAUVE": f"{result.mauve:.3f}",
        f"{format_level(result.confidence)}\ninterval": f"{low:.3f} - {high:.3f}",
    }
    if result.p_value is not None and result.ceiling is not None:
        cells["ceiling"] = f"{result.ceiling:.3f}"
        cells["p\n(= human)"] = format_p_value(result.p_value)
    if margin is not None:
        cells[f"gap\n< {margin:g}"] = format_p_value(result.equivalence(margin))
    cells["type\nI"] = f"{result.type_1:.3f}"
    cells["type\nII"] = f"{result.type_2:.3f}"
    cells["n"] = str(result.n_model)
    cells["k"] = str(result.num_buckets)
    return cells


def _difference_cells(
    difference: Difference, as_given: bool, margin: float | None
) -> dict[str, str]:
    sign = 1 if as_given else -1
    low, high = sorted(sign * end for end in difference.interval)
    cells = {
        "difference": f"{sign * difference.difference:.3f}",
        f"{format_level(difference.confidence)}\ninterval": f"{low:.3f} to {high:.3f}",
        "p\n(Holm)": format_p_value(difference.p_adjusted),
    }
    if margin is not None:
        cells[f"gap\n< {margin:g}"] = format_p_value(difference.equivalence(margin))
    return cells
