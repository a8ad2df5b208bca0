"""Formats of rating files: the columns of the paper's authors, a long table, and JSON lines."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed, shortened
from mauve.study.ratings import DEFINITELY_A, DEFINITELY_B, QUESTIONS, Rating, Ratings

#: How each format writes the five choices, from 1 to 5. The authors' file has 1a for ties too.
CODES: Final = ("2a", "1a", "tie", "1b", "2b")
#: The question of a table that has no column for it.
ONLY_QUESTION: Final = "choice"
FORMATS: Final = ("authors", "long", "jsonl")

_READ: Final = {code: number for number, code in enumerate(CODES, 1)} | {
    "a": 2,  # preferred, to no degree that was asked for
    "b": 4,
    "0": 3,
}
_AUTHORS: Final = (
    "HITId", "WorkerId", "WorkTimeInSeconds", "Input.idx", "Input.ctx", "Input.model_a",
    "Input.completiona", "Input.len_a", "Input.model_b", "Input.completionb", "Input.len_b",
    "Answer.q1", "Answer.q2", "Answer.q3", "Answer.te",
)  # fmt: skip
_AUTHORS_NEEDED: Final = (
    "WorkerId", "Input.idx", "Input.model_a", "Input.model_b", "Answer.q1", "Answer.q2",
    "Answer.q3",
)  # fmt: skip
_LONG_NEEDED: Final = ("item", "system_a", "system_b", "annotator", "choice")
_TRUE_FALSE: Final = {"true": True, "false": False, "1": True, "0": False, "": True}
_TEXTS: Final = ("hit", "context", "text_a", "text_b", "comment")
_SECONDS: Final = ("active_seconds", "wall_seconds")
_LENGTHS: Final = ("length_a", "length_b")

Cells = Mapping[str, str]


@dataclass(frozen=True)
class Place:
    """Where a rating stands, for messages: ``Line 3 of 'ratings.csv'``."""

    line: int
    file: str

    def error(self, rule: str, got: object = None) -> InvalidParameterError:
        """Return an error that names the place, the rule and the value."""
        value = "" if got is None else f" Got '{escaped(shortened(str(got)))}' instead."
        return InvalidParameterError(f"Line {self.line} of {self.file} must {rule}.{value}")


def csv_format(header: Iterable[str], file: str) -> str:
    """Return the format of a CSV file by its header, or raise.

    Examples
    --------
    >>> csv_format(["item", "system_a", "system_b", "annotator", "choice"], "'ratings.csv'")
    'long'
    """
    columns = set(header)
    kind = "authors" if any(c.startswith(("Input.", "Answer.")) for c in columns) else "long"
    needed = _AUTHORS_NEEDED if kind == "authors" else _LONG_NEEDED
    missing = [name for name in needed if name not in columns]
    if missing:
        raise InvalidParameterError(
            f"{file} must have the columns {listed(needed)}. It has no {listed(missing)}: name "
            "them in the first line, or write JSON lines."
        )
    return kind


def from_authors(rows: Iterable[tuple[Place, Cells]]) -> Iterator[Rating]:
    """Read the rows of a file with the columns of the paper's authors.

    Answer.te is the time that the authors estimate a person took, and becomes the active time;
    WorkTimeInSeconds is how long the task was open. The authors' own file writes 1a for a tie
    and for a slight preference of A; files written by this package write "tie".
    """
    for place, cells in rows:
        yield Rating(
            item=_name(cells, "Input.idx", place),
            annotator=_name(cells, "WorkerId", place),
            system_a=_name(cells, "Input.model_a", place),
            system_b=_name(cells, "Input.model_b", place),
            choices=tuple(_choice(cells[f"Answer.q{i}"], place) for i in (1, 2, 3)),
            active_seconds=_number(cells.get("Answer.te"), "Answer.te", place),
            wall_seconds=_number(cells.get("WorkTimeInSeconds"), "WorkTimeInSeconds", place),
            valid=_flag(cells.get("valid", ""), "valid", place),
            repeat=_flag(cells.get("repeat", "false"), "repeat", place),
            hit=cells.get("HITId", ""),
            context=cells.get("Input.ctx", ""),
            text_a=cells.get("Input.completiona", ""),
            text_b=cells.get("Input.completionb", ""),
            length_a=_length(cells.get("Input.len_a"), "Input.len_a", place),
            length_b=_length(cells.get("Input.len_b"), "Input.len_b", place),
            comment=cells.get("comment", ""),
        )


def to_authors(ratings: Ratings) -> tuple[list[str], list[list[str]]]:
    """Return header and rows with the columns of the paper's authors, ties written apart.

    Columns for what their file has not (valid, repeat, comment) follow where they say something.
    """
    if len(ratings.questions) != len(QUESTIONS):
        raise InvalidParameterError(
            f"The authors' format has three questions. {ratings.called} must have as many. Got "
            f"{listed(ratings.questions)} instead: write the long format or JSON lines."
        )
    extra = _extra_columns(ratings, ("valid", "repeat", "comment"))
    rows = [
        [
            row.hit, row.annotator, _written(row.wall_seconds), row.item, row.context,
            row.system_a, row.text_a, _written(row.length_a),
            row.system_b, row.text_b, _written(row.length_b),
            *map(_code, row.choices), _written(row.active_seconds),
            *(_written(getattr(row, name)) for name in extra),
        ]
        for row in ratings.rows
    ]  # fmt: skip
    return [*_AUTHORS, *extra], rows


def from_long(rows: Iterable[tuple[Place, Cells]]) -> tuple[list[Rating], tuple[str, ...]]:
    """Read the rows of a long table, one for each answer; return ratings and questions.

    Rows of one annotator, item and pair that answer different questions are one rating.
    """
    answers: dict[tuple[str, ...], list[dict[str, int | None]]] = {}
    firsts: dict[tuple[tuple[str, ...], int], Rating] = {}
    questions: dict[str, None] = {}
    for place, cells in rows:
        question = cells.get("question", "") or ONLY_QUESTION
        questions[question] = None
        choice = _choice(cells["choice"], place)
        fields: dict[str, Any] = {
            **_who_and_what(cells, place),
            **{name: _number(cells.get(name), name, place) for name in _SECONDS},
        }
        row = Rating(choices=(), **fields)
        key = (row.item, row.annotator, row.system_a, row.system_b, str(row.repeat))
        of_key = answers.setdefault(key, [])
        # The first rating of these people and texts that has no answer to the question yet.
        number = next((i for i, given in enumerate(of_key) if question not in given), len(of_key))
        if number == len(of_key):
            of_key.append({})
            firsts[key, number] = row
        elif firsts[key, number] != row:
            raise place.error(
                "have the same times and marks as the other answers of the same rating"
            )
        of_key[number][question] = choice
    ratings = [
        replace(row, choices=tuple(answers[key][number].get(q) for q in questions))
        for (key, number), row in firsts.items()
    ]
    return ratings, tuple(questions) or (ONLY_QUESTION,)


def to_long(ratings: Ratings) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of a long table; it has no texts and no comments.

    The choices are a, b and tie if no one was sure, as where only three were offered.
    """
    is_one = ratings.questions == (ONLY_QUESTION,)
    extra = _extra_columns(ratings, ("active_seconds", "wall_seconds", "valid", "repeat"))
    given = {choice for row in ratings.rows for choice in row.choices}
    has_degrees = bool(given & {DEFINITELY_A, DEFINITELY_B})
    header = ["item", "system_a", "system_b", "annotator"]
    header += [*([] if is_one else ["question"]), "choice", *extra]
    rows = [
        [
            row.item,
            row.system_a,
            row.system_b,
            row.annotator,
            *([] if is_one else [question]),
            _code(choice) if has_degrees else _code(choice).removeprefix("1"),
            *(_written(getattr(row, name)) for name in extra),
        ]
        for row in ratings.rows
        for question, choice in zip(ratings.questions, row.choices, strict=True)
    ]
    return header, rows


