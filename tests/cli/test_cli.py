"""The program itself: version, help and completion."""

import subprocess
import sys
from pathlib import Path

import pytest
from running import ENV, invoke, run

import mauve


@pytest.mark.slow
def test_version_of_the_installed_program():
    program = Path(sys.executable).with_name("mauve")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, env=ENV)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"mauve {mauve.__version__}\n", "")


def test_version():
    assert invoke("--version").stdout == f"mauve {mauve.__version__}\n"


@pytest.mark.slow
def test_no_command_prints_help():
    code, out, err = run()
    assert code == 0
    assert "Usage: mauve" in out
    assert err == ""


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_a_command(option):
    result = invoke("compare", option)
    assert result.exit_code == 0
    assert "--n-permutations" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("mauve com", "compare"),
        ("mauve compare --est", "--estimator"),
        ("mauve compare --estimator b", "braess-sauer"),
    ],
)
def test_shell_completion(typed, completed):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
    code, out, _ = run(env={"_MAUVE_COMPLETE": "complete_bash", **words})
    assert (code, out.strip()) == (0, completed)
    assert "--install-completion" in invoke("--help").stdout
