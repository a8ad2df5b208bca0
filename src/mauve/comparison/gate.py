"""Check scores against those of a baseline: worse, not worse, or too few texts to tell."""

import re
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mauve.calls import parameter
from mauve.comparison.pairs import Scored, check_comparable, score_pair
from mauve.comparison.results import MauveResult
from mauve.comparison.settings import MIN_TEXTS, parse_signature
from mauve.errors import InvalidParameterError, check_share
from mauve.escape import escaped, listed
from mauve.formatting import format_interval, format_score, format_signed
from mauve.inference.intervals import texts_needed

_POWER = 0.8  # probability that the texts which are asked for are enough, if nothing got worse


class Outcome(StrEnum):
    """What a check says about one system."""

    NOT_WORSE = "not worse"
    WORSE = "worse"
    TOO_FEW = "too few texts to tell"


@dataclass(frozen=True)
class Check:
    """A score against that of the baseline.

    Attributes
    ----------
    name, baseline_name : str
    mauve : float or None
        The score; None where there are too few texts for one.
    baseline : float
        The score of the baseline.
    difference : float or None
        Score minus baseline; None where there are too few texts for buckets like the baseline's.
    interval : tuple of float, or None
        Of the difference, at the level 1 - 2 α, whose ends are the bounds of both tests.
    margin, alpha : float
        The loss that is accepted, and the level of both one-sided tests.
    outcome : Outcome
    n_texts, n_needed : int
        Texts per sample, and how many show with probability 0.8 that a system with the score of
        the baseline is not worse; without a difference, the least number that makes for one.
    """

    name: str
    baseline_name: str
    mauve: float | None
    baseline: float
    difference: float | None
    interval: tuple[float, float] | None
    margin: float
    alpha: float
    outcome: Outcome
    n_texts: int
    n_needed: int

    @property
    def message(self) -> str:
        """The outcome in one sentence.

        Examples
        --------
        >>> Check("m", "m", 0.8, 0.9, -0.1, (-0.15, -0.05), 0.02, 0.05, Outcome.WORSE, 500,
        ...       900).message
        "'m' is worse than the baseline: MAUVE 0.800 against 0.900, difference −0.100 \
(−0.150 to −0.050), margin 0.02"
        """
        said = {
            Outcome.NOT_WORSE: "is not worse than the baseline",
            Outcome.WORSE: "is worse than the baseline",
            Outcome.TOO_FEW: "has too few texts to tell whether it is worse than the baseline",
        }[self.outcome]
        if self.mauve is None or self.difference is None or self.interval is None:
            return (
                f"'{escaped(self.name)}' {said}, MAUVE {format_score(self.baseline)}: buckets like "
                f"those of the baseline are learnt from {self.n_needed:,} texts per sample or "
                f"more, not {self.n_texts:,}"
            )
        needed = ""
        if self.outcome is Outcome.TOO_FEW:
            needed = f"; about {self.n_needed:,} texts per sample are needed, not {self.n_texts:,}"
        return (
            f"'{escaped(self.name)}' {said}: MAUVE {format_score(self.mauve)} against "
            f"{format_score(self.baseline)}, difference {format_signed(self.difference)} "
            f"({format_interval(self.interval)}), margin {self.margin:g}{needed}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects for JSON."""
        return {
            "name": self.name,
            "baseline_name": self.baseline_name,
            "outcome": str(self.outcome),
            "mauve": self.mauve,
            "baseline": self.baseline,
            "difference": self.difference,
            "interval": None if self.interval is None else list(self.interval),
            "margin": self.margin,
            "alpha": self.alpha,
            "n_texts": self.n_texts,
            "n_needed": self.n_needed,
            "message": self.message,
        }


def check(
    results: Mapping[str, MauveResult],
    baseline: Mapping[str, Scored],
    *,
    margin: float = 0.02,
    alpha: float = 0.05,
) -> list[Check]:
    r"""Check the score of every system against the baseline of its name.

    Parameters
    ----------
    results : mapping from name to MauveResult
        A :class:`mauve.Comparison`.
    baseline : mapping from name to MauveResult or BaselineScore
        An earlier comparison against the same human texts with the same settings, or what
        :func:`mauve.comparison.baseline.read_baseline` returns. One system against a baseline of
        one need not have its name.
    margin : float in (0, 1)
        The loss that is accepted; below the score of the baseline.
    alpha : float in (0, 0.5)
        Level of both one-sided tests.

    Returns
    -------
    list of Check
        In the order of the systems.

    Notes
    -----
    Let Δ be the score minus the baseline, with the one-sided bounds L < U at level α each, from
    the influence of all texts; human texts and prompts that both have are paired. Then the
    outcome is

    - not worse if L > -margin: a loss of the margin or more is ruled out;
    - worse if not, and U < 0: a loss is shown, and it may be as large as the margin;
    - too few texts to tell, otherwise, and where there are too few for buckets like those of the
      baseline, so that the scores cannot be compared.

    A system with the score of the baseline is called worse in at most α of the checks, and one
    that lost the margin or more is called not worse in at most α.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(800, 4)), rng.normal(size=(800, 4)) + 0.5
    >>> before = mauve.compare(human, {"m": model}, n_permutations=0)
    >>> after = mauve.compare(human, {"m": model + 0.5}, n_permutations=0)
    >>> [str(c.outcome) for c in check(after, before)], [str(c.outcome) for c in check(
    ...     before, after)]
    (['worse'], ['not worse'])
    """
    check_share("margin", margin)
    if not check_share("alpha", alpha) < 0.5:
        raise InvalidParameterError(f"'alpha' must be below 0.5. Got {alpha!r} instead.")
    return [
        _check(result, baseline_of(name, results, baseline, margin), margin, alpha)
        for name, result in results.items()
    ]


def baseline_of(name: str, systems: Sized, baseline: Mapping[str, Scored], margin: float) -> Scored:
    """Return the score that a system is checked against, or raise.

    Raises
    ------
    InvalidParameterError
        If there is none, or it is not above the margin: no score could be worse by as much.
    """
    if name in baseline:
        against = baseline[name]
    elif len(systems) == len(baseline) == 1:
        against = next(iter(baseline.values()))
    else:
        raise InvalidParameterError(
            f"The baseline must have the score of '{escaped(name)}'. Got {listed([*baseline])} "
            f"instead: give the system one of these names, or write a new baseline."
        )
    if margin >= against.mauve:
        raise InvalidParameterError(
            f"{parameter('margin')} must be below the score of the baseline, "
            f"{format_score(against.mauve)} for '{escaped(name)}', or no loss can be as large. "
            f"Got {margin:g} instead: choose a smaller one."
        )
    return against


def too_few(
    name: str, n_texts: int, baseline: Scored, margin: float, alpha: float, mauve: float | None
) -> Check:
    """Return the check of a system with too few texts to be compared with its baseline.

    Parameters
    ----------
    name : str
    n_texts : int
    baseline : MauveResult or BaselineScore
    margin, alpha : float
    mauve : float or None
        The score of the few texts, if there is one.
    """
    n_needed = max(MIN_TEXTS, _learning(baseline)[0])
    outcome = Outcome.TOO_FEW
    numbers = (mauve, baseline.mauve, None, None, margin, alpha)
    return Check(name, baseline.name, *numbers, outcome, n_texts, n_needed)


def _learning(score: Scored) -> tuple[int, str]:
    """Return how many texts the buckets of a score are learnt from, 0 if that is no setting."""
    learnt = re.fullmatch(r"pair-(\d+)(x.*)", parse_signature(score.signature).get("fit", ""))
    return (int(learnt[1]), learnt[2]) if learnt else (0, "")


def _has_coarser_buckets(result: MauveResult, baseline: Scored) -> bool:
    """Return whether scores differ in buckets alone, which the texts are too few for."""
    ours, theirs = (parse_signature(each.signature) for each in (result, baseline))
    if any(ours.get(key) != theirs.get(key) for key in {*ours, *theirs} - {"k", "fit", "n"}):
        return False
    (learnt, how), (wanted, as_wanted) = _learning(result), _learning(baseline)
    return how == as_wanted and learnt < wanted and min(result.n_human, result.n_model) < wanted


def _check(result: MauveResult, baseline: Scored, margin: float, alpha: float) -> Check:
    if _has_coarser_buckets(result, baseline):
        n_texts = min(result.n_human, result.n_model)
        return too_few(result.name, n_texts, baseline, margin, alpha, result.mauve)
    check_comparable(result, baseline)
    pair = score_pair(result, baseline)
    if pair.not_worse_p_value(margin) < alpha:
        outcome = Outcome.NOT_WORSE
    elif pair.worse_p_value() < alpha:
        outcome = Outcome.WORSE
    else:
        outcome = Outcome.TOO_FEW
    sizes = (len(baseline.influence.model), result.n_human, result.n_model)
    low, high = pair.limits(0.6827)  # one standard error to either side
    return Check(
        result.name,
        baseline.name,
        result.mauve,
        baseline.mauve,
        pair.difference,
        pair.limits(1 - 2 * alpha),
        margin,
        alpha,
        outcome,
        min(sizes),
        texts_needed(min(sizes), (high - low) / 2, margin, power=_POWER, confidence=1 - 2 * alpha),
    )
