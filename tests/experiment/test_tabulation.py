"""Tables of experiments: the paper's numbers, marks by hand, and what is missing."""

import csv
import io
import json
import math
import re

import pytest
from grids import MEASURES, measured, paper_grid, setting, sweep_grid

from mauve.errors import InvalidParameterError
from mauve.experiment.cell_names import CellNames
from mauve.experiment.results import ExperimentResults, GridRow, MeasureInfo
from mauve.experiment.tabulation import make_table
from mauve.measures.intervals import Measured


def test_values_are_those_of_the_paper():
    table = make_table(paper_grid(), ["perplexity", "mauve"])
    assert table.to_text() == (
        "model  decoder        Gen. PPL ≈        MAUVE ↑\n"
        "small  ancestral      101.9 ±0.6   0.589 ±0.018\n"
        "small  greedy                1.2          0.008\n"
        "small  nucleus:p=0.9   23.8 ±0.1   0.878 ±0.006\n"
        "large  ancestral       30.1 ±0.2   0.845 ±0.010\n"
        "large  greedy                1.2          0.012\n"
        "large  nucleus:p=0.9  13.5 ±0.1*  0.936 ±0.003*\n"
        "human                       12.6             --"
    )


def test_gaps_are_those_of_the_main_paper():
    """Of table 3, whose perplexities are the gaps of the means of table 6."""
    table = make_table(paper_grid(), ["perplexity"], gaps=True)
    gaps = [number.gap for (number,) in table.numbers]
    expected = [101.88, 1.224, 23.788, 30.08, 1.232, 13.499]
    assert all(math.isclose(g, abs(e - 12.602)) for g, e in zip(gaps, expected, strict=True))
    assert table.columns[0].mark == "↓"
    assert table.n_human == 0
    assert [cell.is_best for cell in table.columns[0].cells] == [False] * 5 + [True]


def test_the_best_is_that_of_texts_of_one_length():
    results = sweep_grid("length", (32, 64), lambda d, length, _: length / 100 + (d == "greedy"))
    table = make_table(results, levels={"length": "all"})
    assert table.headings == ("length", "decoder")
    best = [name for name, (cell,) in zip(table.names, table.rows(), strict=True) if cell.is_best]
    assert best == [("32", "greedy"), ("64", "greedy")]


def test_columns_can_be_the_levels_of_a_dimension():
    results = sweep_grid("num_buckets", (50, 10, "auto"), lambda d, k, _: (k == 10) / 2)
    table = make_table(results, columns="num_buckets")
    assert [column.title for column in table.columns] == ["k=auto", "k=10", "k=50"]
    assert [[number.mean for number in row] for row in table.numbers] == [[0, 0.5, 0]] * 2


def test_columns_of_lengths_have_human_text_of_each_length():
    results = paper_grid()
    table = make_table(results, ["perplexity"], columns="length")
    assert table.names[-1] == ("human", "")
    assert table.numbers[-1][0].mean == 12.602


def test_all_cells_of_a_table_can_be_shown():
    results = paper_grid()
    names = [name for row in make_table(results).cells for name in row if name]
    assert set(names) == {
        CellNames(results).cell(row.setting, measure) for row in results for measure in row.values
    }
    assert len(names) == 12


LATEX_SPECIAL = re.compile(r"(?<!\\)[&%#_]")


def test_latex_has_booktabs_rules_subscripts_and_escapes():
    rows = [
        GridRow(setting("a_b&c%", "top-k:k=50#", seed), {"mauve": measured(0.5 + seed / 10)})
        for seed in (0, 1)
    ] + [GridRow(setting("a_b&c%", "greedy"), {"mauve": measured(0.1)})]
    results = paper_grid(rows=tuple(rows), human=())
    latex = make_table(results, ["mauve"]).to_latex()
    assert r"$\mathbf{0.55}_{0.07}$" in latex
    assert r"$0.10$" in latex
    assert latex.splitlines()[1:4:2] == [r"\toprule", r"\midrule"]
    by_model = make_table(paper_grid(rows=tuple(rows), human=()), ["mauve"], columns="model")
    assert r"\textbf{a\_b\&c\%}" in by_model.to_latex()
    for line in latex.splitlines()[4:6]:
        name = line.split(" & ")[0]
        assert not LATEX_SPECIAL.search(name)
    assert r"top-k:k=50\#" in latex


def test_latex_parts_models_and_human_text_by_rules():
    lines = make_table(paper_grid()).to_latex().splitlines()
    rules = [i for i, line in enumerate(lines) if line == r"\midrule"]
    assert lines[rules[1] + 1].startswith("large & ancestral")
    assert lines[rules[2] + 1].startswith("human & ")
    assert lines[5].startswith(" & greedy")  # the model is named once


