r"""Plant faults in human text, and see which measures notice.

    python benchmarks/fooled.py DATA                          # tables on stdout, and JSON
    python benchmarks/fooled.py DATA --figure ranks.png --json fooled.json

DATA holds ``human.jsonl.gz`` and files of systems that continue the same prompts (``prompt``,
``text``): ``nucleus``, ``topk``, ``typical``, ``contrastive``, ``greedy``, ``beam``. The first 250
human texts are P. The next 500 are the source of the faults: each faulty sample is made of 250 of
them, and the control is the first 250 as they are. The last 250 are what a system may have copied.
All samples have equally many texts, because statistics such as entropy grow with their number.

What a measure says of a fault:

- *seen*: the faulty texts are rated worse than those of top-k sampling, which people can read;
- *weak*: they are rated worse than the control, but no worse than those of top-k sampling;
- *blind*: they are not rated worse than the control; 95% intervals overlap.
"""

import argparse
import json
import platform
import random
import re
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import mauve
from mauve.inference.rank_correlation import draws_from_intervals, rank_correlation
from mauve.measures.intervals import Measured
from mauve.measures.results import Measurements
from mauve.plots import new_axes
from mauve.plots.figures import write_figure
from mauve.tables import as_markdown
from mauve.text.read import read_texts

N = 250  # texts of each sample
REAL = ("nucleus", "topk", "typical", "contrastive", "greedy", "beam")
CONTROL, YARDSTICK = "human control", "topk"


