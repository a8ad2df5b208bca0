"""Print explanations, readable in a pipe and in 80 columns."""

from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console
from rich.rule import Rule

from mauve.cli.excerpts import cut, excerpt_of
from mauve.cli.render import print_human, print_signatures, print_table
from mauve.cli.render_properties import (
    N_SENTENCES,
    print_sentences,
    properties_legend,
)
from mauve.cli.terminal import new_console, print_lines
from mauve.comparison.comparison import Comparison
from mauve.comparison.results import MauveResult
from mauve.escape import escaped, listed
from mauve.explanation.findings import Cluster, ClusterMeasure, Dominance, shown_part
from mauve.explanation.headlines import (
    NEGATIVE_PART,
    NEGATIVE_RATIO,
    has_negative_part,
    words_note,
)
from mauve.explanation.results import Explanation, SystemExplanation
from mauve.explanation.tables import cells
from mauve.explanation.texts import TextShare
from mauve.formatting import (
    SIGNIFICANCE_LEVEL,
    format_level,
    format_p_value,
    format_score,
    p_value_phrase,
)

_KINDS = {
    "over": "writes too much of",
    "under": "writes too little of",
    "otherwise": "writes differently in",
}
_LABEL_WIDTH = 14  # columns at most for the label before a line
_N_EVIDENCE = 3  # words of a cluster that differ themselves
_N_TEXTS = 3  # single texts to list of each sample


def print_explanation(
    comparison: Comparison,
    explanation: Explanation,
    human: Path,
    *,
    top: int,
    examples: int,
    quiet: bool,
) -> None:
    """Print the explanation of each system, best first, the metadata, and how to read them.

    Parameters
    ----------
    comparison : Comparison
    explanation : Explanation
        Of this comparison.
    human : Path
        File of the human texts.
    top : int
        Clusters of each kind to describe.
    examples : int
        Human texts, and texts of the system, to print of each of these clusters.
    quiet : bool
        Print the tables only.
    """
    console = new_console()
    width = console.width
    if not quiet:
        print_human(console, explanation.sizes[explanation.human_name], human)
    for i, name in enumerate(comparison.rank()):
        if i:
            console.print()
            console.print(Rule(style="none"))
        _print_system(console, comparison[name], explanation[name], top, examples, quiet)
        console.width = width  # which a wide table changes
    if explanation.fields:
        console.print()
        _print_fields(console, explanation)
    if quiet:
        return
    console.print()
    legend = explanation_legend(explanation, has_texts=comparison.compared.texts is not None)
    print_lines(console, legend, width)
    print_signatures(console, [result.signature for result in comparison.values()])


def explanation_legend(explanation: Explanation, *, has_texts: bool) -> str:
    """Return how to read an explanation."""
    level, mixture = format_level(explanation.confidence), explanation.mixture
    named = ""
    if has_texts:
        named = (
            ". After 'texts like' are words that describe it and are not the fault; after 'texts "
            "with' are words that differ themselves, over all texts of both samples, "
            "significantly and by a fifth or more"
        )
    largest = (
        "about 0.69 if the other sample has nothing like it"
        if mixture == 0.5
        else "higher if the other sample has fewer texts like it"
    )
    legend = (
        f"A cluster is a group of texts that often share a bucket, over all clusterings{named}. "
        "human and model are its shares of the human texts and of the system's. "
        "Type I and type II are what it adds to KL(Q|R), writing what people do not, and to "
        "KL(P|R), not writing what they do, where P is human text, Q the system and "
        f"R = λP + (1 - λ)Q their mixture, with λ = {mixture:g}; all clusters add up to the two "
        f"values at the top. ± is half the width of the {level} interval. p is corrected for the "
        "number of clusters: if the system writes as people do, no cluster is listed in "
        f"{level} of cases. The log-ratio of a text is {largest}, and 0 if both samples have as "
        "many. Positions count from 0. Shares of fewer than 10 texts are given as counts."
    )
    if has_texts:
        legend += f" {properties_legend()}"
    if explanation.fields:
        legend += (
            " Purity is the share of texts that have the most frequent value of their cluster. "
            "Buckets of 1 or 2 values are counted among those with at least 20 texts. The columns "
            "'by chance' are for shuffled values."
        )
    return legend


