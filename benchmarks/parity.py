"""Our `compute_mauve` beside the authors' package, on the same features.

    python benchmarks/parity.py --peer ENV/bin/python [--features FOLDER]

1. Field for field on the same histograms: features are corners of a simplex, so both
   packages see the same buckets and the histograms are equal up to their order.
2. The mean over ``--seeds`` seeds on feature sets of different kinds; with ``--features`` also
   ``human.npy`` against the other files of a folder, made by ``benchmarks/features.py``.
"""

import argparse
from pathlib import Path

import numpy as np
from peer import Peer, add_peer_argument
from simulate import Pair, text_like

from mauve import compute_mauve
from mauve.comparison.paper import PaperResult


def simulated_sets() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return feature sets by name."""
    rng = np.random.default_rng(0)
    sets = {
        "same source, 1,000 x 64": (text_like(1000, 64, 0, rng), text_like(1000, 64, 0, rng)),
        "shifted, 2,000 x 1,280": (text_like(2000, 1280, 0, rng), text_like(2000, 1280, 0.2, rng)),
        "unequal n, 1,500 + 500 x 64": (text_like(1500, 64, 0, rng), text_like(500, 64, 0.3, rng)),
    }
    for name, shift, tilt in (("near", 0.5, 0.1), ("middle", 1.0, 0.3), ("far", 1.6, 0.8)):
        pair = Pair(32, shift, tilt)
        sets[f"topics, {name}, 1,000 x 32"] = (pair.human(1000, rng), pair.model(1000, rng))
    return sets


def real_sets(folder: Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return human features against each of the others in a folder."""
    files = {path.stem: np.load(path) for path in sorted(folder.glob("*.npy"))}
    return {
        f"text, {name}": (files["human"], features)
        for name, features in files.items()
        if name in {"greedy", "beam", "topk", "nucleus", "typical", "contrastive"}
    }


def mean_over_seeds(
    peer: Peer, sets: dict[str, tuple[np.ndarray, np.ndarray]], n_seeds: int
) -> None:
    """Print the score of both packages, mean and standard deviation over the seeds."""
    print(
        "| features | k | authors' mean | ours, mean | difference | its s.e. | authors' s.d. | "
        "ours, s.d. |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, (p, q) in sets.items():
        paths = {"p": peer.save("p", p), "q": peer.save("q", q)}
        theirs = peer.run([{**paths, "settings": {"seed": seed}} for seed in range(n_seeds)])
        ours = [compute_mauve(p_features=p, q_features=q, seed=seed) for seed in range(n_seeds)]
        a, b = np.array([t["mauve"] for t in theirs]), np.array([o.mauve for o in ours])
        error = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / n_seeds)
        print(
            f"| {name} | {ours[0].num_buckets} | {a.mean():.4f} | {b.mean():.4f} | "
            f"{b.mean() - a.mean():+.4f} | {error:.4f} | "
            f"{a.std(ddof=1):.4f} | {b.std(ddof=1):.4f} |",
            flush=True,
        )


def field_by_field(peer: Peer) -> None:
    """Print the largest difference of each field on equal histograms."""
    rng = np.random.default_rng(1)
    worst: dict[str, float] = {}
    wrong = 0
    for case in range(20):
        k = int(rng.integers(3, 12))
        corners = np.eye(k, dtype=np.float32)
        n_p, n_q = rng.integers(200, 600, size=2)
        p_share, q_share = rng.dirichlet(np.full(k, 3.0), size=2)
        if case % 4 == 0:  # a bucket that the model never reaches
            q_share[0] = 0
            q_share /= q_share.sum()
        p = np.repeat(corners, rng.multinomial(n_p, p_share), axis=0)
        q = np.repeat(corners, rng.multinomial(n_q, q_share), axis=0)
        settings = {"num_buckets": k, "kmeans_explained_var": 0.999999, "kmeans_num_redo": 20}
        [theirs] = peer.run([
            {"p": peer.save("p", p), "q": peer.save("q", q), "settings": settings}
        ])  # fmt: skip
        ours = compute_mauve(p_features=p, q_features=q, **settings)
        if not np.allclose(np.sort(theirs["p_hist"]), np.sort(ours.p_hist)):
            wrong += 1  # a k-means merged two corners: not the same histograms
            continue
        for field, value in compare_fields(theirs, ours).items():
            worst[field] = max(worst.get(field, 0.0), value)
    print(f"{20 - wrong} of 20 cases with equal histograms; largest absolute difference:")
    print("| field | difference |")
    print("|---|---|")
    for field, value in worst.items():
        print(f"| {field} | {value:.1e} |")


def compare_fields(theirs: dict[str, object], ours: PaperResult) -> dict[str, float]:
    """Return the absolute difference of each field."""
    pairs = sorted(zip(theirs["p_hist"], theirs["q_hist"], strict=True))
    our_pairs = sorted(zip(ours.p_hist.tolist(), ours.q_hist.tolist(), strict=True))
    curve = np.array(theirs["divergence_curve"])
    differences = {
        name: abs(theirs[name] - getattr(ours, name))
        for name in ("mauve", "frontier_integral", "mauve_star", "frontier_integral_star")
    }
    differences["p_hist, q_hist"] = float(np.abs(np.array(pairs) - np.array(our_pairs)).max())
    differences["divergence_curve"] = float(np.abs(curve - ours.divergence_curve).max())
    return differences


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_peer_argument(parser)
    parser.add_argument("--features", type=Path, help="folder with human.npy and others")
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args()
    peer = Peer(args.peer)
    print(peer.versions(), "\n")
    field_by_field(peer)
    print()
    sets = simulated_sets()
    if args.features:
        sets |= real_sets(args.features)
    mean_over_seeds(peer, sets, args.seeds)


if __name__ == "__main__":
    main()
