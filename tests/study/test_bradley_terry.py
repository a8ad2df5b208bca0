"""The Bradley-Terry model: two other packages, closed forms, simulated scores, bad wins."""

import choix
import evalica
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mauve.errors import InvalidParameterError
from mauve.study.bradley_terry import SCALE, bradley_terry, win_probability
from mauve.study.connected import components


def as_games(wins):
    """Return (winner, loser) for each win."""
    rows, columns = np.nonzero(wins)
    return [
        (int(i), int(j)) for i, j in zip(rows, columns, strict=True) for _ in range(int(wins[i, j]))
    ]


def choix_scores(wins):
    scores = choix.opt_pairwise(len(wins), as_games(wins), method="Newton-CG", tol=1e-12)
    return SCALE * (scores - scores.mean())


def evalica_scores(wins):
    winners, losers = zip(*as_games(wins), strict=True)
    found = evalica.bradley_terry(
        winners, losers, [evalica.Winner.X] * len(winners), tolerance=1e-13, limit=1_000_000
    )
    log_odds = np.log(found.scores.sort_index().to_numpy())
    return SCALE * (log_odds - log_odds.mean())


def simulated(n_systems, n_each, seed, spread=0.4):
    """Return true scores, and the wins of as many ratings of each pair."""
    rng = np.random.default_rng(seed)
    scores = SCALE * spread * rng.normal(size=n_systems)
    scores -= scores.mean()
    wins = np.zeros((n_systems, n_systems))
    for i in range(n_systems):
        for j in range(i):
            wins[i, j] = rng.binomial(n_each, win_probability(scores[i] - scores[j]))
            wins[j, i] = n_each - wins[i, j]
    return scores, wins


wins_of_four = arrays(np.int64, (4, 4), elements=st.integers(0, 6)).map(
    lambda wins: (wins * (1 - np.eye(4))).astype(float)
)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_systems", [2, 9])
def test_choix_and_evalica_agree(n_systems, seed):
    _, wins = simulated(n_systems, 90, seed)
    scores = bradley_terry(wins)
    np.testing.assert_allclose(choix_scores(wins), scores, atol=1e-6 * SCALE)
    np.testing.assert_allclose(evalica_scores(wins), scores, atol=1e-6 * SCALE)


@given(wins_of_four)
def test_linked_wins_are_fitted_and_others_refused(wins):
    if len(set(components(wins > 0).tolist())) > 1:
        with pytest.raises(InvalidParameterError, match="must be linked by wins"):
            bradley_terry(wins)
        return
    scores = bradley_terry(wins)
    # The likelihood equation: every system has won as often as it was expected to.
    total, p = wins + wins.T, win_probability(scores[:, None] - scores[None])
    np.testing.assert_allclose((total * p).sum(axis=1), wins.sum(axis=1), atol=1e-7)
    assert abs(scores.mean()) < 1e-9


@given(wins_of_four, st.permutations(range(4)), st.floats(0.01, 100))
def test_order_and_unit_of_wins_do_not_matter(wins, order, unit):
    assume(len(set(components(wins > 0).tolist())) == 1)
    scores, moved = bradley_terry(wins), bradley_terry(unit * wins[np.ix_(order, order)])
    np.testing.assert_allclose(moved, scores[order], atol=1e-5)


@given(wins_of_four)
def test_swapping_winner_and_loser_turns_the_scores(wins):
    assume(len(set(components(wins > 0).tolist())) == 1)
    np.testing.assert_allclose(bradley_terry(wins.T), -bradley_terry(wins), atol=1e-5)


def test_others_return_numbers_where_no_scores_exist():
    """What the check is for: a system that never lost, and groups that never met."""
    never_lost = np.array([[0, 5, 5], [0, 0, 3], [0, 4, 0]], dtype=float)
    assert np.isfinite(choix_scores(never_lost)).all()
    found = evalica.bradley_terry(
        *zip(*as_games(never_lost), strict=True), [evalica.Winner.X] * 17, limit=100
    )
    assert found.scores.notna().all()
    with pytest.raises(InvalidParameterError) as error:
        bradley_terry(never_lost, ["human", "large", "xl"])
    assert str(error.value) == (
        "Scores must be linked by wins from every system to every other. Got 2 groups instead: "
        "human | large, xl, of which no later one ever won against an earlier one. Collect more "
        "ratings of these pairs, count ties for both systems, or leave out the systems of all "
        "groups but one."
    )


def test_groups_that_never_met_are_named():
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 1
    with pytest.raises(InvalidParameterError, match=r"a, b \| c, d, which no rating compares"):
        bradley_terry(wins, ["a", "b", "c", "d"])


def test_groups_are_numbered_from_the_top():
    beats = np.zeros((5, 5), dtype=bool)
    beats[4, 3] = beats[3, 4] = beats[3, 0] = beats[0, 2] = beats[0, 1] = beats[1, 2] = True
    assert components(beats).tolist() == [1, 2, 3, 0, 0]


def test_weak_links_are_fitted_to_the_last_digit():
    """A chain of systems with odds of 1000 to 1: the score differences are known exactly."""
    n = 30
    wins = 1000.0 * np.eye(n, k=1) + np.eye(n, k=-1)
    np.testing.assert_allclose(-np.diff(bradley_terry(wins)), SCALE * np.log(1000), rtol=1e-9)


def test_a_stack_is_fitted_as_its_parts_are():
    stack = np.stack([simulated(5, 40, seed)[1] for seed in range(4)])
    for scores, wins in zip(bradley_terry(stack), stack, strict=True):
        np.testing.assert_allclose(scores, bradley_terry(wins), atol=1e-7)


def test_scores_of_many_ratings_are_the_true_ones():
    """Twenty thousand ratings a pair: the s.d. of a score is about .5, and 4 are allowed."""
    scores, wins = simulated(9, 20_000, seed=0)
    np.testing.assert_allclose(bradley_terry(wins), scores, atol=2.0)


def test_probabilities_of_the_paper():
    human, xl, small = 47.251, 15.664, -27.518
    assert round(float(win_probability(human - xl)), 3) == 0.578
    # The paper calls it small with nucleus sampling; the number is that of pure sampling.
    assert round(float(win_probability(human - small)), 3) == 0.679
    assert win_probability([-1e6, 1e6]).tolist() == [0, 1]


@pytest.mark.parametrize(
    "wins",
    [
        np.ones((2, 3)),
        np.zeros((1, 1)),
        np.zeros((0, 3, 3)),
        [[0, np.nan], [1, 0]],
        [[0, -1], [1, 0]],
        [[1, 1], [1, 0]],
        3,
    ],
)
def test_wins_that_make_no_sense(wins):
    with pytest.raises(InvalidParameterError, match="'wins' must"):
        bradley_terry(wins)
