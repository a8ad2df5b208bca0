"""A small experiment, which takes about two seconds, and the modules beside the tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package


@pytest.fixture
def study(tmp_path):
    """Write the config and the texts of a small experiment, and return the config."""
    from small_study import write_study

    return write_study(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Run the small experiment once, and return its config and its folder; do not change them."""
    from small_study import quietly, write_study

    folder = tmp_path_factory.mktemp("finished")
    config = write_study(folder)
    quietly(config, folder / "run")
    return config, folder / "run"
