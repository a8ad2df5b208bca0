"""Turn texts in their buckets into a score with interval, ceiling and curve."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.comparison.advice import is_too_sparse
from mauve.comparison.compared import number_groups, pair_rows
from mauve.comparison.results import MauveResult
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.frontier.curve import integral_from
from mauve.frontier.grid import curve_grid, quadrature_grid
from mauve.frontier.histogram import no_smoothing
from mauve.frontier.score import mean_divergences, monotone, score_of
from mauve.inference.differences import Influence
from mauve.inference.intervals import (
    clustering_deviances,
    covariance,
    deviance_influences,
    score_interval,
)
from mauve.inference.quadratic_forms import PooledFeatures
from mauve.inference.resampling import LabelledPair, bootstrap_deviances, null_scores
from mauve.inference.two_sample import TwoSampleTest, two_sample_test
from mauve.quantize.protocol import PairQuantizer
from mauve.quantize.registry import BucketPlan

#: Clusterings that are resampled: they show the spread over texts as well as all of them do.
FEW_CLUSTERINGS = 5
#: Scores as if P = Q, for the mean and a quantile.
MOST_NULL_SCORES = 100


@dataclass(frozen=True)
class CountScores:
    """What follows from the counts of both samples alone; see :class:`MauveResult`."""

    mauve: float
    mauve_plugin: float
    mauve_star: float
    frontier_integral: float
    js: float
    type_1: float
    type_2: float
    divergence_curve: FloatArray
    p_hist: FloatArray
    q_hist: FloatArray

    @classmethod
    def of(
        cls,
        counts: tuple[IntArray, IntArray],
        all_counts: tuple[IntArray, IntArray],
        estimator: str,
        scaling: float,
    ) -> "CountScores":
        """Return the scores of texts in their buckets.

        Parameters
        ----------
        counts : tuple of two arrays of int, shape (n_clusterings, k)
            Of the texts that each clustering counts, of the human sample and of the system.
        all_counts : the same
            Of all texts.
        estimator : str
        scaling : float

        Examples
        --------
        >>> counts = np.array([[300, 100]]), np.array([[100, 300]])
        >>> round(CountScores.of(counts, counts, "plugin", 5).mauve, 3)
        0.56
        """
        grid, smooth_grid = curve_grid(), quadrature_grid()

        def score_by(smoothing: str) -> float:
            return float(score_of(mean_divergences(*all_counts, grid, smoothing), scaling))

        divergences = mean_divergences(*counts, grid, estimator)
        kl_p, kl_q = monotone(divergences)
        integral = integral_from(mean_divergences(*counts, smooth_grid, estimator), smooth_grid)
        type_1, type_2 = float(kl_q[grid.middle]), float(kl_p[grid.middle])
        return cls(
            mauve=float(score_of(divergences, scaling)),
            mauve_plugin=score_by("plugin"),
            mauve_star=score_by("krichevsky-trofimov"),
            frontier_integral=max(float(integral), 0.0),
            js=(type_1 + type_2) / 2,
            type_1=type_1,
            type_2=type_2,
            divergence_curve=np.exp(-scaling * np.stack([kl_q, kl_p], axis=-1)),
            p_hist=no_smoothing(all_counts[0]),
            q_hist=no_smoothing(all_counts[1]),
        )

    def fields(self) -> dict[str, Any]:
        """Return the attributes by name, as :class:`MauveResult` takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True)
