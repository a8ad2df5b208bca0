"""Apply the decoders of :mod:`mauve.lm.decoding` to many positions at once, on any device.

A truncation keeps the tokens above a threshold, and of those equal to it the ones with the lowest
ids, so it is enough to find the threshold; a vocabulary is rarely sorted as a whole.
"""

from collections.abc import Callable

import numpy as np
import torch

from mauve.lm.decoding import Ancestral, Decoder, Greedy, Nucleus, Temperature, TopK


def decode(decoder: Decoder, probabilities: torch.Tensor, *, n_head: int = 2048) -> torch.Tensor:
    """Return the distributions that a decoder draws from.

    Parameters
    ----------
    decoder : Decoder
        Those of this package run on the device of the probabilities; others are called for
        each row on the CPU.
    probabilities : tensor of float32 or float64, shape (n, vocabulary_size)
        Those of a model.
    n_head : int
        Most probable tokens among which a nucleus is searched first; rows whose nucleus is
        larger are sorted as a whole. It changes the speed only.

    Returns
    -------
    tensor of float32 or float64, shape (n, vocabulary_size)

    Examples
    --------
    >>> decode(TopK(2), torch.tensor([[0.2, 0.5, 0.2, 0.1]]).double()).numpy().round(3).tolist()
    [[0.286, 0.714, 0.0, 0.0]]
    """
    # Not isinstance: a subclass may do anything.
    if type(decoder) is Nucleus:
        return _nucleus(decoder, probabilities, n_head)
    on_device = _ON_DEVICE.get(type(decoder), _row_by_row)
    return on_device(decoder, probabilities)


def widest(device: torch.device) -> torch.dtype:
    """Return the number type for sums over a vocabulary."""
    return torch.float32 if device.type == "mps" else torch.float64  # Apple GPUs lack float64


def _row_by_row(decoder: Decoder, probabilities: torch.Tensor) -> torch.Tensor:
    rows = probabilities.cpu().numpy().astype(np.float64)
    decoded = np.stack([decoder(row) for row in rows / rows.sum(axis=1, keepdims=True)])
    return torch.from_numpy(decoded).to(probabilities.device, widest(probabilities.device))


def _greedy(_: Greedy, probabilities: torch.Tensor) -> torch.Tensor:
    first = probabilities.argmax(dim=1, keepdim=True)  # of equal ones the lowest id
    return torch.zeros_like(probabilities).scatter_(1, first, 1)


def _ancestral(_: Ancestral, probabilities: torch.Tensor) -> torch.Tensor:
    return probabilities


def _temperature(decoder: Temperature, probabilities: torch.Tensor) -> torch.Tensor:
    shares = probabilities / probabilities.amax(dim=1, keepdim=True)
    # In float32 a power such as 10 would turn small probabilities into zeros.
    powers = shares.to(widest(shares.device)) ** (1 / decoder.temperature)
    return powers / powers.sum(dim=1, keepdim=True)


def _topk(decoder: TopK, probabilities: torch.Tensor) -> torch.Tensor:
    k = min(decoder.k, probabilities.shape[1])
    smallest = probabilities.topk(k, dim=1).values[:, -1:]
    return _only_largest(probabilities, smallest, torch.full_like(smallest, k, dtype=torch.int64))


def _nucleus(decoder: Nucleus, probabilities: torch.Tensor, n_head: int) -> torch.Tensor:
    size = probabilities.shape[1]
    wide = widest(probabilities.device)
    # A softmax in float32 has the sum 1 to seven digits only, and a sum of many floats may
    # fall short by as many roundings: 0.4 + 0.3 + 0.2 < 0.9.
    goal = decoder.p * probabilities.sum(dim=1, keepdim=True, dtype=wide)
    goal -= size * torch.finfo(wide).eps
    smallest, n, reached = _cut(probabilities, goal, min(n_head, size))
    larger = (~reached[:, 0]).nonzero()[:, 0]  # rows whose nucleus is larger than the head
    if len(larger):
        smallest[larger], n[larger], _ = _cut(probabilities[larger], goal[larger], size)
    return _only_largest(probabilities, smallest, n)


def _cut(
    probabilities: torch.Tensor, goal: torch.Tensor, n_head: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Find the fewest of the `n_head` largest values whose sum reaches a goal.

    Returns, each of shape (rows, 1), the smallest of these values, their number n, and
    whether the goal was reached.
    """
    head = probabilities.topk(n_head, dim=1).values
    mass = head.cumsum(dim=1, dtype=goal.dtype)
    last = (mass < goal).sum(dim=1, keepdim=True)
    reached = last < n_head
    last = last.clamp(max=n_head - 1)
    return head.gather(1, last), last + 1, reached


def _only_largest(
    probabilities: torch.Tensor, smallest: torch.Tensor, n: torch.Tensor
) -> torch.Tensor:
    """Set all but the n most probable tokens of each row to zero and normalise.

    `smallest` is the n-th largest value; both have the shape (rows, 1).
    """
    larger, equal = probabilities > smallest, probabilities == smallest
    n_equal = n - larger.sum(dim=1, keepdim=True)
    if bool((equal.sum(dim=1, keepdim=True) > n_equal).any()):
        equal &= equal.cumsum(dim=1) <= n_equal
    truncated = torch.where(larger | equal, probabilities, 0)
    total = truncated.sum(dim=1, keepdim=True, dtype=widest(truncated.device))
    return truncated / total.to(truncated.dtype)


_ON_DEVICE: dict[type, Callable[..., torch.Tensor]] = {
    Greedy: _greedy,
    Ancestral: _ancestral,
    Temperature: _temperature,
    TopK: _topk,
}
