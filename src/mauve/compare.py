"""The front door: samples in, a :class:`Comparison` out."""

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.errors import (
    InvalidParameterError,
    MauveWarning,
    bad_parameter,
    check_choice,
    check_int,
    check_real,
)
from mauve.estimate import ESTIMATORS
from mauve.frontier import integral_from, quadrature_grid
from mauve.histogram import no_smoothing
from mauve.inference import (
    bootstrap_gaps,
    covariance,
    gap_influences,
    permutation_p_value,
    permutation_scores,
    score_interval,
)
from mauve.quantize.crossfit import (
    N_BLOCKS,
    Labelling,
    Quantizer,
    content_keys,
    crossfit_labels,
    deal_into_blocks,
    mix_keys,
)
from mauve.quantize.kmeans import KMeans
from mauve.quantize.reduce import ORDERS, reduce_features
from mauve.resample import LabelledPair
from mauve.results import Comparison, Influence, MauveResult
from mauve.samples import Embedder, Sample, SampleLike, load_sample
from mauve.score import mean_divergences, monotone, score_of

MAX_AUTO_BUCKETS = 500
MIN_TEXTS = 2 * N_BLOCKS  # two texts a side in every block
FEW_TEXTS = 100  # below this an interval is too wide to be of use

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class _Settings:
    """Checked parameters of one call."""

    num_buckets: int
    n_clusterings: int
    scaling: float
    quantizer: Quantizer
    estimator: str
    confidence: float
    interval: str
    n_bootstrap: int
    n_permutations: int
    explained_variance: float
    order: str
    seed: int


