"""Samples of text in, samples of features out: prepared, embedded, and checked for form."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mauve.embed.cached import cached_if_known
from mauve.embed.protocol import Embedder, Progress
from mauve.errors import InvalidParameterError
from mauve.form.remedies import match_length
from mauve.form.report import FormReport, check_form
from mauve.printable import listed, printable
from mauve.samples import Sample, checked_features

EMPTY = ("error", "keep")


def prepare_texts(
    samples: Mapping[str, Sequence[str]],
    *,
    strip: bool = False,
    same_length: bool = False,
    empty: str = "error",
) -> tuple[dict[str, list[str]], str]:
    """Apply the remedies of form that were asked for.

    Parameters
    ----------
    samples : mapping from name to sequence of str
        Human texts and those of every system.
    strip : bool
        Remove white space at both ends of every text.
    same_length : bool
        Cut all texts to one number of words: :func:`mauve.form.remedies.match_length`.
    empty : {"error", "keep"}
        What to do about texts without a character.

    Returns
    -------
    samples : dict from name to list of str
    recipe : str
        What was done, for the signature.

    Examples
    --------
    >>> prepare_texts({"human": [" one two", "one "], "model": ["one two three", "one"]},
    ...               strip=True, same_length=True)
    ({'human': ['one', 'one'], 'model': ['one', 'one']}, 'strip+words1')
    """
    prepared = {name: [*texts] for name, texts in samples.items()}
    done = []
    if strip:
        prepared = {name: [text.strip() for text in texts] for name, texts in prepared.items()}
        done.append("strip")
    if empty == "error":
        for name, texts in prepared.items():
            refuse_empty(
                texts,
                f"'{printable(name)}'",
                "remove them, or read them as one end-of-text token with empty='keep' "
                "(--empty keep)",
            )
    if same_length:
        matched = match_length(prepared)
        prepared = matched.samples
        done.append(f"words{matched.n_words}")
    return prepared, "+".join(done)


def refuse_empty(texts: Sequence[str], what: str, remedy: str) -> None:
    """Raise if a text has no character, with its position.

    Examples
    --------
    >>> refuse_empty(["a text"], "'human'", "remove them")
    """
    positions = [i for i, text in enumerate(texts) if not text]
    if positions:
        raise InvalidParameterError(
            f"{what} must hold texts that are not empty. Got empty ones at position "
            f"{listed(positions)} instead: {remedy}."
        )


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
