"""Data frames, and what is said without pandas."""

import subprocess
import sys

import pytest

from mauve.frames import make_frame

# The search path of this interpreter, without one package.
SCRIPT = """
import importlib.machinery, sys
finder = importlib.machinery.PathFinder
class WithoutPandas:
    find_distributions = finder.find_distributions
    @staticmethod
    def find_spec(name, path=None, target=None):
        return None if name == "pandas" else finder.find_spec(name, path, target)
sys.meta_path = [f for f in sys.meta_path if f is not finder] + [WithoutPandas]
from mauve.frames import make_frame
make_frame([{"system": "a"}])
"""


def test_columns_keep_their_order_and_have_types():
    frame = make_frame([{"system": "a", "n": 3, "p_value": None}, {"system": "b", "n": 4}])
    assert [*frame] == ["system", "n", "p_value"]
    assert frame["n"].dtype == "int64"
    assert frame["p_value"].dtype == "float64"
    assert frame["p_value"].isna().all()


@pytest.mark.slow
def test_the_missing_extra_is_named():
    run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert run.stderr.splitlines()[-1] == (
        "mauve.errors.MissingExtraError: A data frame needs pandas, which is not installed: "
        'pip install "mauve-eval[pandas]".'
    )
