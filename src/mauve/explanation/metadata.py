"""Which fields of the metadata dominate a cluster, and how far chance would explain it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from mauve.arrays import FloatArray, IntegerArray
from mauve.errors import InvalidParameterError, check_int
from mauve.escape import escaped, listed
from mauve.explanation.results import Dominance, FieldSummary
from mauve.inference.differences import holm

#: Name of a sample to field to one value a text; None where a text has none.
Metadata = Mapping[str, Mapping[str, Sequence[Any]]]

_PAPER_TEXTS, _PAPER_VALUES = 20, 2  # what appendix F calls a cell of one or two domains
_MANY = 20  # texts of which no two have the same value by chance
_DRAWS = 200  # random deals of the values, for chance levels
_CELL_DRAWS = 200  # the same for cells, over all clusterings together


def check_metadata(
    metadata: Metadata, sizes: Mapping[str, int]
) -> tuple[dict[str, list[str | None]], dict[str, str]]:
    """Return the fields that can say something of clusters, and why the others cannot.

    Parameters
    ----------
    metadata : mapping of str to mapping of str to sequence
        Name of a sample to field to one value a text: a string, an int or a bool; None, or NaN
        as in a data frame, where a text has none. Samples and fields may be missing.
    sizes : mapping of str to int
        Texts of each sample, in their order.

    Returns
    -------
    fields : dict of str to list of str or None
        The values of all texts, sample after sample.
    left_out : dict of str to str
        Reason for each field that is not among them.

    Raises
    ------
    InvalidParameterError
        For the name of no sample, and for more or fewer values than texts.

    Examples
    --------
    >>> human = {"site": ["a.org", "b.org", "b.org", "a.org"], "key": [1, 2, 3, 4]}
    >>> fields, left_out = check_metadata({"human": human}, {"human": 4, "model": 2})
    >>> fields
    {'site': ['a.org', 'b.org', 'b.org', 'a.org', None, None]}
    >>> left_out
    {'key': 'nearly every text has a value of its own (4 values, 4 texts)'}
    """
    if not isinstance(metadata, Mapping):
        raise _bad("a dict of sample names to fields", type(metadata).__name__)
    unknown = [name for name in metadata if name not in sizes]
    if unknown:
        raise _bad(f"about the samples {listed(list(sizes))}", listed(unknown))
    for name, own in metadata.items():
        _check_sample(name, own, sizes[name])
    found: dict[str, list[str | None]] = {}
    left_out: dict[str, str] = {}
    for field in dict.fromkeys(field for own in metadata.values() for field in own):
        values: list[Any] = []
        for name, size in sizes.items():
            values.extend(metadata.get(name, {}).get(field, [None] * size))
        texts = [_as_text(value) for value in values]
        reason = _why_not(texts, sizes)
        if reason:
            left_out[field] = reason
        else:
            found[field] = [text for text in texts if text is None or isinstance(text, str)]
    return found, left_out


def _check_sample(name: str, own: Any, size: int) -> None:
    if not isinstance(own, Mapping):
        raise _bad(f"a dict of fields for '{escaped(name)}'", type(own).__name__)
    for field, values in own.items():
        which = f"'{escaped(str(field))}' of '{escaped(name)}'"
        if not isinstance(field, str):
            raise _bad(f"named by strings in '{escaped(name)}'", escaped(repr(field)))
        if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
            raise _bad(f"a list of values for {which}", type(values).__name__)
        if len(values) != size:
            raise _bad(
                f"a list of {size} values for {which}, one for each text", f"{len(values)} values"
            )


def _bad(rule: str, got: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"The 'metadata' parameter of explain must be {rule}. Got {got} instead."
    )


def _as_text(value: Any) -> str | type | None:
    """Return a value as a string, or its type where it is none that names anything."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, str | bool | np.bool_ | Integral):
        return str(value)
    return type(value)


def _why_not(values: Sequence[str | type | None], sizes: Mapping[str, int]) -> str | None:
    """Return why a field says nothing of clusters, or None."""
    others = sorted({value.__name__ for value in values if isinstance(value, type)})
    if others:
        return f"values must be strings, ints or bools, and some are of type {listed(others)}"
    ends = np.cumsum([0, *sizes.values()])
    per_sample = [{*values[a:b]} - {None} for a, b in pairwise(ends)]
    n_values = len(set().union(*per_sample))
    n_texts = sum(value is not None for value in values)
    if n_values < 2:
        return "all texts have the same value" if n_values else "no text has a value"
    if 2 * n_values > n_texts:
        return f"nearly every text has a value of its own ({n_values} values, {n_texts} texts)"
    per_text = [sum(value is not None for value in values[a:b]) for a, b in pairwise(ends)]
    if n_texts >= _MANY and all(len(own) == n for own, n in zip(per_sample, per_text, strict=True)):
        return "no two texts of a sample have the same value"
    if all(len(own) < 2 for own in per_sample):
        return "it tells no more than the name of the sample: each sample has one value"
    return None


