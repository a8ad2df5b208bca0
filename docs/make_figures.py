"""Draw the pictures of docs/method.md and docs/model-card.md with the code that they explain.

python docs/make_figures.py                              # all, into docs/images
python docs/make_figures.py anatomy loss --out /tmp/out  # some, into another folder
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from mauve import compare
from mauve.embed.bundled import MODEL
from mauve.frontier.curve import area, divergence_curve
from mauve.inference.resampling import null_scores

IMAGES = Path(__file__).parent / "images"


def anatomy(path: Path) -> None:
    """Draw two histograms and the divergence curve between them."""
    p = np.array([0.30, 0.25, 0.20, 0.15, 0.10])
    q = np.array([0.45, 0.30, 0.15, 0.10, 0.00])
    figure = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    buckets = np.arange(len(p))
    left.bar(buckets - 0.2, p, 0.4, label="P, human")
    left.bar(buckets + 0.2, q, 0.4, label="Q, model")
    left.set(xlabel="bucket", ylabel="share of texts")
    left.legend(frameon=False)
    x, y = divergence_curve(p, q, np.linspace(0, 1, 401)).T
    right.fill_between(np.r_[0, x[::-1]], np.r_[1, y[::-1]], alpha=0.15)
    right.plot(np.r_[1, x, 0], np.r_[0, y, 1])
    for weight in (0.1, 0.5, 0.9):
        [(a, b)] = divergence_curve(p, q, [weight])
        right.plot(a, b, "o", color="C3")
        right.annotate(f"λ = {weight}", (a, b), xytext=(-46, -12), textcoords="offset points")
    right.set(
        xlim=(0, 1.03),
        ylim=(0, 1.03),
        aspect="equal",
        title=f"area = MAUVE = {area(p, q):.3f}",
        xlabel="exp(-5 KL(Q|R)), few type I errors →",
        ylabel="exp(-5 KL(P|R)), few type II errors →",
    )
    figure.savefig(path, dpi=110)


def bias(path: Path) -> None:
    """Draw the score of one pair of sources for a growing number of texts, n."""
    sizes = (200, 400, 800, 1600, 3200)
    corrected, plugin = [], []
    for n in sizes:
        results = []
        for seed in range(12):
            rng = np.random.default_rng([n, seed])
            human, model = rng.normal(size=(n, 6)), rng.normal(size=(n, 6)) + 0.25
            results.append(compare(human, model, n_permutations=0, seed=seed)["model"])
        corrected.append([result.mauve for result in results])
        plugin.append([result.mauve_plugin for result in results])
    figure = Figure(figsize=(5.4, 3.4), layout="constrained")
    axes = figure.subplots()
    for name, scores in (("plug-in", plugin), ("compare", corrected)):
        mean, spread = np.mean(scores, axis=1), np.std(scores, axis=1)
        axes.errorbar(sizes, mean, spread, marker="o", capsize=3, label=name)
    axes.set(
        xscale="log",
        xlabel="texts of each sample, 25 buckets",
        ylabel="score, mean ± s.d. of 12 draws",
    )
    axes.set_xticks(sizes, [str(n) for n in sizes])
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def ceiling(path: Path) -> None:
    """Draw the scores of permuted samples, and that of the samples themselves."""
    rng = np.random.default_rng(0)
    n = 250
    comparison = compare(rng.normal(size=(n, 6)), rng.normal(size=(n, 6)) + 0.2)
    result, pair = comparison["model"], comparison.compared.pairs["model"].first(5)
    permuted = null_scores(pair, "jackknife", 5.0, 1000, seed=0)
    permuted_plugin = null_scores(pair.counting_all(), "plugin", 5.0, 1000, seed=0)
    figure = Figure(figsize=(7.0, 3.2), layout="constrained")
    axes = figure.subplots()
    bins = np.linspace(min(permuted.min(), permuted_plugin.min(), result.mauve) - 1e-3, 1, 80)
    axes.hist(permuted_plugin, bins, alpha=0.6, label="samples permuted, plug-in")
    axes.hist(permuted, bins, alpha=0.6, label="samples permuted, compare")
    lines = {
        f"not permuted, compare: {result.mauve:.3f}": (result.mauve, "C3", "-"),
        f"ceiling: {result.ceiling:.3f}": (result.ceiling, "black", "-"),
        f"ceiling_low: {result.ceiling_low:.3f}": (result.ceiling_low, "black", ":"),
    }
    for label, (score, colour, style) in lines.items():
        axes.axvline(score, color=colour, linestyle=style, label=label)
    axes.set(xlabel="score", ylabel="permutations", yscale="log")
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(path, dpi=110)


def loss(path: Path) -> None:
    """Draw the loss of the bundled model during its training."""
    curve = json.loads((MODEL / "training.json").read_text(encoding="utf-8"))["curve"]
    steps = [point["step"] for point in curve]
    figure = Figure(figsize=(5.4, 3.0), layout="constrained")
    axes = figure.subplots()
    for name, label in (("training", "training"), ("held_out", "held out")):
        axes.plot(steps, [point[name] for point in curve], marker="o", label=label)
    axes.set(xlabel="steps of 65,536 tokens", ylabel="nats a token")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


FIGURES = {"anatomy": anatomy, "bias": bias, "ceiling": ceiling, "loss": loss}


def main() -> None:
    """Draw the pictures that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help=f"of {', '.join(FIGURES)}; all by default")
    parser.add_argument("--out", type=Path, default=IMAGES, help="folder to write to")
    arguments = parser.parse_args()
    unknown = sorted({*arguments.names} - {*FIGURES})
    if unknown:
        parser.error(f"pictures must be of {', '.join(FIGURES)}. Got {', '.join(unknown)} instead.")
    warnings.simplefilter("ignore")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or FIGURES:
        FIGURES[name](arguments.out / f"{name}.png")


if __name__ == "__main__":
    main()
