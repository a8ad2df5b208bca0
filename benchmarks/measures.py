r"""Time and memory of each comparison measure, beside what one would take in its place.

    python benchmarks/measures.py                               # ours alone
    python benchmarks/measures.py --peer ENV/bin/python         # beside other packages
    python benchmarks/measures.py --only frechet vendi --dim 768
    python benchmarks/measures.py --texts FILE.txt              # a text a line, words by spaces

There are 5,000 human texts and as many of a model, of 200 words each, from the generator of
benchmarks/self_bleu.py, and simulated features of 130 dimensions, as many as those of the
bundled model. The human texts are the training texts as well. Tokens, features and groups are
made beforehand on both sides. What is timed is a measure's value by its plain function, and
its value with all that the interval takes, for one sample; other packages give a value only.

Every measurement runs in a process of its own on one thread, in turns with the others of its
measure; the fastest of three counts, or the only one where it takes long. Seconds are of
processor time, which other work on the machine changes little and in which a package that
starts threads anyway gains nothing. Memory is the peak above what was in use before, from
Linux's /proc; the peak of getrusage begins with that of the process that started this one.

MAUVE itself is in benchmarks/speed.py, all of Self-BLEU in benchmarks/self_bleu.py, and the
reading of texts by language models in benchmarks/token_probabilities.py. The environment of
the other packages is made once:

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
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from self_bleu import make_texts
from simulate import text_like

N_HYPOTHESES = 3  # that NLTK scores
ENOUGH = 20.0  # seconds after which a measurement is not repeated
PACKAGES = (
    "numpy", "scipy", "scikit-learn", "onnxruntime", "torch", "transformers", "nltk", "diversity",
    "pytorch-fid", "torch-fidelity", "prdc", "vendi-score",
)  # fmt: skip

#: What is timed, with all it needs prepared. Where one call finds several values, a list.
Work = Callable[[], float | list[float]]
Run = dict[str, Any]


class Given:
    """Texts and features in a folder, as both sides read them."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.settings: dict[str, Any] = json.loads((self.folder / "settings.json").read_text())

    def texts(self, sample: str = "own") -> list[str]:
        """Return the texts of a sample."""
        return (self.folder / f"{sample}.txt").read_text(encoding="utf-8").split("\n")[:-1]

    def words(self, sample: str = "own") -> list[list[str]]:
        """Return the words of each text."""
        return [text.split() for text in self.texts(sample)]

    def scored(self) -> list[str]:
        """Return what language models read, short enough for the bundled one."""
        texts = self.texts()[: self.settings["scored"]]
        return [" ".join(text.split()[:100]) for text in texts]

    def array(self, name: str) -> np.ndarray:
        """Return an array that was saved."""
        return np.load(self.folder / f"{name}.npy")

    def features(self) -> list[np.ndarray]:
        """Return the features of the model's texts and of the human ones."""
        return [self.array("own"), self.array("human")]


def sides(given: Given) -> tuple[Any, Any]:
    """Return a model's sample and the human one, with all that any of our measures needs."""
    from mauve.measures.estimate import deal_texts
    from mauve.measures.protocol import MeasuredSample, TokenProbabilities, TokenTable

    human = None
    for sample in ("human", "own"):
        ids, starts = given.array(f"{sample}-ids"), given.array(f"{sample}-starts")
        chances = np.random.default_rng(0).beta(0.5, 1.0, (2, len(ids)))
        side = MeasuredSample(
            sample,
            deal_texts(np.arange(given.settings["n"], dtype=np.uint64)),
            texts=given.texts(sample),
            tokens=TokenTable(ids, starts, given.settings["n_words"]),
            features=given.array(sample),
            model=TokenProbabilities(chances[0], chances[1], starts, 50_000),
            training=human,
        )
        human = human or side
    return side, human


