"""A model on one device: rows of tokens in, pooled hidden states out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from mauve.embed.batching import padded
from mauve.embed.packed import can_pack, fuse_activations, layout, use_packed_attention
from mauve.embed.pooling import pool, token_log_probabilities
from mauve.embed.surprisal import ending_statistics

_MOST_TOKENS = 65_536  # of a batch: beyond, a GPU is no faster
_CPU_TOKENS = 4_096


@dataclass(frozen=True)
class Pooled:
    """What a batch gives, still on the device: work may go on while it is computed."""

    hidden: torch.Tensor
    log_probabilities: torch.Tensor | None
    starts: NDArray[np.int64]

    def on_host(self) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Wait for it; returns hidden states and, for surprisal, statistics."""
        hidden = self.hidden.cpu().numpy()
        if self.log_probabilities is None:
            return hidden, None
        every = self.log_probabilities.cpu().numpy()
        # The first token of a text has no probability, unless it is the only one.
        texts = [
            every[min(a + 1, b - 1) : b]
            for a, b in zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        ]
        return hidden, ending_statistics(texts)


@dataclass
class Replica:
    """A model on one device.

    Attributes
    ----------
    model : PreTrainedModel
        With a language-model head where the pooling is "surprisal".
    device : torch.device
    is_causal : bool
        Tokens see only those before them, so padding on the right needs no mask.
    pooling, layer
        See :class:`mauve.embed.transformer.TransformersEmbedder`.
    pad : int
        Token to fill up rows with.
    """

    model: PreTrainedModel
    device: torch.device
    is_causal: bool
    pooling: str
    layer: int
    pad: int

    def __post_init__(self) -> None:
        self.model.eval().requires_grad_(False).to(self.device)  # type: ignore[no-untyped-call]
        if self.packs:
            use_packed_attention(self.model)
            fuse_activations(self.model)

    @cached_property
    def packs(self) -> bool:
        """Whether texts stand one behind another instead of being padded."""
        half = self.model.dtype in (torch.bfloat16, torch.float16)
        if self.device.type != "cuda" or not half or not self.is_causal:
            return False
        # The kernel needs an Ampere card or later, and a build that has it.
        able = torch.cuda.get_device_capability(self.device) >= (8, 0)
        return able and torch.backends.cuda.is_flash_attention_available() and can_pack(self.model)

    @cached_property
    def _body(self) -> torch.nn.Module:
        body: torch.nn.Module = self.model.base_model
        return body

    def token_budget(self) -> int:
        """Return how many tokens of a batch should fit the memory."""
        if self.device.type != "cuda":
            return _CPU_TOKENS
        free, _ = torch.cuda.mem_get_info(self.device)
        width = self.model.config.get_text_config().hidden_size
        # About twenty rows of the model's width are alive at once, the widest layer's included.
        per_token = 20 * width * self.model.dtype.itemsize
        return int(min(_MOST_TOKENS, max(1024, free // 2 // per_token)))

    @torch.inference_mode()
    def states(self, rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.int64]]:
        """Run a batch, and return without waiting for the device.

        Returns
        -------
        states : tensor of shape (tokens, d)
            Of all rows, one behind another.
        flat : tensor of int, shape (tokens,)
            The tokens.
        starts : array of int, shape (rows + 1,)
        """
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        flat = self.sent(np.concatenate([np.asarray(row, dtype=np.int64) for row in rows]))
        if self.packs:
            return self._packed_states(flat, self.sent(starts), lengths), flat, starts
        return self._padded_states(rows, lengths), flat, starts

    @torch.inference_mode()
    def forward(self, rows: list[list[int]]) -> Pooled:
        """Run a batch and pool it, and return without waiting for the device."""
        states, flat, starts = self.states(rows)
        on_device = self.sent(starts)
        if self.pooling != "surprisal":
            return Pooled(pool(states, on_device, self.pooling), None, starts)
        head = self.model.get_output_embeddings()  # type: ignore[no-untyped-call]
        chances = token_log_probabilities(states, flat, head)
        chances[on_device[:-1]] = 0  # or they would depend on the text before
        # The mean leaves out the first token, which stands before every text alike.
        own = states.clone()
        firsts = self.sent(starts[:-1][np.diff(starts) > 1])
        own[firsts] = 0
        total = pool(own, on_device, "mean") * on_device.diff()[:, None]
        return Pooled(total / (on_device.diff()[:, None] - 1).clamp(min=1), chances, starts)

    def _padded_states(self, rows: list[list[int]], lengths: NDArray[np.int64]) -> torch.Tensor:
        ids = self.sent(padded(rows, self.pad))
        real = torch.arange(ids.shape[1], device=self.device) < self.sent(lengths)[:, None]
        mask = None if self.is_causal else real.long()
        return self._states(input_ids=ids, attention_mask=mask)[real]

    def _packed_states(
        self, flat: torch.Tensor, starts: torch.Tensor, lengths: NDArray[np.int64]
    ) -> torch.Tensor:
        sizes = starts.diff()
        places = torch.arange(len(flat), device=self.device)
        positions = places - torch.repeat_interleave(starts[:-1], sizes, output_size=len(flat))
        with layout(starts.int(), int(lengths.max())):
            return self._states(input_ids=flat[None], position_ids=positions[None])[0]

    def _states(self, **inputs: torch.Tensor | None) -> torch.Tensor:
        extra = {"use_cache": False} if self.is_causal else {}
        every = self.layer != -1
        found = self._body(**inputs, **extra, output_hidden_states=every)
        states: torch.Tensor = found.hidden_states[self.layer] if every else found.last_hidden_state
        return states

    def sent(self, values: NDArray[np.int64]) -> torch.Tensor:
        """Send an array to the device."""
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)
