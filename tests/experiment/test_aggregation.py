"""Means over seeds by hand, and the best setting by the direction of a measure."""

import math

from grids import MEASURES, measured, paper_grid, setting

from mauve.experiment.aggregation import OverSeeds, best_of, over_seeds
from mauve.experiment.results import GridRow
from mauve.measures.intervals import Measured

PERPLEXITY, FRECHET, MAUVE = MEASURES


def test_mean_and_deviation_are_those_of_the_paper():
    rows = paper_grid().select(model="small", decoder="nucleus:p=0.9")
    over = over_seeds(rows, PERPLEXITY, human=12.602)
    assert math.isclose(over.mean, 23.788)
    assert math.isclose(over.deviation, 0.144)
    assert math.isclose(over.gap, 23.788 - 12.602)
    assert over.n_seeds == 3


def test_one_seed_has_no_deviation():
    rows = paper_grid().select(model="small", decoder="greedy")
    assert over_seeds(rows, MAUVE) == OverSeeds(0.008, None, 0.01, 1)


def test_no_number_is_no_value():
    rows = [
        GridRow(setting(seed=seed), {"mauve": measured(value)})
        for seed, value in enumerate((0.2, math.nan, 0.4))
    ]
    over = over_seeds(rows, MAUVE)
    assert math.isclose(over.mean, 0.3)
    assert over.n_seeds == 2
    assert over_seeds(rows[1:2], MAUVE) is None
    assert over_seeds(rows, FRECHET) is None


def test_infinity_has_no_deviation_and_is_never_the_best():
    infinite = Measured(math.inf, (math.inf, math.inf), math.inf)
    rows = [GridRow(setting(seed=seed), {"perplexity": infinite}) for seed in (0, 1)]
    over = over_seeds(rows, PERPLEXITY, human=12.0)
    assert (over.mean, over.deviation, over.gap) == (math.inf, None, math.inf)
    others = [OverSeeds(value, None, 0.1, 1, gap=value - 10) for value in (14, 11)]
    assert best_of([over, *others], PERPLEXITY) == [False, False, True]


def test_the_gap_is_that_of_the_mean():
    """One seed on either side of human text: the mean of the gaps would be 1, not 0."""
    rows = [GridRow(setting(seed=s), {"perplexity": measured(v)}) for s, v in enumerate((11, 13))]
    assert over_seeds(rows, PERPLEXITY, human=12.0).gap == 0


def test_the_best_follows_the_direction():
    values = [OverSeeds(value, None, 0.1, 1, gap=abs(value - 5)) for value in (2, 4, 9)]
    assert best_of(values, PERPLEXITY) == [False, True, False]
    assert best_of(values, FRECHET) == [True, False, False]
    assert best_of(values, MAUVE) == [False, False, True]


def test_ties_are_all_best_and_one_alone_is_not():
    values = [OverSeeds(value, None, 0.1, 1) for value in (2, 2, 1)]
    assert best_of(values, MAUVE) == [True, True, False]
    assert best_of([values[0], None], MAUVE) == [False, False]
