"""The command line as its users meet it: exit codes, messages, stdout and stderr apart."""

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import typer
from safetensors.numpy import save_file
from typer.testing import CliRunner

import mauve
from mauve.cli import app
from mauve.cli.samples import name_and_path
from mauve.cli.terminal import one_line_errors, progress_bar
from mauve.escape import escaped

QUICK = ["--permutations", "50", "--clusterings", "5"]
ENV = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "TTY_COMPATIBLE")}


def invoke(*arguments, **env):
    return CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "80"} | env)


def mauve_process(arguments, program=("-m", "mauve"), **settings):
    command = [sys.executable, *program, *arguments]
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENV} | settings
    return subprocess.Popen(command, **settings)


def run(*arguments, env=None, **settings):
    process = mauve_process(arguments, text=True, env={**ENV, "COLUMNS": "80", **(env or {})})
    out, err = process.communicate(timeout=120, **settings)
    return process.returncode, out, err


@pytest.fixture
def files(feature_files, tmp_path, monkeypatch):
    """Work in a folder of one's own with copies of the feature files."""
    shutil.copytree(feature_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# What it prints


def test_version_of_the_installed_program():
    program = Path(sys.executable).with_name("mauve")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, env=ENV)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"mauve {mauve.__version__}\n", "")


def test_no_command_prints_help():
    code, out, err = run()
    assert code == 0
    assert "Usage: mauve" in out
    assert err == ""


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_of_a_command(option):
    result = invoke("compare", option)
    assert result.exit_code == 0
    assert "--permutations" in result.stdout


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


def test_table_has_scores_differences_and_signature(files):
    code, out, err = run("compare", "human.npy", "bad.npy", "good.npy", *QUICK)
    assert code == 0
    assert err == ""
    assert out.index("good") < out.index("bad")  # best first
    for column in ("MAUVE", "interval", "ceiling", "(= human)", "type", "n", "k"):
        assert column in out
    assert "(Holm)" in out
    assert "against 200 human texts, human.npy" in out
    assert f"signature: mauve:{mauve.__version__}|" in out


def test_scores_are_those_of_the_library(files):
    result = invoke("compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--seed", 3, "--json")
    found = json.loads(result.stdout)
    systems = {"good": "good.npy", "bad": "bad.npy"}
    expected = mauve.compare("human.npy", systems, n_permutations=50, n_clusterings=5, seed=3)
    assert found == {"version": mauve.__version__, **expected.to_dict()}


def test_options_reach_the_library(files):
    options = {
        "--buckets": 15,
        "--clusterings": 5,
        "--scaling": 2,
        "--estimator": "laplace",
        "--confidence": 0.8,
        "--interval": "bootstrap",
        "--bootstrap": 20,
        "--permutations": 30,
        "--explained-variance": 0.7,
        "--order": "pca-norm",
        "--seed": 4,
        "--device": "cpu",
    }
    flat = [part for option in options.items() for part in option]
    found = json.loads(invoke("compare", "human.npy", "good.npy", *flat, "--json").stdout)
    expected = mauve.compare(
        "human.npy",
        {"good": "good.npy"},
        num_buckets=15,
        n_clusterings=5,
        scaling=2,
        estimator="laplace",
        confidence=0.8,
        interval="bootstrap",
        n_bootstrap=20,
        n_permutations=30,
        explained_variance=0.7,
        order="pca-norm",
        seed=4,
        device="cpu",
    )
    assert found["results"] == expected.to_dict()["results"]


def test_confidence_is_not_rounded_in_the_heading(files):
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--confidence", "0.975")
    assert "97.5%" in result.stdout


def test_no_permutations_leave_their_columns_out(files):
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--permutations", 0, "--quiet")
    assert result.exit_code == 0
    assert "ceiling" not in result.stdout
    assert "(= human)" not in result.stdout


def test_one_system_has_no_differences(files):
    assert "(Holm)" not in invoke("compare", "human.npy", "good.npy", *QUICK).stdout


