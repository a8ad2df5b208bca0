"""Correlation of human scores with measures: signs, names, errors of both, bad files."""

import json

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.study.bradley_terry import win_probability
from mauve.study.correlation import correlate
from mauve.study.measure_scores import MeasureScores, read_scores
from mauve.study.ranking import rank
from mauve.study.ratings import Rating, Ratings

TRUE = {"human": 90.0, "xl": 50, "large": 20, "medium": -30, "small": -60, "tiny": -70}


def simulated(n_annotators=60, seed=0, true=TRUE):
    rng = np.random.default_rng(seed)
    rows = []
    for person in range(n_annotators):
        for i in range(12):
            a, b = map(str, rng.permutation([*true])[:2])
            choice = 1 if rng.random() < win_probability(true[a] - true[b]) else 5
            rows.append(Rating(f"{person}-{i}", str(person), a, b, (choice,)))
    return Ratings(tuple(rows), ("better",))


@pytest.fixture(scope="module")
def ranking():
    return rank(simulated(), n_draws=500)


def scored(values, **other):
    options = {"intervals": {}, "gap_errors": {}, "confidence": 0.95} | other
    return MeasureScores("m", "M", values, **options)


def by_rank(sign=1, spread=0.0):
    names = [name for name in TRUE if name != "human"]
    values = {name: -sign * float(i) for i, name in enumerate(names)}
    return scored(values, intervals={name: (v - spread, v + spread) for name, v in values.items()})


def test_the_same_order_and_the_opposite(ranking):
    assert ranking.systems == tuple(TRUE)
    found = correlate(ranking, [by_rank()])
    assert found["m"].rho == pytest.approx(1)
    assert found["m"].p_value == pytest.approx(2 / 120)
    assert found.only_rated == ("human",)
    assert correlate(ranking, [by_rank(-1)])["m"].rho == pytest.approx(-1)


def test_errors_of_either_side_move_the_interval():
    """Sixteen systems, far apart by people; of one in two, the measure has the wrong order."""
    true = {f"s{i:02}": 40.0 * (8 - i) for i in range(16)}
    order = [i ^ 1 for i in range(16)]
    values = dict(zip(true, -np.array(order, dtype=float), strict=True))
    spread = {name: (value - 4, value + 4) for name, value in values.items()}
    sure = rank(simulated(200, true=true), n_draws=500)
    unsure = rank(simulated(12, true=true), n_draws=500)

    def interval(ranking, **other):
        return correlate(ranking, [scored(values, **other)])["m"].interval

    assert np.ptp(interval(unsure)) > 2 * np.ptp(interval(sure))
    assert interval(sure, intervals=spread) != interval(sure)


def test_a_gap_is_drawn_as_the_size_of_a_difference_that_may_turn():
    part = scored({"a": -0.01, "b": -1.0}, gap_errors={"a": 0.5, "b": 0.01})
    draws = part.draws(["a", "b"], n_draws=4000, seed=0)
    assert (draws <= 0).all()
    # The mean size of a normal deviate is sqrt(2 / pi) of its s.d.; the error of 4,000 is 0.005.
    assert -draws[:, 0].mean() == pytest.approx(0.5 * np.sqrt(2 / np.pi), abs=0.025)
    assert draws[:, 1].std() == pytest.approx(0.01, rel=0.1)


def test_names_of_both_sides(ranking):
    renamed = scored({"gpt2-xl": 0.9, "large": 0.8, "medium": 0.7, "small": 0.6, "other": 0.5})
    found = correlate(ranking, [renamed], names={"xl": "gpt2-xl"})
    assert found.systems == ("xl", "large", "medium", "small")
    assert (found.only_rated, found.only_scored) == (("human", "tiny"), ("other",))
    assert "Without scores, and left out: human, tiny." in str(found)
    with pytest.raises(InvalidParameterError, match="Got 3: the ratings are of human, xl"):
        correlate(ranking, [renamed])
    with pytest.raises(InvalidParameterError, match="'gpt' must be a system of the ratings"):
        correlate(ranking, [renamed], names={"gpt": "x"})
    with pytest.raises(InvalidParameterError, match="must have different names in the scores"):
        correlate(ranking, [renamed], names={"xl": "large"})


