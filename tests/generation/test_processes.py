"""Work that is shared between the two processes of a real group: this one and a child."""

import subprocess
import sys

import pytest
import torch.distributed as dist

from mauve.errors import InvalidParameterError, MauveError
from mauve.generation.processes import gathered, on_main, rank_and_count

OTHER = """
import sys
import torch.distributed as dist
from mauve.generation.processes import gathered, on_main

dist.init_process_group("gloo", init_method=f"file://{sys.argv[1]}", rank=1, world_size=2)
print(gathered(lambda: {1: "b"}))
print(on_main(lambda: "not here"))
for share in (gathered, on_main, gathered):
    try:
        share(lambda: {}["lost"] if share is gathered else None)
    except Exception as error:
        print(type(error).__name__, error)
dist.destroy_process_group()
"""


@pytest.fixture
def other(tmp_path):
    rendezvous = tmp_path / "group"
    command = [sys.executable, "-c", OTHER, str(rendezvous)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        dist.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=0, world_size=2)
        yield process
        dist.destroy_process_group()


def refused():
    raise InvalidParameterError("It is refused.")


@pytest.mark.slow
def test_results_and_errors_are_those_of_both(other):
    assert rank_and_count() == (0, 2)
    assert gathered(lambda: {0: "a"}) == {0: "a", 1: "b"}
    assert on_main(lambda: "here") == "here"
    with pytest.raises(MauveError, match="Process 1 failed: KeyError: 'lost'"):
        gathered(lambda: {0: "a"})
    with pytest.raises(InvalidParameterError, match="It is refused"):
        on_main(refused)
    with pytest.raises(InvalidParameterError, match="It is refused"):  # its own, not the other's
        gathered(refused)
    out, _ = other.communicate(timeout=60)
    assert out.splitlines() == [
        "{0: 'a', 1: 'b'}",
        "here",
        "KeyError 'lost'",
        "MauveError Process 0 failed: It is refused.",
        "KeyError 'lost'",
    ]
