"""Self-BLEU beside NLTK and fast-bleu on one thread, and how its time and memory grow.

    python benchmarks/self_bleu.py                              # ours alone
    python benchmarks/self_bleu.py --peer ENV/bin/python        # beside NLTK and fast-bleu
    python benchmarks/self_bleu.py --growth                     # 1,000 to 20,000 texts
    python benchmarks/self_bleu.py --texts FILE.txt             # a text a line, words by spaces

Texts are made with a seed: a Markov chain in which words follow Zipf's law and most follow
one of a few successors of the word before, so that texts share n-grams of all lengths. Every
measurement runs in a process of its own. The peers' environment is made once:

    python -m venv ENV && ENV/bin/pip install setuptools wheel nltk
    ENV/bin/pip install --no-build-isolation fast-bleu
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

_OURS = """
import json, resource, sys, time
import numpy as np
import mauve
from mauve.measures.estimate import deal_texts
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.self_bleu import self_bleu_measure, self_bleu_scores
ids, starts = (np.load(path) for path in sys.argv[1:3])
table = TokenTable(ids, starts, int(ids.max()) + 1)
chosen = np.random.default_rng(0).permutation(len(table))[:int(sys.argv[3]) or None]
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
if sys.argv[4] == "scores":
    scores = self_bleu_scores(table, chosen)
else:
    keys = np.arange(len(table), dtype=np.uint64)
    sample = MeasuredSample("texts", deal_texts(keys), tokens=table)
    scores = np.array([self_bleu_measure().estimate(sample, sample).value])
seconds = time.perf_counter() - start
peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
print(json.dumps({"seconds": seconds, "peak_mb": peak, "scores": scores.tolist()}))
"""

_NLTK = """
import json, sys, time
import numpy as np
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
ids, starts = (np.load(path) for path in sys.argv[1:3])
rows = [row.tolist() for row in np.split(ids, starts[1:-1])]
chosen = np.random.default_rng(0).permutation(len(rows))[:int(sys.argv[3])]
smooth = SmoothingFunction().method1
start = time.perf_counter()
scores = [
    sentence_bleu(rows[:i] + rows[i + 1:], rows[i], (0.25,) * 4, smoothing_function=smooth)
    for i in chosen
]
print(json.dumps({"seconds": time.perf_counter() - start, "scores": scores}))
"""

# fast-bleu scores all texts or none.
_FAST_BLEU = """
import json, resource, sys, time
import numpy as np
from fast_bleu import SelfBLEU
ids, starts = (np.load(path) for path in sys.argv[1:3])
rows = [[str(token) for token in row] for row in np.split(ids, starts[1:-1])]
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
scores = SelfBLEU(rows, {4: (0.25,) * 4}).get_score()[4]
seconds = time.perf_counter() - start
peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
chosen = np.random.default_rng(0).permutation(len(rows))
print(json.dumps({"seconds": seconds, "peak_mb": peak, "scores": [scores[i] for i in chosen]}))
"""

_VERSIONS = """
from importlib.metadata import version
print(", ".join(f"{name} {version(name)}" for name in ("nltk", "fast-bleu")))
"""


def make_texts(n: int, length: int = 500, n_words: int = 50_000, seed: int = 0) -> np.ndarray:
    """Return words as numbers, shape (n, length)."""
    rng = np.random.default_rng(seed)
    shares = np.cumsum(1 / np.arange(1, n_words + 1))
    shares /= shares[-1]

    def fresh(shape: tuple[int, ...]) -> np.ndarray:
        return np.searchsorted(shares, rng.random(shape))

    successors = fresh((n_words, 8))
    rows = np.empty((n, length), dtype=np.int32)
    rows[:, 0] = fresh((n,))
    for place in range(1, length):
        follows = successors[rows[:, place - 1], rng.integers(0, 8, n)]
        rows[:, place] = np.where(rng.random(n) < 0.6, follows, fresh((n,)))
    return rows


def read_texts(path: Path) -> list[list[int]]:
    """Return the words of each line as numbers."""
    numbers: dict[str, int] = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    return [[numbers.setdefault(word, len(numbers)) for word in line.split()] for line in lines]


class Bench:
    """Programs that get texts as files and print a line of JSON."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)

    def save(self, rows: list[list[int]] | np.ndarray) -> list[str]:
        """Write texts where the programs find them."""
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        ids = np.concatenate([np.asarray(row, dtype=np.int32) for row in rows])
        paths = [str(self.folder / name) for name in ("ids.npy", "starts.npy")]
        for path, part in zip(paths, (ids, starts), strict=True):
            np.save(path, part)
        return paths

    def run(self, python: str, program: str, paths: list[str], *more: object) -> dict:
        """Run one program on one thread."""
        done = subprocess.run(
            [python, "-c", program, *paths, *map(str, more)],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            check=True,
            text=True,
            stdout=subprocess.PIPE,
        )
        return json.loads(done.stdout)

    def ours(self, paths: list[str], n_scored: int, what: str = "scores") -> dict:
        """Run ours three times and return the fastest; 0 for all texts."""
        runs = [self.run(sys.executable, _OURS, paths, n_scored, what) for _ in range(3)]
        return min(runs, key=lambda run: run["seconds"])


