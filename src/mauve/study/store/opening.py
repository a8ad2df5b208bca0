"""Open an existing study, and bring its tables up to date."""

import time
from collections.abc import Callable
from pathlib import Path

from mauve.errors import InvalidParameterError
from mauve.study.store.database import Study, keep_log
from mauve.study.store.migration import check_version, migrate


def open_study(location: str | Path, *, clock: Callable[[], float] = time.time) -> Study:
    """Open the study in a file or a PostgreSQL database.

    Parameters
    ----------
    location : str or Path
        As for :func:`~mauve.study.store.creation.create_study`.
    clock : callable
        Returns the time in seconds since 1970.

    Raises
    ------
    MauveError
        If there is no study, if a newer release has written it, or if the database cannot be used.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mauve.study.store.example import example_study
    >>> with TemporaryDirectory() as folder:
    ...     example_study(f"{folder}/study.sqlite").close()
    ...     with open_study(f"{folder}/study.sqlite") as study:
    ...         study.settings.title
    'Which text is better?'
    """
    study = Study(location, clock)
    # SQLite would make an empty file.
    if study.engine.dialect.name == "sqlite" and not Path(study.name).is_file():
        raise InvalidParameterError(
            f"There is no study '{study.name}': make one with mauve study create."
        )
    try:
        with study.reading() as connection:
            is_old = check_version(connection, study.name)
        if is_old:
            with study.writing() as connection:
                migrate(connection, clock())
        if study.engine.dialect.name == "sqlite":
            keep_log(Path(study.name))  # a copy may have lost it
    except BaseException:
        study.close()
        raise
    return study
