"""Pictures of scores: curves, the ranking, and the two errors."""

import io
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

from mauve.comparison.paper import result_from_counts
from mauve.plots import plot_curves, plot_errors, plot_ranking

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
