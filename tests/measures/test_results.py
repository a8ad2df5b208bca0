"""Ranking, tables, JSON, CSV and LaTeX."""

import csv
import io
import json

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Estimate, deal_texts
from mauve.measures.intervals import Measured, measured
from mauve.measures.protocol import Measure
from mauve.measures.results import Measurements
from mauve.measures.tables import make_column
from mauve.tables import latex_escaped


def _measure(name, direction):
    return Measure(
        name=name, title=name.title(), direction=direction, needs=frozenset({"tokens"}),
        estimate=None, is_statistic=direction == "human",
    )  # fmt: skip


GROUPS = deal_texts(np.arange(100, dtype=np.uint64))
ZIPF = _measure("zipf", "human")
DISTANCE = _measure("distance", "lower")


def _measurements(**systems):
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
def measurements():
    return _measurements(good=(1.05, 3.0), bad=(1.5, 1.0), worse=(0.2, 2.0))


def test_rank_follows_the_direction(measurements):
    assert measurements.rank("zipf") == ["good", "bad", "worse"]  # nearest to human
    assert measurements.rank("distance") == ["bad", "worse", "good"]
    assert measurements.best("zipf") == ["good"]


def test_ties_are_both_best():
    assert _measurements(a=(1.1, 1.0), b=(0.9, 1.0)).best("distance") == ["a", "b"]


def test_an_unknown_measure_is_named(measurements):
    with pytest.raises(InvalidParameterError, match=r"one of 'zipf', 'distance'\. Got 'bleu'"):
        measurements.rank("bleu")
    with pytest.raises(InvalidParameterError, match=r"one of 'zipf', 'distance'\. Got 'bleu'"):
        measurements.distance("good", "bleu")


def test_the_distance_of_an_undefined_value_is_infinite(measurements):
    del measurements["good"]["distance"]
    assert measurements.distance("good", "distance") == np.inf
    assert measurements.rank("distance") == ["bad", "worse"]


def test_table_has_a_row_for_human_text(measurements):
    lines = measurements.table().splitlines()
    assert lines[0].split() == ["system", "Zipf", "≈", "Distance", "↓"]
    assert lines[-1].startswith("human")
    assert lines[-1].endswith("--")  # no distance to itself
    assert "*" in lines[1]


def test_table_of_gaps_leaves_human_out(measurements):
    lines = measurements.table(gaps=True).splitlines()
    assert [line.split()[0] for line in lines] == ["system", "good", "bad", "worse"]
    assert lines[0].split() == ["system", "Zipf", "↓", "Distance", "↓"]
    assert lines[1].split()[1] == "0.050"


def test_what_is_missing_is_shown_as_such(measurements):
    del measurements["good"]["distance"]
    assert measurements.table().splitlines()[1].endswith("--")
    assert measurements.rank("distance") == ["bad", "worse"]


def test_infinity_is_shown_and_is_valid_json(measurements):
    measurements["good"]["distance"] = Measured(np.inf, (np.inf, np.inf), 0.0)
    assert "∞" in measurements.table()
    assert r"$\infty$" in measurements.to_latex()
    entry = json.loads(json.dumps(measurements.to_dict(), allow_nan=False))["systems"][0][
        "measures"
    ]
    assert entry["distance"]["value"] is None
    assert entry["distance"]["infinite"] is True


@pytest.mark.parametrize(("human", "gap"), [(1.0, np.inf), (np.inf, None)])
def test_an_infinite_statistic_has_no_nan_in_any_format(human, gap):
    def estimate(value):
        return Estimate(value, np.full(50, 0.001 if np.isfinite(value) else np.nan))

    rows = {
        name: measured(estimate(value), estimate(human), ZIPF, 0.95, GROUPS, GROUPS)
        for name, value in (("endless", np.inf), ("good", 1.2))
    }
    measurements = _measurements(endless=(1.0, 1.0), good=(1.0, 1.0))
    for name, row in rows.items():
        measurements[name]["zipf"] = row
    assert rows["endless"].gap == gap
    assert measurements.rank("zipf") == (["good"] if gap is None else ["good", "endless"])
    assert measurements.best("zipf") == ([] if gap is None else ["good"])
    column = measurements.columns(gaps=True)[0]
    assert str(column.cells[0]) == ("--" if gap is None else "∞")
    json.dumps(measurements.to_dict(), allow_nan=False)  # raises at NaN
    for written in (measurements.to_csv(), measurements.to_latex(gaps=True), str(measurements)):
        assert "nan" not in written
    assert np.isfinite([*measurements.to_metrics().values()]).all()


def test_json_has_everything(measurements):
    content = json.loads(json.dumps(measurements.to_dict(), allow_nan=False))
    assert content["human"]["measures"]["zipf"]["value"] == 1.0
    assert [system["name"] for system in content["systems"]] == ["good", "bad", "worse"]
    assert content["systems"][0]["measures"]["zipf"]["gap"] == pytest.approx(0.05)
    assert content["measures"][0] == {"name": "zipf", "title": "Zipf", "direction": "human"}


