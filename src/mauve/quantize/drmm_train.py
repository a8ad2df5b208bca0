"""How a deep residual mixture model starts and learns."""

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mauve.quantize.drmm_model import Gradient, Layers, Shape

if TYPE_CHECKING:
    import torch

USAGE = 0.01  # weight of the term that draws every component to some text

_LLOYD = 5  # iterations of k-means before the training
_LEAST_VARIANCE = 1e-6  # of the residual at the start, in units of that of the texts
_BETAS, _EPSILON = (0.9, 0.999), 1e-8  # the usual ones of Adam


def start_layers(
    x: "torch.Tensor", n_layers: int, n_components: int, generator: "torch.Generator"
) -> Layers:
    """Return a model to start from: k-means of what the layers before leave over.

    Parameters
    ----------
    x : tensor of shape (n, D)
        Texts, with a mean square of 1.
    n_layers, n_components : int
    generator : torch.Generator
        Of the CPU, so that every device starts alike.

    Notes
    -----
    Variances and prior weights are those of the clusters. The original starts from random
    means, small variances and equal weights. Adam moves a parameter by at most about the learning
    rate in one update, so twenty passes over 5,600 texts of 200 dimensions do not get away from
    there: 8 of 1,000 cells were in use at the end, and 887 from this start.
    """
    import torch

    layers = Layers.zeros(Shape(n_layers, n_components, x.shape[1]), x.device)
    residual = x.clone()
    chosen: list[torch.Tensor] = []
    one_hot = torch.eye(n_components, device=x.device)
    for layer in range(n_layers):
        means = _spread(residual, n_components, generator)
        for _ in range(_LLOYD):
            members = one_hot[_nearest(residual, means)]
            sizes = members.sum(dim=0)[:, None]
            means = torch.where(sizes > 0, members.T @ residual / sizes.clamp(min=1), means)
        labels = _nearest(residual, means)
        members = one_hot[labels]
        residual -= means[labels]
        layers.means[layer] = means
        layers.log_variances[layer] = residual.square().mean().clamp(min=_LEAST_VARIANCE).log()
        layers.logits[layer] = (members.sum(dim=0) + 1).log()
        for j, earlier in enumerate(chosen):
            layers.tables[layer, :, j] = (members.T @ earlier + 1).log()
        chosen.append(members)
    return layers


def _spread(x: "torch.Tensor", k: int, generator: "torch.Generator") -> "torch.Tensor":
    """Return k rows of `x`, each drawn with the squared distance from those before (k-means++)."""
    import torch

    square = x.square().sum(dim=1)
    drawn = int(torch.randint(len(x), (1,), generator=generator))
    rows, distance = [drawn], torch.full_like(square, math.inf)
    while len(rows) < k:
        seed = x[rows[-1]]
        distance = torch.minimum(distance, (square - 2 * (x @ seed) + seed @ seed).clamp(min=0))
        mass = distance.cpu().double().cumsum(dim=0)
        point = torch.rand(1, generator=generator, dtype=torch.float64) * mass[-1]
        # A mass of zero, where all texts are seeds already, leads to the last row.
        rows.append(min(int(torch.searchsorted(mass, point, right=True)), len(x) - 1))
    return x[torch.tensor(rows, device=x.device)]


def _nearest(x: "torch.Tensor", means: "torch.Tensor") -> "torch.Tensor":
    return (x @ means.T - means.square().sum(dim=1) / 2).argmax(dim=1)