def our_value(given: Given, name: str) -> Work:
    """Return the plain function of a measure."""
    from mauve.measures import (
        compression,
        copying,
        distinct,
        entropy,
        frechet,
        mmd,
        ngrams,
        perplexity,
        repetition,
        self_bleu,
        vendi,
        zipf,
    )

    own, human = sides(given)
    table, x, y = own.tokens, own.features, human.features
    one = np.zeros(len(table), dtype=np.int32)  # all texts together
    n_eights = np.maximum(table.lengths - 7, 0).sum()
    scorer, scored = _bundled_scorer(name), given.scored()
    works: dict[str, Work] = {
        "perplexity": lambda: perplexity.corpus_perplexity(scorer.log_probabilities(scored)),
        "zipf": lambda: zipf.zipf_coefficient(np.bincount(table.ids)),
        "repetition": lambda: (repetition.repeated_lengths(table) > 0).mean(),
        "distinct-4": lambda: distinct.distinct_share(ngrams.find_ngrams(table, 4, one).counts()),
        "self-bleu": lambda: self_bleu.self_bleu_scores(table).mean(),
        "entropy-2": lambda: entropy.entropy_bits(
            ngrams.find_ngrams(table, 2, one).counts().totals
        ),
        "compression": lambda: compression.compression_ratio(own.texts),
        "copying-8": lambda: copying.copied_ngrams(table, human.tokens, 8).sum() / n_eights,
        "frechet": lambda: frechet.frechet_distance(x, y),
        "mmd": lambda: mmd.squared_mmd(x, y),
        "mmd, kernel of KID": lambda: mmd.squared_mmd(x, y, "cubic"),
        "vendi": lambda: vendi.vendi_score(x),
    }
    return works[name]


def our_estimate(given: Given, name: str) -> Work:
    """Return the estimates of one measure, or of several with blanks between them."""
    from mauve.measures.estimate import deal_texts
    from mauve.measures.registry import MEASURES

    own, human = sides(given)
    measures = [MEASURES[each] for each in name.split()]
    if name != "perplexity":
        return lambda: [measure.estimate(own, human).value for measure in measures]
    scorer, scored = _bundled_scorer(name), given.scored()
    few = replace(own, groups=deal_texts(np.arange(len(scored), dtype=np.uint64)))

    def work() -> float:
        side = replace(few, log_probabilities=scorer.log_probabilities(scored))
        return measures[0].estimate(side, side).value

    return work


def _bundled_scorer(name: str) -> Any:
    """Return the bundled model, loaded, if the measure is one that reads texts."""
    if name != "perplexity":
        return None
    from mauve.lm.scorer import BundledScorer

    scorer = BundledScorer()
    scorer.log_probabilities(["a text"])
    return scorer


# What one would take in place of ours: functions that prepare the work in the other
# environment. Loops in Python are as short as one would write them.


def _linregress(given: Given) -> Work:
    """As in the code of Holtzman et al. (2020)."""
    import scipy.stats

    rows = given.words()

    def work() -> float:
        counts: Counter[str] = Counter()
        for row in rows:
            counts.update(row)
        top = np.array(sorted(counts.values(), reverse=True)[:5000])
        return -scipy.stats.linregress(np.log(np.arange(1, len(top) + 1)), np.log(top)).slope

    return work