def once_a_prompt(values: Sequence[str | None], prompts: IntegerArray | None) -> list[str | None]:
    """Return the values with one text for each prompt, the first; the others have None.

    Texts of one prompt have one topic or site between them, so that they are not independent
    and would make chance look like agreement.

    Parameters
    ----------
    values : sequence of str or None, length n
    prompts : array of int, shape (n,), or None
        Equal for texts of one prompt; None where there are none.

    Examples
    --------
    >>> once_a_prompt(["a", "b", "a", None], np.array([0, 1, 0, 1]))
    ['a', 'b', None, None]
    """
    if prompts is None:
        return list(values)
    has_value = np.array([value is not None for value in values], dtype=bool)
    rows = np.flatnonzero(has_value)
    first = set(rows[np.unique(prompts[rows], return_index=True)[1]].tolist())
    return [value if i in first else None for i, value in enumerate(values)]


def dominances(
    field: str,
    values: Sequence[str | None],
    assignment: IntegerArray,
    n_clusters: int,
    seed: int = 0,
) -> list[Dominance | None]:
    r"""Return how far a field dominates each cluster.

    Parameters
    ----------
    field : str
    values : sequence of str or None, length n
        Of each text.
    assignment : array of int, shape (n,)
        The cluster of each text, from 1.
    n_clusters : int
    seed : int

    Returns
    -------
    list of Dominance or None
        One for each cluster; None for one that no text with a value is in.

    Notes
    -----
    Chance levels are means over 200 random deals of the values to the texts, in which the values
    of a cluster of m texts have a multivariate hypergeometric distribution. The p-value of c
    texts with a value that K of all N texts have is :math:`P(X \ge c)` with X hypergeometric,
    adjusted by Holm's method for all clusters and values of the field.

    Enriched is the value with the least p-value; look at that before it is shown, for in any
    cluster some value is more frequent than elsewhere.

    Examples
    --------
    >>> found, other = dominances("site", ["a"] * 6 + ["b"] * 6, np.repeat([1, 2], 6), 2)
    >>> found.value, found.purity, found.entropy, found.enriched
    ('a', 1.0, 0.0, 'a')
    >>> round(found.p_value, 4)  # one of 924 ways to deal them out, times 4
    0.0043
    """
    names, codes, rows = _coded(values)
    cells = np.asarray(assignment)[rows] - 1
    counts = _counts(cells, codes, n_clusters, len(names))
    sizes, totals, n = counts.sum(axis=1), counts.sum(axis=0), len(rows)
    chance_purity, chance_entropy = _chance(cells, codes, counts.shape, seed)
    p_values = _upper_tails(counts)
    adjusted = np.ones(counts.shape)
    present = p_values[sizes > 0]
    adjusted[sizes > 0] = np.reshape(holm(present.ravel()), present.shape)
    found: list[Dominance | None] = []
    for k in range(n_clusters):
        if not sizes[k]:
            found.append(None)
            continue
        shares = counts[k] / sizes[k]
        # Equal p-values, such as several of 0, are told apart by how far above its share it is.
        best = int(np.lexsort([-shares / totals, p_values[k]])[0])
        is_above = counts[k, best] * n > totals[best] * sizes[k]
        found.append(
            Dominance(
                field=field,
                n_texts=int(sizes[k]),
                value=str(names[counts[k].argmax()]),
                purity=float(shares.max()),
                chance_purity=float(chance_purity[k]),
                entropy=float(_entropy(counts[k : k + 1])[0]),
                chance_entropy=float(chance_entropy[k]),
                enriched=str(names[best]) if is_above else None,
                enriched_share=float(shares[best]) if is_above else 0.0,
                overall_share=float(totals[best] / n) if is_above else 0.0,
                p_value=float(adjusted[k, best]),
            )
        )
    return found


