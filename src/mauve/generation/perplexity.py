"""The perplexity of human text under the model that writes, for adversarial sampling."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError
from mauve.generation.settings import ModelLike, file_name
from mauve.hashes import digest_hashes, text_hashes
from mauve.lm.decoding import Adversarial, Decoding
from mauve.lm.protocol import TokenScorer
from mauve.lm.scorer import get_scorer
from mauve.lm.writing import Writer
from mauve.progress import Progress

_DIGITS = 4  # of the perplexity: more would not change a text, and they are in the file's name


def with_perplexity(
    decodings: Sequence[Decoding],
    writer: Writer,
    model: ModelLike,
    prompts: Sequence[str],
    references: Sequence[str] | None,
    *,
    remember: Path,
    device: str = "auto",
    on_progress: Progress | None = None,
) -> list[Decoding]:
    """Return the decoders, adversarial ones with the perplexity of the human texts as target.

    Parameters
    ----------
    decodings : sequence of Decoding
    writer : Writer
    model : str or Writer
        What `writer` was made from.
    prompts : sequence of str
    references : sequence of str or None
        The human continuations.
    remember : Path
        A file that keeps the perplexity, so that a later call has the same to the last digit.
    device : str
    on_progress : callable, optional

    Examples
    --------
    >>> from mauve.lm.decoding import Greedy
    >>> with_perplexity([Greedy()], None, "bundled", ["Once"], None, remember=Path("none"))
    [Greedy()]
    """
    if not any(_lacks_target(decoding) for decoding in decodings):
        return list(decodings)
    if references is None:
        raise InvalidParameterError(
            "The decoder 'adversarial' must have a perplexity where there are no human "
            "continuations. Write it as 'adversarial:perplexity=20'."
        )
    origin = {
        "model": writer.signature,
        "texts": digest_hashes(text_hashes(references), text_hashes(prompts)),
    }
    perplexity = _remembered(remember, origin)
    if perplexity is None:
        scorer = _scorer(writer, model, device)
        scores = scorer.log_probabilities([*references], on_progress, [*prompts])
        mean = -np.concatenate(scores).mean()
        perplexity = float(f"{np.exp(mean):.{_DIGITS}g}")
        remember.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(remember) as file:
            file.write(json.dumps({**origin, "perplexity": perplexity}, indent=1).encode() + b"\n")
    return [
        replace(decoding, perplexity=perplexity)
        if isinstance(decoding, Adversarial) and decoding.perplexity is None
        else decoding
        for decoding in decodings
    ]


def perplexity_path(folder: Path, model: str) -> Path:
    """Return the file that keeps the perplexity of the human texts under a model.

    Examples
    --------
    >>> perplexity_path(Path("run"), "gpt2").as_posix()
    'run/samples/gpt2/perplexity.json'
    """
    return folder / "samples" / file_name(model) / "perplexity.json"


def _lacks_target(decoding: Decoding) -> bool:
    return isinstance(decoding, Adversarial) and decoding.perplexity is None


def _remembered(path: Path, origin: dict[str, str]) -> float | None:
    try:
        kept = json.loads(path.read_bytes())
        if all(kept[name] == value for name, value in origin.items()):
            return float(kept["perplexity"])
    except (OSError, ValueError, KeyError, TypeError):
        pass  # it is computed again
    return None


def _scorer(writer: Writer, model: ModelLike, device: str) -> TokenScorer:
    """Return what scores texts under the model that writes."""
    if isinstance(writer, TokenScorer):
        return writer
    if isinstance(model, str) and not model.startswith(("ngram:", "http://", "https://")):
        return get_scorer(model, device=device)
    raise InvalidParameterError(
        "The decoder 'adversarial' must have a perplexity for a model that does not score texts. "
        "Write it as 'adversarial:perplexity=20'."
    )
