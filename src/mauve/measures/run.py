"""Measure texts of systems and human text by many measures: :func:`measure` and its steps."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from mauve.calls import by_world, parameter
from mauve.comparison.comparison import Comparison
from mauve.comparison.results import MauveResult
from mauve.comparison.run import compare_samples
from mauve.comparison.settings import MIN_TEXTS, format_signature, joined_parts
from mauve.embed.load import Samples, load_samples
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.reading import UnreadablePolicy
from mauve.embed.registry import EmbedderLike
from mauve.embed.samples import FieldLike, SampleLike
from mauve.errors import (
    InvalidParameterError,
    bad_parameter,
    check_bool,
    check_int,
    check_share,
    warn_caller,
)
from mauve.hashes import digest_hashes
from mauve.inference.intervals import score_error, score_interval
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import get_scorer
from mauve.measures.estimate import N_GROUPS
from mauve.measures.intervals import Measured
from mauve.measures.material import (
    ModelLike,
    load_training,
    measured_samples,
    parse_model,
    size_warnings,
    split_training_field,
    with_models,
)
from mauve.measures.protocol import Measure, Variant
from mauve.measures.registry import MAUVE, MAUVE_CLASSIFIER
from mauve.measures.results import Measurements
from mauve.measures.selection import select_measures
from mauve.measures.tokenizers import Tokenizer, get_tokenizer
from mauve.measures.values import UndefinedValues, estimate_all
from mauve.progress import Progress, ProgressLike, progress_bar
from mauve.text.normalize import EmptyPolicy
from mauve.text.prompts import Prompts
from mauve.text.steps import Normalize


def measure(
    human: "SampleLike",
    systems: "SystemsLike",
    measures: "str | Measure | Sequence[str | Measure]" = "default",
    *,
    variant: Variant = None,
    field: FieldLike = "text",
    limit: int | None = None,
    tokenizer: str | Tokenizer = "words",
    language_model: str | TokenScorer = "bundled",
    embedder: "EmbedderLike | None" = None,
    models: "Mapping[str, ModelLike] | None" = None,
    training: "SampleLike | None" = None,
    prompts: "Prompts | None" = None,
    prompt_context: bool = False,
    confidence: float = 0.95,
    cache: bool = True,
    strip: bool = False,
    match_length: bool = False,
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
    unreadable: UnreadablePolicy = "error",
    seed: int = 0,
    device: str = "auto",
    comparison: Comparison | None = None,
    progress: "ProgressLike" = True,
) -> Measurements:
    """Compute measures of one or more systems and of human text.

    Parameters
    ----------
    human : sequence or iterator of str, array_like of shape (n, d), table, or path
        Human texts, or their features, as for :func:`mauve.compare`.
    systems : the same, or a mapping from name to the same
        One system, or several by name.
    field, limit
        As for :func:`mauve.compare`. A mapping may name the field of "training" too, of which
        all texts are read.
    measures : str, Measure, or sequence of both
        Names of measures (:data:`mauve.measures.registry.MEASURES`) or of groups of them:
        "default" for the columns of the paper's tables, "text", "features", "model",
        "training", "all". A minus before a name leaves it out: "default,-zipf". A measure that
        is not defined for a sample has no value there, and a warning says why.
    variant : {None, "authors"}
        "authors" computes measures as the released code of their papers does where it differs
        from the text (``docs/measures.md``): "zipf" becomes "zipf-authors". Measures without such
        a variant are unchanged.
    tokenizer : str or Tokenizer
        Tokenizer: "words", "bundled", the path of a ``tokenizer.json``, or the
        name of a Transformers tokenizer.
    language_model : str or TokenScorer
        The external model of generation perplexity: "bundled", or the name or folder of a
        causal Transformers model.
    embedder : str, Embedder or callable, optional
        Turns text into features, as for :func:`mauve.compare`.
    models : mapping from name to "MODEL@DECODER", optional
        The language model behind a system and its decoding algorithm, such as
        ``"gpt2@nucleus:0.95"``, for measures of its predictions of the human texts. A name
        without texts gets a row with these measures alone.
    training : sequence of str, array_like, or path, optional
        Training texts of the systems, for the measures of copying.
    prompts : sequence, or mapping from "human" and every system's name to one, optional
        The prompt that each text answers. Texts of one prompt are not independent, and systems
        that answer the same prompts as people are compared prompt by prompt.
    prompt_context : bool
        Pass each text's prompt to language models as context. Only the text is scored.
    confidence : float in (0, 1)
        Level of the intervals.
    cache : bool
        Store the features of texts on disk.
    strip, match_length, normalize, empty, unreadable
        As for :func:`mauve.compare`; texts need be readable only for measures of features.
    seed : int
        Random seed. Values do not depend on the order of the texts.
    device : str
        "auto", "cpu", or a torch device such as "cuda".
    comparison : Comparison, optional
        Result of :func:`mauve.compare` for the same samples, so that MAUVE is not computed
        again.
    progress : bool or callable
        As for :func:`mauve.compare`.

    Returns
    -------
    Measurements
        A mapping from system to measure to :class:`mauve.measures.results.Measured`.

    Raises
    ------
    InvalidParameterError
        If an input cannot be used; the message names it and the remedy.
    MissingExtraError
        If an optional part of the package is needed and not installed.

    Examples
    --------
    >>> people = ["It rained all day.", "We stayed in and read.", "Nobody came by."] * 5
    >>> model = ["It rained and rained and rained", "We read and read and read"] * 8
    >>> measurements = measure(people, model, "repetition")
    >>> measurements["model"]["repetition"].value, measurements.human["repetition"].value
    (1.0, 0.0)
    """
    check_share("confidence", confidence)
    check_int("seed", seed, 0)
    check_bool("prompt_context", prompt_context)
    if prompt_context and prompts is None:
        given = by_world(python="'prompts'", command="--prompts or --by-prompt")
        raise InvalidParameterError(
            f"{parameter('prompt_context')} must be left out without {given}."
        )
    fields, training_field = split_training_field(field, training)
    prepared: dict[str, Any] = {"strip": strip, "normalize": normalize, "empty": empty}
    with progress_bar(progress) as on_progress:
        samples = load_samples(
            name_samples(human, systems),
            field=fields,
            limit=limit,
            seed=seed,
            embedder=embedder,
            device=device,
            cache=cache,
            match_length=match_length,
            **prepared,
            unreadable=unreadable,
            prompts=prompts,
            min_texts=MIN_TEXTS,
            on_progress=on_progress,
        )
        measurements = measure_samples(
            samples,
            measures,
            variant=variant,
            tokenizer=tokenizer,
            language_model=language_model,
            models=models,
            training=load_training(training, samples, field=training_field, **prepared),
            prompt_context=prompt_context,
            confidence=confidence,
            seed=seed,
            device=device,
            comparison=comparison,
            on_progress=on_progress,
        )
    known = () if comparison is None else comparison.warnings
    for message in measurements.warnings:
        if message not in known:
            warn_caller(message)
    return measurements


def measure_samples(
    samples: Samples,
    measures: str | Measure | Sequence[str | Measure] = "default",
    *,
    variant: Variant = None,
    tokenizer: str | Tokenizer = "words",
    language_model: str | TokenScorer = "bundled",
    models: Mapping[str, ModelLike] | None = None,
    training: Samples | None = None,
    prompt_context: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
    device: str = "auto",
    comparison: Comparison | None = None,
    on_progress: Progress | None = None,
) -> Measurements:
    """Measure samples that are already read; warnings are kept in the result.

    Parameters
    ----------
    samples : Samples
        For instance ``comparison.compared.samples``.
    training : Samples, optional
        See :func:`load_training`.
    measures, variant, tokenizer, language_model, models, prompt_context, confidence, seed, \
