"""Plan the items of a study: pairs of sources, the prompts of each, and attention checks."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from mauve.errors import InvalidParameterError, warn_caller
from mauve.escape import escaped
from mauve.formatting import format_count
from mauve.study.settings import StudySettings
from mauve.study.store.samples import HUMAN, StudyTexts

_MOST_CHECKS = 50  # attention checks of a study; nobody sees one twice


class PlannedPair(NamedTuple):
    """Two sources, and the prompts whose continuations are compared.

    Attributes
    ----------
    a, b : str
        Names of the sources.
    items : list of (int, int)
        Position of a prompt, and the valid ratings that it is to have; in random order.
    """

    a: str
    b: str
    items: list[tuple[int, int]]


class AttentionCheck(NamedTuple):
    """A human continuation beside its own words in random order."""

    prompt: int
    shuffled: str


def plan_pairs(texts: StudyTexts, settings: StudySettings) -> list[PlannedPair]:
    """Return all pairs of sources in random order, each with prompts drawn without replacement.

    Notes
    -----
    As in the paper's appendix on the human evaluation, each pair draws its own prompts, and a
    prompt serves a pair only where both continuations are long enough. The share `overlap` of the
    ratings goes to items that `overlap_raters` people rate; all other items have one rating.
    Where a pair has fewer prompts than that takes, its ratings are spread evenly over them.

    Examples
    --------
    >>> from mauve.study.store.samples import Continuation
    >>> continuations = {
    ...     name: dict.fromkeys(range(9), Continuation(f"It rained, said {name}.", 5))
    ...     for name in ("human", "a", "b")
    ... }
    >>> texts = StudyTexts(["Once"] * 9, continuations, {})
    >>> plan = plan_pairs(texts, StudySettings(ratings_per_pair=6, overlap=0.5))
    >>> len(plan), sorted(n_ratings for _, n_ratings in plan[0].items)
    (3, [1, 1, 1, 3])
    """
    planned = []
    few: list[str] = []
    same: list[str] = []
    for place, (a, b) in enumerate(combinations(texts.continuations, 2)):
        prompts = sorted(texts.continuations[a].keys() & texts.continuations[b].keys())
        if not prompts:
            raise InvalidParameterError(
                f"'{escaped(a)}' and '{escaped(b)}' share no prompt for which both texts have at "
                f"least {settings.min_tokens} tokens: use longer texts, or allow shorter ones."
            )
        rng = np.random.default_rng([settings.seed, 1, place])
        targets = _planned_targets(settings)
        if len(targets) > len(prompts):
            few.append(f"{a} and {b}")
            targets = _even_targets(len(prompts), settings.ratings_per_pair)
        drawn = rng.choice(prompts, len(targets), replace=False).tolist()
        order = rng.permutation(len(targets))
        n_same = sum(_are_same(texts, a, b, prompt) for prompt in drawn)
        if n_same:
            same.append(f"{n_same} of the {len(drawn)} texts of {a} and {b}")
        planned.append(PlannedPair(a, b, [(drawn[i], targets[i]) for i in order]))
    _warn_of_few_prompts(few, settings)
    _warn_of_same_texts(same)
    order = np.random.default_rng([settings.seed, 2]).permutation(len(planned))
    return [planned[i] for i in order]


def _planned_targets(settings: StudySettings) -> list[int]:
    """Return the ratings that each item of a pair is to have, with prompts enough."""
    n_ratings, n_raters = settings.ratings_per_pair, settings.overlap_raters
    n_overlap = min(round(settings.overlap * n_ratings / n_raters), n_ratings // n_raters)
    return [n_raters] * n_overlap + [1] * (n_ratings - n_overlap * n_raters)


def _even_targets(n_prompts: int, n_ratings: int) -> list[int]:
    return [n_ratings // n_prompts + (i < n_ratings % n_prompts) for i in range(n_prompts)]


def _warn_of_few_prompts(pairs: Sequence[str], settings: StudySettings) -> None:
    if pairs:
        warn_caller(
            f"{len(pairs)} of the pairs, such as {escaped(pairs[0])}, have fewer prompts than "
            f"{settings.ratings_per_pair} ratings take: more people than planned rate the same "
            "items."
        )


def _are_same(texts: StudyTexts, a: str, b: str, prompt: int) -> bool:
    one, other = (texts.continuations[name][prompt].text.strip() for name in (a, b))
    return one == other


def _warn_of_same_texts(pairs: Sequence[str]) -> None:
    if pairs:
        others = f", and some of {format_count(len(pairs) - 1, 'other pair')}" if pairs[1:] else ""
        warn_caller(
            f"{escaped(pairs[0])}{others} are the same, so that people can only call them a tie: "
            "check that no sample was given twice."
        )


def plan_checks(texts: StudyTexts, settings: StudySettings) -> list[AttentionCheck]:
    """Return the attention checks of a study: human texts beside their shuffled words.

    Examples
    --------
    >>> from mauve.study.store.samples import Continuation
    >>> human = {0: Continuation("It rained all day and we stayed at home.", 10)}
    >>> texts = StudyTexts(["We had a plan."], {"human": human, "a": human}, {})
    >>> check, = plan_checks(texts, StudySettings())
    >>> sorted(check.shuffled.split()) == sorted(human[0].text.split())
    True
    """
    if not settings.attention_every:
        return []
    rng = np.random.default_rng([settings.seed, 3])
    checks = []
    for prompt in rng.permutation([*texts.continuations[HUMAN]])[:_MOST_CHECKS].tolist():
        words = texts.continuations[HUMAN][prompt].text.split()
        shuffled = [words[i] for i in rng.permutation(len(words))]
        if shuffled != words:
            checks.append(AttentionCheck(prompt, " ".join(shuffled)))
    return checks
