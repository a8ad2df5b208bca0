"""Write docs/cli.md, the help of every command as a page: ``python docs/make_cli.py``."""

import re
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from mauve.cli import app

TARGET = Path(__file__).with_name("cli.md")
#: Columns of a terminal in which no line of help is broken.
WIDE = 5_000
NAMES = r"(?<![\w`'-])(--?[a-z][\w-]*)"  # of options


def as_markdown(text: str) -> str:
    """Return a line of help with names and values as code, so that Markdown changes nothing."""
    text = re.sub(r"(?<!\w)'([^']+)'(?!\w)", r"`\1`", text)
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub("([*<])", r"\\\1", re.sub(NAMES, "\0\\1\0", parts[i]))
    return re.sub("  +", " ", "`".join(parts).replace("\0", "`"))


def section(name: str, help_text: str) -> str:
    """Return the section of a command, made of its help text."""
    usage, *lines = help_text.strip().splitlines()
    parts = [f"## {name}", f"`{usage.removeprefix('Usage: ')}`"]
    entries: list[str] = []
    in_list = False
    for line in [*lines, ""]:
        if in_list and line.startswith("  "):
            entry, _, meaning = line.strip().partition("  ")
            meaning = meaning.strip()
            entries.append(f"- `{entry}`" + (f": {as_markdown(meaning)}" if meaning else ""))
        elif line and not line.startswith(" "):
            parts.append(f"**{line.removesuffix(':')}**")
            in_list = True
        elif line.strip():
            parts.append(as_markdown(line.strip()))
        elif entries:
            parts.append("\n".join(entries))
            entries = []
    return "\n\n".join(parts)


def cli_markdown() -> str:
    """Return the help text of ``mauve`` and of each of its commands as Markdown."""
    commands: list[list[str]] = [[]]
    for name, command in get_command(app).commands.items():
        commands.append([name])
        commands += [[name, part] for part in getattr(command, "commands", {})]
    parts = [
        "# Command line",
        "The help of every command, as `mauve COMMAND --help` prints it. (Written by "
        "`python docs/make_cli.py`; do not edit.)",
    ]
    for command in commands:
        result = CliRunner().invoke(
            app, [*command, "--help"], prog_name="mauve", terminal_width=WIDE
        )
        parts.append(section(" ".join(["mauve", *command]), result.stdout))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(cli_markdown(), encoding="utf-8")
