"""Names of cells: short, and no two alike."""

from grids import measured, paper_grid, setting, sweep_grid

from mauve.experiment.cell_names import CellNames
from mauve.experiment.cells import find_cell
from mauve.experiment.results import GridRow, read_results
from mauve.experiment.tabulation import make_table


def test_settings_that_differ_in_more_than_the_seed_have_names_of_their_own():
    results = paper_grid()
    names = {CellNames(results).cell(row.setting, "mauve"): row.setting.without("seed")
             for row in results}  # fmt: skip
    assert len(names) == 6
    assert names["small/nucleus:p=0.9/mauve"]["decoder"] == "nucleus:p=0.9"


def test_scoring_is_named_where_it_is_not_the_base():
    results = sweep_grid("num_buckets", (10, 50), lambda *_: 0.5)
    names = CellNames(results)
    assert list(dict.fromkeys(names.cell(row.setting, "mauve") for row in results)) == [
        "greedy/num_buckets=10/mauve", "ancestral/num_buckets=10/mauve", "greedy/mauve",
        "ancestral/mauve",
    ]  # fmt: skip


def test_a_value_of_two_dimensions_has_the_name_of_its_own():
    rows = tuple(
        GridRow(setting(model, "greedy", 0, length), {"mauve": measured(0.5)})
        for model in ("64", "128")
        for length in (64, 32)
    )
    results = paper_grid(rows=rows)
    assert CellNames(results).cell(rows[0].setting, "zipf") == "model=64/greedy/length=64/zipf"
    assert CellNames(results).cell(rows[3].setting, "zipf") == "128/greedy/32/zipf"


def test_the_names_of_a_real_table_are_found(finished):
    results = read_results(finished[1])
    for columns in ("measure", "scaling", "length"):
        table = make_table(results, columns=columns)
        for numbers, cells, column_numbers in zip(
            table.names, table.cells, table.numbers, strict=True
        ):
            for name, number in zip(cells, column_numbers, strict=True):
                if name is not None:
                    rows, measure = find_cell(results, name)
                    values = [row.values[measure].value for row in rows]
                    assert sum(values) / len(values) == number.mean, numbers
