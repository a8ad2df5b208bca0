"""Start a PostgreSQL server of one's own, which ends and disappears with the tests."""

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def postgresql_server():
    """Yield a function that returns the URL of a new, empty database.

    The server listens on a socket in a folder that only its user can enter, and on no port. It
    refuses to run as root, so that root runs it as another user.
    """
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="mauve-pg-", dir="/tmp"))  # sockets have short paths
    data, log = folder / "data", folder / "log"
    try:
        if user is not None:
            os.chown(folder, pwd.getpwnam(user).pw_uid, pwd.getpwnam(user).pw_gid)
        options = "-A trust -U mauve -E UTF8 --locale=C --no-sync"
        _run(user, "initdb", "-D", data, *options.split())
        _run(user, "pg_ctl", "-D", data, "-l", log, "-w", "-o",
             f"-k {folder} -c listen_addresses=''", "start")  # fmt: skip
        try:
            yield _Databases(folder)
        finally:
            _run(user, "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Databases:
    def __init__(self, folder):
        self.folder, self.n = folder, 0

    def __call__(self):
        import psycopg

        self.n += 1
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE study{self.n}")
        return self._url(f"study{self.n}")

    def _url(self, database):
        return f"postgresql://mauve@/{database}?host={self.folder}"


def _user():
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def found(program):
    """Return the path of a program of PostgreSQL, or None; Debian keeps them out of PATH."""
    return shutil.which(program) or max(
        glob.glob(f"/usr/lib/postgresql/*/bin/{program}"), default=None
    )


def _run(user, program, *arguments):
    who = {} if user is None else {"user": user, "group": pwd.getpwnam(user).pw_gid}
    done = subprocess.run(
        [found(program), *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,  # a pipe would stay open with the server
        stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL,
        cwd="/",
        **who,
    )
    assert done.returncode == 0, done.stderr
