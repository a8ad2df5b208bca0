"""What `compare` is given in, samples with features out: read, embedded, checked."""

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mauve.arrays import HashArray
from mauve.embed.cached import cached_if_known
from mauve.embed.protocol import Embedder, Progress
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.embed.samples import Sample, SampleLike, checked_features, feature_origin, read_sample
from mauve.errors import InvalidParameterError, check_choice
from mauve.quantize.crossfit import N_BLOCKS
from mauve.text.form import FormReport, check_form
from mauve.text.normalize import EMPTY, prepare_texts
from mauve.text.prompts import text_hashes


def origin_of(embedder: Embedder, recipe: str) -> str:
    """Return where features come from: the embedder, and what was done to the texts before.

    Examples
    --------
    >>> from mauve.embed.bundled import BundledEmbedder
    >>> origin_of(BundledEmbedder(), "strip").endswith(":surprisal:512:strip")
    True
    """
    return f"{embedder.signature}:{recipe}" if recipe else embedder.signature


def embed_samples(
    samples: Mapping[str, Sequence[str]],
    embedder: Embedder,
    *,
    cache: bool = True,
    on_progress: Progress | None = None,
) -> tuple[list[Sample], dict[str, FormReport]]:
    """Embed the texts of all samples, and check each system's form against the first sample.

    Parameters
    ----------
    samples : mapping from name to list of str
        Human texts first.
    embedder : Embedder
    cache : bool
        Keep features on disk, and read those that are there. A function's never are.

    Returns
    -------
    samples : list of Sample
    forms : dict from name to FormReport
        One for every system.

    Examples
    --------
    >>> from mauve.embed.registry import get_embedder
    >>> texts = {"human": ["a text", "another"], "model": ["one more", "the last"]}
    >>> size = get_embedder(lambda texts: [[len(text), 1.0] for text in texts])
    >>> found, forms = embed_samples(texts, size)
    >>> [len(sample) for sample in found], list(forms)
    ([2, 2], ['model'])
    """
    every = [text for texts in samples.values() for text in texts]
    found = (cached_if_known(embedder) if cache else embedder).embed(every, on_progress)
    features = checked_rows(found.features, len(every))
    ends = np.cumsum([len(texts) for texts in samples.values()])[:-1]
    rows = np.split(np.arange(len(every)), ends)
    embedded = [
        Sample(name, features[part], [*texts], int(found.truncated[part].sum()))
        for (name, texts), part in zip(samples.items(), rows, strict=True)
    ]
    (_, human), *systems = samples.items()
    forms = {
        name: check_form(
            human,
            texts,
            name=name,
            human_tokens=found.n_tokens[rows[0]],
            model_tokens=found.n_tokens[part],
        )
        for (name, texts), part in zip(systems, rows[1:], strict=True)
    }
    return embedded, forms


def checked_rows(features: ArrayLike, n_texts: int) -> NDArray[Any]:
    """Return what an embedder made if it is one row of finite numbers a text, or raise.

    Examples
    --------
    >>> checked_rows([[1.0], [2.0]], 2).shape
    (2, 1)
    """
    found = checked_features(np.asarray(features), "The embedder's result")
    if len(found) != n_texts:
        raise InvalidParameterError(
            "The 'embedder' parameter must return one row of features for each text. "
            f"Got {len(found)} rows for {n_texts} texts instead."
        )
    return found


MIN_TEXTS = 2 * N_BLOCKS  # two texts a side in every block


@dataclass(frozen=True)
class Inputs:
    """The samples of a comparison, human first.

    Attributes
    ----------
    samples : list of Sample
    origin : str
        Where the features come from, for the signature.
    forms : dict from name to FormReport
        Differences of form of every system; empty where features were given.
    keys : array of int, shape (n,), or None
        A hash of every text, sample after sample. Features of one text differ in the last bit
        from one processor to another, and what follows from a hash of them would as well.
    """

    samples: list[Sample]
    origin: str
    forms: dict[str, FormReport] = field(default_factory=dict)
    keys: HashArray | None = None


@dataclass(frozen=True)
class ReadInputs:
    """The samples of a call as they were given, human first: texts or features.

    Attributes
    ----------
    texts : dict from name to list of str, or None
        Prepared as was asked for; None where features were given.
    features : dict from name to array of shape (n, d), or None
    origin : str
        Which embedder made the features, or what was done to the texts.
    """

    texts: dict[str, list[str]] | None
    features: dict[str, NDArray[Any]] | None
    origin: str

    @property
    def sizes(self) -> dict[str, int]:
        """Number of texts of every sample."""
        samples: Mapping[str, Sized] = self.texts or self.features or {}
        return {name: len(sample) for name, sample in samples.items()}

    @property
    def width(self) -> int:
        """Number of features; 0 where texts were given."""
        return 0 if self.features is None else int(next(iter(self.features.values())).shape[1])

    @property
    def keys(self) -> HashArray | None:
        """A hash of every text, sample after sample."""
        if self.texts is None:
            return None
        return np.concatenate([text_hashes(own) for own in self.texts.values()])


