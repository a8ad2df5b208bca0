"""Compute the ladder of a comparison: its scores after each step that removes form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from mauve.calls import called
from mauve.comparison.buckets import PairBuckets, counted_by, joint_clustering, joint_pair
from mauve.comparison.compared import Compared
from mauve.comparison.ladder import Ladder, Rung, SystemLadder
from mauve.comparison.results import MauveResult
from mauve.comparison.scoring import Scorer
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.embed.protocol import Embedder
from mauve.embed.remembered import RememberedEmbedder
from mauve.errors import InvalidParameterError, MauveError, UndefinedError
from mauve.hashes import text_hashes
from mauve.progress import Progress
from mauve.quantize.registry import QUANTIZERS, BucketPlan, get_quantizer
from mauve.quantize.saved import SavedQuantizer
from mauve.text.form import FormReport
from mauve.text.normalize import normalize_texts
from mauve.text.steps import JOINT_STEPS, NORMALIZE_STEPS, RUNGS, Normalize, check_steps

#: Why a step has no rung.
NOT_FOUND = "no difference of form found"
APPLIED = "already applied"
NO_WORDS = "too many texts would have no word"
ALL_EQUAL = "no score is defined, as all features would be equal"


class _RungSamples(Samples):
    """Samples of a rung, whose form is not checked again."""

    @cached_property
    def forms(self) -> dict[str, FormReport]:
        """No differences of form."""
        return {}


@dataclass(frozen=True)
class _PlannedRung:
    """Texts of a rung, before they are embedded."""

    step: str
    steps: tuple[str, ...]
    samples: _RungSamples
    n_changed: dict[str, int]


def make_ladder(
    results: Mapping[str, MauveResult],
    compared: Compared,
    steps: Normalize | None = None,
    on_progress: Progress | None = None,
) -> Ladder:
    """Return the scores of all systems as given and after each step, cumulatively.

    Parameters
    ----------
    results : mapping from str to MauveResult
        Those of the comparison.
    compared : Compared
        Its samples and settings.
    steps : str or sequence of str, optional
        As for :meth:`mauve.Comparison.ladder`.
    on_progress : callable, optional
    """
    chosen = None if steps is None else _checked_steps(steps)
    samples = compared.samples
    if samples.texts is None or samples.embedder is None or samples.embedded is None:
        raise InvalidParameterError(
            f"{called()} needs texts, whose form its steps change. Got features instead: compare "
            "the texts."
        )
    settings = replace(compared.settings, n_permutations=0)
    plans = {name: _usable(plan) for name, plan in compared.plans.items()}
    texts = [text for sample in samples.texts.values() for text in sample]
    embedder = RememberedEmbedder(samples.embedder, texts, samples.embedded)
    planned, left_out = {}, {}
    done = _applied(samples.recipe)
    for names in _groups(results, settings):
        wanted = chosen if chosen is not None else _found(results, names)
        planned[names] = _plan(samples, names, wanted, done, embedder)
        rungs = {rung.step for rung in planned[names]}
        reasons = {step: NOT_FOUND for step in RUNGS if chosen is None and step not in wanted}
        reasons |= dict.fromkeys((step for step in wanted if step not in rungs), NO_WORDS)
        left_out[names] = reasons | dict.fromkeys(done, APPLIED)
    every = [rung for rungs in planned.values() for rung in rungs]
    embedder.embed(
        list(dict.fromkeys(t for r in every for s in (r.samples.texts or {}).values() for t in s)),
        on_progress,
    )
    ladders = {}
    n_done = 0
    for names, steps_of in planned.items():
        scored, scores = [], []
        for rung in steps_of:
            try:
                scores.append(_scores(rung.samples, settings, plans, names))
                scored.append(rung)
            except UndefinedError:
                left_out[names][rung.step] = ALL_EQUAL
            n_done += 1
            if on_progress is not None:
                on_progress("ladder", n_done, len(every))
        for name in names:
            ladders[name] = _system_ladder(
                results[name], samples.human_name, scored, scores, left_out[names]
            )
    return Ladder([ladders[name] for name in results])


def _checked_steps(steps: Normalize) -> list[str]:
    if steps == "all":
        return [*RUNGS]
    names = check_steps(steps, name="steps", also="'all' or ")
    return [step for step in RUNGS if step in names]


def _usable(plan: BucketPlan) -> BucketPlan:
    """Return a plan whose quantizer can be fitted, also where a comparison was loaded."""
    if not isinstance(plan.quantizer, SavedQuantizer):
        return plan
    for name in QUANTIZERS:
        if plan.quantizer.signature.startswith(name) and name in ("kmeans", "classifier"):
            made = get_quantizer(name, "cpu")
            if made.signature == plan.quantizer.signature:
                return replace(plan, quantizer=made)
    raise MauveError(
        f"{called()} needs the quantizer '{plan.quantizer.signature}', which is not in the file of "
        "a saved comparison: compare the texts again."
    )


def _groups(results: Mapping[str, MauveResult], settings: Settings) -> list[tuple[str, ...]]:
    """Return the systems whose scores depend on each other: one, or all of joint clusterings."""
    if settings.clustering == "joint":
        return [tuple(results)]
    return [(name,) for name in results]


def _found(results: Mapping[str, MauveResult], names: Sequence[str]) -> list[str]:
    """Return the steps that remove differences of form that were found."""
    forms = [results[name].form for name in names]
    found = {step for form in forms if form is not None for step in form.steps}
    return [step for step in RUNGS if step in found]


def _applied(recipe: str) -> tuple[str, ...]:
    """Return the steps that the texts of a comparison have behind them.

    Examples
    --------
    >>> _applied("limit100+space+strip+words40")
    ('space', 'ends', 'length')
    """
    parts = recipe.split("+")
    named = {"strip": "ends"} | {part: "length" for part in parts if part[5:].isdigit()}
    steps = [named.get(part, part) for part in parts if not part.startswith("limit")]
    return tuple(step for step in NORMALIZE_STEPS if step in steps)


def _plan(
    samples: Samples,
    names: Sequence[str],
    steps: Sequence[str],
    done: Sequence[str],
    embedder: Embedder,
) -> list[_PlannedRung]:
    """Return the rungs of some systems; steps that no text survives are left out."""
    shown = (samples.human_name, *names)
    given = {name: (samples.texts or {})[name] for name in shown}
    prompts = None if samples.prompts is None else {n: samples.prompts[n] for n in shown}
    again = [step for step in done if step not in JOINT_STEPS]
    rungs: list[_PlannedRung] = []
    before, so_far = given, tuple[str, ...]()
    for step in (step for step in steps if step not in done):
        added = check_steps([*so_far, step])
        try:
            texts, recipe = normalize_texts(given, added, prompts)
            if again:  # what a step leaves at the ends, for instance, is removed as before
                texts, _ = normalize_texts(texts, again)
        except InvalidParameterError:  # more than a tenth of the texts of a sample have no word
            continue
        n_changed = {
            name: sum(a != b for a, b in zip(before[name], texts[name], strict=True))
            for name in shown
        }
        rung = _RungSamples(
            texts,
            None,
            "+".join(filter(None, [samples.recipe, recipe])),
            embedder,
            np.concatenate([text_hashes(sample) for sample in texts.values()]),
            prompts,
            kept={name: rows for name, rows in samples.kept.items() if name in shown},
            n_given=samples.n_given,
            unreadable="warn",
        )
        rungs.append(_PlannedRung(step, added, rung, n_changed))
        before, so_far = texts, added
    return rungs


def _scores(
    samples: Samples, settings: Settings, plans: Mapping[str, BucketPlan], names: Sequence[str]
) -> dict[str, MauveResult]:
    """Return the scores of a rung, as a comparison of its texts has them."""
    scorer = Scorer(samples, settings)
    if settings.clustering == "joint":
        joint = joint_clustering(samples, settings, plans[names[0]], lambda _: None)
        pairs = {
            name: counted_by(joint_pair(samples, joint, plans[name].num_buckets, name), settings)
            for name in names
        }
    else:
        buckets = PairBuckets(samples, settings)
        pairs = {name: buckets.pair(name, buckets.sorted(name), plans[name]) for name in names}
    return {name: scorer.score(name, pair, plans[name], None) for name, pair in pairs.items()}


def _system_ladder(
    result: MauveResult,
    human: str,
    rungs: Sequence[_PlannedRung],
    scores: Sequence[Mapping[str, MauveResult]],
    left_out: dict[str, str],
) -> SystemLadder:
    name = result.name
    first = Rung(None, (), result.mauve, result.interval, 0, 0, result.signature)
    others = [
        Rung(
            rung.step,
            rung.steps,
            by_system[name].mauve,
            by_system[name].interval,
            rung.n_changed[human],
            rung.n_changed[name],
            by_system[name].signature,
        )
        for rung, by_system in zip(rungs, scores, strict=True)
    ]
    return SystemLadder(
        name,
        (first, *others),
        {step: left_out[step] for step in RUNGS if step in left_out},
        result.ceiling,
        result.confidence,
        result.n_human,
        result.n_model,
    )