def test_margin_adds_equivalence(files):
    arguments = ["compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--margin", "0.2"]
    headings = re.findall(r"< 0\.2$|< 0\.2 +I +II", invoke(*arguments).stdout, re.MULTILINE)
    assert len(headings) == 2  # of the scores and of the differences
    found = json.loads(invoke(*arguments, "--json").stdout)
    assert found["margin"] == 0.2
    good, bad = found["results"]
    assert good["p_equivalence"] < bad["p_equivalence"]
    assert found["differences"][0]["p_equivalence"] > 0.5


def test_kinds_of_files(files):
    features = np.load("good.npy")
    with gzip.open("zipped.npy.gz", "wb") as file:
        np.save(file, features)
    save_file({"features": features}, "safe.safetensors")
    result = invoke("compare", "human.npy", "zipped.npy.gz", "safe.safetensors", *QUICK, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)["results"]
    assert [r["name"] for r in found] == ["zipped", "safe"]
    assert found[0]["mauve"] == found[1]["mauve"]


def test_json_is_all_of_stdout(files):
    code, out, err = run("compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--json")
    assert (code, err) == (0, "")
    checked = subprocess.run([sys.executable, "-m", "json.tool"], input=out, text=True, check=True)
    assert checked.returncode == 0


def test_warnings_are_lines_on_stderr(files):
    np.save("few.npy", np.load("good.npy")[:50])
    for more in ([], ["--json"]):
        code, out, err = run("compare", "human.npy", "few.npy", *QUICK, *more)
        assert code == 0
        assert "warning" not in out.splitlines()[0]
        assert all(line.startswith("warning: ") for line in err.splitlines())
        assert "'few' has 50 texts" in err
    assert "'few' has 50 texts" in " ".join(json.loads(out)["results"][0]["warnings"])


def test_quiet_prints_tables_only(files):
    np.save("few.npy", np.load("good.npy")[:50])
    code, out, err = run("compare", "human.npy", "few.npy", *QUICK, "--quiet")
    assert (code, err) == (0, "")
    assert "signature" not in out
    assert "few" in out


# Names


@pytest.mark.parametrize(
    ("argument", "name", "path"),
    [
        ("a/b.npy", "b", "a/b.npy"),
        ("b.v1.2.npy", "b.v1.2", "b.v1.2.npy"),
        ("b.npy.gz", "b", "b.npy.gz"),
        ("b.safetensors", "b", "b.safetensors"),
        ("b.dat", "b.dat", "b.dat"),
        (".npy", ".npy", ".npy"),
        ("x=a/b.npy", "x", "a/b.npy"),
        ("x=y=b.npy", "x", "y=b.npy"),
    ],
)
def test_name_of_a_system(argument, name, path):
    assert name_and_path(argument) == (name, Path(path))


def test_a_file_with_an_equals_sign_is_a_file(files):
    Path("good.npy").rename("lr=0.1.npy")
    result = invoke("compare", "human.npy", "lr=0.1.npy", *QUICK, "--json")
    assert json.loads(result.stdout)["results"][0]["name"] == "lr=0.1"


def test_equal_names_are_a_usage_error(files):
    result = invoke("compare", "human.npy", "good.npy", "runs/good.npy", *QUICK)
    assert result.exit_code == 2
    assert "two systems are called 'good'" in result.stderr
    assert "NAME=runs/good.npy" in result.stderr
    renamed = invoke("compare", "human.npy", "good.npy", "other=good.npy", *QUICK)
    assert renamed.exit_code == 0


@pytest.mark.parametrize("argument", ["=good.npy", "x="])
def test_empty_names_and_paths(files, argument):
    result = invoke("compare", "human.npy", argument)
    assert result.exit_code == 2
    assert "with neither empty" in result.stderr


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("[red]x", "[red]x"),
        ("[/]", "[/]"),
        (":smile:", ":smile:"),
        ("\x1b[31mx", r"\x1b[31mx"),
        ("a\nb", r"a\nb"),
        ("a\rb", r"a\rb"),
        ("\u202eevil", r"\u202eevil"),
        ("日本語", "日本語"),
    ],
)
def test_names_are_shown_literally(files, name, shown):
    result = invoke("compare", "human.npy", f"{name}=good.npy", "bad.npy", *QUICK)
    assert result.exit_code == 0
    assert shown in result.stdout
    assert "\x1b" not in result.output


