"""``mauve demo``: a comparison of generated texts, without any input."""

import json
import shlex
from pathlib import Path

import mauve
from mauve.atomic import atomic_write
from mauve.cli.option_groups import with_flags
from mauve.cli.options_output import DemoOutput
from mauve.cli.outputs import check_picture, write_picture
from mauve.cli.render import print_result
from mauve.cli.terminal import collected_warnings, new_console, say
from mauve.escape import escaped
from mauve.explanation.properties import plainest_difference
from mauve.lm.decoding import parse_decoder
from mauve.lm.generation import generate
from mauve.lm.ngram import NGramModel
from mauve.lm.reference import split_reference
from mauve.plots import new_axes
from mauve.progress import progress_bar
from mauve.reports.page import check_extra, check_report
from mauve.reports.run import TEXT_MEASURES

_N_TEXTS = 500
_PROMPT_LENGTH = 8  # tokens of a passage that the model continues
_DECODERS = {"greedy": "greedy", "ancestral": "ancestral", "nucleus": "nucleus:0.9"}


@with_flags
def demo_command(output: DemoOutput) -> None:
    """Compare texts of a small language model with human texts.

    The human texts are passages of the Python language reference, which comes with every
    Python. An n-gram model trained on the rest of it continues their first words, with three
    decoding algorithms. Writes the texts, a picture of the divergence curves and a report, and
    prints the commands that compare and explain them again. Files of an earlier demo are
    replaced.
    """
    check_extra()  # before anything is written
    new_axes()  # raises if Matplotlib is installed and cannot be loaded
    out = output.out
    out.mkdir(parents=True, exist_ok=True)
    picture, page = out / "curves.png", out / "report.html"
    check_picture(picture)
    check_report(page)
    console = new_console()
    with collected_warnings(), progress_bar(True) as on_progress:
        on_progress("training", 0, len(_DECODERS) + 1)
        reference = split_reference(_N_TEXTS)
        passages = reference.passages
        model = NGramModel.fit(reference.training)
        prompts = ["".join(passage[:_PROMPT_LENGTH]) for passage in passages]
        texts = {"human": ["".join(passage[_PROMPT_LENGTH:]) for passage in passages]}
        for done, (name, decoder) in enumerate(_DECODERS.items(), start=1):
            on_progress("generating", done, len(_DECODERS) + 1)
            completed = generate(
                model, parse_decoder(decoder), prompts,
                max_tokens=len(passages[0]) - _PROMPT_LENGTH, seed=done,
            )  # fmt: skip
            texts[name] = [
                text[len(prompt) :] for prompt, text in zip(prompts, completed, strict=True)
            ]
        # Topics for the human texts alone: continuations have the same, and would count each
        # passage four times.
        fields = {name: {"prompt": prompts, "text": texts[name]} for name in texts}
        fields["human"]["topic"] = reference.topics
        files = {name: _write(out / f"{name}.jsonl", fields[name]) for name in texts}
        human_file = files.pop("human")
        report = mauve.report(
            human_file,
            files,
            page,
            measures=f"perplexity,{TEXT_MEASURES}",
            metadata={"human": {"topic": reference.topics}},
            language_model="bundled",
            empty="keep",
            progress=on_progress,
        )
    comparison = report.comparison
    write_picture(comparison, picture)

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
        differs = comparison[name].is_distinguishable
        symptom = plainest_difference(texts["human"], texts[name]) if differs else None
        console.print(f"{name}: {symptom or 'no plain difference'}", soft_wrap=True)
    arguments = [*map(str, [human_file, *files.values()])]
    if not all(text for sample in texts.values() for text in sample):
        arguments += ["--empty", "keep"]
    for label, line in {
        "picture": str(picture),
        "report": str(page),
        "again": shlex.join(["mauve", "compare", *arguments]),
        "explain": shlex.join(["mauve", "explain", *arguments]),
    }.items():
        console.print(f"{label}: {escaped(line)}", soft_wrap=True)


def _write(path: Path, fields: dict[str, list[str]]) -> Path:
    with atomic_write(path) as file:
        for values in zip(*fields.values(), strict=True):
            file.write(json.dumps(dict(zip(fields, values, strict=True))).encode() + b"\n")
    return path
