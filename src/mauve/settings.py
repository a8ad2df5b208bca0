"""The parameters of `compare`, checked, and the signature they make."""

from dataclasses import dataclass
from importlib.metadata import version

from mauve.errors import bad_parameter, check_choice, check_int
from mauve.quantize.crossfit import N_BLOCKS, Quantizer
from mauve.quantize.kmeans import KMeans

MAX_AUTO_BUCKETS = 500
MAX_SCALING = 100  # beyond, the least score is too small for a float


@dataclass(frozen=True)
class Settings:
    """Checked parameters of one call."""

    num_buckets: int
    n_clusterings: int
    scaling: float
    quantizer: Quantizer
    estimator: str
    confidence: float
    interval: str
    n_bootstrap: int
    n_permutations: int
    explained_variance: float
    order: str
    seed: int
    by_prompt: bool

    def signature(self, origin: str, n_human: int, n_model: int) -> str:
        """Return the recipe: what must be equal for two scores to be comparable.

        `origin` says where the features come from.
        """
        return "|".join(
            [
                f"mauve:{version('mauve-eval')}",
                f"emb:{origin}",
                f"reduce:{self.order}-{self.explained_variance:.12g}",
                f"quant:{self.quantizer.signature}",
                f"k:{self.num_buckets}",
                f"fit:2of{N_BLOCKS}x{self.n_clusterings}"
                + ("-by-prompt" if self.by_prompt else ""),
                f"c:{self.scaling:.12g}",
                f"est:{self.estimator}",
                f"n:{n_human}+{n_model}",
                f"seed:{self.seed}",
            ]
        )


def check_buckets(num_buckets: int | str, n_texts: int) -> int:
    """Return the number of cells for samples of at least `n_texts`.

    Examples
    --------
    >>> check_buckets("auto", 1000), check_buckets(50, 1000)
    (100, 50)
    """
    if isinstance(num_buckets, str):
        if num_buckets != "auto":
            raise bad_parameter("compare", "num_buckets", "an int or 'auto'", num_buckets)
        return max(2, min(n_texts // 10, MAX_AUTO_BUCKETS))
    # A clustering is fitted on two of five blocks of each sample, at least two samples.
    return check_int("compare", "num_buckets", num_buckets, 2, max(2, n_texts // 2))


def check_clusterings(n_clusterings: int) -> int:
    """Return the number of clusterings if it counts every text equally often.

    Examples
    --------
    >>> check_clusterings(10)
    10
    """
    if check_int("compare", "n_clusterings", n_clusterings, 5) % 5:
        raise bad_parameter("compare", "n_clusterings", "a multiple of 5", n_clusterings)
    return int(n_clusterings)


def check_quantizer(quantizer: str | Quantizer, device: str) -> Quantizer:
    """Return the quantizer that a name or an object stands for, on a device.

    Examples
    --------
    >>> check_quantizer("kmeans", "auto")
    KMeans(n_restarts=1, max_iter=100, tolerance=0.001)
    """
    if not isinstance(device, str):
        raise bad_parameter("compare", "device", "'auto', 'cpu' or a torch device", device)
    if not isinstance(quantizer, str):
        if not (hasattr(quantizer, "fit") and hasattr(quantizer, "signature")):
            rule = "'kmeans' or an object with a method 'fit' and an attribute 'signature'"
            raise bad_parameter("compare", "quantizer", rule, quantizer)
        return quantizer
    check_choice("compare", "quantizer", quantizer, ("kmeans",))
    if device in ("auto", "cpu"):
        return KMeans()
    from mauve.quantize.kmeans_torch import TorchKMeans, torch_device

    first = device.split(",")[0].strip()  # texts are shared out over several, clusters are not
    torch_device(first)
    return TorchKMeans(device=first)
