"""Models of one run: local ones beside the endpoint of a real server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mauve
from mauve.errors import InvalidParameterError

SERVER = Path(__file__).parents[1] / "lm" / "completions_server.py"


@pytest.fixture
def url(monkeypatch):
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name in ("MAUVE_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name)
    with subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True) as run:
        yield f"http://127.0.0.1:{run.stdout.readline().strip()}"
        run.terminate()


def test_options_of_endpoints_are_for_endpoints(url, tmp_path):
    models = {"local": "bundled", "server": f"{url}#model=normal"}
    generated = mauve.generate(
        models, ["Once", "Twice"], "ancestral", folder=tmp_path, max_tokens=4,
        endpoint={"n_connections": 1}, progress=False,
    )  # fmt: skip
    assert [(sample.model, sample.n_new) for sample in generated] == [("local", 2), ("server", 2)]


def test_options_of_endpoints_need_one(tmp_path):
    with pytest.raises(InvalidParameterError, match="must have an endpoint for its options"):
        mauve.generate("bundled", ["Once"], folder=tmp_path, endpoint={"n_connections": 1})
    assert [*tmp_path.rglob("*.jsonl")] == []
