"""Figures of experiments: what is drawn, how it reads in grey, and what cannot be drawn."""

import math

import numpy as np
import pytest
from grids import BASE, MEASURES, measured, paper_grid, setting, sweep_grid
from numpy.testing import assert_allclose

from mauve.errors import InvalidParameterError
from mauve.experiment.figures import FIGURES, draw_figure
from mauve.experiment.results import ExperimentResults, GridRow, HumanRow, MeasureInfo
from mauve.plots.figures import write_figure

ENTROPY = MeasureInfo("entropy-2", "Entropy-2", "human", True)


def lines_of(ax):
    """Return the lines of a panel by name: x and y."""
    return {
        line.get_label(): (line.get_xdata(), line.get_ydata())
        for line in ax.lines
        if not line.get_label().startswith("_")
    }


def bands_of(ax):
    """Return the lowest and highest y of each band at each of its x."""
    bands = []
    for band in ax.collections:
        x, y = band.get_paths()[0].vertices.T
        bands.append({at: (y[x == at].min(), y[x == at].max()) for at in np.unique(x)})
    return bands


def grid_of_decoders(values, measures=MEASURES[-1:], human=()):
    """Return results with values of one length by (decoder, seed) and measure."""
    rows = [
        GridRow(setting("small", decoder, seed), {m: measured(v) for m, v in by_measure.items()})
        for (decoder, seed), by_measure in values.items()
    ]
    return ExperimentResults("study", BASE, measures, tuple(rows), human)


@pytest.mark.parametrize(
    ("figure", "dimension", "levels"),
    [
        ("length", "length", (32, 64, 128)),
        ("scaling", "scaling", (1.0, 2.0, 5.0)),
        ("buckets", "num_buckets", (10, 50, 250)),
        ("texts", "n", (100, 200, 500)),
    ],
)
def test_lines_are_means_and_bands_one_deviation(figure, dimension, levels):
    """Seeds 0, 1, 2 add 0, .1 and .2: a mean of .1 and a deviation of .1."""
    results = sweep_grid(
        dimension, levels, lambda d, level, seed: (d == "greedy") + level / 1000 + seed / 10
    )
    ax = draw_figure(results, figure).axes[0]
    assert ax.get_xscale() == "log"
    lines = lines_of(ax)
    for decoder, offset in (("greedy", 1.0), ("ancestral", 0.0)):
        x, y = lines[decoder]
        assert_allclose(x, levels)
        assert_allclose(y, np.array(levels) / 1000 + offset + 0.1)
    for band, offset in zip(bands_of(ax), (1.0, 0.0), strict=True):
        for level in levels:
            assert_allclose(band[level], (level / 1000 + offset, level / 1000 + offset + 0.2))


def test_one_seed_has_no_band():
    results = sweep_grid("scaling", (1.0, 5.0), lambda *_: 0.5, seeds=(0,))
    ax = draw_figure(results, "scaling").axes[0]
    assert len(lines_of(ax)) == 2
    assert not ax.collections


def test_what_is_no_number_is_left_out():
    results = sweep_grid(
        "scaling", (1.0, 2.0, 5.0), lambda d, c, _: math.nan if c == 2 else c / 10, seeds=(0,)
    )
    x, y = lines_of(draw_figure(results, "scaling").axes[0])["greedy"]
    assert x.tolist() == [1, 5]
    assert y.tolist() == [0.1, 0.5]


def test_gaps_to_human_text_are_drawn_over_lengths():
    rows = tuple(
        GridRow(setting(length=length), {"perplexity": measured(value)})
        for length, value in ((32, 10.0), (64, 20.0))
    )
    human = tuple(
        HumanRow("web", length, "bundled", 500, {"perplexity": measured(13.0)})
        for length in (32, 64)
    )
    results = ExperimentResults("study", BASE, MEASURES, rows, human)
    ax = draw_figure(results, "length").axes[0]
    assert_allclose(lines_of(ax)["greedy"][1], [3, 7])
    assert ax.get_ylabel() == "Gen. PPL, gap to human ↓"


