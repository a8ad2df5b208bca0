"""Ranking: hand-computed scores, intervals, what counts, tables, and what is refused."""

import json

import numpy as np
import pytest

from mauve.errors import InvalidParameterError, MauveWarning
from mauve.study.bootstrap import RESAMPLE, bootstrap_draws, intervals
from mauve.study.bradley_terry import SCALE, win_probability
from mauve.study.ranking import Ranking, rank
from mauve.study.rating_counts import counts_sentence
from mauve.study.ratings import Rating, Ratings
from mauve.study.wins import preferences

TRUE = {"human": 60.0, "large": 10.0, "small": -70.0}


def simulated(n_annotators=40, n_each=9, seed=0, **other):
    """Return ratings of three systems whose scores are known."""
    rng = np.random.default_rng(seed)
    rows, names = [], sorted(TRUE)
    for annotator in range(n_annotators):
        for i in range(n_each):
            a, b = rng.permutation(names)[:2]
            p = win_probability(TRUE[a] - TRUE[b])
            choice = int(rng.choice([1, 2] if rng.random() < p else [4, 5]))
            choice = 3 if rng.random() < 0.1 else choice
            item = f"{annotator}-{i}"
            rows.append(Rating(item, f"person {annotator}", a, b, (choice,), **other))
    return Ratings(tuple(rows), ("better",))


@pytest.fixture(scope="module")
def ranking():
    return rank(simulated())


def test_two_systems_by_hand():
    """Thirty wins to ten are odds of 3; the paper's scores are 100 times half their log."""
    rows = [Rating(str(i), f"p{i % 20}", "a", "b", (1 if i < 30 else 5,)) for i in range(40)]
    ranking = rank(Ratings(tuple(rows), ("q",)))
    assert ranking.systems == ("a", "b")
    np.testing.assert_allclose(ranking.scores, [50 * np.log(3), -50 * np.log(3)])
    assert ranking.preferred("a", "b").probability == pytest.approx(0.75)
    assert ranking.preferred("b", "a").probability == pytest.approx(0.25)
    assert ranking.wins.tolist() == [[0, 30], [10, 0]]


def test_the_true_order_is_found_and_sure(ranking):
    assert ranking.systems == ("human", "large", "small")
    assert [ranking.ranks(name) for name in ranking.systems] == [(1, 1), (2, 2), (3, 3)]
    assert ranking.preferred("human", "small").certainty == 1


@pytest.mark.parametrize("ties", ["random", "half", "davidson"])
def test_all_treatments_of_ties_find_the_scores(ties):
    """The s.d. of a difference is about 8 at 3,600 ratings; four of them are allowed."""
    ranking = rank(simulated(400), ties=ties, n_draws=100)
    gap = ranking.score("human") - ranking.score("small")
    # A coin for a tenth of the ratings draws the scores together; other treatments less so.
    expected = {"random": 112, "half": 112, "davidson": 130}[ties]
    assert abs(gap - expected) < 32
    assert (ranking.tie_parameter is not None) == (ties == "davidson")


def test_intervals_have_the_width_of_theory():
    """One pair, n ratings by as many people: the s.d. of a log odds is 1 / sqrt(n p (1 - p))."""
    n, wins = 400, 280
    rows = [Rating(str(i), str(i), "a", "b", (1 if i < wins else 5,)) for i in range(n)]
    ranking = rank(Ratings(tuple(rows), ("q",)), n_draws=4000)
    low, high = ranking.interval("a")
    width = 2 * 1.96 * SCALE / 2 / np.sqrt(n * 0.7 * 0.3)
    assert (high - low) / width == pytest.approx(1, abs=0.05)  # 2 s.d. of a quantile's width


def test_ratings_of_one_person_are_not_independent():
    """Forty people of ten equal ratings each tell no more than forty ratings."""
    rows = [
        Rating(f"{person}-{i}", str(person), "a", "b", (1 if person < 28 else 5,))
        for person in range(40)
        for i in range(10)
    ]
    many = rank(Ratings(tuple(rows), ("q",)))
    few = rank(Ratings(tuple(rows[::10]), ("q",)))
    by_item = rank(Ratings(tuple(rows), ("q",)), resample="items")
    np.testing.assert_allclose(many.intervals, few.intervals)
    assert np.ptp(many.interval("a")) > 2.5 * np.ptp(by_item.interval("a"))


