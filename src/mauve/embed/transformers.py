"""Embed texts with any Transformers model: a name on the hub, or a local folder."""

import copy
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from transformers import AutoConfig, AutoModel, AutoModelForCausalLM, AutoTokenizer

from mauve.arrays import Features, IntArray
from mauve.calls import option, parameter
from mauve.embed.batching import encodable_parts, run_batches
from mauve.embed.float8 import check_float8
from mauve.embed.model_card import card_languages
from mauve.embed.models import (
    check_weights,
    context_length,
    find_devices,
    find_dtype,
    is_causal,
    load_pretrained,
    model_identity,
)
from mauve.embed.pooling import FeatureScaling, surprisal_features
from mauve.embed.protocol import EMBEDDER_DTYPES, POOLINGS, Embedded, embedder_parameter
from mauve.embed.reading import Reading
from mauve.embed.replica import Pooled, Replica
from mauve.errors import InvalidParameterError, bad_parameter, check_choice, check_int
from mauve.progress import Progress

DEFAULT_LENGTH = 1024


class TransformersEmbedder:
    """Hidden states of a Transformers model, pooled to one row a text.

    Parameters
    ----------
    model : str or Path
        Name on the hub, or a folder.
    pooling : {"last", "mean", "max", "cls", "surprisal"}, optional
        Hidden state of the last token (the paper's, and the default for causal models), mean
        (the default for others), maximum, or first; or, for causal models, the mean joined
        with statistics of the token log-probabilities.
    layer : int
        Which hidden states, as Transformers numbers them: 0 the embeddings, -1 the last layer.
    max_length : int, optional
        Tokens to read of a text; 1,024 or the model's context, whichever is less.
    dtype : {"auto", "float32", "bfloat16", "float16", "float64", "float8"}
        By default sixteen bits on a GPU, thirty-two elsewhere. "float8" computes the products of
        states and weights with 8 bits and all else in bfloat16, on GPUs that can.
    device : str
        "auto", "cpu", "cuda", "cuda:1", "mps", or several with commas, which share the batches.
    revision : str, optional
        Commit, tag or branch on the hub.
    trust_remote_code : bool
        Run code that comes with the model.
    token_budget : int, optional
        Most tokens of a batch; by default as many as should fit the memory. The attribute of
        this name is reduced while embedding if the memory runs out.

    Examples
    --------
    >>> from mauve.embed.bundled import MODEL  # a GPT-2 folder that comes with the package
    >>> embedder = TransformersEmbedder(MODEL, device="cpu")
    >>> embedder.embed(["The cat sat on the mat."]).features.shape
    (1, 128)
    """

    def __init__(
        self,
        model: str | Path,
        *,
        pooling: str | None = None,
        layer: int = -1,
        max_length: int | None = None,
        dtype: str = "auto",
        device: str = "auto",
        revision: str | None = None,
        trust_remote_code: bool = False,
        token_budget: int | None = None,
    ) -> None:
        self.model = str(model)
        self._source = {"revision": revision, "trust_remote_code": trust_remote_code}
        self._devices = find_devices(device)
        self._is_float8 = check_choice("dtype", dtype, EMBEDDER_DTYPES) == "float8"
        self._dtype = find_dtype("bfloat16" if self._is_float8 else dtype, self._devices[0])
        self._config = self._load(AutoConfig)
        self._is_causal = is_causal(self._config)
        if self._is_float8 and not self._is_causal:  # T5 asks its layers for their number type
            raise bad_parameter("dtype", "another one for a model that is not causal", dtype)
        for each in self._devices if self._is_float8 else ():
            check_float8(each)
        self._tokenizer = self._load(AutoTokenizer)
        self._tokenizer.truncation_side = "right"  # features are of the beginnings of texts
        if pooling is None:
            pooling = "last" if self._is_causal else "mean"
        self.pooling = check_choice("pooling", pooling, POOLINGS)
        n_layers = int(getattr(self._config.get_text_config(), "num_hidden_layers", 0))
        self.layer = check_int(
            "layer", layer, -n_layers - 1, n_layers, f"the model has {n_layers} layers"
        )
        if self.layer in (n_layers, -1):
            self.layer = -1
        if self.pooling == "surprisal":
            self._check_surprisal()
        context = context_length(self._config, self._tokenizer)
        if max_length is not None:
            check_int("max_length", max_length, 2)
        self.max_length = min(max_length or DEFAULT_LENGTH, context)
        if token_budget is not None:
            check_int("token_budget", token_budget, 1)
        self.token_budget = token_budget

    @cached_property
    def reads(self) -> Reading:
        """Languages by its model card, if there is one, and most tokens of a text."""
        commit = getattr(self._config, "_commit_hash", None)
        languages, has_code = card_languages(self.model, commit)
        return Reading(languages, None, self.max_length, has_code or None)

    @cached_property
    def signature(self) -> str:
        """Model with its revision or checksum, pooling, layer, length and number type."""
        commit = getattr(self._config, "_commit_hash", None)
        number = "float8" if self._is_float8 else str(self._dtype).removeprefix("torch.")
        parts = [model_identity(self.model, commit), self.pooling, f"layer{self.layer}"]
        parts += [str(self.max_length), number]
        if self._source["trust_remote_code"]:  # other code may give other features
            parts.append("remote-code")
        return ":".join(parts).replace("|", "_")

    def embed(self, texts: Sequence[str], on_progress: Progress | None = None) -> Embedded:
        """Return the features of texts."""
        ids: list[list[int]] = []
        truncated: list[bool] = []
        for part in encodable_parts(texts):
            self._tokenise(part, ids, truncated)
        features = self.embed_tokens(ids, on_progress)
        # A token that is put before a text here is not counted.
        n_tokens = np.array([len(row) - len(self._before) for row in ids], dtype=np.int64)
        return Embedded(features, n_tokens, np.array(truncated, dtype=bool))

    def embed_tokens(
        self, ids: Sequence[Sequence[int]], on_progress: Progress | None = None
    ) -> Features:
        """Return the features of texts given as rows of at least one token."""
        rows = [[int(token) for token in row[: self.max_length]] for row in ids]
        empty = [i for i, row in enumerate(rows) if not row]
        if empty:
            raise InvalidParameterError(
                f"{parameter('ids')} must hold rows of at least one token. "
                f"Got an empty row at position {empty[0]} instead."
            )
        if not rows:
            width = self._config.get_text_config().hidden_size
            return np.empty((0, width + 2 * (self.pooling == "surprisal")), dtype=np.float32)
        embeddings: Any = self._replicas[0].model.get_input_embeddings()
        vocabulary_size = len(embeddings.weight)
        for i, row in enumerate(rows):
            if min(row) < 0 or max(row) >= vocabulary_size:
                raise InvalidParameterError(
                    f"{parameter('ids')} must hold token numbers in "
                    f"[0, {vocabulary_size - 1}], those of {self.model!r}. Got "
                    f"{min(row) if min(row) < 0 else max(row)} at position {i} instead."
                )
        hidden, statistics = self._run(rows, on_progress or (lambda *_: None))
        if statistics is None:
            return hidden
        return surprisal_features(hidden, statistics, FeatureScaling.read(Path(self.model)))

    def _tokenise(self, texts: list[str], ids: list[list[int]], truncated: list[bool]) -> None:
        encode = {"add_special_tokens": True, "return_attention_mask": False, "verbose": False}
        rows = self._tokenizer(texts, **encode)["input_ids"]
        before = self._before
        room = self.max_length - len(before)
        is_long = [len(row) > room for row in rows]
        long = [i for i, flag in enumerate(is_long) if flag]
        if long:  # once more: only the tokenizer knows which tokens must stay at the end
            cut = self._tokenizer(
                [texts[i] for i in long], truncation=True, max_length=room, **encode
            )["input_ids"]
            for i, row in zip(long, cut, strict=True):
                rows[i] = row
        end = self._tokenizer.eos_token_id
        # A text of no tokens at all is read as the end-of-text token.
        ids += [[*before, *row] or [self._pad if end is None else end] for row in rows]
        truncated += is_long

    @cached_property
    def _before(self) -> list[int]:
        """Tokens to put before a text so that its first word has a probability."""
        begin = self._tokenizer.bos_token_id
        if begin is None:
            begin = self._tokenizer.eos_token_id
        if self.pooling != "surprisal" or begin is None:
            return []
        added = self._tokenizer("")["input_ids"]  # many tokenizers put it there themselves
        return [] if [*added[:1]] == [begin] else [begin]

    @property
    def _pad(self) -> int:
        for pad in (self._config.pad_token_id, self._tokenizer.pad_token_id):
            if pad is not None:
                return int(pad)
        return 0  # a causal model never attends to it

    def _run(self, ids: list[list[int]], report: Progress) -> tuple[Features, Features | None]:
        """Run all batches; return hidden states and, for surprisal, statistics."""
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        if self.token_budget is None:
            self.token_budget = min(replica.token_budget() for replica in self._replicas)
        order: list[int] = []
        hidden: list[Features] = []
        statistics: list[Features] = []

        def forward(replica: Replica, rows: IntArray) -> Pooled:
            return replica.forward([ids[i] for i in rows])

        def keep(rows: IntArray, pooled: tuple[Features, Features | None]) -> None:
            order.extend(rows.tolist())
            hidden.append(pooled[0])
            if pooled[1] is not None:
                statistics.append(pooled[1])
            report("embedding", len(order), len(ids))

        self.token_budget = run_batches(
            lengths, self._replicas, forward, keep,
            budget=self.token_budget, too_long=self._too_long,
        )  # fmt: skip
        places = np.argsort(order)
        joined = np.concatenate(statistics)[places] if statistics else None
        return np.concatenate(hidden)[places], joined

    def _too_long(self, n_tokens: int) -> InvalidParameterError:
        return InvalidParameterError(
            f"{parameter('max_length')} must be such that one text fits the "
            f"memory. Got {self.max_length}, and a text of {n_tokens} tokens does "
            "not fit: use a smaller one, or another device."
        )

    @cached_property
    def _replicas(self) -> list[Replica]:
        loader = AutoModelForCausalLM if self.pooling == "surprisal" else AutoModel
        model, report = self._load(loader, dtype=self._dtype, output_loading_info=True)
        unused = ["pooler"]
        # The configuration of a T5 that was saved without its decoder does not say so.
        if self._config.is_encoder_decoder or {"encoder", "decoder"} <= {*model._modules}:
            model = model.get_encoder()
            unused.append("decoder.")
        absent = [key for key in report["missing_keys"] if not any(part in key for part in unused)]
        check_weights(absent, self.model, embedder_parameter())
        # Copied before the first is moved, as a GPU may have no room for two.
        copies = [model, *(copy.deepcopy(model) for _ in self._devices[1:])]
        return [
            Replica(
                part,
                device,
                self._is_causal,
                self.pooling,
                self.layer,
                self._pad,
                is_float8=self._is_float8,
            )
            for part, device in zip(copies, self._devices, strict=True)
        ]

    def _load(self, loader: Any, **options: Any) -> Any:
        return load_pretrained(loader, self.model, embedder_parameter(), **self._source, **options)

    def _check_surprisal(self) -> None:
        if not self._is_causal:
            raise bad_parameter(
                "pooling", "another one for a model that is not causal", self.pooling
            )
        if self.layer != -1:
            rule = f"-1 with {option('pooling', 'surprisal')}"
            raise bad_parameter("layer", rule, self.layer, "only the last has probabilities")
        for setting in ("logit_scale", "final_logit_softcapping", "logits_scaling"):
            if getattr(self._config, setting, None):
                raise bad_parameter(
                    "pooling", f"another one for a model with '{setting}'", self.pooling
                )