def from_json(value: object, place: Place) -> tuple[Rating, tuple[str, ...]]:
    """Read one JSON object; return the rating and its questions.

    Examples
    --------
    >>> rating, questions = from_json(
    ...     {"item": "7", "annotator": "ann", "system_a": "a", "system_b": "b",
    ...      "choices": {"better": "1b"}}, Place(1, "'ratings.jsonl'"))
    >>> rating.choices, questions
    ((4,), ('better',))
    """
    if not isinstance(value, dict):
        raise place.error("be a JSON object with a rating", json.dumps(value))
    choices = value.get("choices")
    if not isinstance(choices, dict) or not choices:
        raise place.error('have "choices", an object from question to choice')
    known = {"item", "annotator", "system_a", "system_b", "choices", "valid", "repeat"}
    known |= {*_TEXTS, *_SECONDS, *_LENGTHS}
    if unknown := [name for name in value if name not in known]:
        raise place.error(f"have the fields {listed(sorted(known))} only", listed(unknown))
    cells = {
        name: "" if part is None else part if isinstance(part, str) else json.dumps(part)
        for name, part in value.items()
        if name != "choices"
    }
    fields: dict[str, Any] = {
        **_who_and_what(cells, place),
        **{name: _number(cells.get(name), name, place) for name in _SECONDS},
        **{name: _length(cells.get(name), name, place) for name in _LENGTHS},
        **{name: cells.get(name, "") for name in _TEXTS},
        "choices": tuple(_choice("" if c is None else str(c), place) for c in choices.values()),
    }
    rating = Rating(**fields)
    return rating, tuple(choices)


