"""Compute MAUVE as the paper does: the plug-in estimate of one clustering."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from mauve.arrays import FloatArray
from mauve.calls import parameter
from mauve.comparison.paper_features import Featurizer
from mauve.equality import ExactEquality
from mauve.errors import InvalidParameterError, bad_parameter, check_choice, check_int, check_real
from mauve.frontier.curve import discretised_area, divergence_curve, frontier_integral
from mauve.frontier.histogram import count_labels, krichevsky_trofimov, no_smoothing
from mauve.quantize.crossfit import checked_labels, checked_partition, pool_by_content
from mauve.quantize.kmeans import KMeans
from mauve.quantize.protocol import Quantizer
from mauve.quantize.reduce import reduce_features
from mauve.quantize.registry import QuantizerName, get_quantizer, quantizer_names, with_num_buckets
from mauve.threads import parallel_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_EDGE = 1e-6  # the grid of λ stops this short of 0 and 1


@dataclass(frozen=True, eq=False)
class PaperResult(ExactEquality):
    """Result of :func:`compute_mauve`, with the fields of the authors' package.

    Two results are equal if all their numbers are; results are hashable.

    Attributes
    ----------
    mauve, frontier_integral : float
        From the relative frequencies.
    mauve_star, frontier_integral_star : float
        From the frequencies with half a text added to every bucket.
    p_hist, q_hist : array of shape (k,)
    divergence_curve : array of shape (discretization_size + 2, 2)
    num_buckets : int
    """

    mauve: float
    frontier_integral: float
    mauve_star: float
    frontier_integral_star: float
    p_hist: FloatArray = field(repr=False)
    q_hist: FloatArray = field(repr=False)
    divergence_curve: FloatArray = field(repr=False)
    num_buckets: int

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Plot the divergence curve and shade its area; needs the ``plot`` extra."""
        from mauve.plots import plot_curves

        return plot_curves({"model": self}, ax)


def compute_mauve(
    p_features: "ArrayLike | None" = None,
    q_features: "ArrayLike | None" = None,
    p_tokens: Sequence[Any] | None = None,
    q_tokens: Sequence[Any] | None = None,
    p_text: Sequence[str] | None = None,
    q_text: Sequence[str] | None = None,
    num_buckets: int | str = "auto",
    pca_max_data: int = -1,
    kmeans_explained_var: float = 0.9,
    kmeans_num_redo: int = 5,
    kmeans_max_iter: int = 500,
    featurize_model_name: str = "gpt2-large",
    device_id: int = -1,
    max_text_length: int = 1024,
    divergence_curve_discretization_size: int = 25,
    mauve_scaling_factor: float = 5,
    verbose: bool = False,
    seed: int = 25,
    batch_size: int = 1,
    use_float64: bool = False,
    quantizer: "QuantizerName | str | Quantizer" = "kmeans",
) -> PaperResult:
    """Compute MAUVE as the paper and the authors' package do.

    Arguments, fields and estimate are the same: the plug-in score of the best of a few
    clusterings. It is too low for small samples and has no interval; :func:`mauve.compare`
    corrects the bias and computes an interval.

    Parameters
    ----------
    p_features, q_features : array_like of shape (n, d)
        Features of human and model texts.
    p_text, q_text : sequence of str
        Texts, instead of features.
    p_tokens, q_tokens : sequence of array_like of int
        Token ids of the featurizing model, instead of features.
    num_buckets : int or "auto"
        Number of buckets; by default a tenth of the smaller sample, at least 2.
    pca_max_data : int
        Number of texts to fit the principal components on; -1 for all.
    kmeans_explained_var : float in (0, 1]
        Share of the variance to keep.
    kmeans_num_redo, kmeans_max_iter : int
        Restarts of k-means, of which the best is kept, and iterations of each.
    featurize_model_name : str
        Transformers model, on the hub or in a folder, whose terminal hidden state is used;
        other names as in :func:`mauve.get_embedder`.
    device_id : int
        -1 for the CPU, otherwise the index of a GPU.
    max_text_length : int
        Maximum number of tokens of a text, at most the context of the model.
    batch_size : int
        Ignored: batches are made by the number of tokens, and do not change the features.
    use_float64 : bool
        Run the model with 64-bit numbers.
    quantizer : {"kmeans", "drmm", "lattice"} or a Quantizer
        Divides the features into buckets, as for :func:`mauve.compare`, fitted once on all
        texts. Not in the authors' package.
    divergence_curve_discretization_size : int
        Number of points on the divergence curve.
    mauve_scaling_factor : float
        The constant c.
    verbose : bool
        Print progress.
    seed : int
        Random seed.

    Returns
    -------
    PaperResult

    Examples
    --------
    >>> import numpy as np
    >>> features = np.random.default_rng(0).normal(size=(100, 5))
    >>> compute_mauve(p_features=features, q_features=features).mauve
    1.0
    """
    # All that can be checked is checked before texts are embedded, which may take hours.
    check_int("batch_size", batch_size, 1)
    if isinstance(num_buckets, str) and num_buckets != "auto":
        raise bad_parameter("num_buckets", "an int or 'auto'", num_buckets)
    chosen = None if quantizer == "kmeans" else _checked_quantizer(quantizer)
    n_fit = check_int("pca_max_data", pca_max_data, -1)
    share = check_real("kmeans_explained_var", kmeans_explained_var, above=0, up_to=1)
    restarts = check_int("kmeans_num_redo", kmeans_num_redo, 1)
    iterations = check_int("kmeans_max_iter", kmeans_max_iter, 1)
    size = check_int(
        "divergence_curve_discretization_size",
        divergence_curve_discretization_size,
        2,
    )
    scaling = check_real("mauve_scaling_factor", mauve_scaling_factor, above=0)
    seed = check_int("seed", seed, 0)
    featurizer = Featurizer(featurize_model_name, device_id, max_text_length, use_float64, verbose)
    features_of_p = featurizer.prepare("p", p_features, p_tokens, p_text)
    features_of_q = featurizer.prepare("q", q_features, q_tokens, q_text)
    p, q = features_of_p(), features_of_q()
    if p.shape[1] != q.shape[1]:
        raise InvalidParameterError(
            f"{parameter('q_features')} must have as many columns as "
            f"'p_features', {p.shape[1]}. Got {q.shape[1]} instead."
        )
    n = len(p) + len(q)
    trained: Quantizer | None = None
    if chosen is not None:
        rule = "n/10" if num_buckets == "auto" else num_buckets
        sized, k = with_num_buckets(chosen, rule, min(len(p), len(q)))
        trained = cast(Quantizer, sized)
    else:
        if num_buckets == "auto":
            num_buckets = max(2, round(min(len(p), len(q)) / 10))
        k = check_int("num_buckets", num_buckets, 1, n, f"there are {n} texts in all")

    features, _, position = pool_by_content([p, q])
    fit_rows = None
    if 0 < n_fit < n:
        fit_rows = np.random.default_rng([seed, 0]).choice(n, n_fit, replace=False)
    reduced, _ = reduce_features(features, explained_variance=share, fit_rows=fit_rows)
    if verbose:
        print(f"clustering {n} texts in {reduced.shape[1]} dimensions into {k}")
    if trained is not None:
        fitted = trained.fit(reduced, k, np.random.default_rng([seed, 1, 0]))
        buckets = checked_labels(checked_partition(fitted).assign(reduced), len(reduced), k)
    else:
        runs = parallel_map(
            lambda run: KMeans(max_iter=iterations).fit(
                reduced, k, np.random.default_rng([seed, 1, run])
            ),
            range(restarts),
        )
        best = min(runs, key=lambda run: run.objective)
        buckets = best.assign(reduced)
        if verbose:
            print(f"objective {best.objective:.6g}, best of {restarts}")
    labels = buckets[position]
    return result_from_counts(
        count_labels(labels[: len(p)], k), count_labels(labels[len(p) :], k), size, scaling
    )


