"""Turn a comparison into JSON and arrays, and back."""

import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.archive import Archive, plain
from mauve.calls import parameter
from mauve.comparison.compared import Compared, labelled_pair
from mauve.comparison.results import MauveResult
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.embed.protocol import Embedded
from mauve.embed.saved import SavedEmbedder
from mauve.errors import InvalidParameterError
from mauve.inference.differences import Influence
from mauve.quantize.protocol import fixed_num_buckets
from mauve.quantize.registry import BucketPlan
from mauve.quantize.saved import SavedQuantizer
from mauve.text.form import FormReport
from mauve.text.form_checks import Finding

_CURVES = ("divergence_curve", "p_hist", "q_hist")
_BUCKETS = ("labels", "counted")
_INFLUENCE = ("human", "model", "human_prompt", "model_prompt", "by_clustering")

Metadata = Mapping[str, Mapping[str, Any]]


def pack(
    results: Mapping[str, MauveResult], compared: Compared, metadata: Metadata | None = None
) -> Archive:
    """Return the parts and arrays that a comparison is made of.

    Parameters
    ----------
    results : mapping from str to MauveResult
    compared : Compared
    metadata : mapping from sample to mapping from field to sequence, optional
        By default that of the samples.
    """
    samples, settings = compared.samples, compared.settings
    known = {field.name: getattr(settings, field.name) for field in fields(settings)}
    arrays = _sample_arrays(samples)
    summary = {
        "samples": samples.sizes,
        "n_given": samples.n_given,
        "recipe": samples.recipe,
        "embedder": None if samples.embedder is None else samples.embedder.signature,
        "reading_warnings": samples.reading_warnings,
        "settings": known,
        "plans": [_plan_fields(compared.plans[name]) for name in results],
        "results": [_result_fields(result) for result in results.values()],
    }
    for i, (name, result) in enumerate(results.items()):
        arrays |= _result_arrays(result, f"result-{i}")
        arrays[f"blocks-{i}"] = compared.pairs[name].blocks
    parts: dict[str, Any] = {"comparison": summary}
    if samples.texts is not None:
        parts["texts"] = samples.texts
    if samples.prompts is not None:
        parts["prompts"] = samples.prompts
    chosen = samples.metadata if metadata is None else samples.aligned(metadata)
    if chosen:
        parts["metadata"] = _plain_metadata(chosen, samples.sizes)
    return Archive(parts, arrays)


def unpack(archive: Archive) -> tuple[dict[str, MauveResult], Compared]:
    """Return the results and what they are based on, as :func:`pack` took them."""
    summary = archive.parts["comparison"]
    samples = _samples(archive)
    settings = Settings(**summary["settings"])
    plans, pairs, results = {}, {}, {}
    for i, (name, plan, numbers) in enumerate(
        zip(samples.system_names, summary["plans"], summary["results"], strict=True)
    ):
        plans[name] = BucketPlan(**{**plan, "quantizer": SavedQuantizer(**plan["quantizer"])})
        results[name] = result = _result(archive, f"result-{i}", numbers)
        n_texts = result.n_human + result.n_model
        blocks = archive.arrays[f"blocks-{i}"]
        _check_length(n_texts, result.labels.T, result.counted.T, blocks)
        if result.labels.max(initial=0) >= plans[name].num_buckets:
            raise ValueError(f"labels up to {result.labels.max()}")
        pairs[name] = labelled_pair(
            samples, name, result.labels, result.counted, plans[name].num_buckets, blocks
        )
    return results, Compared(samples, settings, plans, pairs)


def _plan_fields(plan: BucketPlan) -> dict[str, Any]:
    quantizer = plan.quantizer
    saved = {"signature": quantizer.signature, "num_buckets": fixed_num_buckets(quantizer)}
    numbers = {field.name: getattr(plan, field.name) for field in fields(plan)}
    return numbers | {"quantizer": saved}


def _result_fields(result: MauveResult) -> dict[str, Any]:
    """Return all that is no array."""
    skipped = {*_CURVES, *_BUCKETS, "influence", "form", "classifier"}
    numbers = {
        field.name: getattr(result, field.name)
        for field in fields(result)
        if field.name not in skipped
    }
    return numbers | {
        "human_hash": str(result.influence.human_hash),  # of 64 bits, more than a float holds
        "form": None if result.form is None else asdict(result.form),
        "classifier": None if result.classifier is None else _result_fields(result.classifier),
    }


def _result_arrays(result: MauveResult, prefix: str) -> dict[str, NDArray[Any]]:
    arrays = {name: getattr(result, name) for name in _CURVES}
    arrays |= {f"influence-{name}": getattr(result.influence, name) for name in _INFLUENCE}
    # No compression, but few bits: most of the labels are below 256.
    arrays["labels"] = result.labels.astype(np.min_scalar_type(int(result.labels.max(initial=0))))
    arrays["counted"] = np.packbits(result.counted, axis=1)
    named = {f"{prefix}-{name}": array for name, array in arrays.items() if array is not None}
    if result.classifier is not None:
        named |= _result_arrays(result.classifier, f"{prefix}-classifier")
    return named