def test_lines_read_in_grey():
    results = paper_grid()
    rows = [
        GridRow(setting(model, decoder, 0, length), {"mauve": measured(0.5)})
        for length in (32, 64)
        for model in ("small", "large")
        for decoder in (
            "greedy",
            "beam:b=4",
            "ancestral",
            "nucleus:p=0.9",
            "top-k:k=5",
            "min-p:0.1",
        )
    ]
    results = ExperimentResults("study", BASE, MEASURES, tuple(rows), ())
    lines = draw_figure(results, "length").axes[0].lines
    assert len(lines) == 12
    assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == 12


def test_a_line_looks_the_same_in_all_figures():
    results = paper_grid()
    curves = draw_figure(results, "curves").axes
    alone = draw_figure(results, "curves", levels={"model": "large"}).axes[0]
    for one, other in zip(curves[1].lines, alone.lines, strict=True):
        assert one.get_color() == other.get_color()
        assert one.get_linestyle() == other.get_linestyle()


def test_a_decoder_has_one_style_in_the_panels_of_all_models():
    figure = draw_figure(paper_grid(), "curves")
    small, large = figure.axes
    for one, other in zip(small.lines, large.lines, strict=True):
        assert (one.get_label(), one.get_color()) == (other.get_label(), other.get_color())
    [legend] = figure.legends
    assert len(legend.get_texts()) == len(small.lines)


def test_curves_shade_the_area_under_each():
    axes = draw_figure(paper_grid(), "curves").axes
    assert [ax.get_title() for ax in axes] == ["small", "large"]
    for ax in axes:
        assert len(ax.lines) == len(ax.collections) == 3
        assert_allclose(ax.lines[0].get_ydata()[1:-1], [1.0, 0.6, 0.2])


def test_parameters_have_a_panel_for_p_and_one_for_k():
    values = {
        (decoder, seed): {"mauve": score + seed / 10}
        for decoder, score in {
            "nucleus:p=0.9": 0.7, "nucleus:p=0.95": 0.8, "ancestral": 0.5, "greedy": 0.0,
            "nucleus:p=0.9,temperature=0.5": 0.1, "top-k:k=10": 0.3, "top-k:k=100": 0.6,
        }.items()
        for seed in (0, 1)
    }  # fmt: skip
    p, k = draw_figure(grid_of_decoders(values), "parameters").axes
    [(x, y)] = lines_of(p).values()
    assert_allclose(x, [0.9, 0.95, 1.0])
    assert_allclose(y, [0.75, 0.85, 0.55])
    [(x, y)] = lines_of(k).values()
    assert_allclose(x, [10, 100])
    assert_allclose(y, [0.35, 0.65])
    assert len(bands_of(p)) == len(bands_of(k)) == 1


@pytest.mark.slow
def test_embedders_are_a_scatter_with_their_correlation():
    rows = [
        GridRow(setting("small", decoder, 0, embedder=embedder), {"mauve": measured(score)})
        for i, decoder in enumerate(("greedy", "beam:b=4", "ancestral", "nucleus:p=0.9"))
        for embedder, score in (("bundled", i / 10), ("roberta", (1 - i) ** 2 / 10))
    ]
    results = ExperimentResults("study", BASE, MEASURES, tuple(rows), ())
    ax = draw_figure(results, "embedders").axes[0]
    points = {name: (x[0], y[0]) for name, (x, y) in lines_of(ax).items()}
    assert points["greedy"] == (0.0, 0.1)
    assert points["nucleus:p=0.9"] == pytest.approx((0.3, 0.4))
    # Ranks 1 2 3 4 and 2.5 1 2.5 4: a covariance of 3 over the root of 5 times 4.5.
    assert ax.get_title().startswith(f"Spearman's ρ = {3 / math.sqrt(5 * 4.5):.2f} (")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("MAUVE, bundled", "MAUVE, roberta")


def test_histograms_are_ordered_by_human_text():
    ax = draw_figure(paper_grid(), "histogram", levels={"model": "small"}).axes[0]
    human, model = (patch.get_data().values for patch in ax.patches)
    assert human.tolist() == [0.5, 0.3, 0.2]
    assert model.tolist() == [0.2, 0.3, 0.5]


