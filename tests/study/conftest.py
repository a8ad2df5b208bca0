"""A PostgreSQL server for the tests of the store and of the server."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "store"))  # for clusters: tests are no package


@pytest.fixture(scope="session")
def new_postgresql():
    """Return a function that returns the URL of a new database."""
    from clusters import found, postgresql_server

    if found("initdb") is None:
        pytest.skip("needs the server of PostgreSQL: apt-get install postgresql")
    with postgresql_server() as new_database:
        yield new_database
