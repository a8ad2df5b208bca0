"""``mauve demo``: a comparison to look at, with nothing to bring along."""

import json
import shlex
from pathlib import Path
from typing import Annotated

import typer

import mauve
from mauve.cli.compare import print_report
from mauve.cli.files import check_picture, whole_file, write_picture
from mauve.cli.terminal import collected_warnings, new_console, progress_bar
from mauve.lm.decoding import parse_decoder
from mauve.lm.generation import generate
from mauve.lm.ngram import NGramModel
from mauve.lm.reference import split_reference
from mauve.plot import new_axes
from mauve.printable import printable
from mauve.symptoms import plainest_symptom

_N_TEXTS = 500
_PROMPT = 8  # tokens of a passage that the model is given
_DECODERS = {"greedy": "greedy", "ancestral": "ancestral", "nucleus": "nucleus:0.9"}


def demo(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the texts and the picture.")
    ] = Path("demo"),
) -> None:
    """Compare texts of a small language model with human ones.

    The human texts are passages of the Python language reference, which every Python has
    with it. An n-gram model that has read the rest of it continues their beginnings, by
    three ways of decoding. Writes the texts and a picture of the divergence curves, and
    prints the command that compares them again. Files of an earlier demo are replaced.
    """
    new_axes()  # raises where Matplotlib is missing, before anything is written
    out.mkdir(parents=True, exist_ok=True)
    picture = out / "curves.png"
    check_picture(picture)
    console = new_console()
    with collected_warnings(), progress_bar(True) as on_progress:
        report = on_progress or (lambda *_: None)
        report("training", 0, len(_DECODERS) + 1)
        human, training = split_reference(_N_TEXTS)
        model = NGramModel.fit(training)
        prompts = ["".join(passage[:_PROMPT]) for passage in human]
        texts = {"human": ["".join(passage[_PROMPT:]) for passage in human]}
        for done, (name, decoder) in enumerate(_DECODERS.items(), start=1):
            report("generating", done, len(_DECODERS) + 1)
            whole = generate(
                model, parse_decoder(decoder), prompts,
                max_tokens=len(human[0]) - _PROMPT, seed=done,
            )  # fmt: skip
            texts[name] = [text[len(prompt) :] for prompt, text in zip(prompts, whole, strict=True)]
        files = {name: _write(out / f"{name}.jsonl", prompts, texts[name]) for name in texts}
        human_file = files.pop("human")
        comparison = mauve.compare(human_file, files, empty="keep", on_progress=on_progress)
    write_picture(comparison, picture)

    console.print(
        f"Human: {_N_TEXTS} passages of the Python language reference. Systems: a "
        f"{model.order}-gram model of its other topics continues their first words.",
        soft_wrap=True,
    )
    console.print()
    print_report(comparison, human_file)
    console.print()
    for name in reversed(comparison.rank()):
        told = comparison[name].p_value is not None and (comparison[name].p_value or 0) < 0.05
        symptom = plainest_symptom(texts["human"], texts[name]) if told else None
        console.print(f"{name}: {symptom or 'nothing plain to see'}", soft_wrap=True)
    console.print(f"picture: {printable(str(picture))}", soft_wrap=True)
    command = ["mauve", "compare", *map(str, [human_file, *files.values()])]
    if not all(text for sample in texts.values() for text in sample):
        command += ["--empty", "keep"]
    console.print(f"again: {printable(shlex.join(command))}", soft_wrap=True)


def _write(path: Path, prompts: list[str], texts: list[str]) -> Path:
    with whole_file(path) as file:
        for prompt, text in zip(prompts, texts, strict=True):
            file.write(json.dumps({"prompt": prompt, "text": text}).encode() + b"\n")
    return path
