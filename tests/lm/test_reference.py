"""Passages and training texts of the language reference do not overlap."""

from pydoc_data.topics import topics

import pytest

from mauve.errors import InvalidParameterError
from mauve.lm.reference import split_reference


def test_passages_are_not_in_the_training_texts():
    reference = split_reference(300)
    training = ["".join(tokens) for tokens in reference.training]
    known = [p for p in reference.passages if any("".join(p) in text for text in training)]
    assert len(reference.passages) == 300
    assert known == []


def test_every_passage_is_from_the_topic_it_names():
    reference = split_reference(300)
    by_heading = {text.split("\n")[0]: text for text in topics.values()}
    assert len(reference.topics) == 300
    for passage, topic in zip(reference.passages, reference.topics, strict=True):
        assert "".join(passage) in by_heading[topic]


def test_seed_selects_the_passages():
    assert split_reference(50, seed=1) == split_reference(50, seed=1)
    assert split_reference(50, seed=1).passages != split_reference(50, seed=2).passages


def test_too_many_passages():
    with pytest.raises(InvalidParameterError, match=r"must leave topics .* Got 100000 instead"):
        split_reference(100_000)
