"""Turn counts and sums over shards into the results that a comparison in memory gives."""

from dataclasses import dataclass, replace

import numpy as np

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.comparison.advice import is_too_sparse
from mauve.comparison.results import MauveResult
from mauve.comparison.scoring import FEW_CLUSTERINGS, MOST_NULL_SCORES, CountScores
from mauve.comparison.settings import Settings
from mauve.engine.drawing import DrawnTexts, Learning
from mauve.engine.samples import StreamedSamples
from mauve.engine.stages import Assigned
from mauve.inference.differences import Influence
from mauve.inference.intervals import clustering_deviances, influence_tables, score_interval
from mauve.inference.permutations import ExchangeableUnits
from mauve.inference.resampling import LabelledPair, null_scores, permuted_scores
from mauve.inference.two_sample import TwoSampleTest
from mauve.quantize.protocol import PairQuantizer
from mauve.quantize.registry import BucketPlan

#: Units of a sample that are exchanged as if P = Q, of the smaller one.
N_UNITS = 500
#: Texts of both samples below which single texts are exchanged, as in memory.
FEW_TEXTS = 100_000


@dataclass(frozen=True)
class JobCounts:
    """The counts of the human texts and of one system, by one quantizer.

    Attributes
    ----------
    all_counts : tuple of two arrays of int, shape (n_clusterings, k)
        Of all texts, human and system.
    counts : the same
        Of the texts that each clustering counts.
    learnt : tuple of two arrays of bool, shape (n_clusterings, n_drawn)
        Drawn texts that a clustering does not count, human and system.
    """

    all_counts: tuple[IntArray, IntArray]
    counts: tuple[IntArray, IntArray]
    learnt: tuple[BoolArray, BoolArray]

    @property
    def share_learnt(self) -> float:
        """Share of the texts that a clustering does not count."""
        counted = sum(int(part.sum()) for part in self.counts)
        return 1 - counted / sum(int(part.sum()) for part in self.all_counts)


def is_blind(plan: BucketPlan) -> bool:
    """Whether the quantizer does not know which sample a text is in."""
    return not isinstance(plan.quantizer, PairQuantizer)


def learnt_texts(
    drawn: DrawnTexts, learning: Learning, plan: BucketPlan, settings: Settings
) -> BoolArray:
    """Return which drawn texts each clustering does not count, shape (n_clusterings, n_drawn)."""
    learnt = np.zeros((learning.n_clusterings, len(drawn.keys)), dtype=bool)
    if settings.estimator == "jackknife" or not is_blind(plan):
        np.put_along_axis(learnt, drawn.learning[learning], True, axis=1)
    return learnt


def job_counts(
    assigned: tuple[Assigned, Assigned],
    jobs: tuple[int, int],
    rows: tuple[slice, slice],
    learnt: tuple[BoolArray, BoolArray],
) -> JobCounts:
    """Return the counts of one system by one quantizer.

    Parameters
    ----------
    assigned : tuple of two Assigned
        All human texts, and all of the system.
    jobs : tuple of two ints
        Number of the job in each.
    rows : tuple of two slices
        Clusterings of the job in each.
    learnt : tuple of two arrays of bool
        As in :class:`JobCounts`.
    """
    all_counts, counts = [], []
    for texts, job, part, not_counted in zip(assigned, jobs, rows, learnt, strict=True):
        of_all = texts.counts[job]
        of_learnt = np.zeros_like(of_all)
        labels = texts.labels[part]
        clustering, at = np.nonzero(not_counted[:, texts.drawn])
        np.add.at(of_learnt, (clustering, labels[clustering, at]), 1)
        all_counts.append(of_all)
        counts.append(of_all - of_learnt)
    return JobCounts((all_counts[0], all_counts[1]), (counts[0], counts[1]), learnt)


def number_of_units(n_human: int, n_model: int) -> tuple[int, int]:
    """Return the numbers of units of two samples, of about equally many texts.

    Examples
    --------
    >>> number_of_units(1_000_000, 3_000_000), number_of_units(500, 600)
    ((500, 1500), (0, 0))
    """
    if n_human + n_model <= FEW_TEXTS:
        return 0, 0
    size = min(n_human, n_model) / N_UNITS
    return round(n_human / size), round(n_model / size)


