"""Connect to the database of a study, SQLite or PostgreSQL, with one writer at a time."""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine

from mauve.errors import MauveError, bad_parameter, need_packages
from mauve.study.settings import StudySettings
from mauve.study.store.schema import STUDY

MEMORY = ":memory:"

_BUSY_MS = 30_000  # how long SQLite waits for a writer of another process
_LOCK_KEY = 0x6D617576  # of the advisory lock that writers take in PostgreSQL
_POOL = 20  # connections that one process keeps
_SETTINGS = sa.select(STUDY.c.settings)
_ADVISORY_LOCK = sa.select(sa.func.pg_advisory_xact_lock(_LOCK_KEY))
_NO_RIGHT = "use a role of PostgreSQL that may read and write its tables"
_NOT_ALONE = "name a database that holds nothing else"
#: Remedies for conditions of PostgreSQL that are no mistake in the SQL, by their SQLSTATE.
_REMEDIES = {
    "42501": _NO_RIGHT,
    "25006": _NO_RIGHT,  # read-only
    "42703": _NOT_ALONE,  # tables of another program, with columns of its own
    "42P07": _NOT_ALONE,
}
_POSTGRESQL = ("postgresql", "postgres", "postgresql+psycopg")


class UnusableStudyError(MauveError):
    """The database of a study cannot be read or written."""


class Study:
    """A study in its database; made by ``create_study`` and ``open_study``.

    Threads may share it. Every function of the store is one transaction; those that write run one
    after the other, which keeps every count exact and costs little, as each is short. As a
    context manager, a study is closed at the end of the block.

    Parameters
    ----------
    location : str or Path
        A file for SQLite, ``":memory:"``, or the URL of a PostgreSQL database,
        ``postgresql://user:password@host/name`` (needs the ``postgresql`` extra).
    clock : callable
        Returns the time in seconds since 1970.

    Attributes
    ----------
    name : str
        The location, without the password of a URL.

    Examples
    --------
    >>> from mauve.study.store.example import example_study
    >>> study = example_study(ratings_per_pair=4)
    >>> study, study.settings.ratings_per_pair, study.is_paused
    (Study(':memory:'), 4, False)
    """

    def __init__(self, location: str | Path, clock: Callable[[], float] = time.time) -> None:
        url = _url(location)
        self.name = url.database or MEMORY
        if url.drivername != "sqlite":
            self.name = url.set(drivername="postgresql").render_as_string(hide_password=True)
        self.is_memory = url.database == MEMORY
        self.clock = clock
        self.engine = _engine(url, self.is_memory)
        self._writer = threading.RLock()

    def __repr__(self) -> str:
        return f"Study({self.name!r})"

    @property
    def settings(self) -> StudySettings:
        """The settings, as they are now."""
        with self.reading() as connection:
            return settings_of(connection)

    @property
    def setup(self) -> dict[str, int]:
        """How many prompts were read, shared, well-formed and used when the study was made."""
        with self.reading() as connection:
            text = connection.execute(sa.select(STUDY.c.setup)).scalar_one()
        return dict(json.loads(text))

    @property
    def is_paused(self) -> bool:
        """Whether the operator has paused the study."""
        with self.reading() as connection:
            return bool(connection.execute(sa.select(STUDY.c.is_paused)).scalar_one())

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection that sees one state of the database and changes nothing."""
        # The one connection of a database in memory must not see half of a transaction.
        lock = self._writer if self.is_memory else nullcontext()
        with _errors_of(self), lock, self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that no other one overlaps; an error in the block undoes it."""
        # Threads of this process queue here: SQLite would have each sleep and try again.
        with _errors_of(self), self._writer, self.engine.connect() as connection:
            connection = connection.execution_options(is_writing=True)
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.execute(_ADVISORY_LOCK)
                yield connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; a study that is used again opens new ones."""
        self.engine.dispose()


def keep_log(path: Path) -> None:
    """Have SQLite write a study to a log first, so that nobody who reads waits for a writer.

    The file remembers it. Not to be done to a file that may be somebody else's.
    """
    with closing(sqlite3.connect(path)) as connection, suppress(sqlite3.OperationalError):
        # Without it, in a file that cannot be written or is in use, all works but is slower.
        connection.execute("PRAGMA journal_mode = WAL")


def settings_of(connection: Connection) -> StudySettings:
    """Return the settings within a transaction."""
    return _parsed(connection.execute(_SETTINGS).scalar_one())


@lru_cache(maxsize=16)
def _parsed(settings: str) -> StudySettings:
    return StudySettings.from_json(settings)


def _url(location: str | Path) -> URL:
    text = str(location)
    scheme, separator, _ = text.partition("://")
    if not separator:
        if not text or Path(text).is_dir():
            raise bad_parameter("location", "a file or the URL of a PostgreSQL database", text)
        return URL.create("sqlite", database=text)
    if scheme not in _POSTGRESQL:
        rule = "a file, or a URL that begins with postgresql://"
        raise bad_parameter("location", rule, f"{scheme}://...")
    need_packages("A study in PostgreSQL", ["psycopg"], "postgresql")
    try:
        return sa.make_url(text).set(drivername="postgresql+psycopg")
    except (sa.exc.ArgumentError, ValueError):
        # The text may hold a password, so that no message shows it.
        rule = "a URL such as postgresql://user:password@host:5432/name"
        raise bad_parameter("location", rule, f"{scheme}://...") from None


def _engine(url: URL, is_memory: bool) -> Engine:
    if url.drivername != "sqlite":
        return sa.create_engine(url, pool_size=_POOL, max_overflow=0, pool_pre_ping=True)
    if is_memory:
        from sqlalchemy.pool import StaticPool

        engine = sa.create_engine(
            url, poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
    else:
        engine = sa.create_engine(url, pool_size=_POOL, max_overflow=0)
    sa.event.listen(engine, "connect", _set_up_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy begins them
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    # What is acknowledged outlives a power cut, not only the end of the process.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads before it writes would fail where another has written meanwhile.
    is_writing = connection.get_execution_options().get("is_writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")


@contextmanager
def _errors_of(study: Study) -> Iterator[None]:
    """Turn errors of the database itself into one sentence; those of SQL are bugs."""
    try:
        yield
    except (sa.exc.OperationalError, sa.exc.TimeoutError) as error:
        cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise UnusableStudyError(
            f"The study '{study.name}' cannot be used ({cause}): check that the database is there "
            "and can be written."
        ) from error
    except sa.exc.DatabaseError as error:
        condition = getattr(error.orig, "sqlstate", None)
        if condition in _REMEDIES:
            cause = str(error.orig).strip().splitlines()[0]
            raise UnusableStudyError(
                f"The study '{study.name}' cannot be used ({cause}): {_REMEDIES[condition]}."
            ) from error
        if "not a database" not in str(error.orig) and "malformed" not in str(error.orig):
            raise
        raise UnusableStudyError(
            f"The study '{study.name}' cannot be used ({error.orig}): name a file that mauve "
            "study create has made, or restore it from a copy."
        ) from error
