"""Claims: one process for each step, and the claims of dead processes are taken over."""

import json
import os
import platform
import subprocess
import sys
import time

import pytest

from mauve.errors import OutputError
from mauve.experiment.claims import DEAD_AFTER, claimed, owner_of, remove_dead


def write_claim(path, pid, host=None, age=0.0):
    content = {"pid": pid, "host": host or platform.node(), "token": "old"}
    path.write_text(json.dumps(content))
    then = time.time() - age
    os.utime(path, (then, then))


def dead_pid():
    """Return the id of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_the_claim_of_a_dead_process_is_taken_over(tmp_path):
    write_claim(tmp_path / "step", dead_pid())
    with claimed(tmp_path / "step") as is_mine:
        assert is_mine
        assert owner_of(tmp_path / "step").pid == os.getpid()
    assert [*tmp_path.iterdir()] == []


def test_the_claim_of_a_living_process_is_not(tmp_path):
    write_claim(tmp_path / "step", os.getpid())
    with claimed(tmp_path / "step") as is_mine:
        assert not is_mine
    assert owner_of(tmp_path / "step").token == "old"


@pytest.mark.parametrize(("age", "is_taken"), [(0, False), (DEAD_AFTER + 1, True)])
def test_another_machine_is_known_by_its_signs_of_life(tmp_path, age, is_taken):
    write_claim(tmp_path / "step", 1, "elsewhere", age)
    with claimed(tmp_path / "step") as is_mine:
        assert is_mine is is_taken


@pytest.mark.parametrize(("age", "is_taken"), [(0, False), (DEAD_AFTER + 1, True)])
def test_a_damaged_claim_is_kept_for_a_minute(tmp_path, age, is_taken):
    (tmp_path / "step").write_text("{")
    then = time.time() - age
    os.utime(tmp_path / "step", (then, then))
    with claimed(tmp_path / "step") as is_mine:
        assert is_mine is is_taken


def test_signs_of_life(tmp_path):
    with claimed(tmp_path / "step", heartbeat=0.01):
        os.utime(tmp_path / "step", (0, 0))
        deadline = time.monotonic() + 10
        while owner_of(tmp_path / "step").age > 1e6 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert owner_of(tmp_path / "step").age < 60


def test_an_error_in_the_block_ends_the_claim(tmp_path):
    with pytest.raises(KeyboardInterrupt), claimed(tmp_path / "step"):
        raise KeyboardInterrupt
    assert [*tmp_path.iterdir()] == []


def test_a_claim_that_was_taken_away_is_left_to_its_new_owner(tmp_path):
    with claimed(tmp_path / "step"):
        write_claim(tmp_path / "step", os.getpid())
    assert owner_of(tmp_path / "step").token == "old"


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "claims").write_text("a file")
    with (
        pytest.raises(OutputError, match="cannot be written"),
        claimed(tmp_path / "claims" / "step"),
    ):
        pass


def test_only_dead_claims_are_removed(tmp_path):
    write_claim(tmp_path / "dead", dead_pid())
    write_claim(tmp_path / "alive", os.getpid())
    write_claim(tmp_path / "elsewhere", 1, "elsewhere")
    (tmp_path / ".dead-temporary").write_text("{")
    os.utime(tmp_path / ".dead-temporary", (0, 0))
    remove_dead(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"alive", "elsewhere"}