def beside_peers(
    bench: Bench, rows: list[list[int]] | np.ndarray, peer: str | None, n_nltk: int
) -> None:
    """Print the table of times, and whether the scores are the same."""
    paths, n = bench.save(rows), len(rows)
    some = min(1000, n)
    lengths = [len(row) for row in rows]
    print(f"{n:,} texts of {np.mean(lengths):.0f} words on average, Self-BLEU-4, one thread")
    print("| what | scored | seconds | MB added | times ours | largest difference |")
    print("|---|---|---|---|---|---|")
    some_run, all_run = bench.ours(paths, some), bench.ours(paths, 0)
    estimate = bench.ours(paths, 0, "estimate")
    for name, scored, run in (
        ("ours", some, some_run),
        ("ours", n, all_run),
        ("ours, with its interval", n, estimate),
    ):
        print(f"| {name} | {scored:,} | {run['seconds']:.2f} | {run['peak_mb']:.0f} | | |")
    if peer is None:
        return

    def difference(run: dict) -> float:
        known = np.array(all_run["scores"][: len(run["scores"])])
        return float(np.abs(known - run["scores"]).max())

    nltk = bench.run(peer, _NLTK, paths, n_nltk)
    each = nltk["seconds"] / n_nltk
    print(f"| NLTK | {n_nltk} | {nltk['seconds']:.1f} | | | {difference(nltk):.0e} |")
    print(
        f"| NLTK, extrapolated at {each:.2f} s each | {some:,} | {each * some:,.0f} | | "
        f"{each * some / some_run['seconds']:,.0f} | |"
    )
    fast = bench.run(peer, _FAST_BLEU, paths)
    print(
        f"| fast-bleu | {n:,} | {fast['seconds']:.1f} | {fast['peak_mb']:.0f} | "
        f"{fast['seconds'] / all_run['seconds']:.1f} | {difference(fast):.0e} |"
    )


def growth(bench: Bench) -> None:
    """Print how time and memory grow with the number of texts, all scored."""
    print("| texts of 500 words | seconds | ms a text | MB added | kB a text | with interval |")
    print("|---|---|---|---|---|---|")
    for n in (1000, 5000, 20_000):
        paths = bench.save(make_texts(n))
        run, estimate = bench.ours(paths, 0), bench.ours(paths, 0, "estimate")
        print(
            f"| {n:,} | {run['seconds']:.2f} | {run['seconds'] / n * 1000:.2f} | "
            f"{run['peak_mb']:.0f} | {run['peak_mb'] / n * 1024:.0f} | "
            f"{estimate['seconds']:.2f} s, {estimate['peak_mb']:.0f} MB |",
            flush=True,
        )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", help="python of an environment with nltk and fast-bleu")
    parser.add_argument("--texts", type=Path, help="a file with a text a line")
    parser.add_argument("--nltk", type=int, default=3, help="texts that NLTK scores")
    parser.add_argument("--growth", action="store_true", help="print the growth instead")
    args = parser.parse_args()
    machine = f"Python {platform.python_version()}, NumPy {np.__version__}, {platform.machine()}"
    if args.peer:
        versions = subprocess.run(
            [args.peer, "-c", _VERSIONS], check=True, text=True, stdout=subprocess.PIPE
        ).stdout.strip()
        machine = f"{machine}; {versions}"
    print(machine)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        if args.growth:
            growth(bench)
        else:
            rows = make_texts(5000) if args.texts is None else read_texts(args.texts)
            beside_peers(bench, rows, args.peer, args.nltk)


if __name__ == "__main__":
    main()
