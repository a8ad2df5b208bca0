"""What the bundled model says about real texts of people and machines.

    python benchmarks/real_text.py DATA

DATA has the folders ``decoders`` (human.jsonl.gz and one file for each decoding algorithm)
and ``ghostbuster`` (essays-*.jsonl.gz and stories-*.jsonl.gz). Prints every source against
the human texts of its kind, one half of the human texts against the other, and the rank
correlation of both scores with those published for the decoders.
"""

import argparse
import warnings
from pathlib import Path

from scipy.stats import spearmanr

from mauve import Comparison, MauveResult, compare, get_embedder
from mauve.text.read import read_texts

PUBLISHED = {"topk": 89.6, "nucleus": 87.9, "contrastive": 87.3, "greedy": 7.9, "beam": 5.2}


def line(kind: str, result: MauveResult) -> str:
    """Return one line of the table."""
    low, high = result.interval
    sharper = result.classifier.interval
    kinds = [finding.kind for finding in result.form.findings] if result.form else []
    more = [f"{len(kinds) - 2} more"] if len(kinds) > 2 else []
    findings = ", ".join([*kinds[:2], *more])
    return (
        f"| {kind} | {result.name} | {result.n_human} + {result.n_model} | "
        f"{result.mauve:.3f} | {low:.3f} - {high:.3f} | {result.ceiling:.3f} | "
        f"{result.classifier.mauve:.3f} | {sharper[0]:.3f} - {sharper[1]:.3f} | "
        f"{result.p_value:.4f} | {findings} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--embedder", default="bundled")
    parser.add_argument("--n", type=int, default=500, help="texts of ghostbuster per sample")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    embedder = get_embedder(args.embedder)
    print(f"embedder: {embedder.signature}")
    print(
        "| texts | system | n | MAUVE | 95% interval | ceiling | by the classifier | "
        "95% interval | p | form |"
    )
    print("|---" * 10 + "|")

    def texts(path: Path) -> list[str]:
        return read_texts(path).texts

    def show(kind: str, human: list[str], systems: dict[str, list[str]]) -> Comparison:
        halves = compare(human[::2], {"human half": human[1::2]}, embedder=embedder, empty="keep")
        comparison = compare(human, systems, embedder=embedder, empty="keep")
        for result in (*halves.values(), *comparison.values()):
            print(line(kind, result), flush=True)
        return comparison

    files = {path.name.split(".")[0]: path for path in sorted((args.data / "decoders").iterdir())}
    systems = {name: texts(path) for name, path in files.items()}
    human = systems.pop("human")
    comparison = show("decoders", human, systems)
    decoders = [comparison[name] for name in PUBLISHED]
    for kind in ("essays", "stories"):
        paths = sorted((args.data / "ghostbuster").glob(f"{kind}-*.jsonl.gz"))
        sample = {path.name.split(".")[0].split("-", 1)[1]: texts(path) for path in paths}
        show(kind, sample.pop("human")[: args.n], {k: v[: args.n] for k, v in sample.items()})
    published = [*PUBLISHED.values()]
    by = {
        "MAUVE": [result.mauve for result in decoders],
        "the score by the classifier": [result.classifier.mauve for result in decoders],
    }
    for score, ours in by.items():
        rank = spearmanr(ours, published).statistic
        print(f"Spearman of {score} with those published of {', '.join(PUBLISHED)}: {rank:.2f}")


if __name__ == "__main__":
    main()
