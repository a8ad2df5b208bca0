"""mauve domains: compare systems in several domains, each with human texts of its own."""

import json
from dataclasses import dataclass
from typing import Annotated

import typer

import mauve
from mauve.cli.inputs import make_embedder, read_inputs, text_keywords
from mauve.cli.option_groups import OptionGroup, with_flags
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import FormatOptions
from mauve.cli.options_score import InferenceOptions, ScoreOptions
from mauve.cli.render import print_signatures, print_table
from mauve.cli.terminal import collected_warnings, new_console, printing, say_warnings
from mauve.comparison.by_field import split_samples
from mauve.comparison.domains import Domains, compare_domains
from mauve.comparison.results import CLASSIFIER_MEANING
from mauve.progress import progress_bar


@dataclass(frozen=True)
class DomainOptions(OptionGroup):
    """What the domains are."""

    panel = "Input"

    by: Annotated[
        str,
        typer.Option(
            metavar="FIELD",
            help="Field of all files that says which domain a text is of, such as its language or "
            "kind. Texts are compared with human texts of the same domain alone.",
        ),
    ]


@with_flags
def domains_command(
    samples: SampleOptions,
    domain: DomainOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    output: FormatOptions,
) -> None:
    """Compare systems in each domain, or language, by itself."""
    if samples.prompts is not None:
        raise typer.BadParameter("--prompts must be left out with domains: use --by-prompt.")
    inputs = read_inputs(samples)
    parts = split_samples(inputs.samples, domain.by)
    embedder = make_embedder(embedding, inputs, samples.human)
    prompts = None
    if samples.by_prompt:
        human_name = next(iter(inputs.samples))
        prompts = {
            name: {each: part.prompts for each, part in {human_name: human, **systems}.items()}
            for name, (human, systems) in parts.items()
        }
    with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
        result = compare_domains(
            parts,
            embedder=embedder,
            prompts=prompts,
            device=embedding.device,
            cache=not embedding.no_cache,
            progress=on_progress,
            **text_keywords(texts, inputs),
            **score.keywords(),
            **inference.keywords(),
        )
    with printing():
        if output.json:
            as_dict = {"version": mauve.__version__, "by": domain.by, **result.to_dict()}
            typer.echo(json.dumps(as_dict, indent=2, allow_nan=False))
        elif output.markdown or output.latex:
            typer.echo(result.to_markdown() if output.markdown else result.to_latex())
        else:
            _print_domains(result, domain.by, quiet=output.quiet)
    of_domains = {message for each in result.values() for message in each.warnings}
    others = [message for message in messages if message not in of_domains]
    say_warnings([*result.warnings, *others])


def _print_domains(result: Domains, by: str, *, quiet: bool) -> None:
    console = new_console()
    titles, rows = result.rows()
    print_table(
        console,
        ["system"],
        [([row[0]], dict(zip(titles[1:], row[1:], strict=True))) for row in rows],
    )
    console.print()
    details = result.details()
    names = ["domain", "system"]
    print_table(
        console,
        names,
        [([row.pop(name) for name in names], row) for row in details],
    )
    if quiet:
        return
    legend = [
        f"MAUVE of each system against the human texts of the same {by}. In the mean all domains "
        "count equally; its interval takes their texts as independent."
    ]
    if any("classifier" in row for row in details):
        legend.append(CLASSIFIER_MEANING)
    if any("p (= human)" in row for row in details):
        legend.append(
            "p (= human) is the p-value of the test that the system writes as people do there."
        )
    if any("--" in row for row in rows):
        legend.append(
            "'--': no texts of the system there; its mean is that of its own domains, and not "
            "comparable with means of others."
        )
    console.print()
    console.print(" ".join(legend))
    print_signatures(
        console, [score.signature for each in result.values() for score in each.values()]
    )
