"""``mauve demo``: a comparison of generated texts, without any input."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import mauve
from mauve.atomic import atomic_write
from mauve.cli.option_groups import with_flags
from mauve.cli.options_output import DemoOutput
from mauve.cli.outputs import check_picture, write_picture
from mauve.cli.render import print_result
from mauve.cli.terminal import (
    collected_warnings,
    new_console,
    printing,
    say,
    say_warnings,
    warnings_as_lines,
)
from mauve.errors import MissingExtraError
from mauve.escape import escaped
from mauve.explanation.properties import comparison_properties
from mauve.lm.decoding import parse_sampler
from mauve.lm.generation import generate
from mauve.lm.ngram import NGramModel
from mauve.lm.reference import split_reference
from mauve.progress import progress_bar
from mauve.reports.page import check_report
from mauve.reports.run import TEXT_MEASURES, report_comparison

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
    replaced. Without the packages of the report extra, picture and report are left out.
    """
    out = output.out
    out.mkdir(parents=True, exist_ok=True)
    picture = _if_installed(out / "curves.png", check_picture)
    # The report has pictures too, and Matplotlib may be installed and fail to load.
    page = _if_installed(out / "report.html", check_report) if picture else None
    console = new_console()
    with collected_warnings() as messages, progress_bar(True) as on_progress:
        on_progress("training", 0, len(_DECODERS) + 1)
        reference = split_reference(_N_TEXTS)
        passages = reference.passages
        model = NGramModel.fit(reference.training)
        prompts = ["".join(passage[:_PROMPT_LENGTH]) for passage in passages]
        texts = {"human": ["".join(passage[_PROMPT_LENGTH:]) for passage in passages]}
        for done, (name, decoder) in enumerate(_DECODERS.items(), start=1):
            on_progress("generating", done, len(_DECODERS) + 1)
            completed = generate(
                model, parse_sampler(decoder), prompts,
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
        comparison = mauve.compare(human_file, files, empty="keep", progress=on_progress)

    with printing():
        console.print(
            f"Human: {_N_TEXTS} passages of the Python language reference. Systems: a "
            f"{model.order}-gram model of its other topics continues their first words.",
            soft_wrap=True,
        )
        console.print()
        properties = comparison_properties(comparison.compared.samples)
        print_result(comparison, human_file, properties=properties)
    say_warnings(messages)
    if page is not None:
        with warnings_as_lines(*messages), progress_bar(True) as on_progress:
            report_comparison(
                comparison,
                page,
                measures=f"perplexity,{TEXT_MEASURES}",
                metadata={"human": {"topic": reference.topics}},
                language_model="bundled",
                progress=on_progress,
            )
    if picture is not None:
        write_picture(comparison, picture)
    console.print()
    arguments = [*map(str, [human_file, *files.values()])]
    if not all(text for sample in texts.values() for text in sample):
        arguments += ["--empty", "keep"]
    for label, line in {
        "picture": picture,
        "report": page,
        "again": shlex.join(["mauve", "compare", *arguments]),
        "explain": shlex.join(["mauve", "explain", *arguments]),
    }.items():
        if line is not None:
            console.print(f"{label}: {escaped(str(line))}", soft_wrap=True)
    if page is None:
        missing = "report, which needs jinja2"
        if picture is None:
            missing = "picture and no report, which need matplotlib and jinja2"
        say("note", f'no {missing}: pip install "mauve-eval[report]"')


def _if_installed(path: Path, check: Callable[[Path], None]) -> Path | None:
    """Return `path`, or None if a package that writing it needs is missing."""
    try:
        check(path)
    except MissingExtraError:
        return None
    return path


def _write(path: Path, fields: dict[str, list[str]]) -> Path:
    with atomic_write(path) as file:
        for values in zip(*fields.values(), strict=True):
            file.write(json.dumps(dict(zip(fields, values, strict=True))).encode() + b"\n")
    return path
