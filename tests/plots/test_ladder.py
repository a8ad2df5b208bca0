"""The picture of a ladder."""

import pytest

from mauve.comparison.ladder import Ladder, Rung, SystemLadder

pytest.importorskip("matplotlib")

from mauve.plots.axes import HUMAN, SOFT, ranked_styles
from mauve.plots.ladder import plot_ladder


def system(name, scores, ceiling=0.99):
    rungs = tuple(
        Rung(step, (), score, (score - 0.05, min(1, score + 0.05)), 0, 0, "")
        for step, score in scores.items()
    )
    return SystemLadder(name, rungs, {}, ceiling, 0.95, 100, 100)


LADDER = Ladder(
    [
        system("a$b$", {None: 0.5, "ends": 0.8, "case": 0.9}),
        system("_hidden", {None: 0.6, "space": 0.7}, ceiling=0.97),
    ]
)


def test_rungs_stand_in_their_order():
    ax = LADDER.plot()
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["as given", "ends", "space", "case"]
    assert ax.get_ylabel() == "MAUVE"


def test_every_system_has_its_colour_marker_and_intervals():
    ax = plot_ladder(LADDER)
    styles = ranked_styles(LADDER)
    lines = [line for line in ax.get_lines() if line.get_marker() not in ("None", None)]
    assert [line.get_color() for line in lines] == [styles[n].colour for n in ("_hidden", "a$b$")]
    assert [line.get_marker() for line in lines] == [styles[n].marker for n in ("_hidden", "a$b$")]
    assert [round(y, 2) for y in lines[1].get_ydata()] == [0.5, 0.8, 0.9]
    intervals = [[*line.get_ydata()] for line in ax.get_lines() if len({*line.get_xdata()}) == 1]
    assert pytest.approx([0.45, 0.55]) in intervals
    assert len(intervals) == 5


def test_ceiling_is_dashed_and_absent_without_a_test():
    (ceiling,) = (line for line in plot_ladder(LADDER).get_lines() if line.get_color() == HUMAN)
    assert ceiling.get_ydata()[0] == 0.97
    assert ceiling.is_dashed()
    ax = plot_ladder(Ladder([system("a", {None: 0.5}, ceiling=None)]))
    assert not [line for line in ax.get_lines() if line.get_color() == HUMAN]


def test_legend_has_all_names_as_they_are():
    texts = plot_ladder(LADDER).get_legend().get_texts()
    assert [text.get_text() for text in texts] == ["0.700  _hidden", "0.900  a$b$"]
    assert not any(text.get_parse_math() for text in texts)
    assert plot_ladder(LADDER, legend=False).get_legend() is None


def test_of_many_systems_the_best_are_in_colour():
    ladder = Ladder([system(f"s{i}", {None: i / 20, "ends": 0.9}) for i in range(14)])
    grey = [line for line in plot_ladder(ladder).get_lines() if line.get_color() == SOFT]
    assert len(grey) == 8
