"""The front door: samples in, a :class:`Comparison` out."""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from mauve.arrays import BoolArray, FloatArray, HashArray
from mauve.comparison.advice import advice, empty_buckets, few_buckets
from mauve.comparison.compared import Compared, numbered
from mauve.comparison.results import Comparison, MauveResult
from mauve.comparison.settings import MAX_SCALING, Settings, check_clusterings
from mauve.embed.load import load_inputs, reference_name
from mauve.embed.protocol import Progress
from mauve.embed.registry import EmbedderLike
from mauve.embed.samples import Sample, SampleLike
from mauve.errors import MauveWarning, bad_parameter, check_choice, check_int, check_real
from mauve.frontier.curve import integral_from
from mauve.frontier.estimators import ESTIMATORS
from mauve.frontier.grid import curve_grid, quadrature_grid
from mauve.frontier.histogram import no_smoothing
from mauve.frontier.score import mean_divergences, monotone, score_of
from mauve.inference.differences import Influence
from mauve.inference.intervals import covariance, deviance_influences, score_interval
from mauve.inference.resampling import bootstrap_deviances, permutation_scores
from mauve.quantize.crossfit import FITTED, Quantizer, cluster_jointly, fixed_num_buckets
from mauve.quantize.reduce import ORDERS
from mauve.quantize.registry import get_quantizer, reporting, with_num_buckets
from mauve.text.form import FormReport
from mauve.text.prompts import Prompts, prompt_hashes


