"""Compare systems with human text: :func:`compare` and its steps."""

import numpy as np

from mauve.arrays import FloatArray
from mauve.comparison.advice import (
    empty_bucket_warnings,
    sample_warnings,
    small_sample_warnings,
    system_warnings,
)
from mauve.comparison.compared import Compared, number_groups
from mauve.comparison.comparison import Comparison
from mauve.comparison.results import MauveResult
from mauve.comparison.settings import MIN_TEXTS, IntervalName, Settings, check_clusterings
from mauve.embed.load import Samples, load_samples
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.reading import UnreadablePolicy
from mauve.embed.registry import EmbedderLike
from mauve.embed.samples import FieldLike, SampleLike
from mauve.errors import warn_caller
from mauve.frontier.curve import integral_from
from mauve.frontier.estimators import EstimatorName
from mauve.frontier.grid import curve_grid, quadrature_grid
from mauve.frontier.histogram import no_smoothing
from mauve.frontier.score import mean_divergences, monotone, score_of
from mauve.inference.differences import Influence
from mauve.inference.intervals import covariance, deviance_influences, score_interval
from mauve.inference.resampling import LabelledPair, bootstrap_deviances, permutation_scores
from mauve.progress import Progress, ProgressLike, progress_bar
from mauve.quantize.crossfit import FITTED, JointClustering, cluster_jointly
from mauve.quantize.protocol import Quantizer, fixed_num_buckets
from mauve.quantize.reduce import OrderName
from mauve.quantize.registry import QuantizerName, get_quantizer, reporting, with_num_buckets
from mauve.text.normalize import EmptyPolicy
from mauve.text.prompts import Prompts


def compare(
    human: "SampleLike",
    systems: "SystemsLike",
    *,
    field: "FieldLike" = "text",
    limit: int | None = None,
    embedder: "EmbedderLike | None" = None,
    cache: bool = True,
    strip: bool = False,
    match_length: bool = False,
    empty: EmptyPolicy = "error",
    unreadable: UnreadablePolicy = "error",
    num_buckets: int | str = "auto",
    n_clusterings: int | None = None,
    scaling: float = 5.0,
    quantizer: "QuantizerName | str | Quantizer" = "kmeans",
    estimator: EstimatorName = "jackknife",
    confidence: float = 0.95,
    interval: IntervalName = "influence",
    n_bootstrap: int = 200,
    n_permutations: int = 1000,
    prompts: "Prompts | None" = None,
    explained_variance: float = 0.9,
    order: OrderName = "norm-pca",
    seed: int = 0,
    device: str = "auto",
    progress: "ProgressLike" = True,
) -> Comparison:
    """Measure how far the text of one or more systems is from human text.

    Parameters
    ----------
    human : sequence or iterator of str, array_like of shape (n, d), table, or path
        Human texts, their features, or a file of either: ``.txt``, ``.jsonl``, ``.json``,
        ``.csv``, ``.tsv``, ``.parquet``, or ``.npy`` and ``.safetensors`` for features. A
        table is a DataFrame, a Hugging Face Dataset or a list of dicts.
    systems : the same, or a mapping from name to the same
        One system, or several by name. All are clustered together with the human texts.
    field : str, or mapping from "human" and systems' names to str
        Field or column that holds the texts in files and tables; "a.b.0" is item 0 of the
        field b within the field a.
    limit : int, optional
        Take that many texts of each sample at random, whatever the order of the texts; of
        samples with `prompts`, the same prompts.
    embedder : str, Embedder or callable, optional
        Turns text into features: a name that :func:`mauve.get_embedder` knows, its result, or
        a function from a list of strings to features of shape (n, d). By default the bundled
        model. Leave it out where features are passed.
    cache : bool
        Store the features of texts on disk, so that human text is embedded once.
    strip, match_length : bool
        Remove white space at both ends of texts; cut all texts to the same number of words.
    empty : {"error", "keep"}
        Reject empty texts, or read each as one end-of-text token.
    unreadable : {"error", "warn"}
        What to do if most human texts are in languages that the embedder cannot read (the
        bundled one reads English): raise an error, or warn. From 5% of a sample on there is a
        warning, also for code; for texts of a few words from a quarter on.
    num_buckets : int or "auto"
        Number of buckets k; by default a tenth of the smallest sample, from 2 to 500. A DRMM
        takes the nearest cube, up to 1,000, and the lattice always has 744.
    n_clusterings : int, optional
        Number of clusterings to average over, a multiple of 5 so that every text counts
        equally often; by default 40, or 5 for a trained quantizer.
    scaling : float
        The constant c of the paper, at most 100.
    quantizer : {"kmeans", "drmm", "lattice"} or a Quantizer
        Divides the features into buckets: k-means, a deep residual mixture model, or a
        lattice on a learnt sphere (the latter two need torch).
    estimator : {"jackknife", "plugin", "laplace", "krichevsky-trofimov", "braess-sauer", \
"good-turing"}
        Estimator of the divergences. "jackknife" removes the bias and counts only texts that
        a clustering was not fitted on; the others count all texts.
    confidence : float in (0, 1)
        Level of the intervals.
    interval : {"influence", "bootstrap"}
        Standard error from the influence of each text, or from `n_bootstrap` resamples.
    n_bootstrap, n_permutations : int
        Number of bootstrap resamples for the interval, and of permutations for the p-value and
        the ceiling. With 0 permutations those two are None.
    prompts : sequence, or mapping from "human" and every system's name to one, optional
        The prompt that each text answers. Texts of one prompt are not independent. A single
        sequence applies to the human texts and to every system. If a system is called "human",
        the human texts are "human (reference)".
    explained_variance : float in (0, 1]
        Share of the variance that the principal components keep.
    order : {"norm-pca", "pca-norm"}
        Scale features to unit length before the projection, or after it.
    seed : int
        Random seed. Scores do not depend on the order of the texts.
    device : str
        "auto" embeds on all GPUs and clusters on the CPU; "cpu", or a torch device such as
        "cuda", does both there. The bundled model always runs on the CPU.
    progress : bool or callable
        True shows a progress bar in a terminal or a notebook if the work takes more than a
        second, False never; a function is called with the name of the step, the number of
        parts done and their total.

    Returns
    -------
    Comparison
        A mapping from name to :class:`MauveResult`, in the order given.

    Raises
    ------
    InvalidParameterError
        If an input cannot be used; the message names it and the remedy.
    MissingExtraError
        If an optional part of the package is needed and not installed.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human = rng.normal(size=(500, 8))
    >>> systems = {"good": rng.normal(size=(500, 8)), "bad": rng.normal(size=(500, 8)) + 0.5}
    >>> comparison = compare(human, systems)
    >>> comparison.rank()
    ['good', 'bad']
    >>> comparison["good"].p_value > 0.05, comparison["bad"].p_value < 0.05
    (True, True)
    """
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
            empty=empty,
            unreadable=unreadable,
            prompts=prompts,
            min_texts=MIN_TEXTS,
            on_progress=on_progress,
        )
        comparison = compare_samples(
            samples,
            quantizer=quantizer,
            num_buckets=num_buckets,
            n_clusterings=n_clusterings,
            scaling=scaling,
            estimator=estimator,
            confidence=confidence,
            interval=interval,
            n_bootstrap=n_bootstrap,
            n_permutations=n_permutations,
            explained_variance=explained_variance,
            order=order,
            seed=seed,
            device=device,
            on_progress=on_progress,
        )
    for message in comparison.warnings:
        warn_caller(message)
    return comparison


