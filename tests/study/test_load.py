"""The load benchmark in small: a server that is killed loses nothing and doubles nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "study_load.py"


@pytest.mark.slow
def test_a_killed_server_loses_no_acknowledged_rating_and_counts_none_twice(tmp_path):
    sizes = {"annotators": 15, "ratings": 150, "kills": 1, "rate": 60, "systems": 3}
    small = ["--json", *(str(part) for name, n in sizes.items() for part in (f"--{name}", n))]
    command = [
        sys.executable,
        "-W",
        "error",
        BENCHMARK,
        *small,
        "--study",
        tmp_path / "study.sqlite",
    ]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    figures = json.loads(run.stdout)
    assert figures["requests_retried"] > 0, "the server was away for a while"
    assert figures["acknowledged"] == figures["stored"] >= 150
    assert figures["valid_ratings"] == 150  # 6 pairs with 25 ratings each
    assert (figures["pairs_at_target"], figures["pairs_off_target"]) == (6, {})
    for nothing in ("acknowledged_not_stored", "stored_not_acknowledged", "stored_twice",
                    "items_twice_for_one_person", "refused"):  # fmt: skip
        assert figures[nothing] == 0, nothing
    assert figures["ends"] == {"complete": 15}
    assert figures["kinds"]["repeat"] > 0
    assert figures["kinds"]["attention"] > 0
