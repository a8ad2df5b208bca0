"""Embed texts with the bundled causal language model, in ONNX Runtime and without torch."""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mauve.arrays import BoolArray, Features
from mauve.embed.batching import encodable_parts, padded, token_batches
from mauve.embed.pooling import ENDING, FeatureScaling, ending_statistics, surprisal_features
from mauve.embed.protocol import Embedded
from mauve.embed.reading import Reading
from mauve.errors import check_choice, check_int
from mauve.progress import Progress
from mauve.threads import available_threads

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

#: The folder of the model, which Transformers can load too.
MODEL = Path(__file__).parent / "model"

CONTEXT, WIDTH = 512, 128
_WHY = f"the model reads {CONTEXT} tokens"

# Cut to 10 tokens, web texts with their words shuffled score 0.70 against others in order, and
# 0.22 at 40 (docs/model-card.md).
_SHORTEST = 10
POOLINGS = ("surprisal", "mean", "last")
END_OF_TEXT = 0  # token before every text


class BundledEmbedder:
    """Features from the model that comes with the package.

    Parameters
    ----------
    pooling : {"surprisal", "mean", "last"}
        The mean hidden state joined with statistics of the token log-probabilities, the
        mean alone, or the hidden state of the last token.
    max_length : int
        Tokens to read of a text, at most 512; one of them is the end-of-text token before it.
    token_budget : int
        Most tokens of a batch.

    Examples
    --------
    >>> embedded = BundledEmbedder().embed(["The cat sat on the mat.", "The cat sat."])
    >>> embedded.features.shape, embedded.n_truncated
    ((2, 130), 0)
    """

    def __init__(
        self, *, pooling: str = "surprisal", max_length: int = CONTEXT, token_budget: int = 4096
    ) -> None:
        self.pooling = check_choice("pooling", pooling, POOLINGS)
        self.max_length = check_int("max_length", max_length, 2, CONTEXT, _WHY)
        self.token_budget = check_int("token_budget", token_budget, 1)

    @property
    def reads(self) -> Reading:
        """English prose; one token is put before each text."""
        return Reading(frozenset({"en"}), _SHORTEST, self.max_length - 1, code=False)

    @property
    def signature(self) -> str:
        """Model, pooling and length."""
        return f"bundled-{checksum()}:{self.pooling}:{self.max_length}"

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts."""
        ids, truncated = self._tokens(texts)
        hidden, statistics = self._pooled(ids, on_progress or (lambda *_: None))
        if self.pooling == "surprisal":
            hidden = surprisal_features(hidden, statistics, _scaling())
        # The end-of-text token before each text is not counted.
        n_tokens = np.array([len(row) - 1 for row in ids], dtype=np.int64)
        return Embedded(hidden, n_tokens, truncated)

    def measure_scaling(self, texts: Sequence[str]) -> FeatureScaling:
        """Return the scaling of hidden states and statistics, for a newly trained model."""
        ids, _ = self._tokens(texts)
        return FeatureScaling.measured(*self._pooled(ids, lambda *_: None))

    def _tokens(self, texts: Sequence[str]) -> tuple[list[list[int]], BoolArray]:
        ids, truncated = [], []
        for row in encoded(texts):
            truncated.append(len(row) >= self.max_length)
            ids.append([END_OF_TEXT, *row[: self.max_length - 1]])
        return ids, np.array(truncated, dtype=bool)

    def _pooled(self, ids: list[list[int]], report: Progress) -> tuple[Features, Features]:
        """Return hidden states, shape (n, d), and statistics, shape (n, 2)."""
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        hidden = np.empty((len(ids), WIDTH), dtype=np.float32)
        statistics = np.zeros((len(ids), 2), dtype=np.float32)
        done = 0
        for rows in token_batches(lengths, self.token_budget):
            hidden[rows], statistics[rows] = self._run([ids[i] for i in rows])
            done += len(rows)
            report("embedding", done, len(ids))
        return hidden, statistics

    def _run(self, rows: list[list[int]]) -> tuple[Features, Features]:
        """Run one batch."""
        sizes = [len(row) for row in rows]
        table = padded(rows, END_OF_TEXT, at_least=2)
        # Positions before the last tokens of each text, counted over all rows of the table. One
        # more is added, as ONNX Runtime cannot sum over no position.
        starts = range(0, table.size, table.shape[1])
        n_ending = ENDING if self.pooling == "surprisal" else 0
        endings = [range(max(1, n - n_ending), n) if n_ending else range(0) for n in sizes]
        before = [a + i - 1 for a, ending in zip(starts, endings, strict=True) for i in ending]
        states, log_probabilities = session().run(
            ["hidden", "log_probability"],
            {"ids": table, "before": np.array([*before, 0], dtype=np.int64)},
        )
        if self.pooling == "last":
            pooled = np.stack([row[n - 1] for row, n in zip(states, sizes, strict=True)])
        else:
            # An empty text has the end-of-text token alone.
            pooled = np.stack(
                [row[min(1, n - 1) : n].mean(axis=0) for row, n in zip(states, sizes, strict=True)]
            )
        ends = np.cumsum([len(ending) for ending in endings])
        by_text = np.split(log_probabilities, ends)[:-1]
        zero = np.zeros(1, dtype=np.float32)
        return pooled, ending_statistics([values if len(values) else zero for values in by_text])


@cache
def session() -> "InferenceSession":
    """Return the model: from ids and positions to hidden states and log-probabilities."""
    from onnxruntime import InferenceSession, SessionOptions  # slow to import

    options = SessionOptions()
    options.intra_op_num_threads = available_threads()
    options.log_severity_level = 3  # errors only
    model = str(MODEL / "model.onnx")
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])


@cache
def tokenizer() -> "Tokenizer":
    """Return the tokenizer of the model, which adds no special tokens."""
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(MODEL / "tokenizer.json"))


def encoded(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the tokens of each text."""
    for part in encodable_parts(texts):
        yield from (encoding.ids for encoding in tokenizer().encode_batch_fast(part))


@cache
def _scaling() -> FeatureScaling | None:
    return FeatureScaling.read(MODEL)


@cache
def checksum() -> str:
    """Return a checksum of all files that features depend on."""
    digest = hashlib.sha256()
    for name in ("model.safetensors", "model.onnx", "tokenizer.json", "features.json"):
        digest.update((MODEL / name).read_bytes())
    return digest.hexdigest()[:8]
