"""Choose a quantizer by name, its number of buckets, and how many texts they are learnt from."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass, replace
from itertools import count
from typing import Any, Literal, TypeVar

from mauve.errors import bad_parameter, check_choice, check_int
from mauve.plugins import Plugins, lacking
from mauve.quantize.classifier import Classifier
from mauve.quantize.kmeans import KMeans
from mauve.quantize.learning import MIN_LEARNING, TEXTS_PER_BUCKET
from mauve.quantize.protocol import AnyQuantizer, PairQuantizer, Quantizer, fixed_num_buckets

#: Buckets by default, whatever the number of texts; a quantizer may have another default.
DEFAULT_BUCKETS = 25
MAX_TENTH_BUCKETS = 500

#: Names of numbers of buckets: the same for all samples of at least 200 texts, and the paper's.
BUCKET_RULES = ("auto", "n/10")


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


def _make_classifier(device: str) -> PairQuantizer:
    return Classifier()


QuantizerName = Literal["kmeans", "classifier", "drmm", "lattice"]

#: Makes each quantizer on a device.
QUANTIZERS: dict[str, Callable[[str], AnyQuantizer]] = {
    "kmeans": _make_kmeans,
    "classifier": _make_classifier,
    "drmm": _make_drmm,
    "lattice": _make_lattice,
}


def _problem(thing: object) -> str:
    return "" if not lacking(thing, PairQuantizer) else lacking(thing, Quantizer)


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
    >>> quantizer_names()[:4]
    ['kmeans', 'classifier', 'drmm', 'lattice']
    """
    return [*QUANTIZERS, *OWN_QUANTIZERS.names()]


