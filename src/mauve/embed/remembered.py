"""An embedder that embeds the texts of its last call only once."""

from collections.abc import Sequence

from mauve.embed.protocol import Embedded, Embedder, Progress


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
