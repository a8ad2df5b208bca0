"""A causal model on one device: windows of tokens in, what is made of their logits out."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from mauve.embed.batching import padded
from mauve.embed.replica import Replica
from mauve.lm.windows import Window

#: Makes numbers of shape (k, n) of logits, shape (n, vocabulary), and the tokens that came.
Visit = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

#: Logits that are in memory at once: they are many times as large as hidden states.
_CPU_LOGITS, _GPU_LOGITS = 1 << 21, 1 << 25


@dataclass(frozen=True)
class Visited:
    """What came of a batch, still on the device."""

    values: torch.Tensor

    def on_host(self) -> NDArray[np.float64]:
        """Wait for it; an array of shape (k, n)."""
        return self.values.cpu().numpy().astype(np.float64, copy=False)


class Head:
    """A causal model on one device.

    Parameters
    ----------
    model : PreTrainedModel
        With a language-model head, still on the CPU.
    device : torch.device

    Attributes
    ----------
    vocabulary_size : int
        Logits of a position.
    """

    def __init__(self, model: PreTrainedModel, device: torch.device) -> None:
        model.eval().requires_grad_(False)  # type: ignore[no-untyped-call]
        self._plain, self.vocabulary_size = _tried(model)
        # Texts are packed only where the head is ours to call.
        self._replica = Replica(model, device, self._plain, "last", -1, 0)
        at_once = _GPU_LOGITS if device.type == "cuda" else _CPU_LOGITS
        self._n_at_once = max(1, at_once // self.vocabulary_size)

    def token_budget(self) -> int:
        """Return how many tokens of a batch should fit the memory."""
        budget = self._replica.token_budget()
        return budget if self._plain else min(budget, 4 * self._n_at_once)

    @torch.inference_mode()
    def forward(self, batch: list[tuple[list[int], Window]], visit: Visit) -> Visited:
        """Run a batch, and return without waiting for the device."""
        rows = [ids[window.start : window.end] for ids, window in batch]
        states, flat, starts = self._states(rows)
        scored = [
            np.arange(window.first, window.end) + start - window.start
            for start, (_, window) in zip(starts, batch, strict=False)
        ]
        places = self._replica.sent(np.concatenate(scored))
        parts = [
            visit(self._logits(states[part - 1]), flat[part])
            for part in torch.split(places, self._n_at_once)
        ]
        return Visited(torch.cat(parts, dim=1))

    def _states(
        self, rows: list[list[int]]
    ) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.int64]]:
        """Return hidden states, or logits where the head alone would not give them."""
        if self._plain:
            return self._replica.states(rows)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        ids = self._replica.sent(padded(rows, self._replica.pad))
        columns = torch.arange(ids.shape[1], device=ids.device)
        real = columns < self._replica.sent(lengths)[:, None]
        logits = self._replica.model(input_ids=ids, use_cache=False).logits
        return logits[real], ids[real], np.concatenate([[0], np.cumsum(lengths)])

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        """Return logits in float32 (or float64)."""
        if not self._plain:
            return states if states.dtype == torch.float64 else states.float()
        weight, bias = self._wide
        return torch.nn.functional.linear(states.to(weight.dtype), weight, bias)

    @cached_property
    def _wide(self) -> tuple[torch.Tensor, torch.Tensor | None]:
        # Logits of GPT-2 are about -100, where numbers of bfloat16 are half a unit apart.
        head: Any = self._replica.model.get_output_embeddings()  # type: ignore[no-untyped-call]
        dtype = torch.promote_types(head.weight.dtype, torch.float32)
        return head.weight.to(dtype), None if head.bias is None else head.bias.to(dtype)


@torch.inference_mode()
def _tried(model: PreTrainedModel) -> tuple[bool, int]:
    """Return whether logits are what the head makes of hidden states, and how many there are.

    Some models scale or cap logits behind the head, under a dozen names: so it is tried.
    """
    ids = torch.arange(2)[None]
    logits: torch.Tensor = model(input_ids=ids, use_cache=False).logits
    head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    if type(head) is not torch.nn.Linear or model.base_model is model:
        return False, logits.shape[-1]
    states = model.base_model(input_ids=ids, use_cache=False).last_hidden_state
    return torch.equal(head(states), logits), logits.shape[-1]
