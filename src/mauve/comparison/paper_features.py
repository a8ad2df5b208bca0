"""What `compute_mauve` is given for each side in, features out."""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mauve.embed.bundled import CONTEXT
from mauve.embed.cached import cached_if_known
from mauve.embed.protocol import Embedder
from mauve.embed.registry import get_embedder
from mauve.embed.samples import checked_features, load_features, read_sample
from mauve.errors import InvalidParameterError, MauveWarning, bad_parameter, check_int
from mauve.text.normalize import refuse_empty

if TYPE_CHECKING:
    from mauve.embed.transformers import TransformersEmbedder


_ENDPOINT = ("http://", "https://")


@dataclass(frozen=True)
class Featurizer:
    """How `compute_mauve` turns text into features: the terminal hidden state.

    Attributes
    ----------
    model : str
        Name on the hub, folder, or any other name that :func:`mauve.get_embedder` knows.
    device_id : int
        -1 for the CPU, else the number of a GPU.
    max_length : int
        Tokens to read of a text.
    wide : bool
        Compute in 64 bits; such features are not cached.
    verbose : bool
        Print what is being done.
    """

    model: str
    device_id: int
    max_length: int
    wide: bool
    verbose: bool

    def features(
        self,
        side: str,
        features: ArrayLike | None,
        tokens: Sequence[Any] | None,
        text: Sequence[str] | None,
    ) -> NDArray[Any]:
        """Return the features of the side "p" or "q", or say what is missing."""
        others = {f"{side}_tokens": tokens, f"{side}_text": text}
        given = {name: value for name, value in others.items() if value is not None}
        if features is not None:
            found = load_features(features, f"{side}_features")
            _check_beside(found, given, side)
        elif len(given) != 1:
            raise InvalidParameterError(
                f"compute_mauve needs one of {side}_features, {side}_tokens and {side}_text. "
                f"Got {' and '.join(given) or 'none'} instead."
            )
        elif tokens is not None:
            found = self._of_tokens(tokens, f"{side}_tokens")
        else:
            found = self._of_text(text, f"{side}_text")
        if len(found) < 2:
            [name] = [*given] if features is None else [f"{side}_features"]
            raise InvalidParameterError(
                f"The '{name}' parameter of compute_mauve must hold at least 2 texts. "
                f"Got {len(found)} instead."
            )
        return found

    def _of_text(self, text: Any, name: str) -> NDArray[Any]:
        texts = [] if hasattr(text, "__len__") and not len(text) else read_sample(text, name)
        if not isinstance(texts, list):
            raise bad_parameter("compute_mauve", name, "a list of strings", type(text).__name__)
        if not texts:
            return np.empty((0, 1))
        refuse_empty(texts, f"The '{name}' parameter of compute_mauve", "remove them")
        if self.verbose:
            print(f"embedding {len(texts)} texts of '{name}' with {self.model}")
        found = self._cached.embed(texts)
        _warn_of_cuts(found.n_truncated, len(texts), name)
        return checked_features(found.features, f"The features of '{name}'")

    def _of_tokens(self, tokens: Sequence[Any], name: str) -> NDArray[Any]:
        embed_tokens = getattr(self._embedder, "embed_tokens", None)
        if embed_tokens is None:
            raise bad_parameter(
                "compute_mauve", name, "left out: this model reads text alone", self.model
            )
        rows = []
        for i, given in enumerate(tokens):
            try:
                row = np.asarray(given).reshape(-1)
            except ValueError:  # rows of different lengths within
                row = np.array([given], dtype=object)
            if not len(row) or row.dtype.kind not in "iu":
                raise InvalidParameterError(
                    f"The '{name}' parameter of compute_mauve must hold rows of token numbers. "
                    f"Got {'an empty row' if not len(row) else row.dtype} at position {i} instead."
                )
            rows.append(row.tolist())
        if not rows:
            return np.empty((0, 1))
        found: NDArray[np.float32] = embed_tokens(rows)
        limit = getattr(self._embedder, "max_length", self.max_length)
        _warn_of_cuts(sum(len(row) > limit for row in rows), len(rows), name)
        return checked_features(found, f"The features of '{name}'")

    @cached_property
    def _cached(self) -> Embedder:
        # The cache has 32 bits.
        return self._embedder if self.wide else cached_if_known(self._embedder)

    @cached_property
    def _embedder(self) -> "Embedder | TransformersEmbedder":
        model = str(self.model)
        length = check_int("compute_mauve", "max_text_length", self.max_length, 2)
        dtype = "float64" if self.wide else "float32"
        if model.startswith("sentence:"):  # which reads as much as it was trained to
            return get_embedder(model, dtype=dtype, device=self._device())
        if model == "bundled" or model.startswith(_ENDPOINT):
            if self.wide:
                raise bad_parameter("compute_mauve", "use_float64", f"False for {model!r}", True)
            # An endpoint reads what it reads.
            own = min(length, CONTEXT) if model == "bundled" else None
            return get_embedder(model, max_length=own)
        return get_embedder(
            model, pooling="last", max_length=length, dtype=dtype, device=self._device()
        )

    def _device(self) -> str:
        number = check_int("compute_mauve", "device_id", self.device_id, -1)
        if number == -1:
            return "cpu"
        import torch

        if torch.cuda.is_available() and number < torch.cuda.device_count():
            return f"cuda:{number}"
        # Scripts in the wild pass device_id=0 everywhere, so they go on, but not in silence.
        warnings.warn(
            f"compute_mauve was asked for the GPU {number} by 'device_id', and there are "
            f"{torch.cuda.device_count()}: the texts are embedded on the CPU. "
            "Pass device_id=-1 to ask for that.",
            MauveWarning,
            stacklevel=_users_level(),
        )
        return "cpu"


def _users_level() -> int:
    """Return the stack level of the first frame outside of the package, from the caller's."""
    level, frame = 1, sys._getframe(1)
    ours = ("mauve", "functools")  # the latter for cached properties
    while frame.f_back and frame.f_globals["__name__"].partition(".")[0] in ours:
        level, frame = level + 1, frame.f_back
    return level


def _warn_of_cuts(n_cut: int, n_texts: int, name: str) -> None:
    if n_cut:
        warnings.warn(
            f"{n_cut} of the {n_texts} texts of '{name}' are longer than the model reads here: "
            "only their beginnings count.",
            MauveWarning,
            stacklevel=_users_level(),
        )


def _check_beside(features: NDArray[Any], given: dict[str, Any], side: str) -> None:
    for name, value in given.items():  # Hugging Face evaluate passes texts beside features
        if len(value) != len(features):
            raise InvalidParameterError(
                f"The '{name}' parameter of compute_mauve must have as many texts as "
                f"'{side}_features', {len(features)}, or be left out. Got {len(value)} instead."
            )
        warnings.warn(
            f"'{name}' is not used by compute_mauve where '{side}_features' is given.",
            MauveWarning,
            stacklevel=_users_level(),
        )
