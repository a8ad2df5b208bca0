"""The same reduction on a torch device, for those who ask for one."""

import torch

from mauve.quantize.kmeans_torch import torch_device
from mauve.quantize.reduce import (
    Features,
    Reduction,
    check_variance,
    components_kept,
)


def reduce_on_device(
    features: Features, *, explained_variance: float, order: str, device: str
) -> tuple[Features, Reduction]:
    """Do what :func:`mauve.quantize.reduce.reduce_features` does on a GPU.

    The rounding differs, nothing else.

    Examples
    --------
    >>> import numpy as np
    >>> line = np.outer(np.arange(1, 9), [3.0, 4.0]).astype(np.float32)
    >>> reduced, _ = reduce_on_device(
    ...     line, explained_variance=0.9, order="pca-norm", device="cpu"
    ... )
    >>> reduced.shape
    (8, 1)
    """
    x = torch.from_numpy(features).to(torch_device(device))
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
    if x.device.type == "mps":  # has no eigenvectors
        values, vectors = (part.to(x.device) for part in torch.linalg.eigh(covariance.cpu()))
    else:
        values, vectors = torch.linalg.eigh(covariance)
    kept = components_kept(values.cpu().numpy(), total, explained_variance)
    components = vectors.flip(1)[:, :kept].contiguous()
    reduced = x @ components
    if order == "pca-norm":
        reduced = _unit_rows(reduced)
    reduction = Reduction(unit, mean.cpu().numpy(), components.cpu().numpy(), order)
    return reduced.cpu().numpy(), reduction


def _unit_rows(x: torch.Tensor) -> torch.Tensor:
    largest = x.abs().amax(dim=1, keepdim=True)  # squares of 1e20 do not fit 32 bits
    x = x / torch.where(largest == 0, 1, largest)
    length = x.norm(dim=1, keepdim=True)
    return x / torch.where(length == 0, 1, length)
