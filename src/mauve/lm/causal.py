"""Any causal Transformers model as a scorer; needs the ``transformers`` extra."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from mauve.arrays import FloatArray, IntArray
from mauve.embed.batching import encodable, padded, share_out
from mauve.embed.models import (
    check_weights,
    context_length,
    find_devices,
    find_dtype,
    is_causal,
    load_pretrained,
    model_identity,
)
from mauve.embed.protocol import Progress
from mauve.embed.replica import Replica
from mauve.errors import InvalidParameterError
from mauve.lm.scorer import check_texts
from mauve.lm.windows import Window, check_window, windows_of

#: Makes numbers of shape (k, n) of logits, shape (n, vocabulary), and the tokens that came.
Visit = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

#: Logits that are in memory at once: they are many times as large as hidden states.
_CPU_LOGITS, _GPU_LOGITS = 1 << 21, 1 << 25


@dataclass(frozen=True)
class Visited:
    """What came of a batch, still on the device."""

    values: torch.Tensor

    def on_host(self) -> FloatArray:
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

    def _states(self, rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor, IntArray]:
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


_LONGEST = 1 << 20  # for models that do not say how many tokens they read
_BULK = 4096  # texts that are tokenised at a time


class CausalReader:
    """A causal model, its tokenizer, and the windows it reads texts in.

    Parameters
    ----------
    model : str
        Name on the hub, or a folder.
    caller, role : str
        Who asks, and which parameter names the model, for messages.
    device, dtype, max_length, stride, revision
        See :func:`mauve.lm.scorer.get_scorer`.

    Attributes
    ----------
    max_length, stride : int
        Those in use.

    Examples
    --------
    >>> from mauve.embed.bundled import MODEL  # a GPT-2 folder that is there anyway
    >>> reader = CausalReader(str(MODEL), caller="read", role="model", device="cpu")
    >>> greatest = reader.read(["A cat"], None, lambda logits, _: logits.argmax(1)[None], 1)
    >>> greatest[0].shape  # of each token, from what stood before it
    (1, 2)
    """

    def __init__(
        self,
        model: str,
        *,
        caller: str,
        role: str,
        device: str = "auto",
        dtype: str = "auto",
        max_length: int | None = None,
        stride: int | None = None,
        revision: str | None = None,
    ) -> None:
        self.model = model
        self._caller, self._role, self._revision = caller, role, revision
        self._devices = find_devices(device, caller)
        self._dtype = find_dtype(dtype, self._devices[0], caller)
        self._config = load_pretrained(AutoConfig, model, role, revision=revision)
        if not is_causal(self._config):
            raise InvalidParameterError(
                f"The '{role}' parameter of {caller} must be a causal language model, one that "
                f"predicts the next token. Got {model!r} instead, a model of the kind "
                f"{self._config.model_type!r}."
            )
        self._tokenizer = load_pretrained(AutoTokenizer, model, role, revision=revision)
        context = min(context_length(self._config, self._tokenizer), _LONGEST)
        self.max_length, self.stride = check_window(caller, max_length, stride, context)
        self._budget: int | None = None

    @cached_property
    def signature(self) -> str:
        """Model with its revision or checksum, length, stride and number type."""
        commit = getattr(self._config, "_commit_hash", None)
        number = str(self._dtype).removeprefix("torch.")
        parts = [model_identity(self.model, commit), f"{self.max_length}", f"{self.stride}", number]
        return ":".join(parts).replace("|", "_")

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens that have a logit."""
        return self._heads[0].vocabulary_size

    def read(
        self,
        texts: Sequence[str],
        prompts: Sequence[str] | None,
        visit: Visit,
        n_values: int,
        on_progress: Progress | None = None,
    ) -> list[FloatArray]:
        """Return what `visit` makes of the tokens of each text, arrays of shape (n_values, n).

        Prompts are read and not visited, nor is a token that has nothing before it: the
        first one, where the tokenizer has no token for the beginning of a text.
        """
        before = check_texts(self._caller, texts, prompts)
        begin = self._tokenizer.bos_token_id
        start = [] if begin is None else [int(begin)]
        asked, own = self._tokens(before), self._tokens(texts)
        ids = [[*start, *a, *b] for a, b in zip(asked, own, strict=True)]
        firsts = [max(1, len(start) + len(a)) for a in asked]
        parts = windows_of(ids, firsts, self.max_length, self.stride)
        values: dict[int, FloatArray] = {}

        def forward(head: Head, rows: IntArray) -> Visited:
            return head.forward([(ids[parts[k][0]], parts[k][1]) for k in rows], visit)

        def keep(rows: IntArray, found: FloatArray) -> None:
            ends = np.cumsum([parts[k][1].end - parts[k][1].first for k in rows])
            values.update(zip(rows.tolist(), np.split(found, ends[:-1], axis=1), strict=True))
            if on_progress is not None:
                on_progress("scoring", len(values), len(parts))

        if parts:
            lengths = np.array([window.end - window.start for _, window in parts], dtype=np.int64)
            budget = self._budget or min(head.token_budget() for head in self._heads)
            self._budget = share_out(
                lengths, self._heads, forward, keep, budget=budget, too_long=self._too_long
            )
        found: list[list[FloatArray]] = [[np.empty((n_values, 0))] for _ in texts]
        for k, (i, _) in enumerate(parts):
            found[i].append(values[k])
        joined = [np.concatenate(own, axis=1) for own in found]
        if any(np.isnan(own).any() for own in joined):
            raise InvalidParameterError(
                f"The 'dtype' parameter of {self._caller} must be wide enough for the model "
                f"{self.model!r}. Got {str(self._dtype).removeprefix('torch.')}, in which its "
                "probabilities are not numbers: use 'bfloat16' or 'float32'."
            )
        return joined

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        found: list[list[int]] = []
        for start in range(0, len(texts), _BULK):
            part = encodable(texts[start : start + _BULK])
            found += self._tokenizer(
                part, add_special_tokens=False, return_attention_mask=False, verbose=False
            )["input_ids"]
        return found

    def _too_long(self, n_tokens: int) -> InvalidParameterError:
        return InvalidParameterError(
            f"The 'max_length' parameter of {self._caller} must be such that one text fits the "
            f"memory. Got {self.max_length}, and a window of {n_tokens} tokens does not fit: use "
            "a smaller one, or another device."
        )

    @cached_property
    def _heads(self) -> list[Head]:
        model, report = load_pretrained(
            AutoModelForCausalLM, self.model, self._role,
            revision=self._revision, dtype=self._dtype, output_loading_info=True,
        )  # fmt: skip
        check_weights([*report["missing_keys"]], self.model, self._role)
        # Before the first is moved: a GPU may have no room for two.
        copies = [model, *(copy.deepcopy(model) for _ in self._devices[1:])]
        return [Head(own, device) for own, device in zip(copies, self._devices, strict=True)]


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
    ) -> list[FloatArray]:
        """Return the natural log-probability of every token of each text.

        The first is given the tokenizer's beginning-of-text token. Where there is none, as
        with Qwen, and no prompt either, it is not scored.
        """
        found = self._reader.read(texts, prompts, _log_probabilities, 1, on_progress)
        return [values[0] for values in found]


def _log_probabilities(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return (logits.gather(1, tokens[:, None])[:, 0] - logits.logsumexp(dim=1))[None]
