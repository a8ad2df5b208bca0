"""Names of cells: short, unique, and found again."""

import pytest
from grids import measured, paper_grid, setting, sweep_grid

from mauve.errors import InvalidParameterError
from mauve.experiment.cells import cell_name, find_cell, table_cells
from mauve.experiment.results import ExperimentResults, GridRow


def test_every_value_is_in_the_cell_of_its_name():
    results = paper_grid()
    cells = table_cells(results)
    assert len(cells) == 12
    for row in results:
        for measure in row.values:
            assert row in cells[cell_name(results, row.setting, measure)].rows


def test_a_cell_has_all_seeds():
    cell = find_cell(paper_grid(), "small/nucleus:p=0.9/mauve")
    assert [row.setting.seed for row in cell.rows] == [0, 1, 2]
    assert {row.setting.model for row in cell.rows} == {"small"}


def test_scoring_is_named_where_it_is_not_the_base():
    results = sweep_grid("num_buckets", (10, 50), lambda *_: 0.5)
    assert [*table_cells(results)] == [
        "greedy/k=10/mauve", "ancestral/k=10/mauve", "greedy/mauve", "ancestral/mauve",
    ]  # fmt: skip


def test_a_wrong_name_lists_those_like_it():
    with pytest.raises(InvalidParameterError, match="no cell 'smal/greedy/mauve': it has small/gr"):
        find_cell(paper_grid(), "smal/greedy/mauve")


def test_two_settings_with_one_name_are_refused():
    rows = tuple(
        GridRow(setting(model, decoder), {"mauve": measured(0.5)})
        for model, decoder in (("a/b", "c"), ("a", "b/c"))
    )
    with pytest.raises(InvalidParameterError, match="cells of one name, 'a/b/c/mauve'"):
        table_cells(ExperimentResults("study", {}, (), rows, ()))
