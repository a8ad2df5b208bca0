"""Tables at the terminal."""

import json
import re

import numpy as np
import pytest
from running import QUICK, invoke, run

import mauve
from mauve.cli.render import comparison_legend


def test_table_has_scores_differences_and_signature(features):
    result = invoke("compare", "human.npy", "bad.npy", "good.npy", *QUICK)
    assert (result.exit_code, result.stderr) == (0, "")
    out = result.stdout
    assert out.index("good") < out.index("bad")  # best first
    for column in ("MAUVE", "interval", "ceiling", "(= human)", "type", "n", "k"):
        assert column in out
    assert "(Holm)" in out
    assert "against 200 human texts, human.npy" in out
    assert f"signature: mauve:{mauve.__version__}|" in out


def test_confidence_is_not_rounded_in_the_heading(features):
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--confidence", "0.975")
    assert "97.5%" in result.stdout


def test_no_permutations_leave_their_columns_out(features):
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--n-permutations", 0, "--quiet")
    assert result.exit_code == 0
    assert "ceiling" not in result.stdout
    assert "(= human)" not in result.stdout


def test_one_system_has_no_differences(features):
    assert "(Holm)" not in invoke("compare", "human.npy", "good.npy", *QUICK).stdout


def test_margin_adds_equivalence(features):
    arguments = ["compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--margin", "0.2"]
    tables, legend = invoke(*arguments).stdout.split("MAUVE is 1")
    assert tables.count("(within") == tables.count("0.2)") == 2  # scores and differences
    assert "p (within 0.2) says that MAUVE is above 0.8" in " ".join(legend.split())
    result = json.loads(invoke(*arguments, "--json").stdout)
    assert result["margin"] == 0.2
    good, bad = result["results"]
    assert good["p_equivalence"] < bad["p_equivalence"]
    assert result["differences"][0]["p_equivalence"] > 0.5


def test_legend_defines_what_the_tables_have(features):
    def legend(*systems, **options):
        named = {name: f"{name}.npy" for name in systems}
        comparison = mauve.compare("human.npy", named, n_clusterings=5, **options)
        return comparison_legend(comparison, None)

    alone = legend("good", n_permutations=0)
    for symbol in ("KL(Q|R)", "KL(P|R)", "P ", "Q ", "R:", "n is", "Classifier is"):
        assert symbol in alone
    assert "ceiling" not in alone
    assert "Holm" not in alone
    both = legend("good", "bad", n_permutations=50)
    assert "below 0.05 it is distinguishable from human text" in both
    assert "p (Holm) is" in both


def test_quiet_prints_tables_and_warnings_only(features):
    np.save("few.npy", np.load("good.npy")[:50])
    result = invoke("compare", "human.npy", "few.npy", *QUICK, "--quiet")
    assert result.exit_code == 0
    assert "warning: 'few' has 50 texts" in result.stderr
    assert all(line.startswith("warning: ") for line in result.stderr.splitlines())
    assert "signature" not in result.stdout
    assert "few" in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "printed"),
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
def test_names_are_printed_literally(features, name, printed):
    result = invoke("compare", "human.npy", f"{name}=good.npy", "bad.npy", *QUICK)
    assert result.exit_code == 0
    assert printed in result.stdout
    assert "\x1b" not in result.output


@pytest.mark.slow
def test_a_name_that_is_no_text(features):
    code, out, _ = run("compare", "human.npy", b"\xff=good.npy", *QUICK)
    assert code == 0
    assert r"\udcff" in out


@pytest.mark.slow
def test_a_terminal_that_lacks_the_letters(features):
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    code, out, err = run("compare", "human.npy", "é=good.npy", *QUICK, env=ascii_only)
    assert (code, err) == (0, "")
    assert r"\xe9" in out


@pytest.mark.slow
@pytest.mark.parametrize("columns", [20, 40, 80, 200])
@pytest.mark.parametrize("more", [[], ["--margin", "0.05"]])
def test_numbers_are_never_cut(features, columns, more):
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
        assert re.search(r"\d\.\d{4} +(\d\.\d{4} +|<\.0001 +)?\d\.\d{3} +\d\.\d{3} +200$", row)
        interval, classifier = re.search(r"(0\.\d{3} - [01]\.\d{3}) +([01]\.\d{3}) ", row).groups()
        assert interval.endswith("1.000") or float(classifier) < 1
    letters = "".join(line.split(" ")[0] for line in lines)
    assert long_name in letters  # folded, and all there
    if columns >= 80:
        assert max(map(len, lines)) <= columns


@pytest.mark.slow
def test_no_colour_in_a_pipe(features):
    assert "\x1b" not in run("compare", "human.npy", "good.npy", *QUICK)[1]