def read_inputs(
    names: Sequence[str],
    sources: Sequence[SampleLike],
    *,
    strip: bool = False,
    match_length: bool = False,
    empty: str = "error",
    caller: str = "compare",
) -> ReadInputs:
    """Read all samples, and prepare them where they are text.

    Parameters
    ----------
    names : sequence of str
        Human first; all different.
    sources : sequence of str or array_like or path
        As many, all text or all features.
    strip, match_length, empty
        As for :func:`mauve.compare`.
    caller : str
        What messages call the function.

    Examples
    --------
    >>> read_inputs(["human", "m"], [["a text "] * 10, ["a text"] * 10], strip=True).origin
    'strip'
    """
    check_choice(caller, "empty", empty, EMPTY)
    raw = {name: read_sample(source, name) for name, source in zip(names, sources, strict=True)}
    for name, sample in raw.items():
        if len(sample) < MIN_TEXTS:
            raise InvalidParameterError(
                f"'{name}' must have at least {MIN_TEXTS} texts for {caller}. Got {len(sample)} "
                "instead: collect more, some hundreds if a difference is to be seen."
            )
    texts = {name: sample for name, sample in raw.items() if isinstance(sample, list)}
    if not texts:
        if strip or match_length:
            raise InvalidParameterError(
                f"The 'strip' and 'match_length' parameters of {caller} must be left out for "
                "features, which have no text to change: pass the texts instead."
            )
        features = {name: np.asarray(sample) for name, sample in raw.items()}
        width = _common_width(features)  # first: files of one embedder may be damaged too
        return ReadInputs(None, features, _common_origin(sources, caller) or f"features-{width}")
    if len(texts) < len(raw):
        raise InvalidParameterError(
            f"The 'human' and 'systems' parameters of {caller} must be all text or all features. "
            f"Got text for {', '.join(texts)} alone instead."
        )
    prepared, recipe = prepare_texts(texts, strip=strip, same_length=match_length, empty=empty)
    return ReadInputs(prepared, None, recipe)


def load_inputs(
    names: Sequence[str],
    sources: Sequence[SampleLike],
    embedder: EmbedderLike,
    *,
    device: str = "auto",
    cache: bool = True,
    strip: bool = False,
    match_length: bool = False,
    empty: str = "error",
    on_progress: Progress | None = None,
) -> Inputs:
    """Read all samples, and embed them where they are text.

    Parameters
    ----------
    names, sources, strip, match_length, empty
        As for :func:`read_inputs`.
    embedder, cache
        As for :func:`mauve.compare`.
    device : str
        Where to embed.

    Examples
    --------
    >>> found = load_inputs(["human", "m"], [np.eye(10), np.ones((10, 10))], "bundled")
    >>> [sample.name for sample in found.samples], found.origin
    (['human', 'm'], 'features-10')
    """
    read = read_inputs(names, sources, strip=strip, match_length=match_length, empty=empty)
    if read.texts is None:
        given = (read.features or {}).items()
        return Inputs([Sample(name, features) for name, features in given], read.origin)
    chosen = get_embedder(embedder, device=device)
    samples, forms = embed_samples(read.texts, chosen, cache=cache, on_progress=on_progress)
    return Inputs(samples, origin_of(chosen, read.origin), forms, read.keys)


def reference_name(systems: Sequence[str]) -> str:
    """Return what the human texts are called beside systems of these names.

    Examples
    --------
    >>> reference_name(["gpt"]), reference_name(["human"])
    ('human', 'human (reference)')
    """
    return "human" if "human" not in systems else "human (reference)"


def _common_origin(sources: Sequence[SampleLike], caller: str) -> str | None:
    """Return the embedder that made all files of features, where all say so."""
    origins = [feature_origin(source) for source in sources]
    different = sorted({origin for origin in origins if origin is not None})
    if len(different) > 1:
        raise InvalidParameterError(
            f"The 'human' and 'systems' parameters of {caller} must be features of one embedder. "
            f"Got files made by {' and by '.join(different)} instead: embed all texts alike."
        )
    return None if None in origins else different[0]


def _common_width(samples: Mapping[str, NDArray[Any]]) -> int:
    """Return the number of features, if all samples have as many."""
    width = int(next(iter(samples.values())).shape[1])
    for name, features in samples.items():
        if features.shape[1] != width:
            raise InvalidParameterError(
                f"'{name}' must have as many features as 'human', {width}. "
                f"Got {features.shape[1]} instead: embed all texts with one model."
            )
    return width
