"""Warn where a score may be unreliable."""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from mauve.arrays import IntArray
from mauve.calls import has_option, option
from mauve.comparison.results import MauveResult
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.embed.reading import WARN_SHARE
from mauve.formatting import format_list, format_score, p_value_phrase
from mauve.quantize.protocol import Quantizer, fixed_num_buckets
from mauve.quantize.registry import BucketPlan
from mauve.text.form_properties import CONTENT_KEYS
from mauve.text.words import word_counts

_CLEAR = 0.01  # p-values below leave little doubt
_REACHES_ONE = 1 - 5e-4  # what is printed as 1.000
FEW_TEXTS = 100  # below this an interval is too wide to be of use
_COUNTED_PER_BUCKET = 3  # of both samples; with fewer, most buckets hold texts of one sample
_LISTED = 4  # samples that a warning names; more would hide what it says


class SampleWarning(NamedTuple):
    """A warning about several samples of a comparison, in one sentence, and their names."""

    message: str
    names: frozenset[str]


def sample_warnings(samples: Samples) -> tuple[SampleWarning, ...]:
    """Return the warnings that several samples may share: truncated texts, and few texts."""
    truncated = {name: n for name in samples.sizes if (n := samples.n_truncated(name))}
    few = {name: n for name, n in samples.sizes.items() if n < FEW_TEXTS}
    found = []
    if truncated:
        found.append(SampleWarning(_truncation(samples, truncated), frozenset(truncated)))
    if few:
        found.append(SampleWarning(_few_texts(few), frozenset(few)))
    return tuple(found)


def system_warnings(
    samples: Samples, system: str, num_buckets: int, about_samples: Sequence[SampleWarning]
) -> tuple[str, ...]:
    """Return the warnings about one system and the human sample.

    Parameters
    ----------
    samples : Samples
    system : str
    num_buckets : int
        Number of buckets k.
    about_samples : sequence of SampleWarning
        Result of :func:`sample_warnings`.
    """
    human, k = samples.human_name, num_buckets
    n_p, n_q = samples.sizes[human], samples.sizes[system]
    messages = [*samples.reading_warnings[human], *samples.reading_warnings[system]]
    messages += form_warnings(samples, system)
    messages += [about.message for about in about_samples if about.names & {human, system}]
    if min(n_p, n_q) < 5 * k:
        messages.append(
            f"{min(n_p, n_q)} texts are few for {k} buckets: with fewer than five texts per bucket "
            f"the score is noisy. Use more texts{_or_fewer_buckets()}."
        )
    if max(n_p, n_q) > 10 * min(n_p, n_q):
        messages.append(
            f"'{human}' has {n_p} texts and '{system}' {n_q}: the smaller sample limits the "
            "precision."
        )
    return tuple(messages)


def form_warnings(samples: Samples, system: str) -> list[str]:
    """Return the differences of form; that of languages unless it is said what cannot be read.

    Of habits that one step of normalisation removes, the one that tells the samples apart best is
    named. Those that no step removes may be content, and are in the form of the result alone.
    """
    form = samples.forms.get(system)
    if form is None:
        return []
    is_said = any(samples.readings.warns_of_languages(n) for n in (samples.human_name, system))
    said = ("language", "script") if is_said else ()
    habits = [f for f in form.findings if f.step and f.kind != "prompt"]
    by_step = {
        step: found for step in form.steps if (found := [f for f in habits if f.step == step])
    }
    messages = [
        finding.message
        for finding in form.findings
        if finding not in habits and finding.kind not in (*said, *CONTENT_KEYS)
    ]
    if len(by_step) == 1:
        messages.append(habits[0].message)
    elif by_step:
        listed = "; ".join(found[0].summary for found in by_step.values())
        remedy = ""
        if has_option("normalize"):
            remedy = f" See what is left with {option('normalize', ','.join(by_step))}."
        messages.append(
            f"The form of '{system}' differs from that of human texts, which changes the score "
            f"whatever they are about: {listed}.{remedy}"
        )
    return messages


def _n_mostly_unread(samples: Samples, name: str) -> int:
    """Return how many texts of a sample the embedder surely reads less than half of."""
    reading = samples.readings.reading
    if samples.texts is None or samples.embedded is None or reading is None:
        return 0
    if reading.max_tokens is None:
        return 0
    cut = np.flatnonzero(samples.embedded.truncated[samples.slice_of(name)])
    n_words = word_counts([samples.texts[name][i] for i in cut])
    return int((n_words > 2 * reading.max_tokens).sum())  # a word has at least one token


def _truncation(samples: Samples, truncated: Mapping[str, int]) -> str:
    """Return a warning that texts are truncated, with a remedy if most of many is not read."""
    sizes = samples.sizes
    shares = [f"{n} of the {sizes[name]} texts of '{name}'" for name, n in truncated.items()]
    message = (
        f"{_enumerated(shares)} are longer than the embedder reads: only their beginnings count"
    )
    mostly = {name: _n_mostly_unread(samples, name) for name in truncated}
    many = [f"{n} of '{name}'" for name, n in mostly.items() if n >= WARN_SHARE * sizes[name]]
    if not many:
        return f"{message}."
    return (
        f"{message}, and of {_enumerated(many)} less than half. Compare shorter passages, or use "
        "an embedder that reads more."
    )


