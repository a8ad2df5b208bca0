"""Cells are found by name, and traced to the texts, settings and signature behind them."""

import pytest

from mauve.errors import InvalidParameterError
from mauve.experiment.cell_names import cell_name, level_name
from mauve.experiment.cells import find_cell
from mauve.experiment.opened import open_experiment
from mauve.experiment.results import DIMENSIONS, read_results
from mauve.experiment.trace import show_cell


def test_every_row_is_found_by_its_whole_name(finished):
    results = read_results(finished[1])
    for row in results:
        levels = {each: level_name(each, getattr(row.setting, each)) for each in DIMENSIONS}
        name = "/".join(f"{each}={level}" for each, level in levels.items())
        assert find_cell(results, name) == ([row], None)


def test_every_cell_of_a_table_is_found_by_its_name(finished):
    results = read_results(finished[1])
    for row in results:
        for measure in row.values:
            rows, found = find_cell(results, cell_name(results, row.setting, measure))
            assert found == measure
            expected = results.select(**row.setting.without("seed"))
            assert rows == expected


def test_what_is_left_out_is_free_but_for_the_scoring(finished):
    results = read_results(finished[1])
    rows, measure = find_cell(results, "n-gram/ancestral/8/zipf")
    assert [row.setting.seed for row in rows] == [0, 1]
    assert measure == "zipf"
    rows, _ = find_cell(results, "length=16/scaling=1/seed=1")
    assert [row.setting.scaling for row in rows] == [1.0]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("", "there are no such rows"),
        ("gpt9", "nothing has this value"),
        ("model=gpt9", "model has the values n-gram"),
        ("measure=zapf", "the measures are mauve"),
        ("1", "write seed=1 or scaling=1"),
        ("seed=0/seed=1", "two values of seed"),
        ("greedy/seed=1", "there are no such rows"),
    ],
)
def test_other_names_are_refused(finished, cell, message):
    results = read_results(finished[1])
    with pytest.raises(InvalidParameterError, match=message):
        find_cell(results, cell)


def test_a_cell_is_traced_to_its_texts(finished):
    [row] = show_cell(finished[1], "greedy/8/mauve", n_texts=2)
    assert [*row.values] == ["mauve"]
    assert row.row.signature.startswith("mauve:")
    assert [step.kind for step in row.steps] == [
        "task", "generate", "embed", "embed", "score", "measure",
    ]  # fmt: skip
    assert len(row.texts) == 2
    [path] = (finished[1] / "samples").rglob("greedy/*.jsonl")
    content = path.read_text()
    for text in row.texts:
        assert text.human
        assert text.system.strip().split()[0] in content
        assert text.human != text.system


def test_what_is_no_experiment(tmp_path):
    with pytest.raises(InvalidParameterError, match="must be the folder of an experiment"):
        open_experiment(tmp_path)
