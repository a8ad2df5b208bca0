"""Samples as they were read in, sides with all that the chosen measures need out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.embed.protocol import Embedder, Progress
from mauve.inputs import Prompts, ReadInputs, prompt_hashes, text_hashes
from mauve.lm.scorer import TokenScorer
from mauve.measures.estimate import Groups, deal_prompts, deal_texts
from mauve.measures.protocol import Side, TokenProbabilities, TokenTable
from mauve.measures.tokenizers import Tokenizer
from mauve.quantize.crossfit import content_keys
from mauve.text_samples import checked_rows


@dataclass(frozen=True)
class Makers:
    """What makes the parts of a side; None where no measure asks for the part.

    Attributes
    ----------
    tokenizer : Tokenizer or None
    scorer : TokenScorer or None
        The external language model.
    embedder : Embedder or None
    """

    tokenizer: Tokenizer | None = None
    scorer: TokenScorer | None = None
    embedder: Embedder | None = None


def make_sides(
    read: ReadInputs,
    training: ReadInputs | None,
    makers: Makers,
    *,
    prompts: Prompts | None = None,
    prompt_context: bool = False,
    models: Mapping[str, TokenProbabilities] | None = None,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> dict[str, Side]:
    """Return one side for every sample, human first.

    Parameters
    ----------
    read : ReadInputs
        The samples, human first.
    training : ReadInputs or None
        One sample that is not a side of its own.
    makers : Makers
    prompts, prompt_context, seed
        As for :func:`mauve.measure`.
    models : mapping from name to TokenProbabilities, optional
        What the model behind each system makes of the human texts.

    Examples
    --------
    >>> from mauve.inputs import read_inputs
    >>> from mauve.measures.tokenizers import get_tokenizer
    >>> read = read_inputs(["human", "model"], [["a text"] * 10, ["one more"] * 10])
    >>> sides = make_sides(read, None, Makers(get_tokenizer("words")))
    >>> sides["model"].tokens.lengths[:3].tolist(), sides["human"].features is None
    ([2, 2, 2], True)
    """
    groups = _groups(read, prompts)
    samples = [read] if training is None else [training, read]
    tokens = _tokens(samples, makers.tokenizer)
    features = _features(samples, makers.embedder, on_progress)
    scores = _scores(read, makers.scorer, prompts if prompt_context else None, on_progress)
    trained = None
    if training is not None:
        (name,) = training.sizes
        trained = Side(
            name,
            _groups(training, None)[name],
            tokens=tokens.get(name),
            features=features.get(name),
        )
    return {
        name: Side(
            name,
            groups[name],
            texts=None if read.texts is None else read.texts[name],
            tokens=tokens.get(name),
            features=features.get(name),
            log_probabilities=scores.get(name),
            model=(models or {}).get(name),
            training=trained,
            seed=seed,
        )
        for name in read.sizes
    }


def _groups(read: ReadInputs, prompts: Prompts | None) -> dict[str, Groups]:
    hashes = prompt_hashes(prompts, read.sizes, "measure")
    if hashes is not None:
        return dict(zip(read.sizes, deal_prompts(hashes), strict=True))
    if read.texts is not None:
        return {name: deal_texts(text_hashes(own)) for name, own in read.texts.items()}
    given = (read.features or {}).items()
    return {name: deal_texts(content_keys(own.astype(np.float32))) for name, own in given}


def _tokens(samples: Sequence[ReadInputs], tokenizer: Tokenizer | None) -> dict[str, TokenTable]:
    """Return the tokens of all samples, in one numbering."""
    if tokenizer is None:
        return {}
    texts = {name: own for read in samples for name, own in (read.texts or {}).items()}
    return dict(zip(texts, tokenizer.tables([*texts.values()]), strict=True))


def _scores(
    read: ReadInputs,
    scorer: TokenScorer | None,
    prompts: Prompts | None,
    on_progress: Progress | None,
) -> dict[str, list[NDArray[np.float64]]]:
    """Return the log-probability of every token of every text."""
    if scorer is None or read.texts is None:
        return {}
    every = [text for own in read.texts.values() for text in own]
    found = scorer.log_probabilities(every, on_progress, joined_prompts(prompts, read.sizes))
    ends = np.cumsum([*read.sizes.values()])
    starts = [0, *ends[:-1]]
    return {
        name: found[start:end] for name, start, end in zip(read.sizes, starts, ends, strict=True)
    }


def joined_prompts(prompts: Prompts | None, sizes: Mapping[str, int]) -> list[str] | None:
    """Return the prompt of every text, sample after sample.

    Examples
    --------
    >>> joined_prompts(["a", "b"], {"human": 2, "model": 2})
    ['a', 'b', 'a', 'b']
    """
    if prompts is None:
        return None
    return [
        str(prompt)
        for name in sizes
        for prompt in (prompts[name] if isinstance(prompts, Mapping) else prompts)
    ]


def _features(
    samples: Sequence[ReadInputs], embedder: Embedder | None, on_progress: Progress | None
) -> dict[str, NDArray[Any]]:
    """Return the features of all samples; those that were given as they are."""
    found: dict[str, NDArray[Any]] = {}
    for read in samples:
        if read.texts is None:
            found |= read.features or {}
        elif embedder is not None:
            every = [text for own in read.texts.values() for text in own]
            features = embedder.embed(every, on_progress).features
            checked = checked_rows(features, len(every))
            ends = np.cumsum([*read.sizes.values()])[:-1]
            found |= dict(zip(read.sizes, np.split(checked, ends), strict=True))
    return found
