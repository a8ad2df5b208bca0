"""Pictures that commands write."""

from pathlib import Path

import numpy as np
import pytest
from running import QUICK, invoke, start

import mauve
from mauve.cli.outputs import check_picture, write_picture


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PDF", b"%PDF")]
)
def test_plot(features, name, start):
    result = invoke("compare", "human.npy", "good.npy", *QUICK, "--plot", name)
    assert result.exit_code == 0
    assert Path(name).read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["nowhere/a.png", "human.npy/a.png", "/proc/a.png", "folder.png"])
def test_plot_where_nothing_can_be_written(features, name):
    Path("folder.png").mkdir()
    # The missing system shows that the picture is checked first.
    result = invoke("compare", "human.npy", "nowhere.npy", "--plot", name)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"error: '{name}' ")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_runs_at_once_into_one_picture(features):
    Path("curves.png").write_bytes(b"old")
    before = sorted(features.iterdir())
    arguments = ["compare", "human.npy", "good.npy", *QUICK, "--plot", "curves.png"]
    processes = [start(*arguments) for _ in range(3)]
    for process in processes:
        process.communicate(timeout=120)
        assert process.returncode == 0
    picture = Path("curves.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert b"IEND" in picture[-12:]
    assert sorted(features.iterdir()) == before


def test_failed_run_keeps_the_old_picture(features):
    Path("curves.png").write_bytes(b"old")
    result = invoke("compare", "human.npy", "nowhere.npy", "--plot", "curves.png")
    assert result.exit_code == 1
    assert Path("curves.png").read_bytes() == b"old"


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(0)
    systems = {"near": rng.normal(size=(200, 8)), "far": rng.normal(size=(200, 8)) + 1}
    return mauve.compare(rng.normal(size=(200, 8)), systems, n_permutations=0, n_clusterings=5)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_written_pictures(comparison, tmp_path, suffix):
    path = tmp_path / f"curves{suffix}"
    check_picture(path)
    assert not path.exists()
    write_picture(comparison, path)
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
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
