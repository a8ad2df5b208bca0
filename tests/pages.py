"""Run the code blocks of a page of Markdown, and check the ones that a test cannot run.

A block that needs a GPU, a network or hours has a line above it that says so,
``<!-- not run: REASON -->``. Then its commands must exist, with all options that they name.
"""

import ast
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import warnings
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
import yaml
from typer.main import get_command
from typer.testing import CliRunner

from mauve import MauveWarning
from mauve.cli import app

ROOT = Path(__file__).parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
    if "_build" not in path.parts
}
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
NUMBER = r"\d+\.\d+"
#: Rounding may put a text into another bucket on another processor or with another release of
#: NumPy, which changes a score by far less than the width of its interval. The demo's texts are
#: of the language reference, which differs between Python versions.
TOLERANCE = 0.03 if sys.version_info[:2] == (3, 11) else 1.0


@dataclass(frozen=True)
class Block:
    """A code block: its language, its text, its first line, and why it is not run, if it is not."""

    language: str
    text: str
    line: int
    not_run: str = ""


def blocks(page):
    """Return the code blocks of a page; directives of the documentation site are none."""
    found, inside, start, above = [], None, 0, ""
    for number, line in enumerate(page.read_text("utf-8").splitlines(keepends=True), 1):
        if inside is None and line.startswith("```"):
            inside, start, language = [], number + 1, line[3:].strip()
        elif inside is not None and line.rstrip() == "```":
            reason = NOT_RUN.fullmatch(above)
            if not language.startswith("{"):
                block = Block(language, "".join(inside), start, reason[1] if reason else "")
                found.append(block)
            inside, above = None, ""
        elif inside is not None:
            inside.append(line)
        elif line.strip():
            above = line.strip()
    assert inside is None, f"{page.name}:{start}: the block has no end"
    return found


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


def assert_printed(printed, documented):
    """Compare an output with the documented one, in which a line of dots is any lines."""
    pieces = re.split(r"^\.\.\.\n", documented, flags=re.MULTILINE)
    lines = printed.splitlines()
    for i, piece in enumerate(pieces):
        expected = piece.splitlines()
        if i > 0 and expected:
            first = words_and_numbers(expected[0])[0]
            lines = lines[[words_and_numbers(line)[0] for line in lines].index(first) :]
        assert_alike("\n".join(lines[: len(expected)]), piece)
        lines = lines[len(expected) :]
    if pieces[-1]:
        assert lines == []


def commands(block):
    """Return the commands of a block, each with its documented output: None if none is shown."""
    if block.language == "console":
        text = re.sub(r"\\\n> +", "", block.text)  # a command over several lines
        parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
        assert parts[0] == "", "a console block starts with '$ '"
        return [tuple(part.split("\n", 1)) for part in parts[1:]]
    lines = [re.sub("  +#.*", "", x) for x in block.text.replace("\\\n", " ").splitlines()]
    return [(line, None) for line in lines if line and not line.startswith("#")]


@cache
def command_line():
    """Return the command line as Click has it, which takes a while to make."""
    return get_command(app)


@cache
def options_of(*names):
    """Return the options of a command of `mauve`, or None if the names are those of no command."""
    command, path = command_line(), list(names)
    while path:
        command = getattr(command, "commands", {}).get(path.pop(0))
        if command is None:
            return None
    return {"--help"} | {
        option for each in command.params for option in [*each.opts, *each.secondary_opts]
    }


