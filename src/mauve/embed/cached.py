"""Embed only texts whose features are not cached on disk."""

from collections.abc import Sequence

import numpy as np

from mauve.embed.cache import FeatureCache
from mauve.embed.models import UNKNOWN_VERSION
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.registry import CallableEmbedder
from mauve.errors import InvalidParameterError, check_int
from mauve.progress import Progress


class CachedEmbedder:
    """An embedder that embeds only texts that are not in the cache, and each text once.

    Parameters
    ----------
    embedder : Embedder
    cache : FeatureCache
    chunk_size : int
        Number of texts to embed before their features are written, which is the most that a
        killed run loses. Chunks hardly cost time: texts go to the embedder longest first, so
        that its batches are as even as if it had sorted all of them; 2,048 is a multiple of
        the usual batch sizes; and writing a chunk takes a tenth of a second.

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
        self.chunk_size = check_int("chunk_size", chunk_size, 1)

    @property
    def signature(self) -> str:
        """The signature of the embedder, since caching does not change features."""
        return self.embedder.signature

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, none of them empty, from the cache if it has them.

        Progress counts texts; cached and repeated ones count as done from the start.
        """
        row_of = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        distinct = list(row_of)
        known, cached = self.cache.lookup(self.signature, distinct)
        missing: list[int] = np.setdiff1d(np.arange(len(distinct)), known).tolist()
        missing.sort(key=lambda i: len(distinct[i]), reverse=True)
        n_done = len(texts) - len(missing)
        if on_progress is not None:
            on_progress("embedding", n_done, len(texts))

        rows = cached
        width = cached.features.shape[1] if len(known) else None
        for start in range(0, len(missing), self.chunk_size):
            places = missing[start : start + self.chunk_size]
            chunk = [distinct[i] for i in places]
            progress = _part_of(on_progress, n_done + start, len(chunk), len(texts))
            part = self._checked(self.embedder.embed(chunk, progress), len(chunk), width)
            self.cache.store(self.signature, chunk, part)
            if start == 0:
                width = part.features.shape[1]
                rows = Embedded.empty(len(distinct), width)
                if len(known):
                    rows.put(known, cached)
            rows.put(places, part)
            if on_progress is not None:  # not every embedder reports progress
                on_progress("embedding", n_done + start + len(chunk), len(texts))
        if len(distinct) == len(texts):
            return rows
        return rows.take([row_of[text] for text in texts])

    def _checked(self, part: Embedded, n_texts: int, width: int | None) -> Embedded:
        """Return the rows of a chunk in the types of :class:`Embedded`, or raise."""
        with np.errstate(over="ignore"):  # overflow becomes infinity, which is refused below
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
                "its signature, or clear its features with 'mauve cache clear'",
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
    """Return a callback for one chunk that converts the steps of the embedder to texts."""
    if on_progress is None:
        return None

    def report(what: str, done: int, total: int) -> None:
        on_progress(what, n_before + n_chunk * done // max(total, 1), n_texts)

    return report


def cached_if_known(embedder: Embedder) -> Embedder:
    """Return an embedder that uses the user's cache, if the version of the embedder is known.

    A function, or a model without a known version, may have changed since its features were
    cached.
    """
    if isinstance(embedder, CallableEmbedder) or f"@{UNKNOWN_VERSION}" in embedder.signature:
        return embedder
    return CachedEmbedder(embedder, FeatureCache())
