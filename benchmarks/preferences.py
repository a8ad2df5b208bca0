"""Look at a file of ratings: ties, annotators, agreement, and whether the model fits.

    python benchmarks/preferences.py pandalm.csv

Needs nothing but the package and a file of ratings with one question; takes some seconds.
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np
import scipy

from mauve.study.agreement import agreement
from mauve.study.bradley_terry import win_probability
from mauve.study.ranking import Ranking, rank
from mauve.study.rating_files import read_ratings
from mauve.study.ratings import Ratings


def print_scores(title: str, ranking: Ranking) -> None:
    """Print the scores of a ranking in the order of their names."""
    scores = "  ".join(f"{name} {ranking.score(name):.1f}" for name in sorted(ranking.systems))
    print(f"{title:28} {scores}")


def of_one(ratings: Ratings, annotator: str) -> Ranking:
    """Rank by the ratings of one annotator."""
    rows = tuple(row for row in ratings.rows if row.annotator == annotator)
    return rank(replace(ratings, rows=rows), ties="half", resample="items")


def print_fit(ranking: Ranking, n_each: float) -> None:
    """Print how far the shares of pairs are from those of the model.

    Parameters
    ----------
    ranking : Ranking
    n_each : float
        Ratings of one item, which tell as much as one rating if people agree.
    """
    won = ranking.wins
    total = won + won.T
    chance = win_probability(ranking.scores[:, None] - ranking.scores[None])
    compared = total > 0
    off = np.abs(won[compared] / total[compared] - chance[compared]).max()
    ratio = 2 * scipy.special.xlogy(won, won / np.where(compared, total * chance, 1)).sum()
    n_pairs = int(np.triu(compared).sum())
    free = n_pairs - (len(won) - 1)
    p = scipy.stats.chi2.sf(ratio / n_each, free)
    print(f"shares of {n_pairs} pairs are off by at most {100 * off:.1f} points")
    print(
        f"likelihood ratio {ratio:.2f}; over {n_each:.2f} ratings of an item {ratio / n_each:.2f}, "
        f"{free} degrees of freedom, p = {p:.2f}"
    )


def main() -> None:
    """Print scores under each treatment of ties, by annotator, and the fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ratings", help="file of ratings with one question")
    ratings = read_ratings(parser.parse_args().ratings)
    warnings.simplefilter("ignore")  # of few annotators
    for ties in ("random", "half", "davidson"):
        print_scores(f"ties {ties}", rank(ratings, ties=ties, resample="items"))
    for seed in (1, 2):
        print_scores(f"ties random, seed {seed}", rank(ratings, seed=seed, resample="items"))
    for annotator in ratings.annotators:
        print_scores(annotator, of_one(ratings, annotator))
    ranking = rank(ratings, ties="half", resample="items")
    first = of_one(ratings, ratings.annotators[0])
    for title, part in (("all annotators", ranking), (ratings.annotators[0], first)):
        width = np.ptp(part.intervals, axis=1).mean()
        print(f"mean width of the intervals, {title}: {width:.1f}")
    print_fit(ranking, len(ratings) / ranking.counts.items)
    print(agreement(ratings))


if __name__ == "__main__":
    main()
