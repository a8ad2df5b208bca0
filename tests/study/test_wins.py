"""From choices to wins: the paper's rules, ties, sides, weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.study.ratings import Rating, Ratings
from mauve.study.wins import TIES, preferences

SYSTEMS = ("human", "large", "xl")

rows = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from("ABC"),
        st.permutations(SYSTEMS),
        st.one_of(st.none(), st.integers(1, 5)),
    ),
    min_size=1,
    unique_by=lambda row: (row[0], row[1], frozenset(row[2][:2])),
).filter(lambda rows: any(row[3] is not None for row in rows))


def make(rows):
    return Ratings(tuple(Rating(str(i), who, a, b, (c,)) for i, who, (a, b, _), c in rows), ("q",))


def test_definitely_and_slightly_are_wins_alike():
    choices = [1, 2, 2, 4, 5]
    ratings = make([(i, "A", SYSTEMS, c) for i, c in enumerate(choices)])
    assert preferences(ratings, "q").wins("davidson").tolist() == [[0, 3], [2, 0]]


def test_ties_are_wins_of_one_of_the_two_at_random():
    """Of 400 fair coins fewer than 160 or more than 240 fall on one side once in 20,000 cases."""
    ratings = make([(i, "A", SYSTEMS, 3) for i in range(400)])
    wins = preferences(ratings, "q", seed=1).wins("random")
    assert wins.sum() == 400
    assert 160 < wins[0, 1] < 240
    assert (preferences(ratings, "q", seed=2).wins("random") != wins).any()
    assert preferences(ratings, "q").wins("half").tolist() == [[0, 200], [200, 0]]
    assert not preferences(ratings, "q").wins("davidson").any()
    assert preferences(ratings, "q").ties().tolist() == [[0, 400], [400, 0]]


@given(rows, st.randoms(use_true_random=False))
def test_order_sides_and_other_ratings_do_not_matter(rows, random):
    prefer = preferences(make(rows), "q")
    turned = [
        (i, who, (b, a, c), choice and 6 - choice)
        if random.random() < 0.5
        else (i, who, (a, b, c), choice)
        for i, who, (a, b, c), choice in rows
    ]
    random.shuffle(turned)
    again = preferences(make(turned), "q")
    for ties in TIES:
        np.testing.assert_array_equal(prefer.wins(ties), again.wins(ties))


@given(rows)
def test_every_answer_counts_once(rows):
    prefer = preferences(make(rows), "q")
    answered = sum(row[3] is not None for row in rows)
    assert len(prefer) == answered == len(rows) - prefer.n_unanswered
    assert prefer.wins("random").sum() == prefer.wins("half").sum() == answered
    assert prefer.wins("davidson").sum() + prefer.ties().sum() / 2 == answered


@given(rows)
def test_weights_are_repetitions(rows):
    prefer = preferences(make(rows), "q")
    weights = np.arange(2.0 * len(prefer)).reshape(len(prefer), 2)
    for ties in TIES:
        one_by_one = [prefer.wins(ties, np.eye(len(prefer))[:, [i]])[0] for i in range(len(prefer))]
        np.testing.assert_allclose(
            prefer.wins(ties, weights), np.tensordot(weights.T, np.array(one_by_one), 1)
        )


def test_a_coin_belongs_to_one_rating():
    """No two lists of names may share a coin because their letters do."""
    first = [Rating("1", f"1{i}", "a", "b", (3,)) for i in range(64)]
    second = [Rating("11", str(i), "a", "b", (3,)) for i in range(64)]
    coins = [preferences(Ratings(tuple(r), ("q",)), "q").coin.tolist() for r in (first, second)]
    assert coins[0] != coins[1]


def test_errors_name_the_question_the_rule_and_the_lack_of_answers():
    ratings = make([(0, "A", SYSTEMS, None)])
    with pytest.raises(InvalidParameterError, match="at least one rating that counts"):
        preferences(ratings, "q")
    with pytest.raises(InvalidParameterError, match="'fun' must be a question"):
        preferences(ratings, "fun")
    with pytest.raises(InvalidParameterError, match=r"'ties'.* must be one of 'random', 'half'"):
        preferences(make([(0, "A", SYSTEMS, 1)]), "q").wins("drop")
