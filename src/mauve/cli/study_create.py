"""mauve study create: a study of pairs of texts, from the samples of systems."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.cli.option_groups import OptionGroup, choice, with_flags
from mauve.cli.options_input import Field
from mauve.cli.options_output import Quiet
from mauve.cli.terminal import new_console, printing, warnings_as_lines
from mauve.cli.values import InputFile, check_systems, input_file, named_systems, number
from mauve.escape import escaped
from mauve.formatting import format_count
from mauve.study.settings import ENROLMENTS, StudySettings
from mauve.text.read import TextFile, read_texts

_DEFAULT = StudySettings()


@dataclass(frozen=True)
class StudyArguments(OptionGroup):
    """The new study, and the samples that it shows."""

    panel = "Input"

    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY",
            help="The new study: a file, or the URL of a PostgreSQL database, "
            "postgresql://user:password@host/name.",
        ),
    ]
    human: Annotated[
        Path,
        typer.Argument(
            metavar="HUMAN",
            help="Human texts with their prompts: a .jsonl (fields 'prompt' and 'text'), .json, "
            ".csv, .tsv or .parquet file. FILE:FIELD takes the texts from another field.",
        ),
    ]
    systems: Annotated[
        list[str],
        typer.Argument(
            metavar="SYSTEM",
            callback=check_systems,
            help="Each system's texts for the same prompts. A system is named after its file; "
            "NAME=FILE or NAME=FILE:FIELD gives it another name. Annotators see no name.",
        ),
    ]
    field: Field = "text"
    prompt_field: Annotated[
        str, typer.Option(metavar="NAME", help="Field or column that holds the prompt.")
    ] = "prompt"


@dataclass(frozen=True)
class StudyTexts(OptionGroup):
    """Which prompts and continuations are shown."""

    panel = "Texts"

    min_tokens: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Leave out continuations with fewer tokens."),
    ] = _DEFAULT.min_tokens
    max_tokens: Annotated[
        int, typer.Option(metavar="N", min=1, help="Cut continuations to this many tokens.")
    ] = _DEFAULT.max_tokens
    tokenizer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What counts tokens: 'bundled', a tokenizer.json or its folder, or a "
            "Transformers model, such as gpt2 for the lengths of the paper.",
        ),
    ] = _DEFAULT.tokenizer
    all_prompts: Annotated[
        bool,
        typer.Option("--all-prompts", help="Show prompts that are no well-formed English, too."),
    ] = False


@dataclass(frozen=True)
class StudyDesign(OptionGroup):
    """How many ratings there are to be, and by whom."""

    panel = "Design"

    ratings_per_pair: Annotated[
        int, typer.Option(metavar="N", min=1, help="Valid ratings for each pair of systems.")
    ] = _DEFAULT.ratings_per_pair
    overlap: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0,
            max=1,
            help="Share of the ratings that go to items which several people rate, for the "
            "agreement between people.",
        ),
    ] = _DEFAULT.overlap
    overlap_raters: Annotated[
        int, typer.Option(metavar="N", min=2, help="People who rate each of these items.")
    ] = _DEFAULT.overlap_raters
    items_per_annotator: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Items that one person may rate; all by default."),
    ] = _DEFAULT.items_per_annotator
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, help="Seed of the prompts drawn and their order.")
    ] = _DEFAULT.seed


@dataclass(frozen=True)
class StudyQuality(OptionGroup):
    """Checks of annotators; what counts can change later, see mauve study rules."""

    panel = "Quality control"

    min_active_seconds: Annotated[
        float,
        typer.Option(metavar="X", min=0, help="Ratings made in less active time do not count."),
    ] = _DEFAULT.min_active_seconds
    attention_every: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="One of every N items is an attention check: a human text and its own words in "
            "random order. 0 for none.",
        ),
    ] = _DEFAULT.attention_every
    max_failed_checks: Annotated[
        int,
        typer.Option(
            metavar="N", min=0, help="Ratings by people who failed more checks do not count."
        ),
    ] = _DEFAULT.max_failed_checks
    repeat_every: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="One of every N items is an earlier one again, for the agreement of people with "
            "themselves. 0 for none.",
        ),
    ] = _DEFAULT.repeat_every


@dataclass(frozen=True)
class StudyPeople(OptionGroup):
    """How people come to the study, and what they are told."""

    panel = "People"

    enrolment: Annotated[
        str,
        choice(
            ENROLMENTS,
            "How people come to the study: 'invite', by links of mauve study invite; 'external', "
            "from a recruiting platform such as Prolific; 'open', anybody.",
        ),
    ] = _DEFAULT.enrolment
    title: Annotated[str, typer.Option(metavar="TEXT", help="Heading of the page.")] = (
        _DEFAULT.title
    )
    consent: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Text that people agree to, in place of a standard one."),
    ] = None
    completion_code: Annotated[
        str | None,
        typer.Option(
            metavar="CODE", help="Code shown at the end; by default a random one for each person."
        ),
    ] = None
    review_code: Annotated[
        str | None,
        typer.Option(
            metavar="CODE",
            help="Code shown in its place to people whose ratings do not count, for which the "
            "platform holds their work for review; by default the same.",
        ),
    ] = None
    lease_minutes: Annotated[
        float,
        typer.Option(
            metavar="X",
            callback=number("above 0", lambda x: x > 0),
            help="Minutes after which somebody else may be given an unrated item.",
        ),
    ] = _DEFAULT.lease_seconds / 60
    quiet: Quiet = False


@with_flags
def create_command(
    samples: StudyArguments,
    texts: StudyTexts,
    design: StudyDesign,
    quality: StudyQuality,
    people: StudyPeople,
) -> None:
    """Create a study: people will compare the texts of all pairs of systems.

    The defaults are those of the paper. Prints the token of the operator, which opens the
    dashboard; only a hash of it is kept.
    """
    from mauve.study.store.creation import create_study
    from mauve.study.store.people import new_operator_token

    with warnings_as_lines():
        study = create_study(
            samples.study, _settings(texts, design, quality, people), *_sources(samples)
        )
    setup, token = study.setup, new_operator_token(study)
    study.close()
    with printing():
        if people.quiet:
            typer.echo(token)
            return
        console = new_console()
        prompts = format_count(setup["prompts"], "prompt")
        kept = (
            f"{setup['shared']} of them shared, {setup['well_formed']} kept, {setup['used']} used"
        )
        console.print(f"prompts:  {prompts} of human text, {kept}", soft_wrap=True)
        for key, n in setup.items():
            source = key.removeprefix("long_enough:")
            if source != key:
                console.print(f"          {n} texts of {escaped(source)} are long enough")
        n_pairs, n = setup["pairs"], design.ratings_per_pair
        plan = f"{n_pairs * n} ratings, {n} for each of {format_count(n_pairs, 'pair')} of systems"
        console.print(f"plan:     {plan}", soft_wrap=True)
        console.print(f"operator: {token}", soft_wrap=True)


def _settings(
    texts: StudyTexts, design: StudyDesign, quality: StudyQuality, people: StudyPeople
) -> StudySettings:
    consent = _DEFAULT.consent
    if people.consent is not None:
        try:
            consent = people.consent.read_text(encoding="utf-8").strip()
        except UnicodeDecodeError:
            raise typer.BadParameter(
                f"'{escaped(str(people.consent))}' of --consent must be a text in UTF-8."
            ) from None
    return StudySettings(
        **{name: value for name, value in texts.keywords().items() if name != "all_prompts"},
        **design.keywords(),
        **quality.keywords(),
        well_formed=not texts.all_prompts,
        enrolment=people.enrolment,
        title=people.title,
        consent=consent,
        completion_code=people.completion_code,
        review_code=people.review_code,
        lease_seconds=people.lease_minutes * 60,
    )


def _sources(samples: StudyArguments) -> tuple[TextFile, dict[str, Any]]:
    def read(file: InputFile) -> TextFile:
        field = file.field or samples.field
        return read_texts(file.path, field=field, prompt_field=samples.prompt_field)

    systems = {name: read(file) for name, file in named_systems(samples.systems).items()}
    return read(input_file(str(samples.human))), systems