class Scorer:
    """Scores systems against the human texts of a comparison.

    Attributes
    ----------
    samples : Samples
    settings : Settings
    """

    samples: Samples
    settings: Settings

    def score(
        self, system: str, pair: LabelledPair, plan: BucketPlan, test: TwoSampleTest | None
    ) -> MauveResult:
        """Return the score of a system, without warnings.

        Parameters
        ----------
        system : str
        pair : LabelledPair
            The human texts and those of the system in their buckets.
        plan : BucketPlan
            What made the buckets.
        test : TwoSampleTest or None
            The test of P = Q.
        """
        settings, samples = self.settings, self.samples
        estimator, scaling = settings.estimator, settings.scaling
        # A classifier knows which sample the texts that it learnt from are in: they would count as
        # a difference even if P = Q.
        is_blind = not isinstance(plan.quantizer, PairQuantizer)
        p_all, q_all = (pair.counting_all() if is_blind else pair).counts()

        counts = pair.counts()
        scored = CountScores.of(counts, (p_all, q_all), estimator, scaling)
        influences = deviance_influences(pair, scaling)
        by_clustering = clustering_deviances(
            *counts, 1 - float(pair.counted.mean()), estimator, scaling
        )
        # Sorted by content, so that what is drawn does not depend on the order of the texts.
        drawn_from = pair.first(FEW_CLUSTERINGS).at(self._order(system))
        error = self._standard_error(drawn_from, pair, influences, by_clustering)
        ceiling = ceiling_low = None
        if settings.n_permutations:
            n_draws = min(settings.n_permutations, MOST_NULL_SCORES)
            null = null_scores(drawn_from, estimator, scaling, n_draws, settings.seed)
            ceiling = float(null.mean())
            ceiling_low = float(np.quantile(null, 1 - settings.confidence))
        return MauveResult(
            name=system,
            **scored.fields(),
            interval=(
                (0.0, 1.0)  # withheld: a warning says so
                if is_too_sparse(float(pair.counted.sum(axis=1).mean()), plan)
                else score_interval(scored.mauve, error, settings.confidence)
            ),
            confidence=settings.confidence,
            p_value=None if test is None else test.p_value,
            test_statistic=None if test is None else test.largest,
            ceiling=ceiling,
            ceiling_low=ceiling_low,
            labels=pair.labels,
            counted=pair.counted,
            num_buckets=plan.num_buckets,
            n_learning=plan.n_learning if settings.clustering == "pair" else None,
            n_human=samples.sizes[samples.human_name],
            n_model=samples.sizes[system],
            warnings=(),
            signature=settings.signature(samples, system, plan),
            form=samples.forms.get(system),
            deviance_error=error,
            influence=self._sorted_influence(system, influences, by_clustering, pair),
        )

    def by_classifier(self, system: str, pair: LabelledPair, plan: BucketPlan) -> MauveResult:
        """Return the score in the buckets of a classifier, which no other systems can change."""
        # Its buckets are learnt pairwise in a joint comparison too.
        settings = replace(self.settings, clustering="pair", n_permutations=0)
        return Scorer(self.samples, settings).score(system, pair, plan, None)

    def test(self, system: str) -> TwoSampleTest | None:
        """Test that a system and human text have the same source."""
        if not self.settings.n_permutations:
            return None
        samples = self.samples
        names = (samples.human_name, system)
        groups, prompts = None, samples.prompt_hashes
        if prompts is not None:
            groups = number_groups(
                np.concatenate([prompts[samples.rows_of(name)] for name in names])
            )
        pooled = PooledFeatures(
            [samples.features[name] for name in names],
            [samples.hashes_of(name) for name in names],
            groups,
        )
        return two_sample_test(pooled, self.settings.n_permutations, self.settings.seed)

    def _order(self, system: str) -> IntArray:
        rows = pair_rows(self.samples, system)
        hashes, prompts = self.samples.hashes[rows], self.samples.prompt_hashes
        return np.lexsort([hashes] if prompts is None else [prompts[rows], hashes])

    def _standard_error(
        self,
        drawn_from: LabelledPair,
        pair: LabelledPair,
        influences: FloatArray,
        by_clustering: FloatArray,
    ) -> float:
        """Return the standard error of the deviance: over texts, and over clusterings."""
        settings = self.settings
        of_clusterings = float(by_clustering @ by_clustering)
        if settings.interval == "influence":
            return float(np.sqrt(covariance(influences, influences, pair.groups) + of_clusterings))
        deviances = bootstrap_deviances(
            drawn_from, settings.estimator, settings.scaling, settings.n_bootstrap, settings.seed
        )
        return float(np.sqrt(np.var(deviances, ddof=1) + of_clusterings))

    def _sorted_influence(
        self, system: str, influences: FloatArray, by_clustering: FloatArray, pair: LabelledPair
    ) -> Influence:
        samples = self.samples
        rows = pair_rows(samples, system)
        prompts = samples.prompt_hashes
        return Influence.sorted_by_content(
            influences,
            pair.is_human,
            samples.hashes[rows],
            None if prompts is None else prompts[rows],
            by_clustering,
        )