def _few_texts(few: Mapping[str, int]) -> str:
    """Return a warning that samples are small.

    Examples
    --------
    >>> print(_few_texts({"human": 60, "model": 80}))
    'human' has 60 texts and 'model' has 80 texts: below 100 the interval is wide and its level \
only approximate.
    """
    sizes = _enumerated([f"'{name}' has {n} texts" for name, n in few.items()])
    return f"{sizes}: below {FEW_TEXTS} the interval is wide and its level only approximate."


def _enumerated(items: Sequence[str]) -> str:
    """Return the first of many items in one phrase, and the number of the others."""
    if len(items) <= _LISTED:
        return format_list(items)
    return format_list([*items[:_LISTED], f"the like of {len(items) - _LISTED} other samples"])


def empty_bucket_warnings(counts: IntArray) -> tuple[str, ...]:
    """Return a warning if many buckets hold no text of any sample.

    Parameters
    ----------
    counts : array of int, shape (n_clusterings, k)
        Of the texts of all samples.

    Examples
    --------
    >>> import numpy as np
    >>> empty_bucket_warnings(np.array([[20, 30]]))
    ()
    """
    num_buckets = counts.shape[1]
    n_empty = int((counts == 0).sum(axis=1).max())
    if n_empty <= num_buckets / 10:
        return ()
    return (
        f"Up to {n_empty} of {num_buckets} buckets are empty: the features have few distinct "
        f"values. Check for duplicate texts{_or_fewer_buckets()}.",
    )


def bucket_warnings(
    system: str,
    counts: IntArray,
    n_texts: int,
    share_counted: float,
    plan: BucketPlan,
    settings: Settings,
) -> tuple[str, ...]:
    """Return warnings about the buckets of one system: learnt from too few texts, or empty.

    Parameters
    ----------
    system : str
    counts : array of int, shape (n_clusterings, k)
        Of all texts of both samples.
    n_texts : int
        Texts of the smaller sample.
    share_counted : float
        Share of the texts that a clustering counts.
    plan : BucketPlan
    settings : Settings
    """
    if ((counts > 0).sum(axis=1) == 1).all():
        return (
            f"All human texts and all texts of '{system}' are in one bucket, so the score "
            "says nothing about them: check that the texts are not all equal, and the "
            "embedder.",
        )
    warnings: tuple[str, ...] = ()
    if settings.clustering == "pair" and n_texts < plan.n_needed:
        warnings += (
            f"There are only {n_texts} texts of a sample: {plan.num_buckets} buckets are learnt "
            f"from {plan.n_learning} texts, and the score is comparable only with others of such "
            f"buckets. From {plan.n_needed} texts of each sample on, scores of any number of "
            "texts are comparable.",
        )
    if is_too_sparse(share_counted * float(counts[0].sum()), plan):
        n_needed = ceil(_COUNTED_PER_BUCKET * plan.num_buckets / max(share_counted, 1e-9))
        warnings += (
            f"The interval of '{system}' is withheld, [0, 1]: its {plan.num_buckets} buckets hold "
            f"fewer than {_COUNTED_PER_BUCKET} counted texts each, and most of what the score "
            f"varies by is not seen in one sample. Use another {option('quantizer')}, or about "
            f"{n_needed} texts in both samples together; the test of P = Q is valid.",
        )
    if fixed_num_buckets(plan.quantizer) is None and isinstance(plan.quantizer, Quantizer):
        # A fixed number of buckets may well leave some empty.
        warnings += empty_bucket_warnings(counts)
    return warnings


def is_too_sparse(n_counted: float, plan: BucketPlan) -> bool:
    """Return whether buckets of a fixed number hold too few counted texts for an interval.

    Where `num_buckets` can be chosen, their number follows that of the texts.

    Parameters
    ----------
    n_counted : float
        Texts that a clustering counts, of both samples together.
    plan : BucketPlan
    """
    if fixed_num_buckets(plan.quantizer) is None:
        return False
    return n_counted < _COUNTED_PER_BUCKET * plan.num_buckets


def contradiction_warnings(result: MauveResult) -> tuple[str, ...]:
    """Return a warning if the test rejects P = Q and the interval of the score reaches 1."""
    p_value, high = result.p_value, result.interval[1]
    if p_value is None or p_value >= _CLEAR or high < _REACHES_ONE:
        return ()
    sharper = ""
    if result.classifier is not None:
        low, high = result.classifier.interval
        sharper = (
            f" By the classifier the score is {format_score(result.classifier.mauve)} "
            f"({format_score(low)} to {format_score(high)})"
            + (": the difference is clear but small." if high >= _REACHES_ONE else ".")
        )
    return (
        f"The score of '{result.name}' is within its error of 1, yet the test distinguishes it "
        f"from human text ({p_value_phrase(p_value)}, {result.test_statistic}): the difference "
        f"lies within buckets, which the test looks into.{sharper}",
    )


def _or_fewer_buckets() -> str:
    """Return a remedy, where the user's function or command can choose the number of buckets."""
    return f", or use a smaller {option('num_buckets')}" if has_option("num_buckets") else ""
