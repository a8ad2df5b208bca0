"""Correlations over settings: the paper's, by direction, and with errors of both sides."""

import csv
import io
import json
import math

import numpy as np
import pytest
from grids import BASE, MEASURES, measured, paper_grid, setting

from mauve.errors import InvalidParameterError
from mauve.experiment.correlations import correlate
from mauve.experiment.outside import read_outside
from mauve.experiment.results import ExperimentResults, GridRow, HumanRow
from mauve.measures.intervals import Measured

# Table 6 of the paper, without greedy and adversarial decoding, which people did not rate.
PAPER = {
    ("small", "ancestral"): (101.88, 0.589, -27.52),
    ("small", "nucleus"): (23.788, 0.878, -15.78),
    ("medium", "ancestral"): (129.263, 0.373, -30.77),
    ("medium", "nucleus"): (21.073, 0.915, -3.43),
    ("large", "ancestral"): (30.08, 0.845, -6.93),
    ("large", "nucleus"): (13.499, 0.936, 12.55),
    ("xl", "ancestral"): (31.886, 0.882, 8.97),
    ("xl", "nucleus"): (14.143, 0.940, 15.66),
}


def paper_results(error=0.0):
    rows = [
        GridRow(
            setting(model, decoder),
            {"perplexity": measured(perplexity, error), "mauve": measured(mauve, error)},
        )
        for (model, decoder), (perplexity, mauve, _) in PAPER.items()
    ]
    human = (HumanRow("web", 256, "bundled", 500, {"perplexity": measured(12.602)}),)
    return ExperimentResults("paper", BASE, (MEASURES[0], MEASURES[2]), tuple(rows), human)


