"""Full disks and folders that cannot be written: results are printed first, files are named."""

import html
import json
import re
import resource
import subprocess

import numpy as np
import pytest
from running import ENV, QUICK, invoke, start, word_texts

LIMIT = 2048  # bytes, less than any picture, report or file of features


def run_on_full_disk(*arguments):
    """Run a command whose files cannot grow beyond a limit, as on a full disk."""
    process = start(
        *arguments,
        text=True,
        env={**ENV, "COLUMNS": "80"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, LIMIT)),
    )
    out, err = process.communicate(timeout=300)
    return process.returncode, out, err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        ("compare", "--plot", "curves.png"),
        ("compare", "--report", "report.html"),
        ("compare", "--save", "saved.mauve"),
        ("explain", "--texts", "texts.jsonl"),
        ("explain", "--report", "report.html"),
    ],
)
def test_a_full_disk_loses_no_result(features, command, option, name):
    (features / name).write_bytes(b"old")
    before = sorted(features.iterdir())
    code, out, err = run_on_full_disk(
        command, "human.npy", "bad.npy", *QUICK, "--n-permutations", "500", "--json", option, name
    )
    assert code == 1
    assert json.loads(out)["results"][0]["name"] == "bad"
    assert err == (
        f"error: '{name}' cannot be written (File too large): make space, or name a file in "
        "another folder.\n"
    )
    assert (features / name).read_bytes() == b"old"
    assert sorted(features.iterdir()) == before  # no temporary file


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.npy", "out.safetensors"])
def test_features_on_a_full_disk(features, name):
    (features / "texts.txt").write_text("\n".join(word_texts(0, 20)))
    before = sorted(features.iterdir())
    code, out, err = run_on_full_disk("embed", "texts.txt", "-o", name, "--no-cache")
    assert (code, out) == (1, "")
    assert err.startswith(f"error: '{name}' cannot be written (")  # NumPy does not say why
    assert err.count("\n") == 1
    assert sorted(features.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", "human.npy", "good.npy", *QUICK],
        ["compare", "human.npy", "good.npy", *QUICK, "--json"],
        ["measure", "human.npy", "good.npy", "--measures", "frechet", "--csv"],
        ["measure", "--list"],
        ["compare", "--help"],
        ["cache", "path"],
        ["cache", "info"],
        ["--version"],
    ],
)
def test_standard_output_that_is_full_is_named(features, arguments):
    with open("/dev/full", "w") as full:
        process = start(*arguments, stdout=full, stderr=subprocess.PIPE, text=True)
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert err == (
        "error: Standard output cannot be written (No space left on device): make space, or send "
        "it elsewhere.\n"
    )


def test_quiet_hides_no_warning(features):
    np.save("few.npy", np.load("good.npy")[:50])
    quiet = invoke("compare", "human.npy", "few.npy", *QUICK, "--quiet")
    usual = invoke("compare", "human.npy", "few.npy", *QUICK)
    assert "warning: 'few' has 50 texts" in quiet.stderr
    assert quiet.stderr == usual.stderr
    measured = ["measure", "human.npy", "few.npy", "--measures", "vendi"]
    assert "warning: 'few' has 50 texts" in invoke(*measured, "--quiet").stderr


@pytest.mark.slow
def test_quiet_hides_no_warning_of_other_commands(features, tmp_path):
    np.save("few.npy", np.load("good.npy")[:50])
    arguments = ["human.npy", "few.npy", "--n-permutations", 500, "--n-clusterings", 5, "--quiet"]
    assert "warning: 'few' has 50 texts" in invoke("explain", *arguments).stderr
    (features / "long.txt").write_text("and so on " * 1000 + "\nshort\n")
    done = invoke("embed", "long.txt", "-o", "long.npy", "--quiet")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "warning: 1 texts are longer than the embedder reads.\n" in done.stderr


@pytest.mark.slow
def test_a_report_prints_all_warnings_of_its_page(features):
    rows = {"human": word_texts(0), "good": word_texts(1), "odd": ["the the the the the"] * 120}
    for name, texts in rows.items():
        (features / f"{name}.txt").write_text("\n".join(texts))
    done = invoke(
        "compare", "human.txt", "good.txt", "odd.txt", *QUICK, "--report", "report.html", "--quiet"
    )
    assert done.exit_code == 0, done.stderr
    page = (features / "report.html").read_text()
    printed = [line.removeprefix("warning: ") for line in done.stderr.splitlines()]
    assert any(line.startswith("zipf of 'odd' is undefined (--)") for line in printed)
    assert any("change with the size of a sample" in line for line in printed)
    assert len(printed) == len(set(printed))
    section = page.partition('<section id="warnings"')[2].partition("</section>")[0]
    assert printed == [html.unescape(line) for line in re.findall("<li>(.*?)</li>", section)]