def _slices(given: Given) -> Work:
    """Try all lengths of a phrase, as that code does, by the rule of the paper."""
    backwards = [row[::-1] for row in given.words()]

    def ends_in_loop(row: list[str]) -> bool:
        return any(row[:n] == row[n : 2 * n] for n in range(1, len(row) // 2 + 1))

    return lambda: sum(map(ends_in_loop, backwards)) / len(backwards)


def _distinct(given: Given) -> Work:
    from nltk.util import ngrams

    rows = given.words()

    def work() -> float:
        counts = Counter(gram for row in rows for gram in ngrams(row, 4))
        return len(counts) / counts.total()

    return work


def _entropy(given: Given) -> Work:
    from nltk.util import ngrams

    rows = given.words()

    def work() -> float:
        counts = Counter(gram for row in rows for gram in ngrams(row, 2))
        shares = np.array([*counts.values()]) / counts.total()
        return -(shares * np.log2(shares)).sum()

    return work


def _copying(given: Given) -> Work:
    from nltk.util import ngrams

    rows, training = given.words(), given.words("human")

    def work() -> float:
        seen = {gram for row in training for gram in ngrams(row, 8)}
        found = [gram in seen for row in rows for gram in ngrams(row, 8)]
        return sum(found) / len(found)

    return work


def _nltk_bleu(given: Given) -> Work:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    rows, smooth = given.words(), SmoothingFunction().method1
    return lambda: [
        sentence_bleu(rows[:i] + rows[i + 1 :], rows[i], (0.25,) * 4, smoothing_function=smooth)
        for i in range(N_HYPOTHESES)
    ]


def _diversity(given: Given) -> Work:
    from diversity import compression_ratio

    texts = given.texts()
    return lambda: compression_ratio(texts, "gzip")


def _transformers(given: Given) -> Work:
    """Read padded batches of 16, as the perplexity of Hugging Face's evaluate does."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, texts = given.settings["model"], given.scored()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(folder).eval()

    def work() -> float:
        read = tokenizer(texts, padding=True, return_tensors="pt")
        first = torch.full((len(texts), 1), tokenizer.bos_token_id)
        ids = torch.cat([first, read["input_ids"]], dim=1)
        mask = torch.cat([torch.ones_like(first), read["attention_mask"]], dim=1)
        total = 0.0
        for rows, kept in zip(ids.split(16), mask.split(16), strict=True):
            with torch.no_grad():
                logits = model(rows, attention_mask=kept).logits[:, :-1]
            losses = torch.nn.functional.cross_entropy(
                logits.transpose(1, 2), rows[:, 1:], reduction="none"
            )
            total += float((losses * kept[:, 1:]).sum())
        return math.exp(total / int(mask[:, 1:].sum()))

    return work


def _pytorch_fid(given: Given) -> Work:
    """Take the square root of the product of the covariances by scipy.linalg.sqrtm."""
    from pytorch_fid.fid_score import calculate_frechet_distance

    samples = given.features()

    def work() -> float:
        own, human = ((x.mean(axis=0), np.cov(x, rowvar=False)) for x in samples)
        return calculate_frechet_distance(*own, *human)

    return work


def _torch_fid(given: Given) -> Work:
    """Take the eigenvalues of that product."""
    import torch
    from torch_fidelity.metric_fid import fid_features_to_statistics, fid_statistics_to_metric

    samples = [torch.from_numpy(x) for x in given.features()]

    def work() -> float:
        own, human = map(fid_features_to_statistics, samples)
        return fid_statistics_to_metric(own, human, False)["frechet_inception_distance"]

    return work


def _torch_kid(given: Given, **settings: object) -> Work:
    import torch
    from torch_fidelity.metric_kid import kid_features_to_metric

    own, human = (torch.from_numpy(x) for x in given.features())
    return lambda: kid_features_to_metric(own, human, verbose=False, **settings)[
        "kernel_inception_distance_mean"
    ]


def _torch_rbf(given: Given) -> Work:
    """Take all texts at once, with the width that ours has to find."""
    n, width = given.settings["n"], given.settings["width"]
    kernel = {"kid_kernel": "rbf", "kid_kernel_rbf_sigma": width}
    return _torch_kid(given, kid_subsets=1, kid_subset_size=n, **kernel)


def _torch_draws(given: Given) -> Work:
    """Take 100 draws of 1,000 texts, the default."""
    return _torch_kid(given, kid_subset_size=min(1000, given.settings["n"]))


def _prdc(given: Given) -> Work:
    from prdc import compute_prdc

    own, human = given.features()

    def work() -> list[float]:
        found = compute_prdc(human, own, nearest_k=5)
        return [found[name] for name in ("precision", "recall", "density", "coverage")]

    return work


def _vendi(given: Given) -> Work:
    """Decompose the smaller matrix, as its authors advise."""
    from vendi_score.vendi import score_dual, score_X

    features = given.array("own")
    score = score_dual if features.shape[1] < len(features) else score_X
    return lambda: score(features)


def _logistic(given: Given) -> Work:
    """Choose the strength of L2 by five folds of three quarters, and try the rest."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features = np.concatenate(given.features()).astype(np.float64)
    is_human = np.repeat([False, True], given.settings["n"])

    def work() -> float:
        train, test, train_is, test_is = train_test_split(
            features, is_human, test_size=0.25, random_state=0, stratify=is_human
        )
        chosen = LogisticRegressionCV(
            Cs=[1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0], cv=5, scoring="neg_log_loss", max_iter=2000
        )
        fitted = make_pipeline(StandardScaler(), chosen).fit(train, train_is)
        return np.mean(fitted.predict(test) == test_is)

    return work


@dataclass(frozen=True)
class Peer:
    """What one would take; why it finds another value; how many texts, if not all."""

    name: str
    prepare: Callable[[Given], Work]
    differs: str = ""
    n_texts: int | None = None


@dataclass(frozen=True)
class Line:
    """Measures that are timed together, with the value alone where there is a function."""

    name: str
    measures: tuple[str, ...]
    has_value: bool = False
    peers: tuple[Peer, ...] = ()


def _line(name: str, *peers: Peer, has_value: bool = True) -> Line:
    return Line(name, (name,), has_value, peers)


LINES = (
    _line("perplexity", Peer("Transformers, batches of 16", _transformers)),
    _line("zipf", Peer("Counter, linregress", _linregress)),
    _line("repetition", Peer("loop over slices", _slices)),
    _line("distinct-4", Peer("NLTK, Counter", _distinct)),
    _line("self-bleu", Peer("NLTK, extrapolated", _nltk_bleu, "see self_bleu.py", N_HYPOTHESES)),
    _line("entropy-2", Peer("NLTK, Counter", _entropy)),
    _line("compression", Peer("diversity", _diversity, "other order")),
    _line("copying-8", Peer("NLTK, set", _copying)),
    _line("frechet", Peer("pytorch-fid", _pytorch_fid), Peer("torch-fidelity", _torch_fid)),
    _line("mmd", Peer("torch-fidelity, width given", _torch_rbf)),
    Line("mmd, kernel of KID", (), True, (Peer("torch-fidelity", _torch_draws, "100 draws"),)),
    Line(
        "precision, recall, density, coverage",
        ("precision", "recall", "density", "coverage"),
        peers=(Peer("prdc", _prdc),),
    ),
    _line("vendi", Peer("vendi-score", _vendi)),
    _line("discriminator", Peer("LogisticRegressionCV", _logistic, "other split"), has_value=False),
)


def measured(kind: str, name: str, folder: str) -> Run:
    """Prepare, then time one call and watch its memory; this is run in a new process."""
    given = Given(folder)
    if kind == "peer":
        line, _, peer = name.partition(": ")
        peers = next(each.peers for each in LINES if each.name == line)
        work = next(each for each in peers if each.name == peer).prepare(given)
    else:
        for module in ("linalg", "spatial.distance", "special", "stats"):
            import_module(f"scipy.{module}")  # ours loads them at first use, theirs at import
        if name in ("discriminator", "mauve-classifier"):
            import_module("sklearn.linear_model")
        work = (our_value if kind == "value" else our_estimate)(given, name)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
    before = _memory("VmRSS")
    start = time.process_time()
    found = work()
    seconds = time.process_time() - start
    values = np.atleast_1d(np.asarray(found, dtype=np.float64)).tolist()
    return {"seconds": seconds, "mb": _memory("VmHWM") - before, "values": values}


def _memory(what: str) -> float:
    """Return a figure of this process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(what))


class Bench:
    """A folder with texts and features, and the programs that are run on it."""

    def __init__(self, folder: Path, peer: str | None) -> None:
        self.folder, self.peer = folder, peer
        self.n: int = Given(folder).settings["n"]

    def run(self, python: str, kind: str, name: str) -> Run:
        """Run one measurement on one thread; what goes wrong elsewhere is a result too."""
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
        """Run all that a line has in turns; the fastest runs, by kind or name of the peer."""
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
        return {key: min(every, key=lambda run: run["seconds"]) for key, every in runs.items()}

    def show(self, line: Line) -> None:
        """Measure a line and print it, once for each peer."""
        found = self.best(line)
        ours = [found.get(kind) for kind in ("value", "estimate")]
        if all(ours):
            np.testing.assert_allclose(ours[0]["values"], ours[1]["values"], rtol=1e-9)
        seconds, memory = ([_cell(run, key) for run in ours] for key in ("seconds", "mb"))
        for peer in (line.peers if self.peer else ()) or (None,):
            theirs, name, times, apart = None, "", ["", ""], ""
            if peer is not None:
                theirs, name = found[peer.name], peer.name
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
    found, known = np.array(theirs["values"]), np.array(ours["values"])
    share = (np.abs(found - known) / np.where(known == 0, 1.0, np.abs(known))).max()
    return f"{share:.0e}" + (f" ({peer.differs})" if peer.differs else "")


def _cell(run: Run | None, key: str) -> str:
    if run is None:
        return ""
    return f"{run[key]:,.0f}" if key == "mb" or run[key] >= 100 else f"{run[key]:.2g}"


def _row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def spelt(number: int) -> str:
    """Return a word for a number, the shorter the lower it is."""
    syllable = "bcdfghjklmnpqrstvwxz"[number % 100 // 5] + "aeiou"[number % 5]
    return (spelt(number // 100) if number >= 100 else "") + syllable


def synthetic_texts(n: int) -> list[str]:
    """Return texts of 200 words, every twentieth of which ends in a loop."""
    rows = make_texts(n, length=200)
    rows[::20, -15:] = np.tile(rows[::20, -20:-15], 3)
    words = [spelt(number) for number in range(int(rows.max()) + 1)]
    return [" ".join(words[number] for number in row) for row in rows.tolist()]


def save(folder: Path, texts: dict[str, list[str]], dim: int, scored: int) -> None:
    """Write texts, their words as numbers, and features."""
    from mauve.embed.bundled import MODEL
    from mauve.measures.mmd import median_distance

    numbers: dict[str, int] = {}
    rng = np.random.default_rng(0)
    for (sample, own), shift in zip(texts.items(), (0.0, 0.1), strict=True):
        (folder / f"{sample}.txt").write_text("\n".join([*own, ""]), encoding="utf-8")
        rows = [[numbers.setdefault(word, len(numbers)) for word in text.split()] for text in own]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        np.save(folder / f"{sample}-starts.npy", starts)
        np.save(folder / f"{sample}-ids.npy", np.concatenate(rows).astype(np.int32))
        np.save(folder / f"{sample}.npy", text_like(len(own), dim, shift, rng))
    n = len(texts["human"])
    settings = {
        "n": n, "n_words": len(numbers), "scored": min(scored, n), "model": str(MODEL),
        "width": median_distance(np.load(folder / "human.npy")),
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps(settings))


def versions() -> dict[str, str]:
    """Return the versions of what is installed here."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


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
    rest = [name for name, each in MEASURES.items() if name not in timed and each.estimate]
    lines = [*LINES, *(_line(name, has_value=False) for name in rest)]
    if args.texts:
        texts = args.texts.read_text(encoding="utf-8").splitlines()
    else:
        texts = synthetic_texts(2 * args.n)
    n = min(args.n, len(texts) // 2)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), {"human": texts[:n], "own": texts[n : 2 * n]}, args.dim, args.scored)
        bench = Bench(Path(folder), args.peer)
        print(f"{n:,} + {n:,} texts, features of {args.dim} dimensions, perplexity of "
              f"{min(args.scored, n)} texts of 100 words. Ours: value alone, then with its "
              "interval. Times: their seconds divided by either of ours.")  # fmt: skip
        _row("measure", "value, s", "interval, s", "in its place", "s", "times value",
             "times interval", "value, MB", "interval, MB", "their MB", "apart")  # fmt: skip
        _row(*["---"] * 11)
        for line in lines:
            if not args.only or set(args.only) & {line.name, *line.measures}:
                bench.show(line)
        print(f"ours: {_listed(versions())}; {platform.machine()}, {os.cpu_count()} cores")
        if args.peer:
            print(f"theirs: {_listed(bench.run(args.peer, 'versions', ''))}")


def _listed(found: dict[str, str]) -> str:
    return ", ".join(f"{name} {each}" for name, each in found.items())


if __name__ == "__main__":
    main()
