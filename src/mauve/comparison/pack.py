"""Turn a comparison into JSON and arrays, and back."""

import math
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.archive import Archive, plain
from mauve.calls import parameter
from mauve.comparison.compared import Compared
from mauve.comparison.results import MauveResult
from mauve.comparison.settings import Settings
from mauve.embed.load import Samples
from mauve.embed.protocol import Embedded
from mauve.embed.saved import SavedEmbedder
from mauve.errors import InvalidParameterError
from mauve.inference.differences import Influence
from mauve.quantize.crossfit import JointClustering
from mauve.quantize.kmeans import Centres
from mauve.quantize.protocol import Partition, fixed_num_buckets
from mauve.quantize.reduce import Reduction
from mauve.quantize.saved import SavedPartition, SavedQuantizer
from mauve.text.form import Finding, FormReport

_CURVES = ("divergence_curve", "p_hist", "q_hist")
_FROM_CLUSTERING = ("labels", "counted")
_INFLUENCE = ("human", "model", "human_prompt", "model_prompt")

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
    quantizer = known.pop("quantizer")
    arrays = _clustering_arrays(compared.clustering) | _sample_arrays(samples)
    summary = {
        "samples": samples.sizes,
        "n_given": samples.n_given,
        "recipe": samples.recipe,
        "embedder": None if samples.embedder is None else samples.embedder.signature,
        "reading_warnings": samples.reading_warnings,
        "settings": known,
        "quantizer": {
            "signature": quantizer.signature,
            "num_buckets": fixed_num_buckets(quantizer),
        },
        "reduction": {
            "unit": compared.clustering.reduction.unit,
            "order": compared.clustering.reduction.order,
        },
        "results": [_result_fields(result) for result in results.values()],
    }
    for i, result in enumerate(results.values()):
        arrays |= {f"result-{i}-{name}": getattr(result, name) for name in _CURVES}
        influence = {name: getattr(result.influence, name) for name in _INFLUENCE}
        arrays |= {
            f"result-{i}-influence-{name}": array
            for name, array in influence.items()
            if array is not None
        }
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
    quantizer = SavedQuantizer(**summary["quantizer"])
    settings = Settings(**summary["settings"], quantizer=quantizer)
    n_texts = sum(samples.sizes.values())
    clustering = _clustering(archive, n_texts, settings)
    compared = Compared(samples, clustering, settings)
    results = {
        name: _result(archive, i, numbers, compared)
        for i, (name, numbers) in enumerate(
            zip(samples.system_names, summary["results"], strict=True)
        )
    }
    return results, compared


def _result_fields(result: MauveResult) -> dict[str, Any]:
    """Return all that is no array."""
    skipped = {*_CURVES, *_FROM_CLUSTERING, "influence", "form"}
    numbers = {
        field.name: getattr(result, field.name)
        for field in fields(result)
        if field.name not in skipped
    }
    return numbers | {
        "human_hash": str(result.influence.human_hash),  # of 64 bits, more than a float holds
        "form": None if result.form is None else asdict(result.form),
    }


def _result(archive: Archive, i: int, numbers: dict[str, Any], compared: Compared) -> MauveResult:
    numbers = {
        name: tuple(value) if isinstance(value, list) else value for name, value in numbers.items()
    }
    form, human_hash = numbers.pop("form"), int(numbers.pop("human_hash"))
    if form is not None:
        findings = tuple(Finding(**finding) for finding in form["findings"])
        form = FormReport(**{**form, "findings": findings})
    arrays: dict[str, Any] = archive.arrays
    influence = {name: arrays.get(f"result-{i}-influence-{name}") for name in _INFLUENCE}
    pair = compared.pair(numbers["name"])
    numbers |= {name: arrays[f"result-{i}-{name}"] for name in _CURVES}
    return MauveResult(
        **numbers,
        labels=pair.labels,
        counted=pair.counted,
        influence=Influence(**influence, human_hash=human_hash),  # type: ignore[arg-type]
        form=form,
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


def _clustering_arrays(clustering: JointClustering) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {
        # No compression, but few bits: most of the labels are below 256.
        "labels": clustering.labels.astype(np.min_scalar_type(int(clustering.labels.max()))),
        "held_out": np.packbits(clustering.held_out, axis=1),
        "blocks": clustering.blocks,
        "position": clustering.position,
        "reduced": clustering.reduced,
        "mean": clustering.reduction.mean,
        "components": clustering.reduction.components,
    }
    centres = [p for p in clustering.partitions if isinstance(p, Centres)]
    if len(centres) == len(clustering.partitions):
        arrays["centres"] = np.stack([partition.centres for partition in centres])
        arrays["objectives"] = np.array([partition.objective for partition in centres])
    return arrays


def _clustering(archive: Archive, n_texts: int, settings: Settings) -> JointClustering:
    arrays, reduction = archive.arrays, archive.parts["comparison"]["reduction"]
    labels = arrays["labels"].astype(np.int32)
    if labels.shape != (settings.n_clusterings, n_texts) or labels.max() >= settings.num_buckets:
        raise ValueError(f"labels of the shape {labels.shape}, up to {labels.max()}")
    _check_length(n_texts, arrays["blocks"], arrays["position"], arrays["reduced"])
    partitions: tuple[Partition, ...]
    if "centres" in arrays:
        pairs = zip(arrays["centres"], arrays["objectives"], strict=True)
        partitions = tuple(Centres(centres, float(objective)) for centres, objective in pairs)
    else:
        partitions = (SavedPartition(settings.quantizer.signature),) * settings.n_clusterings
    return JointClustering(
        labels,
        np.unpackbits(arrays["held_out"], axis=1, count=n_texts).astype(bool),
        arrays["blocks"],
        Reduction(reduction["unit"], arrays["mean"], arrays["components"], reduction["order"]),
        partitions,
        arrays["reduced"],
        arrays["position"],
    )


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
