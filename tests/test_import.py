"""Importing the package is light and gives the public names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import mauve

SCRIPT = "import json, sys, mauve; print(json.dumps(sorted(sys.modules)))"


def test_optional_and_slow_packages_stay_out():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, check=True
    )
    loaded = set(json.loads(run.stdout))
    unwanted = {
        "torch",
        "accelerate",
        "matplotlib",
        "httpx2",
        "tenacity",
        "transformers",
        "sklearn",
        "pandas",
        "scipy.stats",
        "scipy.special",
        "scipy.sparse",
        "scipy.optimize",
        "onnxruntime",
        "tokenizers",
        "sentence_transformers",
        "pyarrow",
        "typer",
        "rich",
        "jinja2",
        "markupsafe",
    }
    assert "mauve.comparison.run" in loaded
    assert not unwanted & loaded


def test_public_names_exist_and_come_from_this_package():
    assert set(mauve.__all__) >= {
        "Comparison",
        "Difference",
        "InvalidParameterError",
        "MauveError",
        "MauveResult",
        "MauveWarning",
        "MissingExtraError",
        "PaperResult",
        "compare",
        "compute_mauve",
        "difference",
        "report",
    }
    for name in mauve.__all__:
        assert getattr(mauve, name).__module__.startswith("mauve.")


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert mauve.__version__ == version("mauve-eval")


@pytest.mark.slow
def test_type_checkers_see_the_types(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import mauve\n"
        'mauve.compare("a.txt", "b.txt", estimator="plugin")\n'
        'mauve.compare("a.txt", "b.txt", estimator="plugn")\n'
    )
    # In the checkout, for the cache of `make lint`, which knows the types also without the marker.
    assert (Path(mauve.__file__).parent / "py.typed").is_file()
    run = subprocess.run(
        [sys.executable, "-m", "mypy", script],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert "script.py:3: error" in run.stdout
    assert "script.py:2" not in run.stdout
    assert "Found 1 error" in run.stdout


def test_the_callback_is_imported_when_it_is_used():
    from mauve import MauveCallback

    assert MauveCallback.__module__ == "mauve.generation.callback"
    with pytest.raises(AttributeError, match="no attribute 'MauveCallbacks'"):
        _ = mauve.MauveCallbacks
