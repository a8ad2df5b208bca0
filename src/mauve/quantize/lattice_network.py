"""Train a network that spreads texts over a sphere and keeps neighbours together; needs torch.

Gradients come from autograd and updates from ``torch.optim.SGD``. NumPy draws every random
number, so all devices train on the same batches from the same start.
"""

from typing import Any

import numpy as np
import torch
from scipy.spatial import KDTree
from torch import Tensor
from torch.nn import functional

Linear = tuple[Tensor, Tensor]  # matrix and bias

_COPY = 1e-3  # texts nearer than this on the sphere count as copies and are not pushed apart
_EPSILON = 1e-5  # of batch normalisation
_TINY = 1e-12  # replaces a length of zero
_WARM_UP = 3  # steps taken one by one before a CUDA graph is recorded


class UnitLength(torch.autograd.Function):
    """Divide each row by its length; the gradient loses its component along the row.

    ``torch.nn.functional.normalize`` is the same function, but its gradient rounds differently,
    and training amplifies that: after 10 epochs on 2,000 texts of 64 dimensions 97% of the
    labels differed. With this gradient, recorded scores are reproduced bit by bit.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """Return rows of unit length."""
        length = x.norm(dim=1, keepdim=True).clamp_(min=_TINY)
        unit: Tensor = x / length
        ctx.save_for_backward(unit, length)
        return unit

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> Tensor:
        """Return the gradient by the rows before the division."""
        [g] = gradients
        unit, length = ctx.saved_tensors
        by_rows: Tensor = (g - unit * (g * unit).sum(dim=1, keepdim=True)) / length
        return by_rows


class Network:
    """Linear maps with batch normalisation and ReLU between them, then unit length.

    Parameters
    ----------
    inputs, width, outputs : int
        Dimension of the features, of each hidden layer, and of the sphere's space.
    n_layers : int
        Linear maps.
    device : torch.device
    rng : Generator
        Draws the initial weights: uniform in ±1/√(inputs of the layer), the default of torch.
    """

    def __init__(
        self,
        inputs: int,
        width: int,
        outputs: int,
        *,
        n_layers: int,
        device: torch.device,
        rng: np.random.Generator,
    ) -> None:
        def drawn(fan_in: int, *shape: int) -> Tensor:
            values = rng.uniform(-1, 1, size=shape) / np.sqrt(fan_in)
            return torch.from_numpy(values.astype(np.float32)).to(device)

        self.hidden = [  # matrix, gain and shift of each
            (
                drawn(fan_in, fan_in, width),
                torch.ones(width, device=device),
                torch.zeros(width, device=device),
            )
            for fan_in in [inputs, *[width] * (n_layers - 2)]
        ]
        self.last = drawn(width, outputs, width), drawn(width, outputs)  # rows are outputs
        self.parameters = [*(p for layer in self.hidden for p in layer), *self.last]
        for parameter in self.parameters:
            parameter.requires_grad_()

    def forward(self, x: Tensor, roles: int) -> Tensor:
        """Map a batch of texts to the sphere, each role normalised by itself.

        Parameters
        ----------
        x : tensor of shape (b * roles, inputs)
            The roles of the first text, then those of the second.
        roles : int

        Returns
        -------
        outputs : tensor of shape (b * roles, outputs)
        """
        for matrix, gain, shift in self.hidden:
            z = (x @ matrix).view(-1, roles * len(gain))  # roles as columns: one call for all
            normalised = torch.native_batch_norm(
                z, gain.repeat(roles), shift.repeat(roles), None, None, True, 0.0, _EPSILON
            )[0]
            x = normalised.view(-1, len(gain)).relu()
        matrix, bias = self.last
        outputs: Tensor = UnitLength.apply(torch.addmm(bias, x, matrix.T))  # type: ignore[no-untyped-call]
        return outputs

    @torch.no_grad()
    def fold(self, x: Tensor) -> tuple[list[Linear], Tensor]:
        """Return linear maps that include batch statistics of all texts, and the outputs."""
        layers = []
        for matrix, gain, shift in self.hidden:
            z = x @ matrix
            variance, mean = torch.var_mean(z, dim=0, correction=0)
            scale = gain * torch.rsqrt(variance + _EPSILON)
            bias = shift - mean * scale
            layers.append((matrix * scale, bias))
            x = z.mul_(scale).add_(bias).relu_()
        matrix, bias = self.last
        layers.append((matrix.T.clone(), bias.clone()))  # training goes on in place
        return layers, functional.normalize(x @ matrix.T + bias, dim=1)


def apply_layers(layers: list[Linear], x: Tensor) -> Tensor:
    """Return the outputs of folded layers, shape (n, outputs)."""
    for matrix, bias in layers[:-1]:
        x = (x @ matrix).add_(bias).relu_()
    matrix, bias = layers[-1]
    return functional.normalize(x @ matrix + bias, dim=1)


def spread_losses(outputs: Tensor) -> tuple[Tensor, Tensor]:
    """Return the triplet loss and the KoLeo loss of a batch on the sphere.

    Parameters
    ----------
    outputs : tensor of shape (b, 3, d)
        Each text, its positive and its negative, of unit length.

    Notes
    -----
    With f the network, x⁺ the positive and x⁻ the negative of x, the losses are ::

        triplet = mean max(0, |f(x) - f(x⁺)| - |f(x) - f(x⁻)|)
        KoLeo = - mean log min_{x' ≠ x} |f(x) - f(x')|

    The second is minus the Kozachenko-Leonenko estimate of differential entropy, up to
    constants; entropy is highest where the texts are uniform.
    """
    anchor, positive, negative = outputs.unbind(dim=1)
    with torch.no_grad():
        dots = (anchor @ anchor.T).fill_diagonal_(-2)
        # A matrix that selects the nearest: its product is exact, and its transpose sums the
        # gradient in an order that does not change from run to run.
        nearest = functional.one_hot(dots.argmax(dim=1), len(dots)).to(anchor.dtype)
    # KoLeo first: autograd sums gradients from the last operation to the first, and another
    # order of summation would change the labels, too.
    difference = anchor - nearest @ anchor
    koleo = (difference.square().sum(dim=1) + _COPY**2).log().mean() / -2
    to_positive, to_negative = (anchor - positive).norm(dim=1), (anchor - negative).norm(dim=1)
    return (to_positive - to_negative).relu().mean(), koleo


def mean_losses(outputs: Tensor, batch_size: int) -> list[float]:
    """Return the mean losses of full batches, because KoLeo depends on their size."""
    full = len(outputs) // batch_size * batch_size or len(outputs)
    starts = range(0, full, batch_size)
    losses = [torch.stack(spread_losses(outputs[i : i + batch_size])) for i in starts]
    means: list[float] = torch.stack(losses).mean(dim=0).tolist()
    return means


class Steps:
    """Updates of a network by stochastic gradient descent, replayed as a whole on a CUDA device.

    A step consists of many small kernels, which take longer to launch than to run. A CUDA
    graph launches them together; batches and losses stay on the device, so a step needs
    nothing from Python.

    Parameters
    ----------
    network : Network
        Changed in place.
    x : tensor of shape (n, inputs)
        All texts.
    batch_size : int
    momentum : float
    uniformity : float
        Weight λ of the KoLeo loss.
    """

    def __init__(
        self, network: Network, x: Tensor, *, batch_size: int, momentum: float, uniformity: float
    ) -> None:
        self.network, self.x, self.uniformity = network, x, uniformity
        self.optimizer = torch.optim.SGD(network.parameters, lr=0.0, momentum=momentum)
        shape = (len(x) // batch_size, batch_size * 3)
        self.batches = torch.zeros(shape, dtype=torch.long, device=x.device)
        self.at = torch.zeros(1, dtype=torch.long, device=x.device)
        self.total = torch.zeros(2, device=x.device)
        self.graph: torch.cuda.CUDAGraph | None = None

    def run(self, triplets: Tensor, rate: float) -> list[float]:
        """Update with every batch of `triplets`, shape (n, 3); return the mean losses."""
        [group] = self.optimizer.param_groups
        if rate != group["lr"]:
            group["lr"], self.graph = rate, None  # a recording includes the rate
        n_batches, numbers = self.batches.shape
        self.batches.copy_(triplets[: n_batches * numbers // 3].reshape(self.batches.shape))
        self.at.zero_()
        self.total.zero_()
        for batch in range(n_batches):
            if self.graph is not None:
                self.graph.replay()
            elif self.x.device.type == "cuda" and batch >= _WARM_UP:
                self._record()
            else:
                self._step()
        return [float(loss) / n_batches for loss in self.total.tolist()]

    def _record(self) -> None:
        graph = torch.cuda.CUDAGraph()
        stream = torch.cuda.current_stream()
        self.optimizer.zero_grad()  # so that the gradients belong to the recording
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            self._step()
        self.graph = graph
        graph.replay()

    def _step(self) -> None:
        self.optimizer.zero_grad()
        batch = self.batches.index_select(0, self.at)[0]
        outputs = self.network.forward(self.x.index_select(0, batch), roles=3)
        triplet, koleo = spread_losses(outputs.view(-1, 3, outputs.shape[1]))
        (triplet + self.uniformity * koleo).backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.total += torch.stack([triplet, koleo]).detach()
        self.at += 1


def nearest_texts(
    x: Tensor, among: Tensor, ranks: int, *, exclude_self: bool = False, chunk: int = 2048
) -> Tensor:
    """Return the rows of `among` nearest to each row of `x`, nearest first, shape (n, ranks).

    Distances of `chunk` rows to all others are held at once.
    """
    offset = among.square().sum(dim=1) / 2
    nearest = []
    for start in range(0, len(x), chunk):
        score = x[start : start + chunk] @ among.T - offset
        if exclude_self:
            score.diagonal(start).fill_(float("-inf"))
        nearest.append(score.topk(ranks, dim=1).indices)
    return torch.cat(nearest) if nearest else torch.empty(0, ranks, dtype=torch.long)


def mine_negatives(
    y: Tensor, among: Tensor, rank: int, rng: np.random.Generator, *, max_texts: int = 1 << 14
) -> Tensor:
    """Return the row of `among` that has a given rank from each row of `y`, shape (n,).

    The nearest has rank 0, which is the text itself where `y` is `among`. Time grows with the
    square of the texts, so of more than `max_texts` that many are drawn, and the rank is scaled
    down in proportion.
    """
    n = len(among)
    if n > max_texts:
        drawn = torch.from_numpy(rng.choice(n, max_texts, replace=False)).to(y.device)
        scaled = max(1, round(rank * max_texts / n))
        return drawn[mine_negatives(y, among[drawn], scaled, rng, max_texts=max_texts)]
    if y.device.type == "cpu":  # a fifth of the time of comparing all with all
        _, rows = KDTree(among.numpy()).query(y.numpy(), k=[rank + 1])
        return torch.from_numpy(np.asarray(rows, dtype=np.int64)[:, 0])
    return nearest_texts(y, among, rank + 1)[:, -1]
