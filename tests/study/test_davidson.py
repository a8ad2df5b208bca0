"""The Davidson model: closed form, likelihood equations, simulated scores, no ties, no maximum."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mauve.errors import InvalidParameterError
from mauve.study.bradley_terry import SCALE, bradley_terry
from mauve.study.davidson import davidson

counts = arrays(np.int64, (4, 4), elements=st.integers(0, 5))


def outcome_probabilities(scores, tie):
    """Return the probabilities of a win of the row and of a tie, as Davidson writes them."""
    strength = np.exp(np.asarray(scores) / SCALE)
    root = tie * np.sqrt(np.outer(strength, strength))
    total = strength[:, None] + strength[None] + root
    return strength[:, None] / total, root / total


def test_two_systems_have_a_closed_form():
    fit = davidson([[0, 40], [25, 0]], [[0, 12], [12, 0]])
    np.testing.assert_allclose(fit.scores[0] - fit.scores[1], SCALE * np.log(40 / 25))
    np.testing.assert_allclose(fit.tie, 12 / np.sqrt(40 * 25))


@given(counts, counts)
def test_wins_and_ties_are_as_often_as_expected(wins, ties):
    wins = (wins + 0.5) * (1 - np.eye(4))
    ties = np.triu(ties, 1) + np.triu(ties, 1).T
    assume(ties.any())
    fit = davidson(wins, ties)
    win, tie = outcome_probabilities(fit.scores, fit.tie)
    total = wins + wins.T + ties
    np.testing.assert_allclose(
        (total * (win + tie / 2)).sum(axis=1), (wins + ties / 2).sum(axis=1), atol=1e-6
    )
    np.testing.assert_allclose(np.triu(total * tie, 1).sum(), np.triu(ties, 1).sum(), atol=1e-6)


def test_without_ties_it_is_the_bradley_terry_model():
    wins = np.array([[0, 7, 3], [2, 0, 5], [4, 6, 0]])
    fit = davidson(wins, np.zeros((3, 3)))
    np.testing.assert_allclose(fit.scores, bradley_terry(wins))
    assert fit.tie == 0


def test_scores_and_ties_of_many_ratings_are_the_true_ones():
    """A hundred thousand ratings a pair: the s.d. of a score is about .3."""
    rng = np.random.default_rng(0)
    scores, n = np.array([40.0, 10.0, -20.0, -30.0]), 100_000
    win, tie = outcome_probabilities(scores, 0.4)
    wins, ties = np.zeros((4, 4)), np.zeros((4, 4))
    for i in range(4):
        for j in range(i):
            drawn = rng.multinomial(n, [win[i, j], win[j, i], tie[i, j]])
            wins[i, j], wins[j, i], ties[i, j] = drawn
    fit = davidson(wins, ties + ties.T)
    np.testing.assert_allclose(fit.scores, scores, atol=1.5)
    np.testing.assert_allclose(fit.tie, 0.4, atol=0.01)


def test_a_stack_is_fitted_as_its_parts_are():
    rng = np.random.default_rng(0)
    wins = rng.exponential(size=(3, 4, 4)) * (1 - np.eye(4))
    ties = rng.exponential(size=(3, 4, 4)) * (1 - np.eye(4))
    ties += ties.swapaxes(1, 2)
    fit = davidson(wins, ties)
    for i in range(3):
        alone = davidson(wins[i], ties[i])
        np.testing.assert_allclose(fit.scores[i], alone.scores, atol=1e-7)
        np.testing.assert_allclose(fit.tie[i], alone.tie)


def test_ties_link_systems():
    """Both systems of either group won; the groups are linked by ties alone."""
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 2
    ties = np.zeros((4, 4))
    ties[1, 2] = ties[2, 1] = 1
    np.testing.assert_allclose(davidson(wins, ties).scores, 0, atol=1e-6)


@pytest.mark.parametrize(
    ("wins", "ties", "says"),
    [
        ([[0, 5], [0, 0]], [[0, 3], [3, 0]], "needs two systems that each won"),
        ([[0, 0], [0, 0]], [[0, 3], [3, 0]], "needs two systems that each won"),
        ([[0, 5], [0, 0]], [[0, 0], [0, 0]], "linked by wins"),
        ([[0, 5], [1, 0]], [[0, 3], [2, 0]], "'ties' must be symmetric"),
        ([[0, 5], [1, 0]], [[0, 3, 0]], "'ties' must be symmetric"),
        ([[0, 5], [1, 0]], [[0, -1], [-1, 0]], "'ties' must hold"),
        ([[0, np.nan], [1, 0]], [[0, 1], [1, 0]], "'wins' must hold"),
    ],
)
def test_no_maximum_and_no_sense_are_refused(wins, ties, says):
    with pytest.raises(InvalidParameterError, match=says):
        davidson(wins, ties)


def test_a_draw_without_ties_among_others_with_ties_is_refused():
    wins = np.array([[[0, 2], [3, 0]]] * 2)
    ties = np.array([[[0, 2], [2, 0]], [[0, 0], [0, 0]]])
    with pytest.raises(InvalidParameterError, match="a tie in every draw or in none"):
        davidson(wins, ties)
