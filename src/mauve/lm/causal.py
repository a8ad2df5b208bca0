"""Score texts with any causal Transformers model; needs the ``transformers`` extra."""

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
from mauve.calls import either, parameter
from mauve.embed.batching import encodable_parts, padded, run_batches
from mauve.embed.models import (
    check_weights,
    context_length,
    find_devices,
    find_dtype,
    is_causal,
    load_pretrained,
    model_identity,
)
from mauve.embed.replica import Replica
from mauve.errors import InvalidParameterError, check_int
from mauve.lm.protocol import Window, check_window, checked_prompts, windows_of
from mauve.progress import Progress

#: Reduces logits, shape (n, vocabulary), and the tokens of the text at these positions,
#: shape (n,), to k numbers for each token, shape (k, n).
LogitReduction = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

#: Logits in memory at once by default: they are many times as large as hidden states.
_CPU_LOGITS, _GPU_LOGITS = 1 << 21, 1 << 25

_MAX_CONTEXT = 1 << 20  # tokens, for models that do not say how many they read


class TransformersScorer:
    """Log-probabilities of tokens from a causal Transformers model.

    Parameters
    ----------
    model : str or Path
    device, dtype, max_length, stride, revision
        See :func:`mauve.lm.scorer.get_scorer`.
    token_budget, logit_budget : int, optional
        See :class:`CausalReader`.

    Examples
    --------
    >>> from mauve.embed.bundled import MODEL  # a GPT-2 folder that comes with the package
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
        token_budget: int | None = None,
        logit_budget: int | None = None,
    ) -> None:
        role = either("language_model", "spec", "model")
        self._reader = CausalReader(
            str(model), role=role, device=device, dtype=dtype,
            max_length=max_length, stride=stride, revision=revision,
            token_budget=token_budget, logit_budget=logit_budget,
        )  # fmt: skip
        self._has_beginning = True

    def without_beginning(self) -> "TransformersScorer":
        """Return a scorer with the same model that reads texts without the token before them."""
        bare = copy.copy(self)
        bare._has_beginning = False
        return bare

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

        The first token is conditioned on the tokenizer's beginning-of-text token. Where the
        tokenizer has none, as that of Qwen, the first token of a text without a prompt is
        not scored.
        """
        values = self._reader.read(
            texts, prompts, _token_log_probabilities, 1, on_progress, beginning=self._has_beginning
        )
        return [text_values[0] for text_values in values]


