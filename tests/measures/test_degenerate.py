"""A sample that a measure is not defined for has no value there, and ends nothing."""

import csv
import io
import json
import re
import warnings

import numpy as np
import pytest

import mauve
from mauve.measures.estimate import Estimate
from mauve.measures.protocol import Measure
from mauve.measures.registry import MEASURES

pytestmark = pytest.mark.slow

_WORDS = [f"{a}{b}" for a in ("ba", "do", "ki", "lu") for b in ("n", "r", "st", "ve")]


def _texts(n, seed, n_words=24):
    rows = np.random.default_rng(seed).choice(_WORDS, size=(n, n_words))
    return [" ".join(row) for row in rows]


DEGENERATE = {
    "one word repeated": ["the the the the the"] * 20,
    "one text": [_texts(1, 5)[0]] * 20,
    "one character": [*"abcdefghij"] * 2,
    "one character only": ["a"] * 20,
    "punctuation": ["!?.,;"] * 20,
    "numbers": [str(7919 * i) for i in range(20)],
    "nothing": [""] * 20,
    "white space": ["  \n"] * 20,
    "one text that is not empty": [""] * 19 + ["hello"],
    "two texts": _texts(2, 6) * 10,
    "emoji": ["😀😃"] * 20,
    "one long token": ["a" * 2000] * 20,
}


def _measure(human, systems, measures="all", **options):
    """Return the measurements, and the warnings about values that are undefined."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        measurements = mauve.measure(human, systems, measures, empty="keep", **options)
    assert {warning.category for warning in caught} <= {mauve.MauveWarning}
    messages = [str(warning.message) for warning in caught]
    return measurements, [message for message in messages if "undefined (--)" in message]


def _missing(measurements):
    """Return the measures that each sample lacks, human text last."""
    measures = {measure.name for measure in measurements.measures}
    lacking = {name: measures - values.keys() for name, values in measurements.items()}
    statistics = {measure.name for measure in measurements.measures if measure.is_statistic}
    return lacking | {measurements.human_name: statistics - measurements.human.keys()}


def _named(messages):
    """Return the measures that the warnings name for each sample."""
    named = {}
    for message in messages:
        measures, samples = re.match(r"(.*) of ('.*') (?:is|are) undefined", message).groups()
        for sample in re.findall("'([^']+)'", samples):
            for measure in measures.split(", "):
                assert measure not in named.setdefault(sample, set()), "one warning for each"
                named[sample].add(measure)
    return named


def _check(measurements, messages):
    lacking = {name: names for name, names in _missing(measurements).items() if names}
    assert _named(messages) == lacking
    for message in messages:
        assert len(message.partition("undefined (--). ")[2]) > 20, "there is a reason"
    numbers = [
        number
        for values in [*measurements.values(), measurements.human]
        for row in values.values()
        for number in (row.value, *row.interval, row.standard_error)
    ]
    assert np.isfinite(numbers).all()
    json.dumps(measurements.to_dict(), allow_nan=False)
    for gaps in (False, True):
        for table in (measurements.table, measurements.to_markdown, measurements.to_latex):
            assert "nan" not in table(gaps=gaps)
    assert "nan" not in measurements.to_csv()


def test_degenerate_systems_do_not_end_the_run():
    systems = {"good": _texts(20, 1), **DEGENERATE}
    measurements, messages = _measure(_texts(20, 0), systems, training=_texts(20, 2))
    _check(measurements, messages)
    absent = {"model", "prompted_log_probabilities"}
    computed = {name for name, measure in MEASURES.items() if not absent & measure.needs}
    assert measurements["good"].keys() == computed
    assert not _missing(measurements)["human"]
    assert _missing(measurements)["one word repeated"] == {"zipf", "copying-8"}
    for name in DEGENERATE:
        for measure in ("mauve", "frechet", "vendi", "discriminator", "repetition"):
            assert measure in measurements[name]


@pytest.mark.parametrize("name", ["one word repeated", "one character only", "nothing"])
def test_degenerate_human_texts_leave_what_is_defined(name):
    systems = {"good": _texts(20, 1), "same": DEGENERATE[name]}
    measurements, messages = _measure(DEGENERATE[name], systems, training=_texts(20, 2))
    _check(measurements, messages)
    assert {"zipf", "entropy-2", "self-bleu", "vendi"} <= measurements["good"].keys()


def test_all_texts_equal_leave_what_is_defined():
    same = ["It rained all day and all night."] * 20
    measurements, messages = _measure(same, same)
    _check(measurements, messages)
    missing = _missing(measurements)["model"]
    assert {"mauve", "mauve-classifier", "mmd", "precision", "discriminator"} <= missing
    assert measurements["model"]["repetition"].gap == 0
    both = "mauve, mauve-classifier of 'model' are undefined (--)"
    assert any(both in message for message in messages)


def test_an_undefined_value_is_shown_as_such_in_every_format():
    systems = {"good": _texts(20, 1), "odd": ["the the the the the"] * 20}
    measurements, (message,) = _measure(_texts(20, 0), systems, "zipf,repetition")
    assert message.startswith("zipf of 'odd' is undefined (--). The Zipf coefficient of 'odd'")
    assert message in measurements.warnings
    assert measurements.rank("zipf") == ["good"]
    table = {line.split()[0]: line.split()[1] for line in measurements.table().splitlines()[1:]}
    assert table["odd"] == "--"
    assert table["good"] != "--"
    as_dict = measurements.to_dict()
    assert as_dict["systems"][1]["measures"]["zipf"] is None
    assert as_dict["systems"][1]["measures"]["repetition"]["value"] == 1
    lines = csv.DictReader(io.StringIO(measurements.to_csv()))
    (line,) = [line for line in lines if (line["system"], line["measure"]) == ("odd", "zipf")]
    assert [line[name] for name in ("value", "low", "standard_error", "gap", "best")] == [
        *[""] * 4,
        "0",
    ]


def test_without_a_value_of_human_text_there_is_no_gap_and_no_rank():
    systems = {"good": _texts(20, 1), "other": _texts(20, 2)}
    measurements, (message,) = _measure(["the the the the the"] * 20, systems, "zipf")
    assert message.startswith("zipf of 'human' is undefined (--).")
    assert measurements["good"]["zipf"].gap is None
    assert measurements.rank("zipf") == []
    assert measurements.best("zipf") == []
    assert measurements.table(gaps=True).count("--") >= 2
    assert np.isinf(measurements.distance("good", "zipf"))


def test_one_reason_is_one_warning_for_all_systems():
    systems = {"first": _texts(20, 1), "second": _texts(20, 2)}
    _, messages = _measure(["the the the the the"] * 20, systems, "mmd,zipf")
    assert len(messages) == 2
    assert any(message.startswith("mmd of 'first', 'second' is undefined") for message in messages)


@pytest.mark.parametrize(
    ("influence", "value", "reason"),
    [(0.1, np.nan, "result is not a number"), (np.nan, 1.0, "standard error is not a number")],
)
def test_a_measure_that_is_not_a_number_is_undefined(influence, value, reason):
    own = Measure(
        name="own", title="Own", direction="lower", needs=frozenset({"texts"}),
        estimate=lambda sample, human: Estimate(value, np.full(sample.groups.count, influence)),
        is_statistic=False,
    )  # fmt: skip
    measurements, (message,) = _measure(_texts(20, 0), _texts(20, 1), [own])
    assert reason in message
    assert measurements["model"] == {}
