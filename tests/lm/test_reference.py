import pytest

from mauve.errors import InvalidParameterError
from mauve.lm.reference import split_reference


def test_passages_are_not_learnt():
    passages, training = split_reference(300)
    learnt = ["".join(tokens) for tokens in training]
    known = [p for p in passages if any("".join(p) in text for text in learnt)]
    assert len(passages) == 300
    assert known == []


def test_seed_chooses():
    assert split_reference(50, seed=1) == split_reference(50, seed=1)
    assert split_reference(50, seed=1)[0] != split_reference(50, seed=2)[0]


def test_too_many_passages():
    with pytest.raises(InvalidParameterError, match=r"must leave topics .* Got 100000 instead"):
        split_reference(100_000)