def check_command(line):
    """Check that a command exists, and the options, extras and files of ours that it names."""
    program, *words = shlex.split(line, comments=True)
    named = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    if program == "mauve":
        names = [word for word in words[:1] if re.fullmatch(r"[a-z]+", word)]
        if len(words) > 1 and options_of(*names, words[1]) is not None:
            names.append(words[1])
        known = options_of(*names)
        assert known is not None, f"no command: {line}"
        assert [name for name in named if name not in known] == [], line
    elif Path(program).name == "python" and words[0] != "-m":
        path = ROOT / words[0]
        script = path.read_text("utf-8")
        for module in re.findall(r"^from (\w+) import", script, re.MULTILINE):
            beside = path.with_name(f"{module}.py")
            script += beside.read_text("utf-8") if beside.exists() else ""
        own = [name for name in named if name not in ("-h", "--help")]
        assert [name for name in own if f'"{name}"' not in script] == [], line
    elif program == "make":
        makefile = (ROOT / "Makefile").read_text("utf-8")
        assert [word for word in words if not re.search(rf"^{word}:", makefile, re.M)] == [], line
    elif program == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        for word in words:
            for extra in re.findall(r"^mauve-eval\[(.+)\]", word):
                assert set(extra.split(",")) <= set(extras["optional-dependencies"]), line
    else:
        raise AssertionError(f"nothing is known of {program}: {line}")


def run_command(line):
    """Run a command in the working folder; return what it prints to standard output."""
    environment = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"} | {"COLUMNS": "80"}
    words = shlex.split(line, comments=True)
    if words[0] == "mauve" and not re.search(r"[;|<>$]", re.sub(r"'[^']*'", "", line)):
        done = CliRunner().invoke(app, words[1:], env={"COLUMNS": "80"}, catch_exceptions=False)
        code, printed, errors = done.exit_code, done.stdout, done.stderr
    else:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        shell = subprocess.run(
            line, shell=True, env=environment | {"PATH": path},
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        code, printed, errors = shell.returncode, shell.stdout, shell.stderr
    assert code == 0, f"{line}: {errors}"
    assert not re.search("^error: ", errors, re.MULTILINE), f"{line}: {errors}"
    return printed


def run_python(code, name, namespace):
    """Run Python code as in a session that goes on; return what it prints."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
        warnings.simplefilter("ignore", MauveWarning)
        exec(compile(code, name, "exec"), namespace)
    return printed.getvalue()


def run_page(page, *, smaller=None, instead=None, elsewhere=()):
    """Run the blocks of a page in their order in the working folder, and check those not run.

    Parameters
    ----------
    page : Path
    smaller : mapping of str to str, optional
        What stands in the blocks, and what is run instead, so that it takes no minutes. All of it
        must stand somewhere.
    instead : mapping of str to function, optional
        What to call in place of a command.
    elsewhere : sequence of str
        Languages of blocks that another test runs.
    """
    smaller, instead, namespace = smaller or {}, instead or {}, {"__name__": "page"}
    page_blocks, unused, is_output = blocks(page), set(smaller), False
    for block, following in zip(page_blocks, [*page_blocks[1:], None], strict=True):
        where = f"{page.name}:{block.line}"
        text = block.text
        for old in smaller:
            unused -= {old} if old in text else set()
            text = text.replace(old, smaller[old])
        if block.language == "python":
            ast.parse(block.text, where)
            if not block.not_run and block.language not in elsewhere:
                # Empty lines give errors the line numbers of the page.
                printed = run_python("\n" * (block.line - 1) + text, str(page), namespace)
                if following is not None and following.language == "text":
                    assert_alike(printed, following.text)
        elif block.language in ("sh", "console"):
            for command, documented in commands(replace(block, text=text)):
                check_command(command)
                is_ours = command.startswith("mauve ")
                if block.not_run or block.language in elsewhere or not is_ours:
                    continue
                if command in instead:
                    instead[command]()
                    continue
                printed = run_command(command)
                if documented is not None:
                    assert_printed(printed, documented)
        elif block.language not in elsewhere:
            check_data(block, where, is_output)
        is_output = block.language == "python"
    assert unused == set(), f"{page.name} has no longer what is made smaller"


def check_data(block, where, is_output):
    """Read a block of data; of plain text there is nothing to check."""
    if block.language == "toml":
        tomllib.loads(block.text)
    elif block.language == "json":
        json.loads(block.text)
    elif block.language == "yaml":
        for step in yaml.safe_load(block.text):
            check_command(step["run"])
    elif block.language == "text":
        assert is_output or block.not_run, f"{where}: say above why this text is not run"
    else:
        assert block.language in ("bibtex", ""), f"{where}: nothing is known of {block.language}"
