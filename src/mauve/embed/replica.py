"""Run a Transformers model on one device: from rows of tokens to pooled hidden states.

On a GPU the texts of a batch are packed, one after another without padding, if the attention of
the model can be replaced by :func:`packed_attention`; otherwise they are padded.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.nn import functional
from transformers import AttentionInterface, PreTrainedModel
from transformers.activations import NewGELUActivation

from mauve.arrays import Features, IntArray
from mauve.embed.batching import padded
from mauve.embed.float8 import use_float8
from mauve.embed.pooling import ending_statistics, pool, token_log_probabilities

PACKED_ATTENTION = "mauve_packed"  # its name in Transformers

#: Settings of a configuration that change attention in ways `packed_attention` does not compute.
_UNSUPPORTED = (
    "sliding_window",
    "reorder_and_upcast_attn",
    "scale_attn_by_inverse_layer_idx",
    "attn_logit_softcapping",
    "v_head_dim",
)


@dataclass(frozen=True)
class Layout:
    """Where the texts of a packed row begin.

    Attributes
    ----------
    starts : tensor of int32, shape (n_texts + 1,)
        Cumulative sum of the lengths, from 0.
    longest : int
    """

    starts: torch.Tensor
    longest: int


_current = threading.local()  # one forward pass a thread, and a thread for each GPU


@contextmanager
def layout(starts: torch.Tensor, longest: int) -> Iterator[None]:
    """Set the layout of the forward passes inside."""
    _current.layout = Layout(starts, longest)
    try:
        yield
    finally:
        del _current.layout


def packed_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Return causal attention within each text; tensors of shape (1, heads, tokens, width)."""
    current: Layout = _current.layout
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))  # (tokens, heads, width)
    if q.is_cuda:
        out = torch.ops.aten._flash_attention_forward(
            q, k, v, current.starts, current.starts, current.longest, current.longest,
            0.0, True, False, scale=scaling,
        )[0]  # fmt: skip
    else:
        out = _attention_by_text(q, k, v, current.starts, scaling)
    return out.unsqueeze(0), None


def _attention_by_text(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, starts: torch.Tensor, scaling: float | None
) -> torch.Tensor:
    """Return causal attention, computed text by text without the kernel of GPUs."""
    parts = []
    for start, end in pairwise(starts.tolist()):
        heads_first = [x[start:end].transpose(0, 1).unsqueeze(0) for x in (q, k, v)]
        attended = functional.scaled_dot_product_attention(
            heads_first[0], heads_first[1], heads_first[2],
            is_causal=True, scale=scaling, enable_gqa=q.shape[1] != k.shape[1],
        )  # fmt: skip
        parts.append(attended[0].transpose(0, 1))
    return torch.cat(parts)


def can_pack(model: PreTrainedModel) -> bool:
    """Return whether a causal model's attention may be replaced by the packed one."""
    config = model.config
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if (
        not getattr(model, "_supports_attention_backend", False)
        or getattr(model, "_is_stateful", False)
        or kinds != {"full_attention"}  # others carry a state from one text to the next
        or any(getattr(config, setting, None) for setting in _UNSUPPORTED)
    ):
        return False
    heads = getattr(config, "num_attention_heads", 0)
    width = getattr(config, "head_dim", None) or (config.hidden_size // heads if heads else 0)
    return 0 < width <= 256 and width % 8 == 0


def use_packed_attention(model: PreTrainedModel) -> None:
    """Make a model attend within the texts of the current layout."""
    AttentionInterface.register(PACKED_ATTENTION, packed_attention)
    model.set_attn_implementation(PACKED_ATTENTION)


def fuse_activations(model: torch.nn.Module) -> None:
    """Replace GPT-2's activation, written as eight kernels, by one kernel."""
    for module in model.modules():
        for name, child in module.named_children():
            if isinstance(child, NewGELUActivation):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))


@dataclass(frozen=True)
class Pooled:
    """Pooled states of a batch, possibly still being computed on the device."""

    hidden: torch.Tensor
    log_probabilities: torch.Tensor | None
    starts: IntArray

    def on_host(self) -> tuple[Features, Features | None]:
        """Wait for the device; return hidden states and, for surprisal, statistics."""
        hidden = self.hidden.cpu().numpy()
        if self.log_probabilities is None:
            return hidden, None
        values = self.log_probabilities.cpu().numpy()
        # The first token of a text has no probability, unless it is the only one.
        by_text = [values[min(a + 1, b - 1) : b] for a, b in pairwise(self.starts.tolist())]
        return hidden, ending_statistics(by_text)


