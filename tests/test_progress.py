"""Progress bars in terminals, pipes and threads; tests/test_notebooks.py has those of notebooks."""

import inspect
import os
import pty
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest

import mauve
from mauve.progress import progress_bar

SCRIPT = """
import sys, time, warnings
import numpy as np
import mauve

def slowly(texts):
    time.sleep(1.8)
    return np.random.default_rng(len(texts[0])).normal(size=(len(texts), 4))

human, model = (["".join(map(str, range(i))) + kind for i in range(60)] for kind in "ab")
warnings.simplefilter("ignore")
print("before")
comparison = mauve.compare(human, model, embedder=slowly, n_permutations=100, {options})
print("after", comparison.rank())
"""


def run_at_a_terminal(script):
    """Run a script with a terminal as stderr; return its stdout, its stderr and exit code."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    drawn = b""
    try:
        while part := os.read(ours, 1 << 16):
            drawn += part
    except OSError:  # the end, on Linux
        pass
    os.close(ours)
    out = process.communicate(timeout=120)[0]
    return out.decode(), drawn.decode(), process.returncode


def screen_after(drawn):
    """Return what a terminal shows in the end, of the control sequences that Rich writes."""
    lines, row = [""], 0
    drawn = drawn.replace("\r\n", "\n")
    while drawn:
        if drawn.startswith("\x1b[2K"):  # erase the line
            lines[row], drawn = "", drawn[4:]
        elif drawn.startswith("\x1b[1A"):  # up
            row, drawn = max(row - 1, 0), drawn[4:]
        elif drawn[0] == "\x1b":  # colours, and the cursor hidden or shown
            drawn = drawn[1:].lstrip("[?;0123456789")[1:]
        elif drawn[0] == "\n":
            row, drawn = row + 1, drawn[1:]
            lines += [""] * (row - len(lines) + 1)
        else:
            lines[row], drawn = lines[row] + drawn[0].strip("\r"), drawn[1:]
    return "\n".join(lines).strip()


@pytest.mark.slow
def test_a_script_at_a_terminal_shows_a_bar_and_removes_it():
    out, drawn, code = run_at_a_terminal(SCRIPT.replace("{options}", ""))
    assert (code, out) == (0, "before\nafter ['model']\n")
    assert "embedding" in drawn
    assert drawn.count("\x1b[?25l") == drawn.count("\x1b[?25h") == 1, "the cursor comes back"
    assert screen_after(drawn) == ""


@pytest.mark.slow
def test_no_bar_where_none_is_wanted():
    assert run_at_a_terminal(SCRIPT.replace("{options}", "progress=False"))[1] == ""


@pytest.mark.slow
def test_a_script_in_a_pipe_shows_nothing():
    script = SCRIPT.replace("{options}", "progress=True")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=120)
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.slow
def test_ctrl_c_removes_the_bar():
    script = SCRIPT.replace("{options}", "").replace("time.sleep(1.8)", "time.sleep(1.8); 1 / 0")
    for error in ("ZeroDivisionError", "KeyboardInterrupt"):
        raised = script.replace("1 / 0", f"raise {error}")
        out, drawn, code = run_at_a_terminal(raised)
        assert (out, code != 0) == ("before\n", True)
        assert "embedding" in drawn
        assert drawn.count("\x1b[?25l") == drawn.count("\x1b[?25h") == 1
        assert screen_after(drawn).startswith("Traceback")


@pytest.mark.slow
def test_what_a_caller_prints_stays_above_the_bar():
    script = SCRIPT.replace("{options}", "").replace(
        "time.sleep(1.8)", "time.sleep(1.8); print('a line', file=sys.stderr); print('out')"
    )
    out, drawn, _ = run_at_a_terminal(script)
    assert out.splitlines() == ["before", "out", "after ['model']"]
    assert screen_after(drawn) == "a line"


@contextmanager
def terminal():
    """Make stderr a terminal; yield a function that returns what was drawn on it since.

    Given a text, it waits until that is drawn.
    """
    ours, theirs = os.openpty()
    os.set_blocking(ours, False)
    with os.fdopen(theirs, "w") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setenv("COLUMNS", "80")
        patch.setattr(sys, "stderr", stream)

        def drawn(awaited=""):
            stream.flush()
            parts, deadline = "", time.monotonic() + 60
            while True:
                with suppress(BlockingIOError):
                    parts += os.read(ours, 1 << 20).decode("utf-8", "replace")
                if awaited in parts:
                    return parts
                assert time.monotonic() < deadline, f"{awaited!r} was not drawn"
                time.sleep(0.01)

        yield drawn
    os.close(ours)


def test_progress_of_long_work_is_escaped():
    with terminal() as drawn_since, progress_bar(show_after=0) as on_progress:
        on_progress("clustering [red]\x1b[31m", 3, 7)
        assert r"clustering [red]\x1b[31m" in drawn_since("3/7")


def test_short_work_draws_nothing_at_all():
    with terminal() as drawn_since:
        with progress_bar() as on_progress:
            on_progress("clustering", 3, 7)
        assert drawn_since() == ""


def test_nothing_is_drawn_where_nobody_looks(capsys, monkeypatch):
    with progress_bar(show_after=0) as on_progress:  # stderr is no terminal under pytest
        on_progress("clustering", 1, 2)
    assert capsys.readouterr().err == ""
    for stream in (None, open(os.devnull)):  # noqa: SIM115
        if stream is not None:
            stream.close()
        monkeypatch.setattr(sys, "stderr", stream)
        with progress_bar(show_after=0) as on_progress:
            on_progress("clustering", 1, 2)


def test_work_inside_of_work_and_other_threads_share_one_bar():
    before = threading.active_count()
    with terminal() as drawn_since:
        with progress_bar(show_after=0) as outer:
            with progress_bar(show_after=0) as inner:
                inner("inner", 1, 2)
                drawn = drawn_since("reading")
            assert threading.active_count() == before + 1
            threads = [
                threading.Thread(target=lambda: [outer("outer", i, 2000) for i in range(2000)])
                for _ in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            drawn += drawn_since("1999/2000")
        assert threading.active_count() == before
        assert "inner" not in drawn + drawn_since()
        with progress_bar(show_after=0) as again:
            again("again", 1, 2)
            drawn_since("again")


def test_a_function_is_called_instead():
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(2, 200, 3))
    steps = []
    mauve.compare(human, model, n_permutations=20, progress=lambda *step: steps.append(step))
    assert ("testing", 42, 42) in steps


@pytest.mark.parametrize("function", ["compare", "measure", "report", "explain"])
def test_every_long_function_takes_progress(function, tmp_path):
    assert inspect.signature(getattr(mauve, function)).parameters["progress"].default is True
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(2, 200, 3))
    samples = (human, model)
    if function == "explain":
        samples = (mauve.compare(human, model, n_permutations=20),)
    if function == "report":
        samples = (human, model, tmp_path / "report.html")
    rule = f"The 'progress' parameter of {function} must be True, False or a function .* Got 'no'"
    with pytest.raises(mauve.InvalidParameterError, match=rule):
        getattr(mauve, function)(*samples, progress="no")
