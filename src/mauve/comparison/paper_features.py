"""Compute the features of the texts or tokens passed to `compute_mauve`."""

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mauve.calls import parameter
from mauve.embed.bundled import CONTEXT
from mauve.embed.cached import cached_if_known
from mauve.embed.protocol import Embedder
from mauve.embed.reading import count_unreadable, reading_of, unreadable_warnings
from mauve.embed.registry import get_embedder
from mauve.embed.samples import check_features, load_features, read_sample
from mauve.errors import InvalidParameterError, bad_parameter, check_int, warn_caller
from mauve.text.normalize import refuse_empty

if TYPE_CHECKING:
    from mauve.embed.transformers import TransformersEmbedder


_ENDPOINT = ("http://", "https://")


@dataclass(frozen=True)
class Featurizer:
    """Computes the terminal hidden state of texts, as the authors' package does.

    Attributes
    ----------
    model : str
        Name on the hub, folder, or any other name that :func:`mauve.get_embedder` knows.
    device_id : int
        -1 for the CPU, otherwise the index of a GPU.
    max_length : int
        Maximum number of tokens of a text.
    wide : bool
        Use 64-bit numbers; such features are not cached.
    verbose : bool
        Print progress.
    """

    model: str
    device_id: int
    max_length: int
    wide: bool
    verbose: bool

    def prepare(
        self,
        sample: str,
        features: ArrayLike | None,
        tokens: Sequence[Any] | None,
        text: Sequence[str] | None,
    ) -> Callable[[], NDArray[Any]]:
        """Check what is passed for sample "p" or "q"; return what computes its features.

        The check takes no time, and embedding may take hours: both samples are checked first.
        """
        others = {f"{sample}_tokens": tokens, f"{sample}_text": text}
        passed = {name: value for name, value in others.items() if value is not None}
        if features is not None:
            rows = load_features(features, f"{sample}_features")
            _warn_unused(rows, passed, sample)
            _check_size(rows, f"{sample}_features")
            return lambda: rows
        if len(passed) != 1:
            raise InvalidParameterError(
                f"compute_mauve needs one of {sample}_features, {sample}_tokens and {sample}_text. "
                f"Got {' and '.join(passed) or 'none'} instead."
            )
        if tokens is not None:
            ids = _checked_tokens(tokens, f"{sample}_tokens")
            return lambda: self._of_tokens(ids, f"{sample}_tokens")
        texts = _checked_texts(text, f"{sample}_text")
        return lambda: self._of_text(texts, f"{sample}_text")

    def _of_text(self, texts: list[str], name: str) -> NDArray[Any]:
        if self.verbose:
            print(f"embedding {len(texts)} texts of '{name}' with {self.model}")
        reading = reading_of(self._embedder)
        kinds = count_unreadable(texts, reading)
        for message in unreadable_warnings(name, kinds, 0, len(texts), reading):
            warn_caller(message)
        embedded = self._cached.embed(texts)
        _warn_truncated(embedded.n_truncated, len(texts), name)
        return check_features(embedded.features, f"The features of '{name}'")

    def _of_tokens(self, rows: list[list[int]], name: str) -> NDArray[Any]:
        embed_tokens = getattr(self._embedder, "embed_tokens", None)
        if embed_tokens is None:
            raise bad_parameter(name, "left out: this model reads text alone", self.model)
        features: NDArray[np.float32] = embed_tokens(rows)
        limit = getattr(self._embedder, "max_length", self.max_length)
        _warn_truncated(sum(len(row) > limit for row in rows), len(rows), name)
        return check_features(features, f"The features of '{name}'")

    @cached_property
    def _cached(self) -> Embedder:
        # The cache stores 32-bit numbers.
        return self._embedder if self.wide else cached_if_known(self._embedder)

    @cached_property
    def _embedder(self) -> "Embedder | TransformersEmbedder":
        model = str(self.model)
        length = check_int("max_text_length", self.max_length, 2)
        dtype = "float64" if self.wide else "float32"
        if model.startswith("sentence:"):  # its maximum length is part of the model
            return get_embedder(model, dtype=dtype, device=self._device())
        if model == "bundled" or model.startswith(_ENDPOINT):
            if self.wide:
                raise bad_parameter("use_float64", f"False for {model!r}", True)
            # The length that an endpoint reads is set on the server.
            max_length = min(length, CONTEXT) if model == "bundled" else None
            return get_embedder(model, max_length=max_length)
        return get_embedder(
            model, pooling="last", max_length=length, dtype=dtype, device=self._device()
        )

    def _device(self) -> str:
        number = check_int("device_id", self.device_id, -1)
        if number == -1:
            return "cpu"
        import torch

        if torch.cuda.is_available() and number < torch.cuda.device_count():
            return f"cuda:{number}"
        # Existing scripts pass device_id=0 on any machine: warn, and continue on the CPU.
        warn_caller(
            f"compute_mauve was asked for the GPU {number} by 'device_id', and there are "
            f"{torch.cuda.device_count()}: the texts are embedded on the CPU. "
            "Pass device_id=-1 to ask for that."
        )
        return "cpu"


def _checked_texts(text: Any, name: str) -> list[str]:
    """Return texts as a list, or raise if they are not texts, too few, or empty."""
    texts = [] if hasattr(text, "__len__") and not len(text) else read_sample(text, name)
    if not isinstance(texts, list):
        raise bad_parameter(name, "a list of strings", type(text).__name__)
    _check_size(texts, name)
    refuse_empty(texts, parameter(name), "remove them")
    return texts


def _checked_tokens(tokens: Sequence[Any], name: str) -> list[list[int]]:
    """Return token numbers as lists, or raise."""
    rows = []
    for i, ids in enumerate(tokens):
        try:
            row = np.asarray(ids).reshape(-1)
        except ValueError:  # rows of different lengths within
            row = np.array([ids], dtype=object)
        if not len(row) or row.dtype.kind not in "iu":
            raise InvalidParameterError(
                f"{parameter(name)} must hold rows of token numbers. "
                f"Got {'an empty row' if not len(row) else row.dtype} at position {i} instead."
            )
        rows.append(row.tolist())
    _check_size(rows, name)
    return rows


def _check_size(rows: Sized, name: str) -> None:
    if len(rows) < 2:
        raise InvalidParameterError(
            f"{parameter(name)} must hold at least 2 texts. Got {len(rows)} instead."
        )


def _warn_truncated(n_cut: int, n_texts: int, name: str) -> None:
    if n_cut:
        warn_caller(
            f"{n_cut} of the {n_texts} texts of '{name}' are longer than the model reads: "
            "only their beginnings count."
        )


def _warn_unused(features: NDArray[Any], passed: dict[str, Any], sample: str) -> None:
    for name, value in passed.items():  # Hugging Face evaluate passes texts beside features
        if not hasattr(value, "__len__"):
            raise bad_parameter(name, "a list", value)
        if isinstance(value, Sized) and len(value) != len(features):
            raise InvalidParameterError(
                f"{parameter(name)} must have as many texts as "
                f"'{sample}_features', {len(features)}, or be left out. Got {len(value)} instead."
            )
        warn_caller(f"'{name}' is not used by compute_mauve where '{sample}_features' is given.")
