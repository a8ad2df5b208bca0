"""How often intervals of Bradley-Terry scores hold the true value, in simulated studies.

    python benchmarks/ranking_coverage.py
    python benchmarks/ranking_coverage.py --cases 2000 --design paper

Each case draws people, prompts and ratings anew, ranks the systems, and looks whether the 95%
interval of each score, and of each difference of neighbours, holds the value that endless
ratings of endless people and prompts would give. That value is not the score that went in where
people or prompts differ: chances are averaged over them first. Needs nothing but the package;
about ten minutes on one core.
"""

import argparse
import math
import time
import warnings
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from mauve.arrays import FloatArray
from mauve.study.bradley_terry import SCALE, bradley_terry, win_probability
from mauve.study.ranking import rank
from mauve.study.ratings import Rating, Ratings

#: Bradley-Terry scores of the paper, human-like (table 13), over 100.
PAPER = np.array([47.251, 15.664, 8.966, 12.553, -6.935, -3.429, -30.769, -15.783, -27.518]) / 100
WIDE = np.array([1.5, 0.5, 0.0, -0.5, -1.5])


@dataclass(frozen=True)
class Design:
    """How a study is simulated.

    Attributes
    ----------
    scores : array
        Log odds of the systems.
    n_people, n_each_pair : int
        Annotators, and ratings of each pair of systems.
    skewed : bool
        Whether a few people give most ratings, as in the paper.
    person_sd, item_sd : float
        How far people, and prompts, differ in what they make of each system, in log odds.
    several : int
        How many people rate each item.
    tie_share : float
        Share of ratings that are ties.
    ties, resample : str
        Of rank.
    """

    scores: FloatArray
    n_people: int
    n_each_pair: int
    skewed: bool = False
    person_sd: float = 0.0
    item_sd: float = 0.0
    several: int = 1
    tie_share: float = 0.0
    ties: str = "random"
    resample: str = "annotators"


DESIGNS = {
    "paper": Design(PAPER, 214, 90, skewed=True),
    "paper, people differ by .5": Design(PAPER, 214, 90, skewed=True, person_sd=0.5),
    "paper, ties 10% random": Design(PAPER, 214, 90, skewed=True, tie_share=0.1),
    "paper, ties 10% half": Design(PAPER, 214, 90, skewed=True, tie_share=0.1, ties="half"),
    "paper, ties 10% Davidson": Design(PAPER, 214, 90, skewed=True, tie_share=0.1, ties="davidson"),
    "40 people, differ by .5": Design(PAPER, 40, 90, person_sd=0.5),
    "20 people, differ by .5": Design(PAPER, 20, 90, person_sd=0.5),
    "10 people, differ by .5": Design(PAPER, 10, 90, person_sd=0.5),
    "10 people, skewed, differ by .5": Design(PAPER, 10, 90, skewed=True, person_sd=0.5),
    "5 people, differ by .5": Design(PAPER, 5, 90, person_sd=0.5),
    "few ratings: 20 a pair": Design(PAPER, 60, 20, person_sd=0.3),
    "scores far apart": Design(WIDE, 60, 40, person_sd=0.3),
    "3 people rate all, by items": Design(WIDE, 3, 99, item_sd=0.5, several=3, resample="items"),
    "prompts differ by .5, by annotators": Design(PAPER, 214, 90, item_sd=0.5, several=3),
    "prompts differ by .5, by items": Design(
        PAPER, 214, 90, item_sd=0.5, several=3, resample="items"
    ),
    "both differ by .5, by both": Design(
        PAPER, 60, 90, person_sd=0.5, item_sd=0.5, several=3, resample="both"
    ),
}  # fmt: skip


def simulate(design: Design, rng: np.random.Generator) -> Ratings:
    """Return the ratings of one study."""
    n = len(design.scores)
    names = [f"s{i}" for i in range(n)]
    # A lognormal spread of 1.2 gives the paper's shares: of 214 people about a twentieth gave
    # 50 ratings or more, and nearly half gave 10 or more.
    busy = np.exp(1.2 * rng.normal(size=design.n_people)) if design.skewed else np.ones(1)
    tastes = design.person_sd * rng.normal(size=(design.n_people, n))
    rows: list[Rating] = []
    item = 0
    for i, j in combinations(range(n), 2):
        for start in range(0, design.n_each_pair, design.several):
            texts = design.item_sd * rng.normal(size=n)
            # The largest of weights with Gumbel noise are drawn without replacement by weight.
            drawn = np.argsort(-(np.log(busy) + rng.gumbel(size=design.n_people)))
            people = drawn[: min(design.several, design.n_each_pair - start)]
            item += 1
            for person in people:
                log_odds = design.scores + tastes[person] + texts
                likely = 1 / (1 + math.exp(log_odds[j] - log_odds[i]))
                choice = 1 if rng.random() < likely else 5
                if rng.random() < design.tie_share:
                    choice = 3
                rows.append(Rating(str(item), str(person), names[i], names[j], (choice,)))
    return Ratings(tuple(rows), ("q",))


def true_scores(design: Design) -> FloatArray:
    """Return the scores that endless ratings would give, on the scale of the paper."""
    gaps = design.scores[:, None] - design.scores[None]
    # The difference of two tastes, and of two texts, is normal: average the chances over it.
    points, weights = np.polynomial.hermite_e.hermegauss(60)
    spread = np.sqrt(2 * (design.person_sd**2 + design.item_sd**2))
    chances = win_probability(SCALE * (gaps[..., None] + spread * points)) @ weights
    chances /= weights.sum()
    if design.ties != "davidson":
        chances = (1 - design.tie_share) * chances + design.tie_share / 2
    np.fill_diagonal(chances, 0)
    return bradley_terry(chances)


def covered(design: Design, n_cases: int, seed: int) -> tuple[float, float, float]:
    """Return the shares of scores and of differences covered, and the mean half width."""
    truth = true_scores(design)
    order = np.argsort(-truth)
    scores, differences, widths = [], [], []
    for case in range(n_cases):
        rng = np.random.default_rng([seed, case])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of few annotators, which some designs mean
            ranking = rank(
                simulate(design, rng),
                ties=design.ties,
                resample=design.resample,
                n_draws=400,
                seed=case,
            )
        for i in range(len(truth)):
            low, high = ranking.interval(f"s{i}")
            scores.append(low <= truth[i] <= high)
            widths.append((high - low) / 2)
        for i, j in pairwise(order):
            low, high = ranking.preferred(f"s{i}", f"s{j}").interval
            differences.append(low <= win_probability(truth[i] - truth[j]) <= high)
    return float(np.mean(scores)), float(np.mean(differences)), float(np.mean(widths))


def main() -> None:
    """Print a row for each design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=300, help="simulated studies of each design")
    parser.add_argument("--design", help="only designs that begin so")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"{arguments.cases} simulated studies of each design, 95% intervals, 400 draws")
    print(f"{'design':38} {'scores':>7} {'pairs':>7} {'± score':>8} {'s':>5}")
    for name, design in DESIGNS.items():
        if name.startswith(arguments.design or ""):
            start = time.perf_counter()
            of_scores, of_pairs, width = covered(design, arguments.cases, arguments.seed)
            seconds = time.perf_counter() - start
            print(
                f"{name:38} {of_scores:7.1%} {of_pairs:7.1%} {width:8.1f} {seconds:5.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
