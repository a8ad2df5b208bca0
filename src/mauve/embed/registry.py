"""Embedders by name."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mauve.embed.protocol import Embedded, Embedder, Progress
from mauve.errors import InvalidParameterError, bad_parameter, need_packages

#: What `compare` takes as an embedder: a name, an embedder, or a function of a list of texts.
EmbedderLike = str | Embedder | Callable[[list[str]], ArrayLike]


def get_embedder(spec: EmbedderLike = "bundled", **options: Any) -> Embedder:
    """Return the embedder that a name stands for.

    Parameters
    ----------
    spec : str, Embedder or callable
        ``"bundled"``; ``"sentence:NAME"`` for a sentence-transformers model;
        ``"http://..."`` or ``"https://..."`` for an endpoint that speaks OpenAI's
        ``/v1/embeddings``, with ``#model=NAME`` behind it; any other name is that of a
        Transformers model on the hub or in a folder. A callable gets a list of strings and
        returns features of shape (n, d).
    **options
        What that embedder takes, such as ``pooling``, ``layer``, ``max_length``, ``dtype``,
        ``device`` and ``revision``; one that is None is left out.

    Examples
    --------
    >>> get_embedder("bundled", max_length=256).signature.endswith(":surprisal:256")
    True
    >>> get_embedder(lambda texts: [[len(text)] for text in texts]).embed(["four"]).features
    array([[4.]], dtype=float32)
    """
    given = {name: value for name, value in options.items() if value is not None}
    if not isinstance(spec, str):
        if given.keys() - {"device"}:
            raise bad_parameter("get_embedder", "spec", f"a name, to take {[*given]}", spec)
        if isinstance(spec, Embedder):
            return spec
        if callable(spec):
            return CallableEmbedder(spec)
        raise bad_parameter("compare", "embedder", "a name, an Embedder or a callable", spec)
    make, name = _maker(spec)
    known = [*inspect.signature(make).parameters][len(name) :]  # the name itself is no option
    given = {key: value for key, value in given.items() if key != "device" or "device" in known}
    unknown = sorted(given.keys() - {*known})
    if unknown:
        raise InvalidParameterError(
            f"The embedder {spec!r} must be given options it has: {', '.join(known)}. "
            f"Got {', '.join(unknown)} instead."
        )
    made: Embedder = make(*name, **given)
    return made


def _maker(spec: str) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """Return the class behind a name and what to pass it first."""
    if spec == "bundled":
        from mauve.embed.bundled import BundledEmbedder

        return BundledEmbedder, ()
    if spec.startswith(("http://", "https://")):
        from mauve.embed.endpoint import EndpointEmbedder

        return EndpointEmbedder, (spec,)
    if spec.startswith("sentence:"):
        _need(["sentence_transformers"], spec, "sentence")
        from mauve.embed.sentence import SentenceEmbedder

        return SentenceEmbedder, (spec.removeprefix("sentence:"),)
    _need(["transformers", "torch"], spec, "transformers")
    from mauve.embed.transformers import TransformersEmbedder

    return TransformersEmbedder, (spec,)


def _need(packages: Sequence[str], spec: str, extra: str) -> None:
    need_packages(f"The embedder {spec!r}", packages, extra, "use the embedder 'bundled'")


@dataclass(frozen=True)
class CallableEmbedder:
    """A function of the user's as an embedder. Nothing is known of it, so nothing is cached."""

    function: Callable[[list[str]], ArrayLike]

    @property
    def signature(self) -> str:
        """The function's name; two functions of one name look the same."""
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return f"callable:{name}".replace("|", "_")

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Call the function."""
        result = self.function([*texts])
        try:
            found = np.asarray(result)
        except (ValueError, TypeError, RuntimeError) as error:  # the latter two from torch
            raise InvalidParameterError(
                "The 'embedder' parameter must return features of shape (n, d). "
                f"Got what NumPy cannot make an array of instead ({error})."
            ) from error
        if found.dtype.kind in "fiu" and found.ndim == 2:
            found = found.astype(np.float32, copy=False)
        n = len(found) if found.ndim else 0
        return Embedded(found, np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=bool))
