"""Quantize by a deep residual mixture model: a bucket is a path through its layers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import Features, FloatArray, Labels
from mauve.calls import option, parameter
from mauve.errors import (
    ConvergenceError,
    InvalidParameterError,
    bad_parameter,
    check_int,
    check_real,
)
from mauve.hashes import count_distinct
from mauve.quantize.drmm_model import Layers, Paths, one_thread
from mauve.quantize.drmm_train import Schedule, start_layers, train_epochs
from mauve.quantize.gpu import torch_device

if TYPE_CHECKING:
    import torch

_MOST_COMPONENTS = 10  # of a layer, if the number of texts decides
_SCORES = 1 << 23  # scores of texts against all buckets that are held at once


@dataclass(frozen=True)
class DRMM:
    """Quantize by a deep residual mixture model, as the MAUVE paper does for comparison.

    Each layer is a mixture of Gaussians over the residuals of the layers before. A text is
    described by the sum of one component of every layer: ``n_components ** n_layers`` buckets.

    Parameters
    ----------
    n_layers : int
        Layers of the model.
    n_components : int, optional
        Components of each layer; if None, the number of buckets decides
        (see :meth:`with_num_buckets`).
    epochs : int
        Passes over the texts.
    batch_size : int
        Texts for each update.
    learning_rate : float
        Of Adam in the first half of the updates; annealed in the second.
    patience : int, optional
        Hold out some texts, stop when their likelihood has not risen for so many epochs, and
        keep the best model. By default all texts are trained on, for all epochs.
    held_out : float in (0, 0.5]
        Share of the texts that `patience` holds out.
    device : str
        A torch device such as "cpu" or "cuda".
    on_epoch : callable, optional
        Called with the epochs done and their total, for a progress bar.

    Notes
    -----
    Model, loss and schedule (see :class:`mauve.quantize.drmm_train.Gradient`) are those of the
    code that the MAUVE paper used [1]_ [2]_, with these differences:

    - Texts are centred and divided by one number, their root mean square, so that the learning
      rate does not depend on the unit of the features.
    - Layers start from k-means, not from random means
      (see :func:`mauve.quantize.drmm_train.start_layers`).
    - An epoch is one pass over the texts. The paper's code counts as many updates as there are
      texts, 64 passes; twenty passes from our start fit new texts as well as its 1,280.
    - A text goes to its most likely path of all, as the paper says; its code takes the most
      likely component of one layer after the other.
    - Layers pass on the components they chose; the original also subtracts the logarithm of the
      choice expected, which hardly changes one that is certain. The part of the model that draws
      samples is left out.
    - ``compare`` gives it the principal components of the features that hold 90 % of their
      variance, as for k-means, and trains it on a part of the texts, learning anew for each
      clustering; the paper trains one model on all texts.
    - The paper has 3 layers of 10 components, 1,000 buckets. By default `num_buckets` decides
      the components of a layer, 27 buckets in all (:meth:`with_num_buckets`).

    The same random seed gives the same buckets whatever the number of threads; those of another
    device may differ by rounding.

    References
    ----------
    .. [1] P. Hämäläinen et al., Deep Residual Mixture Models, arXiv 2006.12063, 2020.
    .. [2] K. Pillutla et al., MAUVE: Measuring the Gap Between Neural Text and Human Text using
       Divergence Frontiers, NeurIPS 2021, section 4.3 and appendix.

    Examples
    --------
    >>> corners = np.array([[0, 0], [0, 1], [9, 0], [9, 1]], dtype=np.float32)
    >>> texts = np.repeat(corners, 20, axis=0)
    >>> fitted = DRMM(n_layers=2, n_components=2).fit(texts, 4, np.random.default_rng(0))
    >>> np.bincount(fitted.assign(texts)).tolist()
    [20, 20, 20, 20]
    """

    n_layers: int = 3
    n_components: int | None = 10
    epochs: int = 20
    batch_size: int = 64
    learning_rate: float = 0.005
    patience: int | None = None
    held_out: float = 0.1
    device: str = "cpu"
    on_epoch: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_int("n_layers", self.n_layers, 1)
        if self.n_components is not None:
            check_int("n_components", self.n_components, 2)
        check_int("epochs", self.epochs, 1)
        check_int("batch_size", self.batch_size, 1)
        check_real("learning_rate", self.learning_rate, above=0)
        check_real("held_out", self.held_out, above=0, up_to=0.5)
        if self.patience is not None:
            check_int("patience", self.patience, 1)

    @property
    def num_buckets(self) -> int | None:
        """Number of buckets it always makes; None if that can be chosen."""
        return None if self.n_components is None else int(self.n_components**self.n_layers)

    @property
    def least_texts(self) -> int:
        """Fewest texts that it can be learnt from: one batch, beside those held out."""
        if self.patience is None:
            return self.batch_size
        return ceil(self.batch_size / (1 - self.held_out)) + 1

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""
        stop = "" if self.patience is None else f":stop-{self.patience}-{self.held_out:g}"
        return (
            f"drmm:{self.n_layers}x{self.n_components}:epochs-{self.epochs}"
            f":batch-{self.batch_size}:lr-{self.learning_rate:g}{stop}"
        )

    def with_num_buckets(self, num_buckets: int, *, is_exact: bool = True) -> "DRMM":
        """Return the same settings with the components that make `num_buckets`.

        Parameters
        ----------
        num_buckets : int
        is_exact : bool
            False takes the nearest number that is possible, with 2 to 10 components in each
            layer (the paper has 10).

        Examples
        --------
        >>> DRMM(n_components=None).with_num_buckets(100, is_exact=False).num_buckets
        125
        """
        if not is_exact:
            root = num_buckets ** (1 / self.n_layers)
            return replace(self, n_components=int(np.clip(round(root), 2, _MOST_COMPONENTS)))
        number = check_int("num_buckets", num_buckets, 2**self.n_layers)
        components = round(number ** (1 / self.n_layers))
        if components**self.n_layers != number:
            near = range(max(2, components - 1), components + 2)
            powers = ", ".join(str(c**self.n_layers) for c in near)
            rule = (
                f"an int to the power of {self.n_layers}, the layers of the DRMM, such as {powers}"
            )
            raise bad_parameter("num_buckets", rule, number)
        return replace(self, n_components=components)

    def fit(self, features: Features, num_buckets: int, rng: np.random.Generator) -> "FittedDRMM":
        """Learn `num_buckets` buckets from `features`, shape (n, m)."""
        if self.n_components is None:
            return self.with_num_buckets(num_buckets).fit(features, num_buckets, rng)
        if num_buckets != self.num_buckets:
            rule = f"{self.num_buckets} for a DRMM of {self.n_layers} layers of {self.n_components}"
            raise bad_parameter("num_buckets", rule, num_buckets)
        device = torch_device(self.device)
        import torch

        features = np.ascontiguousarray(features, dtype=np.float32)
        self._check_texts(features, num_buckets)
        generator = torch.Generator().manual_seed(int(rng.integers(1 << 63)))
        with torch.inference_mode(), one_thread():
            mean, unit = _mean_and_unit(features)
            x = torch.from_numpy((features - mean) / unit).to(device)
            n_held_out = 0 if self.patience is None else max(1, round(len(x) * self.held_out))
            if len(x) - n_held_out < self.batch_size:
                raise InvalidParameterError(
                    f"A DRMM must be fitted on at least {self.batch_size} texts, its 'batch_size'. "
                    f"Got {len(x) - n_held_out} instead: use more texts, or "
                    f"{option('quantizer', 'kmeans')}."
                )
            order = torch.randperm(len(x), generator=generator).to(device)
            held_out, x = x[order[:n_held_out]], x[order[n_held_out:]]
            layers = start_layers(x, self.n_layers, self.n_components, generator)
            history = self._train(layers, x, held_out, generator)
            history = tuple(value - x.shape[1] * float(np.log(unit)) for value in history)
            return FittedDRMM(layers, Paths.of(layers), mean, unit, history)

    def _check_texts(self, features: Features, num_buckets: int) -> None:
        """Raise if features are not finite or too few texts differ."""
        if not np.isfinite(features).all():
            raise InvalidParameterError(
                f"{parameter('features')} must be finite. Got NaN or infinity instead: "
                "check the embedder."
            )
        n_distinct = count_distinct(features)
        if n_distinct < num_buckets:
            raise InvalidParameterError(
                f"{parameter('features')} must hold at least {num_buckets} "
                f"different texts, one for each of {self.n_components} ** {self.n_layers} "
                f"buckets. Got {n_distinct} instead: use fewer components or layers, or more texts."
            )

    def _train(
        self,
        layers: Layers,
        x: "torch.Tensor",
        held_out: "torch.Tensor",
        generator: "torch.Generator",
    ) -> tuple[float, ...]:
        """Train `layers` in place; return the mean log-likelihood of `held_out` by epoch."""
        history: list[float] = []
        if len(held_out):
            history.append(float(Paths.of(layers).log_likelihood(held_out).mean()))
        best = layers.theta.clone()
        schedule = Schedule(self.learning_rate, self.epochs * (len(x) // self.batch_size))
        for done in train_epochs(layers, x, schedule, self.batch_size, generator):
            if not bool(layers.theta.isfinite().all()):
                raise ConvergenceError(
                    f"The DRMM diverged in epoch {done} of {self.epochs}: "
                    f"use a learning_rate below {self.learning_rate:g}."
                )
            if self.on_epoch is not None:
                self.on_epoch(done, self.epochs)
            if self.patience is None:
                continue
            history.append(float(Paths.of(layers).log_likelihood(held_out).mean()))
            if history[-1] > max(history[:-1]):
                best.copy_(layers.theta)
            if done - history.index(max(history)) >= self.patience:
                break
        if history:
            layers.theta.copy_(best)
        return tuple(history)


@dataclass(frozen=True)
class FittedDRMM:
    """A trained model: a text belongs to its most likely path.

    Attributes
    ----------
    layers : Layers
        The parameters.
    paths : Paths
        The model as one mixture over all paths.
    mean : array of float32, shape (m,)
    unit : float
        A text is centred by `mean` and divided by `unit` first.
    history : tuple of float
        Mean log-likelihood of the held-out texts before training and after each epoch; empty if
        there are none.
    """

    layers: Layers
    paths: Paths
    mean: Features
    unit: np.float32
    history: tuple[float, ...]

    def assign(self, features: Features) -> Labels:
        """Return the bucket of every row of `features`, shape (n, m)."""
        return self._of_each(features, self.paths.most_likely).astype(np.int32)

    def log_likelihood(self, features: Features) -> FloatArray:
        """Return the logarithm of the density of every row of `features`, shape (n, m)."""
        scaled = self._of_each(features, self.paths.log_likelihood)
        return np.asarray(scaled - features.shape[1] * np.log(self.unit), dtype=np.float64)

    def _of_each(
        self, features: Features, function: "Callable[[torch.Tensor], torch.Tensor]"
    ) -> NDArray[Any]:
        """Return a function of every text, centred and scaled."""
        import torch

        device, size = self.paths.centres.device, max(1, _SCORES // len(self.paths.centres))
        with torch.inference_mode(), one_thread():
            parts = [
                function(torch.from_numpy((part - self.mean) / self.unit).to(device)).cpu().numpy()
                for part in (features[i : i + size] for i in range(0, len(features), size))
            ]
        return np.concatenate(parts)


def _mean_and_unit(features: Features) -> tuple[Features, np.float32]:
    """Return the mean text and the root mean square of the differences from it."""
    mean = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    # Row by row in double precision: squares of 1e-30 do not fit 32 bits.
    square = np.mean([np.square(row - mean, dtype=np.float64).mean() for row in features])
    return mean, np.float32(np.sqrt(square))
