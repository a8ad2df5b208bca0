"""Check the parameters of `compare`, and write and read signatures."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, get_args

from mauve.embed.load import Samples
from mauve.errors import bad_parameter, check_choice, check_int, check_real, check_share
from mauve.frontier.estimators import ESTIMATORS, EstimatorName
from mauve.quantize.crossfit import N_BLOCKS
from mauve.quantize.protocol import Quantizer, fixed_num_buckets
from mauve.quantize.reduce import ORDERS, OrderName

IntervalName = Literal["influence", "bootstrap"]
INTERVALS: tuple[IntervalName, ...] = get_args(IntervalName)
MAX_SCALING = 100
MIN_TEXTS = 2 * N_BLOCKS  # every block needs two texts of each sample
MIN_BOOTSTRAP = 20

# Why these limits are what they are, for messages here and on the command line.
WHY_SCALING = "the least score, 1/binom(2c, c), is 1e-59 at 100 already, and soon rounded to 0"
WHY_BOOTSTRAP = "from fewer resamples a standard error is off by more than a sixth"
WHY_CLUSTERINGS = (
    f"texts are dealt into {N_BLOCKS} blocks, and only a multiple of {N_BLOCKS} counts every text "
    "equally often"
)


@dataclass(frozen=True)
class Settings:
    """Checked parameters of one comparison; see :func:`mauve.compare`."""

    num_buckets: int
    n_clusterings: int
    scaling: float
    quantizer: Quantizer
    estimator: EstimatorName
    confidence: float
    interval: IntervalName
    n_bootstrap: int
    n_permutations: int
    explained_variance: float
    order: OrderName
    seed: int
    by_prompt: bool

    def __post_init__(self) -> None:
        checked = {
            "scaling": check_real("scaling", self.scaling, 0, MAX_SCALING, WHY_SCALING),
            "estimator": check_choice("estimator", self.estimator, ESTIMATORS),
            "confidence": check_share("confidence", self.confidence),
            "interval": check_choice("interval", self.interval, INTERVALS),
            "n_bootstrap": check_int(
                "n_bootstrap", self.n_bootstrap, MIN_BOOTSTRAP, why=WHY_BOOTSTRAP
            ),
            "n_permutations": check_int("n_permutations", self.n_permutations, 0),
            "explained_variance": check_real(
                "explained_variance", self.explained_variance, above=0, up_to=1
            ),
            "order": check_choice("order", self.order, ORDERS),
            "seed": check_int("seed", self.seed, 0),
        }
        for name, value in checked.items():  # plain Python numbers, whatever was passed
            object.__setattr__(self, name, value)

    def signature(self, samples: Samples, system: str) -> str:
        """Return the signature: what must be equal for two scores to be comparable.

        A score depends on the human texts and, because all samples are clustered together, on
        the texts of all systems, so there is a checksum of each.
        """
        human = samples.human_name
        return format_signature(
            {
                "mauve": version("mauve-eval"),
                "emb": samples.origin,
                "reduce": f"{self.order}-{self.explained_variance:.12g}",
                "quant": self.quantizer.signature,
                "k": str(self.num_buckets),
                "fit": f"2of{N_BLOCKS}x{self.n_clusterings}" + "-by-prompt" * self.by_prompt,
                "c": f"{self.scaling:.12g}",
                "est": self.estimator,
                "human": samples.digest(human),
                "joint": samples.joint_digest,
                "n": "+".join(_size(samples, name) for name in (human, system)),
                "seed": str(self.seed),
            }
        )


def _size(samples: Samples, name: str) -> str:
    """Return the number of texts, and of how many they were drawn."""
    of = f"of{samples.n_given[name]}" if name in samples.kept else ""
    return f"{samples.sizes[name]}{of}"


def format_signature(parts: dict[str, str]) -> str:
    """Return the parts of a signature as one string.

    Examples
    --------
    >>> format_signature({"k": "50", "seed": "0"})
    'k:50|seed:0'
    """
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def parse_signature(signature: str) -> dict[str, str]:
    """Return the parts of a signature by their keys.

    Examples
    --------
    >>> parse_signature("emb:http://host:80|seed:0")
    {'emb': 'http://host:80', 'seed': '0'}
    """
    pairs = (part.partition(":") for part in signature.split("|"))
    return {key: value for key, _, value in pairs}


def check_clusterings(n_clusterings: int | None, quantizer: Quantizer) -> int:
    """Return the number of clusterings, which must count every text equally often.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> check_clusterings(None, KMeans()), check_clusterings(10, KMeans())
    (40, 10)
    """
    if n_clusterings is None:
        # Training is slow, and five clusterings are enough to count every text.
        return 40 if fixed_num_buckets(quantizer) is None else 5
    if check_int("n_clusterings", n_clusterings, N_BLOCKS, why=WHY_CLUSTERINGS) % N_BLOCKS:
        rule = f"a multiple of {N_BLOCKS}"
        raise bad_parameter("n_clusterings", rule, n_clusterings, WHY_CLUSTERINGS)
    return int(n_clusterings)
