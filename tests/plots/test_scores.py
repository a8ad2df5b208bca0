"""Pictures of scores: curves, the ranking, and the two errors."""

import io
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

import mauve
from mauve.comparison.paper import result_from_counts
from mauve.plots import plot_curves, plot_errors, plot_ranking
from mauve.plots.axes import SOFT, ranked_styles, styles

NAMES = [r"$\nonsense$", "a$b", "_hidden", "日本", "\x1b[31m\u202e", "x" * 500]


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def test_one_curve_for_each_system_with_its_score(comparison):
    ax = comparison.plot()
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == [f"{result.mauve:.3f}  {name}" for name, result in comparison.items()]
    assert len(ax.get_lines()) == 2


def test_area_under_the_drawn_curve_is_the_score(comparison):
    for line, result in zip(comparison.plot().get_lines(), comparison.values(), strict=True):
        x, y = line.get_data()
        # The score is integrated, the picture has straight lines between 65 points.
        area = (np.diff(x) * (y[1:] + y[:-1]) / 2).sum()
        assert area == pytest.approx(result.mauve, abs=0.01)


@pytest.fixture(scope="module")
def forty():
    """Return a comparison of 40 systems, the best last."""
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(2, 100, 4))
    systems = {f"system {i}": model + 0.3 + 0.03 * i for i in range(40, 0, -1)}
    return mauve.compare(human, systems, n_permutations=50, n_clusterings=5, num_buckets=8)


def test_of_forty_curves_the_best_six_have_colours_of_their_own(forty):
    ax = forty.plot()  # a legend without room would be a warning, here an error
    ax.figure.savefig(io.BytesIO(), bbox_inches="tight")
    lines, best = ax.get_lines(), forty.rank()[:6]
    assert len(lines) == 40
    assert {line.get_color() for line in lines[:34]} == {SOFT}
    assert len({line.get_color() for line in lines[34:]} - {SOFT}) == 6
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert [label.split("  ")[1] for label in labels] == [*best, "34 others"]


def test_of_forty_errors_the_best_six_have_colours_of_their_own(forty):
    ax = forty.plot_errors()
    points = [line for line in ax.get_lines() if len(line.get_xdata()) == 1]
    colours = [line.get_color() for line in points]
    assert colours.count(SOFT) == 34
    assert len(set(colours)) == 6 + 1 + 1, "six systems, human text, and grey"
    labels = texts_of(ax)
    assert "human" in labels
    assert 20 < len(labels) == len(set(labels)) <= 41


def test_colours_are_the_same_in_all_pictures(forty):
    best = forty.rank()[0]
    style = ranked_styles(forty)[best]
    point = forty.plot_ranking().get_lines()[3]  # after the ceiling, the row and the interval
    assert (point.get_color(), point.get_marker()) == (style.colour, style.marker)
    assert forty.plot().get_lines()[34].get_color() == style.colour
    few = dict(list(forty.items())[:6])
    assert ranked_styles(few) == styles(few), "few systems have theirs by position"


def test_a_ranking_of_forty_has_room_for_every_row(forty):
    height = forty.plot_ranking().figure.get_size_inches()[1]
    assert 0.25 * 40 < height < 0.4 * 40


def test_curve_runs_from_axis_to_axis(comparison):
    for line in comparison.plot().get_lines():
        x, y = line.get_data()
        assert x[0] == 0
        assert y[-1] == 0
        assert (np.diff(x) >= 0).all()
        assert (np.diff(y) <= 1e-12).all()


def test_draws_on_given_axes(comparison):
    ax = Figure().add_subplot()
    assert comparison.plot(ax) is ax
    assert comparison["near"].plot(ax) is ax
    assert len(ax.get_lines()) == 3


def test_result_of_the_paper(comparison):
    ax = result_from_counts([6, 3, 1], [2, 3, 5]).plot()
    assert len(ax.get_lines()) == 1


def test_no_window_and_no_global_figure(comparison):
    import matplotlib.pyplot as plt

    before = plt.get_fignums()
    plot_curves(comparison)
    assert plt.get_fignums() == before


def test_legend_is_inside_the_picture():
    result = result_from_counts([6, 3, 1], [2, 3, 5])
    axes = plot_curves({"a name of some length, as systems have": result, "b": result})
    axes.figure.savefig(io.BytesIO(), format="png")  # lays the figure out
    legend, square = axes.get_legend().get_window_extent(), axes.get_window_extent()
    whole = axes.figure.get_tightbbox()  # in inches: what is written
    assert whole.x0 * axes.figure.dpi <= legend.x0
    assert legend.x1 <= whole.x1 * axes.figure.dpi
    assert square.height > 0.7 * axes.figure.bbox.height  # a long name does not shrink the square


def test_ranking_is_best_first_with_scores_and_ceiling(tested):
    ax = plot_ranking(tested)
    assert texts_of(ax)[::2] == ["near", "middle", "far"]
    assert texts_of(ax)[1::2] == [f"{tested[name].mauve:.3f}" for name in tested.rank()]
    spans = [tuple(line.get_xdata()) for line in ax.get_lines()]
    for result in tested.values():
        assert result.interval in spans
        assert (result.ceiling, result.ceiling) in spans


def test_ranking_without_a_test_has_no_ceiling(comparison):
    assert len(plot_ranking(comparison).get_lines()) == 3 * len(comparison)


def test_errors_are_where_they_belong(tested):
    ax = plot_errors(tested)
    points = {tuple(map(float, line.get_xydata()[0])) for line in ax.get_lines()}
    assert {(r.type_1, r.type_2) for r in tested.values()} <= points
    assert {"human", *tested} <= set(texts_of(ax))
    assert ax.get_xlim() == ax.get_ylim()


@pytest.mark.parametrize("plot", [plot_ranking, plot_errors])
def test_any_name_of_a_system_can_be_drawn(tested, plot):
    ax = plot(dict.fromkeys(NAMES, tested["middle"]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        ax.figure.savefig(io.BytesIO(), format="png")
    assert r"\x1b[31m\u202e" in texts_of(ax)
    assert max(map(len, texts_of(ax))) <= 32
