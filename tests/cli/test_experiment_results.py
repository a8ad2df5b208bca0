"""Commands that show what an experiment found: output, formats, exit codes and messages."""

import csv
import io
import json
from itertools import product

import pytest
import typer
from typer.testing import CliRunner

from mauve.cli.experiment_results import add_result_commands
from mauve.experiment.results import (
    ExperimentResults,
    GridRow,
    GridSetting,
    HumanRow,
    MeasureInfo,
    write_results,
)
from mauve.measures.intervals import Measured


@pytest.fixture(scope="module")
def app():
    app = typer.Typer()
    add_result_commands(app)
    return app


@pytest.fixture
def folder(tmp_path):
    def measured(value):
        return Measured(value, (value - 0.1, value + 0.1), 0.05)

    rows = tuple(
        GridRow(
            GridSetting("web", model, decoder, 0, length),
            {"mauve": measured((i + length) / 100), "zipf": measured(1 + i / 10)},
        )
        for i, (model, decoder) in enumerate(product(("small", "large"), ("greedy", "ancestral")))
        for length in (32, 64)
    )  # fmt: skip
    human = tuple(HumanRow("web", n, "bundled", 9, {"zipf": measured(1.02)}) for n in (32, 64))
    measures = (
        MeasureInfo("zipf", "Zipf", "human", True),
        MeasureInfo("mauve", "MAUVE", "higher", False),
    )
    base = {"embedder": "bundled", "n": 9}
    rows = tuple(GridRow(GridSetting(**{**vars(row.setting), "n": 9}), row.values) for row in rows)
    write_results(ExperimentResults("study", base, measures, rows, human), tmp_path)
    return tmp_path


def run(app, *arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_table_prints_rows_and_caption(app, folder):
    result = run(app, "table", folder)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["model", "decoder", "Zipf", "≈", "MAUVE", "↑"]
    assert any(line.startswith("human") for line in lines)
    assert "length 64" in result.stdout


def test_formats_have_the_same_cells(app, folder):
    records = [*csv.DictReader(io.StringIO(run(app, "table", folder, "--csv").stdout))]
    cells = json.loads(run(app, "table", folder, "--json").stdout)["cells"]
    assert [cell["cell"] or "" for cell in cells] == [record["cell"] for record in records]
    assert run(app, "table", folder, "--markdown").stdout.startswith("| model | decoder |")
    latex = run(app, "table", folder, "--latex", "--transpose", "--gaps").stdout
    assert r"\textbf{Zipf}($\downarrow$)" in latex


def test_where_selects_rows(app, folder):
    result = run(app, "table", folder, "--csv", "--where", "model=small", "--where", "length=all")
    cells = {record["cell"] for record in csv.DictReader(io.StringIO(result.stdout))}
    assert "small/greedy/32/mauve" in cells
    assert not any("large" in cell for cell in cells)


def test_plot_writes_a_picture(app, folder, tmp_path):
    out = tmp_path / "length.png"
    result = run(app, "plot", folder, "length", "--out", out, "--measures", "zipf,mauve")
    assert result.exit_code == 0
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_export_says_what_is_there_and_what_is_not(app, folder, tmp_path):
    result = run(app, "export", folder, "--out", tmp_path / "out", "--format", "svg")
    assert result.exit_code == 0
    assert "note: no figure-curves-small: " in result.stderr
    assert (tmp_path / "out" / "index.md").is_file()
    assert (tmp_path / "out" / "figure-length-small.svg").is_file()


def test_correlate_reads_scores_from_outside(app, folder, tmp_path):
    scores = tmp_path / "people.csv"
    scores.write_text(
        "model,decoder,liked\n"
        "small,greedy,1\nsmall,ancestral,2\nlarge,greedy,3\nlarge,ancestral,4\n"
    )
    result = run(app, "correlate", folder, "--scores", scores, "--json")
    found = json.loads(result.stdout)["correlations"]
    assert [(row["first"], row["rho"]) for row in found] == [("Zipf", -1.0), ("MAUVE", 1.0)]
    shown = run(app, "correlate", folder, "--scores", scores, "--lower", "liked")
    assert "-1.000" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["table", "--csv", "--json"], 2, "--csv and --json are different formats: give one."),
        (["table", "--transpose"], 2, "--transpose needs --latex"),
        (["table", "--where", "size=1"], 2, "--where must be NAME=VALUE"),
        (["table", "--where", "model=huge"], 2, "model has small, large"),
        (["table", "--measures", "bleu"], 1, "must be one of zipf, mauve"),
        (["plot", "pie", "--out", "x.png"], 2, "pie"),
        (["plot", "length", "--out", "x.gif"], 1, "must end in .png, .svg or .pdf"),
        (["plot", "scaling", "--out", "x.png"], 1, "varies no scaling"),
        (["correlate", "--lower", "x"], 2, "--lower needs --scores"),
        (["correlate", "--against", "bleu"], 1, "must be one of zipf, mauve"),
    ],
)
def test_mistakes_are_one_sentence(app, folder, arguments, code, message, monkeypatch):
    monkeypatch.chdir(folder)
    result = run(app, arguments[0], folder, *arguments[1:])
    assert result.exit_code == code
    assert message in " ".join(result.stderr.split()).replace("│ ", "")
    assert not (folder / "x.png").exists()


def test_a_folder_without_results_says_what_to_do(app, tmp_path):
    result = run(app, "table", tmp_path)
    assert result.exit_code == 1
    assert "run it first" in result.stderr
