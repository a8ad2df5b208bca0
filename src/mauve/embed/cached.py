"""An embedder that embeds the texts of its last call only once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.embed.cache import FeatureCache, empty_rows
from mauve.embed.models import UNKNOWN
from mauve.embed.protocol import Embedded, Embedder, Progress
from mauve.embed.registry import CallableEmbedder
from mauve.errors import InvalidParameterError, check_int


class CachedEmbedder:
    """An embedder that embeds only what the cache does not have, and each text once.

    Parameters
    ----------
    embedder : Embedder
    cache : FeatureCache
    chunk_size : int
        Number of texts to embed before their features are written, which is what a killed
        run loses at most. It hardly costs time: texts go to the embedder longest first,
        so that its batches are as even as if it had sorted all of them; 2,048 is a
        multiple of the usual batch sizes; and to write so many takes a tenth of a second.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> class Lengths:
    ...     signature = "lengths"
    ...     def embed(self, texts, on_progress=None):
    ...         print("embedding", texts)
    ...         n = np.array([len(text) for text in texts])
    ...         return Embedded(np.float32(n[:, None]), n, n < 0)
    >>> with TemporaryDirectory() as folder:
    ...     embedder = CachedEmbedder(Lengths(), FeatureCache(Path(folder)))
    ...     _ = embedder.embed(["one", "three"])
    ...     embedder.embed(["three", "seven", "one", "seven"]).n_tokens.tolist()
    embedding ['three', 'one']
    embedding ['seven']
    [5, 5, 3, 5]
    """

    def __init__(self, embedder: Embedder, cache: FeatureCache, *, chunk_size: int = 2048) -> None:
        self.embedder = embedder
        self.cache = cache
        self.chunk_size = check_int("CachedEmbedder", "chunk_size", chunk_size, 1)

    @property
    def signature(self) -> str:
        """The embedder's own, as features do not change by being kept."""
        return self.embedder.signature

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, which are not empty, from the cache where it has them.

        Progress counts texts; those in the cache and those that repeat are done at once.
        """
        number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        distinct = list(number)
        known, rows = self.cache.lookup(self.signature, distinct)
        missing: list[int] = np.setdiff1d(np.arange(len(distinct)), known).tolist()
        missing.sort(key=lambda i: len(distinct[i]), reverse=True)
        n_done = len(texts) - len(missing)
        if on_progress is not None:
            on_progress("embedding", n_done, len(texts))

        width = rows.features.shape[1] if len(known) else None
        for start in range(0, len(missing), self.chunk_size):
            places = missing[start : start + self.chunk_size]
            chunk = [distinct[i] for i in places]
            progress = _part_of(on_progress, n_done + start, len(chunk), len(texts))
            part = self._checked(self.embedder.embed(chunk, progress), len(chunk), width)
            self.cache.store(self.signature, chunk, part)
            if start == 0:
                width = part.features.shape[1]
                found, rows = rows, empty_rows(len(distinct), width)
                if len(known):
                    _put(rows, known, found)
            _put(rows, places, part)
            if on_progress is not None:  # not every embedder reports its own
                on_progress("embedding", n_done + start + len(chunk), len(texts))
        if len(distinct) == len(texts):
            return rows
        order = [number[text] for text in texts]
        return Embedded(rows.features[order], rows.n_tokens[order], rows.truncated[order])

    def _checked(self, part: Embedded, n_texts: int, width: int | None) -> Embedded:
        """Return what the embedder made of a chunk in the types it promised, or raise."""
        with np.errstate(over="ignore"):  # what does not fit is found below
            features = np.asarray(part.features, np.float32)
        n_tokens = np.asarray(part.n_tokens, np.int64)
        truncated = np.asarray(part.truncated, np.bool_)
        one_each = [features.shape[:1], n_tokens.shape, truncated.shape] == [(n_texts,)] * 3
        if features.ndim != 2 or not one_each:
            raise self._bad(
                "one row of features, one number of tokens and one flag for each text",
                f"the shapes {features.shape}, {n_tokens.shape} and {truncated.shape} "
                f"for {n_texts} texts",
            )
        n_bad = int(n_texts - np.isfinite(features).all(axis=1).sum())
        if n_bad:
            raise self._bad(
                "finite numbers that fit 32 bits",
                f"NaN, infinity or a larger number for {n_bad} of {n_texts} texts",
            )
        if width not in (None, features.shape[1]):
            raise self._bad(
                f"{width} features for each text, as it did before; if it has changed, so must "
                "its signature, or 'mauve cache clear' must forget what it did",
                f"{features.shape[1]}",
            )
        return Embedded(features, n_tokens, truncated)

    def _bad(self, rule: str, got: str) -> InvalidParameterError:
        return InvalidParameterError(
            f"The embedder '{self.signature}' must return {rule}. Got {got} instead."
        )


def _part_of(
    on_progress: Progress | None, n_before: int, n_chunk: int, n_texts: int
) -> Progress | None:
    """Return a callback for one chunk, whose steps need not be texts."""
    if on_progress is None:
        return None

    def report(what: str, done: int, total: int) -> None:
        on_progress(what, n_before + n_chunk * done // max(total, 1), n_texts)

    return report


def _put(rows: Embedded, places: list[int] | NDArray[Any], part: Embedded) -> None:
    rows.features[places] = part.features
    rows.n_tokens[places] = part.n_tokens
    rows.truncated[places] = part.truncated


def cached_if_known(embedder: Embedder) -> Embedder:
    """Return an embedder that keeps features in the user's cache, where that is sound.

    Of a function, or of a model whose version is not known, nobody can say whether it still
    gives the features that were kept.
    """
    if isinstance(embedder, CallableEmbedder) or f"@{UNKNOWN}" in embedder.signature:
        return embedder
    return CachedEmbedder(embedder, FeatureCache())


class RememberedEmbedder:
    """An embedder for several steps of one job that read the same texts.

    It keeps the features of the call before in memory, so that the next step has them even
    where there is no cache on disk.

    Examples
    --------
    >>> import numpy as np
    >>> from mauve.embed.registry import get_embedder
    >>> def lengths(texts):
    ...     print("embedding", texts)
    ...     return np.array([[len(text)] for text in texts])
    >>> embedder = RememberedEmbedder(get_embedder(lengths))
    >>> embedder.embed(["one"]).features is embedder.embed(["one"]).features
    embedding ['one']
    True
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._last: tuple[list[str], Embedded] | None = None

    @property
    def signature(self) -> str:
        """The embedder's own, as features do not change by being kept."""
        return self.embedder.signature

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, from the call before if it had the same."""
        if self._last is None or self._last[0] != [*texts]:
            self._last = [*texts], self.embedder.embed(texts, on_progress)
        return self._last[1]
