"""Score every sample against every other, from one clustering of all: score_matrix."""

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.comparison.advice import form_warnings, sample_warnings
from mauve.comparison.buckets import joint_clustering
from mauve.comparison.compared import number_groups
from mauve.comparison.matrix_results import Matrix, MatrixScore
from mauve.comparison.plans import plan_systems
from mauve.comparison.settings import MIN_TEXTS, Settings, format_signature, parse_signature
from mauve.embed.load import Samples, load_samples
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.registry import EmbedderLike
from mauve.embed.samples import FieldLike, SampleLike
from mauve.errors import check_int, warn_caller
from mauve.frontier.estimators import EstimatorName
from mauve.frontier.grid import curve_grid
from mauve.frontier.score import mean_divergences, score_of
from mauve.inference.intervals import (
    clustering_deviances,
    covariance,
    deviance_influences,
    score_interval,
)
from mauve.inference.resampling import LabelledPair
from mauve.progress import ProgressLike, progress_bar
from mauve.quantize.crossfit import JointClustering
from mauve.quantize.registry import BucketPlan, get_quantizer
from mauve.text.normalize import EmptyPolicy
from mauve.text.prompts import Prompts
from mauve.text.steps import Normalize

_ESTIMATOR: EstimatorName = "jackknife"
_FEW_BUCKETS = 10
_APART = 1.25  # ratio of sizes from which a smaller sample is pointed out


def score_matrix(
    human: SampleLike,
    systems: SystemsLike,
    *,
    field: FieldLike = "text",
    limit: int | None = None,
    embedder: EmbedderLike | None = None,
    prompts: Prompts | None = None,
    strip: bool = False,
    match_length: bool = False,
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
    num_buckets: int | str = "auto",
    n_clusterings: int | None = None,
    scaling: float = 5.0,
    confidence: float = 0.95,
    n_splits: int = 20,
    seed: int = 0,
    device: str = "auto",
    cache: bool = True,
    progress: ProgressLike = True,
) -> Matrix:
    """Score every sample against every other, human text among them.

    All samples are clustered together, so that all scores have the same buckets: who writes
    like whom, and do systems write more like each other than like people? A score depends on
    the other samples of the call, unlike that of :func:`mauve.compare`.

    Parameters
    ----------
    human, systems, field, limit, embedder, prompts, strip, match_length, normalize, empty, \
scaling, confidence, seed, device, cache, progress
        As for :func:`mauve.compare`.
    num_buckets : int or "auto"
        Number of buckets; by default a tenth of the smallest sample, from 2 to 500.
    n_clusterings : int, optional
        A multiple of 5; 40 by default.
    n_splits : int
        Divisions of the human texts into halves, whose scores against each other are the
        *human spread*: what a score of two samples of one source is here.

    Returns
    -------
    Matrix

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(300, 4))
    >>> systems = {"a": rng.normal(size=(300, 4)) + 1, "b": rng.normal(size=(300, 4)) + 1}
    >>> matrix = score_matrix(human, systems)
    >>> matrix["a", "b"].mauve > 0.9 > matrix["a", "human"].mauve
    True
    """
    n_splits = check_int("n_splits", n_splits, 2)
    with progress_bar(progress) as on_progress:
        samples = load_samples(
            name_samples(human, systems),
            field=field,
            limit=limit,
            seed=seed,
            embedder=embedder,
            device=device,
            cache=cache,
            strip=strip,
            match_length=match_length,
            normalize=normalize,
            empty=empty,
            prompts=prompts,
            min_texts=MIN_TEXTS,
            on_progress=on_progress,
        )
        settings = Settings(
            clustering="joint",
            scaling=scaling,
            estimator=_ESTIMATOR,
            confidence=confidence,
            interval="influence",
            n_bootstrap=200,
            n_permutations=0,
            explained_variance=0.9,
            order="norm-pca",
            seed=seed,
            by_prompt=samples.prompts is not None,
        )
        quantizer = get_quantizer("kmeans", device)
        plans = plan_systems(samples, settings, quantizer, num_buckets, None, n_clusterings)
        plan = next(iter(plans.values()))

        def report(n_done: int) -> None:
            if on_progress is not None:
                on_progress("clustering", n_done, plan.n_clusterings)

        clustering = joint_clustering(samples, settings, plan, report)
        made = _Scores(samples, settings, clustering, plan.num_buckets)
        scores = {pair: made.score(*pair) for pair in combinations(samples.sizes, 2)}
        matrix = Matrix(
            names=(*samples.sizes,),
            human_name=samples.human_name,
            scores=scores,
            spread=made.spread(n_splits),
            num_buckets=plan.num_buckets,
            confidence=settings.confidence,
            n_texts=dict(samples.sizes),
            signature=_signature(settings, samples, plan),
            warnings=_warnings(samples, plan.num_buckets),
        )
    for message in matrix.warnings:
        warn_caller(message)
    return matrix


