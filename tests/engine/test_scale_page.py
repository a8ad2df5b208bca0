"""The examples of docs/scale.md run and print what stands there, and the manifest can be read."""

import contextlib
import functools
import io
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from mauve.cli import app

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "scale.md").read_text("utf-8")
QUICK = ["--n-clusterings", "2", "--n-permutations", "0", "-q"]
pytestmark = pytest.mark.filterwarnings("ignore::mauve.MauveWarning")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name in ("human", "model"):
        Path(name).mkdir()
        for i in range(2):
            np.save(f"{name}/{i}.npy", rng.normal(size=(20_000, 4)).astype(np.float32))
    Path("texts").mkdir()
    for i in range(2):
        lines = [" ".join(rng.choice(["rain", "sun", "wind", "snow"], size=5)) for _ in range(20)]
        Path(f"texts/{i}.jsonl").write_text("".join(f'"{line}."\n' for line in lines))
    return tmp_path


def commands():
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("mauve ")]


def test_commands_run(folder):
    """In the order of the page; Ray has tests of its own."""
    chosen = [line for line in commands() if "ray" not in line]
    assert len(chosen) == 5
    for line in chosen:
        arguments = shlex.split(line)[1:]
        quick = QUICK if arguments[0] == "compare" else []
        done = CliRunner().invoke(app, [*arguments, *quick])
        assert done.exit_code == 0, (line, done.stderr)


def test_python_prints_what_stands_there(folder, monkeypatch):
    import mauve

    for name in ("compare_files", "compare"):
        quick = functools.partial(getattr(mauve, name), n_clusterings=2, n_permutations=2)
        monkeypatch.setattr(mauve, name, quick)
    blocks = re.findall(
        r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 2
    names: dict[str, object] = {}
    for code, expected in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == expected


def test_the_manifest_has_the_command_of_a_ray_job():
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load((REPOSITORY / "deploy" / "kuberay.yaml").read_text("utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    arguments = shlex.split(job["spec"]["entrypoint"])
    help_text = CliRunner().invoke(app, ["compare", "--help"]).stdout
    assert arguments[:2] == ["mauve", "compare"]
    for argument in arguments:
        if argument.startswith("--"):
            assert argument in help_text
    [workers] = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
