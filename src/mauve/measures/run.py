"""The front door of the comparison measures: samples in, a table of measures out."""

import hashlib
import warnings
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version

import numpy as np

from mauve.comparison.results import Comparison, MauveResult
from mauve.comparison.run import compare
from mauve.embed.cached import RememberedEmbedder, cached_if_known
from mauve.embed.load import ReadInputs, read_inputs, reference_name
from mauve.embed.protocol import Embedder, Progress
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.embed.samples import SampleLike
from mauve.errors import InvalidParameterError, MauveWarning, bad_parameter, check_int, check_real
from mauve.escape import listed
from mauve.inference.intervals import score_error
from mauve.lm.scorer import TokenScorer, get_scorer
from mauve.measures.estimate import N_GROUPS
from mauve.measures.material import (
    Makers,
    ModelLike,
    UnderTest,
    make_sides,
    parse_model,
    sample_keys,
    with_models,
)
from mauve.measures.protocol import Measure, Need, Side
from mauve.measures.registry import GROUPS, MAUVE, check_extras, get_measures
from mauve.measures.results import Measured, Measurements, measured
from mauve.measures.tokenizers import Tokenizer, get_tokenizer
from mauve.text.prompts import Prompts

_SIZES_APART = 1.25  # times as many tokens, from which on sizes are pointed out


def size_advice(
    measures: Sequence[Measure], people: Side, sides: Mapping[str, Side]
) -> tuple[str, ...]:
    """Return a warning for each system whose size makes measures of it incomparable."""
    found = []
    for unit in ("tokens", "texts"):
        growing = [measure.name for measure in measures if measure.grows_with == unit]
        n_human = _size(people, unit)
        for side in sides.values() if growing else ():
            n = _size(side, unit)
            if n and n_human and not 1 / _SIZES_APART <= n / n_human <= _SIZES_APART:
                found.append(
                    f"'{side.name}' has {n} {unit} and '{people.name}' {n_human}: "
                    f"{listed(growing)} change with the size of a sample, so give as many texts"
                    + (
                        " of about the same length (match_length=True, --match-length)."
                        if unit == "tokens"
                        else "."
                    )
                )
    return tuple(found)


def _size(side: Side, unit: str) -> int:
    if unit == "texts":
        return 0 if side.features is None else len(side.features)
    return 0 if side.tokens is None else len(side.tokens.ids)


