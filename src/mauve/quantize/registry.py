"""Choose a quantizer by name and its number of buckets."""

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from itertools import count
from typing import Any, Literal, TypeVar

from mauve.errors import bad_parameter, check_choice, check_int
from mauve.plugins import Plugins, lacking
from mauve.quantize.kmeans import KMeans
from mauve.quantize.protocol import Quantizer, fixed_num_buckets

MAX_AUTO_BUCKETS = 500


def _make_kmeans(device: str) -> Quantizer:
    if device == "cpu":
        return KMeans()
    from mauve.quantize.gpu import TorchKMeans

    return TorchKMeans(device)


def _make_drmm(device: str) -> Quantizer:
    from mauve.quantize.drmm import DRMM  # here, so that import mauve stays quick

    return DRMM(n_components=None, device=device)


def _make_lattice(device: str) -> Quantizer:
    from mauve.quantize.lattice import Lattice

    return Lattice(device=device)


QuantizerName = Literal["kmeans", "drmm", "lattice"]

#: Makes each quantizer on a device.
QUANTIZERS: dict[str, Callable[[str], Quantizer]] = {
    "kmeans": _make_kmeans,
    "drmm": _make_drmm,
    "lattice": _make_lattice,
}


def _problem(thing: object) -> str:
    return lacking(thing, Quantizer)


#: Quantizers of users and of other distributions: a class, or a quantizer.
OWN_QUANTIZERS: Plugins[Any] = Plugins("quantizer", QUANTIZERS.__contains__, _problem)

Q = TypeVar("Q")


def register_quantizer(name: str) -> Callable[[Q], Q]:
    """Return a decorator that registers a quantizer under a name.

    It decorates a class with the members of :class:`mauve.Quantizer` that can be made without
    arguments, or with ``device`` alone.

    Parameters
    ----------
    name : str
        Lower-case letters and digits, with . _ + or - between them.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> @mauve.register_quantizer("slices")
    ... class Slices:
    ...     signature = "slices"
    ...     def __init__(self, edges=()):
    ...         self.edges = edges
    ...     def fit(self, features, num_buckets, rng):  # on several threads: self must not change
    ...         return Slices(np.quantile(features[:, 0], np.arange(1, num_buckets) / num_buckets))
    ...     def assign(self, features):
    ...         return np.searchsorted(self.edges, features[:, 0])
    >>> human, model = np.random.default_rng(0).normal(size=(2, 200, 4))
    >>> mauve.compare(human, model, quantizer="slices", num_buckets=5)["model"].mauve > 0.9
    True
    """
    return OWN_QUANTIZERS.decorator(name)


def quantizer_names() -> list[str]:
    """Return the names of all quantizers.

    Examples
    --------
    >>> quantizer_names()[:3]
    ['kmeans', 'drmm', 'lattice']
    """
    return [*QUANTIZERS, *OWN_QUANTIZERS.names()]


def get_quantizer(spec: str | Quantizer, device: str = "auto") -> Quantizer:
    """Return the quantizer of that name on a device, or the given one.

    Parameters
    ----------
    spec : {"kmeans", "drmm", "lattice"} or Quantizer
        An object has a method ``fit`` and an attribute ``signature``, and an attribute
        ``num_buckets`` if it always makes that many buckets.
    device : str
        "auto" and "cpu" are the CPU; any other is a torch device.

    Examples
    --------
    >>> get_quantizer("kmeans")
    KMeans(n_restarts=1, max_iter=100, tolerance=0.001)
    """
    if not isinstance(device, str):
        raise bad_parameter("device", "'auto', 'cpu' or a torch device", device)
    if not isinstance(spec, str):
        problem = lacking(spec, Quantizer)
        if isinstance(spec, type) and not problem:
            problem = f"it is a class: pass {spec.__name__}()"
        if problem:
            names = ", ".join(map(repr, quantizer_names()))
            rule = f"{names} or an object with a method 'fit' and an attribute 'signature'"
            raise bad_parameter("quantizer", rule, spec, problem)
        return spec
    if spec not in QUANTIZERS:
        own = OWN_QUANTIZERS.get(spec)
        if own is None:
            check_choice("quantizer", spec, quantizer_names())  # raises
        return _made(own, device)
    make = QUANTIZERS[spec]
    first = device.split(",")[0].strip()  # embedding uses all devices, clustering the first
    device = "cpu" if first == "auto" else first
    if spec != "kmeans" or device != "cpu":
        from mauve.quantize.gpu import torch_device

        what = f"The quantizer {spec!r}" if spec != "kmeans" else f"Clustering on {device!r}"
        torch_device(device, what)  # raises if torch or the device is missing
    return make(device)


