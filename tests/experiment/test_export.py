"""All tables and figures in a folder: complete, atomic, and the same each time."""

import json

import pytest
from grids import measured, paper_grid, setting, sweep_grid

from mauve.errors import InvalidParameterError, OutputError
from mauve.experiment.export import export_experiment
from mauve.experiment.results import ExperimentResults, GridRow
from mauve.experiment.tabulation import make_table


@pytest.mark.slow
def test_the_index_lists_all_files_and_the_rest_says_why(tmp_path):
    results = sweep_grid("scaling", (1.0, 5.0), lambda d, c, s: 0.5 + s / 10)
    exported = export_experiment(results, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(exported.files)
    index = (tmp_path / "index.md").read_text("utf-8")
    assert "(figure-scaling.pdf)" in index
    assert "## table-scaling" in index
    assert "varies no length" in exported.left_out["figure-length"]


@pytest.mark.slow
def test_files_hold_the_table(tmp_path):
    export_experiment(paper_grid(), tmp_path)
    table = make_table(paper_grid())
    assert (tmp_path / "table-values.tex").read_text("utf-8") == table.to_latex() + "\n"
    assert (tmp_path / "table-values.csv").read_text("utf-8") == table.to_csv()
    assert json.loads((tmp_path / "table-values.json").read_text("utf-8")) == table.to_dict()
    gaps = make_table(paper_grid(), gaps=True)
    assert (tmp_path / "table-gaps.md").read_text("utf-8") == gaps.to_markdown() + "\n"


@pytest.mark.slow
def test_many_models_have_figures_of_their_own(tmp_path):
    rows = tuple(
        GridRow(setting(model, decoder, 0, length), {"mauve": measured(0.5 + i / 9)})
        for model in ("org/a", "b")
        for i, decoder in enumerate(("greedy", "ancestral", "temperature:0.5", "nucleus:p=0.9"))
        for length in (32, 64)
    )
    results = paper_grid(rows=rows, human=())
    files = export_experiment(results, tmp_path, picture=".svg").files
    assert {"figure-length-org-a.svg", "figure-length-b.svg"} <= set(files)
    again = export_experiment(results, tmp_path / "again", picture=".svg").files
    for name in again:
        assert (tmp_path / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_what_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be made"):
        export_experiment(paper_grid(), tmp_path / "file" / "folder")
    with pytest.raises(InvalidParameterError, match=r"'picture' .* must be one of '\.png'"):
        export_experiment(paper_grid(), tmp_path, picture=".gif")


def test_an_empty_experiment_writes_why(tmp_path):
    results = ExperimentResults("empty", {}, (), (), ())
    exported = export_experiment(results, tmp_path)
    assert exported.files == ("index.md",)
    assert "no results yet" in exported.left_out["table-values"]
