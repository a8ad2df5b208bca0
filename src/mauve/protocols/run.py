"""Score systems by a protocol, and by our estimator beside it: follow_protocol and its steps."""

import os
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from mauve.calls import parameter
from mauve.comparison.paper import compute_mauve
from mauve.comparison.run import compare_samples
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.bundled import CONTEXT
from mauve.embed.load import Samples, load_samples
from mauve.embed.naming import SystemsLike, name_samples
from mauve.embed.protocol import Embedder
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.embed.samples import FieldLike, Sample, SampleLike, read_samples
from mauve.errors import InvalidParameterError, check_int, check_share, warn_caller
from mauve.lm.protocol import TokenScorer
from mauve.measures.results import Measurements
from mauve.measures.run import measure_samples
from mauve.measures.tokenizers import Tokenizer
from mauve.progress import Progress, ProgressLike, progress_bar
from mauve.protocols.catalogue import get_protocol
from mauve.protocols.fitness import check_samples, prompts_of
from mauve.protocols.prepare import prepared_texts
from mauve.protocols.protocol import Protocol, ScoreRules
from mauve.protocols.results import ProtocolResult, Reported
from mauve.text.normalize import EmptyPolicy
from mauve.text.prompts import Prompts, prompts_by_sample


def follow_protocol(
    human: SampleLike,
    systems: SystemsLike,
    protocol: str | Path | Protocol = "default",
    *,
    field: FieldLike = "text",
    prompts: Prompts | None = None,
    embedder: EmbedderLike | None = None,
    measures: str | None = None,
    tokenizer: str | Tokenizer | None = None,
    language_model: str | TokenScorer | None = None,
    empty: EmptyPolicy = "error",
    confidence: float = 0.95,
    seed: int = 0,
    device: str = "auto",
    cache: bool = True,
    progress: ProgressLike = True,
) -> ProtocolResult:
    """Score systems as the papers of a protocol do, and by our estimator beside it.

    Parameters
    ----------
    human, systems, field, empty, confidence, device, cache, progress
        As for :func:`mauve.compare`.
    protocol : str, Path or Protocol
        A name that ``mauve protocols`` lists, or a TOML file (``docs/protocols.md``).
    prompts : sequence, or mapping from "human" and every system's name to one, optional
        By default the field 'prompt' of the records.
    embedder, tokenizer, language_model : optional
        In place of those of the protocol; the recipe then names the deviation.
    measures : str, optional
        Measures beside the score, in place of those of the protocol; "" for none.
    seed : int
        Random seed of our scores, and of the texts drawn. The seeds of the score as reported
        are part of the protocol.

    Returns
    -------
    ProtocolResult

    Raises
    ------
    InvalidParameterError
        If the samples do not fit the protocol: too few texts, or prompts on one side only.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(1000, 8)), rng.normal(size=(1000, 8)) + 0.3
    >>> result = follow_protocol(human, model, "synthetic-data")  # features: nothing is embedded
    >>> result.reported["model"].mauve < result.comparison["model"].mauve  # the plug-in is too low
    True
    """
    chosen = get_protocol(protocol)
    check_share("confidence", confidence)
    check_int("seed", seed, 0)
    loaded = read_samples(name_samples(human, systems), field)
    sizes = {name: len(sample) for name, sample in loaded.items()}
    given = prompts_by_sample(prompts, sizes)
    messages = check_samples(chosen, loaded)
    with progress_bar(progress) as on_progress:
        samples, more = _fitting(
            chosen, loaded, given, embedder, empty, seed, device, cache, on_progress
        )
        messages += more
        reported = _reported(chosen.score, samples, on_progress)
        comparison = compare_samples(
            samples, confidence=confidence, seed=seed, device=device, on_progress=on_progress
        )
        measurements = _companions(
            chosen, samples, measures, tokenizer, language_model, confidence, seed, device,
            on_progress,
        )  # fmt: skip
    deviations = _deviations(chosen, samples, embedder, measures, tokenizer, language_model)
    said = (*comparison.warnings, *(() if measurements is None else measurements.warnings))
    result = ProtocolResult(
        chosen,
        reported,
        comparison,
        measurements,
        deviations,
        tuple(dict.fromkeys([*messages, *said])),
        "",
    )
    for message in result.warnings:
        warn_caller(message)
    return replace(result, recipe=_recipe(result, samples))


