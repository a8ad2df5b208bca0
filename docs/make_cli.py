"""Write docs/cli.md, the help text of every command: ``python docs/make_cli.py``."""

from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from mauve.cli import app

TARGET = Path(__file__).with_name("cli.md")


def cli_markdown() -> str:
    """Return the help text of ``mauve`` and of each of its commands as Markdown."""
    commands = [[]]
    for name, command in get_command(app).commands.items():
        commands.append([name])
        commands += [[name, part] for part in getattr(command, "commands", {})]
    parts = [
        "# Command line",
        "Written by `python docs/make_cli.py` from the help texts of the commands; do not edit.",
    ]
    for command in commands:
        result = CliRunner().invoke(app, [*command, "--help"], prog_name="mauve")
        parts.append(f"## {' '.join(['mauve', *command])}")
        parts.append(f"```text\n{result.stdout.strip()}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(cli_markdown(), encoding="utf-8")
