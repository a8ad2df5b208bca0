"""Measures of the texts of a cluster, once for people and once for the model."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mauve.embed.protocol import Progress
from mauve.errors import InvalidParameterError
from mauve.explanation.results import ClusterMeasure
from mauve.form.words import word_counts
from mauve.lm.scorer import TokenScorer
from mauve.measures.repetition import repeated_lengths
from mauve.measures.tokenizers import Words

Array = NDArray[np.float64]
Ints = NDArray[np.integer]


def text_measures(
    texts: Sequence[str], scorer: TokenScorer | None = None, on_progress: Progress | None = None
) -> dict[str, Array]:
    """Return measures of each text, from which those of any group of texts follow.

    Parameters
    ----------
    texts : sequence of str
        Of all samples, one after another.
    scorer : TokenScorer, optional
        For perplexity; without one it is left out.
    on_progress : callable, optional

    Returns
    -------
    dict of str to array of shape (n,)
        ``"words"``; ``"repetition"``, 1 where a text ends in two copies of a phrase or more,
        else 0; with a scorer also ``"perplexity"``, the mean negative log-probability of a
        token, which is NaN for a text without tokens, and ``"tokens"``, how many there are.

    Examples
    --------
    >>> found = text_measures(["One and one.", "No and no and no and"])
    >>> found["words"].tolist(), found["repetition"].tolist()
    ([3.0, 6.0], [0.0, 1.0])
    """
    (table,) = Words().tables([texts])
    found = {
        "words": word_counts(texts).astype(np.float64),
        "repetition": (repeated_lengths(table) > 0).astype(np.float64),
    }
    if scorer is not None:
        scores = scorer.log_probabilities(texts, on_progress)
        tokens = np.array([len(own) for own in scores], dtype=np.float64)
        surprise = np.array([-own.mean() if len(own) else np.nan for own in scores])
        if not np.isfinite(surprise[tokens > 0]).all():
            bad = int(np.flatnonzero((tokens > 0) & ~np.isfinite(surprise))[0])
            raise InvalidParameterError(
                "The texts must have finite log-probabilities under the language model. "
                f"Got {-surprise[bad]} at position {bad} instead: use another model."
            )
        found |= {"perplexity": surprise, "tokens": tokens}
    return found


def cluster_measures(
    per_text: Mapping[str, Array], human_rows: Ints, model_rows: Ints
) -> tuple[ClusterMeasure, ...]:
    r"""Return the measures of a cluster, of either side.

    Parameters
    ----------
    per_text : mapping of str to array of shape (n,)
        From :func:`text_measures`.
    human_rows, model_rows : array of int
        Texts of either side in the cluster.

    Returns
    -------
    tuple of ClusterMeasure
        A side without texts has None, and so has the perplexity of a side without tokens.

    Notes
    -----
    Words and repetition are means over texts. Perplexity is that of all tokens together, as in
    :func:`mauve.measures.perplexity.perplexity`: :math:`\exp(\sum_i n_i h_i / \sum_i n_i)` for
    texts of :math:`n_i` tokens with a mean negative log-probability of :math:`h_i`.

    Examples
    --------
    >>> found = text_measures(["One and one.", "No and no and no and"])
    >>> for measure in cluster_measures(found, np.array([0]), np.array([0, 1])):
    ...     print(measure.name, measure.human, measure.model)
    words 3.0 4.5
    repetition 0.0 0.5
    """
    sides = [np.asarray(rows, dtype=np.intp) for rows in (human_rows, model_rows)]
    return tuple(
        ClusterMeasure(name, *(_mean(name, per_text, rows) for rows in sides))
        for name in ("words", "repetition", "perplexity")
        if name in per_text
    )


def _mean(name: str, per_text: Mapping[str, Array], rows: Ints) -> float | None:
    if name != "perplexity":
        return float(per_text[name][rows].mean()) if len(rows) else None
    scored = rows[per_text["tokens"][rows] > 0]
    if not len(scored):
        return None
    return float(np.exp(np.average(per_text[name][scored], weights=per_text["tokens"][scored])))
