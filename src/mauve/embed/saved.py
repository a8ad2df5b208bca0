"""The embedder of a saved comparison, which knows the features of its texts."""

import re
from collections.abc import Sequence

from mauve.calls import by_world
from mauve.embed.cached import cached_if_known
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.errors import MauveError, bad_parameter
from mauve.progress import Progress


class SavedEmbedder:
    """Features of texts that were saved; other texts go to the embedder that made them.

    The bundled model is always at hand. Any other embedder must be passed again: a file must not
    decide which model is downloaded, or which server is sent texts.

    Parameters
    ----------
    signature : str
        That of the embedder.
    texts : list of str
    embedded : Embedded
        Features of these texts.

    Examples
    --------
    >>> embedder = get_embedder(lambda texts: [[len(text)] for text in texts])
    >>> embedded = embedder.embed(["a text"])
    >>> saved = SavedEmbedder("lengths", ["a text"], embedded)
    >>> saved.embed(["a text"]).features.tolist()
    [[6.0]]
    """

    def __init__(self, signature: str, texts: list[str], embedded: Embedded) -> None:
        self.signature = signature
        self._texts = texts
        self._embedded = embedded
        self._embedder: Embedder | None = None

    def use(self, embedder: EmbedderLike) -> None:
        """Embed other texts with `embedder`, which must be the one that made the features."""
        self._embedder = _checked(get_embedder(embedder), self.signature)

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of the saved texts; embed others, or raise."""
        if [*texts] == self._texts:
            return self._embedded
        if self._embedder is None:
            self._embedder = _bundled(self.signature)
        if self._embedder is None:
            remedy = by_world(
                python="mauve.load(path, embedder=...)",
                command="do so in Python, by mauve.load(path, embedder=...), or compare the texts "
                "again",
            )
            raise MauveError(
                f"The saved comparison must be loaded with the embedder '{self.signature}' to "
                f"embed other texts: {remedy}."
            )
        return self._embedder.embed(texts, on_progress)


def _checked(embedder: Embedder, signature: str) -> Embedder:
    if embedder.signature != signature:
        raise bad_parameter(
            "embedder",
            f"'{signature}', which embedded the texts of the comparison",
            embedder.signature,
        )
    return cached_if_known(embedder)


def _bundled(signature: str) -> Embedder | None:
    """Return the bundled embedder with that signature, if it is one."""
    parts = re.fullmatch(r"bundled-[^:]*:([^:]+):([0-9]+)", signature)
    if parts is None:
        return None
    pooling, length = parts.groups()
    embedder = get_embedder("bundled", pooling=pooling, max_length=int(length))
    return _checked(embedder, signature)