def measure(
    human: SampleLike,
    systems: SampleLike | Mapping[str, SampleLike],
    measures: str | Measure | Sequence[str | Measure] = "default",
    *,
    tokenizer: str | Tokenizer = "words",
    language_model: str | TokenScorer = "bundled",
    embedder: EmbedderLike = "bundled",
    models: Mapping[str, ModelLike] | None = None,
    training: SampleLike | None = None,
    prompts: Prompts | None = None,
    prompt_context: bool = False,
    confidence: float = 0.95,
    cache: bool = True,
    strip: bool = False,
    match_length: bool = False,
    empty: str = "error",
    seed: int = 0,
    device: str = "auto",
    comparison: Comparison | None = None,
    on_progress: Progress | None = None,
) -> Measurements:
    """Measure texts of one or more systems, and human text beside them.

    Parameters
    ----------
    human : sequence of str, array_like of shape (n, d), or path
        Human texts, or their features, as for :func:`mauve.compare`.
    systems : the same, or a mapping from name to the same
        One system, or several by name.
    measures : str, Measure, or sequence of both
        Names of measures (:data:`mauve.measures.registry.MEASURES`) or of groups of them:
        "default" for the columns of the paper's tables, "text", "features", "model",
        "training", "all".
    tokenizer : str or Tokenizer
        What counts as a token: "words", "bundled", the path of a ``tokenizer.json``, or the
        name of a Transformers tokenizer.
    language_model : str or TokenScorer
        The external model of generation perplexity: "bundled", or the name or folder of a
        causal Transformers model.
    embedder : str, Embedder or callable
        What turns text into features, as for :func:`mauve.compare`.
    models : mapping from name to "MODEL@DECODER", optional
        The language model behind a system and how it decodes, such as
        ``"gpt2@nucleus:0.95"``, for the measures that ask how it predicts the human texts. A
        name without texts of its own gets a row with these measures alone.
    training : sequence of str, array_like, or path, optional
        What the systems were trained on, for the measures of copying.
    prompts : sequence, or mapping from "human" and every system's name to one, optional
        What each text answers. Texts of one prompt are not independent, and systems that
        answer the same prompts as people are compared prompt by prompt.
    prompt_context : bool
        Let language models read each text's prompt before it. Only the text is scored.
    confidence : float in (0, 1)
        Level of the intervals.
    cache : bool
        Keep the features of texts on disk.
    strip, match_length, empty
        As for :func:`mauve.compare`.
    seed : int
        Everything random follows from it. Nothing depends on the order of the texts.
    device : str
        "auto", "cpu", or a torch device such as "cuda".
    comparison : Comparison, optional
        What :func:`mauve.compare` found for the same samples, if MAUVE need not be computed
        once more.
    on_progress : callable, optional
        Called with what is being done, how many steps are done, and how many there are.

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
    >>> found = measure(people, model, "repetition")
    >>> found["model"]["repetition"].value, found.human["repetition"].value
    (1.0, 0.0)
    """
    named = systems if isinstance(systems, Mapping) else {"model": systems}
    names = [str(name) for name in named]
    if not names or len(set(names)) < len(names):
        rule = "one sample or a mapping of names that differ"
        raise bad_parameter("measure", "systems", rule, names)
    tested = {str(name): parse_model(model) for name, model in (models or {}).items()}
    check_real("measure", "confidence", confidence, above=0, up_to=1 - 1e-9)
    check_int("measure", "seed", seed, 0)
    if prompt_context and prompts is None:
        rule = "False without 'prompts' (--prompts or --by-prompt)"
        raise bad_parameter("measure", "prompt_context", rule, prompt_context)
    if comparison is not None and [*comparison] != names:
        raise bad_parameter("measure", "comparison", f"of the systems {names}", [*comparison])
    reference = reference_name(names)
    read = read_inputs(
        [reference, *names],
        [human, *named.values()],
        strip=strip,
        match_length=match_length,
        empty=empty,
        caller="measure",
    )
    if tested and read.texts is None:
        raise bad_parameter("measure", "models", "left out for features: give texts", [*tested])
    trained = None if training is None else _read_training(training, read, strip, empty)
    asked = [measures] if isinstance(measures, Measure) else measures
    chosen = get_measures(asked, _available(read, tested, trained))
    check_extras(chosen)
    needs = {need for measure in chosen for need in measure.needs}
    _check_used(needs, tested, training, reference)
    makers = Makers(
        get_tokenizer(tokenizer) if "tokens" in needs else None,
        get_scorer(language_model, device=device) if "log_probabilities" in needs else None,
        _embedder(embedder, device, cache) if "features" in needs and read.texts else None,
    )
    sides = make_sides(
        read,
        trained,
        makers,
        prompts=prompts,
        prompt_context=prompt_context,
        seed=seed,
        on_progress=on_progress,
    )
    if "model" in needs:
        sides |= with_models(sides, reference, tested, device, on_progress)
    people = sides.pop(reference)
    advice = size_advice(chosen, people, sides)
    for message in advice:
        warnings.warn(message, MauveWarning, stacklevel=2)
    values = _estimated(chosen, people, sides, confidence, on_progress or (lambda *_: None))
    if MAUVE in chosen:
        samples: Mapping[str, SampleLike] = read.texts or read.features or {}
        if comparison is None:
            comparison = compare(
                samples[reference],
                {name: samples[name] for name in names},
                embedder=makers.embedder or "bundled",
                cache=False,  # the embedder has the features already
                empty=empty,
                confidence=confidence,
                n_permutations=0,
                prompts=prompts,
                seed=seed,
                device=device,
                on_progress=on_progress,
            )
        for name, result in comparison.items():
            values[name][MAUVE.name] = _as_measured(result)
        advice += comparison.warnings
    return Measurements(
        chosen,
        values.pop(reference),
        values,
        human_name=reference,
        n_texts={name: read.sizes.get(name, 0) for name in [reference, *values]},
        models={name: f"{spec.model}@{spec.decoder}" for name, spec in tested.items()},
        confidence=confidence,
        signature=_signature(
            read,
            trained,
            makers,
            comparison if MAUVE in chosen else None,
            prompts,
            prompt_context,
            seed,
        ),
        warnings=advice,
    )


