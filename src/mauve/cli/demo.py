"""``mauve demo``: a comparison to look at, with nothing to bring along."""

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

import mauve
from mauve.atomic import atomic_write
from mauve.cli.compare import print_result
from mauve.cli.explaining import report_measures
from mauve.cli.files import check_picture, write_picture
from mauve.cli.terminal import collected_warnings, new_console, progress_bar, say
from mauve.embed.cached import RememberedEmbedder
from mauve.embed.registry import get_embedder
from mauve.escape import escaped
from mauve.explanation.properties import plainest_difference
from mauve.lm.decoding import parse_decoder
from mauve.lm.generation import generate
from mauve.lm.ngram import NGramModel
from mauve.lm.reference import split_reference
from mauve.lm.remembered import RememberedScorer
from mauve.lm.scorer import get_scorer
from mauve.plots import new_axes
from mauve.reports.page import check_extra, check_report

_N_TEXTS = 500
_PROMPT = 8  # tokens of a passage that the model is given
_DECODERS = {"greedy": "greedy", "ancestral": "ancestral", "nucleus": "nucleus:0.9"}


def demo(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the texts, picture and report.")
    ] = Path("demo"),
) -> None:
    """Compare texts of a small language model with human ones.

    The human texts are passages of the Python language reference, which every Python has
    with it. An n-gram model that has read the rest of it continues their beginnings, by
    three ways of decoding. Writes the texts, a picture of the divergence curves and a report,
    and prints the commands that compare and explain them again. Files of an earlier demo are
    replaced.
    """
    check_extra()  # before anything is written
    new_axes()  # raises where Matplotlib is there and cannot be loaded
    out.mkdir(parents=True, exist_ok=True)
    picture, report = out / "curves.png", out / "report.html"
    check_picture(picture)
    check_report(report)
    console = new_console()
    with collected_warnings(), progress_bar(True) as on_progress:
        say_step = on_progress or (lambda *_: None)
        say_step("training", 0, len(_DECODERS) + 1)
        reference = split_reference(_N_TEXTS)
        passages = reference.passages
        model = NGramModel.fit(reference.training)
        prompts = ["".join(passage[:_PROMPT]) for passage in passages]
        texts = {"human": ["".join(passage[_PROMPT:]) for passage in passages]}
        for done, (name, decoder) in enumerate(_DECODERS.items(), start=1):
            say_step("generating", done, len(_DECODERS) + 1)
            whole = generate(
                model, parse_decoder(decoder), prompts,
                max_tokens=len(passages[0]) - _PROMPT, seed=done,
            )  # fmt: skip
            texts[name] = [text[len(prompt) :] for prompt, text in zip(prompts, whole, strict=True)]
        # Continuations have the topics of their beginnings: to count them too would be to count
        # each passage four times over.
        fields = {name: {"prompt": prompts, "text": texts[name]} for name in texts}
        fields["human"]["topic"] = reference.topics
        files = {name: _write(out / f"{name}.jsonl", fields[name]) for name in texts}
        human_file = files.pop("human")
        embedder = RememberedEmbedder(get_embedder("bundled"))
        scorer = RememberedScorer(get_scorer("bundled"))
        comparison = mauve.compare(
            human_file, files, embedder=embedder, empty="keep", on_progress=on_progress
        )
        explanation = mauve.explain(
            comparison,
            metadata={"human": {"topic": reference.topics}},
            language_model=scorer,
            on_progress=on_progress,
        )
        measured = mauve.measure(
            human_file, files, f"perplexity,{report_measures(is_text=True)}",
            language_model=scorer, embedder=embedder, empty="keep", comparison=comparison,
            on_progress=on_progress,
        )  # fmt: skip
    write_picture(comparison, picture)
    comparison.to_html(report, explanation=explanation, measured=measured)

    console.print(
        f"Human: {_N_TEXTS} passages of the Python language reference. Systems: a "
        f"{model.order}-gram model of its other topics continues their first words.",
        soft_wrap=True,
    )
    console.print()
    print_result(comparison, human_file)
    for message in comparison.warnings:
        say("warning", message)
    console.print()
    for name in reversed(comparison.rank()):
        told = comparison[name].is_distinguishable
        symptom = plainest_difference(texts["human"], texts[name]) if told else None
        console.print(f"{name}: {symptom or 'nothing plain to see'}", soft_wrap=True)
    arguments = [*map(str, [human_file, *files.values()])]
    if not all(text for sample in texts.values() for text in sample):
        arguments += ["--empty", "keep"]
    for label, line in {
        "picture": str(picture),
        "report": str(report),
        "again": shlex.join(["mauve", "compare", *arguments]),
        "explain": shlex.join(["mauve", "explain", *arguments]),
    }.items():
        console.print(f"{label}: {escaped(line)}", soft_wrap=True)


def _write(path: Path, fields: dict[str, list[str]]) -> Path:
    with atomic_write(path) as file:
        for values in zip(*fields.values(), strict=True):
            file.write(json.dumps(dict(zip(fields, values, strict=True))).encode() + b"\n")
    return path
