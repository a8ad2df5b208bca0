"""Predict the next token with the bundled model, in NumPy and with a key-value cache.

The graph for ONNX Runtime reads whole texts. To write texts token by token it would read
each text again for every token.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from mauve.arrays import FloatArray
from mauve.embed.bundled import CONTEXT, END_OF_TEXT, MODEL, encoded, tokenizer

_LAYERS, _HEADS, _EPSILON = 4, 4, 1e-5  # as in its config.json


class BundledModel:
    """The bundled model as a :class:`mauve.lm.protocol.CausalModel`.

    The end-of-text token stands before every text, as when the model scores texts. Keys and
    values of the contexts of the last call are kept: those of contexts that go on from one of
    them are not computed again. All is computed in 64 bits, so that what is rounded otherwise in
    another batch does not change a text.

    Examples
    --------
    >>> model = BundledModel()
    >>> [row] = model.next([model.encode("The cat sat on the")])
    >>> row.shape, bool(abs(row.sum() - 1) < 1e-12)
    ((8192,), True)
    """

    end = END_OF_TEXT
    vocabulary_size = 8192

    def __init__(self) -> None:
        self._kept: dict[tuple[int, ...], list[tuple[Any, Any]]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        [ids] = encoded([text])
        return list(ids)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        return str(tokenizer().decode([*tokens]))

    def next(self, contexts: Sequence[Sequence[int]]) -> FloatArray:
        """Return the probabilities of the next token after each context."""
        rows = [(END_OF_TEXT, *context) for context in contexts]
        # Contexts of one length are computed at once, those that go on by one token too.
        groups: dict[tuple[int, bool], list[int]] = {}
        for i, row in enumerate(rows):
            groups.setdefault((len(row), row[:-1] in self._kept), []).append(i)
        kept: dict[tuple[int, ...], list[tuple[Any, Any]]] = {}
        probabilities = np.empty((len(rows), self.vocabulary_size))
        for (length, goes_on), members in groups.items():
            past = [self._kept[rows[i][:-1]] for i in members] if goes_on else None
            start = length - 1 if goes_on else 0
            ids = np.array([rows[i][start:] for i in members])
            states, caches = _forward(ids, past, start)
            logits = states @ _weights()["wte.weight"].T
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            probabilities[members] = powers / powers.sum(axis=1, keepdims=True)
            for k, i in enumerate(members):
                kept[rows[i]] = [(keys[k], values[k]) for keys, values in caches]
        self._kept = kept
        return probabilities


def _forward(
    ids: Any, past: list[list[tuple[Any, Any]]] | None, start: int
) -> tuple[Any, list[tuple[Any, Any]]]:
    """Return the last hidden state of each row, and keys and values of each layer."""
    weights = _weights()
    n, length = ids.shape
    x = weights["wte.weight"][ids] + weights["wpe.weight"][start : start + length]
    head = x.shape[-1] // _HEADS
    hidden = np.triu(np.full((length, start + length), -np.inf), start + 1)
    caches = []
    for layer in range(_LAYERS):
        name = f"h.{layer}"
        qkv = _linear(_norm(x, f"{name}.ln_1"), f"{name}.attn.c_attn")
        q, k, v = (
            part.reshape(n, length, _HEADS, head).transpose(0, 2, 1, 3)
            for part in np.split(qkv, 3, axis=-1)
        )
        if past is not None:
            k = np.concatenate([np.stack([row[layer][0] for row in past]), k], axis=2)
            v = np.concatenate([np.stack([row[layer][1] for row in past]), v], axis=2)
        caches.append((k, v))
        scores = q @ k.swapaxes(2, 3) / head**0.5 + hidden
        powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attended = (powers / powers.sum(axis=-1, keepdims=True)) @ v
        joined = attended.transpose(0, 2, 1, 3).reshape(n, length, -1)
        x = x + _linear(joined, f"{name}.attn.c_proj")
        inner = _gelu(_linear(_norm(x, f"{name}.ln_2"), f"{name}.mlp.c_fc"))
        x = x + _linear(inner, f"{name}.mlp.c_proj")
    return _norm(x[:, -1], "ln_f"), caches


def _linear(x: Any, name: str) -> Any:
    flat = x.reshape(-1, x.shape[-1])
    product = flat @ _weights()[f"{name}.weight"] + _weights()[f"{name}.bias"]
    return product.reshape(*x.shape[:-1], -1)


def _norm(x: Any, name: str) -> Any:
    centred = x - x.mean(axis=-1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + _EPSILON)
    return centred / scale * _weights()[f"{name}.weight"] + _weights()[f"{name}.bias"]


def _gelu(x: Any) -> Any:
    """Return GPT-2's approximation of the Gaussian error linear unit."""
    inner = (2 / np.pi) ** 0.5 * (x + 0.044715 * x * x * x)
    return 0.5 * x * (1 + np.tanh(inner))


@cache
def _weights() -> dict[str, Any]:
    """Return the weights in 64 bits; they have 16 on disk."""
    from safetensors.numpy import load_file

    stored = load_file(MODEL / "model.safetensors")
    return {
        name.removeprefix("transformer."): value.astype(np.float64)
        for name, value in stored.items()
    }


#: Tokens of a prompt and its continuation; the end-of-text token stands before them.
BUNDLED_CONTEXT = CONTEXT - 1
