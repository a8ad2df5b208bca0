"""Every example of the README runs and prints what the README says."""

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
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)

# A rounding of the last bit may move a text to another cell, on another processor or with
# another release of NumPy, and a score with it, by far less than its interval is wide.
# The demo's texts are of the language reference, which is another in another Python.
TOLERANCE = 0.03 if sys.version_info[:2] == (3, 11) else 1.0
NUMBER = r"\d+\.\d+"


def words_and_numbers(text):
    """Return a text with its decimal numbers taken out, and the numbers."""
    text = " ".join(text.replace("<.0001", "0.0000").split())
    return re.sub(NUMBER, "#", text), [float(x) for x in re.findall(NUMBER, text)]


def assert_alike(printed, shown):
    """Compare texts word by word, and decimal numbers up to the tolerance."""
    words, numbers = words_and_numbers(printed)
    shown_words, shown_numbers = words_and_numbers(shown)
    assert words == shown_words
    assert numbers == pytest.approx(shown_numbers, abs=TOLERANCE, rel=TOLERANCE)


def python_examples():
    """Return every Python block with the output that follows it."""
    following = [*BLOCKS[1:], ("", "")]
    return [
        (code, output if kind == "text" else "")
        for (language, code), (kind, output) in zip(BLOCKS, following, strict=True)
        if language == "python"
    ]


def console_examples():
    """Return every command with the pieces of output shown, between lines of dots."""
    examples = []
    for block in (block for language, block in BLOCKS if language == "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            examples.append((command, re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)))
    return examples


def test_there_are_examples():
    assert len(python_examples()) >= 3
    assert len(console_examples()) >= 3


def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "mauve", "demo"], check=True, capture_output=True, timeout=240
    )
    namespace = {}
    for code, shown in python_examples():
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("ignore", MauveWarning)  # greedy texts are copies
            exec(compile(code, str(README), "exec"), namespace)
        assert_alike(printed.getvalue(), shown)


def test_console_examples(tmp_path):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"}
    for command, pieces in console_examples():
        done = subprocess.run(
            command,
            shell=True,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=env | {"PATH": path, "COLUMNS": "80"},
            timeout=240,
        )
        assert done.returncode == 0
        assert all(line.startswith("warning: ") for line in done.stderr.splitlines())
        lines = done.stdout.splitlines()
        for i, piece in enumerate(pieces):
            shown = piece.splitlines()
            if i > 0 and shown:  # dots stand for any lines up to the next one shown
                first = words_and_numbers(shown[0])[0]
                lines = lines[[words_and_numbers(line)[0] for line in lines].index(first) :]
            assert_alike("\n".join(lines[: len(shown)]), piece)
            lines = lines[len(shown) :]
        if pieces[-1]:
            assert lines == []
    assert (tmp_path / "curves.svg").is_file()


def test_links_and_pictures_exist():
    for target in re.findall(r"\]\(([^)#:]+)\)", README.read_text("utf-8")):
        assert (README.parent / target).exists(), target


def test_file_tree_is_true():
    """Every module of the package is in the tree, and nothing that does not exist."""
    tree = next(block for language, block in BLOCKS if block.startswith("src/mauve/"))
    named = set(re.findall(r"\b(\w+\.py)\b", tree))
    package = README.parent / "src" / "mauve"
    modules = {path.name for path in package.rglob("*.py") if "cli" not in path.parts}
    assert named == modules - {"__init__.py", "__main__.py"}
