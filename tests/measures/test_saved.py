"""Measurements come back from JSON as they were."""

import json
import random
import warnings

import pytest

import mauve
from mauve.errors import InvalidParameterError, MauveWarning
from mauve.measures.saved import measurements_from_dict

TEXT = "the a cat dog sat ran under over green table house while nobody looked at it"
WORDS = TEXT.split()


def texts(seed, n_words=16, n=60):
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS[:n_words], k=12)) + "." for _ in range(n)]


def restored(measurements):
    return measurements_from_dict(json.loads(json.dumps(measurements.to_dict(), allow_nan=False)))


@pytest.mark.slow
def test_measures_of_texts_and_features():
    systems = {"few": texts(1, 3), "same": texts(2), "one": ["the the the the the the"] * 60}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MauveWarning)  # of what is undefined for equal texts
        measurements = mauve.measure(
            texts(0), systems, "zipf,repetition,distinct-4,self-bleu,frechet,perplexity"
        )
    again = restored(measurements)
    assert again == measurements
    assert str(again) == str(measurements)
    assert again.to_csv() == measurements.to_csv()


@pytest.mark.parametrize("content", [{}, {"measures": []}, {"measures": [{"name": 3}]}, []])
def test_other_content_is_refused(content):
    with pytest.raises(InvalidParameterError):
        measurements_from_dict(content)
