"""Quantize by a lattice on a sphere in R^4 that a network spreads the texts over."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from mauve.arrays import Features, FloatArray, Labels
from mauve.calls import option
from mauve.errors import (
    ConvergenceError,
    InvalidParameterError,
    bad_parameter,
    check_int,
    check_real,
)
from mauve.hashes import count_distinct
from mauve.quantize.gpu import torch_device
from mauve.threads import available_threads

if TYPE_CHECKING:
    import torch

    from mauve.quantize.lattice_network import Linear

#: Squared radius of the sphere of the MAUVE paper, and the dimension of the space it is in.
SQUARED_RADIUS, DIMENSION = 50, 4

MIN_TEXTS = 50  # with fewer, the nearest texts say little

_CHUNK = 1024  # rows that are mapped or compared with all points at a time

# Another fit's allocations would break the recording of a CUDA graph.
_gpu_in_use = threading.Lock()


@dataclass(frozen=True)
class Lattice:
    """The lattice quantizer of the MAUVE paper; needs the ``torch`` extra.

    A small network learns to map the features to the unit sphere in R^4, so that texts
    that are near stay near and all texts together cover the sphere evenly. The bucket of a
    text is the nearest of the 744 integral points of the sphere of radius √50.

    Parameters
    ----------
    device : str
        Torch device to train on. NumPy assigns the buckets in any case.
    epochs, batch_size : int
        Passes over the texts, and texts per update.
    learning_rate, momentum : float
        Of stochastic gradient descent; see :meth:`rate_at`.
    layers : int
        Linear maps of the network, with batch normalisation and ReLU between them.
    width : int
        Neurons of each hidden layer.
    uniformity : float
        Weight λ of the loss that spreads the texts.
    positive_ranks, negative_rank : int
        A text is pulled towards one of its nearest texts among the features, up to this
        rank, and pushed away from the text of this rank on the sphere. Ranks are at most
        n/50 and n/10 for n texts.
    patience : int, optional
        Stop when the loss on held-out texts has not fallen for so many epochs, and keep the
        best network; by default all epochs are run on all texts.
    held_out : float
        Share of the texts that `patience` holds out.
    on_epoch : callable, optional
        Called with the epochs done and their total, for a progress bar.

    Notes
    -----
    The loss of a batch is the triplet loss plus λ times the KoLeo loss [1]_
    (see :func:`mauve.quantize.lattice_network.spread_losses`); negatives are found anew in
    each epoch. Unlike in the original code, a text is not its own neighbour, batch
    normalisation outside training uses the statistics of all texts and not a running average,
    texts that do not fill a batch are left out of the epoch, and exact copies are not pushed
    apart.

    What it is given differs from the paper too. The features are reduced to principal components
    first, as for k-means (90 % of the variance). ``compare`` trains the network on a part of the
    texts, at most as many as `n_learning` says, and counts the others. Ranks shrink with the
    number of texts, and an epoch has fewer updates. Buckets are always the 744 points, whatever
    `num_buckets`, so that small samples leave most of them empty.

    "2-layer" in the MAUVE paper could mean two linear maps, as here, or two hidden layers,
    which is what its published experiments run (``layers=3``) at twice the cost. Width,
    momentum, ranks and λ are those of these experiments [2]_; the other settings are in
    the paper.

    On the CPU the buckets depend on the number of threads, because sums of floats do;
    ``compare`` gives each clustering one thread, so there they do not.

    References
    ----------
    .. [1] Sablayrolles, Douze, Schmid, Jégou (2019). Spreading vectors for similarity
       search. ICLR.
    .. [2] Pillutla et al. (2021). MAUVE. NeurIPS; appendix "MAUVE-Lattice", and
       https://github.com/krishnap25/mauve-experiments.

    Examples
    --------
    >>> Lattice(epochs=100).signature
    'lattice:744:layers-2x768:epochs-100:batch-64:lr-0.1:momentum-0.9:koleo-1:ranks-10,n/50-50,n/10:cpu'
    >>> features = np.random.default_rng(0).normal(size=(200, 8)).astype(np.float32)
    >>> fitted = Lattice(epochs=2, width=16).fit(features, 744, np.random.default_rng(1))
    >>> fitted.assign(features).shape
    (200,)
    """

    device: str = "cpu"
    epochs: int = 200
    batch_size: int = 64
    learning_rate: float = 0.1
    momentum: float = 0.9
    layers: int = 2
    width: int = 768
    uniformity: float = 1.0
    positive_ranks: int = 10
    negative_rank: int = 50
    patience: int | None = None
    held_out: float = 0.1
    on_epoch: Callable[[int, int], None] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.device, str):
            raise bad_parameter("device", "the name of a torch device", self.device)
        for name in ("epochs", "width", "positive_ranks", "negative_rank"):
            check_int(name, getattr(self, name), 1)
        check_int("batch_size", self.batch_size, 2)  # one text has no variance
        check_int("layers", self.layers, 2)
        check_real("learning_rate", self.learning_rate, above=0)
        check_real("uniformity", self.uniformity, above=0)
        check_real("momentum", self.momentum, above=0, up_to=0.999)
        check_real("held_out", self.held_out, above=0, up_to=0.5)
        if self.patience is not None:
            check_int("patience", self.patience, 1)

    @property
    def num_buckets(self) -> int:
        """Number of buckets, that of the integral points."""
        return len(integral_points())

    @property
    def signature(self) -> str:
        """The settings that two scores must share to be comparable."""
        stop = "" if self.patience is None else f":stop-{self.patience}-of-{self.held_out:g}"
        return (
            f"lattice:{self.num_buckets}:layers-{self.layers}x{self.width}:epochs-{self.epochs}"
            f":batch-{self.batch_size}:lr-{self.learning_rate:g}:momentum-{self.momentum:g}"
            f":koleo-{self.uniformity:g}:ranks-{self.positive_ranks},n/50-{self.negative_rank},n/10"
            f"{stop}:{self.device.split(':')[0]}"
        )

    def rate_at(self, epoch: int) -> float:
        """Return the learning rate of an epoch, counted from 0.

        Examples
        --------
        >>> [Lattice(epochs=4).rate_at(epoch) for epoch in range(4)]
        [0.1, 0.1, 0.05, 0.010000000000000002]
        """
        done = epoch / self.epochs
        return self.learning_rate * (1 if done < 0.5 else 0.5 if done < 0.75 else 0.1)

    def fit(
        self, features: Features, num_buckets: int, rng: np.random.Generator
    ) -> "FittedLattice":
        """Train the network on `features`, shape (n, m); `num_buckets` must be 744."""
        if num_buckets != self.num_buckets:
            rule = f"{self.num_buckets} for the lattice quantizer, which has so many points"
            raise bad_parameter("num_buckets", rule, num_buckets)
        share = 1 - self.held_out if self.patience is not None else 1
        needed = ceil(max(MIN_TEXTS, self.batch_size) / share)
        n_distinct = count_distinct(features)
        if n_distinct < needed:
            raise InvalidParameterError(
                f"A lattice must be fitted on at least {needed} different texts. Got {n_distinct} "
                f"instead: use more texts, or {option('quantizer', 'kmeans')}."
            )
        device = torch_device(self.device)
        import torch

        n_held_out = int(len(features) * self.held_out) if self.patience is not None else 0
        order = rng.permutation(len(features)) if n_held_out else np.arange(len(features))
        centre = features.mean(axis=0, dtype=np.float64).astype(np.float32)
        centred = features[order] - centre
        # One number for all dimensions. Batch normalisation undoes it, but for its epsilon,
        # which must not depend on the scale of the features.
        unit = float(np.sqrt(np.mean(np.square(centred, dtype=np.float64))))
        if not 0 < unit < float("inf"):
            raise bad_parameter("features", "finite and not all the same", unit)
        with _training(device):
            x = torch.from_numpy(centred).to(device) / unit
            layers, losses, held_out_losses = self._train(x[n_held_out:], x[:n_held_out], rng)
            arrays = tuple((matrix.cpu().numpy(), bias.cpu().numpy()) for matrix, bias in layers)
        return FittedLattice(
            centre,
            unit,
            arrays,
            np.array(losses).reshape(-1, 2),
            np.array(held_out_losses).reshape(-1, 2),
        )

    def _train(
        self, x: "torch.Tensor", held_out: "torch.Tensor", rng: np.random.Generator
    ) -> "tuple[list[Linear], list[list[float]], list[list[float]]]":
        """Return the trained layers and the losses by epoch, of `x` and of `held_out`."""
        import torch

        from mauve.quantize.lattice_network import (
            Network,
            Steps,
            apply_layers,
            mean_losses,
            mine_negatives,
            nearest_texts,
        )

        n, rows = len(x), torch.arange(len(x), device=x.device)
        positive_ranks = min(self.positive_ranks, max(1, n // 50))
        negative_rank = min(self.negative_rank, max(1, n // 10))
        near = nearest_texts(x, x, positive_ranks, exclude_self=True)
        near_held_out = nearest_texts(held_out, x, 1)[:, 0]
        network = Network(
            x.shape[1], self.width, DIMENSION, n_layers=self.layers, device=x.device, rng=rng
        )
        steps = Steps(
            network,
            x,
            batch_size=self.batch_size,
            momentum=self.momentum,
            uniformity=self.uniformity,
        )
        losses: list[list[float]] = []
        held_out_losses: list[list[float]] = []
        best, epochs_since_best, best_layers = float("inf"), 0, None
        layers, spread = network.fold(x)
        for epoch in range(self.epochs):
            negative = mine_negatives(spread, spread, negative_rank, rng)
            rank = torch.from_numpy(rng.integers(positive_ranks, size=n)).to(x.device)
            triplets = torch.stack([rows, near[rows, rank], negative], dim=1)
            order = torch.from_numpy(rng.permutation(n)).to(x.device)
            losses.append(steps.run(triplets[order], self.rate_at(epoch)))
            layers, spread = network.fold(x)
            if not (np.isfinite(losses[-1]).all() and bool(spread.isfinite().all())):
                raise ConvergenceError(
                    f"The loss of the lattice quantizer is {losses[-1]} in epoch {epoch + 1}: use "
                    f"a 'learning_rate' below {self.learning_rate:g}."
                )
            if self.on_epoch is not None:
                self.on_epoch(epoch + 1, self.epochs)
            if self.patience is None:
                continue
            anchor = apply_layers(layers, held_out)
            negative = mine_negatives(anchor, spread, negative_rank, rng)
            outputs = torch.stack([anchor, spread[near_held_out], spread[negative]], dim=1)
            held_out_losses.append(mean_losses(outputs, self.batch_size))
            triplet, koleo = held_out_losses[-1]
            loss = triplet + self.uniformity * koleo
            if loss < best:
                best, epochs_since_best, best_layers = loss, 0, layers
            else:
                epochs_since_best += 1
            if epochs_since_best == self.patience:
                break
        return best_layers or layers, losses, held_out_losses


@contextmanager
def _training(device: "torch.device") -> Iterator[None]:
    """Train with gradients, on one stream of a CUDA device or on the threads available."""
    import torch

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
        # The caller may have switched gradients off.
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        yield


@dataclass(frozen=True)
class FittedLattice:
    """A trained network, whose outputs are assigned to the points of the lattice.

    Attributes
    ----------
    centre : array of float32, shape (m,)
    unit : float
        Features are centred and divided by this first.
    layers : tuple of pairs of arrays of float32
        Matrix and bias of each linear map, batch normalisation included.
    losses : array of float, shape (epochs, 2)
        Triplet loss and KoLeo loss, mean over the batches of each epoch.
    held_out_losses : array of float, shape (epochs, 2)
        The same of the held-out texts after each epoch; empty if there are none.
    """

    centre: Features
    unit: float
    layers: tuple[tuple[Features, Features], ...]
    losses: FloatArray
    held_out_losses: FloatArray

    def spread(self, features: Features) -> Features:
        """Map features of shape (n, m) to the unit sphere, shape (n, 4)."""
        spread = np.empty((len(features), len(self.layers[-1][1])), dtype=np.float32)
        for start in range(0, len(features), _CHUNK):
            hidden = (features[start : start + _CHUNK] - self.centre) / np.float32(self.unit)
            for matrix, bias in self.layers[:-1]:
                hidden = np.maximum(hidden @ matrix + bias, 0)
            matrix, bias = self.layers[-1]
            spread[start : start + _CHUNK] = hidden @ matrix + bias
        norm = np.linalg.norm(spread, axis=1, keepdims=True)
        spread /= np.maximum(norm, np.float32(1e-12))
        return spread

    def assign(self, features: Features) -> Labels:
        """Return the bucket of every row of `features`, shape (n, m)."""
        return nearest_points(self.spread(features))


@cache
def integral_points() -> NDArray[np.int8]:
    """Return all u in Z^4 with |u|² = 50 in lexicographic order, shape (744, 4).

    Notes
    -----
    50 is a sum of four squares in five ways, up to order and sign: 7²+1², 6²+3²+2²+1²,
    5²+5², 5²+4²+3² and 4²+4²+3²+3². With orders and signs these are 48 + 384 + 24 + 192 +
    96 = 744 points, as Jacobi's theorem says: 24 times the sum of the odd divisors of 50.

    Examples
    --------
    >>> points = integral_points()
    >>> points.shape, points[0].tolist(), points[-1].tolist()
    ((744, 4), [-7, -1, 0, 0], [7, 1, 0, 0])
    """
    largest = int(SQUARED_RADIUS**0.5)
    line = np.arange(-largest, largest + 1, dtype=np.int8)
    grid = np.stack(np.meshgrid(*[line] * DIMENSION, indexing="ij"), axis=-1)
    grid = grid.reshape(-1, DIMENSION)
    points: NDArray[np.int8] = grid[np.square(grid, dtype=np.int64).sum(axis=1) == SQUARED_RADIUS]
    points.setflags(write=False)  # shared by every caller
    return points


def nearest_points(directions: NDArray[np.floating]) -> Labels:
    """Return the integral point nearest to each direction, as its row number.

    Parameters
    ----------
    directions : array of float, shape (n, 4)
        Of any length: only where they point to matters.

    Returns
    -------
    labels : array of int32, shape (n,)
        Rows of :func:`integral_points`; of several equally near points the first.

    Notes
    -----
    All points have the same length r, so argmin |x/|x| - u/r| = argmax x·u. The products
    of single precision numbers with u, and their sums, are exact in double precision
    (unless one coordinate is 2^26 times another), so a tie is a tie and not a matter of
    rounding.

    Examples
    --------
    >>> label = nearest_points(np.array([[0.1, 0.9, 0.0, 0.0]]))
    >>> integral_points()[label].tolist()  # no lattice point is on an axis
    [[1, 7, 0, 0]]
    """
    columns = integral_points().T.astype(np.float64)
    labels = np.empty(len(directions), dtype=np.int32)
    for start in range(0, len(directions), _CHUNK):
        part = directions[start : start + _CHUNK].astype(np.float64)
        labels[start : start + _CHUNK] = (part @ columns).argmax(axis=1)
    return labels