def test_a_name_that_is_no_text(files):
    code, out, _ = run("compare", "human.npy", b"\xff=good.npy", *QUICK)
    assert code == 0
    assert r"\udcff" in out


def test_a_terminal_that_lacks_the_letters(files):
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    code, out, err = run("compare", "human.npy", "é=good.npy", *QUICK, env=ascii_only)
    assert (code, err) == (0, "")
    assert r"\xe9" in out


def test_hostile_paths_in_messages(files):
    result = invoke("compare", "human.npy", "x=no\n\x1b[31mfile.npy")
    assert result.exit_code == 1
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(r"error: 'no\n\x1b[31mfile.npy' must be ")


@pytest.mark.parametrize(
    ("text", "shown"), [("plain [x]", "plain [x]"), ("\x07\x7f", r"\x07\x7f"), ("é", "é")]
)
def test_printable(text, shown):
    assert escaped(text) == shown


# Width


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
@pytest.mark.parametrize("more", [[], ["--margin", "0.05"]])
def test_numbers_are_never_cut(files, columns, more):
    long_name = "a-rather-long-name-" * 5
    systems = ["good.npy", f"{long_name}=bad.npy"]
    arguments = ["compare", "human.npy", *systems, *QUICK, "--quiet", *more]
    result = invoke(*arguments, COLUMNS=str(columns))
    assert result.exit_code == 0
    assert "…" not in result.stdout
    assert "..." not in result.stdout
    lines = result.stdout.splitlines()
    rows = [line for line in lines if re.search(r"0\.\d{3} - [01]\.\d{3}", line)]
    assert len(rows) == 2
    for row in rows:
        assert re.search(r"\d\.\d{4} +(\d\.\d{4} +|<\.0001 +)?\d\.\d{3} +\d\.\d{3} +200 +20$", row)
    letters = "".join(line.split(" ")[0] for line in lines)
    assert long_name in letters  # folded, and all there
    if columns >= 80:
        assert max(map(len, lines)) <= columns


def test_no_colour_in_a_pipe(files):
    assert "\x1b" not in run("compare", "human.npy", "good.npy", *QUICK)[1]


# What goes wrong


def test_missing_file(files):
    code, out, err = run("compare", "human.npy", "nowhere.npy")
    assert (code, out) == (1, "")
    assert re.fullmatch(r"error: 'nowhere\.npy' must be .* No such file was found\.\n", err)


@pytest.mark.parametrize("size", [0, 50, 1000])
def test_truncated_file(files, size):
    Path("cut.npy").write_bytes(Path("good.npy").read_bytes()[:size])
    result = invoke("compare", "human.npy", "cut.npy")
    assert result.exit_code == 1
    assert "error: 'cut.npy' could not be read as a .npy file of features" in result.stderr
    assert result.stderr.count("\n") == 1


def test_wrong_dimensions(files):
    np.save("flat.npy", np.zeros(200))
    np.save("wide.npy", np.random.default_rng(0).normal(size=(200, 9)))
    flat = invoke("compare", "human.npy", "flat.npy")
    assert flat.exit_code == 1
    assert "must have two dimensions" in flat.stderr
    wide = invoke("compare", "human.npy", "wide.npy")
    assert wide.exit_code == 1
    assert "'wide' must have as many features as 'human', 8. Got 9 instead" in wide.stderr


def test_text_and_features_cannot_be_mixed(files):
    Path("texts.txt").write_text("one text\n" * 20)
    result = invoke("compare", "human.npy", "texts.txt")
    assert result.exit_code == 1
    assert "must be all text or all features" in result.stderr