def compare_samples(
    samples: Samples,
    *,
    quantizer: QuantizerName | str | Quantizer = "kmeans",
    num_buckets: int | str = "auto",
    n_clusterings: int | None = None,
    scaling: float = 5.0,
    estimator: EstimatorName = "jackknife",
    confidence: float = 0.95,
    interval: IntervalName = "influence",
    n_bootstrap: int = 200,
    n_permutations: int = 1000,
    explained_variance: float = 0.9,
    order: OrderName = "norm-pca",
    seed: int = 0,
    device: str = "auto",
    on_progress: Progress | None = None,
) -> Comparison:
    """Compare samples that are already read; warnings are kept in the results.

    Parameters
    ----------
    samples : Samples
        They are embedded here, after all settings are checked.
    quantizer, num_buckets, n_clusterings, scaling, estimator, confidence, interval, \
n_bootstrap, n_permutations, explained_variance, order, seed, device, on_progress
        As for :func:`compare`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> features = rng.normal(size=(2, 200, 4))
    >>> samples = load_samples({"human": features[0], "model": features[1]})
    >>> compare_samples(samples, n_permutations=0)["model"].mauve > 0.9
    True
    """
    sizes = samples.sizes
    show_progress = on_progress or (lambda *_: None)
    chosen = get_quantizer(quantizer, device)
    sized, n_buckets = with_num_buckets(chosen, num_buckets, min(sizes.values()))
    settings = Settings(
        num_buckets=n_buckets,
        n_clusterings=check_clusterings(n_clusterings, sized),
        scaling=scaling,
        quantizer=sized,
        estimator=estimator,
        confidence=confidence,
        interval=interval,
        n_bootstrap=n_bootstrap,
        n_permutations=n_permutations,
        explained_variance=explained_variance,
        order=order,
        seed=seed,
        by_prompt=samples.prompts is not None,
    )
    n_steps = settings.n_clusterings + len(samples.system_names)
    is_named = isinstance(quantizer, str)
    clustering = _cluster(samples, settings, is_named, n_steps, show_progress)
    shared_warnings: tuple[str, ...] = ()
    if fixed_num_buckets(sized) is None:  # a fixed number of buckets may well leave some empty
        shared_warnings = empty_bucket_warnings(clustering.labels, n_buckets)
        if num_buckets == "auto":
            shared_warnings += small_sample_warnings(sizes, n_buckets)
    compared = Compared(samples, clustering, settings)
    results = {}
    about_samples = sample_warnings(samples)
    for i, name in enumerate(samples.system_names, start=1):
        about_system = system_warnings(samples, name, n_buckets, about_samples)
        results[name] = _score(compared, name, (*about_system, *shared_warnings))
        show_progress("testing", settings.n_clusterings + i, n_steps)
    return Comparison(results, compared)


