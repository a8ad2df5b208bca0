"""Explanations for a terminal, readable in a pipe and in 80 columns."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from mauve.cli.layout import print_table
from mauve.comparison.results import MauveResult
from mauve.escape import escaped
from mauve.explanation.findings import Cluster, ClusterMeasure, Dominance
from mauve.explanation.results import Explanation, SystemExplanation
from mauve.explanation.tables import cells
from mauve.explanation.texts import TextShare
from mauve.formatting import SIGNIFICANCE_LEVEL, format_level, format_p_value, p_value_phrase
from mauve.measures.repetition import repeated_lengths
from mauve.measures.tokenizers import Words

_KINDS = {
    "over": "writes too much of",
    "under": "writes too little of",
    "otherwise": "writes otherwise in",
}
_LOOKED_AT = 2000  # characters of a text, of which a line shows the first
_LABEL = 14  # columns at most for what stands before a line
_N_TEXTS = 3  # of either side that tell most
_END = 0.4  # share of a line for the end of a text that goes in circles


def print_system(
    console: Console,
    result: MauveResult,
    explained: SystemExplanation,
    *,
    top: int,
    examples: int,
    quiet: bool = False,
) -> None:
    """Print the score of a system, its flagged clusters, and the texts that tell most.

    Parameters
    ----------
    top : int
        Clusters of each kind that are described.
    examples : int
        Texts of either side that are shown of each of them.
    quiet : bool
        Print the tables only.
    """
    width = console.width  # a table that is too wide would change it
    for line in _score_lines(result, explained):
        print_lines(console, line, width)
    kinds = {kind: getattr(explained, kind) for kind in _KINDS}
    flagged = any(kinds.values())
    if not flagged:
        least = min(cluster.p_value for cluster in explained.clusters)
        plain = "differs by more than chance would explain"
        n = len(explained.clusters)
        print_lines(console, f"None of {n} clusters {plain} (least p = {least:.3f}).", width)
    for kind, clusters in kinds.items():
        if not clusters:
            continue
        console.print()
        rows = [([cluster.title], _numbers(cluster)) for cluster in clusters]
        print_table(console, [_KINDS[kind]], rows)
        for cluster in clusters[: 0 if quiet else top]:
            console.print()
            _print_cluster(console, explained.human_name, cluster, examples, width)
    if quiet or (not flagged and result.is_distinguishable is False):
        return
    name, who = escaped(explained.name), escaped(explained.human_name)
    for title, shares in (
        (f"the most machine-like texts of {name}", explained.machine_like(_N_TEXTS)),
        (f"the {who} texts that {name} covers least", explained.uncovered(_N_TEXTS)),
    ):
        console.print()
        print_lines(console, f"{title} (log-ratio, position, [cluster]):", width)
        _print_texts(console, shares, width)


def _score_lines(result: MauveResult, explained: SystemExplanation) -> tuple[str, str]:
    low, high = result.interval
    score = f"{escaped(explained.name)}: MAUVE {result.mauve:.3f} ({low:.3f} to {high:.3f})"
    if result.p_value is not None:
        verdict = "can" if result.is_distinguishable else "cannot"
        score += f", {verdict} be told from people ({p_value_phrase(result.p_value)})"
    where = "" if explained.mixture == 0.5 else f", at λ = {explained.mixture:g}"
    return score, f"type I {explained.type_1:.3f}, type II {explained.type_2:.3f}{where}"


def _numbers(cluster: Cluster) -> dict[str, str]:
    shown = cells(cluster)
    return {title: shown[title] for title in ("human", "model", "type I", "type II", "p")}


def _print_cluster(console: Console, human_name: str, cluster: Cluster, n: int, width: int) -> None:
    described = {
        "words": cluster.words,
        "human words": cluster.human_words,
        "model words": cluster.model_words,
    }
    lines = [
        (label, ", ".join(own.phrase for own in words))
        for label, words in described.items()
        if words
    ]
    lines += [(found.field, _dominance(found)) for found in cluster.metadata if _is_clear(found)]
    if cluster.measures:
        lines.append(("texts", _measures(cluster.measures)))
    examples = [
        (f"{'human' if own.sample == human_name else 'model'} {own.index}", own.text)
        for own in _examples(cluster, n)
    ]
    labels = [label for label, _ in [*lines, *examples]]
    label_width = min(_LABEL, max((cell_len(escaped(label)) for label in labels), default=0))
    print_lines(console, cluster.title, width)
    for label, line in lines:
        print_lines(console, line, width, indent=f"  {_cut(label, label_width, pad=True)}  ")
    for label, text in examples:
        shown = "" if text is None else excerpt(text, width - label_width - 4)
        console.print(f"  {_cut(label, label_width, pad=True)}  {shown}".rstrip(), soft_wrap=True)


def _is_clear(found: Dominance) -> bool:
    return found.enriched is not None and found.p_value < SIGNIFICANCE_LEVEL


def _dominance(found: Dominance) -> str:
    return (
        f"{found.enriched} {found.enriched_share:.0%}, {found.overall_share:.0%} of all texts "
        f"({p_value_phrase(found.p_value)}); purity {found.purity:.0%}, by chance "
        f"{found.chance_purity:.0%}"
    )


def _measures(measures: Sequence[ClusterMeasure]) -> str:
    """Return the measures of the sides that have texts in a cluster, people first."""
    words = measures[0]
    sides = {"people": words.human is not None, "model": words.model is not None}
    who = " and ".join(side for side, is_there in sides.items() if is_there)
    sentences = {
        "words": f"{{}} words ({who})",
        "repetition": "{} end in a loop",
        "perplexity": "perplexity {}",
    }
    parts = []
    for found in measures:
        both = zip((found.human, found.model), sides.values(), strict=True)
        values = [value for value, is_there in both if is_there]
        if found.name != "repetition" or any(values):
            shown = " and ".join(_number(found, value) for value in values)
            parts.append(sentences[found.name].format(shown))
    return "; ".join(parts)


def _number(found: ClusterMeasure, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" if found.name == "repetition" else f"{value:.0f}"


def _examples(cluster: Cluster, n: int) -> tuple[TextShare, ...]:
    """Return the texts to show, those of the side that has more of them first."""
    if cluster.kind == "otherwise":  # what is typical of it, both sides write
        return cluster.telling_model[:n] + cluster.telling_human[:n]
    human, model = cluster.typical_human[:n], cluster.typical_model[:n]
    return model + human if cluster.kind == "over" else human + model


def _print_texts(console: Console, shares: Sequence[TextShare], width: int) -> None:
    places = max(len(str(own.index)) for own in shares)
    clusters = max(len(str(own.cluster)) for own in shares)
    for own in shares:
        cluster = f"[{own.cluster}]".ljust(clusters + 2)
        label = f"  {own.log_ratio:5.2f}  {own.index:{places}}  {cluster}  "
        text = "" if own.text is None else excerpt(own.text, width - len(label))
        console.print((label + text).rstrip(), soft_wrap=True)


def print_fields(console: Console, explanation: Explanation) -> None:
    """Print how well the clusters agree with each field of the metadata."""
    rows = [
        (
            [found.field],
            {
                "texts": str(found.n_texts),
                "values": str(found.n_values),
                "purity": f"{found.purity:.1%}",
                "by\nchance": f"{found.chance_purity:.1%}",
                "p": format_p_value(found.p_value),
                "cells of\n1 or 2 values": f"{found.n_pure:.1f} of {found.n_buckets:.1f}",
                "by\nchance ": f"{found.chance_pure:.1f}",  # with a space: titles differ
            },
        )
        for found in explanation.fields
    ]
    print_table(console, ["metadata"], rows)


def how_to_read(explanation: Explanation, *, has_texts: bool) -> str:
    """Return the sentences that go with an explanation."""
    confidence, mixture = explanation.confidence, explanation.mixture
    reading = (
        "A cluster is a group of texts that often share a cell, over all clusterings"
        + (", named after its words. " if has_texts else ". ")
        + "human and model are its share of the texts of either side. Type I and type II are what "
        "it adds to KL(Q|R), writing what people do not, and to KL(P|R), not writing what they "
        f"do; all clusters add up to the two at the top. ± is half of the "
        f"{format_level(confidence)} interval. p allows for the number of clusters: where model "
        f"and people write alike, no cluster is listed in {format_level(confidence)} of cases. The "
        "log-ratio of a text is "
    )
    most = (
        "about 0.69 where the other side has nothing like it"
        if mixture == 0.5
        else "the higher the less the other side has of its like"
    )
    reading += f"{most}, and 0 where both sides have as much. Positions count from 0."
    if explanation.fields:
        reading += (
            " Purity is the share of texts that have the most frequent value of their cluster; the "
            "cells are those with at least 20 texts. By chance is with the values dealt out at "
            "random."
        )
    return reading


def print_lines(console: Console, text: str, width: int, indent: str = "") -> None:
    """Print text within the width, all lines but the first indented with spaces."""
    before = cell_len(indent)
    for i, line in enumerate(Text(escaped(text)).wrap(console, max(width - before, 20))):
        console.print((" " * before if i else indent) + line.plain.rstrip(), soft_wrap=True)


def excerpt(text: str, width: int) -> str:
    r"""Return the beginning of a text on one line of so many columns, at least 20.

    Of a text that goes in circles it is the beginning and the end.

    Examples
    --------
    >>> print(excerpt("One\n  and \x1b[31m two", 40))
    One and \x1b[31m two
    >>> excerpt("One and two and three and four", 22)
    'One and two and three…'
    >>> excerpt("It was as ever " + "and round " * 9, 36)
    'It was as ever and round… and round'
    >>> excerpt(" \n", 40)
    '(nothing but white space)'
    """
    width = max(width, 20)
    inner = text.strip()
    if not inner:
        return "(nothing but white space)" if text else "(empty)"
    start = " ".join(inner[:_LOOKED_AT].split())
    if len(inner) <= _LOOKED_AT and cell_len(escaped(start)) <= width:
        return escaped(start)
    if not _ends_in_loop(inner):
        return _cut(f"{start} …", width)
    end = escaped(" ".join(inner[-_LOOKED_AT:].split()))[-width:]
    while cell_len(end) > _END * width:
        end = end[1:]
    end = end.partition(" ")[2] or end  # not from the middle of a word
    return f"{_cut(f'{start} …', width - cell_len(end) - 1)} {end}"


def _ends_in_loop(text: str) -> bool:
    (table,) = Words().tables([[text[-_LOOKED_AT:]]])
    return bool(repeated_lengths(table)[0])


def _cut(text: str, width: int, *, pad: bool = False) -> str:
    """Return text of at most so many columns, or of exactly so many."""
    shown = escaped(text)
    if cell_len(shown) > width:
        shown = set_cell_size(shown, width - 1).rstrip() + "…"
    return set_cell_size(shown, width) if pad else shown
