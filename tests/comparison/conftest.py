import sys
from pathlib import Path

import pytest

from mauve import compare

sys.path.insert(0, str(Path(__file__).parent))  # for modules beside the tests, which are no package

from ranked_clouds import QUICK, clouds


@pytest.fixture(scope="module")
def comparison():
    return compare(*clouds(0), **QUICK)


@pytest.fixture(scope="module")
def untested():
    return compare(*clouds(0), **{**QUICK, "n_permutations": 0})
