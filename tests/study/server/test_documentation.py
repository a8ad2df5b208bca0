"""The commands of docs/study.md run, and print what stands there."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from serving import Process

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "study.md"


@pytest.mark.slow
def test_the_page_on_studies(tmp_path, monkeypatch):
    helpers = runpy.run_path(str(ROOT / "tests" / "test_readme.py"))
    monkeypatch.chdir(tmp_path)
    for code, _ in helpers["python_examples"](PAGE):
        exec(compile(code, str(PAGE), "exec"), {})
    examples = helpers["console_examples"](PAGE)
    assert [command.split()[2] for command, _ in examples] == ["create", "invite", "status"]
    for command, (documented, *_) in examples:
        done = subprocess.run(
            [sys.executable, "-m", *command.split()],
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "80"},
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(documented)
    served = re.findall(r"^mauve study serve study.sqlite(.*)$", PAGE.read_text("utf-8"), re.M)
    assert len(served) == 3
    # All options at once, as each start takes a second; the port may be taken here.
    words = [word.strip("'") for options in served for word in options.split()]
    words = [word for word in words if word not in ("--port", "8000")]
    assert "dashboard:" in Process("study.sqlite", *words).stop()
