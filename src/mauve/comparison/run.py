"""Compare systems with human text: :func:`compare` and its steps."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mauve.comparison.advice import (
    bucket_warnings,
    contradiction_warnings,
    sample_warnings,
    system_warnings,
)
from mauve.comparison.buckets import PairBuckets, counted_by, joint_clustering, joint_pair
from mauve.comparison.compared import Compared
from mauve.comparison.comparison import Comparison
from mauve.comparison.plans import plan_classifiers, plan_systems
from mauve.comparison.results import MauveResult
from mauve.comparison.scoring import Scorer
from mauve.comparison.settings import (
    MIN_TEXTS,
    ClusteringName,
    IntervalName,
    Settings,
)
from mauve.embed.load import Samples, load_samples
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.reading import UnreadablePolicy
from mauve.embed.registry import EmbedderLike
from mauve.embed.samples import FieldLike, SampleLike
from mauve.errors import UndefinedError, warn_caller
from mauve.frontier.estimators import EstimatorName
from mauve.progress import Progress, ProgressLike, progress_bar
from mauve.quantize.protocol import AnyQuantizer
from mauve.quantize.reduce import OrderName
from mauve.quantize.registry import (
    BucketPlan,
    QuantizerName,
    get_quantizer,
    reporting,
)
from mauve.text.normalize import EmptyPolicy
from mauve.text.prompts import Prompts
from mauve.text.steps import Normalize


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
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
    unreadable: UnreadablePolicy = "error",
    num_buckets: int | str = "auto",
    n_learning: int | None = None,
    n_clusterings: int | None = None,
    clustering: ClusteringName = "pair",
    scaling: float = 5.0,
    quantizer: "QuantizerName | str | AnyQuantizer" = "kmeans",
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
        One system, or several by name. The score of a system does not depend on the others.
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
        Shortcuts for the steps "ends" and "length" of `normalize`.
    normalize : str or sequence of str, optional
        Steps that remove differences of form: names of "prompt", "markup", "emoji",
        "typography", "unicode", "space", "ends", "case", "sentences" and "length", such as
        "space,typography"; see :data:`mauve.text.steps.NORMALIZE_STEPS`.
    empty : {"error", "keep"}
        Reject empty texts, or read each as one end-of-text token.
    unreadable : {"error", "warn"}
        What to do if most human texts are in languages that the embedder cannot read (the
        bundled one reads English): raise an error, or warn. From 5% of a sample on there is a
        warning, also for code; for texts of a few words from a quarter on.
    num_buckets : int, "auto" or "n/10"
        Number of buckets k. "auto" is 25 for samples of at least 200 texts, so that scores of
        different numbers of texts mean the same (10 for "classifier"; 27 for "drmm"; the lattice
        always has 744); smaller samples have fewer, with a warning. "n/10" is the paper's, a
        tenth of the smaller sample, from 2 to 500.
    n_learning : int, optional
        Number of texts that each clustering is learnt from, half of them human and half of the
        system; all others are counted. By default 8 for each bucket, or 20 for a classifier.
    n_clusterings : int, optional
        Number of clusterings to average over, each learnt from other texts; by default 40, or 5
        for "drmm" and "lattice"; a multiple of 5 for joint ones.
    clustering : {"pair", "joint"}
        What buckets are learnt from: human texts and one system, or all samples of the call
        together, two fifths of each. A score of joint clusterings depends on the other systems
        and drifts with the number of texts.
    scaling : float
        The constant c of the paper, at most 100.
    quantizer : {"kmeans", "classifier", "drmm", "lattice"} or a Quantizer
        Divides the features into buckets: k-means, level sets of a classifier, a deep residual
        mixture model, or a lattice on a learnt sphere (the latter two need torch). The score by
        the classifier stands beside that of the others.
    estimator : {"jackknife", "plugin", "laplace", "krichevsky-trofimov", "braess-sauer", \
"good-turing"}
        Estimator of the divergences. "jackknife" removes the bias and counts only texts that
        a clustering was not fitted on; the others count all texts, unless the quantizer learns
        from the difference of the samples, as the classifier does.
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
            normalize=normalize,
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
            n_learning=n_learning,
            n_clusterings=n_clusterings,
            clustering=clustering,
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
    quantizer: QuantizerName | str | AnyQuantizer = "kmeans",
    num_buckets: int | str = "auto",
    n_learning: int | None = None,
    n_clusterings: int | None = None,
    clustering: ClusteringName = "pair",
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
    quantizer, num_buckets, n_learning, n_clusterings, clustering, scaling, estimator, confidence, \
interval, n_bootstrap, n_permutations, explained_variance, order, seed, device, on_progress
        As for :func:`compare`.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.random.default_rng(0).normal(size=(2, 200, 4))
    >>> samples = load_samples({"human": features[0], "model": features[1]})
    >>> compare_samples(samples, n_permutations=0)["model"].mauve > 0.9
    True
    """
    chosen = get_quantizer(quantizer, device)
    settings = Settings(
        clustering=clustering,
        scaling=scaling,
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
    plans = plan_systems(samples, settings, chosen, num_buckets, n_learning, n_clusterings)
    steps = _Steps(plans, settings, on_progress or (lambda *_: None))
    if isinstance(quantizer, str):  # one of the caller is used as it is
        for name, plan in plans.items():
            made = reporting(plan.quantizer, plan.n_clusterings, steps.report)
            plans[name] = replace(plan, quantizer=made)
    compared = Compared(samples, settings, plans, {})
    sharper = plan_classifiers(samples, plans, n_clusterings)
    return Comparison(_score_systems(compared, sharper, steps), compared)


class _Steps:
    """Progress over the clusterings and tests of all systems."""

    def __init__(
        self, plans: Mapping[str, BucketPlan], settings: Settings, on_progress: Progress
    ) -> None:
        fits = [plan.n_clusterings for plan in plans.values()]
        n_fits = sum(fits) if settings.clustering == "pair" else fits[0]
        # Those of the classifier are a moment's work: they count like one test.
        self._total = n_fits + 2 * len(plans)
        self._done = 0
        self.report = on_progress

    def advance(self, step: str) -> None:
        """Report one more part."""
        self._done += 1
        self.report(step, min(self._done, self._total), self._total)


def _score_systems(
    compared: Compared, classifier_plans: Mapping[str, BucketPlan], steps: _Steps
) -> dict[str, MauveResult]:
    """Return the results of all systems; their buckets are added to `compared`."""
    samples, settings, plans = compared.samples, compared.settings, compared.plans
    scorer = Scorer(samples, settings)
    buckets = PairBuckets(samples, settings)
    joint = None
    if settings.clustering == "joint":
        plan = next(iter(plans.values()))
        joint = joint_clustering(samples, settings, plan, lambda _: steps.advance("clustering"))
    results = {}
    undefined: list[UndefinedError] = []
    about_samples = sample_warnings(samples)
    for name, plan in plans.items():
        sorted_sample = buckets.sorted(name)
        if joint is None:
            try:
                pair = buckets.pair(name, sorted_sample, plan, lambda: steps.advance("clustering"))
            except UndefinedError as error:  # equal texts must not end the others' comparison
                undefined.append(error)
                pair = buckets.one_bucket(name, plan)
        else:
            pair = counted_by(joint_pair(samples, joint, plan.num_buckets, name), settings)
        compared.pairs[name] = pair
        result = scorer.score(name, pair, plan, scorer.test(name))
        steps.advance("testing")
        if name in classifier_plans:
            sharper = classifier_plans[name]
            levels = buckets.pair(name, sorted_sample, sharper)
            result = replace(result, classifier=scorer.by_classifier(name, levels, sharper))
        steps.advance("testing")
        warnings = (
            *system_warnings(samples, name, plan.num_buckets, about_samples),
            *bucket_warnings(
                name,
                np.add(*pair.counting_all().counts()),
                min(result.n_human, result.n_model),
                float(pair.counted.mean()),
                plan,
                settings,
            ),
            *contradiction_warnings(result),
        )
        results[name] = replace(result, warnings=warnings)
    if len(undefined) == len(plans):
        raise undefined[0]
    return results
