"""Choose an embedder by name."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from mauve.calls import has_option, option, parameter
from mauve.embed.endpoint_address import is_endpoint
from mauve.embed.protocol import Embedded, Embedder, embedder_parameter
from mauve.embed.reading import Reading, reading_of
from mauve.errors import InvalidParameterError, bad_parameter, need_packages
from mauve.plugins import Plugins, lacking
from mauve.progress import Progress

#: An embedder as users pass it: a name, an embedder, or a function of a list of texts.
EmbedderLike = str | Embedder | Callable[[list[str]], ArrayLike]


def _problem(thing: object) -> str:
    if isinstance(thing, type):
        return lacking(thing, Embedder)
    return "" if callable(thing) else lacking(thing, Embedder)


#: Embedders of users and of other distributions: a class, an embedder, or a function of texts.
OWN_EMBEDDERS: Plugins[Any] = Plugins(
    "embedder", lambda name: name in ("bundled", "sentence", "http", "https"), _problem
)

E = TypeVar("E")


def register_embedder(name: str) -> Callable[[E], E]:
    """Return a decorator that registers an embedder under a name.

    It decorates a class, whose parameters are then options of :func:`get_embedder`, with the
    members of :class:`mauve.Embedder`; or a function from a list of strings to features of
    shape (n, d), whose features are not cached.

    Parameters
    ----------
    name : str
        Lower-case letters and digits, with . _ + or - between them.

    Examples
    --------
    >>> import mauve
    >>> @mauve.register_embedder("lengths")
    ... def lengths(texts):
    ...     return [[len(text), text.count(" ")] for text in texts]
    >>> mauve.get_embedder("lengths").embed(["four words are here"]).features
    array([[19.,  3.]], dtype=float32)
    """
    return OWN_EMBEDDERS.decorator(name)


def get_embedder(spec: "EmbedderLike" = "bundled", **options: Any) -> Embedder:
    """Return the embedder that a name stands for.

    Parameters
    ----------
    spec : str, Embedder or callable
        ``"bundled"``; ``"sentence:NAME"`` for a sentence-transformers model;
        ``"http://..."`` or ``"https://..."`` for an endpoint with OpenAI's
        ``/v1/embeddings``, followed by ``#model=NAME``; a name of your own
        (:func:`mauve.register_embedder`); any other name is that of a
        Transformers model on the hub or in a folder. A callable gets a list of strings and
        returns features of shape (n, d).
    **options
        Options of that embedder, such as ``pooling``, ``layer``, ``max_length``, ``dtype``,
        ``device`` and ``revision``. Options that are None are ignored.

    Examples
    --------
    >>> get_embedder("bundled", max_length=256).signature.endswith(":surprisal:256")
    True
    >>> get_embedder(lambda texts: [[len(text)] for text in texts]).embed(["four"]).features
    array([[4.]], dtype=float32)
    """
    options = {name: value for name, value in options.items() if value is not None}
    if not isinstance(spec, str):
        if options.keys() - {"device"}:
            rule = f"a name, to take {', '.join(map(option, options))}"
            raise bad_parameter("spec", rule, spec)
        rule, problem = "a name, an Embedder or a callable", lacking(spec, Embedder)
        if isinstance(spec, type) and not problem:
            why = f"it is a class: pass {spec.__name__}()"
            raise bad_parameter(embedder_parameter(), rule, spec, why)
        if isinstance(spec, Embedder):
            return spec
        if callable(spec):
            return CallableEmbedder(spec)
        raise bad_parameter(embedder_parameter(), rule, spec, problem)
    kind, arguments = _class_of(spec)
    known = [*inspect.signature(kind).parameters][len(arguments) :]  # the name is no option
    if "device" not in known:
        options.pop("device", None)
    unknown = sorted(options.keys() - {*known})
    if unknown:
        settable = [option(name) for name in known if has_option(name)]  # not all have a flag
        raise InvalidParameterError(
            f"The embedder {spec!r} must be given options it has: {', '.join(settable) or 'none'}. "
            f"Got {', '.join(map(option, unknown))} instead."
        )
    embedder: Embedder = kind(*arguments, **options)
    if problem := lacking(embedder, Embedder):
        raise bad_parameter(embedder_parameter(), "an embedder", spec, problem)
    return embedder


def _class_of(spec: str) -> tuple[Callable[..., Any], tuple[str, ...]]:
    """Return the class of an embedder and its positional arguments."""
    if spec == "bundled":
        from mauve.embed.bundled import BundledEmbedder

        return BundledEmbedder, ()
    if is_endpoint(spec):
        from mauve.embed.endpoint import EndpointEmbedder

        return EndpointEmbedder, (spec,)
    if spec.startswith("sentence:"):
        _need(["sentence_transformers"], spec, "sentence")
        from mauve.embed.sentence import SentenceEmbedder

        return SentenceEmbedder, (spec.removeprefix("sentence:"),)
    own = OWN_EMBEDDERS.get(spec)
    if isinstance(own, type):
        return own, ()
    if own is not None:
        return lambda: own if isinstance(own, Embedder) else CallableEmbedder(own), ()
    _need(["transformers", "torch"], spec, "transformers")
    from mauve.embed.transformers import TransformersEmbedder

    return TransformersEmbedder, (spec,)


def _need(packages: Sequence[str], spec: str, extra: str) -> None:
    need_packages(f"The embedder {spec!r}", packages, extra, "use the embedder 'bundled'")


@dataclass(frozen=True)
class CallableEmbedder:
    """A function as an embedder. Its features are never cached, since it may change."""

    function: Callable[[list[str]], ArrayLike]

    @property
    def signature(self) -> str:
        """The function's name, which is not unique."""
        name = getattr(self.function, "__qualname__", type(self.function).__qualname__)
        return f"callable:{name}".replace("|", "_")

    @property
    def reads(self) -> Reading | None:
        """What the function says of what it can read, in its attribute `reads`."""
        return reading_of(self.function)

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Call the function, which does not say how far it is."""
        if on_progress is not None:
            on_progress("embedding", 0, len(texts))
        result = self.function([*texts])
        try:
            features = np.asarray(result)
        except (ValueError, TypeError, RuntimeError) as error:  # the latter two from torch
            raise InvalidParameterError(
                f"{parameter('embedder')} must return features of shape (n, d). "
                f"Got a value that NumPy cannot convert to an array instead ({error})."
            ) from error
        if features.dtype.kind in "fiu" and features.ndim == 2:
            features = features.astype(np.float32, copy=False)
        n = len(features) if features.ndim else 0
        return Embedded(features, np.full(n, -1, dtype=np.int64), np.zeros(n, dtype=bool))
