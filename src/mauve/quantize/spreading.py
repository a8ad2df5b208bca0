"""A network that spreads texts over a sphere and keeps neighbours together; needs torch.

Everything random is drawn by NumPy, so every device trains on the same batches from the
same start.
"""

import threading
from contextlib import ExitStack

import numpy as np
import torch
from scipy.spatial import KDTree
from threadpoolctl import ThreadpoolController
from torch import Tensor
from torch.nn import functional

from mauve.arrays import Features
from mauve.errors import ConvergenceError, bad_parameter
from mauve.quantize.lattice import Lattice, LatticeCells
from mauve.quantize.sphere import DIMENSION
from mauve.threads import available_threads

Linear = tuple[Tensor, Tensor]  # matrix and bias

_CHUNK = 2048  # rows whose distances to all others are held at once
_MAX_MINED = 1 << 14  # texts among which negatives are sought: the time grows with its square
_COPY = 1e-3  # texts nearer than this on the sphere count as copies and are not driven apart
_EPSILON = 1e-5  # of batch normalisation
_TINY = 1e-12  # instead of a length of zero
_WARM_UP = 3  # steps taken one by one before they are recorded for replay

# Another fit's allocations would break a recording; small kernels gain nothing from sharing.
_gpu_in_use = threading.Lock()


def train(
    features: Features, settings: Lattice, device: torch.device, rng: np.random.Generator
) -> LatticeCells:
    """Train the network on `features`, shape (n, m).

    Notes
    -----
    With f the network, x⁺ one of the nearest texts of x among the features and x⁻ the text
    of rank 50 from f(x) on the sphere, found anew in each epoch, the loss of a batch is

        mean max(0, |f(x) - f(x⁺)| - |f(x) - f(x⁻)|) - λ mean log min_{x' ≠ x} |f(x) - f(x')|

    The second mean is the Kozachenko-Leonenko estimate of differential entropy, up to
    constants; entropy is highest where the texts are uniform.

    Other than in the original code, a text is not its own neighbour, statistics of batch
    normalisation outside training are those of all texts and not a running average, texts
    that do not fill a batch sit the epoch out, and exact copies are not driven apart.
    """
    held = int(len(features) * settings.held_out) if settings.patience is not None else 0
    order = rng.permutation(len(features)) if held else np.arange(len(features))
    centre = features.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred = features[order] - centre
    # One number for all dimensions, which batch normalisation undoes: only its epsilon is not
    # to depend on the size of the features.
    unit = float(np.sqrt(np.mean(np.square(centred, dtype=np.float64))))
    if not 0 < unit < float("inf"):
        raise bad_parameter("Lattice", "features", "finite and not all the same", unit)
    with ExitStack() as stack:
        if device.type == "cuda":
            stack.enter_context(_gpu_in_use)
            stack.enter_context(torch.cuda.device(device))
            stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            stack.enter_context(torch.cuda.stream(stream))
        else:
            torch.get_num_threads()  # torch sets the number of a new thread at its first use
            pools = ThreadpoolController().select(user_api="openmp")
            stack.enter_context(pools.limit(limits=available_threads()))
        x = torch.from_numpy(centred).to(device) / unit
        layers, losses, held_out_losses = _descend(x[held:], x[:held], settings, rng)
        arrays = tuple((matrix.cpu().numpy(), bias.cpu().numpy()) for matrix, bias in layers)
    return LatticeCells(
        centre,
        unit,
        arrays,
        np.array(losses).reshape(-1, 2),
        np.array(held_out_losses).reshape(-1, 2),
    )


