"""Coverage of the 95% intervals of measures: distinct-4, recall and others, by number of texts.

    python benchmarks/measure_intervals.py [--cases 300] [--sizes 50,100,200,400]
    python benchmarks/measure_intervals.py --texts HUMAN SYSTEM [--measures NAMES]

The value that an interval should contain is the mean over all cases of the same size, since
these measures depend on the number of texts. Texts are draws from a Zipf distribution of words
with a loop in some; features are Gaussian. With files of texts, of about 1,000 each, cases are
draws from them without replacement, and intervals are held against their spread times the
square root of 1 - n / 1,000 that such draws lack. The standard error of a coverage of .95 in
300 cases is .013.
"""

import argparse

import numpy as np

from mauve.embed.registry import get_embedder
from mauve.measures.estimate import deal_texts
from mauve.measures.intervals import measured
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.registry import get_measures
from mauve.measures.tokenizers import get_tokenizer
from mauve.text.read import read_texts

MEASURES = "distinct-4,recall,diversity,token-entropy"


def sample(n: int, rng: np.random.Generator, name: str) -> MeasuredSample:
    """Return n texts of about 60 tokens, with features in 8 dimensions."""
    rows = []
    for length in rng.integers(40, 80, n):
        row = rng.zipf(1.4, length) % 3000
        rows.append(np.tile(row[:5], 12) if rng.random() < 0.2 else row)
    shift = 0.5 if name == "model" else 0.0
    return MeasuredSample(
        name,
        deal_texts(rng.integers(0, 2**62, n).astype(np.uint64)),
        tokens=TokenTable.of(rows, 3000),
        features=rng.normal(size=(n, 8)) + shift,
    )


def pool(paths: list[str]) -> dict[str, MeasuredSample]:
    """Return all texts of two files, with their tokens and features."""
    files = dict(zip(("human", "model"), paths, strict=True))
    texts = {name: [t for t in read_texts(path).texts if t.strip()] for name, path in files.items()}
    embedder = get_embedder("bundled")
    tables = get_tokenizer("words").tables([*texts.values()])
    return {
        name: MeasuredSample(
            name,
            deal_texts(np.arange(len(texts[name]), dtype=np.uint64)),
            texts=texts[name],
            tokens=table,
            features=embedder.embed(texts[name]).features,
        )
        for (name, table) in zip(texts, tables, strict=True)
    }


def drawn(whole: MeasuredSample, n: int, rng: np.random.Generator) -> MeasuredSample:
    """Return n texts of a pool."""
    rows = rng.choice(len(whole.tokens), n, replace=False)
    return MeasuredSample(
        whole.name,
        deal_texts(rng.integers(0, 2**62, n).astype(np.uint64)),
        texts=[whole.texts[row] for row in rows],
        tokens=whole.tokens.ordered(rows),
        features=whole.features[rows],
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--sizes", default="50,100,200,400")
    parser.add_argument("--texts", nargs=2, metavar=("HUMAN", "SYSTEM"))
    parser.add_argument("--measures", default=MEASURES)
    args = parser.parse_args()
    measures = get_measures(args.measures, {"texts", "tokens", "features"})
    pools = pool(args.texts) if args.texts else None
    print("| measure | n | coverage | too low, too high | mean half width / s.d. of values |")
    print("|---|---|---|---|---|")
    for n in map(int, args.sizes.split(",")):
        values: dict[str, list[float]] = {measure.name: [] for measure in measures}
        ends: dict[str, list[tuple[float, float]]] = {measure.name: [] for measure in measures}
        for case in range(args.cases):
            rng = np.random.default_rng([n, case])
            if pools is None:
                human, system = sample(n, rng, "human"), sample(n, rng, "model")
            else:
                human, system = (drawn(pools[name], n, rng) for name in ("human", "model"))
            for measure in measures:
                estimate = measure.estimate(system, human)
                result = measured(estimate, None, measure, 0.95, system.groups, human.groups)
                values[measure.name].append(result.value)
                ends[measure.name].append(result.interval)
        for name, found in values.items():
            truth, low, high = np.mean(found), *np.array(ends[name]).T
            # Draws from a pool vary less than draws from its source.
            whole = np.inf if pools is None else len(pools["human"].tokens)
            factor = np.sqrt(1 - n / whole)
            at = truth + (np.array(found) - truth) / factor
            below, above = truth > at + (high - found), truth < at - (found - low)
            inside = 1 - below.mean() - above.mean()
            width = np.mean(high - low) / 2 / np.std(at, ddof=1)
            sides = f"{below.mean():.3f}, {above.mean():.3f}"
            print(f"| {name} | {n} | {inside:.3f} | {sides} | {width:.2f} |", flush=True)


if __name__ == "__main__":
    main()
