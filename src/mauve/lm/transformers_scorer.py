"""Any causal Transformers model as a scorer; needs the ``transformers`` extra."""

from collections.abc import Sequence
from pathlib import Path

import torch

from mauve.embed.protocol import Progress
from mauve.lm.causal import CausalReader
from mauve.lm.scorer import Array


class TransformersScorer:
    """Log-probabilities from a Transformers model: a name on the hub, or a folder.

    Parameters
    ----------
    model : str or Path
    device, dtype, max_length, stride, revision
        See :func:`mauve.lm.scorer.get_scorer`.

    Examples
    --------
    >>> from mauve.embed.bundled import MODEL  # a GPT-2 folder that is there anyway
    >>> scorer = TransformersScorer(MODEL, device="cpu")
    >>> scorer.log_probabilities(["The cat sat on the mat."])[0].shape
    (7,)
    """

    def __init__(
        self,
        model: str | Path,
        *,
        device: str = "auto",
        dtype: str = "auto",
        max_length: int | None = None,
        stride: int | None = None,
        revision: str | None = None,
    ) -> None:
        self._reader = CausalReader(
            str(model), caller="get_scorer", role="language_model", device=device, dtype=dtype,
            max_length=max_length, stride=stride, revision=revision,
        )  # fmt: skip

    @property
    def signature(self) -> str:
        """Model with its revision or checksum, length, stride and number type."""
        return self._reader.signature

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[Array]:
        """Return the natural log-probability of every token of each text.

        The first is given the tokenizer's beginning-of-text token. Where there is none, as
        with Qwen, and no prompt either, it is not scored.
        """
        found = self._reader.read(texts, prompts, _log_probabilities, 1, on_progress)
        return [values[0] for values in found]


def _log_probabilities(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return (logits.gather(1, tokens[:, None])[:, 0] - logits.logsumexp(dim=1))[None]
