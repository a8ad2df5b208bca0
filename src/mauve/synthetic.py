"""Made-up features with known faults, for the demo and for trying things out."""

import numpy as np
from numpy.typing import NDArray

from mauve.errors import check_int

Features = NDArray[np.float32]

#: What was done to each made-up system, best first.
FAULTS = {
    "same-source": "drawn from the human source itself, by other random numbers",
    "slightly-off": "every feature moved by a quarter of its spread within a topic",
    "misses-a-topic": "the most frequent topic, 40% of the human texts, left out",
    "repeats-itself": "variations of 40 texts instead of new ones",
}

_TOPICS = np.array([0.40, 0.18, 0.14, 0.10, 0.08, 0.06, 0.04])  # shares of the human texts
_SHIFT = 0.25
_N_REPEATED = 40
_VARIATION = 0.5


def synthetic_features(
    n_texts: int = 1000, n_features: int = 16, *, seed: int = 0
) -> dict[str, Features]:
    """Make features of human texts and of four systems with known faults.

    Human texts are spread around seven topics of unequal size, one normal cloud each.

    Parameters
    ----------
    n_texts : int
        Texts of each.
    n_features : int
        Features of a text.
    seed : int
        Everything random follows from it.

    Returns
    -------
    dict of str to array of float32, shape (n_texts, n_features)
        "human", then the systems of :data:`FAULTS`.

    Examples
    --------
    >>> features = synthetic_features(200)
    >>> list(features)
    ['human', 'same-source', 'slightly-off', 'misses-a-topic', 'repeats-itself']
    >>> features["human"].shape
    (200, 16)
    """
    check_int("synthetic_features", "n_texts", n_texts, 1)
    check_int("synthetic_features", "n_features", n_features, 1)
    check_int("synthetic_features", "seed", seed, 0)
    centres = np.random.default_rng([seed, 0]).normal(size=(len(_TOPICS), n_features))

    def texts(stream: int, n: int = n_texts, n_missing: int = 0) -> NDArray[np.float64]:
        # A stream of its own for each sample, so that none depends on the others.
        rng = np.random.default_rng([seed, stream])
        shares = _TOPICS[n_missing:] / _TOPICS[n_missing:].sum()
        topics = rng.choice(len(shares), size=n, p=shares) + n_missing
        return np.asarray(centres[topics] + rng.normal(size=(n, n_features)))

    rng = np.random.default_rng([seed, 6])
    originals = texts(5, n=_N_REPEATED)[rng.integers(_N_REPEATED, size=n_texts)]
    made = [
        texts(1),
        texts(2),
        texts(3) + _SHIFT,
        texts(4, n_missing=1),
        originals + _VARIATION * rng.normal(size=originals.shape),
    ]
    return {
        name: features.astype(np.float32)
        for name, features in zip(["human", *FAULTS], made, strict=True)
    }