def summarize_field(
    field: str,
    values: Sequence[str | None],
    assignment: IntegerArray,
    labels: IntegerArray,
    seed: int = 0,
    n_permutations: int = 200,
) -> FieldSummary:
    """Return how well clusters, and the cells they are made of, agree with a field.

    Parameters
    ----------
    field : str
    values : sequence of str or None, length n
        Of each text, at least one of them not None.
    assignment : array of int, shape (n,)
        The cluster of each text, from 1.
    labels : array of int, shape (n_clusterings, n)
        The cell of each text in each clustering, from 0.
    seed : int
    n_permutations : int
        Random deals of the values to the texts, for the clusters. Cells get 200 in all, spread
        over the clusterings, which is enough for a mean.

    Notes
    -----
    The figure on cells is that of appendix F of the paper, where 7 of 21 cells with at least 20
    texts held one or two web domains. Only texts that have the field are counted.

    Examples
    --------
    >>> site, cluster = ["a"] * 40 + ["b"] * 40, np.repeat([1, 2], 40)
    >>> found = summarize_field("site", site, cluster, np.array([cluster - 1]))
    >>> found.purity, found.n_cells, found.n_pure, found.p_value < 0.01
    (1.0, 2.0, 2.0, True)
    """
    check_int("summarize_field", "n_permutations", n_permutations, 1)
    names, codes, rows = _coded(values)
    if not len(rows):
        raise InvalidParameterError(
            f"The field '{escaped(field)}' must have a value for at least one text. Got none "
            "instead: leave it out."
        )
    rng = np.random.default_rng(seed)
    cells = np.asarray(assignment)[rows] - 1
    shape = int(cells.max()) + 1, len(names)
    agreeing = int(_counts(cells, codes, *shape).max(axis=1).sum())
    by_chance = np.array(
        [
            _counts(cells, rng.permutation(codes), *shape).max(axis=1).sum()
            for _ in range(n_permutations)
        ]
    )
    n_draws = -(-_CELL_DRAWS // len(labels))
    pure = np.array([_pure_cells(own[rows], codes, n_draws, rng) for own in np.asarray(labels)])
    n_cells, n_pure, chance_pure = pure.mean(axis=0).tolist()
    return FieldSummary(
        field=field,
        n_texts=len(rows),
        n_values=len(names),
        purity=agreeing / len(rows),
        chance_purity=float(by_chance.mean() / len(rows)),
        p_value=float((1 + (by_chance >= agreeing).sum()) / (1 + n_permutations)),
        n_cells=n_cells,
        n_pure=n_pure,
        chance_pure=chance_pure,
    )


def _coded(values: Sequence[str | None]) -> tuple[list[str], IntegerArray, IntegerArray]:
    """Return the different values, which one each text has, and the rows of texts with any."""
    rows = np.array([i for i, value in enumerate(values) if value is not None], dtype=np.intp)
    names = sorted({value for value in values if value is not None})
    numbers = {name: k for k, name in enumerate(names)}
    codes = np.array([numbers[value] for value in values if value is not None], dtype=np.intp)
    return names, codes, rows


def _counts(
    cells: IntegerArray, codes: IntegerArray, n_cells: int, n_values: int
) -> NDArray[np.intp]:
    """Return texts by cell and value."""
    found = np.bincount(cells * n_values + codes, minlength=n_cells * n_values)
    return found.reshape(n_cells, n_values)


def _entropy(counts: NDArray[np.intp]) -> FloatArray:
    """Return the entropy of each row in nats; 0 for a row of zeros."""
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(scipy.special.entr(counts / sizes).sum(axis=1))


def _chance(
    cells: IntegerArray, codes: IntegerArray, shape: tuple[int, ...], seed: int
) -> tuple[FloatArray, FloatArray]:
    """Return mean purity and entropy of each cluster with the values dealt out at random."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum(np.bincount(cells, minlength=shape[0]), 1)
    purity, entropy = np.zeros(shape[0]), np.zeros(shape[0])
    for _ in range(_DRAWS):
        dealt = _counts(cells, rng.permutation(codes), *shape)
        purity += dealt.max(axis=1, initial=0) / sizes
        entropy += _entropy(dealt)
    return purity / _DRAWS, entropy / _DRAWS


def _upper_tails(counts: NDArray[np.intp]) -> FloatArray:
    """Return the chance of as many texts or more, 1 where there are no more than expected."""
    sizes, totals, n = counts.sum(axis=1), counts.sum(axis=0), counts.sum()
    found = np.ones(counts.shape)
    above = np.nonzero(counts * n > np.outer(sizes, totals))
    found[above] = scipy.stats.hypergeom.sf(counts[above] - 1, n, totals[above[1]], sizes[above[0]])
    return found


def _pure_cells(
    cells: IntegerArray, codes: IntegerArray, n_draws: int, rng: np.random.Generator
) -> tuple[int, float, float]:
    """Return the number of large cells, of those with one or two values, and that by chance."""
    is_large = np.bincount(cells) >= _PAPER_TEXTS
    kept, n_values = is_large[cells], codes.max() + 1

    def n_pure(dealt: IntegerArray) -> int:
        pairs = np.unique(cells[kept] * n_values + dealt[kept])
        different = np.bincount(pairs // n_values, minlength=len(is_large))
        return int((different[is_large] <= _PAPER_VALUES).sum())

    by_chance = [n_pure(rng.permutation(codes)) for _ in range(n_draws)]
    return int(is_large.sum()), n_pure(codes), float(np.mean(by_chance))
