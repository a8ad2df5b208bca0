"""``mauve protocols``: list protocols; and ``mauve compare --protocol``: scores by one of them."""

import json
from dataclasses import MISSING, fields
from typing import Annotated, Any, cast

import typer

import mauve
from mauve.calls import option, without_options
from mauve.cli.inputs import make_embedder, read_inputs
from mauve.cli.option_groups import OptionGroup
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_output import AddedMeasures, CompareOutput, MeasureOptions
from mauve.cli.options_score import InferenceOptions
from mauve.cli.render import measurements_legend, print_measurements, print_table
from mauve.cli.terminal import collected_warnings, new_console, printing, say_warnings
from mauve.embed.registry import EmbedderLike
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.progress import progress_bar
from mauve.protocols.catalogue import built_in, get_protocol
from mauve.protocols.protocol import Protocol
from mauve.protocols.results import ProtocolResult
from mauve.protocols.run import follow_protocol
from mauve.text.normalize import EmptyPolicy

#: Options that a protocol leaves open.
_OPEN = {"empty", "seed", "confidence", "json", "markdown", "quiet"}

_BASES = {
    "code": "settings of its released code",
    "paper": "settings of the text of the paper",
    "practice": "common practice: check it against the paper that you follow",
}

_PLUG_IN = (
    "MAUVE as in a protocol is the plug-in score of the authors' package: too low for few texts, "
    "and comparable only between samples of one size. Ours is corrected for that, and is the "
    "mean over clusterings."
)


def protocols_command(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON and nothing else on stdout.")
    ] = False,
) -> None:
    """List the protocols of mauve compare, with their sources."""
    with printing():
        if as_json:
            listed = [protocol.to_dict() for protocol in built_in().values()]
            typer.echo(json.dumps(listed, indent=2))
            return
        typer.echo("\n\n".join(map(described, built_in().values())))


def described(protocol: Protocol) -> str:
    """Return the settings of a protocol in a few lines.

    Examples
    --------
    >>> print(described(get_protocol("alce")).splitlines()[0])
    alce: Answers with citations (ALCE)
    """
    samples, score = protocol.samples, protocol.score
    cut = f"{samples.words} words" if samples.words else f"{samples.tokens} tokens"
    prompts = {
        "required": "after prompts",
        "optional": "with or without prompts",
        "none": "without prompts",
    }[samples.prompts]
    texts = [f"{samples.texts} of each sample, at least {samples.min_texts}, {cut}, {prompts}"]
    if samples.join_prompt:
        texts.append("which are compared with the texts")
    if samples.per_prompt:
        texts.append(f"{samples.per_prompt} of a system for each")
    how = "our estimator"
    if score.method == "authors":
        k = "n/10" if score.num_buckets == "n/10" else str(score.num_buckets)
        seeds = ", ".join(map(str, score.seeds))
        how = f"{score.embedder}, k = {k}, c = {score.scaling:g}, seed {seeds}, plug-in"
        how += ", times 100" * score.percent
    lines = [f"{protocol.name}: {protocol.title}", f"  texts     {', '.join(texts)}"]
    if protocol.references:
        lines.append(f"  human     {protocol.references}")
    lines.append(f"  score     {how}")
    if protocol.report.measures:
        lines.append(f"  beside    {protocol.report.measures.replace(',', ', ')}")
    lines.append(f"  source    {protocol.source} ({_BASES[protocol.basis]})")
    return "\n".join(lines)


def check_fixed(*groups: OptionGroup) -> None:
    """Raise if an option was given that a protocol fixes or has no use for."""
    for group in groups:
        for field in fields(cast(Any, group)):
            default = field.default
            if field.default_factory is not MISSING:
                default = field.default_factory()
            if field.name not in _OPEN and getattr(group, field.name) != default:
                raise InvalidParameterError(
                    f"{option(field.name)} must be left out with {option('protocol')}, which fixes "
                    "how texts are prepared and scored, and prints tables or JSON alone."
                )


def compare_by_protocol(
    name: str,
    samples: SampleOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    inference: InferenceOptions,
    added: AddedMeasures,
    measuring: MeasureOptions,
    output: CompareOutput,
) -> None:
    """Print the scores of systems by a protocol, and ours beside them."""
    protocol = get_protocol(name)
    if measuring.models or measuring.training is not None or measuring.variant is not None:
        raise typer.BadParameter(
            "--model, --training and --variant cannot be given with --protocol."
        )
    inputs = read_inputs(samples)
    changed = any(value is not None for value in embedding.settings().values())
    embedder: EmbedderLike | None = embedding.embedder  # its name gets the length of the protocol
    if changed or not inputs.is_text:
        embedder = make_embedder(embedding, inputs, samples.human)
    # With an embedder of the user no model of the protocol is loaded, so that all works offline.
    own_models = embedding.embedder is not None or measuring != MeasureOptions()
    with (
        without_options("normalize", "num_buckets", "limit"),  # refused, so no remedy
        collected_warnings() as messages,
        progress_bar(not output.quiet) as on_progress,
    ):
        result = follow_protocol(
            inputs.human,
            inputs.systems,
            protocol,
            prompts=inputs.prompts,
            embedder=embedder,
            measures=added.measures,
            tokenizer=measuring.tokenizer if own_models else None,
            language_model=measuring.language_model if own_models else None,
            empty=cast(EmptyPolicy, texts.empty),
            confidence=inference.confidence,
            seed=inference.seed,
            device=embedding.device,
            cache=not embedding.no_cache,
            progress=on_progress,
        )
    with printing():
        if output.json:
            as_dict = {"version": mauve.__version__, **result.to_dict()}
            typer.echo(json.dumps(as_dict, indent=2, allow_nan=False))
        elif output.markdown:
            typer.echo(result.to_markdown())
        else:
            _print_result(result, quiet=output.quiet)
    say_warnings(messages)


def _print_result(result: ProtocolResult, *, quiet: bool) -> None:
    console = new_console()
    rows = [
        ([row["system"]], {title: cell for title, cell in row.items() if title != "system"})
        for row in result.rows()
    ]
    print_table(console, ["system"], rows)
    if result.measurements is not None:
        console.print()
        print_measurements(console, result.measurements)
        if not quiet:
            console.print()
            console.print(measurements_legend(result.measurements), highlight=False)
    if result.reported and not quiet:
        console.print()
        console.print(_PLUG_IN, highlight=False)
    console.print()
    console.print(escaped(result.recipe), highlight=False, markup=False, soft_wrap=True)