def compare(
    human: SampleLike,
    systems: SampleLike | Mapping[str, SampleLike],
    *,
    embedder: Embedder | str = "bundled",
    num_buckets: int | str = "auto",
    n_clusterings: int = 10,
    scaling: float = 5.0,
    quantizer: str | Quantizer = "kmeans",
    estimator: str = "jackknife",
    confidence: float = 0.95,
    interval: str = "influence",
    n_bootstrap: int = 200,
    n_permutations: int = 1000,
    prompts: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
    explained_variance: float = 0.9,
    order: str = "norm-pca",
    seed: int = 0,
    device: str = "auto",
    on_progress: Progress | None = None,
) -> Comparison:
    """Measure how far the text of one or more systems is from human text.

    Parameters
    ----------
    human : array_like of shape (n, d), sequence of str, or path
        Features of human texts, the texts, or a ``.npy`` or ``.safetensors`` file.
    systems : the same, or a mapping from name to the same
        One system, or several by name. All are clustered together with the human texts,
        so their scores differ by their texts alone.
    embedder : callable
        Turns a list of strings into features of shape (n, d). Only for text.
    num_buckets : int or "auto"
        Number of cells k; a tenth of the smallest sample, from 2 to 500, by default.
    n_clusterings : int
        Clusterings to average over, a multiple of 5 so that every text counts equally often.
    scaling : float
        The constant c of the paper.
    quantizer : "kmeans" or a Quantizer
        What divides the features into cells.
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
        stands for the human texts and for every system.
    explained_variance : float in (0, 1]
        Share of the variance kept by the projection on principal components.
    order : {"norm-pca", "pca-norm"}
        Whether unit length comes before the projection or after it.
    seed : int
        Everything random follows from it. Scores do not depend on the order of the texts.
    device : str
        "auto" or "cpu", or a torch device such as "cuda" to cluster there.
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
    samples = [load_sample(human, "human", embedder)]
    samples += [load_sample(source, str(name), embedder) for name, source in named.items()]
    _check_together(samples)
    settings = _Settings(
        num_buckets=_check_buckets(num_buckets, min(map(len, samples))),
        n_clusterings=_check_clusterings(n_clusterings),
        scaling=check_real("compare", "scaling", scaling, above=0),
        quantizer=_check_quantizer(quantizer, device),
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
    )
    prompt_keys = _prompt_keys(prompts, samples)
    groups = (
        np.arange(sum(map(len, samples)))
        if prompt_keys is None
        else np.unique(prompt_keys, return_inverse=True)[1]
    )
    report = on_progress or (lambda *_: None)
    steps = settings.n_clusterings + len(named)
    labelling, blocks, human_key = _label(
        samples, groups, settings, lambda done: report("clustering", done, steps)
    )
    results = {}
    ends = np.cumsum([len(sample) for sample in samples])
    for i, sample in enumerate(samples[1:], start=1):
        rows = np.r_[0 : ends[0], ends[i - 1] : ends[i]]
        pair = LabelledPair(
            labels=labelling.labels[:, rows],
            counted=labelling.held_out[:, rows],
            is_human=np.arange(len(rows)) < ends[0],
            blocks=blocks[rows],
            groups=groups[rows],
            n_buckets=settings.num_buckets,
        )
        if settings.estimator != "jackknife":
            pair = pair.counting_all()
        results[sample.name] = _measure(
            pair,
            samples[0],
            sample,
            human_key,
            None if prompt_keys is None else prompt_keys[rows],
            settings,
        )
        report(f"testing {sample.name}", settings.n_clusterings + i, steps)
    for message in dict.fromkeys(w for r in results.values() for w in r.warnings):
        warnings.warn(message, MauveWarning, stacklevel=2)
    return Comparison(results)


def _check_together(samples: list[Sample]) -> None:
    human = samples[0]
    for sample in samples:
        if len(sample) < MIN_TEXTS:
            raise InvalidParameterError(
                f"'{sample.name}' must have at least {MIN_TEXTS} texts for compare. "
                f"Got {len(sample)} instead: collect more, some hundreds if a difference is "
                "to be seen."
            )
        if sample.features.shape[1] != human.features.shape[1]:
            raise InvalidParameterError(
                f"'{sample.name}' must have as many features as 'human', "
                f"{human.features.shape[1]}. Got {sample.features.shape[1]} instead: embed all "
                "texts with one model."
            )


def _check_buckets(num_buckets: int | str, n_texts: int) -> int:
    if isinstance(num_buckets, str):
        if num_buckets != "auto":
            raise bad_parameter("compare", "num_buckets", "an int or 'auto'", num_buckets)
        return max(2, min(n_texts // 10, MAX_AUTO_BUCKETS))
    # A clustering is fitted on two of five blocks of each sample, at least two samples.
    return check_int("compare", "num_buckets", num_buckets, 2, max(2, n_texts // 2))


def _check_clusterings(n_clusterings: int) -> int:
    if check_int("compare", "n_clusterings", n_clusterings, 5) % 5:
        raise bad_parameter("compare", "n_clusterings", "a multiple of 5", n_clusterings)
    return int(n_clusterings)


def _check_quantizer(quantizer: str | Quantizer, device: str) -> Quantizer:
    if not isinstance(quantizer, str):
        return quantizer
    check_choice("compare", "quantizer", quantizer, ("kmeans",))
    if device in ("auto", "cpu"):
        return KMeans()
    from mauve.quantize.kmeans_torch import TorchKMeans

    return TorchKMeans(device=device)


def _prompt_keys(
    prompts: Sequence[Any] | Mapping[str, Sequence[Any]] | None, samples: list[Sample]
) -> NDArray[np.uint64] | None:
    """Return a hash of the prompt of every text, or None where there are no prompts."""
    if prompts is None:
        return None
    keys: list[int] = []
    for sample in samples:
        if isinstance(prompts, Mapping) and sample.name not in prompts:
            raise InvalidParameterError(
                "The 'prompts' parameter of compare must have the prompts of 'human' and of "
                f"every system. Got none for '{sample.name}' instead."
            )
        own = prompts[sample.name] if isinstance(prompts, Mapping) else prompts
        if len(own) != len(sample):
            raise InvalidParameterError(
                f"The 'prompts' parameter of compare must have one prompt for each of the "
                f"{len(sample)} texts of '{sample.name}'. Got {len(own)} instead."
            )
        for prompt in own:
            digest = hashlib.blake2b(str(prompt).encode("utf-8", "surrogatepass"), digest_size=8)
            keys.append(int.from_bytes(digest.digest(), "little"))
    return np.array(keys, dtype=np.uint64)


def _label(
    samples: list[Sample],
    groups: NDArray[np.int64],
    settings: _Settings,
    on_done: Callable[[int], None],
) -> tuple[Labelling, NDArray[np.int64], int]:
    """Cluster all texts together; return labels, blocks and a hash of the human features.

    The texts are brought into the order of their content first, so the clusters depend
    neither on the order in which they came nor on which sample is called human.
    """
    features = np.concatenate([s.features for s in samples], dtype=np.float32, casting="unsafe")
    keys = content_keys(features)
    blocks = _deal(mix_keys(keys, settings.seed), groups, samples)
    position = np.argsort(keys, kind="stable")
    features = features[position]
    reduced = reduce_features(
        features, explained_variance=settings.explained_variance, order=settings.order
    )
    done = iter(range(1, settings.n_clusterings + 1))
    found = crossfit_labels(
        reduced,
        blocks[position],
        settings.quantizer,
        settings.num_buckets,
        [np.random.default_rng([settings.seed, r]) for r in range(settings.n_clusterings)],
        lambda: on_done(next(done)),
    )
    back = np.argsort(position)
    human_key = int(np.bitwise_xor.reduce(mix_keys(keys[: len(samples[0])], 1)))
    return Labelling(found.labels[:, back], found.held_out[:, back]), blocks, human_key


def _deal(
    keys: NDArray[np.uint64], groups: NDArray[np.int64], samples: list[Sample]
) -> NDArray[np.int64]:
    """Deal the texts of each sample into blocks; texts of one prompt stay together."""
    if len(np.unique(groups)) < len(groups):
        return deal_into_blocks(mix_keys(groups.astype(np.uint64), 2))
    ends = np.cumsum([len(sample) for sample in samples])
    parts = np.split(keys, ends[:-1])
    # Ranks, not values, so that copies of one text are dealt out and not all in one block.
    return np.concatenate([np.argsort(np.argsort(p, kind="stable")) % N_BLOCKS for p in parts])


def _measure(
    pair: LabelledPair,
    human: Sample,
    model: Sample,
    human_key: int,
    prompt_keys: NDArray[np.uint64] | None,
    settings: _Settings,
) -> MauveResult:
    grid = quadrature_grid()
    estimator, scaling = settings.estimator, settings.scaling
    p_all, q_all = pair.counting_all().counts()
    plugin = mean_divergences(p_all, q_all, grid, "plugin")
    star = mean_divergences(p_all, q_all, grid, "krichevsky-trofimov")
    found = monotone(mean_divergences(*pair.counts(), grid, estimator), grid)
    score, mauve_plugin = float(score_of(found, grid, scaling)), score_of(plugin, grid, scaling)

    influence = gap_influences(pair, scaling)
    if settings.interval == "influence":
        gap_error = np.sqrt(covariance(influence, influence, pair.groups))
    else:
        gap_error = np.std(
            bootstrap_gaps(pair, estimator, scaling, settings.n_bootstrap, settings.seed), ddof=1
        )
    p_value = ceiling = ceiling_low = None
    if settings.n_permutations:
        null = permutation_scores(pair, estimator, scaling, settings.n_permutations, settings.seed)
        p_value = permutation_p_value(null.plugin, float(mauve_plugin))
        ceiling = float(null.score.mean())
        ceiling_low = float(np.quantile(null.score, 1 - settings.confidence))
    middle = grid.middle
    type_1, type_2 = float(found.kl_q[middle]), float(found.kl_p[middle])
    return MauveResult(
        name=model.name,
        mauve=score,
        interval=score_interval(score, float(gap_error), settings.confidence),
        confidence=settings.confidence,
        mauve_plugin=float(mauve_plugin),
        mauve_star=float(score_of(star, grid, scaling)),
        frontier_integral=float(integral_from(found, grid)),
        js=(type_1 + type_2) / 2,
        type_1=type_1,
        type_2=type_2,
        p_value=p_value,
        ceiling=ceiling,
        ceiling_low=ceiling_low,
        divergence_curve=np.exp(-scaling * np.stack([found.kl_q, found.kl_p], axis=-1)),
        p_hist=no_smoothing(p_all),
        q_hist=no_smoothing(q_all),
        labels=pair.labels,
        counted=pair.counted,
        num_buckets=settings.num_buckets,
        n_human=len(human),
        n_model=len(model),
        warnings=_warnings(human, model, p_all + q_all, settings),
        signature=_signature(human, model, settings),
        gap_error=float(gap_error),
        influence=Influence(
            human=influence[pair.is_human],
            model=influence[~pair.is_human],
            human_prompt=None if prompt_keys is None else prompt_keys[pair.is_human],
            model_prompt=None if prompt_keys is None else prompt_keys[~pair.is_human],
            human_key=human_key,
        ),
    )


def _warnings(
    human: Sample, model: Sample, counts: NDArray[np.int64], settings: _Settings
) -> tuple[str, ...]:
    n_p, n_q, k = len(human), len(model), settings.num_buckets
    found = []
    for sample in (human, model):
        if len(sample) < FEW_TEXTS:
            found.append(
                f"'{sample.name}' has {len(sample)} texts: below {FEW_TEXTS} the interval is wide "
                "and its level only approximate."
            )
    if min(n_p, n_q) < 5 * k:
        found.append(
            f"{min(n_p, n_q)} texts are few for {k} cells: with less than five a cell the "
            "score is noisy. Use more texts or a smaller num_buckets."
        )
    if max(n_p, n_q) > 10 * min(n_p, n_q):
        found.append(
            f"'{human.name}' has {n_p} texts and '{model.name}' {n_q}: the smaller sample sets "
            "the precision."
        )
    empty = int((counts == 0).sum(axis=1).max())
    if empty > k / 10:
        found.append(
            f"Up to {empty} of {k} cells are empty for '{model.name}': the features have few "
            "distinct values. Check for duplicate texts or use a smaller num_buckets."
        )
    return tuple(found)


def _signature(human: Sample, model: Sample, settings: _Settings) -> str:
    return "|".join(
        [
            f"mauve:{version('mauve-eval')}",
            f"emb:features-{human.features.shape[1]}",
            f"reduce:{settings.order}-{settings.explained_variance:g}",
            f"quant:{settings.quantizer.signature}",
            f"k:{settings.num_buckets}",
            f"fit:2of{N_BLOCKS}x{settings.n_clusterings}",
            f"c:{settings.scaling:g}",
            f"est:{settings.estimator}",
            f"n:{len(human)}+{len(model)}",
            f"seed:{settings.seed}",
        ]
    )
