"""Run the command line, in this process or in another."""

import os
import random
import subprocess
import sys

from typer.testing import CliRunner

from mauve.cli import app

#: Options for a quick comparison.
QUICK = ["--n-permutations", "50", "--n-clusterings", "5"]
WORDS = "the a cat dog sat ran under over green table house while nobody looked at it"
ENV = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "TTY_COMPATIBLE")}
#: A program that Ctrl-C stops; a shell that runs tests in the background has them ignore it.
INTERRUPTIBLE = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "import mauve.cli; mauve.cli.main()"
)


def invoke(*arguments, stdin=None, **env):
    """Run a command in this process, 80 columns wide."""
    return CliRunner().invoke(app, [*map(str, arguments)], input=stdin, env={"COLUMNS": "80"} | env)


def start(*arguments, program=("-m", "mauve"), **settings):
    """Start a command in another process."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENV} | settings
    return subprocess.Popen([sys.executable, *program, *arguments], **settings)


def run(*arguments, env=None):
    """Run a command in another process; return its exit code, stdout and stderr."""
    process = start(*arguments, text=True, env={**ENV, "COLUMNS": "80", **(env or {})})
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def word_texts(seed, n=120):
    """Return texts of 30 random words."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS.split(), k=30)) + "." for _ in range(n)]