def compare(
    human: SampleLike,
    systems: SampleLike | Mapping[str, SampleLike],
    *,
    embedder: EmbedderLike = "bundled",
    cache: bool = True,
    strip: bool = False,
    match_length: bool = False,
    empty: str = "error",
    num_buckets: int | str = "auto",
    n_clusterings: int | None = None,
    scaling: float = 5.0,
    quantizer: str | Quantizer = "kmeans",
    estimator: str = "jackknife",
    confidence: float = 0.95,
    interval: str = "influence",
    n_bootstrap: int = 200,
    n_permutations: int = 1000,
    prompts: Prompts | None = None,
    explained_variance: float = 0.9,
    order: str = "norm-pca",
    seed: int = 0,
    device: str = "auto",
    on_progress: Progress | None = None,
) -> Comparison:
    """Measure how far the text of one or more systems is from human text.

    Parameters
    ----------
    human : sequence of str, array_like of shape (n, d), or path
        Human texts, their features, or a file of either: ``.txt``, ``.jsonl``, ``.csv``,
        ``.parquet``, or ``.npy`` and ``.safetensors`` for features.
    systems : the same, or a mapping from name to the same
        One system, or several by name. All are clustered together with the human texts,
        so their scores differ by their texts alone.
    embedder : str, Embedder or callable
        What turns text into features: a name that :func:`mauve.get_embedder` knows, what it
        returns, or a function from a list of strings to features of shape (n, d).
    cache : bool
        Keep the features of texts on disk, so that human text is embedded once.
    strip, match_length : bool
        Remove white space at both ends of texts; cut all texts to one number of words.
    empty : {"error", "keep"}
        Whether a text without a character is an error or read as one end-of-text token.
    num_buckets : int or "auto"
        Number of cells k; a tenth of the smallest sample, from 2 to 500, by default. A DRMM
        takes the nearest cube, up to 1,000, and the lattice always has 744.
    n_clusterings : int, optional
        Clusterings to average over, a multiple of 5 so that every text counts equally often;
        40 by default, or 5 of a quantizer that is trained.
    scaling : float
        The constant c of the paper, at most 100.
    quantizer : {"kmeans", "drmm", "lattice"} or a Quantizer
        What divides the features into cells: k-means, a deep residual mixture model, or a
        lattice on a learnt sphere (the latter two need torch).
    estimator : {"jackknife", "plugin", "laplace", "krichevsky-trofimov", "braess-sauer", \
"good-turing"}
        How divergences are estimated from counts. "jackknife" removes the bias and counts
        only texts that a clustering was not fitted on; the others count all texts.
    confidence : float in (0, 1)
        Level of the intervals.
    interval : {"influence", "bootstrap"}
        How the standard error is found: from what each text adds, or from `n_bootstrap`
        resamples.
    n_bootstrap, n_permutations : int
        Number of resamples for the interval and for the p-value and the ceiling; 0
        permutations leave those two out.
    prompts : sequence, or mapping from "human" and every system's name to one, optional
        What each text answers. Texts of one prompt are not independent; a single sequence
        stands for the human texts and for every system. Where a system is called "human",
        the human texts are "human (reference)".
    explained_variance : float in (0, 1]
        Share of the variance kept by the projection on principal components.
    order : {"norm-pca", "pca-norm"}
        Whether unit length comes before the projection or after it.
    seed : int
        Everything random follows from it. Scores do not depend on the order of the texts.
    device : str
        "auto" embeds on the GPUs that are there and clusters on the CPU; "cpu", or a torch
        device such as "cuda", does both there. The bundled model always runs on the CPU.
    on_progress : callable, optional
        Called with what is being done, how many steps are done, and how many there are.

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
    named = systems if isinstance(systems, Mapping) else {"model": systems}
    if not named:
        raise bad_parameter("compare", "systems", "one sample or a mapping of at least one", named)
    names = [str(name) for name in named]
    if len(set(names)) < len(names):
        raise bad_parameter("compare", "systems", "a mapping of names that differ", names)
    chosen = get_quantizer(quantizer, device)  # before the texts are embedded
    report = on_progress or (lambda *_: None)
    # A system may be called "human" too, such as one half of the texts against the other.
    reference = reference_name(names)
    inputs = load_inputs(
        [reference, *names],
        [human, *named.values()],
        embedder,
        device=device,
        cache=cache,
        strip=strip,
        match_length=match_length,
        empty=empty,
        on_progress=report,
    )
    samples = inputs.samples
    chosen, n_buckets = with_num_buckets(
        chosen, num_buckets, min(map(len, samples)), named=isinstance(quantizer, str)
    )
    settings = Settings(
        num_buckets=n_buckets,
        n_clusterings=check_clusterings(n_clusterings, chosen),
        scaling=check_real("compare", "scaling", scaling, above=0, up_to=MAX_SCALING),
        quantizer=chosen,
        estimator=check_choice("compare", "estimator", estimator, ESTIMATORS),
        confidence=check_real("compare", "confidence", confidence, above=0, up_to=1 - 1e-9),
        interval=check_choice("compare", "interval", interval, ("influence", "bootstrap")),
        n_bootstrap=check_int("compare", "n_bootstrap", n_bootstrap, 20),
        n_permutations=check_int("compare", "n_permutations", n_permutations, 0),
        explained_variance=check_real(
            "compare", "explained_variance", explained_variance, above=0, up_to=1
        ),
        order=check_choice("compare", "order", order, ORDERS),
        seed=check_int("compare", "seed", seed, 0),
        by_prompt=prompts is not None,
    )
    if isinstance(quantizer, str):
        chosen = reporting(chosen, settings.n_clusterings, report)
    prompt_keys = _joined(prompt_hashes(prompts, {own.name: len(own) for own in samples}))
    steps = settings.n_clusterings + len(named)
    clustering = cluster_jointly(
        [sample.features for sample in samples],
        quantizer=chosen,
        n_clusters=settings.num_buckets,
        n_clusterings=settings.n_clusterings,
        seed=settings.seed,
        keys=inputs.keys,
        groups=None if prompt_keys is None else numbered(prompt_keys),
        explained_variance=settings.explained_variance,
        order=settings.order,
        device=_reducing_device(chosen) if isinstance(quantizer, str) else None,
        on_done=lambda done: report("clustering", done, steps),
    )
    common: tuple[str, ...] = ()
    if fixed_num_buckets(chosen) is None:  # of a number of its own some may well be empty
        common = empty_buckets(clustering.labels, settings.num_buckets)
    if num_buckets == "auto" and fixed_num_buckets(chosen) is None:
        common += few_buckets(samples, settings.num_buckets)
    compared = Compared(
        {sample.name: len(sample) for sample in samples},
        _texts(samples),
        prompt_keys,
        clustering,
        settings,
    )
    results = {}
    for i, sample in enumerate(samples[1:], start=1):
        results[sample.name] = _measure(
            compared,
            (samples[0], sample),
            settings.signature(inputs.origin, len(samples[0]), len(sample)),
            inputs.forms.get(sample.name),
            common,
        )
        report("testing", settings.n_clusterings + i, steps)
    for message in dict.fromkeys(w for r in results.values() for w in r.warnings):
        warnings.warn(message, MauveWarning, stacklevel=2)
    return Comparison(results, compared)


def _reducing_device(quantizer: Quantizer) -> str | None:
    """Return the device that principal components are found on: that of the clusters."""
    device: str = getattr(quantizer, "device", "cpu")
    return None if device == "cpu" else device


def _joined(keys: list[HashArray] | None) -> HashArray | None:
    return None if keys is None else np.concatenate(keys)


def _texts(samples: Sequence[Sample]) -> dict[str, list[str]] | None:
    found = {sample.name: sample.texts for sample in samples if sample.texts is not None}
    return found or None


def _measure(
    compared: Compared,
    samples: tuple[Sample, Sample],
    signature: str,
    form: FormReport | None,
    common: tuple[str, ...],
) -> MauveResult:
    human, model = samples
    settings, pair = compared.settings, compared.pair(model.name)
    grid = curve_grid()
    estimator, scaling = settings.estimator, settings.scaling
    p_all, q_all = pair.counting_all().counts()

    def score_by(smoothing: str) -> float:
        return float(score_of(mean_divergences(p_all, q_all, grid, smoothing), scaling))

    counts = pair.counts()
    found = mean_divergences(*counts, grid, estimator)
    score = float(score_of(found, scaling))
    kl_p, kl_q = monotone(found)
    smooth_grid = quadrature_grid()
    integral = integral_from(mean_divergences(*counts, smooth_grid, estimator), smooth_grid)

    influence = deviance_influences(pair, scaling)
    # Any number of clusterings makes an exact test, and ten show the spread over texts.
    few = pair.first(len(FITTED))
    if settings.interval == "influence":
        deviance_error = np.sqrt(covariance(influence, influence, pair.groups))
    else:
        deviances = bootstrap_deviances(
            few, estimator, scaling, settings.n_bootstrap, settings.seed
        )
        deviance_error = np.std(deviances, ddof=1)
    p_value = ceiling = ceiling_low = None
    if settings.n_permutations:
        null = permutation_scores(few, estimator, scaling, settings.n_permutations, settings.seed)
        p_value = null.p_value
        ceiling = float(null.score.mean())
        ceiling_low = float(np.quantile(null.score, 1 - settings.confidence))
    type_1, type_2 = float(kl_q[grid.middle]), float(kl_p[grid.middle])
    return MauveResult(
        name=model.name,
        mauve=score,
        interval=score_interval(score, float(deviance_error), settings.confidence),
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
        n_human=len(human),
        n_model=len(model),
        warnings=(*advice(human, model, settings.num_buckets, form), *common),
        signature=signature,
        form=form,
        deviance_error=float(deviance_error),
        influence=_sorted_influence(compared, model.name, influence, pair.is_human),
    )


def _sorted_influence(
    compared: Compared, system: str, influence: FloatArray, is_human: BoolArray
) -> Influence:
    rows, prompts = compared.rows(system), compared.prompt_keys
    return Influence.sorted_by_content(
        influence,
        is_human,
        compared.clustering.keys[rows],
        None if prompts is None else prompts[rows],
    )
