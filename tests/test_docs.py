"""docs/cli.md has the help texts of the command line."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"


def test_help_text_is_up_to_date():
    generated = runpy.run_path(str(DOCS / "make_cli.py"))["cli_markdown"]()
    written = (DOCS / "cli.md").read_text(encoding="utf-8")
    assert generated == written, "run: python docs/make_cli.py"
