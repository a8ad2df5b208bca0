"""The parameters of `compare`, checked, and the signature they make."""

from dataclasses import dataclass
from importlib.metadata import version

from mauve.errors import bad_parameter, check_int
from mauve.quantize.crossfit import N_BLOCKS
from mauve.quantize.protocol import Quantizer, fixed_num_buckets

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


def check_clusterings(n_clusterings: int | None, quantizer: Quantizer) -> int:
    """Return the number of clusterings, if it counts every text equally often.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> check_clusterings(None, KMeans()), check_clusterings(10, KMeans())
    (40, 10)
    """
    if n_clusterings is None:
        # What is trained takes its time; five are the least that count every text.
        return 40 if fixed_num_buckets(quantizer) is None else 5
    if check_int("compare", "n_clusterings", n_clusterings, 5) % 5:
        raise bad_parameter("compare", "n_clusterings", "a multiple of 5", n_clusterings)
    return int(n_clusterings)