def result_from_counts(
    p_counts: ArrayLike, q_counts: ArrayLike, discretization_size: int = 25, scaling: float = 5.0
) -> PaperResult:
    """Return the paper's estimates from the counts of both samples in each bucket.

    Parameters
    ----------
    p_counts, q_counts : array_like of int, shape (k,)
    discretization_size : int
        Number of points on the divergence curve, besides the two on the axes.
    scaling : float
        The constant c.

    Examples
    --------
    >>> round(result_from_counts([6, 3, 1], [2, 3, 5], 5).mauve, 4)
    0.5761
    """
    p_hist, q_hist = no_smoothing(p_counts), no_smoothing(q_counts)
    p_star, q_star = krichevsky_trofimov(p_counts), krichevsky_trofimov(q_counts)
    curve = _closed_curve(p_hist, q_hist, discretization_size, scaling)
    curve_star = _closed_curve(p_star, q_star, discretization_size, scaling)
    return PaperResult(
        mauve=min(float(discretised_area(curve)), 1.0),
        frontier_integral=float(frontier_integral(p_hist, q_hist)),
        mauve_star=min(float(discretised_area(curve_star)), 1.0),
        frontier_integral_star=float(frontier_integral(p_star, q_star)),
        p_hist=p_hist,
        q_hist=q_hist,
        divergence_curve=curve,
        num_buckets=len(p_hist),
    )


def _checked_quantizer(quantizer: "QuantizerName | str | Quantizer") -> Quantizer:
    """Return the quantizer of a name, or raise if it is learnt from some texts to count others."""
    if isinstance(quantizer, str) and quantizer != "classifier":
        names = [name for name in quantizer_names() if name != "classifier"]
        check_choice("quantizer", quantizer, names)
    chosen = get_quantizer(quantizer)
    if not isinstance(chosen, Quantizer):
        why = "it is learnt from some texts to count others, as mauve.compare does"
        raise bad_parameter("quantizer", "one that does not know the samples", quantizer, why)
    return chosen


def _closed_curve(p: FloatArray, q: FloatArray, size: int, scaling: float) -> FloatArray:
    """Return the curve on a uniform grid of λ, with its ends on the axes."""
    inner = divergence_curve(p, q, np.linspace(_EDGE, 1 - _EDGE, size), scaling)
    return np.concatenate([[[1.0, 0.0]], inner, [[0.0, 1.0]]])
