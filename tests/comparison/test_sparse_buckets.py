"""A quantizer with a fixed number of buckets gets no interval from too few texts."""

import warnings

import numpy as np
import pytest

import mauve
from mauve.quantize.lattice import Lattice

pytestmark = pytest.mark.slow

TINY = Lattice(epochs=1, width=8)  # what it learns does not matter here


def compared(n, quantizer, **options):
    rng = np.random.default_rng(n)
    human, model = rng.normal(size=(2, n, 4)).astype(np.float32)
    options |= {"n_clusterings": 2, "n_permutations": 50, "progress": False}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)  # they are in the result
        return mauve.compare(human, model + 0.5, quantizer=quantizer, **options)["model"]


def test_few_texts_in_the_buckets_of_the_lattice_withhold_the_interval():
    result = compared(300, TINY)
    assert result.interval == (0, 1)
    [message] = [message for message in result.warnings if "withheld" in message]
    assert "interval of 'model' is withheld, [0, 1]" in message
    assert "744 buckets hold fewer than 3 counted texts" in message
    assert result.p_value < 0.05  # the test looks at the features


def test_enough_texts_have_an_interval():
    result = compared(2600, TINY)  # half of 5,200 texts are counted, more than 3 · 744
    assert 0 < result.interval[0] < result.mauve < result.interval[1] < 1
    assert not any("withheld" in message for message in result.warnings)


def test_a_number_of_buckets_that_follows_the_texts_is_not_affected():
    result = compared(300, "kmeans")
    assert result.interval[0] > 0
    assert not any("withheld" in message for message in result.warnings)