@dataclass
class Replica:
    """A model on one device.

    Attributes
    ----------
    model : PreTrainedModel
        With a language-model head if the pooling is "surprisal".
    device : torch.device
    is_causal : bool
        Tokens attend only to those before them, so padding on the right needs no mask.
    pooling, layer
        See :class:`mauve.embed.transformers.TransformersEmbedder`.
    pad : int
        Token for padding.
    is_float8 : bool
        Compute the products of a model in bfloat16 with 8-bit floats.
    """

    model: PreTrainedModel
    device: torch.device
    is_causal: bool
    pooling: str
    layer: int
    pad: int
    is_float8: bool = False

    def __post_init__(self) -> None:
        self.model.eval().requires_grad_(False).to(self.device)  # type: ignore[no-untyped-call]
        if self.is_float8:
            use_float8(self.model)
        if self.packs:
            use_packed_attention(self.model)
            fuse_activations(self.model)

    @cached_property
    def packs(self) -> bool:
        """Whether texts are packed instead of padded."""
        is_half = self.model.dtype in (torch.bfloat16, torch.float16)
        if self.device.type != "cuda" or not is_half or not self.is_causal:
            return False
        # The kernel needs an Ampere card or later, and a build that has it.
        is_ampere = torch.cuda.get_device_capability(self.device) >= (8, 0)
        has_kernel = is_ampere and torch.backends.cuda.is_flash_attention_available()
        return has_kernel and can_pack(self.model)

    @cached_property
    def _body(self) -> torch.nn.Module:
        body: torch.nn.Module = self.model.base_model
        return body

    def token_budget(self, *, on_cpu: int = 4_096, on_gpu: int = 65_536) -> int:
        """Return how many tokens of a batch should fit the memory.

        Parameters
        ----------
        on_cpu : int
            Always, on a device that is no GPU.
        on_gpu : int
            At most; a GPU is no faster with more.
        """
        if self.device.type != "cuda":
            return on_cpu
        free, _ = torch.cuda.mem_get_info(self.device)
        width = self.model.config.get_text_config().hidden_size
        # About twenty rows of the model's width are alive at once, the widest layer included.
        per_token = 20 * width * self.model.dtype.itemsize
        return int(min(on_gpu, max(1024, free // 2 // per_token)))

    @torch.inference_mode()
    def states(self, rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor, IntArray]:
        """Run a batch, and return without waiting for the device.

        Returns
        -------
        states : tensor of shape (tokens, d)
            Of all rows, one row after another.
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
        log_probabilities = token_log_probabilities(states, flat, head)
        log_probabilities[on_device[:-1]] = 0  # or they would depend on the text before
        # The mean leaves out the first token, which is the same in every text.
        without_first = states.clone()
        without_first[self.sent(starts[:-1][np.diff(starts) > 1])] = 0
        lengths = on_device.diff()[:, None]
        total = pool(without_first, on_device, "mean") * lengths
        return Pooled(total / (lengths - 1).clamp(min=1), log_probabilities, starts)

    def _padded_states(self, rows: list[list[int]], lengths: IntArray) -> torch.Tensor:
        ids = self.sent(padded(rows, self.pad))
        is_token = torch.arange(ids.shape[1], device=self.device) < self.sent(lengths)[:, None]
        mask = None if self.is_causal else is_token.long()
        return self._states(input_ids=ids, attention_mask=mask)[is_token]

    def _packed_states(
        self, flat: torch.Tensor, starts: torch.Tensor, lengths: IntArray
    ) -> torch.Tensor:
        sizes = starts.diff()
        places = torch.arange(len(flat), device=self.device)
        positions = places - torch.repeat_interleave(starts[:-1], sizes, output_size=len(flat))
        with layout(starts.int(), int(lengths.max())):
            return self._states(input_ids=flat[None], position_ids=positions[None])[0]

    def _states(self, **inputs: torch.Tensor | None) -> torch.Tensor:
        extra = {"use_cache": False} if self.is_causal else {}
        is_inner = self.layer != -1
        output = self._body(**inputs, **extra, output_hidden_states=is_inner)
        states: torch.Tensor = (
            output.hidden_states[self.layer] if is_inner else output.last_hidden_state
        )
        return states

    def sent(self, values: IntArray) -> torch.Tensor:
        """Send an array to the device."""
        tensor = torch.from_numpy(np.ascontiguousarray(values))
        if self.device.type != "cuda":
            return tensor.to(self.device)
        return tensor.pin_memory().to(self.device, non_blocking=True)
