"""Train a linear classifier that distinguishes a system's texts from human text."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import BoolArray, FloatArray
from mauve.errors import UndefinedError, need_packages
from mauve.hashes import feature_hashes
from mauve.measures.protocol import MeasuredSample, needed

#: Folds of the cross-validation.
N_FOLDS = 5

#: Candidates of the cross-validation for scikit-learn's C, the inverse of the weight of L2.
STRENGTHS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


@dataclass(frozen=True)
class Labelled:
    """Texts of both samples, ordered by their content so that the input order has no effect.

    Attributes
    ----------
    features : array of shape (n, d)
        In double precision.
    is_human : array of bool, shape (n,)
    rank : array of int, shape (n,)
        A random order of the units that stay together: prompts if groups are made of prompts,
        else texts. Equal texts have the same rank.
    row : array of int, shape (n,)
        Index of each text in its sample.
    by_prompt : bool
    """

    features: FloatArray
    is_human: BoolArray
    rank: NDArray[np.intp]
    row: NDArray[np.intp]
    by_prompt: bool

    def subset(self, selected: BoolArray) -> "Labelled":
        """Return some of the texts."""
        return Labelled(
            self.features[selected],
            self.is_human[selected],
            self.rank[selected],
            self.row[selected],
            self.by_prompt,
        )

    def split(self, n_parts: int) -> NDArray[np.intp]:
        """Divide the texts of each sample into parts of equal size; return the part of each text.

        Texts of one prompt are in one part, so that a classifier is tested on new prompts.
        """
        parts = np.unique(self.rank, return_inverse=True)[1] % n_parts
        if not self.by_prompt:
            for sample in (self.is_human, ~self.is_human):
                # Consecutive runs keep equal texts together, except at the end of a run.
                order = np.flatnonzero(sample)[np.argsort(self.rank[sample], kind="stable")]
                parts[order] = np.arange(len(order)) * n_parts // len(order)
        for part in range(n_parts):
            for members in (parts == part, parts != part):
                if len(np.unique(self.is_human[members])) < 2:
                    raise UndefinedError(
                        "A classifier must be trained on some prompts of both samples and "
                        f"tested on others. Got too few prompts for {n_parts} parts instead: "
                        "take more prompts, or leave the measure out."
                    )
        return parts


def labelled(system: MeasuredSample, human: MeasuredSample) -> Labelled:
    """Combine the texts of two samples.

    Examples
    --------
    >>> from mauve.measures.estimate import Groups
    >>> groups, line = Groups(np.arange(8), 8), np.arange(8.0)[:, None]
    >>> model = MeasuredSample("model", groups, features=line)
    >>> texts = labelled(model, MeasuredSample("human", groups, features=line + 8))
    >>> np.bincount(texts.split(4)[texts.is_human]).tolist()
    [2, 2, 2, 2]
    """
    samples = [(sample, needed(sample.features, "features")) for sample in (system, human)]
    features = np.concatenate([np.asarray(rows, dtype=np.float64) for _, rows in samples])
    if not np.any(features != features[0]):
        raise UndefinedError(
            f"The features of '{system.name}' and '{human.name}' must differ between texts. Got "
            f"{len(features)} equal rows instead: check the embedder."
        )
    hashes = [
        feature_hashes(rows.astype(np.float32)) if sample.hashes is None else sample.hashes
        for sample, rows in samples
    ]
    units = np.unique(np.concatenate(hashes), return_inverse=True)[1]
    order = np.argsort(units, kind="stable")
    by_prompt = system.groups.by_prompt
    if by_prompt:
        units = np.concatenate([system.groups.labels, human.groups.labels])
    rank = np.random.default_rng(system.seed).permutation(int(units.max()) + 1)[units]
    row = np.concatenate([np.arange(len(rows)) for _, rows in samples])
    is_human = np.repeat([False, True], [len(rows) for _, rows in samples])
    return Labelled(features[order], is_human[order], rank[order], row[order], by_prompt)


@dataclass(frozen=True)
class Classifier:
    """A logistic regression on standardised features.

    Attributes
    ----------
    mean, scale, weights : array of shape (d,)
    intercept : float
        Without the logarithm of the ratio of the sample sizes.
    """

    mean: FloatArray
    scale: FloatArray
    weights: FloatArray
    intercept: float

    def log_odds(self, features: FloatArray) -> FloatArray:
        r"""Return :math:`\log p(x)/q(x)` at texts, shape (n,): positive if human is likelier."""
        return np.asarray((features - self.mean) / self.scale @ self.weights + self.intercept)


def train(texts: Labelled, strength: float) -> Classifier:
    r"""Train a classifier with the logistic loss and an L2 penalty.

    Parameters
    ----------
    texts : Labelled
    strength : float
        Inverse of the weight of the penalty.

    Notes
    -----
    The classifier estimates :math:`\log p/q + \log n/m` for n human texts and m of the system;
    the second term is subtracted.
    """
    what = "A measure that trains a classifier"
    need_packages(what, ["sklearn"], "classifier", "leave the measure out")
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    mean, scale = texts.features.mean(axis=0), texts.features.std(axis=0)
    scale[scale <= 1e-9 * np.abs(mean)] = 1.0  # constant features have no effect
    regression: Any = LogisticRegression(C=strength, max_iter=2000)
    regression.fit((texts.features - mean) / scale, texts.is_human)
    n_human = int(texts.is_human.sum())
    prior = np.log(n_human / (len(texts.is_human) - n_human))
    return Classifier(mean, scale, regression.coef_[0], float(regression.intercept_[0] - prior))


def cross_fit(texts: Labelled) -> tuple[FloatArray, float]:
    """Return the log odds of each text by a classifier that was not trained on it.

    Returns
    -------
    log_odds : array of shape (n,)
    strength : float
        The one of :data:`STRENGTHS` with the smallest logistic loss on held-out texts, with
        equal weight for both samples.
    """
    folds = texts.split(N_FOLDS)
    odds = np.empty((len(STRENGTHS), len(folds)))
    for fold in range(N_FOLDS):
        held_out = folds == fold
        training = texts.subset(~held_out)
        for i, strength in enumerate(STRENGTHS):
            odds[i, held_out] = train(training, strength).log_odds(texts.features[held_out])
    losses = np.logaddexp(0, np.where(texts.is_human, -odds, odds))
    mean_losses = [losses[:, sample].mean(axis=1) for sample in (texts.is_human, ~texts.is_human)]
    best = int(np.argmin(np.sum(mean_losses, axis=0)))
    return odds[best], STRENGTHS[best]
