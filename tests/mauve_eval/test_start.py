"""The command line starts with closed streams, and ends in one line on Ctrl-C."""

import subprocess
import sys

import pytest

import mauve

# The handler is set, as a shell that runs tests in the background has them ignore Ctrl-C. The
# program interrupts itself when it first imports the module, so that no time has to be met.
INTERRUPTED = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.{handler})
sent = []
def hook(event, arguments):
    if event == "import" and arguments[0] == "{module}" and not sent:
        sent.append(os.kill(os.getpid(), signal.SIGINT))
sys.addaudithook(hook)
import mauve_eval
try:
    mauve_eval.main()
finally:
    assert sent
"""


def interrupted_by_import(module, handler):
    """Start the command line with Ctrl-C as it imports a module; return how it ended."""
    program = INTERRUPTED.format(module=module, handler=handler)
    command = [sys.executable, "-c", program, "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


# The last is imported by NumPy's mtrand, an extension module that is then half imported.
@pytest.mark.slow
@pytest.mark.parametrize(
    "module", ["numpy._core._multiarray_umath", "mauve.comparison", "numpy.random._mt19937"]
)
def test_ctrl_c_during_imports(module):
    ended = interrupted_by_import(module, "default_int_handler")
    assert ended == (130, "", "error: interrupted\n")


@pytest.mark.slow
def test_an_ignored_ctrl_c_stays_ignored():
    ended = interrupted_by_import("numpy._core._multiarray_umath", "SIG_IGN")
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
    assert err == (
        "error: '-' (standard input) is closed: pass a file, or pipe texts into the command.\n"
    )


@pytest.mark.slow
def test_messages_with_closed_stderr_go_nowhere(feature_files):
    code, out, err = compare(feature_files, "2>&-", "human.npy", "no-such-file.npy")
    assert (code, out, err) == (1, "", "")
