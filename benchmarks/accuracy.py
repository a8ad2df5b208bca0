"""How near the score comes to the truth, beside the authors' package.

    python benchmarks/accuracy.py --peer ENV/bin/python [--features FOLDER]

1. Simulated pairs: error against the score of the same quantizers on a very large fresh
   sample. The paper's estimates are held against the truth of their own clustering.
2. Real text (``--features``, made by ``benchmarks/features.py``): how the score moves with
   the number of texts at fixed k, and how much it depends on the seed.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from coverage import PAIRS, fresh_sample, true_score
from peer import Peer, add_peer_argument

from mauve import compare
from mauve.comparison.paper import result_from_counts
from mauve.frontier.grid import curve_grid
from mauve.frontier.histogram import count_labels
from mauve.frontier.score import mean_divergences, score_of
from mauve.quantize.kmeans import KMeans
from mauve.quantize.reduce import reduce_features

FRESH = 60_000


def paper_case(p: np.ndarray, q: np.ndarray, name: str, k: int, seed: int) -> tuple[float, ...]:
    """Return the paper's two estimates and the truth of the clustering behind them."""
    reduced, reduction = reduce_features(np.concatenate([p, q]))
    centres = KMeans(n_restarts=5).fit(reduced, k, np.random.default_rng(seed))
    labels = centres.assign(reduced)
    result = result_from_counts(
        count_labels(labels[: len(p)], k), count_labels(labels[len(p) :], k)
    )
    fresh = [
        count_labels(centres.assign(reduction.apply(sample.copy())), k)[None]
        for sample in fresh_sample(name, FRESH)
    ]
    grid = curve_grid()
    truth = score_of(mean_divergences(*fresh, grid, "jackknife"), 5.0)
    return result.mauve, result.mauve_star, float(truth)


def simulated(peer: Peer, cases: int) -> None:
    """Print the errors on simulated pairs."""
    print(
        "| pair | n | k | truth | compare: bias | RMSE | same quantizers, plug-in: RMSE | ratio | "
        "paper: truth | mauve RMSE | mauve_star RMSE | authors' mauve, mean | mauve_star, mean |"
    )
    print("|---" * 13 + "|")
    for n in (500, 1000):
        for name in ("near", "middle", "far"):
            rows = []
            for case in range(cases):
                rng = np.random.default_rng([n, case])
                p, q = PAIRS[name].human(n, rng), PAIRS[name].model(n, rng)
                comparison = compare(p, q, n_permutations=0, seed=case)
                result, k = comparison["model"], n // 10
                truth = true_score(comparison.compared.clustering, name, k, FRESH)
                paper = paper_case(p, q, name, k, case)
                job = {"p": peer.save("p", p), "q": peer.save("q", q), "settings": {"seed": case}}
                theirs = peer.run([job])[0] if case < 10 else {}
                peers = [theirs.get(field, np.nan) for field in ("mauve", "mauve_star")]
                rows.append([truth, result.mauve, result.mauve_plugin, *paper, *peers])
            truth, score, plugin, m, star, paper_truth, a, a_star = np.array(rows).T
            rmse, rmse_plugin = _rmse(score, truth), _rmse(plugin, truth)
            rmse_paper, rmse_star = _rmse(m, paper_truth), _rmse(star, paper_truth)
            print(
                f"| {name} | {n} | {n // 10} | {truth.mean():.3f} | "
                f"{(score - truth).mean():+.4f} | {rmse:.4f} | {rmse_plugin:.4f} | "
                f"{rmse / rmse_plugin:.2f} | {paper_truth.mean():.3f} | {rmse_paper:.4f} | "
                f"{rmse_star:.4f} | {np.nanmean(a):.3f} | {np.nanmean(a_star):.3f} |",
                flush=True,
            )


def _rmse(scores: np.ndarray, truth: np.ndarray) -> float:
    return float(np.sqrt(np.mean((scores - truth) ** 2)))