def _made(own: Any, device: str) -> Quantizer:
    """Return an object of a registered class, on a device if it takes one."""
    made = own
    if isinstance(own, type):
        takes_device = "device" in inspect.signature(own).parameters
        made = own(device=device) if takes_device else own()
    if problem := lacking(made, Quantizer):
        raise bad_parameter("quantizer", "one with all its members", made, problem)
    quantizer: Quantizer = made
    return quantizer


def with_num_buckets(
    quantizer: Quantizer, num_buckets: int | str, n_texts: int
) -> tuple[Quantizer, int]:
    """Return a quantizer with the requested number of buckets, and that number.

    Parameters
    ----------
    quantizer : Quantizer
    num_buckets : int or "auto"
        By default the number that the quantizer always makes, or else a tenth of the texts
        (see :func:`check_buckets` and :meth:`mauve.quantize.drmm.DRMM.with_num_buckets`).
    n_texts : int
        Texts of the smallest sample.

    Examples
    --------
    >>> with_num_buckets(KMeans(), "auto", 1000)[1]
    100
    """
    if isinstance(num_buckets, str) and num_buckets != "auto":
        raise bad_parameter("num_buckets", "an int or 'auto'", num_buckets)
    fixed = fixed_num_buckets(quantizer)
    if fixed is not None:
        if num_buckets not in ("auto", fixed):
            rule = f"{fixed}, which this quantizer always makes, or 'auto'"
            raise bad_parameter("num_buckets", rule, num_buckets)
        return quantizer, fixed
    if hasattr(quantizer, "with_num_buckets"):  # not every number is possible
        sized = quantizer.with_num_buckets(num_buckets, n_texts)
        return sized, sized.num_buckets
    return quantizer, check_buckets(num_buckets, n_texts)


def check_buckets(num_buckets: int | str, n_texts: int) -> int:
    """Return the number of buckets for samples of at least `n_texts`.

    By default a tenth of `n_texts`, from 2 to 500.

    Examples
    --------
    >>> check_buckets("auto", 1000), check_buckets(50, 1000)
    (100, 50)
    """
    if num_buckets == "auto":
        return max(2, min(n_texts // 10, MAX_AUTO_BUCKETS))
    why = f"the smallest sample has {n_texts} texts, and a bucket takes two of them on average"
    return check_int("num_buckets", num_buckets, 2, max(2, n_texts // 2), why)


def reporting(
    quantizer: Quantizer, n_clusterings: int, report: Callable[[str, int, int], None]
) -> Quantizer:
    """Return a quantizer that reports the epochs of all clusterings, if it trains in epochs.

    Examples
    --------
    >>> reporting(KMeans(), 5, print) == KMeans()
    True
    """
    if not hasattr(quantizer, "on_epoch") or not is_dataclass(quantizer):
        return quantizer
    trained: Any = quantizer  # a dataclass, DRMM or Lattice
    done = count(1)  # clusterings are trained at the same time
    total = n_clusterings * trained.epochs
    with_report: Quantizer = replace(
        trained, on_epoch=lambda *_: report("training", next(done), total)
    )
    return with_report
