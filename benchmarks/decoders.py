"""Every measure of six decoding algorithms, and which of them rank wrongly.

    python benchmarks/decoders.py DATA > docs/results/decoders.md

DATA has human.jsonl.gz and one file for each decoding algorithm, with the fields ``prompt``
and ``text``. Greedy decoding and beam search end in loops; every other algorithm writes
better (Holtzman et al. 2020). A measure that prefers a loop is wrong.
"""

import argparse
import itertools
import platform
import warnings
from importlib.metadata import version
from pathlib import Path

from scipy.stats import spearmanr

import mauve
from mauve.measures.registry import DEFAULT, get_measures
from mauve.text.read import read_texts

REPETITIVE = ("greedy", "beam")
#: MAUVE in percent, published for these texts with the authors' package and GPT-2 large; not
#: that of typical sampling, whose texts lacked the space that others begin with.
PUBLISHED = {"topk": 89.6, "nucleus": 87.9, "contrastive": 87.3, "greedy": 7.9, "beam": 5.2}
AVAILABLE = ("texts", "tokens", "features", "log_probabilities")


def markdown(measured: mauve.Measurements, names: list[str], *, gaps: bool) -> str:
    """Return a table of some measures: systems are rows, the best are bold."""
    columns = [column for column in measured.columns(gaps=gaps) if column.measure in names]
    lines = ["| decoding | " + " | ".join(column.heading for column in columns) + " |"]
    lines.append("|---" * (1 + len(columns)) + "|")
    cells = [
        [f"**{cell.value}** ±{cell.reach}" if cell.is_best else str(cell) for cell in column.cells]
        for column in columns
    ]
    rows = zip(measured.row_names(gaps=gaps), *cells, strict=True)
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def ranking(measured: mauve.Measurements) -> str:
    """Return how each measure orders the systems, best first."""
    lines = [
        "| measure | order, best first | prefers repetitive text | Spearman with published MAUVE |",
        "|---|---|---|---|",
    ]
    for measure in measured.measures:
        order = measured.rank(measure.name)
        missing = [name for name in measured.row_names(gaps=True) if name not in order]
        if missing:
            lines.append(f"| {measure.name} | -- | not defined for {', '.join(missing)} | -- |")
            continue
        others = [name for name in order if name not in REPETITIVE]
        beaten = [name for name in others if order.index(name) > min(map(order.index, REPETITIVE))]
        fooled = f"**yes**, to {', '.join(beaten)}" if beaten else "no"
        distance = {name: measured.distance(name, measure.name) for name in order}
        ours = [-distance[name] for name in PUBLISHED]
        agreement = spearmanr(ours, list(PUBLISHED.values())).statistic
        chain = order[0] + "".join(
            (" = " if distance[better] == distance[worse] else " > ") + worse
            for better, worse in itertools.pairwise(order)
        )
        lines.append(f"| {measure.name} | {chain} | {fooled} | {agreement:.2f} |")
    return "\n".join(lines)


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    files = {path.name.split(".")[0]: read_texts(path) for path in sorted(args.data.iterdir())}
    samples = {name: file.texts for name, file in files.items()}
    human = samples.pop("human")
    measured = mauve.measure(
        human,
        samples,
        get_measures("all", AVAILABLE),
        prompts={name: file.prompts for name, file in files.items()},
        strip=True,
        empty="keep",
    )
    paper = [name for name in DEFAULT if name != "frechet"]
    others = [measure.name for measure in measured.measures if measure.name not in paper]
    half = (len(others) + 1) // 2
    print(
        f"""# Six decoding algorithms by every measure

1,000 web-text prompts, each with its human continuation and with continuations by GPT-2 large under six decoding algorithms (about 140 words). White space at both ends of texts is removed, because texts of *typical* sampling lack the initial space that the others have. Groups of texts for the intervals are made of prompts. Features and generation perplexity come from the bundled model.

Printed by `python benchmarks/decoders.py DATA` (Python {platform.python_version()}, NumPy {version("numpy")}, scikit-learn {version("scikit-learn")}). ↑ higher is better, ↓ lower is better, ≈ nearest to human text is; ± is half of the 95% interval; bold is best; -- is not defined. The language-model measures (sparsemax, token JS, ε-perplexity) are left out, because they need the weights of GPT-2 large, which were not available. MTLD, MATTR and HD-D are not defined for a sample with a text without words, which beam search and nucleus sampling have.

## The paper's columns

Values T(Q) of each system and T(P) of human text, as in the tables of the paper's appendix:

{markdown(measured, paper, gaps=False)}

Gaps |T(Q) - T(P)|, as in the tables of its main part:

{markdown(measured, paper, gaps=True)}

## The other measures

{markdown(measured, others[:half], gaps=False)}

{markdown(measured, others[half:], gaps=False)}

## Which measures rank wrongly

With greedy decoding and beam search two of three texts end in a repeated phrase (*Rep.*), which no reader takes for human text. A measure that ranks one of them above another algorithm is wrong. The published order of five algorithms (top-k, nucleus, contrastive, greedy, beam) was computed by the authors' package with features of GPT-2 large.

{ranking(measured)}

`{measured.signature}`"""  # noqa: E501
    )


if __name__ == "__main__":
    main()
