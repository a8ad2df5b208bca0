"""Results of an experiment: selection, and files that hold them exactly."""

import math

import pytest

from mauve.errors import InvalidParameterError
from mauve.experiment.results import (
    ExperimentResults,
    GridRow,
    GridSetting,
    HumanRow,
    MeasureInfo,
    read_results,
    write_results,
)
from mauve.measures.intervals import Measured

BASE = {"embedder": "bundled", "quantizer": "kmeans", "num_buckets": "auto", "scaling": 5.0, "n": 9}


def results():
    rows = tuple(
        GridRow(
            GridSetting("t", model, decoder, 0, length, scaling=scaling, n=9),
            {
                "mauve": Measured(0.5 + length / 1000, (0.4, 0.7), 0.1),
                "perplexity": Measured(math.inf, (math.inf, math.inf), math.inf),
                "zipf": Measured(1.0, (0.9, 1.1), 0.05, 0.25, (0.0, 0.5), 0.1),
            },
            curve=((0.0, 1.0), (1.0, 0.0)),
            p_hist=(0.25, 0.75),
            q_hist=(1.0, 0.0),
            signature="k:25|seed:0",
            warnings=("few texts",),
        )
        for model in ("small", "large")
        for decoder in ("greedy", "nucleus:p=0.95,temperature=0.8")
        for length in (32, 64)
        for scaling in (5.0, 1.0)
    )
    human = HumanRow("t", 32, "bundled", 9, {"zipf": Measured(1.25, (1.2, 1.3), 0.02)})
    measures = (MeasureInfo("mauve", "MAUVE", "higher", False),)
    return ExperimentResults("study", BASE, measures, rows, (human,))


def test_a_file_holds_results_exactly(tmp_path):
    write_results(results(), tmp_path)
    assert read_results(tmp_path) == results()
    assert read_results(tmp_path / "results.json") == results()


def test_equal_results_leave_the_file_alone(tmp_path):
    write_results(results(), tmp_path)
    before = (tmp_path / "results.json").stat().st_mtime_ns
    write_results(results(), tmp_path)
    assert (tmp_path / "results.json").stat().st_mtime_ns == before


def test_rows_are_selected_by_any_dimension():
    found = results().select(model="large", length=[32, 64], scaling=1.0)
    assert len(found) == 4
    assert {(row.setting.model, row.setting.scaling) for row in found} == {("large", 1.0)}
    with pytest.raises(InvalidParameterError, match="among task, model"):
        results().select(size=3)


def test_base_rows_differ_in_the_free_dimension_alone():
    assert len(results().base_rows()) == 8
    assert len(results().base_rows("scaling", model="small")) == 8
    assert results().levels("scaling") == [5.0, 1.0]


def test_human_values_default_to_the_base():
    assert results().human_values("t", 32)["zipf"].value == 1.25
    assert results().human_values("t", 32, n=5) == {}


@pytest.mark.parametrize(
    ("content", "message"), [("{", "no JSON"), ("{}", "to_dict"), ('{"format": 99}', "to_dict")]
)
def test_other_files_are_refused(tmp_path, content, message):
    (tmp_path / "results.json").write_text(content)
    with pytest.raises(InvalidParameterError, match=message):
        read_results(tmp_path)


def test_a_folder_without_results_is_refused(tmp_path):
    with pytest.raises(InvalidParameterError, match="run it first"):
        read_results(tmp_path)
