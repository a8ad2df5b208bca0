"""Texts drawn from known distributions over buckets."""

import numpy as np

from mauve.inference.resampling import LabelledPair


def draw_pair(rng, p, q, n_p, n_q, *, n_clusterings=1, counted_share=1.0):
    """Draw texts that fall into buckets with the probabilities `p` and `q`, without prompts."""
    k, n = len(p), n_p + n_q
    labels = np.concatenate(
        [
            rng.choice(k, p=p, size=(n_clusterings, n_p)),
            rng.choice(k, p=q, size=(n_clusterings, n_q)),
        ],
        axis=1,
    )
    return LabelledPair(
        labels=labels.astype(np.int32),
        counted=rng.random((n_clusterings, n)) < counted_share,
        is_human=np.arange(n) < n_p,
        blocks=np.zeros(n, dtype=np.int64),
        groups=np.arange(n),
        num_buckets=k,
    )
