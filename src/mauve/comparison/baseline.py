"""Keep scores in a small JSON file that later scores are checked against."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mauve.atomic import atomic_write
from mauve.comparison.pairs import Scored
from mauve.comparison.results import MauveResult
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.inference.differences import Influence

_KIND, _FORMAT = "mauve baseline", 1
_FLOATS = ("human", "model", "by_clustering")
_HASHES = ("human_prompt", "model_prompt")


@dataclass(frozen=True, eq=False)
class BaselineScore:
    """The score of one system, with what a paired comparison needs; no texts.

    Attributes
    ----------
    name, mauve, interval, confidence, n_human, n_model, signature, deviance_error, influence
        As of :class:`mauve.MauveResult`.
    """

    name: str
    mauve: float
    interval: tuple[float, float]
    confidence: float
    n_human: int
    n_model: int
    signature: str
    deviance_error: float
    influence: Influence

    @classmethod
    def of(cls, result: MauveResult) -> "BaselineScore":
        """Take what is kept out of a result."""
        return cls(
            result.name,
            result.mauve,
            result.interval,
            result.confidence,
            result.n_human,
            result.n_model,
            result.signature,
            result.deviance_error,
            result.influence,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain Python objects for JSON."""
        kept = self.influence
        lists = {name: getattr(kept, name) for name in (*_FLOATS, *_HASHES)}
        return {
            "name": self.name,
            "mauve": self.mauve,
            "interval": list(self.interval),
            "confidence": self.confidence,
            "n_human": self.n_human,
            "n_model": self.n_model,
            "signature": self.signature,
            "deviance_error": self.deviance_error,
            "influence": {
                "human_hash": str(kept.human_hash),  # of 64 bits, more than a float holds
                **{name: None if v is None else v.tolist() for name, v in lists.items()},
            },
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "BaselineScore":
        """Return what :meth:`to_dict` wrote."""
        kept = values["influence"]
        arrays: dict[str, Any] = {name: np.asarray(kept[name], np.float64) for name in _FLOATS}
        hashes: dict[str, Any] = {
            name: None if kept[name] is None else np.asarray(kept[name], dtype=np.uint64)
            for name in _HASHES
        }
        low, high = map(float, values["interval"])
        score = cls(
            str(values["name"]),
            float(values["mauve"]),
            (low, high),
            float(values["confidence"]),
            int(values["n_human"]),
            int(values["n_model"]),
            str(values["signature"]),
            float(values["deviance_error"]),
            Influence(**arrays, **hashes, human_hash=int(kept["human_hash"])),
        )
        numbers = [score.mauve, score.deviance_error, *arrays["human"], *arrays["model"]]
        if not np.isfinite([*numbers, *arrays["by_clustering"]]).all():
            raise ValueError("a number that is not finite")
        if not 0 <= score.mauve <= 1 or score.deviance_error < 0:
            raise ValueError(f"the score {score.mauve}")
        for n, part in ((score.n_human, "human"), (score.n_model, "model")):
            if arrays[part].shape != (n,):
                raise ValueError(f"{arrays[part].size} influences of {n} {part} texts")
        for name, of in hashes.items():
            if of is not None and of.shape != arrays[name.removesuffix("_prompt")].shape:
                raise ValueError(f"{of.size} prompts in {name}")
        return score


def write_baseline(results: Iterable[MauveResult], path: str | Path) -> None:
    """Write scores to a JSON file, atomically; it holds no texts.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> comparison = mauve.compare(rng.normal(size=(200, 4)), rng.normal(size=(200, 4)))
    >>> with TemporaryDirectory() as folder:
    ...     write_baseline(comparison.values(), f"{folder}/baseline.json")
    ...     kept = read_baseline(f"{folder}/baseline.json")
    >>> kept["model"].mauve == comparison["model"].mauve
    True
    """
    scores = [BaselineScore.of(result).to_dict() for result in results]
    text = json.dumps({"kind": _KIND, "format": _FORMAT, "scores": scores})
    with atomic_write(Path(path)) as file:
        file.write(text.encode())


def read_baseline(path: str | Path) -> dict[str, Scored]:
    """Return the scores that :func:`write_baseline` wrote, by name.

    Raises
    ------
    InvalidParameterError
        If the file is missing, damaged or of another kind.
    """
    quoted = f"'{escaped(str(path))}'"
    remedy = "write one with mauve check --write FILE"
    try:
        values = json.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise InvalidParameterError(
            f"{quoted} must be a baseline. It cannot be read ({error.strerror}): {remedy}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InvalidParameterError(
            f"{quoted} must be a baseline in JSON ({error}). It may be cut short: {remedy}."
        ) from error
    if not isinstance(values, Mapping) or values.get("kind") != _KIND:
        raise InvalidParameterError(
            f"{quoted} must be a baseline. Got JSON of another kind instead: {remedy}."
        )
    if values.get("format") != _FORMAT:
        raise InvalidParameterError(
            f"{quoted} must be a baseline of format {_FORMAT}. Got "
            f"{escaped(str(values.get('format'))[:20])} instead: {remedy}."
        )
    try:
        scores = [BaselineScore.from_dict(score) for score in values["scores"]]
        names = [score.name for score in scores]
        if not names or len({*names}) < len(names):
            raise ValueError(f"{len(scores)} scores of {len({*names})} systems")
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise InvalidParameterError(
            f"{quoted} must be a baseline. It is damaged ({error}): {remedy}."
        ) from error
    return {score.name: score for score in scores}