def to_json(rating: Rating, questions: tuple[str, ...]) -> dict[str, Any]:
    """Return a rating as JSON has it, without what is empty."""
    record: dict[str, Any] = {
        "item": rating.item,
        "annotator": rating.annotator,
        "system_a": rating.system_a,
        "system_b": rating.system_b,
        "choices": {
            question: _code(choice) or None
            for question, choice in zip(questions, rating.choices, strict=True)
        },
    }
    plain = Rating("i", "p", "a", "b", ())
    for name in ("valid", "repeat", *_SECONDS, *_LENGTHS, *_TEXTS):
        if getattr(rating, name) != getattr(plain, name):
            record[name] = getattr(rating, name)
    return record


def _extra_columns(ratings: Ratings, names: Iterable[str]) -> list[str]:
    """Return those of the columns in which some rating differs from what is assumed without."""
    plain = Rating("i", "p", "a", "b", ())
    return [
        name
        for name in names
        if any(getattr(row, name) != getattr(plain, name) for row in ratings.rows)
    ]


def _who_and_what(cells: Cells, place: Place) -> dict[str, Any]:
    """Return the fields of a rating that the long table and JSON lines share."""
    names = ("item", "annotator", "system_a", "system_b")
    return {
        **{name: _name(cells, name, place) for name in names},
        "valid": _flag(cells.get("valid", ""), "valid", place),
        "repeat": _flag(cells.get("repeat", "false"), "repeat", place),
    }


def _name(cells: Cells, column: str, place: Place) -> str:
    if not cells.get(column, ""):
        raise place.error(f"have a value for {column}. It has none")
    return cells[column]


def _choice(text: str, place: Place) -> int | None:
    plain = text.strip().lower()
    if not plain:
        return None
    if plain not in _READ:
        raise place.error(f"have one of the choices {', '.join(CODES)}, a, b, or none", text)
    return _READ[plain]


def _code(choice: int | None) -> str:
    return "" if choice is None else CODES[choice - 1]


def _number(text: str | None, column: str, place: Place) -> float | None:
    if text is None or not text.strip():
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise place.error(f"have a finite number of at least 0 for {column}, or none", text)
    return number


def _length(text: str | None, column: str, place: Place) -> int | None:
    number = _number(text, column, place)
    if number is not None and number != int(number):
        raise place.error(f"have a whole number for {column}, or none", text)
    return None if number is None else int(number)


def _flag(text: str, column: str, place: Place) -> bool:
    if text.strip().lower() not in _TRUE_FALSE:
        raise place.error(f"have true or false for {column}", text)
    return _TRUE_FALSE[text.strip().lower()]


def _written(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    # The shortest text that is read as the same number: no rating moves across a limit of time.
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)
