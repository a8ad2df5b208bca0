"""Pictures that commands write."""

from pathlib import Path

import pytest
from running import QUICK, invoke, start


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
