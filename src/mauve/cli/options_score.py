"""Options in the panels *Score* and *Inference*: how MAUVE is estimated and tested."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from mauve.cli.option_groups import OptionGroup, choice
from mauve.cli.values import at_least, between_0_and_1, number, number_or, quantizer_name
from mauve.comparison.settings import (
    CLUSTERINGS,
    INTERVALS,
    MAX_SCALING,
    MIN_BOOTSTRAP,
    MIN_CLUSTERINGS,
    WHY_BOOTSTRAP,
    WHY_SCALING,
    WHY_SPREAD,
)
from mauve.frontier.estimators import ESTIMATORS
from mauve.protocols.catalogue import NAMES
from mauve.quantize.learning import MIN_LEARNING, WHY_LEARNING
from mauve.quantize.reduce import ORDERS
from mauve.quantize.registry import BUCKET_RULES, QUANTIZERS, quantizer_names


def _is_scaling(value: float) -> bool:
    return 0 < value <= MAX_SCALING


@dataclass(frozen=True)
class ProtocolOptions(OptionGroup):
    """The protocol of papers on one subject, in place of single options."""

    panel = "Score"

    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compute the score as papers on one subject do, and print it beside ours: "
            f"{', '.join(NAMES)}, or a .toml file of your own; mauve protocols describes them. "
            "It fixes the other options of the score. --embedder, --tokenizer and "
            "--language-model replace all its models together, and the recipe says so.",
        ),
    ] = None


@dataclass(frozen=True)
class ScoreOptions(OptionGroup):
    """How MAUVE is computed from features."""

    panel = "Score"

    num_buckets: Annotated[
        Any,  # int or a rule: Typer has no unions
        typer.Option(
            metavar="K",
            parser=number_or(*BUCKET_RULES),
            help="Number of buckets. 'auto' is 25 from 200 texts on, and fewer below (10 for "
            "classifier, 27 for drmm, 744 for lattice); 'n/10', the paper's, is a tenth of the "
            "smaller sample, from 2 to 500.",
        ),
    ] = "auto"
    n_learning: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(MIN_LEARNING, WHY_LEARNING),
            help="Number of texts that each clustering is learnt from, half of them human; the "
            "others are counted. 8 for each bucket by default, or 20 with a classifier.",
        ),
    ] = None
    clustering: Annotated[
        str,
        choice(
            CLUSTERINGS,
            "What buckets are learnt from: human texts and one system, or all samples together, "
            f"so that scores depend on the other systems: {', '.join(CLUSTERINGS)}.",
        ),
    ] = "pair"
    quantizer: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            callback=quantizer_name,
            autocompletion=quantizer_names,
            help=f"What divides the features into buckets: {', '.join(QUANTIZERS)}; the latter two "
            "are trained, and need torch. Or one of another package.",
        ),
    ] = "kmeans"
    n_clusterings: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=at_least(MIN_CLUSTERINGS, WHY_SPREAD),
            help="Number of clusterings to average over; 40 by default, or 5 with a quantizer that "
            "is trained.",
        ),
    ] = None
    scaling: Annotated[
        float,
        typer.Option(
            metavar="C",
            callback=number(f"above 0 and at most {MAX_SCALING}", _is_scaling, WHY_SCALING),
            help="Scaling constant c of the MAUVE paper.",
        ),
    ] = 5.0
    estimator: Annotated[
        str,
        choice(ESTIMATORS, f"How divergences are estimated from counts: {', '.join(ESTIMATORS)}."),
    ] = "jackknife"
    explained_variance: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            callback=number("above 0 and at most 1", lambda x: 0 < x <= 1),
            help="Share of the variance that the principal components keep.",
        ),
    ] = 0.9
    order: Annotated[
        str,
        choice(
            ORDERS,
            "Scale features to unit length before the projection on principal components or "
            f"after it: {', '.join(ORDERS)}.",
        ),
    ] = "norm-pca"


@dataclass(frozen=True)
class ConfidenceOptions(OptionGroup):
    """Level of the intervals, and the random seed."""

    panel = "Inference"

    confidence: Annotated[
        float,
        typer.Option(metavar="LEVEL", callback=between_0_and_1, help="Level of the intervals."),
    ] = 0.95
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Random seed.")] = 0


@dataclass(frozen=True)
class PermutationOptions(ConfidenceOptions):
    """The same, and permutation tests."""

    n_permutations: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Permutations for p-values and the ceiling; 0 leaves them out of compare, and "
            "explain takes at least 100.",
        ),
    ] = 1000


@dataclass(frozen=True)
class InferenceOptions(PermutationOptions):
    """The same, and the interval of the score."""

    interval: Annotated[
        str, choice(INTERVALS, f"How the standard error is computed: {', '.join(INTERVALS)}.")
    ] = "influence"
    n_bootstrap: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(MIN_BOOTSTRAP, WHY_BOOTSTRAP),
            help="Number of resamples with --interval bootstrap.",
        ),
    ] = 200


@dataclass(frozen=True)
class EquivalenceOptions(OptionGroup):
    """The margin of the equivalence tests."""

    panel = "Inference"

    margin: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA",
            callback=between_0_and_1,
            help="Add p-values of equivalence tests: the score is within DELTA of 1, and two "
            "scores are within DELTA of each other.",
        ),
    ] = None
