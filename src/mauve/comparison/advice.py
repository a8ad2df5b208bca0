"""What a reader should know before trusting a score."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mauve.embed.samples import Sample
from mauve.frontier.histogram import count_labels
from mauve.text.form import FormReport

FEW_TEXTS = 100  # below this an interval is too wide to be of use


def advice(
    human: Sample, model: Sample, num_buckets: int, form: FormReport | None
) -> tuple[str, ...]:
    """Return the warnings that go with one system.

    Parameters
    ----------
    human, model : Sample
    num_buckets : int
        Number of cells k.
    form : FormReport or None
    """
    n_p, n_q, k = len(human), len(model), num_buckets
    found = [finding.message for finding in form.findings] if form else []
    for sample in (human, model):
        if sample.n_truncated:
            found.append(
                f"{sample.n_truncated} of the {len(sample)} texts of '{sample.name}' are longer "
                "than the embedder reads: only their beginnings count."
            )
        if len(sample) < FEW_TEXTS:
            found.append(
                f"'{sample.name}' has {len(sample)} texts: below {FEW_TEXTS} the interval is wide "
                "and its level only approximate."
            )
    if min(n_p, n_q) < 5 * k:
        found.append(
            f"{min(n_p, n_q)} texts are few for {k} cells: with less than five a cell the "
            "score is noisy. Use more texts or a smaller num_buckets (--num-buckets)."
        )
    if max(n_p, n_q) > 10 * min(n_p, n_q):
        found.append(
            f"'{human.name}' has {n_p} texts and '{model.name}' {n_q}: the smaller sample sets "
            "the precision."
        )
    return tuple(found)


def empty_buckets(labels: NDArray[np.int32], num_buckets: int) -> tuple[str, ...]:
    """Return a warning where many cells hold no text of any system.

    Examples
    --------
    >>> empty_buckets(np.array([[0, 1, 0, 1]]), 2)
    ()
    """
    empty = int((count_labels(labels, num_buckets) == 0).sum(axis=1).max())
    if empty <= num_buckets / 10:
        return ()
    return (
        f"Up to {empty} of {num_buckets} cells are empty: the features have few distinct values. "
        "Check for duplicate texts or use a smaller num_buckets (--num-buckets).",
    )


def few_buckets(samples: Sequence[Sample], num_buckets: int) -> tuple[str, ...]:
    """Return a warning where one small sample sets the number of cells for all.

    Examples
    --------
    >>> samples = [Sample("human", np.ones((900, 2))), Sample("model", np.ones((50, 2)))]
    >>> print(*few_buckets(samples, 5))
    There are 5 cells for every system because 'model' has 50 texts: scores of other comparisons \
have other cells. Leave it out, or set num_buckets (--num-buckets).
    """
    smallest = min(samples, key=len)
    if 2 * len(smallest) > max(map(len, samples)):
        return ()
    return (
        f"There are {num_buckets} cells for every system because '{smallest.name}' has "
        f"{len(smallest)} texts: scores of other comparisons have other cells. Leave it out, or "
        "set num_buckets (--num-buckets).",
    )
