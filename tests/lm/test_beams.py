"""Beam search finds the best of all texts, where the beams are as many as the texts."""

from itertools import product

import numpy as np
import pytest

from mauve.lm.beams import beam_search
from mauve.lm.decoding import Beam


class Table:
    """A model of four tokens whose probabilities are drawn for each context."""

    vocabulary_size, end = 4, 0

    def __init__(self, seed):
        self._seed = seed

    def next(self, contexts):
        return np.stack([
            np.random.default_rng([self._seed, len(c), *c]).dirichlet(np.full(4, 0.5))
            for c in contexts
        ])  # fmt: skip

    def total(self, prompt, tokens):
        """Return the logarithm of the probability of tokens."""
        return sum(
            np.log(self.next([[*prompt, *tokens[:i]]])[0, token]) for i, token in enumerate(tokens)
        )


def all_texts(max_tokens, min_tokens):
    for n in range(max_tokens + 1):
        for tokens in product([1, 2, 3], repeat=n):
            if n == max_tokens:
                yield [*tokens], False
            elif n >= min_tokens:
                yield [*tokens], True


def repeats(tokens, n):
    grams = [tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)]
    return len(set(grams)) < len(grams)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("no_repeat", "power", "min_tokens"), [(0, 1.0, 0), (0, 0.0, 2), (2, 2.0, 1), (0, -1.0, 0)]
)
def test_equals_exhaustive_search(seed, no_repeat, power, min_tokens):
    model, prompt = Table(seed), [2, 1]

    def score(text):
        tokens, ended = text
        total = model.total(prompt, [*tokens, 0] if ended else tokens)
        return total / (len(tokens) + ended) ** power

    allowed = (
        text for text in all_texts(4, min_tokens)
        if not no_repeat or not repeats([*prompt, *text[0]], no_repeat)
    )  # fmt: skip
    found = beam_search(
        model, prompt, Beam(81, no_repeat=no_repeat, length_power=power),
        max_tokens=4, min_tokens=min_tokens,
    )  # fmt: skip
    assert found == max(allowed, key=score)


@pytest.mark.parametrize("seed", range(5))
def test_one_beam_is_greedy(seed):
    model = Table(seed)
    tokens = []
    while len(tokens) < 6 and (token := int(model.next([[3, *tokens]])[0].argmax())):
        tokens.append(token)
    assert beam_search(model, [3], Beam(1), max_tokens=6) == (tokens, len(tokens) < 6)


def test_no_sequence_stands_twice():
    tokens, _ = beam_search(Table(1), [1], Beam(3, no_repeat=2), max_tokens=9, min_tokens=8)
    assert len(tokens) >= 8
    assert not repeats([1, *tokens], 2)
    assert repeats(beam_search(Table(1), [1], Beam(3), max_tokens=9, min_tokens=8)[0], 2)
