"""docs/cli.md has the help texts of the command line, and docs/api.md all public names."""

import re
import runpy
from pathlib import Path

import mauve

DOCS = Path(__file__).parents[1] / "docs"


def test_help_text_is_up_to_date():
    generated = runpy.run_path(str(DOCS / "make_cli.py"))["cli_markdown"]()
    written = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert generated == written, "run: python docs/make_cli.py"


def test_all_public_names_are_documented():
    listed = re.findall(r"mauve\.(\w+)$", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted({*mauve.__all__, "MauveCallback"} - {"__version__"})