def test_transposed_latex_has_measures_in_rows():
    latex = make_table(paper_grid(), gaps=True).to_latex(transposed=True)
    lines = latex.splitlines()
    assert lines[2].split(" & ")[1] == r"\textbf{small}"
    assert lines[3].split(" & ")[1] == r"\textbf{ancestral}"
    assert [line.split(" & ")[0] for line in lines[5:8]] == [
        r"\textbf{Gen. PPL}($\downarrow$)",
        r"\textbf{Fréchet}($\downarrow$)",
        r"\textbf{MAUVE}($\uparrow$)",
    ]
    assert all(line.count("&") == 6 for line in lines[2:8] if "&" in line)


def test_csv_and_json_have_all_digits_and_cells():
    table = make_table(paper_grid())
    records = [*csv.DictReader(io.StringIO(table.to_csv()))]
    assert len(records) == 7 * 3
    first = next(r for r in records if r["cell"] == "small/ancestral/mauve")
    assert math.isclose(float(first["mean"]), 0.589)
    assert math.isclose(float(first["deviation"]), 0.018)
    cells = json.loads(json.dumps(table.to_dict(), allow_nan=False))["cells"]
    assert [cell["cell"] or "" for cell in cells] == [record["cell"] for record in records]
    assert [c["measure"] for c in cells if c["is_human"]] == ["perplexity", "frechet", "mauve"]


def test_infinity_is_marked_in_json():
    infinite = measured(math.inf, 0.0)
    results = paper_grid(rows=(GridRow(setting(), {"perplexity": infinite}),))
    table = make_table(results, ["perplexity"])
    assert "∞" in table.to_text()
    cell = json.loads(json.dumps(table.to_dict(), allow_nan=False))["cells"][0]
    assert (cell["mean"], cell["infinite"]) == (None, True)


def test_no_number_is_two_dashes_and_a_warning():
    rows = (
        GridRow(setting(seed=0), {"mauve": measured(math.nan)}),
        GridRow(setting(seed=1), {"mauve": measured(0.5)}),
        GridRow(setting(decoder="beam:b=4"), {"mauve": measured(math.nan)}),
    )
    table = make_table(paper_grid(rows=rows, human=()), ["mauve"])
    assert [str(cell) for cell in table.columns[0].cells] == ["0.50", "--"]
    assert table.warnings == (
        "Some seeds have no value, and are left out of: greedy/mauve (1 of 2 seeds), "
        "beam:b=4/mauve (0 of 1 seeds).",
    )


def test_what_has_no_standard_error_has_no_deviation():
    """Such as the p-value of a score, which is equal for all seeds here."""
    unknown = Measured(0.005, (-math.inf, math.inf), math.inf)
    rows = tuple(GridRow(setting(seed=seed), {"mauve": unknown}) for seed in (0, 1))
    rows += (GridRow(setting(decoder="beam:b=4"), {"mauve": unknown}),)
    table = make_table(paper_grid(rows=rows, human=()), ["mauve"])
    assert [str(cell) for cell in table.columns[0].cells] == ["0.005 ±0.000*", "0.005*"]
    single = make_table(paper_grid(rows=rows[2:], human=()), ["mauve"])
    assert [str(cell) for cell in single.columns[0].cells] == ["0.005"]


def test_numbers_beside_a_score_are_shown_if_asked_for():
    ceiling = MeasureInfo("ceiling", "ceiling", "higher", False)
    results = paper_grid(measures=(*MEASURES, ceiling))
    assert [column.measure for column in make_table(results).columns][-1] == "mauve"
    assert make_table(results, ["ceiling"]).columns[0].measure == "ceiling"


def test_an_unfinished_experiment_says_so():
    results = paper_grid()
    unfinished = ExperimentResults(
        "study", results.base, results.measures, results.rows, results.human, is_complete=False
    )
    assert "not complete" in make_table(unfinished).warnings[0]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"columns": "seed"}, "'columns' .* must be one of measure, task, model"),
        ({"levels": {"size": 1}}, "'levels' .* must be among task, model"),
        ({"levels": {"model": "huge"}}, "no results for model huge: it has model small, large"),
        ({"measures": ["bleu"]}, "must be one of perplexity, frechet, mauve"),
        ({"measures": ["mauve", "perplexity"], "columns": "model"}, "one measure, as columns"),
    ],
)
def test_what_is_not_there_is_named(keywords, message):
    with pytest.raises(InvalidParameterError, match=message):
        make_table(paper_grid(), **keywords)


def test_an_empty_experiment_says_what_to_do():
    with pytest.raises(InvalidParameterError, match="no results yet: run the experiment first"):
        make_table(paper_grid(rows=(), human=()))
