"""What `compare` is given in, samples with features out: read, embedded, checked."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mauve.embed.protocol import Progress
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.errors import InvalidParameterError
from mauve.form.report import FormReport
from mauve.quantize.crossfit import N_BLOCKS
from mauve.samples import Sample, SampleLike, feature_origin, read_sample
from mauve.text_samples import embed_samples, origin_of, prepare_texts

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
    keys: NDArray[np.uint64] | None = None


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
    names : sequence of str
        Human first; all different.
    sources : sequence of str or array_like or path
        As many, all text or all features.
    embedder, cache, strip, match_length, empty
        As for :func:`mauve.compare`.
    device : str
        Where to embed.

    Examples
    --------
    >>> found = load_inputs(["human", "m"], [np.eye(10), np.ones((10, 10))], "bundled")
    >>> [sample.name for sample in found.samples], found.origin
    (['human', 'm'], 'features-10')
    """
    raw = {name: read_sample(source, name) for name, source in zip(names, sources, strict=True)}
    for name, sample in raw.items():
        if len(sample) < MIN_TEXTS:
            raise InvalidParameterError(
                f"'{name}' must have at least {MIN_TEXTS} texts for compare. Got {len(sample)} "
                "instead: collect more, some hundreds if a difference is to be seen."
            )
    texts = {name: sample for name, sample in raw.items() if isinstance(sample, list)}
    if not texts:
        if strip or match_length:
            raise InvalidParameterError(
                "The 'strip' and 'match_length' parameters of compare must be left out for "
                "features, which have no text to change: pass the texts instead."
            )
        samples = [Sample(name, np.asarray(sample)) for name, sample in raw.items()]
        width = _common_width(samples)  # first: files of one embedder may be damaged too
        return Inputs(samples, _common_origin(sources) or f"features-{width}")
    if len(texts) < len(raw):
        raise InvalidParameterError(
            "The 'human' and 'systems' parameters of compare must be all text or all features. "
            f"Got text for {', '.join(texts)} alone instead."
        )
    prepared, recipe = prepare_texts(texts, strip=strip, same_length=match_length, empty=empty)
    chosen = get_embedder(embedder, device=device)
    samples, forms = embed_samples(prepared, chosen, cache=cache, on_progress=on_progress)
    keys = np.concatenate([text_hashes(own) for own in prepared.values()])
    return Inputs(samples, origin_of(chosen, recipe), forms, keys)


def reference_name(systems: Sequence[str]) -> str:
    """Return what the human texts are called beside systems of these names.

    Examples
    --------
    >>> reference_name(["gpt"]), reference_name(["human"])
    ('human', 'human (reference)')
    """
    return "human" if "human" not in systems else "human (reference)"


def text_hashes(texts: Sequence[str]) -> NDArray[np.uint64]:
    """Hash each text to 64 bits.

    Examples
    --------
    >>> one, other, again = text_hashes(["a", "b", "a"])
    >>> bool(one == again), bool(one == other)
    (True, False)
    """
    digests = (
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for text in texts
    )
    return np.frombuffer(b"".join(digests), dtype="<u8").astype(np.uint64)


def _common_origin(sources: Sequence[SampleLike]) -> str | None:
    """Return the embedder that made all files of features, where all say so."""
    origins = [feature_origin(source) for source in sources]
    different = sorted({origin for origin in origins if origin is not None})
    if len(different) > 1:
        raise InvalidParameterError(
            "The 'human' and 'systems' parameters of compare must be features of one embedder. "
            f"Got files made by {' and by '.join(different)} instead: embed all texts alike."
        )
    return None if None in origins else different[0]


def _common_width(samples: list[Sample]) -> int:
    """Return the number of features, if all samples have as many."""
    width = int(samples[0].features.shape[1])
    for sample in samples:
        if sample.features.shape[1] != width:
            raise InvalidParameterError(
                f"'{sample.name}' must have as many features as 'human', {width}. "
                f"Got {sample.features.shape[1]} instead: embed all texts with one model."
            )
    return width