def compressed_influences(products: FloatArray) -> FloatArray:
    """Return short vectors whose products are those of the influences, shape (n_jobs, n_jobs).

    Variances, and the correlation of two scores, follow from these products alone.

    Examples
    --------
    >>> products = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> vectors = compressed_influences(products)
    >>> bool(abs(vectors @ vectors.T - products).max() < 1e-12)
    True
    """
    values, vectors = np.linalg.eigh(products)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class Merger:
    """Makes the result of one system by one quantizer.

    Attributes
    ----------
    samples : StreamedSamples
    settings : Settings
    system : str
    plan : BucketPlan
    counts : JobCounts
    """

    samples: StreamedSamples
    settings: Settings
    system: str
    plan: BucketPlan
    counts: JobCounts

    def tables(self) -> FloatArray:
        """Return the influence of a counted text by its bucket, shape (n_clusterings, k, 2)."""
        return influence_tables(*self.counts.counts, self.settings.scaling)

    def result(
        self,
        products: tuple[FloatArray, FloatArray],
        ceiling: tuple[float, float] | None,
        test: TwoSampleTest | None,
        comparison_hash: int,
    ) -> MauveResult:
        """Return the result, without warnings.

        Parameters
        ----------
        products : tuple of two arrays
            Compressed influences of the human texts, and of the system's; see
            :func:`compressed_influences`.
        ceiling : tuple of two floats, or None
            Mean and lower limit of scores as if P = Q.
        test : TwoSampleTest or None
        comparison_hash : int
            The same for results whose compressed influences may be multiplied.
        """
        settings, samples, plan = self.settings, self.samples, self.plan
        scored = CountScores.of(
            self.counts.counts,
            self.counts.all_counts if is_blind(plan) else self.counts.counts,
            settings.estimator,
            settings.scaling,
        )
        by_clustering = clustering_deviances(
            *self.counts.counts, self.counts.share_learnt, settings.estimator, settings.scaling
        )
        n_human, n_model = (samples.sizes[name] for name in (samples.human_name, self.system))
        n = n_human + n_model
        human, model = products
        variance = float(human @ human + model @ model) * n / (n - 1)
        error = float(np.sqrt(variance + by_clustering @ by_clustering))
        no_texts = np.empty((plan.n_clusterings, 0))
        return MauveResult(
            name=self.system,
            **scored.fields(),
            interval=(
                (0.0, 1.0)  # withheld: a warning says so
                if is_too_sparse((1 - self.counts.share_learnt) * n, plan)
                else score_interval(scored.mauve, error, settings.confidence)
            ),
            confidence=settings.confidence,
            p_value=None if test is None else test.p_value,
            test_statistic=None if test is None else test.largest,
            ceiling=None if ceiling is None else ceiling[0],
            ceiling_low=None if ceiling is None else ceiling[1],
            labels=no_texts.astype(np.int32),
            counted=no_texts.astype(bool),
            num_buckets=plan.num_buckets,
            n_learning=plan.n_learning,
            n_human=n_human,
            n_model=n_model,
            warnings=(),
            signature=settings.signature(samples, self.system, plan),
            form=samples.forms.get(self.system),
            deviance_error=error,
            influence=_influence(human, model, n, comparison_hash, by_clustering),
        )

    def ceiling_of_units(self, by_unit: tuple[IntArray, IntArray]) -> tuple[float, float]:
        """Return the mean and the lower limit of the score as if P = Q, from units of texts."""
        few = min(FEW_CLUSTERINGS, self.plan.n_clusterings)
        cells = np.concatenate(by_unit).astype(np.float64)  # integers below 2^53
        is_human = np.repeat([True, False], [len(part) for part in by_unit])
        units = ExchangeableUnits.of(is_human, np.arange(len(cells)), np.zeros(len(cells), int))

        def draw_counts(n_draws: int, rng: np.random.Generator) -> IntArray:
            drawn = units.draw(n_draws, rng).astype(np.float64) @ cells
            return drawn.astype(np.int64).reshape(n_draws, few, -1)

        totals = cells.sum(axis=0).astype(np.int64).reshape(few, -1)
        return self._limits(
            permuted_scores(
                draw_counts,
                totals=totals,
                n_human=self.counts.counts[0][:few].sum(axis=1),
                estimator=self.settings.estimator,
                scaling=self.settings.scaling,
                n_draws=self._n_draws,
                seed=self.settings.seed,
            )
        )

    def ceiling_of_texts(self, pair: LabelledPair) -> tuple[float, float]:
        """Return the same from single texts, sorted by content, as a comparison in memory does."""
        settings = self.settings
        return self._limits(
            null_scores(pair, settings.estimator, settings.scaling, self._n_draws, settings.seed)
        )

    @property
    def _n_draws(self) -> int:
        return min(self.settings.n_permutations, MOST_NULL_SCORES)

    def _limits(self, scores: FloatArray) -> tuple[float, float]:
        return float(scores.mean()), float(np.quantile(scores, 1 - self.settings.confidence))


def _influence(
    human: FloatArray, model: FloatArray, n: int, comparison_hash: int, by_clustering: FloatArray
) -> Influence:
    """Return compressed influences as those of texts, for the differences of scores.

    The covariance of two sums over n texts has the factor n / (n - 1): theirs, and not that of the
    few numbers that they are compressed to.
    """
    n_numbers = len(human) + 2 * len(model)
    scale = np.sqrt(n / (n - 1) * (n_numbers - 1) / n_numbers)
    return Influence(scale * human, scale * model, None, None, comparison_hash, by_clustering)


def classifier_settings(settings: Settings) -> Settings:
    """Return the settings of the score by the classifier, which has no test of its own."""
    return replace(settings, clustering="pair", n_permutations=0)