def test_file_name_that_is_too_long(files):
    for argument in ("x" * 300 + ".npy", "name=" + "x" * 300 + ".npy"):
        result = invoke("compare", "human.npy", argument)
        assert result.exit_code == 1
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "Missing argument"),
        (["compare", "human.npy"], "Missing argument 'SYSTEM'"),
        (["nonsense"], "No such command"),
        (["compare", "human.npy", "good.npy", "--nonsense"], "No such option"),
        (["compare", "human.npy", "good.npy", "--estimator", "magic"], "must be one of jackknife"),
        (["compare", "human.npy", "good.npy", "--interval", "magic"], "must be one of influence"),
        (["compare", "human.npy", "good.npy", "--order", "magic"], "must be one of norm-pca"),
        (["compare", "human.npy", "good.npy", "--buckets", "ten"], "a whole number or 'auto'"),
        (["compare", "human.npy", "good.npy", "--confidence", "1"], "above 0 and below 1"),
        (["compare", "human.npy", "good.npy", "--confidence", "nan"], "above 0 and below 1"),
        (["compare", "human.npy", "good.npy", "--margin", "0"], "above 0 and below 1"),
        (["compare", "human.npy", "good.npy", "--scaling", "0"], "must be above 0"),
        (["compare", "human.npy", "good.npy", "--scaling", "inf"], "must be above 0"),
        (["compare", "human.npy", "good.npy", "--explained-variance", "1.1"], "at most 1"),
        (["compare", "human.npy", "good.npy", "--permutations", "-1"], "--permutations"),
        (["compare", "human.npy", "good.npy", "--bootstrap", "2"], "--bootstrap"),
        (["compare", "human.npy", "good.npy", "--clusterings", "4"], "--clusterings"),
        (["compare", "human.npy", "good.npy", "--plot", "x.gif"], "must end in .png, .svg or .pdf"),
    ],
)
def test_usage_errors(files, arguments, message):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--buckets", "5000"], r"'num_buckets' parameter of compare must be an int in \[2, 100\]"),
        (["--clusterings", "7"], "must be a multiple of 5"),
        (["--device", "nonsense"], "must be a device of this machine"),
    ],
)
def test_errors_of_the_library(files, option, message):
    result = invoke("compare", "human.npy", "good.npy", *option)
    assert result.exit_code == 1
    assert re.search(f"^error: .*{message}", result.stderr)


def test_full_disk(files):
    with open("/dev/full", "w") as full:
        process = mauve_process(["compare", "human.npy", "good.npy", *QUICK], stdout=full)
        err = process.communicate(timeout=120)[1].decode()
    assert process.returncode != 0
    assert err.startswith("error: [Errno 28] No space left on device")


def test_a_bug_keeps_its_traceback():
    @one_line_errors
    def buggy():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        buggy()


def test_interrupt_exits_130():
    @one_line_errors
    def stopped():
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as stop:
        stopped()
    assert stop.value.exit_code == 130


def test_ctrl_c_half_way_leaves_nothing(files):
    # The named pipe tells when the program is past its start: it opens the prompts.
    os.mkfifo("prompts")
    np.save("long.npy", np.random.default_rng(0).normal(size=(1000, 8)))
    before = sorted(files.iterdir())
    long_work = ["--permutations", "200000", "--prompts", "prompts", "--plot", "curves.png"]
    # A shell that runs the tests in the background has all they start ignore Ctrl-C.
    attentive = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import mauve.cli; mauve.cli.main()"
    )
    process = mauve_process(
        ["compare", "long.npy", "other=long.npy", *long_work], program=("-c", attentive)
    )
    with open("prompts", "w") as prompts:
        prompts.writelines(f"prompt {i}\n" for i in range(1000))
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert out == b""
    assert err == b"error: interrupted\n"
    assert sorted(files.iterdir()) == before


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_reader_that_stops_early(files, more):
    systems = [f"system{i}=good.npy" for i in range(8)]
    process = mauve_process(["compare", "human.npy", *systems, *QUICK, *more])
    process.stdout.readline()
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=120)
    assert err == b""


# Prompts


def test_prompts(files):
    Path("prompts.txt").write_text("".join(f"prompt {i // 2}\n" for i in range(200)))
    arguments = ["compare", "human.npy", "good.npy", *QUICK, "--json"]
    found = json.loads(invoke(*arguments, "--prompts", "prompts.txt").stdout)
    expected = mauve.compare(
        "human.npy",
        {"good": "good.npy"},
        n_permutations=50,
        n_clusterings=5,
        prompts=[f"prompt {i // 2}" for i in range(200)],
    )
    assert found["results"] == expected.to_dict()["results"]


