"""Run the command line, in this process or in another."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
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


def start_long_work(folder, command, *options):
    """Start a command that runs for minutes; return it past its start, and the files before it."""
    # The named pipe shows that the program is past its start: it opens the prompts.
    os.mkfifo(folder / "prompts")
    np.save(folder / "long.npy", np.random.default_rng(0).normal(size=(1000, 8)))
    files = sorted(folder.iterdir())
    long_work = ["long.npy", "other=long.npy", "--n-permutations", "200000", "--prompts", "prompts"]
    process = start(command, *long_work, *options, program=("-c", INTERRUPTIBLE), cwd=folder)
    with open(folder / "prompts", "w") as prompts:
        prompts.writelines(f"prompt {i}\n" for i in range(1000))
    time.sleep(1)
    assert process.poll() is None
    return process, files


def interrupt(process):
    """Send Ctrl-C to a command; return its exit code, stdout and stderr."""
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, out, err


def run(*arguments, env=None):
    """Run a command in another process; return its exit code, stdout and stderr."""
    process = start(*arguments, text=True, env={**ENV, "COLUMNS": "80", **(env or {})})
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def word_texts(seed, n=120):
    """Return texts of 30 random words."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS.split(), k=30)) + "." for _ in range(n)]