def pairs_of_text(folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return human against machine text for every source in the folder."""
    files = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    pairs = {}
    for name, features in files.items():
        kind, dash, source = name.partition("-")  # "stories-gpt", or "greedy" without a kind
        human = f"{kind}-human" if dash else "human"
        if source != "human" and name != "human":
            pairs[name] = (files[human], features)
    return pairs


def with_n(peer: Peer, pairs: dict[str, tuple[np.ndarray, np.ndarray]], k: int) -> None:
    """Print the mean score for growing n at fixed k, over random subsets."""
    sizes = (250, 500, 1000)
    print(f"\nMean score at k = {k} over random subsets of n texts per sample")
    print(
        "| source | "
        + " | ".join(f"compare, n = {n}" for n in sizes)
        + " | moves by | "
        + " | ".join(f"authors' mauve, n = {n}" for n in sizes)
        + " | moves by |"
    )
    print("|---" * (2 * len(sizes) + 3) + "|")
    for name, (p, q) in pairs.items():
        ours, theirs = [], []
        for n in sizes:
            results, jobs = [], []
            for part in range(max(2, 8 * 250 // n)):
                rng = np.random.default_rng([n, part])
                a, b = (sample[rng.permutation(len(sample))[:n]] for sample in (p, q))
                results.append(compare(a, b, num_buckets=k, n_permutations=0, seed=part)["model"])
                jobs.append(
                    {
                        "p": peer.save(f"p{part}", a),
                        "q": peer.save(f"q{part}", b),
                        "settings": {"num_buckets": k, "seed": part},
                    }
                )
            ours.append(np.mean([result.mauve for result in results]))
            theirs.append(np.mean([result["mauve"] for result in peer.run(jobs)]))
        print(
            f"| {name} | "
            + " | ".join(f"{x:.3f}" for x in ours)
            + f" | {ours[-1] - ours[0]:+.3f} | "
            + " | ".join(f"{x:.3f}" for x in theirs)
            + f" | {theirs[-1] - theirs[0]:+.3f} |",
            flush=True,
        )


def seed_noise(peer: Peer, pairs: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Print the spread over 20 seeds, and the time of a score with and without the tests."""
    print("\nSpread over 20 seeds, n = 1,000 per sample, k = 100")
    print(
        "| source | authors' s.d. | compare s.d. | ratio | authors' s | compare s, score and "
        "interval | with permutations |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, (p, q) in pairs.items():
        paths = {"p": peer.save("p", p), "q": peer.save("q", q)}
        theirs = peer.run([{**paths, "settings": {"seed": seed}} for seed in range(20)])
        ours, seconds = [], []
        for seed in range(20):
            start = time.perf_counter()
            ours.append(compare(p, q, seed=seed, n_permutations=0)["model"].mauve)
            seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        compare(p, q)
        whole = time.perf_counter() - start
        a = np.std([t["mauve"] for t in theirs], ddof=1)
        b, time_a = np.std(ours, ddof=1), np.median([t["seconds"] for t in theirs])
        print(
            f"| {name} | {a:.4f} | {b:.4f} | {b / a:.2f} | {time_a:.2f} | "
            f"{np.median(seconds):.2f} | {whole:.2f} |",
            flush=True,
        )


def main() -> None:
    """Print all tables."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    add_peer_argument(parser)
    parser.add_argument("--features", type=Path, help="folder with features of real text")
    parser.add_argument("--cases", type=int, default=60)
    args = parser.parse_args()
    peer = Peer(args.peer)
    print(f"{peer.versions()}; one thread each, {os.cpu_count()} cores\n")
    if args.cases:
        simulated(peer, args.cases)
    if args.features:
        pairs = pairs_of_text(args.features)
        with_n(peer, pairs, k=25)
        seed_noise(peer, pairs)


if __name__ == "__main__":
    main()