def test_what_does_not_count_is_counted():
    rows = [*simulated(4).rows]
    rows[0] = Rating("x", "person 0", "human", "large", (1,), valid=False, wall_seconds=90)
    rows[1] = Rating("x", "person 0", "human", "large", (1,), repeat=True, wall_seconds=90)
    rows[2] = Rating("y", "person 0", "human", "large", (1,), wall_seconds=25)
    rows[3] = Rating("z", "person 0", "human", "large", (None,), wall_seconds=90)
    timed = [Rating(**(vars(r) | {"wall_seconds": r.wall_seconds or 26})) for r in rows]
    with pytest.warns(MauveWarning, match="rest on 4 annotators"):
        ranking = rank(Ratings(tuple(timed), ("q",)), longer_than=25)
    counts = ranking.counts
    assert (counts.invalid, counts.repeats, counts.fast, counts.unanswered) == (1, 1, 1, 1)
    assert counts.counted == len(timed) - 4
    assert ranking.wins.sum() == counts.counted
    sentence = counts_sentence(counts, 25)
    assert "left out: 1 invalid by the rules of the study, 1 repeat, 1 that took 25 sec" in sentence


def test_ties_alone_have_intervals_of_no_width_which_is_said():
    rows = [Rating(str(i), f"person {i % 12}", "a", "b", (3,)) for i in range(60)]
    with pytest.warns(MauveWarning, match=r"no width.*\(60 of 60 ratings are ties\)"):
        ranking = rank(Ratings(tuple(rows), ("q",)), ties="half")
    assert np.ptp(ranking.intervals) == 0
    assert not rank(Ratings(tuple(rows), ("q",))).warnings  # wins of one of them, at random


def test_the_seed_decides_all_that_is_random(ranking):
    assert rank(simulated()) == ranking
    assert rank(simulated(), seed=1) != ranking


def test_order_of_the_ratings_does_not_move_the_scores(ranking):
    turned = Ratings(simulated().rows[::-1], ("better",))
    np.testing.assert_allclose(rank(turned).scores, ranking.scores, atol=1e-6)


def test_json_has_every_pair_and_no_nan(ranking):
    parsed = json.loads(json.dumps(ranking.to_dict(), allow_nan=False))
    assert len(parsed["pairs"]) == 3
    assert [entry["name"] for entry in parsed["systems"]] == [*ranking.systems]
    for pair in parsed["pairs"]:
        low, high = pair["interval"]
        assert low < pair["probability"] < high


def test_tables(ranking):
    assert ranking.table().splitlines()[0].split() == [
        "system",
        "score",
        "95%",
        "interval",
        "rank",
        "compared",
    ]
    assert ranking.to_markdown().count("\n") == 4
    assert r"\toprule" in ranking.to_latex()
    assert str(ranking) == ranking.table()


def test_plot_has_a_row_for_each_system(ranking):
    ax = ranking.plot()
    assert [text.get_text() for text in ax.texts[::2]] == [*ranking.systems]
    assert ranking.plot(ax) is ax


def test_a_system_has_one_colour_whatever_its_rank(ranking):
    turned = Ranking(**(vars(ranking) | {"systems": ranking.systems[::-1]}))
    dots = [line.get_color() for line in ranking.plot().lines if line.get_marker() != "None"]
    turned_dots = [line.get_color() for line in turned.plot().lines if line.get_marker() != "None"]
    assert dots == turned_dots[::-1]
    assert len(set(dots)) == 3


def test_leaving_out_a_system_that_never_lost():
    rows = [Rating(str(i), str(i % 12), "best", f"s{i % 2}", (1,)) for i in range(24)]
    rows += [Rating(f"x{i}", str(i % 12), "s0", "s1", (1 + 4 * (i % 2),)) for i in range(24)]
    ratings = Ratings(tuple(rows), ("q",))
    with pytest.raises(InvalidParameterError, match=r"2 groups instead: best \| s0, s1"):
        rank(ratings)
    assert set(rank(ratings, leave_out=["best"]).systems) == {"s0", "s1"}


@pytest.mark.parametrize("resample", RESAMPLE)
def test_draws_link_systems_that_one_win_links(resample):
    """An ordinary bootstrap would drop the one annotator who saw the win in a third of draws."""
    rows = [Rating(str(i), str(i % 12), "a", "b", (1,)) for i in range(36)]
    rows.append(Rating("lonely", "12", "a", "b", (5,)))
    draws = rank(Ratings(tuple(rows), ("q",)), resample=resample).draws
    assert np.isfinite(draws).all()


