"""Plan how the texts of each system are divided into buckets."""

from collections.abc import Mapping

from mauve.comparison.settings import Settings, check_clusterings
from mauve.embed.load import Samples
from mauve.errors import bad_parameter
from mauve.quantize.classifier import Classifier
from mauve.quantize.protocol import AnyQuantizer
from mauve.quantize.registry import BucketPlan, plan_buckets


def plan_systems(
    samples: Samples,
    settings: Settings,
    quantizer: AnyQuantizer,
    num_buckets: int | str,
    n_learning: int | None,
    n_clusterings: int | None,
) -> dict[str, BucketPlan]:
    """Return how the texts of each system are divided, which does not depend on the others."""
    sizes = samples.sizes
    checked = check_clusterings(n_clusterings, quantizer, settings.clustering)
    if settings.clustering == "joint":
        if n_learning is not None:
            raise bad_parameter("n_learning", "left out for clustering='joint'", n_learning)
        rule = "n/10" if num_buckets == "auto" else num_buckets
        plan = plan_buckets(quantizer, rule, min(sizes.values()), n_clusterings=checked)
        return dict.fromkeys(samples.system_names, plan)
    n_human = sizes[samples.human_name]
    return {
        name: plan_buckets(
            quantizer,
            num_buckets,
            min(n_human, sizes[name]),
            n_clusterings=checked,
            n_learning=n_learning,
        )
        for name in samples.system_names
    }


def plan_classifiers(
    samples: Samples, plans: Mapping[str, BucketPlan], n_clusterings: int | None
) -> dict[str, BucketPlan]:
    """Return how a classifier divides the texts of each system whose score it is not itself."""
    classifier, n_human = Classifier(), samples.sizes[samples.human_name]
    checked = check_clusterings(n_clusterings, classifier, "pair")
    return {
        name: plan_buckets(
            classifier, "auto", min(n_human, samples.sizes[name]), n_clusterings=checked
        )
        for name, plan in plans.items()
        if not isinstance(plan.quantizer, Classifier)
    }