def _fitting(
    protocol: Protocol,
    loaded: Mapping[str, Sample],
    given: Mapping[str, list[str]] | None,
    embedder: EmbedderLike | None,
    empty: EmptyPolicy,
    seed: int,
    device: str,
    cache: bool,
    on_progress: Progress | None,
) -> tuple[Samples, list[str]]:
    """Return the samples as the protocol compares them, and warnings."""
    rules = protocol.samples
    messages: list[str] = []
    is_text = all(sample.is_text for sample in loaded.values())
    if not is_text:
        prompts = None  # features have no text that a prompt could stand before
        ready: dict[str, Any] = dict(loaded)
        made = None
        if embedder is not None:
            raise InvalidParameterError(
                f"{parameter('embedder')} must be left out for features, which no embedder reads: "
                "give the texts instead."
            )
    else:
        prompts, messages = prompts_of(protocol, loaded, given)
        ready = {}
        for name, sample in loaded.items():
            of_sample = None if prompts is None else prompts[name]
            texts = prepared_texts(rules, [str(text) for text in sample.values], of_sample)
            ready[name] = replace(sample, values=texts)
        made = protocol_embedder(protocol, embedder, device)
    samples = load_samples(
        ready,
        limit=rules.texts if max(map(len, loaded.values())) > rules.texts else None,
        seed=seed,
        embedder=made,
        device=device,
        cache=cache,
        empty=empty,
        prompts=prompts,
        min_texts=MIN_TEXTS,
        on_progress=on_progress,
    )
    return samples, messages


def protocol_embedder(
    protocol: Protocol, embedder: EmbedderLike | None, device: str = "auto"
) -> Embedder:
    """Return the embedder of a protocol, or another one that reads as many tokens.

    Examples
    --------
    >>> protocol_embedder(get_protocol("contrastive-search"), "bundled").signature.endswith(":128")
    True
    """
    spec = protocol.score.embedder if embedder is None else embedder
    if not isinstance(spec, str):
        return get_embedder(spec, device=device)
    length = protocol.samples.tokens
    if spec == "bundled":
        return get_embedder(spec, max_length=min(length, CONTEXT))
    if spec.startswith(("sentence:", "http://", "https://")):
        return get_embedder(spec, device=device)  # the length is part of the model
    return get_embedder(spec, pooling="last", max_length=length, device=device)


def _reported(
    rules: ScoreRules, samples: Samples, on_progress: Progress | None
) -> dict[str, Reported]:
    """Return the score of every system as the authors' package computes it."""
    if rules.method == "ours":
        return {}
    features = samples.features
    human = np.asarray(features[samples.human_name])
    reported = {}
    show = on_progress or (lambda *_: None)
    total, done = len(rules.seeds) * len(samples.system_names), 0
    for name in samples.system_names:
        scores = []
        for seed in rules.seeds:
            show("scoring by the protocol", done, total)
            done += 1
            made = compute_mauve(
                p_features=human,
                q_features=np.asarray(features[name]),
                num_buckets="auto" if rules.num_buckets == "n/10" else rules.num_buckets,
                kmeans_explained_var=rules.explained_variance,
                kmeans_num_redo=rules.restarts,
                mauve_scaling_factor=rules.scaling,
                seed=seed,
            )
            scores.append(made.mauve)
        spread = stdev(scores) if len(scores) > 1 else None
        reported[name] = Reported(fmean(scores), spread, tuple(scores), made.num_buckets)
    show("scoring by the protocol", total, total)
    return reported


def _companions(
    protocol: Protocol,
    samples: Samples,
    measures: str | None,
    tokenizer: str | Tokenizer | None,
    language_model: str | TokenScorer | None,
    confidence: float,
    seed: int,
    device: str,
    on_progress: Progress | None,
) -> Measurements | None:
    """Return the measures that the papers print beside the score; none for features."""
    rules = protocol.report
    names = rules.measures if measures is None else measures
    if not names or (samples.texts is None and measures is None):
        return None
    return measure_samples(
        samples,
        names,
        tokenizer=rules.tokenizer if tokenizer is None else tokenizer,
        language_model=rules.language_model if language_model is None else language_model,
        confidence=confidence,
        seed=seed,
        device=device,
        on_progress=on_progress,
    )


