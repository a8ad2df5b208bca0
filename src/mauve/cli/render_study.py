"""Print what ratings say as tables, readable in a pipe and in 80 columns, with how to read them."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mauve.cli.render import print_table
from mauve.cli.terminal import new_console
from mauve.escape import escaped
from mauve.formatting import format_interval, format_level, format_share
from mauve.study.agreement import Agreement
from mauve.study.correlation import Correlations
from mauve.study.ranking import Ranking
from mauve.study.rating_counts import counts_sentence

_MANY_PAIRS = 6  # systems, of which all pairs are shown; of more the neighbours


def print_rankings(
    rankings: Sequence[Ranking], longer_than: float | None, *, quiet: bool = False
) -> None:
    """Print scores and pairs for each question, and how to read them."""
    console = new_console()
    for i, ranking in enumerate(rankings):
        _print_question(console, ranking.question, i, len(rankings))
        _print_rows(console, "system", ranking.rows())
        console.print()
        print_table(console, ["preferred", "to"], _pairs(ranking))
        if not quiet:
            console.print()
            console.print(Text(f"{counts_sentence(ranking.counts, longer_than)}."))
    if not quiet:
        console.print()
        console.print(Text(_ranking_legend(rankings[0])))


def print_agreement(agreements: Sequence[Agreement], *, quiet: bool = False) -> None:
    """Print alpha for each question, and how to read it."""
    console = new_console()
    for i, agreed in enumerate(agreements):
        _print_question(console, agreed.question, i, len(agreements))
        title = f"{format_level(agreed.confidence)}\ninterval"
        rows = [([name], {"alpha": alpha, title: ends}) for name, alpha, ends in agreed.rows()]
        print_table(console, ["Krippendorff's alpha of"], rows)
        console.print()
        console.print(Text(agreed.sentence()))
    if not quiet:
        console.print()
        console.print(
            Text(
                "Alpha is 1 if all agree and 0 if they agree as often as by chance. Nominal asks "
                "whether two choices are the same, ordinal and interval also how far apart they "
                "are."
            )
        )


def print_correlations(correlations: Sequence[Correlations], *, quiet: bool = False) -> None:
    """Print the correlations of all measures for each question, and how to read them."""
    console = new_console()
    for i, found in enumerate(correlations):
        _print_question(console, found.question, i, len(correlations))
        _print_rows(console, "measure", found.rows())
        notes = found.notes()
        if notes:
            console.print()
        for note in notes:
            console.print(Text(note))
    if not quiet:
        console.print()
        console.print(
            Text(
                "Spearman is the rank correlation with the scores by people: 1 if the measure "
                "ranks the systems as people do, -1 if the other way round. A statistic T counts "
                "by its gap |T(Q) - T(P)| to human text. The interval carries the error of the "
                "scores by people, that of the measure, and which systems there happen to be."
            )
        )


def _print_question(console: Console, question: str, i: int, n: int) -> None:
    if n > 1:
        console.print(f"{chr(10) if i else ''}{escaped(question)}:")
        console.print()


def _print_rows(console: Console, name: str, rows: Sequence[dict[str, str]]) -> None:
    cells = [
        ([row[name]], {title.replace(" ", "\n"): row[title] for title in row if title != name})
        for row in rows
    ]
    print_table(console, [name], cells)


def _pairs(ranking: Ranking) -> list[tuple[list[str], dict[str, str]]]:
    names = ranking.systems
    n = len(names)
    shown = [
        (first, second)
        for i, first in enumerate(names)
        for j, second in enumerate(names)
        if (i < j if n < _MANY_PAIRS else j == i + 1)
    ]
    rows = []
    for first, second in shown:
        preferred = ranking.preferred(first, second)
        low, high = preferred.interval
        interval = format_interval((100 * low, 100 * high), 1)
        cells = {
            "in\n%": format_share(preferred.probability).removesuffix("%"),
            f"{format_level(ranking.confidence)}\ninterval": interval,
            "sure\n(at all)": format_share(preferred.certainty),
        }
        rows.append(([first, second], cells))
    return rows


def _ranking_legend(ranking: Ranking) -> str:
    n = len(ranking.systems)
    sentences = [
        "Score is the Bradley-Terry score, with mean 0: a difference of 100 is one unit of the log "
        "odds, so that people prefer the higher in 73%. Rank is the range that the intervals of "
        "the differences leave. Compared is the number of ratings. The pairs say how often people "
        "prefer the first system by the model, and how sure it is that they prefer it at all."
    ]
    if n >= _MANY_PAIRS:
        sentences.append(f"Of {n * (n - 1) // 2} pairs the neighbours are shown; --json has all.")
    if ranking.tie_parameter is not None:
        sentences.append(
            f"Two systems of equal scores tie in {format_share(_tie_share(ranking.tie_parameter))}."
        )
    return " ".join(sentences)


def _tie_share(tie_parameter: float) -> float:
    return tie_parameter / (2 + tie_parameter)
