r"""Time and memory of each comparison measure, beside other packages.

    python benchmarks/measures.py                               # ours alone
    python benchmarks/measures.py --peer ENV/bin/python         # beside other packages
    python benchmarks/measures.py --only frechet vendi --dim 768
    python benchmarks/measures.py --texts FILE.txt              # a text a line, words by spaces

There are 5,000 human texts and as many of a model, of 200 words each, from the generator of
benchmarks/self_bleu.py, and simulated features of 130 dimensions, as many as those of the
bundled model. The human texts are the training texts as well. Tokens, features and groups are
made beforehand. What is timed is a measure's value by its plain function, and
its value with all that the interval takes, for one sample; other packages give a value only.

Every measurement runs in its own process on one thread, in turns with the others of its
measure; the fastest of three counts, or the only one where it takes long. Seconds are of
processor time, which other work on the machine changes little and in which a package that
starts threads anyway gains nothing. Memory is the peak above what was in use before, from
Linux's /proc; the peak of getrusage begins with that of the process that started this one.

MAUVE, also by a classifier, is in benchmarks/speed.py, all of Self-BLEU in
benchmarks/self_bleu.py, and the reading of texts by language models in
benchmarks/token_probabilities.py. The environment of the other packages is made once:

    python -m venv ENV && ENV/bin/pip install setuptools torch transformers scikit-learn nltk \
        prdc pytorch-fid torch-fidelity vendi-score diversity spacy openai
"""

import argparse
import gc
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import peer_measures as peers
from peer_measures import Work
from saved_samples import SavedSamples, save, synthetic_texts

ENOUGH = 20.0  # seconds after which a measurement is not repeated
PACKAGES = (
    "numpy", "scipy", "scikit-learn", "onnxruntime", "torch", "transformers", "nltk", "diversity",
    "pytorch-fid", "torch-fidelity", "prdc", "vendi-score",
)  # fmt: skip

Run = dict[str, Any]


@dataclass(frozen=True)
class Peer:
    """Another package for a measure; why its value differs; how many texts it gets, if not all."""

    name: str
    prepare: Callable[[SavedSamples], Work]
    differs: str = ""
    n_texts: int | None = None


@dataclass(frozen=True)
class Line:
    """A row of the table: measures that are timed together, and what other packages have."""

    name: str
    measures: tuple[str, ...]
    has_value: bool = False
    peers: tuple[Peer, ...] = ()


def _line(name: str, *peers: Peer, has_value: bool = True) -> Line:
    return Line(name, (name,), has_value, peers)


LINES = (
    _line("perplexity", Peer("Transformers, batches of 16", peers.transformers_perplexity)),
    _line("zipf", Peer("Counter, linregress", peers.counter_linregress)),
    _line("repetition", Peer("loop over slices", peers.loop_over_slices)),
    _line("distinct-4", Peer("NLTK, Counter", peers.nltk_distinct)),
    _line(
        "self-bleu",
        Peer("NLTK, extrapolated", peers.nltk_bleu, "see self_bleu.py", peers.N_HYPOTHESES),
    ),
    _line("entropy-2", Peer("NLTK, Counter", peers.nltk_entropy)),
    _line("compression", Peer("diversity", peers.diversity_compression, "other order")),
    _line("copying-8", Peer("NLTK, set", peers.nltk_copying)),
    _line(
        "frechet",
        Peer("pytorch-fid", peers.pytorch_fid_frechet),
        Peer("torch-fidelity", peers.torch_fidelity_frechet),
    ),
    _line("mmd", Peer("torch-fidelity, width given", peers.torch_fidelity_rbf)),
    Line(
        "mmd, kernel of KID",
        (),
        True,
        (Peer("torch-fidelity", peers.torch_fidelity_draws, "100 draws"),),
    ),
    Line(
        "precision, recall, density, coverage",
        ("precision", "recall", "density", "coverage"),
        peers=(Peer("prdc", peers.prdc_values),),
    ),
    _line("vendi", Peer("vendi-score", peers.vendi_score_value)),
    _line(
        "discriminator",
        Peer("LogisticRegressionCV", peers.logistic_regression, "other split"),
        has_value=False,
    ),
)


def measured(kind: str, name: str, folder: str) -> Run:
    """Time one call and its memory, in a new process."""
    saved = SavedSamples(folder)
    if kind == "peer":
        line_name, _, peer_name = name.partition(": ")
        line = next(line for line in LINES if line.name == line_name)
        work = next(peer for peer in line.peers if peer.name == peer_name).prepare(saved)
    else:
        for module in ("linalg", "spatial.distance", "special", "stats"):
            import_module(f"scipy.{module}")  # ours loads them at first use, theirs at import
        if name == "discriminator":
            import_module("sklearn.linear_model")
        # The other environment has no mauve.
        from our_measures import our_estimate, our_value

        work = (our_value if kind == "value" else our_estimate)(saved, name)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _memory("VmRSS")
    start = time.process_time()
    value = work()
    seconds = time.process_time() - start
    values = np.atleast_1d(np.asarray(value, dtype=np.float64)).tolist()
    return {"seconds": seconds, "mb": _memory("VmHWM") - before, "values": values}


