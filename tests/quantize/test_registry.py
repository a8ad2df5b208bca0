"""Quantizers by name, the number of their cells, and what compare makes of them."""

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.quantize.drmm import DRMM
from mauve.quantize.kmeans import KMeans
from mauve.quantize.lattice import Lattice
from mauve.quantize.registry import get_quantizer, reporting, with_num_buckets


@pytest.fixture(scope="module")
def samples():
    rng = np.random.default_rng(101)  # with 0 the good system is one of the 5% that p is below 0.05
    human, good, bad = (rng.normal(size=(200, 6)) + shift for shift in (0.0, 0.0, 2.0))
    return human, {"good": good, "bad": bad}


def test_names():
    assert get_quantizer("kmeans") == KMeans()
    assert isinstance(get_quantizer("drmm"), DRMM)
    assert isinstance(get_quantizer("lattice", "cpu"), Lattice)
    mine = DRMM(n_layers=2)
    assert get_quantizer(mine) is mine


@pytest.mark.parametrize(
    ("spec", "num_buckets", "n", "cells"),
    [
        ("kmeans", "auto", 1000, 100),
        ("kmeans", 30, 1000, 30),
        ("drmm", "auto", 100, 8),
        ("drmm", "auto", 1000, 125),
        ("drmm", "auto", 5000, 512),
        ("drmm", "auto", 100_000, 1000),
        ("drmm", 1000, 5000, 1000),
        ("lattice", "auto", 100, 744),
        ("lattice", 744, 5000, 744),
    ],
)
def test_number_of_cells(spec, num_buckets, n, cells):
    quantizer, found = with_num_buckets(get_quantizer(spec), num_buckets, n, named=True)
    assert found == cells
    assert getattr(quantizer, "num_buckets", cells) == cells


@pytest.mark.parametrize(
    ("quantizer", "num_buckets", "named", "message"),
    [
        (DRMM(), 100, True, "a cube for 'drmm', such as 64, 125, 216. Got 100 instead"),
        (DRMM(), 7, True, "an int of at least 8"),
        (DRMM(n_layers=2), 125, False, "100, all that this quantizer makes, or 'auto'"),
        (Lattice(), 500, True, "744, all that this quantizer makes, or 'auto'. Got 500"),
        (KMeans(), "many", True, "an int or 'auto'"),
    ],
)
def test_a_number_of_cells_that_cannot_be(quantizer, num_buckets, named, message):
    with pytest.raises(InvalidParameterError, match=message):
        with_num_buckets(quantizer, num_buckets, 1000, named=named)


def test_an_unknown_name():
    with pytest.raises(InvalidParameterError, match=r"'kmeans', 'drmm', 'lattice'\. Got 'som'"):
        get_quantizer("som")
    with pytest.raises(InvalidParameterError, match="an object with a method 'fit'"):
        get_quantizer(3)


@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
@pytest.mark.parametrize("quantizer", ["drmm", Lattice(epochs=4, width=32)])
def test_compare_and_compute_mauve(samples, quantizer):
    human, systems = samples
    steps = []
    found = mauve.compare(
        human, systems, quantizer=quantizer, n_permutations=50,
        on_progress=lambda *step: steps.append(step),
    )  # fmt: skip
    assert found.rank() == ["good", "bad"]
    assert found["bad"].p_value < 0.05 < found["good"].p_value
    assert "|fit:2of5x5|" in found["good"].signature  # five clusterings of what is trained
    again = mauve.compare(human, systems, quantizer=quantizer, n_permutations=0)
    assert again["bad"].mauve == found["bad"].mauve
    if quantizer == "drmm":
        assert found["good"].num_buckets == 27
        assert steps[0][0] == "training"
        assert "drmm:3x3" in found["good"].signature
    near, far = (
        mauve.compute_mauve(human, systems[name], quantizer=quantizer).mauve
        for name in ("good", "bad")
    )
    assert near > far


@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
def test_empty_cells_of_a_lattice_are_no_cause_for_alarm(samples):
    human, systems = samples
    found = mauve.compare(human, systems, quantizer=Lattice(epochs=1, width=16), n_permutations=0)
    assert not any("cells are empty" in message for message in found.warnings)


def test_reporting_leaves_kmeans_alone():
    assert reporting(KMeans(), 5, print) == KMeans()


def test_constant_features_are_a_clear_error():
    same = np.ones((100, 4))
    for quantizer in ("drmm", "lattice"):
        with pytest.raises(InvalidParameterError):
            mauve.compare(same, same, quantizer=quantizer, n_permutations=0)
