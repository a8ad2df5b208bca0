"""Simulated pairs of text distributions, for benchmarks that need to know the truth.

Features are drawn from a mixture of topics whose spread falls off over the dimensions, as that
of text features does. A model's distribution has its topics re-weighted, all of its features
shifted, or its texts spread less.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Pair:
    """Human distribution P and model distribution Q over features of `d` dimensions.

    With `freedom` the texts of a topic have the tails of a Student distribution, and topics the
    weights of a power law.
    """

    d: int
    shift: float
    tilt: float
    spread: float = 1.0
    freedom: float | None = None
    n_topics: int = 40
    seed: int = 1

    def _parameters(self) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(self.seed)
        fade = np.exp(-np.arange(self.d) / (self.d / 3))
        topics = rng.standard_normal((self.n_topics, self.d)) * fade
        weights = rng.dirichlet(np.full(self.n_topics, 2.0))
        if self.freedom is not None:
            weights = 1 / np.arange(1, self.n_topics + 1)
            weights /= weights.sum()
        tilted = weights * np.exp(self.tilt * rng.standard_normal(self.n_topics))
        shift = rng.standard_normal(self.d)
        shift *= self.shift / np.linalg.norm(shift)
        spread = 0.6 * np.exp(-np.arange(self.d) / (self.d / 2))
        return topics, weights, tilted / tilted.sum(), shift, spread

    def _noise(self, n: int, rng: np.random.Generator) -> np.ndarray:
        noise = rng.standard_normal((n, self.d))
        if self.freedom is not None:
            noise /= np.sqrt(rng.chisquare(self.freedom, (n, 1)) / self.freedom)
        return noise

    def human(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` texts of P, shape (n, d)."""
        topics, weights, _, _, spread = self._parameters()
        topic = rng.choice(self.n_topics, n, p=weights)
        return (topics[topic] + self._noise(n, rng) * spread).astype(np.float32)

    def model(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` texts of Q, shape (n, d)."""
        topics, _, tilted, shift, spread = self._parameters()
        topic = rng.choice(self.n_topics, n, p=tilted)
        noise = self._noise(n, rng) * (spread * self.spread)
        return (topics[topic] + shift + noise).astype(np.float32)


#: Near, middle and far; with a common shift and without; light tails and heavy ones.
PAIRS = {
    "same": Pair(32, shift=0.0, tilt=0.0),
    "near": Pair(32, shift=0.7, tilt=0.1),
    "middle": Pair(32, shift=1.0, tilt=0.3),
    "far": Pair(32, shift=1.4, tilt=0.5),
    "topics": Pair(32, shift=0.0, tilt=0.5),
    "heavy, near": Pair(64, shift=0.8, tilt=0.2, freedom=3, n_topics=300),
    "heavy, topics": Pair(64, shift=0.0, tilt=0.7, freedom=3, n_topics=300),
    "heavy, far": Pair(64, shift=1.0, tilt=1.5, freedom=3, n_topics=300),
    "heavy, spread": Pair(64, shift=0.0, tilt=0.0, spread=0.6, freedom=3, n_topics=300),
}


def text_like(n: int, d: int, shift: float, rng: np.random.Generator) -> np.ndarray:
    """Draw `n` features of `d` dimensions, about 90 of which hold 90% of the variance."""
    mixing = (
        np.random.default_rng(0).standard_normal((300, d)) * np.exp(-np.arange(300) / 85)[:, None]
    )
    return ((rng.standard_normal((n, 300)) + shift) @ mixing).astype(np.float32)