def _read_training(training: SampleLike, read: ReadInputs, strip: bool, empty: str) -> ReadInputs:
    name = "training" if "training" not in read.sizes else "training (set)"
    found = read_inputs([name], [training], strip=strip, empty=empty, caller="measure")
    if (found.texts is None) != (read.texts is None):
        kinds = ["features" if given.texts is None else "texts" for given in (read, found)]
        raise InvalidParameterError(
            "The 'training' parameter of measure must be of the same kind as 'human', "
            f"{kinds[0]}. Got {kinds[1]} instead."
        )
    if found.texts is None and found.width != read.width:
        raise InvalidParameterError(
            f"The 'training' parameter of measure must have as many features as 'human', "
            f"{read.width}. Got {found.width} instead: embed all texts with one model."
        )
    return found


def _check_used(
    needs: Collection[Need],
    tested: Mapping[str, UnderTest],
    training: SampleLike | None,
    reference: str,
) -> None:
    """Raise where something was given that no measure reads."""
    if reference in tested:
        rule = f"a mapping without '{reference}', the human texts"
        raise bad_parameter("measure", "models", rule, [*tested])
    for given, need in ((bool(tested), "model"), (training is not None, "training")):
        if given and need not in needs:
            name = "models" if need == "model" else need
            raise InvalidParameterError(
                f"The '{name}' parameter of measure must be left out where no measure needs it. "
                f"Ask for one of {listed(GROUPS[need])}, or for '{need}', in 'measures'."
            )


def _available(
    read: ReadInputs, tested: Mapping[str, UnderTest], trained: ReadInputs | None
) -> set[Need]:
    """Return what measures can be computed from."""
    found: set[Need] = {"features"}
    if read.texts is not None:
        found |= {"texts", "tokens", "log_probabilities"}
        if tested:
            found.add("model")
    if trained is not None:
        found.add("training")
    return found


def _embedder(spec: EmbedderLike, device: str, cache: bool) -> Embedder:
    found = get_embedder(spec, device=device)
    return RememberedEmbedder(cached_if_known(found) if cache else found)


def _estimated(
    measures: Sequence[Measure],
    people: Side,
    sides: Mapping[str, Side],
    confidence: float,
    report: Progress,
) -> dict[str, dict[str, Measured]]:
    """Return what each measure says of human text, which comes first, and of each system."""
    values: dict[str, dict[str, Measured]] = {name: {} for name in [people.name, *sides]}
    computed = [(measure, measure.estimate) for measure in measures if measure.estimate]
    for done, (measure, estimate) in enumerate(computed):
        report(f"measuring {measure.name}", done, len(computed))
        human = estimate(people, people) if measure.is_statistic else None
        if human is not None:
            values[people.name][measure.name] = measured(
                human, None, measure, confidence, people.groups, people.groups
            )
        for side in sides.values():
            if any(getattr(side, need) is None for need in measure.needs):
                continue  # a model without texts, or texts without a model
            own = estimate(side, people)
            values[side.name][measure.name] = measured(
                own, human, measure, confidence, side.groups, people.groups
            )
    report("measuring", len(computed), len(computed))
    return values


def _as_measured(result: MauveResult) -> Measured:
    error = score_error(result.mauve, result.deviance_error)
    return Measured(result.mauve, result.interval, error)


def _signature(
    read: ReadInputs,
    trained: ReadInputs | None,
    makers: Makers,
    comparison: Comparison | None,
    prompts: Prompts | None,
    prompt_context: bool,
    seed: int,
) -> str:
    """Return the recipe: what must be equal for two values to be comparable."""
    parts = [f"mauve:{version('mauve-eval')}"]
    if read.texts is not None:
        parts.append(f"texts:{read.origin or 'as-given'}" + "-after-prompt" * prompt_context)
    if makers.tokenizer is not None:
        parts.append(f"tok:{makers.tokenizer.signature}")
    if makers.scorer is not None:
        parts.append(f"lm:{makers.scorer.signature}")
    if makers.embedder is not None:
        parts.append(f"emb:{makers.embedder.signature}")
    elif read.texts is None:
        parts.append(f"emb:{read.origin}")
    if trained is not None:
        parts.append(f"training:{_checksum(trained)}")
    if comparison is not None:
        parts.append(f"k:{next(iter(comparison.values())).num_buckets}")
    by_prompt = "-by-prompt" if prompts is not None else ""
    return "|".join([*parts, f"se:{N_GROUPS}{by_prompt}", f"seed:{seed}"])


def _checksum(read: ReadInputs) -> str:
    """Return a checksum of texts, or of features, in whatever order."""
    (keys,) = sample_keys(read)
    return hashlib.blake2b(np.sort(keys).tobytes(), digest_size=4).hexdigest()