def _result(archive: Archive, prefix: str, numbers: dict[str, Any]) -> MauveResult:
    numbers = {
        name: tuple(value) if isinstance(value, list) else value for name, value in numbers.items()
    }
    form, human_hash = numbers.pop("form"), int(numbers.pop("human_hash"))
    sharper = numbers.pop("classifier")
    if sharper is not None:
        sharper = _result(archive, f"{prefix}-classifier", sharper)
    if form is not None:
        findings = tuple(Finding(**finding) for finding in form["findings"])
        form = FormReport(**{**form, "findings": findings})
    arrays: dict[str, Any] = archive.arrays
    influence = {name: arrays.get(f"{prefix}-influence-{name}") for name in _INFLUENCE}
    numbers |= {name: arrays[f"{prefix}-{name}"] for name in _CURVES}
    n_texts = numbers["n_human"] + numbers["n_model"]
    counted = np.unpackbits(arrays[f"{prefix}-counted"], axis=1, count=n_texts)
    return MauveResult(
        **numbers,
        labels=arrays[f"{prefix}-labels"].astype(np.int32),
        counted=counted.astype(bool),
        influence=Influence(**influence, human_hash=human_hash),  # type: ignore[arg-type]
        form=form,
        classifier=sharper,
    )


def _sample_arrays(samples: Samples) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"hashes": samples.hashes}
    for i, name in enumerate(samples.sizes):
        if name in samples.kept:
            arrays[f"kept-{i}"] = samples.kept[name]
    if samples.embedded is None:
        given = (np.asarray(rows) for rows in samples.features.values())
        return arrays | {f"features-{i}": rows for i, rows in enumerate(given)}
    return arrays | {
        name: np.asarray(getattr(samples.embedded, name))
        for name in ("features", "n_tokens", "truncated")
    }


def _samples(archive: Archive) -> Samples:
    parts, arrays = archive.parts, archive.arrays
    summary = parts["comparison"]
    sizes: dict[str, int] = summary["samples"]
    n_texts = sum(sizes.values())
    texts, saved, given = parts.get("texts"), None, None
    if texts is None:
        given = {name: arrays[f"features-{i}"] for i, name in enumerate(sizes)}
    else:
        embedded = Embedded(arrays["features"], arrays["n_tokens"], arrays["truncated"])
        all_texts = [text for sample in texts.values() for text in sample]
        _check_length(n_texts, embedded.n_tokens, embedded.truncated, embedded.features)
        saved = SavedEmbedder(summary["embedder"], all_texts, embedded)
    _check_length(n_texts, arrays["hashes"])
    samples = Samples(
        texts,
        given,
        summary["recipe"],
        saved,
        arrays["hashes"],
        parts.get("prompts"),
        metadata=parts.get("metadata", {}),
        kept={name: arrays[f"kept-{i}"] for i, name in enumerate(sizes) if f"kept-{i}" in arrays},
        n_given=summary["n_given"],
        saved_warnings={
            name: tuple(messages) for name, messages in summary["reading_warnings"].items()
        },
    )
    if samples.sizes != sizes:
        raise ValueError(f"samples of the sizes {samples.sizes}")
    return samples


def _check_length(n_texts: int, *arrays: NDArray[Any]) -> None:
    for array in arrays:
        if len(array) != n_texts:
            raise ValueError(f"{len(array)} rows for {n_texts} texts")


def _plain_metadata(metadata: Metadata, sizes: Mapping[str, int]) -> dict[str, Any]:
    """Return metadata for JSON, or raise if it is not about the texts or cannot be written."""
    if not isinstance(metadata, Mapping):
        raise _bad_metadata("a dict of fields for each sample", type(metadata).__name__)
    written: dict[str, Any] = {}
    for sample, values_of in metadata.items():
        if sample not in sizes:
            raise _bad_metadata(f"fields of the samples {', '.join(sizes)}", sample)
        if not isinstance(values_of, Mapping):
            raise _bad_metadata(f"a dict of fields for '{sample}'", type(values_of).__name__)
        written[sample] = {}
        for field, values in values_of.items():
            if isinstance(values, str) or not hasattr(values, "__len__"):
                raise _bad_metadata(f"a list for '{field}' of '{sample}'", type(values).__name__)
            if len(values) != sizes[sample]:
                rule = f"{sizes[sample]} values for '{field}' of '{sample}', one for each text"
                raise _bad_metadata(rule, f"{len(values)} values")
            written[sample][field] = plain([*values])
            for value in written[sample][field]:
                is_infinite = isinstance(value, float) and math.isinf(value)  # JSON has none
                if is_infinite or not isinstance(value, str | int | float | None):
                    rule = f"strings, finite numbers or None for '{field}' of '{sample}'"
                    raise _bad_metadata(rule, str(value) if is_infinite else type(value).__name__)
    return written


def _bad_metadata(rule: str, got: str) -> InvalidParameterError:
    return InvalidParameterError(f"{parameter('metadata')} must have {rule}. Got {got} instead.")
