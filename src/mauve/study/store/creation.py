"""Create a study: read its texts, plan its items, and write all of it or nothing."""

import json
import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from mauve.errors import InvalidParameterError, OutputError
from mauve.study.settings import StudySettings
from mauve.study.store.database import MEMORY, Study, keep_log
from mauve.study.store.migration import applied_migrations, migrate
from mauve.study.store.pairs import AttentionCheck, PlannedPair, plan_checks, plan_pairs
from mauve.study.store.samples import HUMAN, Source, StudyTexts, read_study_texts
from mauve.study.store.schema import CONTINUATION, ITEM, PAIR, PROMPT, STUDY, SYSTEM


def create_study(
    location: str | Path,
    settings: StudySettings,
    human: Source,
    systems: Mapping[str, Source],
    *,
    clock: Callable[[], float] = time.time,
) -> Study:
    """Create a study and open it.

    Parameters
    ----------
    location : str or Path
        A new file for SQLite, or the URL of a PostgreSQL database without a study:
        ``postgresql://user:password@host/name`` (needs the ``postgresql`` extra).
    settings : StudySettings
    human : path, TextFile or sequence of mapping
        Human text: a file, or records, with the fields ``prompt`` and ``text``.
    systems : mapping from name to the same
        Texts of the systems, which continue the same prompts.
    clock : callable
        Returns the time in seconds since 1970.

    Raises
    ------
    InvalidParameterError
        If there is a study already, or if the samples make none. Nothing is written then.

    Examples
    --------
    >>> human = [{"prompt": f"Day {i}:", "text": f" it rained for {i} hours."} for i in range(4)]
    >>> dry = [{"prompt": f"Day {i}:", "text": f" no rain, as on day {i - 1}."} for i in range(4)]
    >>> settings = StudySettings(ratings_per_pair=4, overlap=0, min_tokens=3, well_formed=False)
    >>> study = create_study(":memory:", settings, human, {"dry": dry})
    >>> study.setup["well_formed"]
    4
    """
    is_file = "://" not in str(location) and str(location) != MEMORY
    study = Study(location, clock)
    try:
        _refuse_existing(study, is_file)
        texts = read_study_texts(human, systems, settings)
        plan = plan_pairs(texts, settings), plan_checks(texts, settings)
        if is_file:
            _write_file(Path(location), settings, texts, *plan, now=clock())
        else:
            with study.writing() as connection:
                if applied_migrations(connection):  # another process was quicker
                    raise _exists(study.name)
                _fill(connection, settings, texts, *plan, now=clock())
    except BaseException:
        study.close()
        raise
    return study


def _refuse_existing(study: Study, is_file: bool) -> None:
    if is_file:
        if Path(study.name).exists():
            raise _exists(study.name)
        if not Path(study.name).absolute().parent.is_dir():
            raise InvalidParameterError(
                f"'{study.name}' cannot be written: its folder does not exist. Make the folder "
                "first."
            )
        return
    with study.reading() as connection:
        if applied_migrations(connection):
            raise _exists(study.name)


def _exists(name: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"'{name}' exists already: name another file or database, as a study is never overwritten."
    )


def _write_file(
    path: Path,
    settings: StudySettings,
    texts: StudyTexts,
    pairs: Sequence[PlannedPair],
    checks: Sequence[AttentionCheck],
    now: float,
) -> None:
    """Write a study to a temporary file, and give it its name at the end."""
    unfinished = path.absolute().with_name(f".mauve-{secrets.token_hex(8)}.tmp")
    try:
        # Readable by its owner alone, as are the files that SQLite adds.
        with suppress(FileExistsError):
            os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        keep_log(unfinished)
        study = Study(unfinished)
        with study.writing() as connection:
            _fill(connection, settings, texts, pairs, checks, now)
        study.close()  # the last connection moves the log into the file
        _name_new(unfinished, path)
    except FileExistsError:
        raise _exists(str(path)) from None
    except OSError as error:
        raise OutputError(
            f"'{path}' cannot be written ({error.strerror}): name a file in a folder that you may "
            "write to."
        ) from error
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(f"{unfinished}{ending}").unlink(missing_ok=True)


def _name_new(unfinished: Path, path: Path) -> None:
    """Give a file its name, and fail where a file has it already."""
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError from None
        os.replace(unfinished, path)


def _fill(
    connection: Connection,
    settings: StudySettings,
    texts: StudyTexts,
    pairs: Sequence[PlannedPair],
    checks: Sequence[AttentionCheck],
    now: float,
) -> None:
    """Write all of a study in the transaction of the connection."""
    migrate(connection, now)
    systems = {name: i for i, name in enumerate(texts.continuations, start=1)}
    used = sorted(
        {prompt for pair in pairs for prompt, _ in pair.items} | {c.prompt for c in checks}
    )
    setup = {**texts.setup, "used": len(used), "pairs": len(pairs), "checks": len(checks)}
    _insert(
        connection,
        STUDY,
        [{"id": 1, "settings": settings.to_json(), "setup": json.dumps(setup), "is_paused": False,
          "created_at": now}],
    )  # fmt: skip
    _insert(connection, SYSTEM, [{"id": i, "name": name} for name, i in systems.items()])
    _insert(connection, PROMPT, [{"id": i + 1, "text": texts.prompts[i]} for i in used])
    rows, ids = _continuations(texts, used, systems)
    shuffled = len(rows)
    rows += [
        {"id": shuffled + i, "prompt_id": check.prompt + 1, "system_id": None,
         "text": check.shuffled, "n_tokens": None}
        for i, check in enumerate(checks, start=1)
    ]  # fmt: skip
    _insert(connection, CONTINUATION, rows)
    _insert(
        connection,
        PAIR,
        [
            {"id": i, "system_a": systems[pair.a], "system_b": systems[pair.b],
             "target": settings.ratings_per_pair, "n_valid": 0}
            for i, pair in enumerate(pairs, start=1)
        ],
    )  # fmt: skip
    items = [
        _item(i, prompt, ids[pair.a, prompt], ids[pair.b, prompt], target)
        for i, pair in enumerate(pairs, start=1)
        for prompt, target in pair.items
    ]
    items += [
        _item(None, check.prompt, ids[HUMAN, check.prompt], shuffled + i, 0)
        for i, check in enumerate(checks, start=1)
    ]
    _insert(connection, ITEM, [{"id": i, **item} for i, item in enumerate(items, start=1)])


def _continuations(
    texts: StudyTexts, used: Sequence[int], systems: Mapping[str, int]
) -> tuple[list[dict[str, Any]], dict[tuple[str, int], int]]:
    """Return the rows of the continuations of used prompts, and their ids."""
    rows: list[dict[str, Any]] = []
    ids: dict[tuple[str, int], int] = {}
    for name, continuations in texts.continuations.items():
        for prompt in used:
            if prompt in continuations:
                ids[name, prompt] = len(rows) + 1
                rows.append(
                    {"id": len(rows) + 1, "prompt_id": prompt + 1, "system_id": systems[name],
                     "text": continuations[prompt].text, "n_tokens": continuations[prompt].n_tokens}
                )  # fmt: skip
    return rows, ids


def _item(pair: int | None, prompt: int, a: int, b: int, target: int) -> dict[str, Any]:
    return {"pair_id": pair, "prompt_id": prompt + 1, "text_a": a, "text_b": b, "target": target,
            "n_valid": 0}  # fmt: skip


def _insert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    if rows:
        connection.execute(sa.insert(table), [*rows])