def unused_fields_note(explanation: Explanation, unread: Sequence[str]) -> str | None:
    """Return which fields of the files are not used as metadata, and why; None if all are.

    Parameters
    ----------
    explanation : Explanation
    unread : sequence of str
        Fields that could not be read as metadata.
    """
    reasons = dict(explanation.fields_left_out)
    reasons |= dict.fromkeys(unread, "not all values are short strings or whole numbers")
    if not reasons:
        return None
    notes = [f"{escaped(field)} ({reason})" for field, reason in reasons.items()]
    return f"fields that are not used as metadata: {listed(notes)}"


def _print_system(
    console: Console,
    result: MauveResult,
    explained: SystemExplanation,
    top: int,
    examples: int,
    quiet: bool,
) -> None:
    """Print the score of a system, its flagged clusters, and the texts that differ most."""
    width = console.width
    for line in _score_lines(result, explained):
        print_lines(console, line, width)
    if explained.properties is not None:
        console.print()
        n = N_SENTENCES if quiet else len(explained.properties.ranked)
        print_sentences(console, explained.properties, n, width)
        console.print()
    kinds = {kind: getattr(explained, kind) for kind in _KINDS}
    is_flagged = any(kinds.values())
    if not is_flagged:
        smallest = min(cluster.p_value for cluster in explained.clusters)
        print_lines(
            console,
            f"None of {len(explained.clusters)} clusters differs by more than chance would explain "
            f"(smallest p = {smallest:.3f}).",
            width,
        )
    for kind, clusters in kinds.items():
        if not clusters:
            continue
        console.print()
        rows = [([cluster.title], _cluster_cells(cluster)) for cluster in clusters]
        print_table(console, [_KINDS[kind]], rows)
        for cluster in clusters[: 0 if quiet else top]:
            console.print()
            _print_cluster(console, explained.human_name, cluster, examples, width)
    flagged = [cluster for clusters in kinds.values() for cluster in clusters]
    if has_negative_part(flagged, digits=3) and not quiet:
        console.print()
        print_lines(console, NEGATIVE_PART, width)
    if quiet or (not is_flagged and result.is_distinguishable is False):
        return
    system, human = escaped(explained.name), escaped(explained.human_name)
    for title, texts in (
        (f"the most machine-like texts of {system}", explained.machine_like(_N_TEXTS)),
        (f"the {human} texts that {system} covers least", explained.uncovered(_N_TEXTS)),
    ):
        console.print()
        print_lines(console, f"{title} (log-ratio, position, [cluster]):", width)
        _print_texts(console, texts, width)
        if any(round(text.log_ratio, 2) < 0 for text in texts):
            print_lines(console, NEGATIVE_RATIO, width, indent="  ")


def _score_lines(result: MauveResult, explained: SystemExplanation) -> list[str]:
    low, high = map(format_score, result.interval)
    lines = [f"{escaped(explained.name)}: MAUVE {format_score(result.mauve)} ({low} to {high})"]
    if result.p_value is not None:
        lines.append(result.verdict)
    type_1, type_2 = map(format_score, (explained.type_1, explained.type_2))
    mixture = "" if explained.mixture == 0.5 else f", with mixture λ = {explained.mixture:g}"
    return [*lines, f"type I {type_1}, type II {type_2}{mixture}"]


def _cluster_cells(cluster: Cluster) -> dict[str, str]:
    row = cells(cluster)
    return {title: row[title] for title in ("human", "model", "type I", "type II", "p")}


def _print_cluster(
    console: Console, human_name: str, cluster: Cluster, n_examples: int, width: int
) -> None:
    phrases = {
        "words": cluster.words,
        "human words": cluster.human_words,
        "model words": cluster.model_words,
    }
    evidence = [f"“{word.phrase}” {word.counted}" for word in cluster.evidence[:_N_EVIDENCE]]
    lines = [("texts with", "; ".join(evidence))] if evidence else []
    if note := words_note(cluster):
        lines.append(("note", note))
    lines += [
        (label, ", ".join(word.phrase for word in words))
        for label, words in phrases.items()
        if words
    ]
    lines += [
        (dominance.field, _dominance_line(dominance))
        for dominance in cluster.metadata
        if dominance.enriched is not None and dominance.p_value < SIGNIFICANCE_LEVEL
    ]
    if cluster.measures:
        sizes = (cluster.n_human, cluster.n_model)
        lines.append(("texts", measures_line(cluster.measures, sizes)))
    examples = [
        (f"{'human' if text.sample == human_name else 'model'} {text.index}", text)
        for text in _examples(cluster, n_examples)
    ]
    labels = [label for label, _ in [*lines, *examples]]
    label_width = min(_LABEL_WIDTH, max((cell_len(escaped(label)) for label in labels), default=0))
    print_lines(console, cluster.title, width)
    for label, line in lines:
        print_lines(console, line, width, indent=f"  {cut(label, label_width, pad=True)}  ")
    for label, text in examples:
        line = excerpt_of(text, width - label_width - 4)
        console.print(f"  {cut(label, label_width, pad=True)}  {line}".rstrip(), soft_wrap=True)


