"""Read and write files of ratings: read_ratings and write_ratings."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError, bad_parameter, warn_caller
from mauve.escape import escaped, listed
from mauve.formatting import format_count
from mauve.study.rating_formats import (
    FORMATS,
    Cells,
    Place,
    csv_format,
    from_authors,
    from_json,
    from_long,
    to_authors,
    to_json,
    to_long,
)
from mauve.study.ratings import QUESTIONS, Rating, Ratings
from mauve.text.files import check_path, open_text, read_lines, text_kind
from mauve.text.formats import next_row

_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson")


def is_ratings_file(path: str | Path) -> bool:
    """Return whether a name ends as a file of ratings does.

    Examples
    --------
    >>> is_ratings_file("ratings.csv.gz"), is_ratings_file("study.sqlite")
    (True, False)
    """
    return text_kind(path) in _SUFFIXES


def read_ratings(path: str | Path) -> Ratings:
    r"""Read a file of ratings.

    Parameters
    ----------
    path : str or Path
        A ``.csv`` or ``.tsv`` file with the columns of the paper's authors or a long table, or
        a ``.jsonl`` file; each may be compressed. The header says which columns there are.

    Returns
    -------
    Ratings
        A second rating of the same two texts by the same person is marked as a repeat, with a
        warning.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "ratings.csv")
    ...     _ = path.write_text("item,system_a,system_b,annotator,choice\n1,human,xl,ann,a\n")
    ...     ratings = read_ratings(path)
    >>> ratings.systems, ratings.questions, ratings.rows[0].choices
    (('human', 'xl'), ('choice',), (2,))
    """
    check_path(path)
    kind, name = text_kind(path), f"'{escaped(str(path))}'"
    if kind not in _SUFFIXES:
        raise InvalidParameterError(
            f"{name} must be a file of ratings that ends in {', '.join(_SUFFIXES)}, or one of "
            "these with .gz, .bz2 or .xz."
        )
    with open_text(path, name) as file:
        lines = read_lines(file, name)
        if kind in (".jsonl", ".ndjson"):
            rows, questions = _from_json_lines(lines, name)
        else:
            rows, questions = _from_csv(lines, name, "\t" if kind == ".tsv" else ",")
    if not rows:
        raise InvalidParameterError(f"{name} must hold at least one rating. It holds none.")
    return Ratings(tuple(_with_repeats_marked(rows, name)), questions, str(path))


def write_ratings(ratings: Ratings, path: str | Path, format: str | None = None) -> None:
    """Write ratings to a file, atomically.

    Parameters
    ----------
    ratings : Ratings
    path : str or Path
    format : {"authors", "long", "jsonl"}, optional
        By default JSON lines if the file ends in ``.jsonl``, and the long table otherwise. JSON
        lines keep all; the authors' columns have no names of questions, and the long table no
        texts.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "ratings.csv")
    ...     write_ratings(Ratings((Rating("1", "ann", "human", "xl", (3,)),), ("choice",)), path)
    ...     print(path.read_text().strip())
    item,system_a,system_b,annotator,choice
    1,human,xl,ann,tie
    """
    path = Path(path)
    if format is None:
        format = "jsonl" if text_kind(path) in (".jsonl", ".ndjson") else "long"
    if format not in FORMATS:
        raise bad_parameter("format", f"one of {', '.join(map(repr, FORMATS))}", format)
    text = _json_text(ratings) if format == "jsonl" else _csv_text(ratings, format)
    with atomic_write(path) as file:
        file.write(text.encode("utf-8"))


def _from_json_lines(
    lines: Iterator[tuple[int, str]], name: str
) -> tuple[list[Rating], tuple[str, ...]]:
    rows: list[Rating] = []
    questions: tuple[str, ...] = ()
    for number, line in lines:
        if line.isspace():
            continue
        place = Place(number, name)
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise place.error("be a JSON object with a rating", line.strip()) from error
        row, asked = from_json(value, place)
        questions = questions or asked
        if set(asked) != set(questions):
            raise place.error(f"answer the questions {listed(questions)}, or null", listed(asked))
        by_question = dict(zip(asked, row.choices, strict=True))
        rows.append(replace(row, choices=tuple(by_question[q] for q in questions)))
    return rows, questions


def _from_csv(
    lines: Iterator[tuple[int, str]], name: str, separator: str
) -> tuple[list[Rating], tuple[str, ...]]:
    # strict: no half-read quotes
    reader = csv.reader((line for _, line in lines), delimiter=separator, strict=True)
    header: Sequence[str] = next_row(reader) or []
    format = csv_format(header, name)
    if len(set(header)) < len(header):
        raise InvalidParameterError(f"{name} must have columns of different names in its header.")

    def cells() -> Iterator[tuple[Place, Cells]]:
        try:
            while (row := next_row(reader)) is not None:
                if not row:  # a blank line
                    continue
                place = Place(reader.line_num, name)
                if len(row) != len(header):
                    raise place.error(f"have {len(header)} columns, as the header has", len(row))
                yield place, dict(zip(header, row, strict=True))
        except csv.Error as error:
            raise Place(reader.line_num, name).error(f"be CSV ({error})") from error

    if format == "authors":
        return list(from_authors(cells())), QUESTIONS
    return from_long(cells())


def _with_repeats_marked(rows: list[Rating], name: str) -> Iterator[Rating]:
    seen: set[tuple[str, str, tuple[str, str]]] = set()
    n_repeats = 0
    for row in rows:
        key = (row.annotator, row.item, row.pair)
        if key in seen and not row.repeat:
            n_repeats += 1
            row = replace(row, repeat=True)
        if not row.repeat:
            seen.add(key)
        yield row
    if n_repeats:
        warn_caller(
            f"{format_count(n_repeats, 'rating')} of {name} are by annotators who rated the same "
            "two texts before: the first counts, the others are kept as repeats."
        )


def _json_text(ratings: Ratings) -> str:
    records = (to_json(row, ratings.questions) for row in ratings.rows)
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _csv_text(ratings: Ratings, format: str) -> str:
    header, rows = to_authors(ratings) if format == "authors" else to_long(ratings)
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
