"""Features in, cells out: texts spread over a sphere in R^4, and a lattice on that sphere."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from mauve.arrays import Features, FloatArray, Labels
from mauve.errors import InvalidParameterError, bad_parameter, check_int, check_real
from mauve.quantize.crossfit import content_keys
from mauve.quantize.gpu import torch_device
from mauve.quantize.sphere import integral_points, nearest_points

MIN_TEXTS = 50  # below that there are no neighbours to speak of

_CHUNK = 1024  # rows that go through the network at a time


@dataclass(frozen=True)
class Lattice:
    """The lattice quantizer of the MAUVE paper; needs the ``torch`` extra.

    A small network learns to map the features to the unit sphere in R^4, so that texts
    that are near stay near and all texts together cover the sphere evenly. A text then
    belongs to the nearest of the 744 integral points of the sphere of radius √50.

    Parameters
    ----------
    device : str
        Torch device to train on. Cells are assigned by NumPy in any case.
    epochs, batch_size : int
        Passes over the texts, and texts per update.
    learning_rate, momentum : float
        Of stochastic gradient descent. The rate is halved after half of the epochs, and is
        a tenth of this one after three quarters.
    layers : int
        Linear maps of the network, with batch normalisation and ReLU between them.
    width : int
        Neurons of each hidden layer.
    uniformity : float
        Weight λ of the loss that spreads the texts.
    positive_ranks, negative_rank : int
        A text is drawn towards one of its nearest texts among the features, up to this
        rank, and away from the text of this rank on the sphere. Small samples have smaller
        ranks: n/50 and n/10 at the most, for n texts.
    patience : int, optional
        Stop when the loss on held-out texts has not fallen for so many epochs, and keep the
        best network; by default all epochs are run on all texts.
    held_out : float
        Share of the texts that `patience` holds out.
    on_epoch : callable, optional
        Called with the epochs done and their number, for a progress bar.

    Notes
    -----
    "2-layer" in the MAUVE paper could mean two linear maps, as here, or two hidden layers,
    which is what its published experiments run (``layers=3``) at twice the cost. Width,
    momentum, ranks and λ are those of these experiments [2]_; the other settings are in
    the paper.

    On the CPU the cells depend on the number of threads, because sums of floats do;
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
    >>> cells = Lattice(epochs=2, width=16).fit(features, 744, np.random.default_rng(1))
    >>> cells.assign(features).shape
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
            raise bad_parameter("Lattice", "device", "the name of a torch device", self.device)
        for name in ("epochs", "width", "positive_ranks", "negative_rank"):
            check_int("Lattice", name, getattr(self, name), 1)
        check_int("Lattice", "batch_size", self.batch_size, 2)  # one text has no variance
        check_int("Lattice", "layers", self.layers, 2)
        check_real("Lattice", "learning_rate", self.learning_rate, above=0)
        check_real("Lattice", "uniformity", self.uniformity, above=0)
        check_real("Lattice", "momentum", self.momentum, above=0, up_to=0.999)
        check_real("Lattice", "held_out", self.held_out, above=0, up_to=0.5)
        if self.patience is not None:
            check_int("Lattice", "patience", self.patience, 1)

    @property
    def num_buckets(self) -> int:
        """Number of cells: that of the integral points."""
        return len(integral_points())

    @property
    def signature(self) -> str:
        """What must be equal for two clusterings to be comparable."""
        stop = "" if self.patience is None else f":stop-{self.patience}-of-{self.held_out:g}"
        return (
            f"lattice:{self.num_buckets}:layers-{self.layers}x{self.width}:epochs-{self.epochs}"
            f":batch-{self.batch_size}:lr-{self.learning_rate:g}:momentum-{self.momentum:g}"
            f":koleo-{self.uniformity:g}:ranks-{self.positive_ranks},n/50-{self.negative_rank},n/10"
            f"{stop}:{self.device.split(':')[0]}"
        )

    def fit(self, features: Features, n_clusters: int, rng: np.random.Generator) -> "LatticeCells":
        """Train the network on `features`, shape (n, m); `n_clusters` must be 744."""
        if n_clusters != self.num_buckets:
            rule = f"{self.num_buckets} for the lattice quantizer, which has so many points"
            raise bad_parameter("compare", "num_buckets", rule, n_clusters)
        share = 1 - self.held_out if self.patience is not None else 1
        needed = ceil(max(MIN_TEXTS, self.batch_size) / share)
        distinct = _count_distinct(features)
        if distinct < needed:
            raise InvalidParameterError(
                f"A lattice must be fitted on at least {needed} different texts. Got {distinct} "
                "instead: use more texts, a smaller 'batch_size', or quantizer='kmeans' "
                "(--quantizer kmeans)."
            )
        device = torch_device(self.device)
        from mauve.quantize.spreading import train

        return train(features, self, device, rng)


@dataclass(frozen=True)
class LatticeCells:
    """A trained network and the cells of the lattice behind it.

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
        """Return the cell of every row of `features`, shape (n, m)."""
        return nearest_points(self.spread(features))


def _count_distinct(features: Features) -> int:
    chunks = (features[start : start + _CHUNK] for start in range(0, len(features), _CHUNK))
    keys = [content_keys(np.ascontiguousarray(chunk, dtype=np.float32)) for chunk in chunks]
    return len(np.unique(np.concatenate(keys))) if keys else 0
