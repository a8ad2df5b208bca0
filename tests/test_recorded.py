"""Figures of fixed inputs are those that were recorded."""

import json
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "recorded"
sys.path.insert(0, str(FOLDER))  # tests are no package

from figures import RECORDED, feature_figures, text_figures  # noqa: E402

# Scores are functions of counts, so they are the same to the last bits of the arithmetic.
EXACT = 1e-12
# What the bundled model computes differs between processors in the last bits of 32.
EMBEDDED = 1e-5


def differences(recorded, computed, tolerance, where=""):
    """Yield every figure that differs."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        if recorded.keys() != computed.keys():
            yield f"{where}: {sorted(recorded.keys() ^ computed.keys())}"
        for key in recorded.keys() & computed.keys():
            yield from differences(recorded[key], computed[key], tolerance, f"{where}/{key}")
    elif isinstance(recorded, list) and isinstance(computed, list):
        if len(recorded) != len(computed):
            yield f"{where}: {len(recorded)} and {len(computed)} values"
        for i, pair in enumerate(zip(recorded, computed, strict=False)):
            yield from differences(*pair, tolerance, f"{where}/{i}")
    elif isinstance(recorded, float) and isinstance(computed, float):
        if recorded != pytest.approx(computed, rel=tolerance, abs=tolerance):
            yield f"{where}: {recorded} and {computed}"
    elif recorded != computed:
        yield f"{where}: {recorded!r} and {computed!r}"


@pytest.fixture(scope="module")
def recorded():
    return json.loads(RECORDED.read_text())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
def test_figures_of_features(recorded):
    computed = json.loads(json.dumps(feature_figures()))
    assert [*differences(recorded["features"], computed, EXACT)] == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
def test_figures_of_texts(recorded):
    computed = json.loads(json.dumps(text_figures()))
    counted = differences(recorded["texts"]["counted"], computed["counted"], EXACT)
    embedded = differences(recorded["texts"]["embedded"], computed["embedded"], EMBEDDED)
    assert [*counted, *embedded] == []


@pytest.mark.parametrize(
    ("recorded", "computed"),
    [({"a": 1.0}, {"a": 1.0 + 1e-9}), ({"a": 1}, {"b": 1}), ([1, 2], [1]), ("x", "y"), (1, None)],
)
def test_a_difference_is_seen(recorded, computed):
    assert [*differences(recorded, computed, EXACT)]
