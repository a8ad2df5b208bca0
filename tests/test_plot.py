import io
import os
import stat

import numpy as np
import pytest
from matplotlib.figure import Figure

import mauve
from mauve.cli.files import check_picture, whole_file, write_picture
from mauve.compute import result_from_counts
from mauve.plot import plot_curves


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
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_whole_file_or_none(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")

    def write_half():
        with whole_file(path) as file:
            file.write(b"half of the n")
            raise error

    with pytest.raises(error):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_whole_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    with whole_file(tmp_path / "whole"):
        pass
    usual, whole = (stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("usual", "whole"))
    assert whole == usual


def test_whole_file_keeps_a_link(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with whole_file(tmp_path / "link") as file:
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