def _token_log_probabilities(logits: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    return (logits.gather(1, tokens[:, None])[:, 0] - logits.logsumexp(dim=1))[None]


class CausalReader:
    """A causal model, its tokenizer, and the windows in which it reads texts.

    Parameters
    ----------
    model : str
        Name on the hub, or a folder.
    role : str
        The parameter that names the model, for messages.
    device, dtype, max_length, stride, revision
        See :func:`mauve.lm.scorer.get_scorer`.
    token_budget : int, optional
        Tokens of a batch at most, by default as many as should fit the memory. A batch that
        does not fit is halved.
    logit_budget : int, optional
        Logits that are in memory at once; by default 2^25 on a GPU and 2^21 elsewhere.

    Attributes
    ----------
    max_length, stride : int
        Those in use.

    Examples
    --------
    >>> from mauve.embed.bundled import MODEL  # a GPT-2 folder that comes with the package
    >>> reader = CausalReader(str(MODEL), role="model", device="cpu")
    >>> predicted = reader.read(["A cat"], None, lambda logits, _: logits.argmax(1)[None], 1)
    >>> predicted[0].shape  # one prediction for each of the two tokens
    (1, 2)
    """

    def __init__(
        self,
        model: str,
        *,
        role: str,
        device: str = "auto",
        dtype: str = "auto",
        max_length: int | None = None,
        stride: int | None = None,
        revision: str | None = None,
        token_budget: int | None = None,
        logit_budget: int | None = None,
    ) -> None:
        for name, value in (("token_budget", token_budget), ("logit_budget", logit_budget)):
            if value is not None:
                check_int(name, value, 1)
        self.model = model
        self._role, self._revision = role, revision
        self._token_budget, self._logit_budget = token_budget, logit_budget
        self._devices = find_devices(device)
        self._dtype = find_dtype(dtype, self._devices[0])
        self._config = load_pretrained(AutoConfig, model, role, revision=revision)
        if not is_causal(self._config):
            raise InvalidParameterError(
                f"{parameter(role)} must be a causal language model, one that "
                f"predicts the next token. Got {model!r} instead, a model of the kind "
                f"{self._config.model_type!r}."
            )
        self._tokenizer = load_pretrained(AutoTokenizer, model, role, revision=revision)
        context = min(context_length(self._config, self._tokenizer), _MAX_CONTEXT)
        self.max_length, self.stride = check_window(max_length, stride, context)

    @cached_property
    def signature(self) -> str:
        """Model with its revision or checksum, length, stride and number type."""
        commit = getattr(self._config, "_commit_hash", None)
        identity = model_identity(self.model, commit)
        parts = [identity, f"{self.max_length}", f"{self.stride}", self._dtype_name]
        return ":".join(parts).replace("|", "_")

    @property
    def vocabulary_size(self) -> int:
        """Number of tokens that have a logit."""
        return self._replicas[0].vocabulary_size

    def read(
        self,
        texts: Sequence[str],
        prompts: Sequence[str] | None,
        reduction: LogitReduction,
        n_values: int,
        on_progress: Progress | None = None,
        *,
        beginning: bool = True,
    ) -> list[FloatArray]:
        """Reduce the logits before each token of each text to `n_values` numbers.

        Prompts are read as context only. A token with nothing before it has no logits and is
        left out: the first token, where the tokenizer has no beginning-of-text token, or where
        `beginning` is False.

        Returns
        -------
        list of array of float, shape (n_values, n_tokens)
        """
        token = self._tokenizer.bos_token_id if beginning else None
        before = [] if token is None else [int(token)]
        prompt_ids = self._tokenise(checked_prompts(texts, prompts))
        text_ids = self._tokenise(texts)
        ids = [[*before, *p, *t] for p, t in zip(prompt_ids, text_ids, strict=True)]
        firsts = [max(1, len(before) + len(prompt)) for prompt in prompt_ids]
        windows = windows_of(ids, firsts, self.max_length, self.stride)
        window_values = self._read_windows(ids, windows, reduction, on_progress)
        parts: list[list[FloatArray]] = [[np.empty((n_values, 0))] for _ in texts]
        for (i, _), values in zip(windows, window_values, strict=True):
            parts[i].append(values)
        text_values = [np.concatenate(text_parts, axis=1) for text_parts in parts]
        if any(np.isnan(values).any() for values in text_values):
            raise InvalidParameterError(
                f"{parameter('dtype')} must be wide enough for the model "
                f"{self.model!r}. Got {self._dtype_name}, in which its "
                "probabilities are not numbers: use 'bfloat16' or 'float32'."
            )
        return text_values

    def _read_windows(
        self,
        ids: list[list[int]],
        windows: list[tuple[int, Window]],
        reduction: LogitReduction,
        on_progress: Progress | None,
    ) -> list[FloatArray]:
        """Return the values of each window, computed in batches on all devices."""
        if not windows:
            return []
        values: dict[int, FloatArray] = {}

        def forward(replica: CausalReplica, rows: IntArray) -> BatchValues:
            batch = [windows[row] for row in rows]
            return replica.forward([(ids[i], window) for i, window in batch], reduction)

        def keep(rows: IntArray, batch_values: FloatArray) -> None:
            ends = np.cumsum([windows[row][1].end - windows[row][1].first for row in rows])
            parts = np.split(batch_values, ends[:-1], axis=1)
            values.update(zip(rows.tolist(), parts, strict=True))
            if on_progress is not None:
                on_progress("scoring", len(values), len(windows))

        lengths = np.array([window.end - window.start for _, window in windows], dtype=np.int64)
        budget = self._token_budget or min(each.token_budget() for each in self._replicas)
        self._token_budget = run_batches(
            lengths, self._replicas, forward, keep, budget=budget, too_long=self._too_long
        )
        return [values[row] for row in range(len(windows))]

    def _tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        ids: list[list[int]] = []
        for part in encodable_parts(texts):
            ids += self._tokenizer(
                part, add_special_tokens=False, return_attention_mask=False, verbose=False
            )["input_ids"]
        return ids

    def _too_long(self, n_tokens: int) -> InvalidParameterError:
        return InvalidParameterError(
            f"{parameter('max_length')} must be such that one text fits the "
            f"memory. Got {self.max_length}, and a window of {n_tokens} tokens does not fit: use "
            "a smaller one, or another device."
        )

    @property
    def _dtype_name(self) -> str:
        return str(self._dtype).removeprefix("torch.")

    @cached_property
    def _replicas(self) -> "list[CausalReplica]":
        model, report = load_pretrained(
            AutoModelForCausalLM, self.model, self._role,
            revision=self._revision, dtype=self._dtype, output_loading_info=True,
        )  # fmt: skip
        check_weights([*report["missing_keys"]], self.model, self._role)
        # All copies are made on the CPU: a GPU may have no room for two.
        copies = [model, *(copy.deepcopy(model) for _ in self._devices[1:])]
        return [
            CausalReplica(each, device, self._logit_budget)
            for each, device in zip(copies, self._devices, strict=True)
        ]


@dataclass(frozen=True)
class BatchValues:
    """The values of a batch, still on the device: work may go on while they are computed."""

    values: torch.Tensor

    def on_host(self) -> FloatArray:
        """Wait for the values and return them, shape (k, n)."""
        return self.values.cpu().numpy().astype(np.float64, copy=False)


class CausalReplica:
    """A causal model on one device.

    Parameters
    ----------
    model : PreTrainedModel
        With a language-model head, still on the CPU.
    device : torch.device
    logit_budget : int, optional
        Logits that are in memory at once.

    Attributes
    ----------
    vocabulary_size : int
        Logits of a position.
    """

    def __init__(
        self, model: PreTrainedModel, device: torch.device, logit_budget: int | None = None
    ) -> None:
        model.eval().requires_grad_(False)  # type: ignore[no-untyped-call]
        self._is_linear, self.vocabulary_size = probe_head(model)
        # Texts are packed only where the head can be called apart from the model.
        self._replica = Replica(model, device, self._is_linear, "last", -1, 0)
        budget = logit_budget or (_GPU_LOGITS if device.type == "cuda" else _CPU_LOGITS)
        self._n_at_once = max(1, budget // self.vocabulary_size)  # positions

    def token_budget(self) -> int:
        """Return how many tokens of a batch should fit the memory."""
        budget = self._replica.token_budget()
        return budget if self._is_linear else min(budget, 4 * self._n_at_once)

    @torch.inference_mode()
    def forward(
        self, batch: list[tuple[list[int], Window]], reduction: LogitReduction
    ) -> BatchValues:
        """Run a batch, and return without waiting for the device."""
        rows = [ids[window.start : window.end] for ids, window in batch]
        states, flat_ids, starts = self._states(rows)
        scored = [
            np.arange(window.first, window.end) + start - window.start
            for start, (_, window) in zip(starts, batch, strict=False)
        ]
        positions = self._replica.sent(np.concatenate(scored))
        parts = [
            reduction(self._logits(states[part - 1]), flat_ids[part])
            for part in torch.split(positions, self._n_at_once)
        ]
        return BatchValues(torch.cat(parts, dim=1))

    def _states(self, rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor, IntArray]:
        """Return hidden states, or logits where the head is not linear, as `Replica.states`."""
        if self._is_linear:
            return self._replica.states(rows)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        ids = self._replica.sent(padded(rows, self._replica.pad))
        columns = torch.arange(ids.shape[1], device=ids.device)
        is_token = columns < self._replica.sent(lengths)[:, None]
        logits = self._replica.model(input_ids=ids, use_cache=False).logits
        return logits[is_token], ids[is_token], np.concatenate([[0], np.cumsum(lengths)])

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        """Return logits in float32 (or float64)."""
        if not self._is_linear:
            return states if states.dtype == torch.float64 else states.float()
        weight, bias = self._wide_head
        return torch.nn.functional.linear(states.to(weight.dtype), weight, bias)

    @cached_property
    def _wide_head(self) -> tuple[torch.Tensor, torch.Tensor | None]:
        return wide_head(self._replica.model)


def wide_head(model: PreTrainedModel) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the weight and bias of the language-model head in float32 (or float64)."""
    # Logits of GPT-2 are about -100, where numbers of bfloat16 are half a unit apart.
    head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    dtype = torch.promote_types(head.weight.dtype, torch.float32)
    return head.weight.to(dtype), None if head.bias is None else head.bias.to(dtype)


@torch.inference_mode()
def probe_head(model: PreTrainedModel) -> tuple[bool, int]:
    """Return whether logits are the head applied to hidden states, and the vocabulary size.

    Some models scale or cap logits after the head, each under another name in its
    configuration, so both ways are computed and compared.
    """
    ids = torch.arange(2)[None]
    logits: torch.Tensor = model(input_ids=ids, use_cache=False).logits
    head: Any = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    if type(head) is not torch.nn.Linear or model.base_model is model:
        return False, logits.shape[-1]
    states = model.base_model(input_ids=ids, use_cache=False).last_hidden_state
    return torch.equal(head(states), logits), logits.shape[-1]