def _cluster(
    samples: Samples,
    settings: Settings,
    is_named: bool,
    n_steps: int,
    on_progress: Progress,
) -> JointClustering:
    """Fit all clusterings; a quantizer of the caller, which has no name, is used as it is."""
    quantizer, device = settings.quantizer, None
    if is_named:
        quantizer = reporting(quantizer, settings.n_clusterings, on_progress)
        device = getattr(quantizer, "device", "cpu")
    prompts = samples.prompt_hashes
    return cluster_jointly(
        [*samples.features.values()],
        quantizer=quantizer,
        num_buckets=settings.num_buckets,
        n_clusterings=settings.n_clusterings,
        seed=settings.seed,
        hashes=samples.hashes,
        groups=None if prompts is None else number_groups(prompts),
        explained_variance=settings.explained_variance,
        order=settings.order,
        device=None if device == "cpu" else device,
        on_done=lambda n_done: on_progress("clustering", n_done, n_steps),
    )


def _score(compared: Compared, system: str, warnings: tuple[str, ...]) -> MauveResult:
    """Return the score of a system with interval, test and curve."""
    settings, pair = compared.settings, compared.pair(system)
    estimator, scaling = settings.estimator, settings.scaling
    grid = curve_grid()
    p_all, q_all = pair.counting_all().counts()

    def score_by(smoothing: str) -> float:
        return float(score_of(mean_divergences(p_all, q_all, grid, smoothing), scaling))

    counts = pair.counts()
    divergences = mean_divergences(*counts, grid, estimator)
    score = float(score_of(divergences, scaling))
    kl_p, kl_q = monotone(divergences)
    smooth_grid = quadrature_grid()
    integral = integral_from(mean_divergences(*counts, smooth_grid, estimator), smooth_grid)
    type_1, type_2 = float(kl_q[grid.middle]), float(kl_p[grid.middle])

    influences = deviance_influences(pair, scaling)
    # An exact test needs no more clusterings, and ten show the spread over texts.
    first_clusterings = pair.first(len(FITTED))
    error = _standard_error(first_clusterings, influences, settings)
    p_value = ceiling = ceiling_low = None
    if settings.n_permutations:
        null = permutation_scores(
            first_clusterings, estimator, scaling, settings.n_permutations, settings.seed
        )
        p_value = null.p_value
        ceiling = float(null.score.mean())
        ceiling_low = float(np.quantile(null.score, 1 - settings.confidence))
    samples = compared.samples
    n_human, n_model = samples.sizes[samples.human_name], samples.sizes[system]
    return MauveResult(
        name=system,
        mauve=score,
        interval=score_interval(score, error, settings.confidence),
        confidence=settings.confidence,
        mauve_plugin=score_by("plugin"),
        mauve_star=score_by("krichevsky-trofimov"),
        frontier_integral=max(float(integral), 0.0),
        js=(type_1 + type_2) / 2,
        type_1=type_1,
        type_2=type_2,
        p_value=p_value,
        ceiling=ceiling,
        ceiling_low=ceiling_low,
        divergence_curve=np.exp(-scaling * np.stack([kl_q, kl_p], axis=-1)),
        p_hist=no_smoothing(p_all),
        q_hist=no_smoothing(q_all),
        labels=pair.labels,
        counted=pair.counted,
        num_buckets=settings.num_buckets,
        n_human=n_human,
        n_model=n_model,
        warnings=warnings,
        signature=settings.signature(samples, system),
        form=samples.forms.get(system),
        deviance_error=error,
        influence=_sorted_influence(compared, system, influences, pair),
    )


def _standard_error(pair: LabelledPair, influences: FloatArray, settings: Settings) -> float:
    if settings.interval == "influence":
        return float(np.sqrt(covariance(influences, influences, pair.groups)))
    deviances = bootstrap_deviances(
        pair, settings.estimator, settings.scaling, settings.n_bootstrap, settings.seed
    )
    return float(np.std(deviances, ddof=1))


def _sorted_influence(
    compared: Compared, system: str, influences: FloatArray, pair: LabelledPair
) -> Influence:
    rows, prompts = compared.rows(system), compared.prompt_hashes
    return Influence.sorted_by_content(
        influences,
        pair.is_human,
        compared.samples.hashes[rows],
        None if prompts is None else prompts[rows],
    )