def test_measures_without_a_correlation_say_why(ranking):
    same = MeasureScores("same", "Same", dict.fromkeys(TRUE, 1.0), {}, {}, 0.95)
    few = MeasureScores("few", "Few", {"xl": 1.0, "tiny": 2.0}, {}, {}, 0.95)
    found = correlate(ranking, [few, by_rank(), same])
    assert found["same"] is None
    assert [row["measure"] for row in found.rows()] == ["M", "Few", "Same"]
    assert "Few: it is defined for 2 of the systems alone" in str(found)
    assert "Same: it is the same for all systems." in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_markdown().count("\n") == 4
    assert "toprule" in found.to_latex()
    with pytest.raises(InvalidParameterError, match="one of the measures few, m, same"):
        found["mauve"]


def measured(direction, **entry):
    return {
        "confidence": 0.9,
        "measures": [{"name": "m", "title": "M", "direction": direction}],
        "systems": [
            {"name": "a", "measures": {"m": entry}},
            {"name": "b", "measures": {"m": None}},
        ],
    }


@pytest.mark.parametrize(
    ("parsed", "score", "interval", "error"),
    [
        (measured("higher", value=3, interval=[2, 5]), 3, (2, 5), None),
        (measured("lower", value=3, interval=[2, 5]), -3, (-5, -2), None),
        (measured("human", value=9, interval=[8, 9], gap=2, gap_interval=[1, 4], gap_error=1), -2,
         (-4, -1), 1),
        ({"results": [], "measures": measured("higher", value=3)}, 3, None, None),
    ],
)  # fmt: skip
def test_measures_are_turned_so_that_higher_is_better(tmp_path, parsed, score, interval, error):
    (tmp_path / "m.json").write_text(json.dumps(parsed))
    (part,) = read_scores(tmp_path / "m.json")
    assert part.scores == {"a": score}
    assert part.intervals.get("a") == interval
    assert part.gap_errors.get("a") == error


def test_a_comparison_with_measures(tmp_path):
    result = {"name": "a", "mauve": 0.9, "interval": [0.8, 1.0], "confidence": 0.95}
    classified = result | {"classifier": {"mauve": 0.4, "interval": [0.3, 0.5]}}
    measures = measured("higher", value=1)
    measures["measures"].append({"name": "mauve", "title": "MAUVE", "direction": "higher"})
    measures["systems"][0]["measures"]["mauve"] = {"value": 0.1}
    (tmp_path / "c.json").write_text(json.dumps({"results": [classified], "measures": measures}))
    found = {part.measure: part.scores["a"] for part in read_scores(tmp_path / "c.json")}
    assert found == {"mauve": 0.9, "classifier": 0.4, "m": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must be the scores of systems as JSON"),
        ("[]", "must be the scores of systems as JSON"),
        ("{}", "must hold the scores of a system"),
        ('{"results": [{"name": "a"}]}', "must be the scores of systems as JSON"),
        (
            '{"results": [{"name": "a", "mauve": NaN, "confidence": 0.95}]}',
            "must be the scores of systems as JSON",
        ),
    ],
)
def test_files_that_hold_no_scores(tmp_path, text, says):
    (tmp_path / "m.json").write_text(text)
    with pytest.raises(InvalidParameterError, match=says) as error:
        read_scores(tmp_path / "m.json")
    assert "mauve compare --json or mauve measure --json" in str(error.value)


def test_bad_options(ranking):
    for option in ({"confidence": 2}, {"n_bootstrap": 1}, {"seed": -1}):
        with pytest.raises(InvalidParameterError, match=next(iter(option))):
            correlate(ranking, [by_rank()], **option)