def test_blank_lines_and_odd_separators_are_prompts(files):
    # str.splitlines would make two lines of each of the first hundred.
    lines = [f"a\u2028{i}" for i in range(100)] + [""] * 5 + [f"b{i}" for i in range(95)]
    Path("prompts.txt").write_text("\n".join(lines), encoding="utf-8")
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--prompts", "prompts.txt")
    assert result.exit_code == 0


@pytest.mark.parametrize("n_lines", [0, 199, 201])
def test_wrong_number_of_prompts(files, n_lines):
    Path("prompts.txt").write_text("x\n" * n_lines)
    result = invoke("compare", "human.npy", "good.npy", "--prompts", "prompts.txt")
    assert result.exit_code == 1
    expected = (
        "error: The 'prompts' parameter of compare must have one prompt for each of the 200 texts "
        f"of 'human'. Got {n_lines} instead.\n"
    )
    assert result.stderr == expected


def test_prompts_that_cannot_be_read(files):
    Path("binary.txt").write_bytes(b"\xff\xfe\n" * 200)
    binary = invoke("compare", "human.npy", "good.npy", "--prompts", "binary.txt")
    assert binary.exit_code == 1
    assert "error: 'binary.txt' must be text in UTF-8" in binary.stderr
    missing = invoke("compare", "human.npy", "good.npy", "--prompts", "nowhere.txt")
    assert missing.exit_code == 1
    assert "error: 'nowhere.txt' must be a file with one prompt a line" in missing.stderr


# Pictures


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PDF", b"%PDF")]
)
def test_plot(files, name, start):
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--plot", name)
    assert result.exit_code == 0
    assert Path(name).read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["nowhere/a.png", "human.npy/a.png", "/proc/a.png", "folder.png"])
def test_plot_where_nothing_can_be_written(files, name):
    Path("folder.png").mkdir()
    # The missing system shows that the picture is checked first.
    result = invoke("compare", "human.npy", "nowhere.npy", "--plot", name)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: '{name}' ")
    assert result.stderr.count("\n") == 1


def test_runs_at_once_into_one_picture(files):
    Path("curves.png").write_bytes(b"old")
    before = sorted(files.iterdir())
    arguments = ["compare", "human.npy", "good.npy", *QUICK, "--plot", "curves.png"]
    processes = [mauve_process(arguments) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    picture = Path("curves.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert b"IEND" in picture[-12:]
    assert sorted(files.iterdir()) == before


def test_failed_run_keeps_the_old_picture(files):
    Path("curves.png").write_bytes(b"old")
    result = invoke("compare", "human.npy", "nowhere.npy", "--plot", "curves.png")
    assert result.exit_code == 1
    assert Path("curves.png").read_bytes() == b"old"


# Progress


def shown_at_a_terminal(monkeypatch, what, seconds):
    """Return what a terminal is sent by work of so many seconds."""
    ours, theirs = os.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with os.fdopen(theirs, "w") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with progress_bar(True) as report:
            report(what, 3, 7)
            time.sleep(seconds)
        stream.flush()
        shown = os.read(ours, 1 << 20).decode()
    os.close(ours)
    return shown


def test_progress_of_long_work(monkeypatch):
    shown = shown_at_a_terminal(monkeypatch, "clustering [red]\x1b[31m", 1.3)
    assert r"clustering [red]\x1b[31m" in shown
    assert "3/7" in shown


def test_no_progress_of_short_work(monkeypatch):
    assert "clustering" not in shown_at_a_terminal(monkeypatch, "clustering", 0)


def test_no_progress_where_nobody_looks(capsys):
    with progress_bar(True) as report:
        assert report is None  # stderr is no terminal under pytest
    with progress_bar(False) as report:
        assert report is None
    assert capsys.readouterr().err == ""


def test_another_quantizer(files):
    done = invoke(
        "compare", "human.npy", "good.npy", "--quantizer", "drmm", "--permutations", "0", "--json"
    )
    assert done.exit_code == 0, done.stderr
    assert "quant:drmm:3x3" in json.loads(done.stdout)["results"][0]["signature"]
    wrong = invoke("compare", "human.npy", "good.npy", "--quantizer", "som")
    assert wrong.exit_code == 2
    assert "must be one of kmeans, drmm, lattice" in " ".join(wrong.stderr.split())