def _deviations(
    protocol: Protocol,
    samples: Samples,
    embedder: EmbedderLike | None,
    measures: str | None,
    tokenizer: str | Tokenizer | None,
    language_model: str | TokenScorer | None,
) -> tuple[str, ...]:
    """Return where the protocol was not followed, each as a part of a sentence."""
    deviations = []
    fewest, most = min(samples.sizes.values()), max(samples.sizes.values())
    if protocol.score.method == "authors" and fewest != protocol.samples.texts:
        number = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        deviations.append(f"{number} texts in place of {protocol.samples.texts}")
    if samples.texts is None:
        deviations.append("given features")
        return tuple(deviations)
    replaced: list[tuple[Any, str, str]] = [(embedder, protocol.score.embedder, "features")]
    tokens, read = protocol.samples.tokens, _tokens_read(samples)
    if read is not None and not tokens - 1 <= read <= tokens:  # one may be a mark of the beginning
        deviations.append(f"{read} tokens read in place of {tokens}")
    if measures != "" and protocol.report.measures:
        replaced.append((tokenizer, protocol.report.tokenizer, "tokens"))
        replaced.append((language_model, protocol.report.language_model, "a language model"))
    for used, meant, what in replaced:
        if used is not None and used != meant:
            label = os.path.basename(used) if isinstance(used, str) else _signature(used)
            deviations.append(f"{what} of {label} in place of {meant}")
    if measures is not None and measures != protocol.report.measures:
        deviations.append("other measures beside the score")
    return tuple(deviations)


def _signature(used: Any) -> str:
    return str(getattr(used, "signature", None) or getattr(used, "__name__", type(used).__name__))


def _recipe(result: ProtocolResult, samples: Samples) -> str:
    """Return the sentence for a paper."""
    protocol, comparison = result.protocol, result.comparison
    first = next(iter(comparison.values()))
    fewest, most = min(samples.sizes.values()), max(samples.sizes.values())
    number = f"{fewest:,}" if fewest == most else f"{fewest:,} to {most:,}"
    ours = (
        f"bias-corrected scores with {first.confidence:.0%} intervals are by mauve-eval "
        f"{version('mauve-eval')} ({first.signature})"
    )
    if not result.reported:
        return f"MAUVE was computed from {number} texts of each sample; {ours}."
    rules = protocol.score
    buckets = sorted({score.num_buckets for score in result.reported.values()})
    k = f"{buckets[0]}" if len(buckets) == 1 else f"{buckets[0]} to {buckets[-1]}"
    seeds = ", ".join(map(str, rules.seeds))
    several = f"mean over the seeds {seeds}" if len(rules.seeds) > 1 else f"seed {seeds}"
    words, tokens = protocol.samples.words, _tokens_read(samples)
    lengths = [f"{words} words"] * (words > 0 and samples.texts is not None)
    lengths += [f"{tokens} tokens"] * (tokens is not None)
    read = f"at most {' and '.join(lengths)} of each, " if lengths else ""
    features = "given features" if samples.texts is None else f"features of {_embedder(samples)}"
    deviating = f", with {', '.join(result.deviations)}" if result.deviations else ""
    return (
        f"MAUVE (Pillutla et al., 2021) was computed by the protocol '{protocol.name}' "
        f"({protocol.source}){deviating}: {number} texts of each sample, {read}"
        f"{features}, k = {k} buckets by k-means, c = {rules.scaling:g}, {several}; {ours}."
    )


def _tokens_read(samples: Samples) -> int | None:
    """Return how many tokens of a text are read; None for features, and if it is not known."""
    reading = None if samples.texts is None else samples.readings.reading
    return None if reading is None else reading.max_tokens


def _embedder(samples: Samples) -> str:
    return "" if samples.embedder is None else samples.embedder.signature
