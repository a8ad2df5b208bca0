"""Texts one behind another in a single row, each attending to itself alone.

No token is spent on padding, and no mask is read: the attention kernel is told where each
text begins. It is registered with Transformers as an attention of its own, so any model
that lets its attention be chosen, and looks at other tokens in no other way, can run packed.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch.nn import functional
from transformers import AttentionInterface, PreTrainedModel
from transformers.activations import NewGELUActivation

NAME = "mauve_packed"

#: Settings under which attention is more than what `packed_attention` computes.
_ODD = (
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
        Running sum of the lengths, from 0.
    longest : int
    """

    starts: torch.Tensor
    longest: int


_current = threading.local()  # one forward pass a thread, and a thread for each GPU


@contextmanager
def layout(starts: torch.Tensor, longest: int) -> Iterator[None]:
    """Say where the texts begin, for the forward pass inside."""
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
    """Causal attention within each text; tensors of shape (1, heads, tokens, width)."""
    here: Layout = _current.layout
    q, k, v = (x[0].transpose(0, 1) for x in (query, key, value))  # (tokens, heads, width)
    if q.is_cuda:
        out = torch.ops.aten._flash_attention_forward(
            q, k, v, here.starts, here.starts, here.longest, here.longest,
            0.0, True, False, scale=scaling,
        )[0]  # fmt: skip
    else:
        out = _one_by_one(q, k, v, here, scaling)
    return out.unsqueeze(0), None


def _one_by_one(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, here: Layout, scaling: float | None
) -> torch.Tensor:
    """Do the same without the kernel, which only GPUs have."""
    starts = here.starts.tolist()
    parts = []
    for start, end in pairwise(starts):
        heads_first = [x[start:end].transpose(0, 1).unsqueeze(0) for x in (q, k, v)]
        own = functional.scaled_dot_product_attention(
            heads_first[0], heads_first[1], heads_first[2],
            is_causal=True, scale=scaling, enable_gqa=q.shape[1] != k.shape[1],
        )  # fmt: skip
        parts.append(own[0].transpose(0, 1))
    return torch.cat(parts)


def can_pack(model: PreTrainedModel) -> bool:
    """Return whether a causal model's attention may be replaced by the packed one."""
    config = model.config
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if (
        not getattr(model, "_supports_attention_backend", False)
        or getattr(model, "_is_stateful", False)
        or kinds != {"full_attention"}  # others carry a state from one text to the next
        or any(getattr(config, odd, None) for odd in _ODD)
    ):
        return False
    heads = getattr(config, "num_attention_heads", 0)
    width = getattr(config, "head_dim", None) or (config.hidden_size // heads if heads else 0)
    return 0 < width <= 256 and width % 8 == 0


def use_packed_attention(model: PreTrainedModel) -> None:
    """Make a model attend within the texts of the current layout."""
    AttentionInterface.register(NAME, packed_attention)
    model.set_attn_implementation(NAME)


def fuse_activations(model: torch.nn.Module) -> None:
    """Put one kernel in the place of the eight that GPT-2's activation is written with."""
    for module in model.modules():
        for name, child in module.named_children():
            if isinstance(child, NewGELUActivation):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))
