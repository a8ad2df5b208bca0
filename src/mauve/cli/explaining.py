"""Options of the commands that explain, what they know of texts, and the report."""

from pathlib import Path
from typing import Annotated, Any

import typer

from mauve.cli.samples import Files
from mauve.cli.terminal import say
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.explanation.results import Explanation
from mauve.lm.remembered import RememberedScorer
from mauve.lm.scorer import get_scorer
from mauve.measures.protocol import Need
from mauve.measures.registry import get_measures

_REPORT_MEASURES = "zipf,repetition,distinct-4,self-bleu"  # and what features take
_ALL_NEEDS: set[Need] = {
    "texts", "tokens", "log_probabilities", "features", "model", "training",
}  # fmt: skip


def _checked_report(path: Path | None) -> Path | None:
    return _ending_in(".html", path)


def _ending_in(suffix: str, path: Path | None) -> Path | None:
    if path is not None and path.suffix.lower() != suffix:
        raise typer.BadParameter(f"'{escaped(str(path))}' must end in {suffix}.")
    return path


def _checked_texts(path: Path | None) -> Path | None:
    return _ending_in(".jsonl", path)


Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=_checked_report,
        help="Write a report to a .html file: scores, pictures, clusters and texts in one page.",
    ),
]
Texts = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        callback=_checked_texts,
        help="Write what every text adds to the gap to a .jsonl file, one text a line.",
    ),
]
MetadataFields = Annotated[
    str | None,
    typer.Option(
        "--metadata",
        metavar="FIELDS",
        help="Fields of the files that say where a text is from or what it is about, with commas "
        "between them, to see which clusters they dominate; or 'none'. By default all that have "
        "short strings or whole numbers.",
    ),
]


def chosen_metadata(files: Files, asked: str | None) -> dict[str, dict[str, list[Any]]]:
    """Return the fields that `--metadata` asks for, by sample.

    Examples
    --------
    >>> read = {"human": {"site": ["a.org"], "year": [1999]}, "model": {"site": ["b.org"]}}
    >>> files = Files([], {}, None, True, read, ("score",))
    >>> chosen_metadata(files, "site")
    {'human': {'site': ['a.org']}, 'model': {'site': ['b.org']}}
    """
    if asked is None:
        # A field that can be read in some of the files only would look as if it were missing.
        wanted = [field for field in _fields(files) if field not in files.unread]
    elif asked.strip().lower() == "none":
        return {}
    else:
        wanted = [field.strip() for field in asked.split(",")]
    for field in wanted:
        if field in files.unread:
            raise InvalidParameterError(
                f"The field '{field}' of --metadata must have strings of up to 200 characters or "
                "whole numbers in all files: leave it out."
            )
        if field not in _fields(files):
            known = listed([name for name in _fields(files) if name not in files.unread])
            raise InvalidParameterError(
                f"'{field}' of --metadata must be a field of the files. "
                + (f"They have {known}." if known else "They have none that can be used.")
            )
    return {
        name: {field: own[field] for field in wanted if field in own}
        for name, own in files.metadata.items()
    }


def _fields(files: Files) -> list[str]:
    return list(dict.fromkeys(field for own in files.metadata.values() for field in own))


def say_left_out(files: Files, explanation: Explanation, asked: str | None) -> None:
    """Say once which fields of the files are not used, and why."""
    reasons = dict(explanation.fields_left_out)
    if asked is None:
        unread = "not all values are short strings or whole numbers"
        reasons |= dict.fromkeys(files.unread, unread)
    if reasons:
        shown = [f"{escaped(field)} ({reason})" for field, reason in reasons.items()]
        say("note", f"fields that are not used as metadata: {listed(shown)}")


def report_measures(*, is_text: bool) -> str:
    """Return what a report measures unless something else is asked for: what is quick."""
    return f"{_REPORT_MEASURES},frechet" if is_text else "frechet"


def remembered_scorer(language_model: str, device: str) -> RememberedScorer:
    """Return a language model for measures and explanation, which reads the texts once."""
    return RememberedScorer(get_scorer(language_model, device=device))


def asks_for_perplexity(measures: str) -> bool:
    """Return whether a language model is to read the texts.

    Examples
    --------
    >>> asks_for_perplexity("zipf,default"), asks_for_perplexity("text")
    (True, False)
    """
    return any("log_probabilities" in own.needs for own in get_measures(measures, _ALL_NEEDS))
