"""Every example of the README and of three pages of docs runs and prints what stands there."""

import contextlib
import io
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from mauve import MauveWarning

README = Path(__file__).parents[1] / "README.md"
MIGRATING = README.parent / "docs" / "migrating.md"
INPUTS = README.parent / "docs" / "inputs.md"
CHECK = README.parent / "docs" / "check.md"
TASKS = README.parent / "docs" / "tasks.md"

# Rounding may put a text into another bucket on another processor or with another release of
# NumPy, which changes a score by far less than the width of its interval. The demo's texts are
# of the language reference, which differs between Python versions.
TOLERANCE = 0.03 if sys.version_info[:2] == (3, 11) else 1.0
NUMBER = r"\d+\.\d+"


def words_and_numbers(text):
    """Return a text with its decimal numbers taken out, and the numbers."""
    text = " ".join(text.replace("<0.0001", "0.0000").split())
    return re.sub(NUMBER, "#", text), [float(x) for x in re.findall(NUMBER, text)]


def assert_alike(printed, documented):
    """Compare texts word by word, and decimal numbers up to the tolerance."""
    words, numbers = words_and_numbers(printed)
    documented_words, documented_numbers = words_and_numbers(documented)
    assert words == documented_words
    assert numbers == pytest.approx(documented_numbers, abs=TOLERANCE, rel=TOLERANCE)


def blocks(page):
    """Return the language and the text of every code block of a page."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def python_examples(page):
    """Return every Python block of a page with the output that follows it."""
    page_blocks = blocks(page)
    following = [*page_blocks[1:], ("", "")]
    return [
        (code, output if kind == "text" else "")
        for (language, code), (kind, output) in zip(page_blocks, following, strict=True)
        if language == "python"
    ]


def console_examples(page):
    """Return every command with the pieces of its documented output, between lines of dots."""
    examples = []
    for block in (block for language, block in blocks(page) if language == "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, documented = part.partition("\n")
            examples.append((command, re.split(r"^\.\.\.\n", documented, flags=re.MULTILINE)))
    return examples


def test_there_are_examples():
    assert len(python_examples(README)) >= 2
    assert len(console_examples(README)) >= 3


def test_the_readme_is_short():
    assert len(README.read_text("utf-8").split()) < 1500


def run_python_examples(page):
    """Run the blocks of a page one after another and compare what they print."""
    namespace = {}
    for code, documented in python_examples(page):
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("ignore", MauveWarning)  # greedy texts are copies
            exec(compile(code, str(page), "exec"), namespace)
        assert_alike(printed.getvalue(), documented)


@pytest.mark.slow
def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "mauve", "demo"], check=True, capture_output=True, timeout=600
    )
    run_python_examples(README)


@pytest.mark.slow
def test_examples_of_migrating():
    run_python_examples(MIGRATING)


@pytest.mark.slow
def test_examples_of_inputs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_python_examples(INPUTS)


@pytest.mark.slow
def test_examples_of_tasks():
    run_python_examples(TASKS)


def run_page(page, folder):
    """Run the Python blocks and the commands of a page in order, in a folder."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
    namespace = {}
    page_blocks = blocks(page)
    for (language, code), (kind, output) in zip(
        page_blocks, [*page_blocks[1:], ("", "")], strict=True
    ):
        if language == "python":
            with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
                warnings.simplefilter("ignore", MauveWarning)
                exec(compile(code, str(page), "exec"), namespace)
            assert_alike(printed.getvalue(), output if kind == "text" else "")
        elif language == "console":
            for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
                command, _, documented = part.partition("\n")
                done = subprocess.run(
                    command,
                    shell=True,
                    capture_output=True,
                    text=True,
                    cwd=folder,
                    env=env | {"PATH": path, "COLUMNS": "80"},
                    timeout=600,
                )
                assert "error:" not in done.stderr
                if documented != "...\n":
                    assert_alike(done.stdout, documented)


@pytest.mark.slow
def test_examples_of_check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = CHECK.read_text("utf-8").split("## A worked example")[1].split("\n## ")[0]
    (tmp_path / "page.md").write_text(text, "utf-8")
    run_page(tmp_path / "page.md", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["own-data", "checkpoints", "report"])
def test_tutorials(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    run_page(README.parent / "docs" / "tutorials" / f"{name}.md", tmp_path)


@pytest.mark.slow
def test_console_examples(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
    for command, pieces in console_examples(README):
        done = subprocess.run(
            command,
            shell=True,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=env | {"PATH": path, "COLUMNS": "80"},
            timeout=600,
        )
        assert done.returncode == 0
        kinds = ("warning: ", "note: ", "report: ")
        assert all(line.startswith(kinds) for line in done.stderr.splitlines())
        lines = done.stdout.splitlines()
        for i, piece in enumerate(pieces):
            documented = piece.splitlines()
            if i > 0 and documented:  # dots stand for any lines up to the next documented one
                first = words_and_numbers(documented[0])[0]
                lines = lines[[words_and_numbers(line)[0] for line in lines].index(first) :]
            assert_alike("\n".join(lines[: len(documented)]), piece)
            lines = lines[len(documented) :]
        if pieces[-1]:
            assert lines == []
    assert (tmp_path / "report.html").is_file()


def test_links_and_pictures_exist():
    for page in [README, *README.parent.glob("*.md"), *README.parent.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
