"""Assign the texts of a comparison to buckets, one system at a time or all together."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mauve.arrays import HashArray, IntArray
from mauve.comparison.compared import labelled_pair, number_groups, pair_rows
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.errors import bad_parameter
from mauve.inference.resampling import LabelledPair
from mauve.quantize.crossfit import JointClustering, cluster_jointly
from mauve.quantize.kmeans import KMeans
from mauve.quantize.pairwise import SortedSample, cluster_pair
from mauve.quantize.protocol import PairQuantizer, Quantizer
from mauve.quantize.registry import BucketPlan, tenth_of

#: Clusterings that an explanation finds its clusters with.
_EXPLAINED_CLUSTERINGS = 40


@dataclass(frozen=True)
class PairBuckets:
    """Buckets that are learnt from the human texts and one system alone.

    Attributes
    ----------
    samples : Samples
    settings : Settings
    """

    samples: Samples
    settings: Settings

    @cached_property
    def _human(self) -> SortedSample:
        return self.sorted(self.samples.human_name)

    def sorted(self, name: str) -> SortedSample:
        """Return the features of a sample, sorted by content."""
        prompts = self.samples.prompt_hashes
        return SortedSample.of(
            self.samples.features[name],
            self.samples.hashes_of(name),
            None if prompts is None else prompts[self.samples.rows_of(name)],
            self.settings.order,
        )

    def pair(
        self,
        system: str,
        features: SortedSample,
        plan: BucketPlan,
        on_done: Callable[[], None] = lambda: None,
    ) -> LabelledPair:
        """Return the texts of a system and the human ones in their buckets.

        Parameters
        ----------
        system : str
        features : SortedSample
            Of the system.
        plan : BucketPlan
        on_done : callable
            Called after each clustering.
        """
        clustering = cluster_pair(
            self._human,
            features,
            quantizer=plan.quantizer,
            num_buckets=plan.num_buckets,
            n_learning=plan.n_learning,
            n_clusterings=plan.n_clusterings,
            seed=self.settings.seed,
            explained_variance=self.settings.explained_variance,
            on_done=on_done,
        )
        pair = labelled_pair(
            self.samples, system, clustering.labels, clustering.counted, plan.num_buckets
        )
        # What knows the samples may not count the texts that it was learnt from.
        is_blind = not isinstance(plan.quantizer, PairQuantizer)
        return counted_by(pair, self.settings) if is_blind else pair

    def one_bucket(self, system: str, plan: BucketPlan) -> LabelledPair:
        """Return the texts of a system and the human ones in one bucket, if all are equal.

        Parameters
        ----------
        system : str
        plan : BucketPlan
        """
        n = len(pair_rows(self.samples, system))
        labels = np.zeros((plan.n_clusterings, n), dtype=np.int32)
        counted = np.ones_like(labels, dtype=bool)
        return labelled_pair(self.samples, system, labels, counted, plan.num_buckets)


def counted_by(pair: LabelledPair, settings: Settings) -> LabelledPair:
    """Return a pair with the texts that the estimator counts: the biased ones count all."""
    return pair if settings.estimator == "jackknife" else pair.counting_all()


def joint_clustering(
    samples: Samples, settings: Settings, plan: BucketPlan, on_done: Callable[[int], None]
) -> JointClustering:
    """Cluster the texts of all samples together.

    Parameters
    ----------
    samples : Samples
    settings : Settings
    plan : BucketPlan
    on_done : callable
        Called with the number of clusterings done.
    """
    if not isinstance(plan.quantizer, Quantizer):
        why = "buckets of all samples together cannot be learnt from the difference of two"
        raise bad_parameter("clustering", "'pair' for this quantizer", settings.clustering, why)
    device = getattr(plan.quantizer, "device", "cpu")
    return cluster_jointly(
        [*samples.features.values()],
        quantizer=plan.quantizer,
        num_buckets=plan.num_buckets,
        n_clusterings=plan.n_clusterings,
        seed=settings.seed,
        hashes=samples.hashes,
        groups=_groups(samples.prompt_hashes),
        explained_variance=settings.explained_variance,
        order=settings.order,
        device=None if device == "cpu" else device,
        on_done=on_done,
    )


def joint_pair(
    samples: Samples, clustering: JointClustering, num_buckets: int, system: str
) -> LabelledPair:
    """Return the human texts and those of a system in the buckets of all samples."""
    rows = pair_rows(samples, system)
    return labelled_pair(
        samples,
        system,
        clustering.labels[:, rows],
        clustering.held_out[:, rows],
        num_buckets,
        clustering.blocks[rows],
    )


def clustering_to_explain(samples: Samples, settings: Settings) -> tuple[JointClustering, int]:
    """Cluster all samples together to explain them; return the number of buckets too.

    Explanations compare systems, so they need groups of texts that all systems share. Scores
    do not depend on them. They are found by k-means whatever the quantizer of the scores.
    """
    num_buckets = tenth_of(min(samples.sizes.values()))
    clustering = cluster_jointly(
        [*samples.features.values()],
        quantizer=KMeans(),
        num_buckets=num_buckets,
        n_clusterings=_EXPLAINED_CLUSTERINGS,
        seed=settings.seed,
        hashes=samples.hashes,
        groups=_groups(samples.prompt_hashes),
        explained_variance=settings.explained_variance,
        order=settings.order,
    )
    return clustering, num_buckets


def _groups(prompts: HashArray | None) -> IntArray | None:
    return None if prompts is None else number_groups(prompts)
