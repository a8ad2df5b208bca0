"""A linear classifier that tells a model's texts from human ones."""

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.measures.protocol import Side
from mauve.quantize.keys import content_keys

N_FOLDS = 5

#: What cross-validation chooses from: scikit-learn's C, the inverse of the weight of L2.
STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


@dataclass(frozen=True)
class Labelled:
    """Texts of both samples, ordered by their content so that the given order has no effect.

    Attributes
    ----------
    features : array of shape (n, d)
        In double precision.
    is_human : array of bool, shape (n,)
    rank : array of int, shape (n,)
        A random order of what must not be torn apart: prompts where groups are made of them,
        else texts; equal texts have one rank.
    row : array of int, shape (n,)
        Where a text stands in its own sample.
    by_prompt : bool
    """

    features: FloatArray
    is_human: BoolArray
    rank: NDArray[np.intp]
    row: NDArray[np.intp]
    by_prompt: bool

    def part(self, chosen: BoolArray) -> "Labelled":
        """Return some of the texts."""
        return Labelled(
            self.features[chosen],
            self.is_human[chosen],
            self.rank[chosen],
            self.row[chosen],
            self.by_prompt,
        )

    def deal(self, n_parts: int) -> NDArray[np.intp]:
        """Deal the texts into parts, of equal size in both samples; return the part of each.

        Prompts are not torn apart, so that a classifier is tried on prompts it has not seen.
        """
        parts = np.unique(self.rank, return_inverse=True)[1] % n_parts
        if not self.by_prompt:
            for sample in (self.is_human, ~self.is_human):
                # Runs of the order keep equal texts together, but where a run ends.
                order = np.flatnonzero(sample)[np.argsort(self.rank[sample], kind="stable")]
                parts[order] = np.arange(len(order)) * n_parts // len(order)
        for part in range(n_parts):
            for there in (parts == part, parts != part):
                if len(np.unique(self.is_human[there])) < 2:
                    raise InvalidParameterError(
                        "A classifier must be trained on some prompts of both samples and "
                        f"tried on others. Got too few prompts for {n_parts} parts instead: "
                        "take more prompts, or leave the measure out."
                    )
        return parts


def labelled(own: Side, human: Side) -> Labelled:
    """Put the texts of two samples together.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> groups = Groups(np.arange(8), 8)
    >>> model = Side("model", groups, features=np.arange(8.0)[:, None])
    >>> texts = labelled(model, Side("human", groups, features=np.arange(8.0, 16)[:, None]))
    >>> np.bincount(texts.deal(4)[texts.is_human]).tolist()
    [2, 2, 2, 2]
    """
    assert own.features is not None
    assert human.features is not None
    sides = (own.features, human.features)
    features = np.concatenate([np.asarray(side, dtype=np.float64) for side in sides])
    if not np.any(features != features[0]):
        raise InvalidParameterError(
            f"The features of '{own.name}' and '{human.name}' must differ between texts. Got "
            f"{len(features)} equal rows instead: check the embedder."
        )
    keys = [
        content_keys(f.astype(np.float32)) if s.keys is None else s.keys
        for s, f in ((own, own.features), (human, human.features))
    ]
    units = np.unique(np.concatenate(keys), return_inverse=True)[1]
    order = np.argsort(units, kind="stable")
    if own.groups.by_prompt:
        units = np.concatenate([own.groups.labels, human.groups.labels])
    rank = np.random.default_rng(own.seed).permutation(int(units.max()) + 1)[units]
    row = np.concatenate([np.arange(len(side)) for side in sides])
    is_human = np.arange(len(features)) >= len(own.features)
    return Labelled(features[order], is_human[order], rank[order], row[order], own.groups.by_prompt)


@dataclass(frozen=True)
class Classifier:
    """A logistic regression on standardised features.

    Attributes
    ----------
    mean, scale, weights : array of shape (d,)
    intercept : float
        With what came from the sizes of the samples taken off.
    """

    mean: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    def log_odds(self, features: FloatArray) -> FloatArray:
        r"""Return :math:`\log p(x)/q(x)` at texts, shape (n,): above 0 where human is likelier."""
        return np.asarray((features - self.mean) / self.scale @ self.weights + self.intercept)


def train(texts: Labelled, strength: float) -> Classifier:
    r"""Train a classifier by the logistic loss and L2.

    Notes
    -----
    The classifier finds :math:`\log p/q + \log n/m` for n human texts and m of the model;
    the latter is subtracted.
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    mean, scale = texts.features.mean(axis=0), texts.features.std(axis=0)
    scale[scale <= 1e-9 * np.abs(mean)] = 1.0  # a constant feature says nothing
    fitted: Any = LogisticRegression(C=strength, max_iter=2000)
    fitted.fit((texts.features - mean) / scale, texts.is_human)
    n_human = int(texts.is_human.sum())
    prior = np.log(n_human / (len(texts.is_human) - n_human))
    return Classifier(mean, scale, fitted.coef_[0], float(fitted.intercept_[0] - prior))


def cross_fit(texts: Labelled) -> tuple[FloatArray, float]:
    """Return the log odds of each text by classifiers that were not trained on it.

    Returns
    -------
    log_odds : array of shape (n,)
    strength : float
        That of :data:`STRENGTHS` with the least logistic loss on texts held out, both samples
        with equal weight.
    """
    folds = texts.deal(N_FOLDS)
    odds = np.empty((len(STRENGTHS), len(folds)))
    for fold in range(N_FOLDS):
        held_out = folds == fold
        rest = texts.part(~held_out)
        for i, strength in enumerate(STRENGTHS):
            odds[i, held_out] = train(rest, strength).log_odds(texts.features[held_out])
    losses = np.logaddexp(0, np.where(texts.is_human, -odds, odds))
    mean_losses = [losses[:, sample].mean(axis=1) for sample in (texts.is_human, ~texts.is_human)]
    best = int(np.argmin(np.sum(mean_losses, axis=0)))
    return odds[best], STRENGTHS[best]


def need_scikit_learn(measure: str) -> None:
    """Raise if scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise MissingExtraError(
            f"The measure '{measure}' needs scikit-learn, which is not installed: "
            'pip install "mauve-eval[classifier]", or leave the measure out.'
        )