@dataclass(frozen=True)
class _Scores:
    """Scores of parts of samples in joint buckets."""

    samples: Samples
    settings: Settings
    clustering: JointClustering
    num_buckets: int

    def score(self, first: str, second: str) -> MatrixScore:
        """Score two samples against each other; the order does not matter."""
        rows = [self.samples.rows_of(name) for name in (first, second)]
        pair = self._pair(*rows)
        scaling = self.settings.scaling
        counts = pair.counts()
        mauve = self._mauve(pair)
        influences = deviance_influences(pair, scaling)
        by_clustering = clustering_deviances(
            *counts, 1 - float(pair.counted.mean()), _ESTIMATOR, scaling
        )
        variance = covariance(influences, influences, pair.groups)
        error = sqrt(variance + float((by_clustering**2).sum()))
        return MatrixScore(mauve, score_interval(mauve, error, self.settings.confidence))

    def spread(self, n_splits: int) -> tuple[float, ...]:
        """Return the scores of random halves of the human texts against each other, sorted."""
        rows = self.samples.rows_of(self.samples.human_name)
        prompts = self.samples.prompt_hashes
        keys = self.samples.hashes_of(self.samples.human_name)
        units = keys if prompts is None else prompts[rows]  # texts of one prompt stay together
        distinct, unit = np.unique(units, return_inverse=True)
        scores = []
        for split in range(n_splits):
            rng = np.random.default_rng([self.settings.seed, split])
            first = rng.permutation(len(distinct)) < len(distinct) // 2
            in_first: BoolArray = first[unit]
            if in_first.all() or not in_first.any():
                return ()
            scores.append(self._mauve(self._pair(rows[in_first], rows[~in_first])))
        return tuple(sorted(scores))

    def _pair(self, first: IntArray, second: IntArray) -> LabelledPair:
        rows = np.concatenate([first, second])
        prompts = self.samples.prompt_hashes
        return LabelledPair(
            labels=self.clustering.labels[:, rows],
            counted=self.clustering.held_out[:, rows],
            is_human=np.arange(len(rows)) < len(first),
            blocks=self.clustering.blocks[rows],
            groups=np.arange(len(rows)) if prompts is None else number_groups(prompts[rows]),
            num_buckets=self.num_buckets,
        )

    def _mauve(self, pair: LabelledPair) -> float:
        divergences = mean_divergences(*pair.counts(), curve_grid(), _ESTIMATOR)
        score: FloatArray = np.asarray(score_of(divergences, self.settings.scaling))
        return float(score)


def _signature(settings: Settings, samples: Samples, plan: BucketPlan) -> str:
    """Return the signature of all scores, with the numbers of texts of all samples."""
    parts = parse_signature(settings.signature(samples, samples.system_names[0], plan))
    sizes = (
        f"{size}of{samples.n_given[name]}" if name in samples.kept else str(size)
        for name, size in samples.sizes.items()
    )
    return format_signature(parts | {"n": "+".join(sizes)})


def _warnings(samples: Samples, num_buckets: int) -> tuple[str, ...]:
    messages = [*samples.all_reading_warnings]
    for name in samples.system_names:
        messages += form_warnings(samples, name)
    messages += [about.message for about in sample_warnings(samples)]
    sizes = samples.sizes
    if max(sizes.values()) > _APART * min(sizes.values()):
        low, high = min(sizes.values()), max(sizes.values())
        messages.append(
            f"Samples have {low} to {high} texts: the larger ones weigh more in the joint "
            "clustering. Give as many of each, or use limit."
        )
    if num_buckets < _FEW_BUCKETS:
        messages.append(
            f"There are only {num_buckets} buckets, which do not show differences within them: a "
            f"score near 1 says little. The smallest sample has {min(sizes.values())} texts: give "
            f"{10 * _FEW_BUCKETS} or more of each."
        )
    return tuple(dict.fromkeys(messages))
