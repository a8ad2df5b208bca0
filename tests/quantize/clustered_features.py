"""Features of texts of a few topics."""

import numpy as np


def clustered(seed, n, d=10, n_topics=12):
    """Draw features of other texts for every seed, of the same topics."""
    topics = np.random.default_rng(99).normal(size=(n_topics, d))
    rng = np.random.default_rng(seed)
    features = topics[rng.integers(n_topics, size=n)] + 0.3 * rng.normal(size=(n, d))
    return features.astype(np.float32)
