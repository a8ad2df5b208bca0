"""Embed only texts whose features are not cached on disk."""

import time
from collections.abc import Sequence

import numpy as np

from mauve.embed.cache import FeatureCache
from mauve.embed.models import UNKNOWN_VERSION
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.reading import Reading, reading_of
from mauve.embed.registry import CallableEmbedder
from mauve.errors import InvalidParameterError, check_int, check_real
from mauve.progress import Progress

_FIRST_CHUNK = 16  # texts, while the speed is not known
_GROWTH = 4  # of chunks at most, as the first ones include the start of the model


class CachedEmbedder:
    """An embedder that embeds only texts that are not in the cache, and each text once.

    Parameters
    ----------
    embedder : Embedder
    cache : FeatureCache
    chunk_size : int
        Most texts to embed before their features are written.
    chunk_seconds : float
        Seconds to embed before features are written, which is what a killed run loses. The
        number of texts follows from the speed of the chunk before.

    Notes
    -----
    Chunks hardly cost time: texts go to the embedder longest first, so that its batches are as
    even as if it had sorted all of them, chunks of an embedder with a `batch_size` are made of
    whole batches, and writing a chunk takes a tenth of a second at most. The first chunk is
    small, as the speed is not known.

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

    def __init__(
        self,
        embedder: Embedder,
        cache: FeatureCache,
        *,
        chunk_size: int = 2048,
        chunk_seconds: float = 3.0,
    ) -> None:
        self.embedder = embedder
        self.cache = cache
        self.chunk_seconds = check_real("chunk_seconds", chunk_seconds, above=0)
        self.chunk_size = check_int("chunk_size", chunk_size, 1)

    @property
    def signature(self) -> str:
        """The signature of the embedder, since caching does not change features."""
        return self.embedder.signature

    @property
    def reads(self) -> Reading | None:
        """What the embedder can read."""
        return reading_of(self.embedder)

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
        batch = getattr(self.embedder, "batch_size", None)  # one's own may have any value there
        batch = batch if isinstance(batch, int) and batch > 0 else 1
        size, start = min(max(_FIRST_CHUNK, batch), self.chunk_size), 0
        while start < len(missing):
            places = missing[start : start + size]
            chunk = [distinct[i] for i in places]
            began = time.perf_counter()
            progress = _part_of(on_progress, n_done + start, len(chunk), len(texts))
            part = self._checked(self.embedder.embed(chunk, progress), len(chunk), width)
            seconds = time.perf_counter() - began
            self.cache.store(self.signature, chunk, part)
            if start == 0:
                width = part.features.shape[1]
                rows = Embedded.empty(len(distinct), width)
                if len(known):
                    rows.put(known, cached)
            rows.put(places, part)
            if on_progress is not None:  # not every embedder reports progress
                on_progress("embedding", n_done + start + len(chunk), len(texts))
            start += len(chunk)
            size = next_chunk_size(
                len(chunk), seconds, self.chunk_seconds, most=self.chunk_size, batch=batch
            )
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


def next_chunk_size(n_texts: int, seconds: float, goal: float, *, most: int, batch: int = 1) -> int:
    """Return how many texts to embed next, so that they take about `goal` seconds.

    Parameters
    ----------
    n_texts : int
        Texts of the last chunk.
    seconds : float
        What they took.
    goal : float
    most : int
        Most texts of a chunk.
    batch : int
        Texts of a batch of the embedder; chunks are made of whole batches where they can be.

    Examples
    --------
    >>> next_chunk_size(100, 1.0, 3.0, most=2048)
    300
    >>> next_chunk_size(100, 1.0, 3.0, most=2048, batch=64)
    256
    >>> next_chunk_size(16, 0.001, 3.0, most=2048)  # too little to know the speed
    64
    """
    fitting = min(n_texts * goal / max(seconds, 1e-9), _GROWTH * n_texts, most)
    return min(max(batch, int(fitting) // batch * batch), most)


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
