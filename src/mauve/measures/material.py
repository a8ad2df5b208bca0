"""Build the tokens, features and log-probabilities that the selected measures need."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import FloatArray
from mauve.calls import option, parameter
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.convert import TEXT_FIELD
from mauve.embed.load import Samples, load_samples
from mauve.embed.samples import FieldLike, SampleLike, read_source
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import listed
from mauve.lm.decoding import Decoder, parse_sampler
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import bare_scorer
from mauve.measures.estimate import Groups, deal_prompts, deal_texts
from mauve.measures.frechet import FRECHET_UNBIASED, TEXTS_PER_DIMENSION
from mauve.measures.protocol import Measure, MeasuredSample, Need, TokenTable
from mauve.measures.tokenizers import Tokenizer
from mauve.progress import Progress
from mauve.text.normalize import EmptyPolicy
from mauve.text.steps import JOINT_STEPS, Normalize, check_steps

_MIN_PROMPTS = 5
_SIZES_APART = 1.25  # ratio of sizes above which a warning is given

T = TypeVar("T")


def measured_samples(
    samples: Samples,
    training: Samples | None,
    needs: Collection[Need],
    *,
    tokenizer: Tokenizer | None = None,
    scorer: TokenScorer | None = None,
    prompt_context: bool = False,
    seed: int = 0,
    on_progress: Progress | None = None,
) -> dict[str, MeasuredSample]:
    """Return every sample with the parts that measures need, human first.

    Texts are sorted by their hashes, so that no value depends on the order in which they came.

    Parameters
    ----------
    samples : Samples
    training : Samples or None
        The training texts of the systems.
    needs : collection of str
        Parts that the selected measures are computed from.
    tokenizer : Tokenizer, optional
        Required for "tokens".
    scorer : TokenScorer, optional
        Language model; required for "log_probabilities" and its two variants.
    prompt_context, seed
        As for :func:`mauve.measure`.

    Examples
    --------
    >>> from mauve.measures.tokenizers import get_tokenizer
    >>> samples = load_samples({"human": ["a text"] * 10, "model": ["one more"] * 10})
    >>> parts = measured_samples(samples, None, ["tokens"], tokenizer=get_tokenizer("words"))
    >>> parts["model"].tokens.lengths[:3].tolist(), parts["human"].features is None
    ([2, 2, 2], True)
    """
    hashes = [samples.hashes_of(name) for name in samples.sizes]
    groups, orders = _groups_and_orders(samples, hashes)
    all_samples = [samples] if training is None else [training, samples]
    tokens = {} if tokenizer is None else _tokens(all_samples, tokenizer)
    features = {}
    if "features" in needs:
        features = {name: rows for part in all_samples for name, rows in part.features.items()}
    prompts = samples.prompts if prompt_context else None
    scored: dict[str, dict[str, list[FloatArray]]] = {}
    for need, context, bare in (
        ("log_probabilities", prompts, False),
        ("prompted_log_probabilities", samples.prompts, False),
        ("bare_log_probabilities", None, True),
    ):
        if need not in needs or scorer is None:
            scored[need] = {}
        elif need.startswith("prompted") and prompt_context and scored["log_probabilities"]:
            scored[need] = scored["log_probabilities"]
        else:
            reader = bare_scorer(scorer) if bare else scorer
            scored[need] = _log_probabilities(samples, reader, context, on_progress)
    trained_on = None
    if training is not None:
        name = training.human_name
        no_groups = Groups(np.zeros(0, dtype=np.intp), 0)  # training texts have no interval
        trained_on = MeasuredSample(
            name, no_groups, tokens=tokens.get(name), features=features.get(name)
        )
    prepared = {}
    for name, sample_hashes, group, order in zip(
        samples.sizes, hashes, groups, orders, strict=True
    ):
        prepared[name] = MeasuredSample(
            name,
            replace(group, labels=group.labels[order]),
            hashes=sample_hashes[order],
            texts=None if samples.texts is None else _ordered(samples.texts[name], order),
            prompts=None if prompts is None else _ordered(prompts[name], order),
            tokens=tokens[name].ordered(order) if name in tokens else None,
            features=features[name][order] if name in features else None,
            log_probabilities=_part(scored["log_probabilities"], name, order),
            prompted_log_probabilities=_part(scored["prompted_log_probabilities"], name, order),
            bare_log_probabilities=_part(scored["bare_log_probabilities"], name, order),
            training=trained_on,
            seed=seed,
        )
    return prepared


def _groups_and_orders(
    samples: Samples, hashes: Sequence[NDArray[np.uint64]]
) -> tuple[list[Groups], list[NDArray[np.intp]]]:
    """Return the groups of texts for intervals, and the order of the texts, of each sample."""
    if samples.prompt_hashes is None:
        groups = [deal_texts(sample_hashes) for sample_hashes in hashes]
        return groups, [np.argsort(sample_hashes, kind="stable") for sample_hashes in hashes]
    prompts = [samples.prompt_hashes[samples.slice_of(name)] for name in samples.sizes]
    groups = deal_prompts(prompts)
    for name, group in zip(samples.sizes, groups, strict=True):
        if group.n_used < _MIN_PROMPTS:
            raise InvalidParameterError(
                f"{parameter('prompts')} must have at least {_MIN_PROMPTS} "
                f"different prompts for '{name}' to make an interval. "
                f"Got {group.n_prompts} instead: use more prompts, or none."
            )
    return groups, [np.lexsort(pair) for pair in zip(prompts, hashes, strict=True)]


def _ordered(items: Sequence[T], order: NDArray[np.intp]) -> list[T]:
    return [items[i] for i in order]


def _part(
    scores: Mapping[str, list[FloatArray]], name: str, order: NDArray[np.intp]
) -> list[FloatArray] | None:
    return _ordered(scores[name], order) if name in scores else None


def _tokens(parts: Sequence[Samples], tokenizer: Tokenizer) -> dict[str, TokenTable]:
    """Return the tokens of all samples with one vocabulary."""
    texts = {name: sample for part in parts for name, sample in (part.texts or {}).items()}
    return dict(zip(texts, tokenizer.tables([*texts.values()]), strict=True))


def _log_probabilities(
    samples: Samples,
    scorer: TokenScorer,
    prompts: Mapping[str, list[str]] | None,
    on_progress: Progress | None,
) -> dict[str, list[FloatArray]]:
    """Return the log-probability of every token of every text."""
    if samples.texts is None:
        return {}
    texts = [text for sample in samples.texts.values() for text in sample]
    context = None
    if prompts is not None:
        context = [prompt for name in samples.sizes for prompt in prompts[name]]
    scores = scorer.log_probabilities(texts, on_progress, context)
    return {name: scores[samples.slice_of(name)] for name in samples.sizes}


def split_training_field(field: FieldLike, training: SampleLike | None) -> tuple[FieldLike, str]:
    """Return the fields of the samples, and that of the training texts.

    Examples
    --------
    >>> split_training_field({"human": "story", "training": "body"}, ["some text"])
    ({'human': 'story'}, 'body')
    """
    if not isinstance(field, Mapping):
        return field, field
    if training is None:
        return field, TEXT_FIELD
    others = {name: value for name, value in field.items() if name != "training"}
    return others, field.get("training", TEXT_FIELD)


def load_training(
    training: SampleLike | None,
    samples: Samples,
    *,
    field: str = TEXT_FIELD,
    strip: bool = False,
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
) -> Samples | None:
    """Read the training texts of the systems, which must be of the kind of the samples.

    Parameters
    ----------
    training : sequence of str, array_like, path, or None
    samples : Samples
        Human text and systems; their embedder embeds the training texts.
    field : str
        Field or column that holds the texts.
    strip, normalize, empty
        As for :func:`mauve.compare`; they have no prompts, and are not cut to the length of the
        samples.

    Examples
    --------
    >>> samples = load_samples({"human": ["a text"] * 10, "model": ["one more"] * 10})
    >>> load_training(["some text"] * 20, samples).sizes
    {'training': 20}
    """
    if training is None:
        return None
    name = "training" if "training" not in samples.sizes else "training (set)"
    source = read_source(training, name, field)
    if source.is_text != (samples.texts is not None):  # before the embedder is found unfit for it
        kinds = ("texts", "features") if samples.texts is not None else ("features", "texts")
        raise InvalidParameterError(
            f"{parameter('training')} must be of the same kind as 'human', "
            f"{kinds[0]}. Got {kinds[1]} instead."
        )
    trained_on = load_samples(
        {name: source},
        embedder=samples.embedder,
        cache=False,  # the embedder of the samples has the cache
        strip=strip,
        normalize=[step for step in check_steps(normalize) if step not in JOINT_STEPS],
        empty=empty,
        unreadable=samples.unreadable,
        min_texts=MIN_TEXTS,
        on_progress=samples.on_progress,
    )
    if trained_on.given_features and samples.given_features:
        widths = [part.features[part.human_name].shape[1] for part in (samples, trained_on)]
        if widths[0] != widths[1]:
            raise InvalidParameterError(
                f"{parameter('training')} must have as many features as 'human', "
                f"{widths[0]}. Got {widths[1]} instead: embed all texts with one model."
            )
    return trained_on


def size_warnings(
    measures: Sequence[Measure], human: MeasuredSample, systems: Mapping[str, MeasuredSample]
) -> tuple[str, ...]:
    """Return a warning for each system whose size makes its measures incomparable."""
    messages = []
    for unit in ("tokens", "texts"):
        growing = [measure.name for measure in measures if measure.grows_with == unit]
        n_human = _size(human, unit)
        for system in systems.values() if growing else ():
            n = _size(system, unit)
            if n and n_human and not 1 / _SIZES_APART <= n / n_human <= _SIZES_APART:
                messages.append(
                    f"'{system.name}' has {n} {unit} and '{human.name}' {n_human}: "
                    f"{listed(growing)} change{'s' * (len(growing) == 1)} with the size of a "
                    "sample, so give as many texts"
                    + (
                        f" of about the same length ({option('match_length', True)})."
                        if unit == "tokens"
                        else "."
                    )
                )
    if FRECHET_UNBIASED in measures:
        messages += _few_for_frechet([human, *systems.values()])
    return tuple(messages)


def _few_for_frechet(samples: Sequence[MeasuredSample]) -> list[str]:
    """Return a warning if a sample is too small for the extrapolation to infinite samples."""
    messages = []
    for sample in samples:
        if sample.features is not None:
            n, d = sample.features.shape
            if n < TEXTS_PER_DIMENSION * d:
                messages.append((n, d, sample.name))
    if not messages:
        return []
    n, d, name = min(messages)
    return [
        f"frechet-unbiased needs at least {TEXTS_PER_DIMENSION * d} texts of each sample, "
        f"{TEXTS_PER_DIMENSION} for each of {d} dimensions: '{name}' has {n}, and a part of the "
        "bias remains."
    ]


def _size(sample: MeasuredSample, unit: str) -> int:
    if unit == "texts":
        return 0 if sample.features is None else len(sample.features)
    return 0 if sample.tokens is None else len(sample.tokens.ids)


#: The model behind a system and its decoding algorithm: "MODEL@DECODER", or a pair.
ModelLike = str | tuple[str, str | Decoder]


@dataclass(frozen=True)
class UnderTest:
    """The model behind a system, and its decoding algorithm."""

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
        raise bad_parameter("models", rule, spec)
    if isinstance(decoder, str):
        parse_sampler(decoder)  # raises if there is none of that name
    return UnderTest(model, decoder)


def with_models(
    samples: Mapping[str, MeasuredSample],
    human_name: str,
    tested: Mapping[str, UnderTest],
    device: str,
    on_progress: Progress | None,
) -> dict[str, MeasuredSample]:
    """Return the systems whose models are known, with their probabilities of the human texts."""
    from mauve.lm.probabilities import token_probabilities  # needs torch

    human = samples[human_name]
    with_model = {}
    for model in dict.fromkeys(spec.model for spec in tested.values()):
        decoders = {name: spec.decoder for name, spec in tested.items() if spec.model == model}
        probabilities = token_probabilities(  # once for all decoders of a model
            model,
            [*decoders.values()],
            human.texts or [],
            prompts=human.prompts,
            device=device,
            on_progress=on_progress,
        )
        for name, of_decoder in zip(decoders, probabilities, strict=True):
            sample = samples.get(name, MeasuredSample(name, human.groups))
            with_model[name] = replace(sample, model=of_decoder)
    return with_model
