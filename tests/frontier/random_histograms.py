"""Random histograms and counts, and a divergence to compare with."""

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st


@st.composite
def histograms(draw, n=2, max_buckets=8, empty=True):
    """Draw `n` histograms over the same buckets, some buckets empty or nearly so."""
    k = draw(st.integers(1, max_buckets))
    kinds = [st.just(1e-9), st.floats(1e-3, 1)] + [st.just(0.0)] * empty
    drawn = []
    for _ in range(n):
        row = np.array(draw(st.lists(st.one_of(kinds), min_size=k, max_size=k)))
        assume(row.sum() >= 1e-3)
        drawn.append(row / row.sum())
    return drawn


def plain_kl(p, q):
    """Return KL(P|Q), term by term as in the paper."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        if a > 0:
            total += a * np.log(a / b) if b > 0 else np.inf
    return total


@st.composite
def count_pairs(draw, high=12, max_buckets=8):
    """Draw the counts of two samples in the same buckets."""
    k = draw(st.integers(1, max_buckets))
    row = st.lists(st.integers(0, high), min_size=k, max_size=k).filter(any)
    return np.array(draw(row)), np.array(draw(row))