def _descend(
    x: Tensor, held: Tensor, settings: Lattice, rng: np.random.Generator
) -> tuple[list[Linear], list[list[float]], list[list[float]]]:
    """Return the trained layers and the losses by epoch, of `x` and of `held`."""
    n, rows = len(x), torch.arange(len(x), device=x.device)
    positive_ranks = min(settings.positive_ranks, max(1, n // 50))
    negative_rank = min(settings.negative_rank, max(1, n // 10))
    near = nearest_texts(x, x, positive_ranks, exclude_self=True)
    near_held = nearest_texts(held, x, 1)[:, 0]
    network = Network(x.shape[1], settings, x.device, rng)
    steps = _Steps(network, x, settings)
    losses: list[list[float]] = []
    held_out_losses: list[list[float]] = []
    best, since, kept = float("inf"), 0, None
    layers, spread = network.fold(x)
    for epoch in range(settings.epochs):
        negative = mine_negatives(spread, spread, negative_rank, rng)
        chosen = torch.from_numpy(rng.integers(positive_ranks, size=n)).to(x.device)
        triplets = torch.stack([rows, near[rows, chosen], negative], dim=1)
        order = torch.from_numpy(rng.permutation(n)).to(x.device)
        losses.append(steps.run(triplets[order], rate_at(epoch, settings)))
        layers, spread = network.fold(x)
        if not (np.isfinite(losses[-1]).all() and bool(spread.isfinite().all())):
            raise ConvergenceError(
                f"The loss of the lattice quantizer is {losses[-1]} in epoch {epoch + 1}: use a "
                f"'learning_rate' below {settings.learning_rate:g}."
            )
        if settings.on_epoch is not None:
            settings.on_epoch(epoch + 1, settings.epochs)
        if settings.patience is None:
            continue
        anchor = apply_layers(layers, held)
        negative = mine_negatives(anchor, spread, negative_rank, rng)
        outputs = torch.stack([anchor, spread[near_held], spread[negative]], dim=1)
        held_out_losses.append(_batch_losses(outputs, settings.batch_size))
        triplet, koleo = held_out_losses[-1]
        now = triplet + settings.uniformity * koleo
        best, since, kept = (now, 0, layers) if now < best else (best, since + 1, kept)
        if since == settings.patience:
            break
    return kept or layers, losses, held_out_losses


def rate_at(epoch: int, settings: Lattice) -> float:
    """Return the learning rate of an epoch, counted from 0."""
    done = epoch / settings.epochs
    return settings.learning_rate * (1 if done < 0.5 else 0.5 if done < 0.75 else 0.1)


def spread_losses(outputs: Tensor, uniformity: float) -> tuple[Tensor, Tensor]:
    """Return the losses of a batch on the sphere, and the gradient of their weighted sum.

    Parameters
    ----------
    outputs : tensor of shape (b, 3, 4)
        Each text, its positive and its negative, of unit length.
    uniformity : float
        Weight λ of the KoLeo loss in the gradient.

    Returns
    -------
    losses : tensor of shape (2,)
        Triplet and KoLeo.
    gradient : tensor of shape (b, 3, 4)
        Of triplet + λ KoLeo by the outputs.
    """
    anchor, positive, negative = outputs.unbind(dim=1)
    pulled, pushed = anchor - positive, anchor - negative
    far, near = pulled.norm(dim=1, keepdim=True), pushed.norm(dim=1, keepdim=True)
    excess = (far - near).relu()
    by_pulled = pulled / far.clamp(min=_TINY) * (excess > 0)  # a copy has no direction to go
    by_pushed = pushed / near.clamp(min=_TINY) * (excess > 0)

    dots = (anchor @ anchor.T).fill_diagonal_(-2)
    # A matrix that picks the nearest: its product is exact, and its transpose sums the
    # gradient in an order that does not change from run to run.
    pick = functional.one_hot(dots.argmax(dim=1), len(dots)).to(anchor.dtype)
    gap = anchor - pick @ anchor
    square = gap.square().sum(dim=1, keepdim=True) + _COPY**2
    by_gap = gap * (-uniformity / square)

    by_anchor = by_pulled - by_pushed + by_gap - pick.T @ by_gap
    gradient = torch.stack([by_anchor, -by_pulled, by_pushed], dim=1) / len(anchor)
    return torch.stack([excess.mean(), square.log().mean() / -2]), gradient


def _batch_losses(outputs: Tensor, batch_size: int) -> list[float]:
    """Return the mean losses of full batches, because KoLeo depends on their size."""
    full = len(outputs) // batch_size * batch_size or len(outputs)
    starts = range(0, full, batch_size)
    losses = [spread_losses(outputs[start : start + batch_size], 1)[0] for start in starts]
    found: list[float] = torch.stack(losses).mean(dim=0).tolist()
    return found


class Network:
    """Linear maps with batch normalisation and ReLU between them, then unit length.

    Parameters
    ----------
    m : int
        Dimension of the features.
    settings : Lattice
    device : torch.device
    rng : Generator
        Draws the start: uniform in ±1/√(inputs of the layer), the default of torch.
    """

    def __init__(
        self, m: int, settings: Lattice, device: torch.device, rng: np.random.Generator
    ) -> None:
        def drawn(inputs: int, *shape: int) -> Tensor:
            values = rng.uniform(-1, 1, size=shape) / np.sqrt(inputs)
            return torch.from_numpy(values.astype(np.float32)).to(device)

        width = settings.width
        self.hidden = [
            (
                drawn(inputs, inputs, width),
                torch.ones(width, device=device),
                torch.zeros(width, device=device),
            )
            for inputs in [m, *[width] * (settings.layers - 2)]
        ]
        self.last = drawn(width, DIMENSION, width), drawn(width, DIMENSION)  # rows: outputs
        self.parameters = [*(p for layer in self.hidden for p in layer), *self.last]
        self.velocities = [torch.zeros_like(p) for p in self.parameters]

    def forward(self, x: Tensor, roles: int) -> tuple[Tensor, list[tuple[Tensor, ...]]]:
        """Map a batch of texts, each role normalised by itself.

        Parameters
        ----------
        x : tensor of shape (b * roles, m)
            The roles of the first text, then those of the second.
        roles : int

        Returns
        -------
        outputs : tensor of shape (b * roles, 4)
        saved : list of tuple of tensor
            What `backward` needs of each layer.
        """
        saved: list[tuple[Tensor, ...]] = []
        for matrix, gain, shift in self.hidden:
            z = (x @ matrix).view(-1, roles * len(gain))  # roles side by side: one call for all
            gains = gain.repeat(roles)
            out, mean, scale = torch.native_batch_norm(
                z, gains, shift.repeat(roles), None, None, True, 0.0, _EPSILON
            )
            saved.append((x, z, gains, mean, scale))
            x = out.view(-1, len(gain)).relu_()
        matrix, bias = self.last
        outputs = torch.addmm(bias, x, matrix.T)
        length = outputs.norm(dim=1, keepdim=True).clamp_(min=_TINY)
        outputs /= length
        saved.append((x, outputs, length))
        return outputs, saved

    def backward(self, saved: list[tuple[Tensor, ...]], g: Tensor, momentum: float) -> None:
        """Take the gradient `g` by the outputs back through the layers, into the velocities.

        A velocity is momentum times the last one plus the gradient, which one call of
        ``addmm_`` does for a matrix.
        """
        velocities = list(self.velocities)
        by_bias, by_matrix = velocities.pop(), velocities.pop()
        hidden, outputs, length = saved[-1]
        g = (g - outputs * (g * outputs).sum(dim=1, keepdim=True)) / length
        by_bias.mul_(momentum).add_(g.sum(dim=0))
        by_matrix.addmm_(g.T, hidden, beta=momentum)
        matrix = self.last[0].T
        for layer in range(len(self.hidden) - 1, -1, -1):
            x, z, gains, mean, scale = saved[layer]
            g = torch.ops.aten.threshold_backward(g @ matrix.T, hidden, 0)
            g, by_gains, by_shifts = torch.ops.aten.native_batch_norm_backward(
                g.view_as(z), z, gains, None, None, mean, scale, True, _EPSILON, [True] * 3
            )
            g = g.view_as(hidden)
            for by_all in (by_shifts, by_gains):
                by_one = velocities.pop()
                by_one.mul_(momentum).add_(by_all.view(-1, len(by_one)).sum(dim=0))
            velocities.pop().addmm_(x.T, g, beta=momentum)
            matrix, hidden = self.hidden[layer][0], x

    def move(self, rate: float) -> None:
        """Take a step against the velocities."""
        for parameter, velocity in zip(self.parameters, self.velocities, strict=True):
            parameter.sub_(velocity, alpha=rate)

    def fold(self, x: Tensor) -> tuple[list[Linear], Tensor]:
        """Return linear maps with the statistics of all texts built in, and the outputs."""
        layers = []
        for matrix, gain, shift in self.hidden:
            z = x @ matrix
            variance, mean = torch.var_mean(z, dim=0, correction=0)
            scale = gain * torch.rsqrt(variance + _EPSILON)
            bias = shift - mean * scale
            layers.append((matrix * scale, bias))
            x = z.mul_(scale).add_(bias).relu_()
        matrix, bias = self.last
        layers.append((matrix.T.clone(), bias.clone()))  # the network moves on
        return layers, functional.normalize(x @ matrix.T + bias, dim=1)


def apply_layers(layers: list[Linear], x: Tensor) -> Tensor:
    """Return the outputs of folded layers, shape (n, 4)."""
    for matrix, bias in layers[:-1]:
        x = (x @ matrix).add_(bias).relu_()
    matrix, bias = layers[-1]
    return functional.normalize(x @ matrix + bias, dim=1)


class _Steps:
    """Updates of the network, replayed as a whole on a CUDA device.

    A step has some sixty small kernels, and starting them takes ten times as long as
    running them. A CUDA graph starts them all at once; batches and losses stay on the
    device, so a step needs nothing from Python.
    """

    def __init__(self, network: Network, x: Tensor, settings: Lattice) -> None:
        self.network, self.x, self.settings = network, x, settings
        n_batches = len(x) // settings.batch_size
        shape = (n_batches, settings.batch_size * 3)
        self.batches = torch.zeros(shape, dtype=torch.long, device=x.device)
        self.at = torch.zeros(1, dtype=torch.long, device=x.device)
        self.total = torch.zeros(2, device=x.device)
        self.rate = 0.0
        self.graph: torch.cuda.CUDAGraph | None = None

    def run(self, triplets: Tensor, rate: float) -> list[float]:
        """Update with every batch of `triplets`, shape (n, 3); return the mean losses."""
        if rate != self.rate:
            self.rate, self.graph = rate, None  # the rate is part of the recording
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
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            self._step()
        self.graph = graph
        graph.replay()

    def _step(self) -> None:
        batch = self.batches.index_select(0, self.at)[0]
        outputs, saved = self.network.forward(self.x.index_select(0, batch), roles=3)
        triplets = outputs.view(-1, 3, DIMENSION)
        losses, gradient = spread_losses(triplets, self.settings.uniformity)
        self.network.backward(saved, gradient.view_as(outputs), self.settings.momentum)
        self.network.move(self.rate)
        self.total += losses
        self.at += 1


def nearest_texts(x: Tensor, among: Tensor, ranks: int, *, exclude_self: bool = False) -> Tensor:
    """Return the rows of `among` nearest to each row of `x`, nearest first, shape (n, ranks)."""
    offset = among.square().sum(dim=1) / 2
    found = []
    for start in range(0, len(x), _CHUNK):
        score = x[start : start + _CHUNK] @ among.T - offset
        if exclude_self:
            score.diagonal(start).fill_(float("-inf"))
        found.append(score.topk(ranks, dim=1).indices)
    return torch.cat(found) if found else torch.empty(0, ranks, dtype=torch.long)


def mine_negatives(y: Tensor, among: Tensor, rank: int, rng: np.random.Generator) -> Tensor:
    """Return the row of `among` that has a given rank from each row of `y`, shape (n,).

    The nearest has rank 0, which is the text itself where `y` is `among`. Of more than
    16,384 texts so many are drawn, and the rank is scaled down with them.
    """
    n = len(among)
    if n > _MAX_MINED:
        drawn = torch.from_numpy(rng.choice(n, _MAX_MINED, replace=False)).to(y.device)
        return drawn[mine_negatives(y, among[drawn], max(1, round(rank * _MAX_MINED / n)), rng)]
    if y.device.type == "cpu":  # a fifth of the time of comparing all with all
        _, found = KDTree(among.numpy()).query(y.numpy(), k=[rank + 1])
        return torch.from_numpy(np.asarray(found, dtype=np.int64)[:, 0])
    return nearest_texts(y, among, rank + 1)[:, -1]
