"""Features of human texts and of one system, and its score."""

import numpy as np
from ranked_clouds import QUICK

from mauve import compare


def clouds(seed, *, n=100, d=4, shift=0.5, n_model=None):
    """Return two normal samples, the second shifted."""
    rng = np.random.default_rng(seed)
    human, model = rng.normal(size=(n, d)), rng.normal(size=(n_model or n, d)) + shift
    return human.astype(np.float32), model.astype(np.float32)


def score(human, model, **settings):
    """Compare with quick settings, unless others are passed."""
    return compare(human, model, **{**QUICK, **settings})["model"]
