"""Results that are drawn."""

import numpy as np
import pytest

import mauve


@pytest.fixture(scope="session")
def comparison():
    rng = np.random.default_rng(0)
    systems = {"near": rng.normal(size=(200, 8)), "far": rng.normal(size=(200, 8)) + 1}
    return mauve.compare(rng.normal(size=(200, 8)), systems, n_permutations=0, n_clusterings=5)


@pytest.fixture(scope="session")
def tested():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 300, 8))
    systems = {"far": near + 1, "near": near, "middle": near + 0.4}
    return mauve.compare(human, systems, n_permutations=100, n_clusterings=10)


@pytest.fixture(scope="session")
def explanation(tested):
    return mauve.explain(tested, n_permutations=200)
