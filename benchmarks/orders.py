"""Bias of the plug-in and of the jackknife of each order, without any sampling.

    python benchmarks/orders.py

Buckets hold Poisson numbers of texts, six of each sample on average. The bias of KL(P|R) at λ = 1/2
is summed over the distribution of the counts.
"""

import numpy as np
from scipy.stats import poisson

from mauve.frontier.estimators import jackknife_terms
from mauve.frontier.grid import quadrature_grid

NUM_BUCKETS, PER_BUCKET, MOST = 600, 6.0, 90


def main() -> None:
    """Print the table of docs/method.md."""
    grid = quadrature_grid(1)
    a, b = np.meshgrid(np.arange(MOST), np.arange(MOST), indexing="ij")
    n = round(NUM_BUCKETS * PER_BUCKET)
    estimates = [
        jackknife_terms(a.ravel(), b.ravel(), n, n, grid, order).kl_p[:, grid.middle]
        for order in range(4)
    ]
    print("| spread of log q/p over the buckets | KL | plug-in | first order | second | third |")
    print("|---|---|---|---|---|---|")
    for spread in (0.3, 0.7, 1.2, 2.0):
        rng = np.random.default_rng(0)
        total = 2 * PER_BUCKET * rng.gamma(4, 1 / 4, NUM_BUCKETS)
        share = 1 / (1 + np.exp(-spread * rng.standard_normal(NUM_BUCKETS)))
        mean_p, mean_q = total * share, total * (1 - share)
        mean_p *= n / mean_p.sum()
        mean_q *= n / mean_q.sum()
        truth = (mean_p * np.log(2 * mean_p / (mean_p + mean_q))).sum() / n
        counts = np.arange(MOST)[:, None]
        expected_buckets = (poisson.pmf(counts, mean_p) @ poisson.pmf(counts, mean_q).T).ravel()
        biases = " | ".join(f"{expected_buckets @ e - truth:+.4f}" for e in estimates)
        print(f"| {spread} | {truth:.3f} | {biases} |")


if __name__ == "__main__":
    main()
