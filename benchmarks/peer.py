"""Run the authors' package (PyPI ``mauve-text``) beside ours, in its own environment.

It is GPL and brings FAISS and scikit-learn, so it stays a separate program: features go
there as files and figures come back as JSON. Make its environment once:

    python -m venv ENV && ENV/bin/pip install torch mauve-text

and pass ``--peer ENV/bin/python`` to a benchmark.
"""

import argparse
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

_PROGRAM = """
import json, resource, sys, time
import numpy as np
import mauve
jobs = json.load(open(sys.argv[1]))
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for job in jobs:
    p, q = np.load(job["p"]), np.load(job["q"])
    start, processor = time.perf_counter(), time.process_time()
    out = mauve.compute_mauve(p_features=p, q_features=q, **job["settings"])
    seconds, processor = time.perf_counter() - start, time.process_time() - processor
    print(json.dumps({
        "seconds": seconds, "processor": processor, "mauve": out.mauve,
        "mauve_star": out.mauve_star,
        "frontier_integral": out.frontier_integral,
        "frontier_integral_star": out.frontier_integral_star,
        "p_hist": out.p_hist.tolist(), "q_hist": out.q_hist.tolist(),
        "divergence_curve": out.divergence_curve.tolist(), "num_buckets": int(out.num_buckets),
        "peak_mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024,
    }), flush=True)
"""


def add_peer_argument(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add ``--peer`` to a benchmark's command line."""
    parser.add_argument(
        "--peer", required=required, help="python of an environment with the authors' mauve-text"
    )


class Peer:
    """The authors' package behind a function call."""

    def __init__(self, python: str) -> None:
        self.python = python
        self._folder = tempfile.TemporaryDirectory()

    def save(self, name: str, features: np.ndarray) -> str:
        """Write features where the other program finds them."""
        path = Path(self._folder.name) / f"{name}.npy"
        np.save(path, features)
        return str(path)

    def run(self, jobs: list[dict[str, Any]], threads: int | None = None) -> list[dict[str, Any]]:
        """Compute MAUVE for every job: paths ``p`` and ``q`` and keyword ``settings``."""
        path = Path(self._folder.name) / "jobs.json"
        path.write_text(json.dumps(jobs))
        env = dict(os.environ)
        env.pop("PYTHONPATH", None)  # its packages are its own
        if threads is not None:
            env["OMP_NUM_THREADS"] = str(threads)
        done = subprocess.run(
            [self.python, "-c", _PROGRAM, str(path)],
            env=env,
            text=True,
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def versions(self) -> str:
        """Return the versions that matter, for the record."""
        code = (
            "from importlib.metadata import version as v;"
            "print(', '.join(f'{p} {v(p)}' for p in ('mauve-text','faiss-cpu','scikit-learn')))"
        )
        return subprocess.run(
            [self.python, "-c", code], text=True, check=True, stdout=subprocess.PIPE
        ).stdout.strip()
