"""Check the parameters of `compare`, and write and read signatures."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal, get_args

from mauve.embed.load import Samples
from mauve.errors import bad_parameter, check_choice, check_int, check_real, check_share
from mauve.frontier.estimators import ESTIMATORS, EstimatorName
from mauve.quantize.crossfit import N_BLOCKS
from mauve.quantize.protocol import AnyQuantizer, fixed_num_buckets
from mauve.quantize.reduce import ORDERS, OrderName
from mauve.quantize.registry import BucketPlan

IntervalName = Literal["influence", "bootstrap"]
INTERVALS: tuple[IntervalName, ...] = get_args(IntervalName)
#: What buckets are learnt from: human texts and one system, or all samples of the call together.
ClusteringName = Literal["pair", "joint"]
CLUSTERINGS: tuple[ClusteringName, ...] = get_args(ClusteringName)
MAX_SCALING = 100
MIN_TEXTS = 10  # half of them are learnt from and the others counted
N_CLUSTERINGS = 40
N_TRAINED = 5  # clusterings of a quantizer that trains for seconds or minutes
MIN_BOOTSTRAP = 20
MIN_CLUSTERINGS = 2

# Why these limits are what they are, for messages here and on the command line.
WHY_SCALING = "the least score, 1/binom(2c, c), is 1e-59 at 100 already, and soon rounded to 0"
WHY_BOOTSTRAP = "from fewer resamples a standard error is off by more than a sixth"
WHY_SPREAD = "the spread over clusterings is a part of the interval"
WHY_CLUSTERINGS = (
    f"texts are dealt into {N_BLOCKS} blocks, and only a multiple of {N_BLOCKS} counts every text "
    "equally often"
)


@dataclass(frozen=True)
class Settings:
    """Checked parameters of one comparison; see :func:`mauve.compare`."""

    clustering: ClusteringName
    scaling: float
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
            "clustering": check_choice("clustering", self.clustering, CLUSTERINGS),
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

    def signature(self, samples: Samples, system: str, plan: BucketPlan) -> str:
        """Return the signature: what must be equal for two scores to be comparable.

        A score depends on the human texts, and, if all samples are clustered together, on the
        texts of all systems, so there is a checksum of each.
        """
        human, is_joint = samples.human_name, self.clustering == "joint"
        learnt_from = f"2of{N_BLOCKS}" if is_joint else f"pair-{plan.n_learning}"
        parts = {
            "mauve": version("mauve-eval"),
            "emb": samples.origin,
            "reduce": f"{self.order}-{self.explained_variance:.12g}",
            "quant": plan.quantizer.signature,
            "k": str(plan.num_buckets),
            "fit": f"{learnt_from}x{plan.n_clusterings}" + "-by-prompt" * self.by_prompt,
            "c": f"{self.scaling:.12g}",
            "est": self.estimator,
            "human": samples.digest(human),
        }
        if is_joint:
            parts["joint"] = samples.joint_digest
        parts["n"] = "+".join(_size(samples, name) for name in (human, system))
        parts["seed"] = str(self.seed)
        return format_signature(parts)


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


def joined_parts(signatures: Sequence[str], keys: Sequence[str]) -> dict[str, str]:
    """Return some parts of several signatures, with all values of each.

    Examples
    --------
    >>> joined_parts(["k:25|n:300+300", "k:12|n:300+100"], ["k", "joint"])
    {'k': '25/12'}
    """
    parsed = [parse_signature(signature) for signature in signatures]
    values = {key: [parts[key] for parts in parsed if key in parts] for key in keys}
    return {key: "/".join(dict.fromkeys(found)) for key, found in values.items() if found}


def check_clusterings(
    n_clusterings: int | None, quantizer: AnyQuantizer, clustering: ClusteringName
) -> int:
    """Return the number of clusterings; joint ones must count every text equally often.

    Examples
    --------
    >>> from mauve.quantize.kmeans import KMeans
    >>> check_clusterings(None, KMeans(), "pair"), check_clusterings(10, KMeans(), "joint")
    (40, 10)
    """
    check_choice("clustering", clustering, CLUSTERINGS)
    if n_clusterings is None:
        is_trained = hasattr(quantizer, "on_epoch") or fixed_num_buckets(quantizer) is not None
        return N_TRAINED if is_trained else N_CLUSTERINGS
    if clustering == "pair":
        return check_int("n_clusterings", n_clusterings, MIN_CLUSTERINGS, why=WHY_SPREAD)
    if check_int("n_clusterings", n_clusterings, N_BLOCKS, why=WHY_CLUSTERINGS) % N_BLOCKS:
        rule = f"a multiple of {N_BLOCKS}"
        raise bad_parameter("n_clusterings", rule, n_clusterings, WHY_CLUSTERINGS)
    return int(n_clusterings)
