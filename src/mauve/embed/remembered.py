"""An embedder that remembers the features of texts, so that each is embedded once."""

from collections.abc import Sequence

import numpy as np

from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.reading import Reading, reading_of
from mauve.progress import Progress


class RememberedEmbedder:
    """An embedder that embeds only texts it has not seen, and each of them once.

    Parameters
    ----------
    embedder : Embedder
    texts : sequence of str
        Texts whose features are known.
    embedded : Embedded
        Their features.

    Examples
    --------
    >>> from mauve.embed.registry import get_embedder
    >>> lengths = get_embedder(lambda texts: [print(texts) or [len(text)] for text in texts])
    >>> embedder = RememberedEmbedder(lengths, ["one"], lengths.embed(["one"]))
    ['one']
    >>> embedder.embed(["one", "three", "one", "three"]).features.tolist()
    ['three']
    [[3.0], [5.0], [3.0], [5.0]]
    """

    def __init__(self, embedder: Embedder, texts: Sequence[str], embedded: Embedded) -> None:
        self.embedder = embedder
        self._parts = [embedded]
        self._rows = {text: row for row, text in enumerate(texts)}
        self._n_rows = len(texts)

    @property
    def signature(self) -> str:
        """The signature of the embedder, whose features are unchanged."""
        return self.embedder.signature

    @property
    def reads(self) -> Reading | None:
        """What the embedder can read."""
        return reading_of(self.embedder)

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts, from memory where it has them."""
        new = [text for text in dict.fromkeys(texts) if text not in self._rows]
        if new:
            self._parts.append(self.embedder.embed(new, on_progress))
            self._rows |= {text: self._n_rows + row for row, text in enumerate(new)}
            self._n_rows += len(new)
        if len(self._parts) > 1:
            self._parts = [_joined(self._parts)]
        return self._parts[0].take([self._rows[text] for text in texts])


def _joined(parts: Sequence[Embedded]) -> Embedded:
    return Embedded(
        np.concatenate([np.asarray(part.features) for part in parts]),
        np.concatenate([part.n_tokens for part in parts]),
        np.concatenate([part.truncated for part in parts]),
    )
