"""Studies to serve, a client of the application, and the server as a process of its own."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for serving: tests are no package


@pytest.fixture
def study(tmp_path):
    """Return a study of odd texts, open to everybody."""
    from serving import make_study

    made = make_study(tmp_path / "study.sqlite")
    yield made
    made.close()


@pytest.fixture
def visitor(study):
    """Return a function that makes a browser of the study's application, without a page."""
    from serving import Visitor

    visitors = []

    def opened(**options):
        visitors.append(Visitor(study, **options))
        return visitors[-1]

    yield opened
    for each in visitors:
        each.close()


@pytest.fixture
def serve(tmp_path):
    """Return a function that runs ``mauve study serve`` and waits until it answers."""
    from serving import Process

    processes = []

    def started(*options, port=0, location=tmp_path / "study.sqlite"):
        processes.append(Process(location, *options, port=port))
        return processes[-1]

    yield started
    for each in processes:
        each.kill()
