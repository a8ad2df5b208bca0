"""Atomic writes."""

import os
import stat

import pytest

from mauve.atomic import atomic_write
from mauve.errors import OutputError


def test_replaces(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_the_file_as_it_was(tmp_path, error):
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


def test_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    with atomic_write(tmp_path / "atomic"):
        pass
    usual, atomic = (stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in ("usual", "atomic"))
    assert atomic == usual


def test_keeps_a_link(tmp_path):
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "nowhere" / "a.txt"

    def write():
        with atomic_write(path) as file:
            file.write(b"new")

    with pytest.raises(OutputError, match=r"a\.txt' cannot be written \(No such file or directory"):
        write()


def test_an_error_of_another_file_keeps_its_name(tmp_path):
    def write():
        with atomic_write(tmp_path / "a.txt"):
            (tmp_path / "font.ttf").read_bytes()

    with pytest.raises(FileNotFoundError, match=r"font\.ttf"):
        write()
    assert list(tmp_path.iterdir()) == []
