"""Databases for the tests of the store: a file, and a PostgreSQL server that is started here."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for clusters and annotating: no package


@pytest.fixture(scope="session")
def new_postgresql():
    """Return a function that returns the URL of a new database."""
    from clusters import found, postgresql_server

    if found("initdb") is None:
        pytest.skip("needs the server of PostgreSQL: apt-get install postgresql")
    with postgresql_server() as new_database:
        yield new_database


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path):
    """Return where a study can be created: in a file, or in PostgreSQL."""
    if request.param == "sqlite":
        return tmp_path / "study.sqlite"
    return request.getfixturevalue("new_postgresql")()


@pytest.fixture
def opened():
    """Return a function that keeps a study, to close it after the test."""
    studies = []

    def keep(study):
        studies.append(study)
        return study

    yield keep
    for study in studies:
        study.close()
