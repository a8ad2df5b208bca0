"""How the score of real text moves with the number of texts and with the random seed.

    python benchmarks/accuracy.py --features FOLDER [--peer ENV/bin/python]

The folder is that of ``benchmarks/systems.py``. Every system is compared with its human texts, with
the defaults of `compare` and, with ``--peer``, of the authors' package.

1. Mean score over random subsets of n texts per sample. *Moves by* is the score of all texts less
   that of 250, *s.e.* its standard error for subsets of these very texts.
2. Standard deviation over random seeds, with all texts.

Bias and coverage on simulated text, where the estimand is known, are in ``benchmarks/coverage.py``.
"""

import argparse
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from peer import Peer, add_peer_argument
from systems import Pairs, pairs_of_text

from mauve import compare

Sample = tuple[np.ndarray, np.ndarray, int]  # human text, a system, and the random seed

FEWEST, MIDDLE = 250, 500


def scores_of(samples: Iterable[Sample], peer: Peer | None) -> dict[str, np.ndarray]:
    """Return the scores of all samples by every estimate."""
    scores: dict[str, list[float]] = {"compare": [], "by the classifier": []}
    jobs = []
    for p, q, seed in samples:
        result = compare(p, q, n_permutations=0, seed=seed, progress=False)["model"]
        scores["compare"].append(result.mauve)
        scores["by the classifier"].append(result.classifier.mauve)
        if peer is not None:
            files = {"p": peer.save(f"p{len(jobs)}", p), "q": peer.save(f"q{len(jobs)}", q)}
            jobs.append({**files, "settings": {"seed": seed}})
    if peer is not None:
        scores["authors' mauve"] = [done["mauve"] for done in peer.run(jobs)]
    return {estimate: np.array(values) for estimate, values in scores.items()}


def subsets(pair: tuple[np.ndarray, np.ndarray], n: int, n_draws: int, source: int) -> list[Sample]:
    """Return random subsets of n texts of both samples, others for each source and draw."""
    drawn = []
    for draw in range(n_draws):
        rng = np.random.default_rng([n, draw, source])
        p, q = (features[rng.permutation(len(features))[:n]] for features in pair)
        drawn.append((p, q, draw))
    return drawn


def row(*cells: object) -> None:
    """Print a row of a Markdown table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def head(*titles: str) -> None:
    """Print the head of it."""
    print()
    row(*titles)
    row(*["---"] * len(titles))


def with_n(pairs: Pairs, peer: Peer | None, n_draws: int) -> None:
    """Print the mean score for growing n, and by how much it moves."""
    head("source", "score", f"n = {FEWEST}", f"n = {MIDDLE}", "n = all", "moves by", "s.e.")
    moves: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    for source, (name, pair) in enumerate(pairs.items()):
        n_all = min(map(len, pair))
        by_size = [
            scores_of(subsets(pair, n, max(2, n_draws * FEWEST // n), source), peer)
            for n in (FEWEST, MIDDLE, n_all)
        ]
        for estimate in by_size[0]:
            scores = [by_estimate[estimate] for by_estimate in by_size]
            move = float(scores[-1].mean() - scores[0].mean())
            error = _error(scores[0], scores[-1])
            moves.setdefault(estimate, []).append(move)
            errors.setdefault(estimate, []).append(error)
            means = [f"{values.mean():.3f}" for values in scores]
            row(name, estimate, *means, f"{move:+.3f}", f"{error:.3f}")
    head("score", "mean move", "its s.e.", "mean size of a move", "mean s.e. of a move")
    for estimate, by_source in moves.items():
        of_mean = np.sqrt(np.sum(np.square(errors[estimate]))) / len(by_source)
        sizes = [np.mean(by_source), of_mean, np.mean(np.abs(by_source)), np.mean(errors[estimate])]
        row(estimate, f"{sizes[0]:+.3f}", *(f"{size:.3f}" for size in sizes[1:]))


def _error(*samples: Sequence[float]) -> float:
    """Return the standard error of a difference of means."""
    return float(np.sqrt(sum(np.var(values, ddof=1) / len(values) for values in samples)))


def with_seed(pairs: Pairs, peer: Peer | None, n_seeds: int) -> None:
    """Print the standard deviation over random seeds, with all texts."""
    deviations: dict[str, list[float]] = {}
    for name, (p, q) in pairs.items():
        scores = scores_of([(p, q, seed) for seed in range(n_seeds)], peer)
        if not deviations:
            head("source", *(f"s.d. over {n_seeds} seeds, {estimate}" for estimate in scores))
        for estimate, values in scores.items():
            deviations.setdefault(estimate, []).append(float(values.std(ddof=1)))
        row(name, *(f"{by_source[-1]:.4f}" for by_source in deviations.values()))
    row("**mean**", *(f"{np.mean(by_source):.4f}" for by_source in deviations.values()))


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--features", type=Path, required=True, help="folder of features")
    add_peer_argument(parser, required=False)
    parser.add_argument("--draws", type=int, default=16, help="subsets of 250; fewer larger ones")
    parser.add_argument("--seeds", type=int, default=20, help="0 leaves the second table out")
    parser.add_argument("--sources", nargs="+", metavar="NAME", help="some of the systems")
    args = parser.parse_args()
    peer = Peer(args.peer) if args.peer else None
    if peer is not None:
        print(peer.versions())
    pairs = pairs_of_text(args.features)
    if args.sources:
        pairs = {name: pairs[name] for name in args.sources}
    with_n(pairs, peer, args.draws)
    if args.seeds:
        with_seed(pairs, peer, args.seeds)


if __name__ == "__main__":
    main()