def people(folder, suffix=".csv", width=None):
    records = [
        {"model": model, "decoder": decoder, "human-like": score}
        | ({} if width is None else {"human-like_low": score - width,
                                     "human-like_high": score + width})
        for (model, decoder), (_, _, score) in PAPER.items()
    ]  # fmt: skip
    path = folder / f"people{suffix}"
    if suffix == ".json":
        path.write_text(json.dumps(records), "utf-8")
    else:
        out = io.StringIO()
        writer = csv.DictWriter(out, records[0])
        writer.writeheader()
        writer.writerows(records)
        path.write_text(out.getvalue(), "utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_correlations_with_people_are_those_of_the_paper(tmp_path, suffix):
    """Table 5: .952 for MAUVE, and .810 for the gap in perplexity."""
    found = correlate(paper_results(), scores=read_outside(people(tmp_path, suffix)))
    assert [(row.first, row.second) for row in found.rows] == [
        ("Gen. PPL", "human-like"),
        ("MAUVE", "human-like"),
    ]
    assert [round(row.correlation.rho, 3) for row in found.rows] == [0.81, 0.952]
    assert found.warnings == ()


def test_lower_scores_can_be_better(tmp_path):
    scores = read_outside(people(tmp_path), lower=["human-like"])
    found = correlate(paper_results(), scores=scores, measures=["mauve"])
    assert round(found.rows[0].correlation.rho, 3) == -0.952


@pytest.mark.slow
def test_errors_of_both_sides_widen_the_interval(tmp_path):
    order = [5, 3, 4, 7, 1, 6, 8, 2]  # its ranks differ by squares that sum to 70

    def interval(error, reach):
        path = tmp_path / "scores.csv"
        lines = [
            f"{model},{decoder},{score},{score - reach},{score + reach}"
            for (model, decoder), score in zip(PAPER, order, strict=True)
        ]
        path.write_text("\n".join(["model,decoder,s,s_low,s_high", *lines]), "utf-8")
        scores = read_outside(path)
        return correlate(paper_results(error), scores=scores, measures=["mauve"]).rows[0]

    exact = interval(0.0, 0.0).correlation
    assert exact.rho == pytest.approx(1 - 6 * 70 / (8 * 63))
    for noisy in (interval(0.1, 0.0).correlation, interval(0.0, 3.0).correlation):
        assert noisy.rho == exact.rho
        assert noisy.interval[0] <= exact.interval[0]
        assert noisy.interval[1] >= exact.interval[1]
        assert noisy.interval != exact.interval


def test_draws_from_outside_have_their_interval(tmp_path):
    scores = read_outside(people(tmp_path, width=10.0))
    value, draws = scores.of("human-like", setting("small", "ancestral"), 4000, seed=1)
    assert value == -27.52
    # 1.3 is 4 standard errors of these quantiles.
    assert np.quantile(draws, [0.025, 0.975]) == pytest.approx([-37.52, -17.52], abs=1.3)


def test_measures_are_correlated_with_mauve():
    [row] = correlate(paper_results()).rows
    assert (row.first, row.second) == ("Gen. PPL", "MAUVE")
    # The ranks differ by -1, 1, 0, -1, -1, 2, 0 and 0, whose squares sum to 8.
    assert row.correlation.rho == pytest.approx(1 - 6 * 8 / (8 * 63))


def test_levels_of_a_dimension_are_correlated_with_the_base():
    rows = [
        GridRow(setting("small", decoder, 0, embedder=embedder), {"mauve": measured(score)})
        for i, decoder in enumerate("abcde")
        for embedder, score in (("bundled", i), ("roberta", 2 * i), ("worst", -i))
    ]
    found = correlate(ExperimentResults("s", BASE, MEASURES, tuple(rows), ()), "embedder")
    assert [(r.first, r.second, r.correlation.rho) for r in found.rows] == [
        ("roberta", "bundled", 1.0),
        ("worst", "bundled", -1.0),
    ]


def test_numbers_without_a_standard_error_are_exact():
    rows = [
        GridRow(
            setting("m", d),
            {"mauve": measured(i / 9), "frechet": Measured(9 - i, (0, 9), math.inf)},
        )
        for i, d in enumerate("abcde")
    ]
    [row] = correlate(paper_grid(rows=tuple(rows)), measures=["frechet"]).rows
    assert row.correlation.rho == 1


def test_settings_without_a_score_are_left_out_and_named(tmp_path):
    path = people(tmp_path)
    path.write_text("\n".join(path.read_text("utf-8").splitlines()[:6]) + "\n", "utf-8")
    found = correlate(paper_results(), scores=read_outside(path), measures=["mauve"])
    assert len(found.rows[0].settings) == 5
    assert found.warnings == (
        "human-like has no value for large/nucleus, xl/ancestral, xl/nucleus, which are left out.",
    )


def test_what_is_undefined_says_why():
    few = paper_grid(rows=paper_grid().rows[:3])
    [row, *_] = correlate(few).rows
    assert (row.correlation, row.why) == (None, "fewer than 4 settings")
    assert "--" in correlate(few).to_text()
    equal = [GridRow(setting("m", d), {"mauve": measured(0.5), "frechet": measured(i)})
             for i, d in enumerate("abcd")]  # fmt: skip
    [row] = correlate(paper_grid(rows=tuple(equal)), measures=["frechet"]).rows
    assert row.why == "all values are equal"


def test_all_formats_have_the_same_numbers():
    found = correlate(paper_results())
    [record] = csv.DictReader(io.StringIO(found.to_csv()))
    [entry] = json.loads(json.dumps(found.to_dict(), allow_nan=False))["correlations"]
    assert float(record["spearman"]) == entry["rho"]
    assert [float(record["low"]), float(record["high"])] == entry["interval"]
    for text in (found.to_text(), found.to_markdown().replace("\\", ""), found.to_latex()):
        assert f"{entry['rho']:.3f}" in text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "has none: add some lines"),
        ("model,decoder\nsmall,greedy\n", "a column for each score"),
        ("name,score\nsmall,1\n", "must name settings"),
        ("model,score\nsmall\n", "as many fields in each line"),
        ("model,score\nsmall,good\n", "Setting 1 has 'good' for 'score'"),
        ("model,score\nsmall,nan\n", "Setting 1 has 'nan' for 'score'"),
    ],
)
def test_malformed_scores_are_one_sentence(tmp_path, content, message):
    path = tmp_path / "scores.csv"
    path.write_text(content, "utf-8")
    with pytest.raises(InvalidParameterError, match=message):
        read_outside(path)


def test_json_that_is_no_list_and_files_that_are_not_there(tmp_path):
    path = tmp_path / "scores.json"
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        read_outside(path)
    path.write_text("{}", "utf-8")
    with pytest.raises(InvalidParameterError, match="must be a list of objects"):
        read_outside(path)
    path.write_text("[", "utf-8")
    with pytest.raises(InvalidParameterError, match="is no JSON"):
        read_outside(path)


def test_names_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(InvalidParameterError, match="must be one of perplexity, mauve, embedder"):
        correlate(paper_results(), "bleu")
    with pytest.raises(InvalidParameterError, match="varies no embedder"):
        correlate(paper_results(), "embedder")
    with pytest.raises(InvalidParameterError, match="has no score 'x', of which lower"):
        read_outside(people(tmp_path), lower=["x"])
    twice = people(tmp_path)
    twice.write_text("model,score\nsmall,1\nsmall,2\n", "utf-8")
    with pytest.raises(InvalidParameterError, match="name each setting once"):
        correlate(paper_results(), scores=read_outside(twice))
