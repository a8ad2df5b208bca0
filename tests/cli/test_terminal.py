"""Messages, progress and exit codes."""

import json

import numpy as np
import pytest
import typer
from running import QUICK, interrupt, invoke, start, start_long_work

from mauve.cli.terminal import one_line_errors, say


def test_warnings_are_lines_on_stderr(features):
    np.save("few.npy", np.load("good.npy")[:50])
    for more in ([], ["--json"]):
        result = invoke("compare", "human.npy", "few.npy", *QUICK, *more)
        assert result.exit_code == 0
        assert "warning" not in result.stdout.splitlines()[0]
        assert all(line.startswith("warning: ") for line in result.stderr.splitlines())
        assert "'few' has 50 texts" in result.stderr
    assert "'few' has 50 texts" in " ".join(json.loads(result.stdout)["results"][0]["warnings"])


def test_hostile_paths_in_messages(features):
    result = invoke("compare", "human.npy", "x=no\n\x1b[31mfile.npy")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(r"error: 'no\n\x1b[31mfile.npy' must be ")


def test_a_bug_keeps_its_traceback():
    @one_line_errors
    def buggy():
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError, match="a bug"):
        buggy()


def test_interrupt_exits_130():
    @one_line_errors
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as stop:
        stopped()
    assert stop.value.exit_code == 130


@pytest.mark.slow
def test_ctrl_c_half_way_leaves_nothing(features):
    process, files = start_long_work(features, "compare", "--plot", "curves.png")
    assert interrupt(process) == (130, b"", b"error: interrupted\n")
    assert sorted(features.iterdir()) == files


@pytest.mark.parametrize(
    ("text", "printed"), [("plain [x]", "plain [x]"), ("\x07\x7f", r"\x07\x7f"), ("é", "é")]
)
def test_messages_are_escaped(capsys, text, printed):
    say("error", text)
    assert capsys.readouterr().err == f"error: {printed}\n"


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_stops_early(features, more):
    systems = [f"system{i}=good.npy" for i in range(8)]
    process = start("compare", "human.npy", *systems, *QUICK, *more)
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=120)
    assert err == b""
