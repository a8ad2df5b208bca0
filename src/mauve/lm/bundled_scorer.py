"""The bundled model as a scorer, run by ONNX Runtime without torch."""

from collections.abc import Sequence

import numpy as np

from mauve.arrays import FloatArray
from mauve.embed.batching import padded, token_batches
from mauve.embed.bundled import CONTEXT, END_OF_TEXT, checksum, encoded, session
from mauve.embed.protocol import Progress
from mauve.lm.scorer import check_texts
from mauve.lm.windows import Window, check_window, windows_of

_BATCH = 4096  # tokens: their logits take 128 MB


class BundledScorer:
    """Log-probabilities from the model that comes with the package.

    Parameters
    ----------
    max_length : int, optional
        Tokens that it reads at once, at most 512, which is the default.
    stride : int, optional
        Tokens that a window of a longer text adds to the one before; by default half of
        `max_length`.

    Examples
    --------
    >>> scorer = BundledScorer()
    >>> usual, odd = scorer.log_probabilities(["It was a cold day.", "It cold was day a."])
    >>> bool(usual.mean() > odd.mean())
    True
    """

    def __init__(self, *, max_length: int | None = None, stride: int | None = None) -> None:
        self.max_length, self.stride = check_window("BundledScorer", max_length, stride, CONTEXT)

    @property
    def signature(self) -> str:
        """Model, length and stride."""
        return f"bundled-{checksum()}:{self.max_length}:{self.stride}"

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[FloatArray]:
        """Return the natural log-probability of every token of each text.

        The first is given the end-of-text token, which stands before every text.
        """
        before = check_texts("log_probabilities", texts, prompts)
        asked, own = [*encoded(before)], [*encoded(texts)]
        ids = [[END_OF_TEXT, *a, *b] for a, b in zip(asked, own, strict=True)]
        firsts = [1 + len(a) for a in asked]
        parts = windows_of(ids, firsts, self.max_length, self.stride)
        found = [np.empty(len(row)) for row in own]
        done = 0
        for batch in token_batches([window.end - window.start for _, window in parts], _BATCH):
            here = [parts[k] for k in batch]
            scores = _run([(ids[i], window) for i, window in here])
            for (i, window), score in zip(here, scores, strict=True):
                found[i][window.first - firsts[i] : window.end - firsts[i]] = score
            done += len(here)
            if on_progress is not None:
                on_progress("scoring", done, len(parts))
        return found


def _run(batch: list[tuple[list[int], Window]]) -> list[FloatArray]:
    """Return the log-probabilities of the scored tokens of each window."""
    table = padded([row[window.start : window.end] for row, window in batch], END_OF_TEXT)
    sizes = [window.end - window.first for _, window in batch]
    before = [
        k * table.shape[1] + place - window.start - 1  # counted row by row
        for k, (_, window) in enumerate(batch)
        for place in range(window.first, window.end)
    ]
    inputs = {"ids": table, "before": np.array(before, dtype=np.int64)}
    (chances,) = session().run(["log_probability"], inputs)
    return np.split(chances.astype(np.float64), np.cumsum(sizes)[:-1])