def _dominance_line(dominance: Dominance) -> str:
    return (
        f"{dominance.enriched} {dominance.shown_enriched}, {dominance.shown_overall} of "
        f"all texts ({p_value_phrase(dominance.p_value)}); purity {dominance.shown_purity}, by "
        f"chance {dominance.chance_purity:.0%}"
    )


def measures_line(measures: Sequence[ClusterMeasure], sizes: tuple[int, int]) -> str:
    """Return the measures of a cluster's texts, of the samples that have any, human first.

    Parameters
    ----------
    measures : sequence of ClusterMeasure
    sizes : tuple of int
        Number of human texts and of texts of the system in the cluster.

    Examples
    --------
    >>> words, loops = ClusterMeasure("words", 40.0, 30.0), ClusterMeasure("repetition", 0.2, 0.1)
    >>> measures_line([words, loops], (80, 20))
    '40 and 30 words (human and model); 20.0% and 2 of 20 end in a loop'
    """
    words = measures[0]
    has_texts = {"human": words.human is not None, "model": words.model is not None}
    samples = " and ".join(sample for sample, is_there in has_texts.items() if is_there)
    phrases = {
        "words": f"{{}} words ({samples})",
        "repetition": "{} end in a loop",
        "perplexity": "perplexity {}",
    }
    parts = []
    for measure in measures:
        both = zip((measure.human, measure.model), sizes, has_texts.values(), strict=True)
        values = [(value, size) for value, size, is_there in both if is_there]
        if measure.name != "repetition" or any(value for value, _ in values):
            numbers = " and ".join(_format_measure(measure.name, *value) for value in values)
            parts.append(phrases[measure.name].format(numbers))
    return "; ".join(parts)


def _format_measure(name: str, value: float | None, n_texts: int) -> str:
    if value is None:
        return "–"
    return shown_part(value, n_texts) if name == "repetition" else f"{value:.0f}"


def _examples(cluster: Cluster, n: int) -> tuple[TextShare, ...]:
    """Return the texts to print, first those of the sample that has more of the cluster."""
    if cluster.kind == "otherwise":  # typical texts would be those that both samples have
        return cluster.telling_model[:n] + cluster.telling_human[:n]
    human, model = cluster.typical_human[:n], cluster.typical_model[:n]
    return model + human if cluster.kind == "over" else human + model


def _print_texts(console: Console, texts: Sequence[TextShare], width: int) -> None:
    index_width = max(len(str(text.index)) for text in texts)
    cluster_width = max(len(str(text.cluster)) for text in texts) + 2
    for text in texts:
        cluster = f"[{text.cluster}]".ljust(cluster_width)
        label = f"  {text.log_ratio:5.2f}  {text.index:{index_width}}  {cluster}  "
        line = excerpt_of(text, width - len(label))
        console.print((label + line).rstrip(), soft_wrap=True)
        if text.reasons:
            indent = " " * len(label)
            print_lines(console, f"why: {'; '.join(text.reasons)}", width, indent)


def _print_fields(console: Console, explanation: Explanation) -> None:
    """Print how well the clusters agree with each field of the metadata."""
    rows = [
        (
            [summary.field],
            {
                "texts": str(summary.n_texts),
                "values": str(summary.n_values),
                "purity": f"{summary.purity:.1%}",
                "by\nchance": f"{summary.chance_purity:.1%}",
                "p": format_p_value(summary.p_value),
                "buckets of\n1 or 2 values": f"{summary.n_pure:.1f} of {summary.n_buckets:.1f}",
                "by\nchance ": f"{summary.chance_pure:.1f}",  # with a space: titles differ
            },
        )
        for summary in explanation.fields
    ]
    print_table(console, ["metadata"], rows)
