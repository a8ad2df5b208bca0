"""Time and memory beside the authors' package, and how they grow.

    python benchmarks/speed.py --peer ENV/bin/python            # 5,000 + 5,000 x 1,280
    python benchmarks/speed.py --growth                         # in n and d
    python benchmarks/speed.py --large                          # 200,000 + 200,000 x 256

Every measurement runs in a process of its own; both packages have the same number of threads
and take turns, and the best of three counts. Seconds of the processor do not depend on who else
uses it as much as those of the clock.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version

import numpy as np
from peer import Peer, add_peer_argument
from simulate import text_like

_PROGRAM = """
import json, resource, sys, time
import numpy as np
import scipy.linalg, scipy.sparse, scipy.special  # ours loads them at first use, theirs at import
import mauve
what, p, q, settings = sys.argv[1], np.load(sys.argv[2]), np.load(sys.argv[3]), sys.argv[4]
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, processor = time.perf_counter(), time.process_time()
out = getattr(mauve, what)(p, q, **json.loads(settings))
seconds, processor = time.perf_counter() - start, time.process_time() - processor
peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
score = out.mauve if what == "compute_mauve" else out["model"].mauve
print(json.dumps(
    {"seconds": seconds, "processor": processor, "peak_mb": peak, "mauve": score}
))
"""


#: What is timed beside the authors' package: a name, the function, and its arguments.
OURS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("compute_mauve, k = 500", "compute_mauve", {"num_buckets": 500}),
    ("compare (default: k = 25, 40 clusterings)", "compare", {}),
    ("compare, 10 clusterings", "compare", {"n_clusterings": 10}),
    (
        "compare, joint clusterings, k = 500",
        "compare",
        {"clustering": "joint", "num_buckets": 500},
    ),
)


def ours(what: str, p: str, q: str, threads: int, **settings: object) -> dict[str, float]:
    """Run our `compare` or `compute_mauve` in a new process."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _PROGRAM, what, p, q, json.dumps(settings)],
        env={**os.environ, "OMP_NUM_THREADS": str(threads)},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    return json.loads(done.stdout)


def best(runs: list[dict[str, float]]) -> dict[str, float]:
    """Return the lowest time of all runs, by the clock and of the processor, and their memory."""
    return {what: min(run[what] for run in runs) for what in ("seconds", "processor", "peak_mb")}


def beside_the_authors(peer: Peer) -> None:
    """Print the table of time and memory for 5,000 + 5,000 features."""
    rng = np.random.default_rng(0)
    p = peer.save("p", text_like(5000, 1280, 0.0, rng))
    q = peer.save("q", text_like(5000, 1280, 0.1, rng))
    size = 2 * 5000 * 1280 * 4 / 2**20
    print(f"5,000 + 5,000 features of 1,280 dimensions ({size:.0f} MB), best of three")
    print(
        "| threads | what | seconds | times the authors' | of the processor | times the authors' "
        "| memory added, x features |"
    )
    print("|---" * 7 + "|")
    for threads in (1, 2):
        runs: dict[str, list[dict[str, float]]] = {}
        for _ in range(3):
            job = {"p": p, "q": q, "settings": {"num_buckets": 500}}
            runs.setdefault("authors' compute_mauve, k = 500", []).extend(peer.run([job], threads))
            for name, what, settings in OURS:
                runs.setdefault(name, []).append(ours(what, p, q, threads, **settings))
        reference = best(runs["authors' compute_mauve, k = 500"])
        for name, repeated in runs.items():
            run = best(repeated)
            print(
                f"| {threads} | {name} | {run['seconds']:.2f} | "
                f"{run['seconds'] / reference['seconds']:.2f} | {run['processor']:.2f} | "
                f"{run['processor'] / reference['processor']:.2f} | {run['peak_mb'] / size:.2f} |",
                flush=True,
            )


def growth(peer: Peer) -> None:
    """Print how `compare` with its defaults grows with n and d, two threads."""
    rng = np.random.default_rng(0)
    print("| n per sample | d | seconds | of the processor | MB added |")
    print("|---|---|---|---|---|")
    for n, d in (
        (500, 256), (1000, 256), (2000, 256), (5000, 256), (20000, 256), (60000, 256),
        (5000, 64), (5000, 1280), (5000, 4096),
    ):  # fmt: skip
        p = peer.save("p", text_like(n, d, 0.0, rng))
        q = peer.save("q", text_like(n, d, 0.1, rng))
        run = best([ours("compare", p, q, 2) for _ in range(2)])
        print(
            f"| {n} | {d} | {run['seconds']:.2f} | {run['processor']:.2f} | {run['peak_mb']:.0f} |",
            flush=True,
        )


def large(peer: Peer) -> None:
    """Print one comparison of 200,000 + 200,000 texts, two threads."""
    rng = np.random.default_rng(0)
    p = peer.save("p", text_like(200_000, 256, 0.0, rng))
    q = peer.save("q", text_like(200_000, 256, 0.1, rng))
    run = ours("compare", p, q, 2)
    print(f"200,000 + 200,000 x 256: {run['seconds']:.1f} s, "
          f"{run['processor']:.1f} s of the processor, {run['peak_mb']:.0f} MB added")  # fmt: skip


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_peer_argument(parser, required=False)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--large", action="store_true")
    args = parser.parse_args()
    peer = Peer(args.peer or sys.executable)
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {version('scipy')}, "
        f"{os.cpu_count()} cores" + (f"; {peer.versions()}" if args.peer else "")
    )
    if args.peer:
        beside_the_authors(peer)
    if args.growth:
        growth(peer)
    if args.large:
        large(peer)


if __name__ == "__main__":
    main()