def looped(text: str) -> str:
    """Return a text that repeats its last eight words from its middle on."""
    words = text.split()
    half = words[: max(len(words) // 2, 1)]
    phrase = half[-8:]
    return " ".join((half + phrase * (len(words) // len(phrase) + 1))[: len(words)])


def shuffled(text: str, rng: random.Random) -> str:
    """Return a text with its words in random order."""
    words = text.split()
    return " ".join(rng.sample(words, len(words)))


def truncated(text: str) -> str:
    """Return the first half of the words of a text."""
    words = text.split(" ")
    return " ".join(words[: max(len(words) // 2, 1)])


def formatted(text: str) -> str:
    """Return a text in the form of a chat model: plain quotes, a bullet for each sentence."""
    plain = text.translate(str.maketrans("“”‘’—–", "\"\"''--"))
    return "\n\n".join(f"- {part}" for part in re.split(r"(?<=[.!?])\s+", plain.strip()))


def one_topic(texts: list[str], n: int) -> list[str]:
    """Return the `n` texts that lie furthest along the main direction of topics."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(texts)
    # The first component is the mean of all texts; the second parts them by topic.
    place = TruncatedSVD(2, random_state=0).fit_transform(words)[:, 1]
    return [texts[i] for i in np.sort(np.argsort(-place, kind="stable")[:n])]


def adversarial(prompts: list[str], perplexity: float, max_tokens: int) -> list[str]:
    """Return texts of the bundled model whose perplexity is that of human text."""
    with tempfile.TemporaryDirectory() as folder:
        mauve.generate(
            "bundled", prompts, f"adversarial:perplexity={perplexity:.4f}", folder=folder,
            n=len(prompts), max_tokens=max_tokens, progress=False,
        )  # fmt: skip
        [path] = Path(folder).rglob("seed-0.jsonl")
        return [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()]


def samples(folder: Path) -> tuple[list[str], list[str], dict[str, list[str]]]:
    """Return human texts, texts to copy from, and all samples by name."""
    records = read_texts(folder / "human.jsonl.gz")
    human = [text.strip() for text in records.texts]
    source = human[N : 3 * N]
    copied_from = human[3 * N : 4 * N]
    control, rng = source[:N], random.Random(0)
    prompts = [str(prompt) for prompt in records.prompts or ()][N : 2 * N]
    perplexity = mauve.measure(human[:N], {"control": control}, "perplexity", progress=False)
    faulty = {
        "repetition loop": [*map(looped, control)],
        "shuffled words": [shuffled(text, rng) for text in control],
        "truncated": [*map(truncated, control)],
        "adversarial": adversarial(prompts, perplexity.human["perplexity"].value, 180),
        "25 texts, 10 times": control[: N // 10] * 10,
        "one topic": one_topic(source, N),
        "copied": copied_from,
        "form only": [*map(formatted, control)],
    }
    real = {
        name: [text.strip() or "." for text in read_texts(folder / f"{name}.jsonl.gz").texts]
        for name in REAL
    }
    real = {name: texts[N : 2 * N] for name, texts in real.items()}
    return human[:N], copied_from, {CONTROL: control, **real, **faulty}


def rated(row: Measured, direction: str) -> tuple[float, tuple[float, float]]:
    """Return how bad a measure rates a sample, and the interval of that."""
    if row.gap is not None and row.gap_interval is not None and direction == "human":
        return row.gap, row.gap_interval
    low, high = row.interval
    return (-row.value, (-high, -low)) if direction == "higher" else (row.value, (low, high))


def verdicts(measured: Measurements, faults: list[str]) -> dict[str, dict[str, str]]:
    """Return what each measure says of each fault."""
    said: dict[str, dict[str, str]] = {}
    for measure in measured.measures:
        rows = {name: rated(values[measure.name], measure.direction)
                for name, values in measured.items() if measure.name in values}  # fmt: skip
        if CONTROL not in rows or YARDSTICK not in rows:
            continue
        said[measure.name] = {}
        for fault in faults:
            if fault not in rows:
                said[measure.name][fault] = "--"
                continue
            value, (low, _) = rows[fault]
            if low <= rows[CONTROL][1][1]:
                said[measure.name][fault] = "blind"
            else:
                said[measure.name][fault] = "seen" if value > rows[YARDSTICK][0] else "weak"
    return said


def agreement(measured: Measurements, names: list[str]) -> dict[str, str]:
    """Return Spearman's correlation of each measure with MAUVE over some samples."""
    correlations = {}
    mauve_rows = [rated(measured[name]["mauve"], "higher") for name in names]
    for measure in measured.measures:
        if measure.name == "mauve" or not all(measure.name in measured[name] for name in names):
            continue
        rows = [rated(measured[name][measure.name], measure.direction) for name in names]
        try:
            sides = [
                draws_from_intervals([v for v, _ in side], [i for _, i in side], seed=seed)
                for seed, side in enumerate((mauve_rows, rows))
            ]
            found = rank_correlation(
                [v for v, _ in mauve_rows], [v for v, _ in rows],
                first_draws=sides[0], second_draws=sides[1],
            )  # fmt: skip
        except mauve.MauveError:  # all equal, or infinite
            correlations[measure.name] = "--"
            continue
        low, high = found.interval
        correlations[measure.name] = f"{found.rho:.2f} ({low:.2f} to {high:.2f})"
    return correlations


def ranks(measured: Measurements, measures: list[str]) -> np.ndarray:
    """Return the rank of each sample by each measure, 1 the best, shape (measures, samples)."""
    from scipy.stats import rankdata

    directions = {measure.name: measure.direction for measure in measured.measures}
    return np.array(
        [
            rankdata([rated(values[m], directions[m])[0] for values in measured.values()])
            for m in measures
        ]
    )


def draw_ranks(measured: Measurements, measures: list[str], path: Path) -> None:
    """Draw the ranks of all samples by all measures: dark is good, and each has its number."""
    table, titles = ranks(measured, measures), {m.name: m.title for m in measured.measures}
    ax = new_axes((7.6, 1.6 + 0.23 * len(measures)))
    ax.imshow(table, cmap="Greys_r", vmin=-6, vmax=table.max() + 1, aspect="auto")
    for (i, j), rank in np.ndenumerate(table):
        dark = rank < 4
        ax.text(j, i, f"{rank:g}", ha="center", va="center", fontsize=7,
                color="white" if dark else "black")  # fmt: skip
    ax.set_xticks(range(len(measured)), [*measured], rotation=45, ha="left", fontsize=8)
    ax.set_yticks(range(len(measures)), [titles[m] for m in measures], fontsize=8)
    ax.xaxis.tick_top()
    ax.spines[:].set_visible(False)
    write_figure(ax.figure, path, dpi=110)  # type: ignore[arg-type]


def print_tables(measured: Measurements) -> None:
    """Print the verdicts with the agreement, then all values, in Markdown."""
    faults = [name for name in measured if name not in (*REAL, CONTROL)]
    said = verdicts(measured, faults)
    by_real, by_all = agreement(measured, [*REAL]), agreement(measured, [*measured])
    titles = {measure.name: measure.title for measure in measured.measures}
    rows = [
        [titles[name], by_real.get(name, "--"), by_all.get(name, "--"), *row.values()]
        for name, row in said.items()
    ]
    print(as_markdown(["measure", "ρ, six systems", "ρ, all samples", *faults], rows, left=1))
    print()
    print(measured.to_markdown())


def main() -> None:
    """Measure all samples, print tables, write the figure and the numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--measures", default="all")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--read", type=Path, help="print tables of what --json wrote")
    args = parser.parse_args()
    if args.read is None:
        warnings.simplefilter("ignore", mauve.MauveWarning)  # form differs on purpose
        start = time.perf_counter()
        human, training, by_name = samples(args.data)
        measured = mauve.measure(human, by_name, args.measures, training=training, progress=False)
        seconds = time.perf_counter() - start
        content = {"seconds": seconds, "python": platform.python_version(), **measured.to_dict()}
        if args.json is not None:
            args.json.write_text(json.dumps(content, indent=1), encoding="utf-8")
        print(
            f"{seconds:.0f} s; {len(human)} human texts, {N} of each sample; {measured.signature}"
        )
    else:
        from mauve.measures.saved import measurements_from_dict

        measured = measurements_from_dict(json.loads(args.read.read_text("utf-8")))
    print_tables(measured)
    if args.figure is not None:
        complete = [m.name for m in measured.measures
                    if all(m.name in values for values in measured.values())]  # fmt: skip
        draw_ranks(measured, complete, args.figure)


if __name__ == "__main__":
    main()