def _memory(what: str) -> float:
    """Return a figure of this process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(what))


class Bench:
    """A folder with texts and features, and the programs that are run on it."""

    def __init__(self, folder: Path, peer: str | None) -> None:
        self.folder, self.peer = folder, peer
        self.n: int = SavedSamples(folder).settings["n"]

    def run(self, python: str, kind: str, name: str) -> Run:
        """Run one measurement on one thread; an error of another package is a result too."""
        names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")
        done = subprocess.run(
            [python, "-W", "ignore", __file__, "--child", kind, name, str(self.folder)],
            env={**os.environ, **dict.fromkeys(names, "1"), "TOKENIZERS_PARALLELISM": "false"},
            text=True,
            capture_output=True,
        )
        if done.returncode:
            error = done.stderr.strip().splitlines()[-1]
            if python == sys.executable:
                raise SystemExit(f"{name}: {error}")
            return {"seconds": math.nan, "mb": math.nan, "values": [], "error": error}
        return json.loads(done.stdout.splitlines()[-1])

    def best(self, line: Line) -> dict[str, Run]:
        """Return the fastest run of everything in a line, by kind or name of the peer."""
        jobs = {"value": (sys.executable, "value", line.name)} if line.has_value else {}
        if line.measures:
            jobs["estimate"] = (sys.executable, "estimate", " ".join(line.measures))
        if self.peer:
            for peer in line.peers:
                jobs[peer.name] = (self.peer, "peer", f"{line.name}: {peer.name}")
        runs = {key: [self.run(*job)] for key, job in jobs.items()}
        for _ in range(2):
            for key, job in jobs.items():
                if runs[key][0]["seconds"] < ENOUGH:
                    runs[key].append(self.run(*job))
        return {key: min(tries, key=lambda run: run["seconds"]) for key, tries in runs.items()}

    def show(self, line: Line) -> None:
        """Measure a line and print it, once for each peer."""
        runs = self.best(line)
        ours = [runs.get(kind) for kind in ("value", "estimate")]
        if all(ours):
            np.testing.assert_allclose(ours[0]["values"], ours[1]["values"], rtol=1e-9)
        seconds, memory = ([_cell(run, key) for run in ours] for key in ("seconds", "mb"))
        for peer in (line.peers if self.peer else ()) or (None,):
            theirs, name, times, apart = None, "", ["", ""], ""
            if peer is not None:
                theirs, name = runs[peer.name], peer.name
                if peer.n_texts:
                    theirs = {**theirs, "seconds": theirs["seconds"] * self.n / peer.n_texts}
                times = [
                    _cell(run and {"t": theirs["seconds"] / run["seconds"]}, "t") for run in ours
                ]
                apart = _apart(ours[0] or ours[1], theirs, peer)
            _row(line.name, *seconds, name, _cell(theirs, "seconds"), *times, *memory,
                 _cell(theirs, "mb"), apart)  # fmt: skip


def _apart(ours: Run, theirs: Run, peer: Peer) -> str:
    """Say how far values are apart, as a share, and why."""
    if "error" in theirs or peer.n_texts:
        return theirs.get("error", peer.differs)
    values, known = np.array(theirs["values"]), np.array(ours["values"])
    share = (np.abs(values - known) / np.where(known == 0, 1.0, np.abs(known))).max()
    return f"{share:.0e}" + (f" ({peer.differs})" if peer.differs else "")


def _cell(run: Run | None, key: str) -> str:
    if run is None:
        return ""
    return f"{run[key]:,.0f}" if key == "mb" or run[key] >= 100 else f"{run[key]:.2g}"


def _row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def versions() -> dict[str, str]:
    """Return the versions of what is installed here."""
    installed = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            installed[name] = version(name)
        except PackageNotFoundError:
            continue
    return installed


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peer", help="python of an environment with the other packages")
    parser.add_argument("--n", type=int, default=5000, help="texts of each sample")
    parser.add_argument("--dim", type=int, default=130, help="dimensions of features")
    parser.add_argument("--scored", type=int, default=300, help="texts for perplexity")
    parser.add_argument("--texts", type=Path, help="a file with a text a line, human ones first")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of the measures")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(versions() if args.child[0] == "versions" else measured(*args.child)))
        return
    from mauve.measures.registry import MEASURES

    timed = {name for line in LINES for name in line.measures}
    others = [name for name, each in MEASURES.items() if name not in timed and each.estimate]
    lines = [*LINES, *(_line(name, has_value=False) for name in others)]
    if args.texts:
        texts = args.texts.read_text(encoding="utf-8").splitlines()
    else:
        texts = synthetic_texts(2 * args.n)
    n = min(args.n, len(texts) // 2)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), {"human": texts[:n], "model": texts[n : 2 * n]}, args.dim, args.scored)
        bench = Bench(Path(folder), args.peer)
        print(f"{n:,} + {n:,} texts, features of {args.dim} dimensions, perplexity of "
              f"{min(args.scored, n)} texts of 100 words. Ours: value alone, then with its "
              "interval. Times: their seconds divided by either of ours.")  # fmt: skip
        _row("measure", "value, s", "interval, s", "other package", "s", "times value",
             "times interval", "value, MB", "interval, MB", "their MB", "apart")  # fmt: skip
        _row(*["---"] * 11)
        for line in lines:
            if not args.only or set(args.only) & {line.name, *line.measures}:
                bench.show(line)
        print(f"ours: {_listed(versions())}; {platform.machine()}, {os.cpu_count()} cores")
        if args.peer:
            print(f"theirs: {_listed(bench.run(args.peer, 'versions', ''))}")


def _listed(installed: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in installed.items())


if __name__ == "__main__":
    main()
