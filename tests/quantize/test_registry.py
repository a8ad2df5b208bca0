"""Quantizers by name, their number of buckets, and their use in comparisons."""

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
    ("spec", "num_buckets", "n", "expected"),
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
def test_number_of_buckets(spec, num_buckets, n, expected):
    quantizer, number = with_num_buckets(get_quantizer(spec), num_buckets, n)
    assert number == expected
    assert getattr(quantizer, "num_buckets", expected) == expected


@pytest.mark.parametrize(
    ("quantizer", "num_buckets", "message"),
    [
        ("drmm", 100, "an int to the power of 3, .* such as 64, 125, 216. Got 100 instead"),
        ("drmm", 7, "an int of at least 8"),
        (DRMM(n_layers=2), 125, "100, which this quantizer always makes, or 'auto'. Got 125"),
        ("lattice", 500, "744, which this quantizer always makes, or 'auto'. Got 500"),
        ("kmeans", "many", "an int or 'auto'"),
    ],
)
def test_an_impossible_number_of_buckets_is_refused(quantizer, num_buckets, message):
    with pytest.raises(InvalidParameterError, match=message):
        with_num_buckets(get_quantizer(quantizer), num_buckets, 1000)


def test_an_unknown_name_is_refused():
    with pytest.raises(InvalidParameterError, match=r"'kmeans', 'drmm', 'lattice'\. Got 'som'"):
        get_quantizer("som")
    with pytest.raises(InvalidParameterError, match="an object with a method 'fit'"):
        get_quantizer(3)


def test_a_device_that_is_not_a_name_is_refused():
    with pytest.raises(InvalidParameterError, match=r"'device' parameter .* Got 0 instead"):
        get_quantizer("kmeans", 0)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
@pytest.mark.parametrize("quantizer", ["drmm", Lattice(epochs=4, width=32)])
def test_compare_and_compute_mauve(samples, quantizer):
    human, systems = samples
    steps = []
    comparison = mauve.compare(
        human, systems, quantizer=quantizer, n_permutations=50,
        progress=lambda *step: steps.append(step),
    )  # fmt: skip
    assert comparison.rank() == ["good", "bad"]
    assert comparison["bad"].p_value < 0.05 < comparison["good"].p_value
    assert "|fit:2of5x5|" in comparison["good"].signature  # five clusterings of what is trained
    again = mauve.compare(human, systems, quantizer=quantizer, n_permutations=0)
    assert again["bad"].mauve == comparison["bad"].mauve
    if quantizer == "drmm":
        assert comparison["good"].num_buckets == 27
        assert steps[0][0] == "training"
        assert "drmm:3x3" in comparison["good"].signature
    near, far = (
        mauve.compute_mauve(human, systems[name], quantizer=quantizer).mauve
        for name in ("good", "bad")
    )
    assert near > far


@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
def test_empty_buckets_of_a_lattice_cause_no_warning(samples):
    human, systems = samples
    comparison = mauve.compare(
        human, systems, quantizer=Lattice(epochs=1, width=16), n_permutations=0
    )
    assert not any("are empty" in message for message in comparison.warnings)


def test_reporting_leaves_kmeans_alone():
    assert reporting(KMeans(), 5, print) == KMeans()


def test_constant_features_are_a_clear_error():
    same = np.ones((100, 4))
    for quantizer in ("drmm", "lattice"):
        with pytest.raises(InvalidParameterError):
            mauve.compare(same, same, quantizer=quantizer, n_permutations=0)
