"""Simulated pairs of text distributions, for benchmarks that need to know the truth.

Features are drawn from a mixture of 40 topics whose spread falls off over the dimensions,
as that of text features does. A model's distribution has its topics re-weighted and all
of its features shifted.
"""

from dataclasses import dataclass

import numpy as np

N_TOPICS = 40


@dataclass(frozen=True)
class Pair:
    """Human distribution P and model distribution Q over features of `d` dimensions."""

    d: int
    shift: float
    tilt: float
    seed: int = 1

    def _parameters(self) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(self.seed)
        fade = np.exp(-np.arange(self.d) / (self.d / 3))
        topics = rng.standard_normal((N_TOPICS, self.d)) * fade
        weights = rng.dirichlet(np.full(N_TOPICS, 2.0))
        tilted = weights * np.exp(self.tilt * rng.standard_normal(N_TOPICS))
        shift = rng.standard_normal(self.d)
        shift *= self.shift / np.linalg.norm(shift)
        spread = 0.6 * np.exp(-np.arange(self.d) / (self.d / 2))
        return topics, weights, tilted / tilted.sum(), shift, spread

    def human(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` texts of P, shape (n, d)."""
        topics, weights, _, _, spread = self._parameters()
        topic = rng.choice(N_TOPICS, n, p=weights)
        return (topics[topic] + rng.standard_normal((n, self.d)) * spread).astype(np.float32)

    def model(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw `n` texts of Q, shape (n, d)."""
        topics, _, tilted, shift, spread = self._parameters()
        topic = rng.choice(N_TOPICS, n, p=tilted)
        noise = rng.standard_normal((n, self.d)) * spread
        return (topics[topic] + shift + noise).astype(np.float32)


def text_like(n: int, d: int, shift: float, rng: np.random.Generator) -> np.ndarray:
    """Draw `n` features of `d` dimensions, about 90 of which hold 90% of the variance."""
    mixing = (
        np.random.default_rng(0).standard_normal((300, d)) * np.exp(-np.arange(300) / 85)[:, None]
    )
    return ((rng.standard_normal((n, 300)) + shift) @ mixing).astype(np.float32)