def test_csv_is_one_line_a_system_and_measure(measurements):
    rows = list(csv.DictReader(io.StringIO(measurements.to_csv())))
    assert len(rows) == 3 * 2 + 1  # human has no distance to itself
    first = rows[0]
    assert (first["system"], first["measure"], first["best"]) == ("good", "zipf", "1")
    assert float(first["low"]) < float(first["value"]) < float(first["high"])
    assert rows[-1]["system"] == "human"
    assert rows[-1]["gap"] == ""


def test_latex_is_in_the_papers_layout(measurements):
    lines = measurements.to_latex().splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[2] == r"\textbf{System} & \textbf{Zipf} & \textbf{Distance}($\downarrow$) \\"
    assert lines[4].startswith(r"good & $\mathbf{1.050}_{0.007}$ &")
    assert lines[-3].startswith("human & $1.000_{0.007}$ & --")
    assert lines[-4] == r"\midrule"
    gaps = measurements.to_latex(gaps=True)
    assert "human" not in gaps
    assert r"\textbf{Zipf}($\downarrow$)" in gaps


def test_hostile_names_are_shown_as_text():
    measurements = _measurements(**{"a_b\\input{x}&\x1b[31m": (1.0, 1.0)})
    assert "\x1b" not in measurements.table()
    assert "\x1b" not in measurements.to_latex()
    assert r"a\_b\textbackslash{}input\{x\}\&" in measurements.to_latex()
    assert latex_escaped("50% ~ $x^2$ #1") == (
        r"50\% \textasciitilde{} \$x\textasciicircum{}2\$ \#1"
    )


def test_equal_if_all_numbers_and_settings_are(measurements):
    assert measurements == _measurements(good=(1.05, 3.0), bad=(1.5, 1.0), worse=(0.2, 2.0))
    assert measurements != _measurements(good=(1.05, 3.0), bad=(1.5, 1.0), worse=(0.2, 2.1))
    assert measurements != _measurements(bad=(1.5, 1.0), good=(1.05, 3.0), worse=(0.2, 2.0))
    assert measurements != dict(measurements)


def test_not_hashable_like_a_dict(measurements):
    with pytest.raises(TypeError, match="unhashable type: 'Measurements'"):
        hash(measurements)


def test_a_measured_value_is_hashable(measurements):
    values = [measurements["good"]["zipf"], measurements["bad"]["zipf"]]
    assert len({*values, values[0]}) == 2


def test_printed_tables_fit_the_terminal(measurements, monkeypatch):
    assert str(measurements) == measurements.table()
    monkeypatch.setenv("COLUMNS", "25")
    parts = str(measurements).split("\n\n")
    assert [part.split()[1] for part in parts] == ["Zipf", "Distance"]
    assert all(part.splitlines()[-1].startswith("human") for part in parts)
    assert max(map(len, str(measurements).splitlines())) <= 25


def test_printed_with_its_warnings(measurements):
    measurements.warnings = ("few texts",)
    assert str(measurements).endswith("\nwarning: few texts")
    html = measurements._repr_html_()
    assert html.startswith("<table><thead><tr><th>system</th><th>Zipf ≈</th>")
    assert html.endswith("<ul><li>warning: few texts</li></ul>")


def test_repr_is_one_line(measurements):
    assert repr(measurements) == (
        "Measurements(3 systems: good, bad, worse; 2 measures: zipf, distance)"
    )


def test_data_frame_has_a_row_for_each_sample_human_last(measurements):
    frame = measurements.to_dataframe()
    assert frame["system"].tolist() == ["good", "bad", "worse", "human"]
    assert frame["is_human"].tolist() == [False, False, False, True]
    assert frame["zipf"].tolist() == [1.05, 1.5, 0.2, 1.0]
    assert frame["distance"].tolist()[:3] == [3.0, 1.0, 2.0]
    assert frame["distance"].isna().tolist() == [False, False, False, True]
    assert frame["zipf_gap"].tolist()[:3] == [
        measurements[name]["zipf"].gap for name in measurements
    ]
    assert "distance_gap" not in frame


def test_metrics_have_finite_numbers_alone():
    metrics = _measurements(good=(1.05, np.inf)).to_metrics()
    assert metrics["mauve/good/zipf"] == 1.05
    assert metrics["mauve/human/zipf"] == 1.0
    assert metrics["mauve/good/zipf_gap"] == pytest.approx(0.05)
    assert not any("distance" in key for key in metrics)
    assert np.isfinite([*metrics.values()]).all()


def test_rounding_in_an_interval_of_no_width_adds_no_decimals():
    rows = [Measured(0.5, (0.49, 0.51), 0.005), Measured(0.56, (0.56, 0.56 + 1e-15), 3e-16)]
    cells = make_column(ZIPF, rows, [False, False]).cells
    assert [str(cell) for cell in cells] == ["0.500 ±0.010", "0.560 ±0.000"]
