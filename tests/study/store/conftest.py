"""Databases for the tests of the store: a file, or one in PostgreSQL."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for annotating: tests are no package


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
