"""Models under test: which is behind a system, and what it makes of the human texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray, HashArray
from mauve.embed.load import ReadInputs, checked_rows
from mauve.embed.protocol import Embedder, Progress
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.lm.decoding import Decoder, parse_decoder
from mauve.lm.scorer import TokenScorer
from mauve.measures.estimate import Groups, deal_prompts, deal_texts
from mauve.measures.protocol import Side, TokenTable
from mauve.measures.tokenizers import Tokenizer
from mauve.quantize.keys import content_keys
from mauve.text.prompts import Prompts, prompt_hashes, text_hashes

_FEWEST_PROMPTS = 5

T = TypeVar("T")


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
    seed: int = 0,
    on_progress: Progress | None = None,
) -> dict[str, Side]:
    """Return one side for every sample, human first.

    Texts of a side are in the order of their hashes, so that nothing depends on that in which
    they came.

    Parameters
    ----------
    read : ReadInputs
        The samples, human first.
    training : ReadInputs or None
        One sample that is not a side of its own.
    makers : Makers
    prompts, prompt_context, seed
        As for :func:`mauve.measure`.

    Examples
    --------
    >>> from mauve.embed.load import read_inputs
    >>> from mauve.measures.tokenizers import get_tokenizer
    >>> read = read_inputs(["human", "model"], [["a text"] * 10, ["one more"] * 10])
    >>> sides = make_sides(read, None, Makers(get_tokenizer("words")))
    >>> sides["model"].tokens.lengths[:3].tolist(), sides["human"].features is None
    ([2, 2, 2], True)
    """
    hashes = prompt_hashes(prompts, read.sizes, "measure")
    keys = sample_keys(read)
    if hashes is None:
        groups = [deal_texts(own) for own in keys]
        orders = [np.argsort(own, kind="stable") for own in keys]
    else:
        groups = deal_prompts(hashes)
        for name, own in zip(read.sizes, groups, strict=True):
            if own.n_used < _FEWEST_PROMPTS:
                raise InvalidParameterError(
                    f"The 'prompts' parameter of measure must have at least {_FEWEST_PROMPTS} "
                    f"different prompts for '{name}', or there is nothing to make an interval of. "
                    f"Got {own.n_prompts} instead: use more prompts, or none."
                )
        orders = [np.lexsort(pair) for pair in zip(hashes, keys, strict=True)]
    samples = [read] if training is None else [training, read]
    tokens = _tokens(samples, makers.tokenizer)
    features = _features(samples, makers.embedder, on_progress)
    context = _own_prompts(prompts, read.sizes) if prompt_context else None
    scores = _scores(read, makers.scorer, context, on_progress)
    trained = None
    if training is not None:
        (name,) = training.sizes
        nothing = Groups(np.zeros(0, dtype=np.intp), 0)  # it has no say in any spread
        trained = Side(name, nothing, tokens=tokens.get(name), features=features.get(name))
    sides = {}
    for name, own_keys, own_groups, order in zip(read.sizes, keys, groups, orders, strict=True):
        sides[name] = Side(
            name,
            replace(own_groups, labels=own_groups.labels[order]),
            keys=own_keys[order],
            texts=None if read.texts is None else _ordered(read.texts[name], order),
            prompts=None if context is None else _ordered(context[name], order),
            tokens=tokens[name].ordered(order) if name in tokens else None,
            features=features[name][order] if name in features else None,
            log_probabilities=_ordered(scores[name], order) if name in scores else None,
            training=trained,
            seed=seed,
        )
    return sides


def _ordered(items: Sequence[T], order: NDArray[np.intp]) -> list[T]:
    return [items[i] for i in order]


def sample_keys(read: ReadInputs) -> list[HashArray]:
    """Return a hash of every text, or of its features, of each sample.

    Examples
    --------
    >>> from mauve.embed.load import read_inputs
    >>> [len(keys) for keys in sample_keys(read_inputs(["human"], [["a text"] * 10]))]
    [10]
    """
    if read.texts is not None:
        return [text_hashes(own) for own in read.texts.values()]
    return [content_keys(own.astype(np.float32)) for own in (read.features or {}).values()]


def _own_prompts(prompts: Prompts | None, sizes: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the prompt of every text of each sample."""
    by_name = prompts if isinstance(prompts, Mapping) else dict.fromkeys(sizes, prompts or ())
    return {name: [str(prompt) for prompt in by_name[name]] for name in sizes}


def _tokens(samples: Sequence[ReadInputs], tokenizer: Tokenizer | None) -> dict[str, TokenTable]:
    """Return the tokens of all samples, in one numbering."""
    if tokenizer is None:
        return {}
    texts = {name: own for read in samples for name, own in (read.texts or {}).items()}
    return dict(zip(texts, tokenizer.tables([*texts.values()]), strict=True))


def _scores(
    read: ReadInputs,
    scorer: TokenScorer | None,
    prompts: Mapping[str, list[str]] | None,
    on_progress: Progress | None,
) -> dict[str, list[FloatArray]]:
    """Return the log-probability of every token of every text."""
    if scorer is None or read.texts is None:
        return {}
    every = [text for own in read.texts.values() for text in own]
    before = None if prompts is None else [one for name in read.sizes for one in prompts[name]]
    found = scorer.log_probabilities(every, on_progress, before)
    ends = np.cumsum([*read.sizes.values()])
    return {
        name: found[end - read.sizes[name] : end]
        for name, end in zip(read.sizes, ends, strict=True)
    }


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


#: The model behind a system, and how it decodes: "MODEL@DECODER", or both.
ModelLike = str | tuple[str, str | Decoder]


@dataclass(frozen=True)
class UnderTest:
    """The model behind a system, and how it decodes."""

    model: str
    decoder: str | Decoder


def parse_model(spec: ModelLike) -> UnderTest:
    """Return the model and decoder that a string or a pair names.

    Examples
    --------
    >>> parse_model("gpt2@nucleus:0.95")
    UnderTest(model='gpt2', decoder='nucleus:0.95')
    >>> parse_model("gpt2").decoder
    'ancestral'
    """
    if isinstance(spec, str):
        before, at, after = spec.rpartition("@")
        spec = (before, after) if at else (after, "ancestral")
    model, decoder = spec
    if not isinstance(model, str) or not model:
        rule = "a mapping to 'MODEL@DECODER', such as 'gpt2@nucleus:0.95'"
        raise bad_parameter("measure", "models", rule, spec)
    if isinstance(decoder, str):
        try:
            parse_decoder(decoder)
        except InvalidParameterError as error:
            raise InvalidParameterError(
                f"The 'models' parameter of measure (--model) must name a decoder. {error}"
            ) from error
    return UnderTest(model, decoder)


def with_models(
    sides: Mapping[str, Side],
    reference: str,
    tested: Mapping[str, UnderTest],
    device: str,
    on_progress: Progress | None,
) -> dict[str, Side]:
    """Return the sides whose models are known, with what those make of the human texts."""
    from mauve.lm.token_probabilities import token_probabilities  # needs torch

    people = sides[reference]
    found = {}
    for model in dict.fromkeys(spec.model for spec in tested.values()):
        decoders = {name: spec.decoder for name, spec in tested.items() if spec.model == model}
        every = token_probabilities(  # once for all decoders of a model
            model,
            [*decoders.values()],
            people.texts or [],
            prompts=people.prompts,
            device=device,
            on_progress=on_progress,
        )
        for name, probabilities in zip(decoders, every, strict=True):
            side = sides.get(name, Side(name, people.groups))
            found[name] = replace(side, model=probabilities)
    return found