def test_the_frontier_goes_by_temperature_with_human_text():
    values = {
        (decoder, 0): {"entropy-2": entropy, "mauve": score, "perplexity": 10 * entropy}
        for decoder, entropy, score in (
            ("ancestral", 3.0, 0.9), ("greedy", 1.0, 0.1), ("temperature:0.5", 2.0, 0.6),
            ("nucleus:p=0.9", 2.5, 0.8),
        )
    }  # fmt: skip
    human = (HumanRow("web", 256, "bundled", 500, {"entropy-2": measured(2.8)}),)
    results = grid_of_decoders(values, (ENTROPY, *MEASURES), human)
    figure = draw_figure(results, "frontier")
    assert [ax.get_ylabel() for ax in figure.axes] == ["Gen. PPL ≈", "MAUVE ↑"]
    mauve = figure.axes[1]
    assert mauve.get_xlabel() == "Entropy-2 ≈"
    x, y = lines_of(mauve)["small"]
    assert x.tolist() == [1, 2, 3]
    assert y.tolist() == [0.1, 0.6, 0.9]
    assert [text.get_text() for text in mauve.texts] == ["0", "0.5", "1"]
    assert_allclose(lines_of(mauve)["human text"][0], 2.8)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_files_are_the_same_for_the_same_results(tmp_path, suffix):
    for name in ("one", "other"):
        write_figure(draw_figure(paper_grid(), "curves"), tmp_path / f"{name}{suffix}")
    one, other = ((tmp_path / f"{name}{suffix}").read_bytes() for name in ("one", "other"))
    assert one == other
    assert one.startswith({".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix])


def test_a_failure_leaves_the_file_of_before(tmp_path):
    path = tmp_path / "curves.png"
    path.write_bytes(b"before")
    figure = draw_figure(paper_grid(), "curves")
    figure.axes[0].set_title("$\\unknown$", parse_math=True)
    with pytest.raises(ValueError, match="unknown"):
        write_figure(figure, path)
    assert path.read_bytes() == b"before"
    assert [*tmp_path.iterdir()] == [path]


def test_names_from_users_are_text(tmp_path):
    rows = [
        GridRow(setting("_$x^2$", "greedy", 0, length), {"mauve": measured(0.5)})
        for length in (32, 64)
    ] + [GridRow(setting("b", "$", 0, length), {"mauve": measured(0.4)}) for length in (32, 64)]
    results = ExperimentResults("study", BASE, MEASURES, tuple(rows), ())
    figure = draw_figure(results, "length")
    write_figure(figure, tmp_path / "length.svg")
    assert len(figure.legends[0].get_texts()) == 2


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        ("length", "varies no length"),
        ("scaling", "varies no scaling"),
        ("embedders", "varies no embedder"),
        ("frontier", "no measure of diversity"),
        ("pie", "must be one of curves, length"),
    ],
)
def test_what_cannot_be_drawn_says_what_is_lacking(figure, message):
    with pytest.raises(InvalidParameterError, match=message):
        draw_figure(paper_grid(), figure)


def test_one_p_is_no_line():
    results = sweep_grid("seed", (0,), lambda *_: 0.5, seeds=(0,), decoders=("nucleus:p=0.9",))
    with pytest.raises(InvalidParameterError, match="no two decoders that differ in p, or in K"):
        draw_figure(results, "parameters")


def test_too_many_lines_are_refused():
    rows = [
        GridRow(setting("small", f"nucleus:p=0.{i}", 0, length), {"mauve": measured(0.5)})
        for length in (32, 64)
        for i in range(10, 23)
    ]
    results = ExperimentResults("study", BASE, MEASURES, tuple(rows), ())
    with pytest.raises(InvalidParameterError, match=r"12 lines, and there are 13: nucleus:p=0\.10"):
        draw_figure(results, "length")


def test_an_experiment_without_results_is_refused():
    for figure in FIGURES:
        with pytest.raises(InvalidParameterError, match="no results to draw"):
            draw_figure(paper_grid(rows=(), human=()), figure)