def get_quantizer(spec: str | AnyQuantizer, device: str = "auto") -> AnyQuantizer:
    """Return the quantizer of that name on a device, or the given one.

    Parameters
    ----------
    spec : {"kmeans", "classifier", "drmm", "lattice"}, Quantizer or PairQuantizer
        An object has a method ``fit`` (or ``fit_pair``) and an attribute ``signature``, and an
        attribute ``num_buckets`` if it always makes that many buckets.
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
        problem = _problem(spec)
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
    if spec in ("drmm", "lattice") or (spec == "kmeans" and device != "cpu"):
        from mauve.quantize.gpu import torch_device

        what = f"The quantizer {spec!r}" if spec != "kmeans" else f"Clustering on {device!r}"
        torch_device(device, what)  # raises if torch or the device is missing
    return make(device)


def _made(own: Any, device: str) -> AnyQuantizer:
    """Return an object of a registered class, on a device if it takes one."""
    made = own
    if isinstance(own, type):
        takes_device = "device" in inspect.signature(own).parameters
        made = own(device=device) if takes_device else own()
    if problem := _problem(made):
        raise bad_parameter("quantizer", "one with all its members", made, problem)
    quantizer: AnyQuantizer = made
    return quantizer


@dataclass(frozen=True)
class BucketPlan:
    """What divides the texts of one system, how finely, and what it is learnt from.

    Attributes
    ----------
    quantizer : Quantizer or PairQuantizer
        With the number of buckets, where not every number is possible.
    num_buckets : int
        Number of buckets k.
    n_learning : int
        Texts that each clustering is learnt from, half of them human.
    n_needed : int
        Texts per sample from which on the plan does not depend on their number.
    n_clusterings : int
        How often the buckets are learnt, each time from other texts.
    """

    quantizer: AnyQuantizer
    num_buckets: int
    n_learning: int
    n_needed: int
    n_clusterings: int


def plan_buckets(
    quantizer: AnyQuantizer,
    num_buckets: int | str,
    n_texts: int,
    *,
    n_clusterings: int,
    n_learning: int | None = None,
) -> BucketPlan:
    """Return how texts are divided into buckets.

    Parameters
    ----------
    quantizer : Quantizer or PairQuantizer
    num_buckets : int, "auto" or "n/10"
        "auto" is 25, or what the quantizer prefers, from 8 texts per bucket in each sample on;
        half as many buckets, and so on, for smaller samples.
    n_texts : int
        Texts of the smaller sample.
    n_clusterings : int
        How often the buckets are learnt.
    n_learning : int, optional
        By default 8 for each bucket (20 for a classifier), at least what the quantizer needs,
        and at most half of the smaller sample from each.

    Examples
    --------
    >>> for n_texts in (100, 200, 5000):
    ...     plan = plan_buckets(KMeans(), "auto", n_texts, n_clusterings=50)
    ...     print(plan.num_buckets, plan.n_learning, plan.n_needed)
    12 96 200
    25 200 200
    25 200 200
    """
    sized, k = with_num_buckets(quantizer, num_buckets, n_texts)
    per_bucket = _texts_per_bucket(quantizer)
    most = n_texts // 2 * 2
    if n_learning is None:
        full = k if num_buckets == "n/10" else with_num_buckets(quantizer, num_buckets, 1 << 40)[1]
        least = -(-int(getattr(quantizer, "least_texts", 0)) // 2) * 2
        learnt, needed = (max(per_bucket * number, least) for number in (k, full))
        return BucketPlan(sized, k, min(learnt, most), needed, n_clusterings)
    why = (
        f"at least one text for each of {k} buckets, at most half of the sample of {n_texts} texts"
    )
    checked = check_int("n_learning", n_learning, max(MIN_LEARNING, k), max(most, k), why)
    if checked % 2:
        raise bad_parameter("n_learning", "even, half human and half of the system", checked)
    return BucketPlan(sized, k, checked, checked, n_clusterings)


def _texts_per_bucket(quantizer: AnyQuantizer) -> int:
    return int(getattr(quantizer, "texts_per_bucket", TEXTS_PER_BUCKET))


def with_num_buckets(
    quantizer: AnyQuantizer, num_buckets: int | str, n_texts: int
) -> tuple[AnyQuantizer, int]:
    """Return a quantizer with the requested number of buckets, and that number.

    Parameters
    ----------
    quantizer : Quantizer or PairQuantizer
    num_buckets : int, "auto" or "n/10"
        "n/10" is the paper's: a tenth of the texts, from 2 to 500.
    n_texts : int
        Texts of the smaller sample.

    Examples
    --------
    >>> with_num_buckets(KMeans(), "auto", 1000)[1], with_num_buckets(KMeans(), "n/10", 1000)[1]
    (25, 100)
    """
    if isinstance(num_buckets, str) and num_buckets not in BUCKET_RULES:
        raise bad_parameter("num_buckets", "an int, 'auto' or 'n/10'", num_buckets)
    fixed = fixed_num_buckets(quantizer)
    if fixed is not None:
        if num_buckets not in (*BUCKET_RULES, fixed):
            rule = f"{fixed}, which this quantizer always makes, or 'auto'"
            raise bad_parameter("num_buckets", rule, num_buckets)
        return quantizer, fixed
    default: int = getattr(quantizer, "default_buckets", DEFAULT_BUCKETS)
    wanted = num_buckets if isinstance(num_buckets, int) else None
    if num_buckets == "n/10":
        wanted = tenth_of(n_texts)
    elif num_buckets == "auto":
        wanted = default
        while wanted > 2 and wanted * _texts_per_bucket(quantizer) > n_texts:
            wanted = max(2, wanted // 2)
    if hasattr(quantizer, "with_num_buckets"):  # not every number is possible
        is_exact = not isinstance(num_buckets, str)
        sized = quantizer.with_num_buckets(num_buckets if is_exact else wanted, is_exact=is_exact)
        return sized, sized.num_buckets
    if isinstance(num_buckets, str) and wanted is not None:
        return quantizer, wanted
    why = f"the smallest sample has {n_texts} texts, and a bucket takes two of them on average"
    return quantizer, check_int("num_buckets", num_buckets, 2, max(2, n_texts // 2), why)


def tenth_of(n_texts: int) -> int:
    """Return the paper's number of buckets, a tenth of the texts, from 2 to 500.

    Examples
    --------
    >>> tenth_of(1000), tenth_of(20_000)
    (100, 500)
    """
    return max(2, min(n_texts // 10, MAX_TENTH_BUCKETS))


def reporting(
    quantizer: AnyQuantizer, n_clusterings: int, report: Callable[[str, int, int], None]
) -> AnyQuantizer:
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
    with_report: AnyQuantizer = replace(
        trained, on_epoch=lambda *_: report("training", next(done), total)
    )
    return with_report
