"""Time and memory of comparisons out of core, by the number of texts.

Features are drawn at random and written to files; each comparison is a process of its own, whose
peak memory the system counts. Time is by stage, and that of assignment stands beside the time that
BLAS takes for its matrix products alone, measured in the same process.

    python benchmarks/scale.py --folder /var/tmp/scale --sizes 500000 1000000 2000000 4000000

Sizes are texts of both samples together. The folder takes 4 bytes for each number: 4 GB for four
million texts of 256 dimensions; remove it afterwards.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROWS = 250_000  # of a file


def write_features(folder: Path, n: int, d: int) -> None:
    """Write the features of both samples, unless they are there."""
    topics = np.random.default_rng(0).normal(size=(40, d)).astype(np.float32)
    for number, (name, tilt) in enumerate({"human": 0.0, "model": 0.03}.items()):
        weights = np.exp(-tilt * np.arange(40))
        for file in range(-(-n // 2 // ROWS)):
            path = folder / f"{name}-{file:03d}.npy"
            if path.exists():
                continue
            rng = np.random.default_rng([number, file])
            rows = topics[rng.choice(40, size=ROWS, p=weights / weights.sum())]
            rows += rng.standard_normal(rows.shape, dtype=np.float32)
            np.save(path, rows)


def one(folder: Path, n: int, memory: str, engine: str, workers: int | None) -> None:
    """Compare the first n texts, and print figures as JSON."""
    import mauve
    from mauve.threads import available_threads, parallel_map

    began: dict[str, float] = {}
    ended: dict[str, float] = {}

    def report(step: str, done: int, total: int) -> None:
        now = time.perf_counter()
        began.setdefault(step, max([start, *ended.values()]))
        ended[step] = now

    n_files = n // 2 // ROWS
    files = {name: sorted(folder.glob(f"{name}-*.npy"))[:n_files] for name in ("human", "model")}
    options = {"engine": engine, "workers": workers} if engine == "ray" else {}
    start = time.perf_counter()
    comparison = mauve.compare_files(
        files["human"], {"model": files["model"]}, memory=memory, progress=report, **options
    )
    seconds, processor = time.perf_counter() - start, time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    width = np.load(files["human"][0], mmap_mode="r").shape[1]
    columns = 40 * 25 + 40  # of k-means and of the classifier
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((512, width), dtype=np.float32)
    weights = rng.standard_normal((width, columns), dtype=np.float32)
    n_products = max(2, n // 512 // 4)
    blas = time.perf_counter()
    parallel_map(lambda _: (rows @ weights)[0, 0], range(n_products))
    of_products = (time.perf_counter() - blas) / n_products * n / 512
    result = comparison["model"]
    print(
        json.dumps(
            {
                "n": n,
                "threads": available_threads(),
                "seconds": seconds,
                "processor": processor,
                "steps": {step: ended[step] - began[step] for step in ended},
                "products": of_products,
                "peak": peak,
                "mauve": result.mauve,
                "interval": result.interval,
            }
        )
    )


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[500_000, 1_000_000])
    parser.add_argument("--dimensions", type=int, default=256)
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--engine", default="disk")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(given.folder, given.one, given.memory, given.engine, given.workers)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    print(
        "  texts     MAUVE  seconds  of the processor  hashing  assigning  of BLAS  merging  "
        "peak GiB"
    )
    for n in given.sizes:
        n = max(1, n // 2 // ROWS) * ROWS * 2
        write_features(given.folder, n, given.dimensions)
        command = [sys.executable, __file__, *sys.argv[1:], "--one", str(n)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        found = json.loads(done.stdout.splitlines()[-1])
        steps = found["steps"]
        print(
            f"{n:9,}  {found['mauve']:.5f}  {found['seconds']:7.1f}  "
            f"{found['processor']:16.1f}  {steps['hashing']:7.1f}  "
            f"{steps['assigning']:9.1f}  {found['products'] / steps['assigning']:7.0%}  "
            f"{steps['merging']:7.1f}  {found['peak'] / 2**30:8.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
