import io
import os
import stat
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

import mauve
from mauve.atomic import atomic_write
from mauve.cli.outputs import check_picture, write_picture
from mauve.comparison.paper import result_from_counts
from mauve.plots import plot_clusters, plot_curves, plot_errors, plot_map, plot_ranking
from mauve.plots.clusters import MOST_CLUSTERS, MOST_POINTS, shown_clusters


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(0)
    systems = {"near": rng.normal(size=(200, 8)), "far": rng.normal(size=(200, 8)) + 1}
    return mauve.compare(rng.normal(size=(200, 8)), systems, n_permutations=0, n_clusterings=5)


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


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_written_pictures(comparison, tmp_path, suffix):
    path = tmp_path / f"curves{suffix}"
    check_picture(path)
    assert not path.exists()
    write_picture(comparison, path)
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", [r"$\nonsense$", "a$b", "_hidden", "日本", "\x1b[31m", "x" * 500])
def test_any_name_can_be_drawn(comparison, tmp_path, name):
    write_picture({name: comparison["near"]}, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").is_file()


def test_names_that_start_alike_all_get_a_curve(comparison, tmp_path):
    results = {"x" * 100 + end: comparison["near"] for end in "ab"}
    write_picture(results, tmp_path / "curves.svg")
    drawn = (tmp_path / "curves.svg").read_text(encoding="utf-8")
    assert drawn.count("xxx…") == 2


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("curves.gif", "must end in .png, .svg or .pdf. Got '.gif'"),
        ("curves", "must end in .png, .svg or .pdf. Got 'curves'"),
        ("nowhere/curves.png", "must be a folder that you may write to"),
        ("folder.png", "It is a folder"),
    ],
)
def test_pictures_that_cannot_be_written(tmp_path, name, match):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(mauve.InvalidParameterError, match=match):
        check_picture(tmp_path / name)


def test_whole_file_replaces(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_whole_file_or_none(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def write_half():
        with atomic_write(path) as file:
            file.write(b"half of the n")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_whole_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    with atomic_write(tmp_path / "whole"):
        pass
    usual, whole = (stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("usual", "whole"))
    assert whole == usual


def test_whole_file_keeps_a_link(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_legend_is_inside_the_picture():
    found = result_from_counts([6, 3, 1], [2, 3, 5])
    axes = plot_curves({"a name of some length, as systems have": found, "b": found})
    axes.figure.savefig(io.BytesIO(), format="png")  # lays the figure out
    legend, square = axes.get_legend().get_window_extent(), axes.get_window_extent()
    whole = axes.figure.get_tightbbox()  # in inches: what is written
    assert whole.x0 * axes.figure.dpi <= legend.x0
    assert legend.x1 <= whole.x1 * axes.figure.dpi
    assert square.height > 0.7 * axes.figure.bbox.height  # a long name does not shrink the square


NAMES = [r"$\nonsense$", "a$b", "_hidden", "日本", "\x1b[31m\u202e", "x" * 500]


@pytest.fixture(scope="module")
def tested():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 300, 8))
    systems = {"far": near + 1, "near": near, "middle": near + 0.4}
    return mauve.compare(human, systems, n_permutations=100, n_clusterings=10)


@pytest.fixture(scope="module")
def explanation(tested):
    return mauve.explain(tested, n_permutations=200)


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


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


def test_labels_do_not_lie_over_each_other():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 200, 8))
    systems = {f"system {i}": near + 0.05 * i for i in range(12)}
    found = mauve.compare(human, systems, n_permutations=0, n_clusterings=5)
    ax = plot_errors(found)
    ax.figure.savefig(io.BytesIO(), format="png")
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 6
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            along = min(one.y1, other.y1) - max(one.y0, other.y0)
            # Widths are estimated without the font, so they may touch by a letter.
            assert min(across / ax.figure.dpi, along / ax.figure.dpi) < 0.08


def test_clusters_show_shares_and_what_differs(explanation):
    own = explanation["far"]
    rows = shown_clusters(own)
    assert rows == [c for c in own.over + own.under + own.otherwise if c in rows]
    ax = plot_clusters(own)
    assert texts_of(ax)[::2] == [cluster.title for cluster in rows]
    assert {"too much", "too little"} <= set(texts_of(ax)[1::2])
    drawn = [float(line.get_xdata()[0]) for line in ax.get_lines() if line.get_marker() == "D"]
    assert drawn == pytest.approx([100 * cluster.model_share for cluster in rows])


def test_clusters_where_none_differs_are_hollow(explanation):
    own = explanation["near"]
    assert not [*own.over, *own.under, *own.otherwise]
    ax = plot_clusters(own)
    assert len(texts_of(ax)) == 2 * len(shown_clusters(own)) > 0
    points = [line for line in ax.get_lines() if line.get_marker() in ("o", "D")]
    assert {point.get_markerfacecolor() for point in points} == {"#ffffff"}


def test_no_picture_has_too_many_rows():
    rng = np.random.default_rng(0)
    topics = 5 * np.eye(20)  # of which the model writes ten, each twice as often
    people, model = (
        topics[rng.choice(n, 800)] + rng.normal(size=(800, 20)) for n in (20, 10)
    )  # fmt: skip
    comparison = mauve.compare(people, model, n_permutations=0, n_clusterings=10)
    fine = mauve.explain(comparison, n_clusters=20)["model"]
    assert len(fine.over) + len(fine.under) > MOST_CLUSTERS
    assert len(shown_clusters(fine)) == MOST_CLUSTERS


def test_map_has_a_disc_for_each_cluster_and_a_point_for_each_text(explanation):
    ax = plot_map(explanation, "far")
    discs = [patch for patch in ax.patches if type(patch).__name__ == "Circle"]
    rings = [disc for disc in discs if not disc.get_fill()]
    assert len(rings) == len(explanation.text_map.radii)
    n_flagged = sum(cluster.kind != "same" for cluster in explanation["far"].clusters)
    assert len(discs) - len(rings) == n_flagged
    dots = [len(patch.get_path().vertices) // 2 for patch in ax.patches if patch not in discs]
    assert dots == [300, 300]


def test_large_maps_are_thinned():
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(4000, 4)), rng.normal(size=(1000, 4))
    found = mauve.compare(human, {"m": model}, num_buckets=50, n_permutations=0, n_clusterings=5)
    ax = plot_map(mauve.explain(found, n_permutations=100), "m")
    dots = [
        len(patch.get_path().vertices) // 2
        for patch in ax.patches
        if type(patch).__name__ == "PathPatch"
    ]
    assert dots == [MOST_POINTS * 4 // 5, MOST_POINTS // 5]


def test_methods_draw_the_pictures(tested, explanation):
    ax = Figure().add_subplot()
    assert explanation["far"].plot(ax) is ax
    assert explanation.plot("far").patches


@pytest.mark.parametrize("plot", [plot_ranking, plot_errors])
def test_any_name_of_a_system_can_be_drawn(tested, plot):
    ax = plot(dict.fromkeys(NAMES, tested["middle"]))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        ax.figure.savefig(io.BytesIO(), format="png")
    assert r"\x1b[31m\u202e" in texts_of(ax)
    assert max(map(len, texts_of(ax))) <= 32
