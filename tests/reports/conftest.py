"""A comparison of texts, some of them hostile, and one of features."""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import mauve

sys.path.insert(0, str(Path(__file__).parent))  # for hostile


def _topic(words: str, i: int, rng: np.random.Generator) -> str:
    return " ".join(rng.permutation(words.split())) + f" number {i}."


@pytest.fixture(scope="session")
def explained():
    """Return a comparison of two systems, one of them hostile, and its explanation."""
    from hostile import EVIL, HOSTILE, SCRIPT

    rng = np.random.default_rng(0)
    sea = "the old ship sailed over the grey sea in a storm at night"
    bread = "knead the dough with flour and water and bake the bread in the oven"
    human = [_topic(sea if i % 2 else bread, i, rng) for i in range(120)]
    fair = [_topic(sea if i % 4 else bread, 200 + i, rng) for i in range(120)]
    evil = [f"{SCRIPT} {HOSTILE[i % len(HOSTILE)]} {i}" for i in range(120)]
    evil[60:] = [f"{text} and so on{' and on' * 2000}" for text in evil[60:]]
    evil[7] = SCRIPT + "word" * 250_000  # a megabyte
    fields = {"kind": ["sea" if i % 2 else "bread" for i in range(120)]}
    hostile = {"<b>kind</b>\u202e": [EVIL if i % 3 else "a & b" for i in range(120)]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of form, which differs as much as it can
        comparison = mauve.compare(
            human, {"fair": fair, EVIL: evil}, n_clusterings=10, n_permutations=200
        )
        explanation = mauve.explain(
            comparison,
            metadata={"human": fields, EVIL: hostile, "fair": fields},
            n_permutations=200,
        )
        measurements = mauve.measure(
            human, {"fair": fair, EVIL: evil}, ["zipf", "repetition"], comparison=comparison
        )
    return comparison, explanation, measurements


@pytest.fixture(scope="session")
def features():
    """Return a comparison of features, and its explanation."""
    rng = np.random.default_rng(2)  # of 20 seeds one would flag a cluster of "near"
    human, near = rng.normal(size=(2, 200, 6))
    comparison = mauve.compare(human, {"near": near, "far": near + 0.6}, n_clusterings=10)
    return comparison, mauve.explain(comparison, n_permutations=200)