@dataclass(frozen=True)
class Schedule:
    """What changes from update to update.

    Parameters
    ----------
    learning_rate : float
        Of the first half of the updates.
    n_updates : int

    Examples
    --------
    >>> schedule = Schedule(0.005, 100)
    >>> [schedule.rate(t) for t in (0, 50, 75)]
    [0.005, 0.005, 0.00125]
    >>> [round(schedule.rho(t), 3) for t in (0, 50, 75)]
    [0.0, 0.5, 1.0]
    """

    learning_rate: float
    n_updates: int

    def rate(self, t: int) -> float:
        """Return the learning rate of update t: constant, then annealed quadratically."""
        return self.learning_rate * min(1.0, (2 - 2 * t / self.n_updates) ** 2)

    def unbiased_rate(self, t: int) -> float:
        """Return the rate times what makes up for the zeros that Adam's averages start from."""
        return self.rate(t) * math.sqrt(1 - _BETAS[1] ** (t + 1)) / (1 - _BETAS[0] ** (t + 1))

    def rho(self, t: int) -> float:
        """Return how much the choice of a component heeds those of earlier layers: 0, then 1."""
        return 0.5 + 0.5 * math.tanh(20 * (t / self.n_updates - 0.5))


class Adam:
    """Updates of a model by the gradient of a batch.

    On a GPU each update is some 170 kernels that take less time to run than to launch, so they
    are recorded once and replayed together.

    Parameters
    ----------
    layers : Layers
        Changed in place.
    x : tensor of shape (n, D)
        All texts.
    batch_size : int
    """

    def __init__(self, layers: Layers, x: "torch.Tensor", batch_size: int) -> None:
        import torch

        self._theta, self._x, self._square = layers.theta, x, x.square().sum(dim=1, keepdim=True)
        self._gradient = Gradient(layers, batch_size, USAGE)
        self._mean, self._variance = torch.zeros_like(self._theta), torch.zeros_like(self._theta)
        self._rows = torch.zeros(batch_size, dtype=torch.int64, device=x.device)
        self._now = torch.zeros(2, device=x.device)  # ρ and the rate
        self._run = self._record() if x.device.type == "cuda" else self._update

    def __call__(self, rows: "torch.Tensor", now: "torch.Tensor") -> None:
        """Update by the texts `rows`, shape (batch,), with ρ and rate `now`, shape (2,)."""
        self._rows.copy_(rows)
        self._now.copy_(now)
        self._run()

    def _update(self) -> None:
        rho, rate = self._now
        slope = self._gradient(self._x[self._rows], self._square[self._rows], rho)
        self._mean.lerp_(slope, 1 - _BETAS[0])
        self._variance.mul_(_BETAS[1]).addcmul_(slope, slope, value=1 - _BETAS[1])
        self._theta -= rate * self._mean / (self._variance.sqrt() + _EPSILON)

    def _record(self) -> Callable[[], None]:
        import torch

        graph, device = torch.cuda.CUDAGraph(), self._x.device
        with torch.cuda.device(device), _one_recording:
            stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
            stream.wait_stream(torch.cuda.current_stream(device))
            with torch.cuda.stream(stream):
                self._update()  # once outside, for what is set up on first use; the rate is 0
            torch.cuda.current_stream(device).wait_stream(stream)
            # Other threads may use the device meanwhile.
            with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
                self._update()
        self._mean.zero_()
        self._variance.zero_()
        return graph.replay


_one_recording = threading.Lock()


def train_epochs(
    layers: Layers,
    x: "torch.Tensor",
    schedule: Schedule,
    batch_size: int,
    generator: "torch.Generator",
) -> Iterator[int]:
    """Train `layers` in place on the texts `x`, and yield after each pass over them.

    Every pass shuffles the texts and leaves out those that do not fill a batch.
    """
    import torch

    update, n_batches = Adam(layers, x, batch_size), len(x) // batch_size
    times = range(schedule.n_updates)
    now = torch.tensor([(schedule.rho(t), schedule.unbiased_rate(t)) for t in times]).to(x.device)
    for epoch in range(schedule.n_updates // n_batches):
        order = torch.randperm(len(x), generator=generator).to(x.device)
        for batch in range(n_batches):
            update(
                order[batch * batch_size : (batch + 1) * batch_size], now[epoch * n_batches + batch]
            )
        yield epoch + 1
