"""Embed texts with sentence-transformers models; needs the ``sentence`` extra."""

import math
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from mauve.arrays import IntArray
from mauve.calls import parameter
from mauve.embed.batching import encodable
from mauve.embed.model_card import card_languages
from mauve.embed.models import find_devices, find_dtype, load_quietly, model_identity
from mauve.embed.protocol import Embedded, embedder_parameter
from mauve.embed.reading import Reading
from mauve.errors import bad_parameter, check_int
from mauve.progress import Progress


class SentenceEmbedder:
    """Features of a sentence-transformers model, with its own pooling.

    Such models see what a text is about, and hardly how it is written (docs/embedders.md).

    Parameters
    ----------
    model : str or Path
        Name on the hub, or a folder.
    max_length : int, optional
        Tokens to read of a text; by default the limit of the model.
    dtype, device, revision
        As for :class:`mauve.embed.transformers.TransformersEmbedder`; one device only.
    chunk_size : int
        Texts to embed between two reports of progress; they are sorted by length within.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        max_length: int | None = None,
        dtype: str = "auto",
        device: str = "auto",
        revision: str | None = None,
        chunk_size: int = 2048,
    ) -> None:
        self.model = str(model)
        self.chunk_size = check_int("chunk_size", chunk_size, 1)
        role = embedder_parameter()
        if not self.model:
            raise bad_parameter(role, "'sentence:' and a name on the hub, or a folder", "sentence:")
        [self._device, *_] = find_devices(device)
        self._dtype = find_dtype(dtype, self._device)
        self._encoder: SentenceTransformer = load_quietly(
            SentenceTransformer,
            self.model,
            f"{parameter(role)} must name a sentence-transformers model after 'sentence:'.",
            device=str(self._device),
            revision=revision,
            model_kwargs={"dtype": self._dtype},
        )
        self._tokenizer: Any = self._encoder.tokenizer
        if getattr(self._tokenizer, "pad_token", "") is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token  # masked in attention
        limit = self._encoder.max_seq_length
        if max_length is not None:
            if limit == math.inf:
                raise bad_parameter(
                    "max_length", "left out: this model reads all of a text",
                    max_length,
                )  # fmt: skip
            check_int("max_length", max_length, 2, limit, f"the model reads {limit} tokens")
            self._encoder.max_seq_length = max_length

    @property
    def max_length(self) -> int:
        """Most tokens that are read of a text; 0 if there is no limit."""
        limit = self._encoder.max_seq_length
        return 0 if limit is None or limit == math.inf else int(limit)

    @cached_property
    def reads(self) -> Reading:
        """Languages by its model card, if there is one, and most tokens of a text."""
        languages, has_code = card_languages(self.model, self._commit())
        return Reading(languages, None, self.max_length or None, has_code or None)

    @cached_property
    def signature(self) -> str:
        """Model with its checksum, length and number type."""
        identity = model_identity(self.model, self._commit())
        number = str(self._dtype).removeprefix("torch.")
        return f"sentence:{identity}:{self.max_length}:{number}".replace("|", "_")

    def _commit(self) -> str | None:
        for module in self._encoder:
            config: Any = getattr(getattr(module, "auto_model", None), "config", None)
            if getattr(config, "_commit_hash", None):
                return str(config._commit_hash)
        return None

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts."""
        if not len(texts):
            width = self._encoder.get_sentence_embedding_dimension() or 0
            return Embedded(np.empty((0, width), np.float32), np.empty(0, int), np.empty(0, bool))
        texts = encodable(texts)
        report = on_progress or (lambda *_: None)
        rows: list[Any] = []
        for start in range(0, len(texts), self.chunk_size):
            part = texts[start : start + self.chunk_size]
            with torch.inference_mode():
                rows.append(
                    self._encoder.encode(part, convert_to_numpy=True, show_progress_bar=False)
                )
            report("embedding", start + len(part), len(texts))
        prompt = self._encoder.prompts.get(self._encoder.default_prompt_name or "") or ""
        lengths = self._lengths([prompt + text for text in texts])
        limit = self.max_length or int(lengths.max())
        features = np.concatenate(rows).astype(np.float32)
        return Embedded(features, np.minimum(lengths, limit), lengths > limit)

    def _lengths(self, texts: list[str]) -> IntArray:
        """Return the number of tokens of texts before truncation; -1 if they are not counted."""
        if callable(self._tokenizer):
            rows = self._tokenizer(texts, verbose=False)["input_ids"]
        elif hasattr(self._tokenizer, "encode_batch_fast"):  # static embeddings
            encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
            rows = [encoding.ids for encoding in encodings]
        else:
            return np.full(len(texts), -1, dtype=np.int64)
        return np.array([len(row) for row in rows], dtype=np.int64)
