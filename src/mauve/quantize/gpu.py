"""Compute principal components and k-means on a torch device, such as a GPU.

These are the algorithms of :mod:`mauve.quantize.reduce` and :mod:`mauve.quantize.kmeans`; only
the rounding differs. Importing this module does not need torch.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mauve.arrays import Features, Labels
from mauve.calls import option
from mauve.embed.models import find_device
from mauve.errors import need_packages
from mauve.quantize.reduce import OrderName, Reduction, check_variance, components_kept

if TYPE_CHECKING:
    import torch

_CHUNK = 1 << 16  # rows whose scores against all centres are held at once


def torch_device(device: str, what: str | None = None) -> "torch.device":
    """Return the torch device of that name, or raise if it cannot be used.

    Parameters
    ----------
    device : str
    what : str, optional
        What needs torch, for the error where it is missing.

    Examples
    --------
    >>> torch_device("cpu")
    device(type='cpu')
    """
    instead = f"use {option('quantizer', 'kmeans')} on the CPU"
    need_packages(what or f"Clustering on {device!r}", ["torch"], "torch", instead)
    return find_device(device)


def reduce_on_device(
    features: Features, *, explained_variance: float, order: OrderName, device: str
) -> tuple[Features, Reduction]:
    """Normalise and project features on their principal components, on a torch device.

    See :func:`mauve.quantize.reduce.reduce_features` for parameters and results.

    Examples
    --------
    >>> line = np.outer(np.arange(1, 9), [3.0, 4.0]).astype(np.float32)
    >>> reduced, _ = reduce_on_device(
    ...     line, explained_variance=0.9, order="pca-norm", device="cpu"
    ... )
    >>> reduced.shape
    (8, 1)
    """
    on_device = torch_device(device)
    import torch

    x = torch.from_numpy(features).to(on_device)
    unit = 1.0
    if order == "norm-pca":
        x = _unit_rows(x)
    else:
        unit = float(x.abs().max()) or 1.0
        x = x / unit
    mean = x.mean(dim=0, dtype=torch.float64 if x.device.type != "mps" else None).float()
    x = x - mean
    covariance = x.T @ x
    total = float(covariance.trace())
    check_variance(total, float(mean @ mean), len(x))
    if x.device.type == "mps":  # where torch cannot compute eigenvectors
        values, vectors = (part.to(x.device) for part in torch.linalg.eigh(covariance.cpu()))
    else:
        values, vectors = torch.linalg.eigh(covariance)
    n_components = components_kept(values.cpu().numpy(), total, explained_variance)
    components = vectors.flip(1)[:, :n_components].contiguous()
    reduced = x @ components
    if order == "pca-norm":
        reduced = _unit_rows(reduced)
    reduction = Reduction(unit, mean.cpu().numpy(), components.cpu().numpy(), order)
    return reduced.cpu().numpy(), reduction


def _unit_rows(x: "torch.Tensor") -> "torch.Tensor":
    """Divide each row by its norm; a row of zeros stays zero."""
    import torch

    largest = x.abs().amax(dim=1, keepdim=True)  # squares of 1e20 do not fit 32 bits
    x = x / torch.where(largest == 0, 1, largest)
    length = x.norm(dim=1, keepdim=True)
    return x / torch.where(length == 0, 1, length)


@dataclass(frozen=True)
class TorchKMeans:
    """k-means on a torch device.

    The starting points are those of :class:`mauve.quantize.kmeans.KMeans`, the rounding is not:
    labels may differ from those of the CPU where a text lies between two centres.

    Parameters
    ----------
    device : str
        A torch device such as "cuda", "cuda:1", "mps" or "cpu".
    max_iter, tolerance
        See ``KMeans``.

    Examples
    --------
    >>> corners = np.repeat(np.eye(3, dtype=np.float32), 10, axis=0)
    >>> fitted = TorchKMeans("cpu").fit(corners, 3, np.random.default_rng(3))
    >>> fitted.assign(corners).shape
    (30,)
    """

    device: str
    max_iter: int = 100
    tolerance: float = 1e-3

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""
        return f"kmeans:torch:iter-{self.max_iter}:tol-{self.tolerance:g}"

    def fit(self, features: Features, num_buckets: int, rng: np.random.Generator) -> "TorchCentres":
        """Divide `features`, shape (n, m), into `num_buckets` buckets."""
        device = torch_device(self.device)
        import torch

        x = torch.from_numpy(features).to(device)
        initial = rng.choice(len(features), num_buckets, replace=False)
        centres = x[torch.from_numpy(initial).to(device)]
        square = (x * x).sum(dim=1)
        total, objective = float(square.sum(dtype=torch.float64)), float("inf")
        for _ in range(self.max_iter):
            labels, best = _nearest(x, centres)
            previous = objective
            objective = max(total - 2 * float(best.sum(dtype=torch.float64)), 0.0)
            counts = torch.bincount(labels, minlength=num_buckets)
            empty = torch.nonzero(counts == 0)[:, 0]
            if len(empty):
                distance = square - 2 * best
                farthest = torch.argsort(distance, descending=True, stable=True)
                farthest = farthest[counts[labels[farthest]] > 1][: len(empty)]
                labels[farthest] = empty[: len(farthest)]
                counts = torch.bincount(labels, minlength=num_buckets)
            elif previous - objective <= self.tolerance * objective:
                break
            # A product with one-hot rows, not index_add, whose order of summation on a
            # GPU changes from run to run.
            sums = torch.zeros_like(centres)
            for start in range(0, len(x), _CHUNK):
                rows = slice(start, start + _CHUNK)
                one_hot = torch.nn.functional.one_hot(labels[rows], num_buckets).to(x.dtype)
                sums += one_hot.T @ x[rows]
            centres = sums / counts.clamp(min=1)[:, None]
        else:  # stopped by max_iter: the objective is that of the centres before the last
            best = _nearest(x, centres)[1]
            objective = max(total - 2 * float(best.sum(dtype=torch.float64)), 0.0)
        return TorchCentres(centres, objective)


@dataclass(frozen=True)
class TorchCentres:
    """Fitted buckets on a device: a text belongs to the nearest centre.

    Attributes
    ----------
    centres : tensor of shape (k, m)
    objective : float
        Sum of the squared distances of the fitted texts to their centres.
    """

    centres: "torch.Tensor"
    objective: float

    def assign(self, features: Features) -> Labels:
        """Return the bucket of every row of `features`, shape (n, m)."""
        import torch

        x = torch.from_numpy(features).to(self.centres.device)
        labels, _ = _nearest(x, self.centres)
        return np.asarray(labels.cpu().numpy(), dtype=np.int32)


def _nearest(x: "torch.Tensor", centres: "torch.Tensor") -> "tuple[torch.Tensor, torch.Tensor]":
    """Return the nearest centre of every row and x·c - |c|²/2 for it."""
    import torch

    offset = (centres * centres).sum(dim=1) / 2
    parts = [
        (x[rows : rows + _CHUNK] @ centres.T - offset).max(dim=1)
        for rows in range(0, len(x), _CHUNK)
    ]
    best = torch.cat([part.values for part in parts])
    return torch.cat([part.indices for part in parts]), best
