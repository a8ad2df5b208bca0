"""Quantizers by name, with as many cells as the texts allow."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

import numpy as np

from mauve.errors import bad_parameter, check_choice, check_int
from mauve.quantize.crossfit import Quantizer, fixed_num_buckets
from mauve.quantize.kmeans import KMeans

QUANTIZERS = ("kmeans", "drmm", "lattice")
MAX_AUTO_BUCKETS = 500
_LAYERS = 3  # of a DRMM, as in the paper
_MOST_COMPONENTS = 10  # of each, as in the paper


def get_quantizer(spec: str | Quantizer, device: str = "auto") -> Quantizer:
    """Return the quantizer that a name or an object stands for, on a device.

    Parameters
    ----------
    spec : {"kmeans", "drmm", "lattice"} or Quantizer
        An object has a method ``fit`` and an attribute ``signature``, and an attribute
        ``num_buckets`` if it makes a number of cells of its own.
    device : str
        "auto" and "cpu" stand for the CPU; any other is a torch device.

    Examples
    --------
    >>> get_quantizer("kmeans")
    KMeans(n_restarts=1, max_iter=100, tolerance=0.001)
    """
    if not isinstance(device, str):
        raise bad_parameter("compare", "device", "'auto', 'cpu' or a torch device", device)
    if not isinstance(spec, str):
        if not (hasattr(spec, "fit") and hasattr(spec, "signature")):
            names = ", ".join(map(repr, QUANTIZERS))
            rule = f"{names} or an object with a method 'fit' and an attribute 'signature'"
            raise bad_parameter("compare", "quantizer", rule, spec)
        return spec
    check_choice("compare", "quantizer", spec, QUANTIZERS)
    first = device.split(",")[0].strip()  # texts are shared out over several, clusters are not
    where = "cpu" if first == "auto" else first
    if spec == "kmeans" and where == "cpu":
        return KMeans()
    from mauve.quantize.gpu import TorchKMeans, torch_device

    torch_device(where)  # raises where torch or the device is missing
    if spec == "kmeans":
        return TorchKMeans(device=where)
    if spec == "drmm":
        from mauve.quantize.drmm import DRMM

        return DRMM(n_layers=_LAYERS, device=where)
    from mauve.quantize.lattice import Lattice

    return Lattice(device=where)


def with_num_buckets(
    quantizer: Quantizer, num_buckets: int | str, n_texts: int, *, named: bool
) -> tuple[Quantizer, int]:
    """Return a quantizer with the number of cells asked for, and that number.

    Parameters
    ----------
    quantizer : Quantizer
    num_buckets : int or "auto"
        By default a tenth of the texts, or what the quantizer makes in any case.
    n_texts : int
        Texts of the smallest sample.
    named : bool
        Whether the quantizer was asked for by name, so that its settings may be changed.

    Examples
    --------
    >>> with_num_buckets(KMeans(), "auto", 1000, named=True)[1]
    100
    >>> from mauve.quantize.drmm import DRMM
    >>> with_num_buckets(DRMM(), "auto", 1000, named=True)[1]
    125
    """
    if isinstance(num_buckets, str) and num_buckets != "auto":
        raise bad_parameter("compare", "num_buckets", "an int or 'auto'", num_buckets)
    own = fixed_num_buckets(quantizer)
    if own is None:
        return quantizer, check_buckets(num_buckets, n_texts)
    if named:
        from mauve.quantize.drmm import DRMM

        if isinstance(quantizer, DRMM):
            drmm: DRMM = quantizer
            sized = replace(drmm, n_components=_components(num_buckets, n_texts))
            return sized, sized.num_buckets
    if num_buckets not in ("auto", own):
        rule = f"{own}, all that this quantizer makes, or 'auto'"
        raise bad_parameter("compare", "num_buckets", rule, num_buckets)
    return quantizer, own


def _components(num_buckets: int | str, n_texts: int) -> int:
    """Return the components of a layer for so many cells, about a tenth of the texts."""
    if num_buckets == "auto":
        return int(np.clip(np.cbrt(n_texts / 10).round(), 2, _MOST_COMPONENTS))
    cells = check_int("compare", "num_buckets", num_buckets, 8)
    components = int(np.cbrt(cells).round())
    if components**_LAYERS != cells:
        near = ", ".join(str(c**_LAYERS) for c in range(max(2, components - 1), components + 2))
        raise bad_parameter("compare", "num_buckets", f"a cube for 'drmm', such as {near}", cells)
    return components


def reporting(
    quantizer: Quantizer, n_clusterings: int, report: Callable[[str, int, int], None]
) -> Quantizer:
    """Return a quantizer that reports the epochs of all clusterings, where it has any.

    Examples
    --------
    >>> reporting(KMeans(), 5, print) == KMeans()
    True
    """
    if fixed_num_buckets(quantizer) is None:  # k-means, for which nothing more need be loaded
        return quantizer
    from mauve.quantize.drmm import DRMM
    from mauve.quantize.lattice import Lattice

    if not isinstance(quantizer, DRMM | Lattice):
        return quantizer
    done = count(1)  # clusterings are trained side by side
    total = n_clusterings * quantizer.epochs
    return replace(quantizer, on_epoch=lambda *_: report("training", next(done), total))


def check_buckets(num_buckets: int | str, n_texts: int) -> int:
    """Return the number of cells for samples of at least `n_texts`.

    Examples
    --------
    >>> check_buckets("auto", 1000), check_buckets(50, 1000)
    (100, 50)
    """
    if num_buckets == "auto":
        return max(2, min(n_texts // 10, MAX_AUTO_BUCKETS))
    # A clustering is fitted on two of five blocks of each sample, at least two samples.
    return check_int("compare", "num_buckets", num_buckets, 2, max(2, n_texts // 2))
