"""Quantizers by name, their number of buckets, and their use in comparisons."""

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.quantize.drmm import DRMM
from mauve.quantize.kmeans import KMeans
from mauve.quantize.lattice import Lattice
from mauve.quantize.registry import get_quantizer, plan_buckets, reporting, with_num_buckets


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
        ("kmeans", "auto", 200, 25),
        ("kmeans", "auto", 100_000, 25),
        ("kmeans", "auto", 199, 12),
        ("kmeans", "auto", 50, 6),
        ("kmeans", "auto", 10, 2),
        ("kmeans", "n/10", 1000, 100),
        ("kmeans", "n/10", 100_000, 500),
        ("kmeans", 30, 1000, 30),
        ("classifier", "auto", 200, 10),
        ("classifier", "auto", 199, 5),
        ("classifier", "auto", 5000, 10),
        ("drmm", "auto", 100, 8),
        ("drmm", "auto", 1000, 27),
        ("drmm", "auto", 100_000, 27),
        ("drmm", "n/10", 1000, 125),
        ("drmm", "n/10", 5000, 512),
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
        ("kmeans", "many", "an int, 'auto' or 'n/10'"),
    ],
)
def test_an_impossible_number_of_buckets_is_refused(quantizer, num_buckets, message):
    with pytest.raises(InvalidParameterError, match=message):
        with_num_buckets(get_quantizer(quantizer), num_buckets, 1000)


@pytest.mark.parametrize(
    ("spec", "num_buckets", "n", "learnt", "needed"),
    [
        ("kmeans", "auto", 200, 200, 200),
        ("kmeans", "auto", 100_000, 200, 200),
        ("kmeans", "auto", 199, 96, 200),
        ("kmeans", "auto", 15, 14, 200),  # at most half of each sample, which is an even number
        ("kmeans", "n/10", 1000, 800, 800),
        ("kmeans", 10, 1000, 80, 80),
        ("kmeans", 30, 101, 100, 240),
        ("classifier", "auto", 200, 200, 200),
        ("classifier", "auto", 5000, 200, 200),
        ("classifier", "auto", 150, 100, 200),
        ("drmm", "auto", 1000, 216, 216),
        (DRMM(n_layers=2, n_components=2), "auto", 1000, 64, 64),  # a whole batch
        (DRMM(n_layers=2, n_components=2, patience=2), "auto", 1000, 74, 74),
        ("lattice", "auto", 1000, 1000, 5952),
    ],
)
def test_number_of_texts_that_are_learnt_from(spec, num_buckets, n, learnt, needed):
    plan = plan_buckets(get_quantizer(spec), num_buckets, n, n_clusterings=7)
    assert (plan.n_learning, plan.n_needed, plan.n_clusterings) == (learnt, needed, 7)


def test_a_number_of_texts_to_learn_from_is_taken_as_it_is():
    plan = plan_buckets(KMeans(), "auto", 1000, n_clusterings=7, n_learning=500)
    assert (plan.num_buckets, plan.n_learning, plan.n_needed) == (25, 500, 500)


@pytest.mark.parametrize("n_learning", [24, 1002, 301])
def test_an_impossible_number_of_texts_to_learn_from_is_refused(n_learning):
    with pytest.raises(InvalidParameterError, match=r"in \[25, 1000\]|even"):
        plan_buckets(KMeans(), "auto", 1000, n_clusterings=7, n_learning=n_learning)


@pytest.mark.parametrize("patience", [None, 2])
def test_a_drmm_can_be_learnt_from_as_few_texts_as_it_says(patience):
    quantizer = DRMM(n_layers=2, n_components=2, epochs=1, patience=patience)
    features = np.random.default_rng(0).normal(size=(quantizer.least_texts, 3))
    quantizer.fit(features.astype(np.float32), 4, np.random.default_rng(0))


def test_an_unknown_name_is_refused():
    with pytest.raises(
        InvalidParameterError, match=r"'kmeans', 'classifier', 'drmm', 'lattice'\. Got 'som'"
    ):
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
    # Five clusterings of what is trained, from half of the texts.
    assert "|fit:pair-200x5|" in comparison["good"].signature
    joint = mauve.compare(human, systems, quantizer=quantizer, clustering="joint", n_permutations=0)
    assert "|fit:2of5x5|" in joint["good"].signature
    assert joint.rank() == ["good", "bad"]
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
