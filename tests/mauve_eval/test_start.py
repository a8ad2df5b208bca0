"""The command line starts with closed streams, and ends in one line on Ctrl-C."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import mauve


def interrupted_while_loading(library, handler):
    """Start the command line, send Ctrl-C once a library is loaded; return how it ended."""
    # The handler is set, as a shell that runs tests in the background has them ignore Ctrl-C.
    start = f"import signal; signal.signal(signal.SIGINT, signal.{handler}); "
    start += "import mauve_eval; mauve_eval.main()"
    process = subprocess.Popen(
        [sys.executable, "-c", start, "--version"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    maps = Path(f"/proc/{process.pid}/maps")
    while library not in maps.read_text():
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize("library", ["_multiarray_umath", "mtrand"])
def test_ctrl_c_during_imports(library):
    ended = interrupted_while_loading(library, "default_int_handler")
    assert ended == (130, "", "error: interrupted\n")


@pytest.mark.slow
def test_an_ignored_ctrl_c_stays_ignored():
    ended = interrupted_while_loading("_multiarray_umath", "SIG_IGN")
    assert ended == (0, f"mauve {mauve.__version__}\n", "")


def compare(feature_files, redirection, *arguments):
    """Run `mauve compare` in a shell with redirections, in the folder of features."""
    quick = ["--n-permutations", "50", "--n-clusterings", "5"]
    program = [sys.executable, "-m", "mauve", "compare", *arguments, *quick]
    done = subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", *program],
        capture_output=True, text=True, cwd=feature_files, timeout=120,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("redirection", ["<&-", "2>&-", "<&- 2>&-"])
def test_closed_stdin_or_stderr(feature_files, redirection):
    code, out, err = compare(feature_files, redirection, "human.npy", "bad.npy")
    assert (code, err) == (0, "")
    assert "\nbad " in out


@pytest.mark.slow
def test_closed_stdout(feature_files):
    code, out, err = compare(feature_files, ">&-", "human.npy", "bad.npy")
    assert (code, out) == (1, "")
    assert err == (
        "error: standard output is closed, and results are printed there. Redirect it to a file, "
        "or to /dev/null.\n"
    )


@pytest.mark.slow
def test_everything_closed(feature_files):
    assert compare(feature_files, "<&- >&- 2>&-", "human.npy", "bad.npy") == (1, "", "")


@pytest.mark.slow
def test_texts_from_a_closed_stdin(feature_files):
    code, out, err = compare(feature_files, "<&-", "-", "bad.npy")
    assert (code, out) == (1, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_messages_with_closed_stderr_go_nowhere(feature_files):
    code, out, err = compare(feature_files, "2>&-", "human.npy", "no-such-file.npy")
    assert (code, out, err) == (1, "", "")
