"""Warn where a score may be unreliable."""

from collections.abc import Mapping

import numpy as np

from mauve.arrays import Labels
from mauve.calls import has_option, option
from mauve.embed.load import Samples
from mauve.embed.reading import WARN_SHARE
from mauve.frontier.histogram import count_labels
from mauve.text.words import word_counts

FEW_TEXTS = 100  # below this an interval is too wide to be of use


def system_warnings(samples: Samples, system: str, num_buckets: int) -> tuple[str, ...]:
    """Return the warnings about one system and the human sample.

    Parameters
    ----------
    samples : Samples
    system : str
    num_buckets : int
        Number of buckets k.
    """
    human, k = samples.human_name, num_buckets
    n_p, n_q = samples.sizes[human], samples.sizes[system]
    form = samples.forms.get(system)
    messages = [*samples.reading_warnings[human], *samples.reading_warnings[system]]
    messages += [finding.message for finding in form.findings] if form else []
    for name in (human, system):
        n_texts, n_truncated = samples.sizes[name], samples.n_truncated(name)
        if n_truncated:
            messages.append(
                _truncation(name, n_truncated, _n_mostly_unread(samples, name), n_texts)
            )
        if n_texts < FEW_TEXTS:
            messages.append(
                f"'{name}' has {n_texts} texts: below {FEW_TEXTS} the interval is wide and its "
                "level only approximate."
            )
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


def _truncation(name: str, n_truncated: int, n_mostly: int, n_texts: int) -> str:
    """Return a warning that texts are truncated, with a remedy if most of many is not read."""
    message = (
        f"{n_truncated} of the {n_texts} texts of '{name}' are longer than the embedder reads: "
        "only their beginnings count"
    )
    if n_mostly < WARN_SHARE * n_texts:
        return f"{message}."
    return (
        f"{message}, less than half of {n_mostly} texts. Compare shorter passages, or use an "
        "embedder that reads more."
    )


def empty_bucket_warnings(labels: Labels, num_buckets: int) -> tuple[str, ...]:
    """Return a warning if many buckets hold no text of any sample.

    Examples
    --------
    >>> import numpy as np
    >>> empty_bucket_warnings(np.array([[0, 1, 0, 1]]), 2)
    ()
    """
    n_empty = int((count_labels(labels, num_buckets) == 0).sum(axis=1).max())
    if n_empty <= num_buckets / 10:
        return ()
    return (
        f"Up to {n_empty} of {num_buckets} buckets are empty: the features have few distinct "
        f"values. Check for duplicate texts{_or_fewer_buckets()}.",
    )


def small_sample_warnings(sizes: Mapping[str, int], num_buckets: int) -> tuple[str, ...]:
    """Return a warning if one small sample sets the number of buckets for all.

    Examples
    --------
    >>> print(*small_sample_warnings({"human": 900, "model": 50}, 5))
    All systems have 5 buckets because 'model' has 50 texts: not comparable with runs that used \
another number of buckets. Leave it out, or set num_buckets.
    """
    smallest = min(sizes, key=lambda name: sizes[name])
    if 2 * sizes[smallest] > max(sizes.values()):
        return ()
    return (
        f"All systems have {num_buckets} buckets because '{smallest}' has {sizes[smallest]} "
        "texts: not comparable with runs that used another number of buckets. Leave it out"
        + (f", or set {option('num_buckets')}." if has_option("num_buckets") else "."),
    )


def _or_fewer_buckets() -> str:
    """Return a remedy, where the user's function or command can choose the number of buckets."""
    return f", or use a smaller {option('num_buckets')}" if has_option("num_buckets") else ""
