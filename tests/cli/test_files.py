"""Pictures that the command line writes."""

import numpy as np
import pytest

import mauve
from mauve.cli.files import check_picture, write_picture


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(0)
    systems = {"near": rng.normal(size=(200, 8)), "far": rng.normal(size=(200, 8)) + 1}
    return mauve.compare(rng.normal(size=(200, 8)), systems, n_permutations=0, n_clusterings=5)


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