device, comparison, on_progress
        As for :func:`measure`.

    Examples
    --------
    >>> texts = {"human": ["It rained."] * 12, "model": ["It rained and rained and rained"] * 12}
    >>> samples = load_samples(texts)
    >>> measure_samples(samples, "repetition")["model"]["repetition"].value
    1.0
    """
    systems, human_name = samples.system_names, samples.human_name
    if comparison is not None and not isinstance(comparison, Comparison):
        raise bad_parameter("comparison", "what mauve.compare returns", comparison)
    if models is not None and not isinstance(models, Mapping):
        raise bad_parameter("models", "a mapping from systems to 'MODEL@DECODER'", models)
    if comparison is not None and [*comparison] != systems:
        raise bad_parameter("comparison", f"of the systems {systems}", [*comparison])
    if comparison is not None and not _has_same_texts(samples, comparison.compared.samples):
        raise InvalidParameterError(
            f"{parameter('comparison')} must be of the same texts as the samples. Got one of other "
            "texts instead: compare these, or leave it out."
        )
    tested = {str(name): parse_model(model) for name, model in (models or {}).items()}
    if tested and samples.texts is None:
        raise bad_parameter("models", "left out for features: give texts", [*tested])
    selected = select_measures(samples, measures, tested, training, variant)
    needs = {need for measure in selected for need in measure.needs}
    token_maker = get_tokenizer(tokenizer) if "tokens" in needs else None
    scorer = None
    if any(need.endswith("log_probabilities") for need in needs):
        scorer = get_scorer(language_model, device=device)
    parts = measured_samples(
        samples,
        training,
        needs,
        tokenizer=token_maker,
        scorer=scorer,
        prompt_context=prompt_context,
        seed=seed,
        on_progress=on_progress,
    )
    if "model" in needs:
        parts |= with_models(parts, human_name, tested, device, on_progress)
    human = parts.pop(human_name)
    undefined = UndefinedValues()
    values = estimate_all(selected, human, parts, confidence, undefined, on_progress)
    unread: tuple[str, ...] = ()
    if "features" in needs:
        unread = samples.all_reading_warnings
        unread += () if training is None else training.all_reading_warnings
    messages = size_warnings(selected, human, parts)
    scores = [measure for measure in (MAUVE, MAUVE_CLASSIFIER) if measure in selected]
    if scores:
        if comparison is None:
            with undefined.noted([measure.name for measure in scores], *systems):
                comparison = compare_samples(
                    samples,
                    confidence=confidence,
                    n_permutations=0,
                    seed=seed,
                    device=device,
                    on_progress=on_progress,
                )
        if comparison is not None:
            for name, result in comparison.items():
                by_classifier = result if result.classifier is None else result.classifier
                for measure in scores:
                    score = by_classifier if measure is MAUVE_CLASSIFIER else result
                    values[name][measure.name] = _as_measured(score, confidence)
            messages += comparison.warnings
    messages = unread + undefined.warnings() + messages
    signature = {"mauve": version("mauve-eval")}
    if samples.texts is not None:
        signature["texts"] = (samples.recipe or "as-given") + "-after-prompt" * prompt_context
    if token_maker is not None:
        signature["tok"] = token_maker.signature
    if scorer is not None:
        signature["lm"] = scorer.signature
    if samples.embedder is None:
        signature["emb"] = samples.recipe
    elif "features" in needs:
        signature["emb"] = samples.embedder.signature
    if training is not None:
        signature["training"] = digest_hashes(training.hashes)
    if comparison is not None and scores:
        signatures = [result.signature for result in comparison.values()]
        signature |= joined_parts(signatures, ("k", "fit", "joint"))
    signature["human"] = samples.digest(human_name)
    signature["se"] = f"{N_GROUPS}" + "-by-prompt" * (samples.prompts is not None)
    signature["seed"] = str(seed)
    return Measurements(
        selected,
        values.pop(human_name),
        values,
        human_name=human_name,
        n_texts={name: samples.sizes.get(name, 0) for name in [human_name, *values]},
        models={name: f"{spec.model}@{spec.decoder}" for name, spec in tested.items()},
        confidence=confidence,
        signature=format_signature(signature),
        warnings=tuple(dict.fromkeys(messages)),
    )


def _has_same_texts(first: Samples, second: Samples) -> bool:
    """Return whether two calls had the same texts; texts and their features are not compared."""
    if (first.texts is None) != (second.texts is None):
        return True
    digests = (
        [digest_hashes(samples.hashes_of(name)) for name in samples.sizes]
        for samples in (first, second)
    )
    return next(digests) == next(digests)


def _as_measured(result: MauveResult, confidence: float) -> Measured:
    """Return a score as measured; the comparison may have intervals of another level."""
    error = score_error(result.mauve, result.deviance_error)
    interval = score_interval(result.mauve, result.deviance_error, confidence)
    return Measured(result.mauve, interval, error)
