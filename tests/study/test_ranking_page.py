"""Every example of docs/ranking.md runs and prints what stands there."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mauve.cli import app

PAGE = Path(__file__).parents[2] / "docs" / "ranking.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def words(text):
    return re.sub(r"\d+\.\d+", "#", " ".join(text.split()))


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


def assert_alike(printed, documented):
    """Compare words exactly, and decimals up to rounding on other processors."""
    assert words(printed) == words(documented)
    assert numbers(printed) == pytest.approx(numbers(documented), abs=0.11)


@pytest.mark.slow
def test_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [kind for kind, _ in BLOCKS].count("console") >= 4
    namespace, following = {}, [*BLOCKS[1:], ("", "")]
    for (kind, text), (next_kind, next_text) in zip(BLOCKS, following, strict=True):
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(text, str(PAGE), "exec"), namespace)
            assert_alike(printed.getvalue(), next_text if next_kind == "text" else "")
        elif kind == "console":
            command, _, documented = text.removeprefix("$ ").partition("\n")
            program, *arguments = shlex.split(command)
            assert program == "mauve"
            done = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"})
            assert (done.exit_code, done.stderr) == (0, "")
            assert_alike(done.stdout, documented)
