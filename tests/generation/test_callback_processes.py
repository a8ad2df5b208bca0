"""Distributed training: the score is that of one process, and all processes have it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("train_in_processes.py")


def results(folder, n_processes):
    folder.mkdir()
    launch = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={n_processes}"]
    run = subprocess.run(
        [sys.executable, *launch, SCRIPT, folder, str(n_processes)],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(path.read_text()) for path in sorted(folder.glob("process-*.json"))]


@pytest.mark.slow
def test_two_processes_give_the_score_of_one(tmp_path):
    [one] = results(tmp_path / "one", 1)
    two = results(tmp_path / "two", 2)
    assert [each["process"] for each in two] == [0, 1]
    assert [each["is_main"] for each in two] == [True, False]
    assert len(one["mauve"]) == 2
    for each in two:
        # Batches of other prompts round otherwise: a token would differ where a random number is
        # within 1e-6 of a bound, so with 1 of 500 seeds.
        assert each["texts"] == one["texts"]
        assert each["mauve"] == pytest.approx(one["mauve"], abs=1e-9)
        assert each["p_value"] == one["p_value"]
        assert each["best"] == each["mauve"][1]  # of step 8, where the Trainer evaluates
