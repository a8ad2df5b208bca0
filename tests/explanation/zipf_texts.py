"""Random texts of words as frequent as in English."""

import numpy as np


def random_texts(rng, n, n_words=40, vocabulary=2000):
    """Texts of words as frequent as in English, by Zipf's law."""
    chances = 1 / np.arange(1, vocabulary + 1)
    words = rng.choice(vocabulary, size=(n, n_words), p=chances / chances.sum())
    return [" ".join(f"w{word}" for word in row) for row in words]
