"""``mauve check``: end with an error if a system is worse than a baseline, for CI."""

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from rich.text import Text

import mauve
from mauve.atomic import check_writable
from mauve.cli.annotations import github_annotation, write_junit
from mauve.cli.inputs import Inputs, make_embedder, read_inputs, text_keywords
from mauve.cli.option_groups import with_flags
from mauve.cli.options_check import CheckOptions, CheckOutput
from mauve.cli.options_input import EmbedderOptions, SampleOptions, TextOptions
from mauve.cli.options_score import InferenceOptions, ScoreOptions
from mauve.cli.outputs import check_distinct, check_output
from mauve.cli.terminal import collected_warnings, new_console, printing, say, say_warnings
from mauve.comparison.baseline import read_baseline, write_baseline
from mauve.comparison.comparison import Comparison
from mauve.comparison.gate import Check, Outcome, baseline_of, check, too_few
from mauve.comparison.pairs import Scored
from mauve.comparison.settings import MIN_TEXTS
from mauve.progress import progress_bar

#: Exit codes beside 0 for not worse, 1 for errors and 2 for wrong usage.
WORSE, TOO_FEW = 3, 4


@with_flags
def check_command(
    samples: SampleOptions,
    checking: CheckOptions,
    texts: TextOptions,
    embedding: EmbedderOptions,
    score: ScoreOptions,
    inference: InferenceOptions,
    output: CheckOutput,
) -> None:
    """Check in CI that no system is worse than a baseline.

    Exit codes: 0 not worse, 3 worse, 4 too few texts to tell, 1 an error, 2 wrong usage.
    """
    if checking.against is None and checking.write is None:
        raise typer.BadParameter("--against FILE or --write FILE must be given.")
    if checking.against is None and (output.junit is not None or output.github):
        raise typer.BadParameter("--junit and --github need --against.")
    check_distinct(write=checking.write, junit=output.junit)
    for path in filter(None, (checking.write, output.junit)):
        check_output(path, samples.human, samples.systems)
        check_writable(path)
    baseline = None if checking.against is None else _baseline(checking.against)
    inputs = read_inputs(samples)
    small = {} if baseline is None else _small(inputs, baseline, checking)
    compared = {name: each for name, each in inputs.systems.items() if name not in small}
    comparison: Comparison | None = None
    if compared:
        embedder = make_embedder(embedding, inputs, samples.human)
        with collected_warnings() as messages, progress_bar(not output.quiet) as on_progress:
            comparison = mauve.compare(
                inputs.human,
                compared,
                embedder=embedder,
                prompts=inputs.prompts,
                device=embedding.device,
                cache=not embedding.no_cache,
                progress=on_progress,
                **text_keywords(texts, inputs),
                **score.keywords(),
                **inference.keywords(),
            )
        say_warnings(messages)
    checks = [*small.values()]
    if baseline is not None and comparison is not None:
        checks += check(comparison, baseline, margin=checking.margin, alpha=checking.alpha)
    checks.sort(key=lambda each: [*inputs.systems].index(each.name))
    _print(comparison, checks, output)
    if output.junit is not None:
        write_junit(checks, output.junit)
    outcomes = {check.outcome for check in checks}
    if checking.write is not None and comparison is not None and outcomes <= {Outcome.NOT_WORSE}:
        write_baseline(comparison.values(), checking.write)
        if not output.quiet:
            say("baseline", str(checking.write))
    if Outcome.WORSE in outcomes:
        raise typer.Exit(WORSE)
    if Outcome.TOO_FEW in outcomes:
        raise typer.Exit(TOO_FEW)


def _small(
    inputs: Inputs, baseline: Mapping[str, Scored], checking: CheckOptions
) -> dict[str, Check]:
    """Return the checks of the systems with too few texts for a score, by name."""
    checks = {}
    for name, sample in inputs.systems.items():
        # It raises before the work.
        against = baseline_of(name, inputs.systems, baseline, checking.margin)
        if len(sample) < MIN_TEXTS <= len(inputs.human):
            checks[name] = too_few(
                name, len(sample), against, checking.margin, checking.alpha, None
            )
    return checks


def _baseline(path: Path) -> Mapping[str, Scored]:
    """Read the scores of a baseline, or of a saved comparison, which is a zip."""
    if zipfile.is_zipfile(path):
        return mauve.load(path)
    return read_baseline(path)


def _print(comparison: Comparison | None, checks: Sequence[Check], output: CheckOutput) -> None:
    with printing():
        if output.json:
            value = {
                "checks": [check.to_dict() for check in checks],
                "results": [result.to_dict() for result in (comparison or {}).values()],
            }
            typer.echo(json.dumps(value, indent=2, allow_nan=False))
        elif checks:
            for check_ in checks:
                new_console().print(Text(check_.message), soft_wrap=True)
        elif comparison is not None:
            typer.echo(comparison.table())
    if output.github:
        for check_ in checks:
            typer.echo(github_annotation(check_), err=True)
