"""Intervals of gaps, ranking, tables, JSON, CSV and LaTeX."""

import csv
import io
import json

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Estimate, deal_texts
from mauve.measures.protocol import Measure
from mauve.measures.results import Measured, Measurements, measured
from mauve.tables import latex_escaped


def _measure(name, direction, **options):
    options.setdefault("is_statistic", direction == "human")
    return Measure(
        name=name, title=name.title(), direction=direction, needs=frozenset({"tokens"}),
        estimate=None, **options,
    )  # fmt: skip


GROUPS = deal_texts(np.arange(100, dtype=np.uint64))
ZIPF = _measure("zipf", "human")
REPEATS = _measure("repeats", "human", low=0.0, high=1.0, is_share=True)
DISTANCE = _measure("distance", "lower")


def _found(**systems):
    human = Estimate(1.0, np.full(50, 0.001))
    rows = {
        name: {
            "zipf": measured(Estimate(zipf, np.full(50, 0.001)), human, ZIPF, 0.95, GROUPS, GROUPS),
            "distance": Measured(distance, (distance - 0.1, distance + 0.1), 0.05),
        }
        for name, (zipf, distance) in systems.items()
    }
    return Measurements(
        [ZIPF, DISTANCE],
        {"zipf": measured(human, None, ZIPF, 0.95, GROUPS, GROUPS)},
        rows,
        human_name="human",
        n_texts={"human": 100, **dict.fromkeys(systems, 100)},
        models={},
        confidence=0.95,
        signature="mauve:test",
    )


@pytest.fixture
def found():
    return _found(good=(1.05, 3.0), bad=(1.5, 1.0), worse=(0.2, 2.0))


def test_the_gap_is_an_absolute_value_with_an_interval_above_zero():
    people, low_one = Estimate(1.0, np.full(50, 0.01)), Estimate(0.2, np.full(50, 0.01))
    cell = measured(low_one, people, ZIPF, 0.95, GROUPS, GROUPS)
    assert cell.gap == pytest.approx(0.8)
    assert 0.55 < cell.gap_interval[0] < 0.8 < cell.gap_interval[1] < 1.05
    assert cell.gap_error == pytest.approx(np.sqrt(2 * 50) * 0.01)
    same = measured(people, people, ZIPF, 0.95, GROUPS, GROUPS)
    assert same.gap == 0
    assert same.gap_interval[0] == 0
    assert same.gap_interval[1] > 0


def test_the_gap_of_two_shares_of_zero_is_uncertain():
    """No repetition in 100 texts of either side does not prove that there is no difference."""
    none = Estimate(0.0, np.zeros(50))
    low, high = measured(none, none, REPEATS, 0.95, GROUPS, GROUPS).gap_interval
    assert low == 0
    assert 0.03 < high < 0.08


def test_gap_of_a_symmetric_interval_is_that_of_student():
    one, other = Estimate(2.0, np.full(50, 0.02)), Estimate(1.0, np.full(50, 0.01))
    gap = one.gap_to(other)
    cell = measured(one, other, ZIPF, 0.95, GROUPS, GROUPS)
    assert cell.gap_interval == pytest.approx(gap.interval(0.95))


def test_paired_prompts_narrow_the_gap():
    moves = np.full(50, 0.02)
    paired = [Estimate(value, moves, by_prompt=True) for value in (2.0, 1.0)]
    cell = measured(*paired, ZIPF, 0.95, GROUPS, GROUPS)
    assert cell.gap_interval == pytest.approx((1.0, 1.0))


def test_rank_follows_the_direction(found):
    assert found.rank("zipf") == ["good", "bad", "worse"]  # nearest to human
    assert found.rank("distance") == ["bad", "worse", "good"]
    assert found.best("zipf") == ["good"]


def test_ties_are_both_best():
    assert _found(a=(1.1, 1.0), b=(0.9, 1.0)).best("distance") == ["a", "b"]


def test_an_unknown_measure_is_named(found):
    with pytest.raises(InvalidParameterError, match=r"one of 'zipf', 'distance'\. Got 'bleu'"):
        found.rank("bleu")


def test_table_has_human_in_a_row_of_its_own(found):
    lines = found.table().splitlines()
    assert lines[0].split() == ["system", "Zipf", "≈", "Distance", "↓"]
    assert lines[-1].startswith("human")
    assert lines[-1].endswith("--")  # no distance to itself
    assert "*" in lines[1]


def test_table_of_gaps_leaves_human_out(found):
    lines = found.table(gaps=True).splitlines()
    assert [line.split()[0] for line in lines] == ["system", "good", "bad", "worse"]
    assert lines[0].split() == ["system", "Zipf", "↓", "Distance", "↓"]
    assert lines[1].split()[1] == "0.050"


def test_what_is_missing_is_shown_as_such(found):
    del found["good"]["distance"]
    assert found.table().splitlines()[1].endswith("--")
    assert found.rank("distance") == ["bad", "worse"]


def test_infinity_is_shown_and_is_valid_json(found):
    found["good"]["distance"] = Measured(np.inf, (np.inf, np.inf), 0.0)
    assert "∞" in found.table()
    assert r"$\infty$" in found.to_latex()
    entry = json.loads(json.dumps(found.to_dict(), allow_nan=False))["systems"][0]["measures"]
    assert entry["distance"]["value"] is None
    assert entry["distance"]["infinite"] is True


def test_json_has_everything(found):
    held = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert held["human"]["measures"]["zipf"]["value"] == 1.0
    assert [system["name"] for system in held["systems"]] == ["good", "bad", "worse"]
    assert held["systems"][0]["measures"]["zipf"]["gap"] == pytest.approx(0.05)
    assert held["measures"][0] == {"name": "zipf", "title": "Zipf", "direction": "human"}


def test_csv_is_one_line_a_system_and_measure(found):
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(rows) == 3 * 2 + 1  # human has no distance to itself
    first = rows[0]
    assert (first["system"], first["measure"], first["best"]) == ("good", "zipf", "1")
    assert float(first["low"]) < float(first["value"]) < float(first["high"])
    assert rows[-1]["system"] == "human"
    assert rows[-1]["gap"] == ""


def test_latex_is_in_the_papers_layout(found):
    lines = found.to_latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r"\textbf{System} & \textbf{Zipf} & \textbf{Distance}($\downarrow$) \\"
    assert lines[4].startswith(r"good & $\mathbf{1.050}_{0.007}$ &")
    assert lines[-3].startswith("human & $1.000_{0.007}$ & --")
    assert lines[-4] == r"\midrule"
    gaps = found.to_latex(gaps=True)
    assert "human" not in gaps
    assert r"\textbf{Zipf}($\downarrow$)" in gaps


def test_hostile_names_are_shown_as_text():
    found = _found(**{"a_b\\input{x}&\x1b[31m": (1.0, 1.0)})
    assert "\x1b" not in found.table()
    assert "\x1b" not in found.to_latex()
    assert r"a\_b\textbackslash{}input\{x\}\&" in found.to_latex()
    assert latex_escaped("50% ~ $x^2$ #1") == (
        r"50\% \textasciitilde{} \$x\textasciicircum{}2\$ \#1"
    )