def test_both_adds_what_annotators_and_items_tell_apart():
    """The variance of a mean over n annotators and m items that all rate is the sum of both."""
    rng = np.random.default_rng(0)
    n_people, n_items = 40, 30
    taste, quality = rng.normal(size=n_people), rng.normal(size=n_items)
    rows = [
        Rating(str(item), str(person), "a", "b", (1 if taste[person] + quality[item] > 0 else 5,))
        for person in range(n_people)
        for item in range(n_items)
    ]
    prefer = preferences(Ratings(tuple(rows), ("better",)), "better")

    def share(weights):  # of wins, which is a mean
        wins = prefer.wins("half", weights)
        return wins[..., 0, 1, None] / (wins[..., 0, 1, None] + wins[..., 1, 0, None])

    variance = {
        kind: bootstrap_draws(prefer, share, resample=kind, n_draws=4000, seed=0).var()
        for kind in RESAMPLE
    }
    table = (taste[:, None] + quality[None] > 0).astype(float)
    for kind, axis in (("annotators", 1), ("items", 0)):
        means = table.mean(axis=axis)
        assert variance[kind] == pytest.approx(means.var(ddof=1) / len(means), rel=0.12)
    single = table.var() / table.size
    expected = variance["annotators"] + variance["items"] - single
    assert variance["both"] == pytest.approx(expected, rel=0.12)  # 4,000 draws: s.d. .02, thrice


def test_both_is_either_where_no_item_is_rated_twice():
    ratings = simulated()
    both, annotators = (rank(ratings, resample=kind, n_draws=4000) for kind in RESAMPLE[::-2])
    np.testing.assert_allclose(both.draws.std(axis=0), annotators.draws.std(axis=0), rtol=0.1)


def test_intervals_of_few_clusters_have_the_quantile_of_student():
    draws = np.linspace(-1, 1, 2001)[:, None]
    few = intervals(np.zeros(1), draws, confidence=0.9, n_clusters=3)
    many = intervals(np.zeros(1), draws, confidence=0.9, n_clusters=100_000)
    assert few[0, 1] / many[0, 1] == pytest.approx(2.920 / 1.645, rel=1e-3)  # from tables


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"ties": "coin"}, "'ties'"),
        ({"resample": "ratings"}, "'resample'"),
        ({"n_draws": 10}, "'n_draws'"),
        ({"confidence": 1.0}, "'confidence'"),
        ({"seed": -1}, "'seed'"),
        ({"question": "fun"}, "'fun' must be a question"),
        ({"leave_out": ["gpt"]}, "'gpt' must be a system"),
        ({"longer_than": 25}, "must have the seconds"),
    ],
)
def test_bad_options(options, says):
    with pytest.raises(InvalidParameterError, match=says):
        rank(simulated(12), **options)


def test_one_annotator_and_several_questions():
    rows = [Rating(str(i), "ann", "a", "b", (1 + 4 * (i % 2), 3)) for i in range(12)]
    with pytest.raises(InvalidParameterError, match=r"at least two annotators.*resample='items'"):
        rank(Ratings(tuple(rows), ("one", "two")), "one")
    with pytest.raises(InvalidParameterError, match=r"'question'.* one of one, two"):
        rank(Ratings(tuple(rows), ("one", "two")))


def test_unknown_systems_are_named(ranking):
    with pytest.raises(InvalidParameterError, match="one of human, large, small"):
        ranking.score("gpt")
    with pytest.raises(InvalidParameterError, match="another system than the first"):
        ranking.preferred("human", "human")


@pytest.mark.slow
def test_intervals_cover_known_scores():
    """Of 200 studies, 95% intervals of a difference hold it in 187 to 199 in 98 of 100 runs."""
    odds = np.exp((TRUE["human"] - TRUE["small"]) / SCALE)
    expected = 0.9 * odds / (1 + odds) + 0.05  # a tenth are ties, of which each gets half
    held = 0
    for seed in range(200):
        ranking = rank(simulated(30, seed=1000 + seed).without(["large"]), n_draws=200, seed=seed)
        low, high = ranking.preferred("human", "small").interval
        held += low <= expected <= high
    assert 187 <= held <= 199


def test_a_few_busy_people_widen_the_intervals():
    """Of 100 ratings, one person gives 51: they tell as much as those of about four people."""
    busy = [0] * 51 + [*range(1, 50)]
    rows = [Rating(str(i), f"p{who}", "a", "b", (1 + 4 * (i % 2),)) for i, who in enumerate(busy)]
    ranking = rank(Ratings(tuple(rows), ("q",)))
    assert ranking.n_clusters == 50
    assert ranking.effective_clusters == pytest.approx(100**2 / (51**2 + 49))
