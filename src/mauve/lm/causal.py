"""A causal Transformers model that looks at every token of texts, whatever they are asked for.

Scores of texts and probabilities of decoders differ only in what is made of the logits, so
both come here with a function from logits to numbers.
"""

import copy
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from mauve.embed.batching import Rows, encodable
from mauve.embed.devices import find_devices, find_dtype
from mauve.embed.folder import model_identity
from mauve.embed.hub import check_weights, context_length, is_causal, load
from mauve.embed.protocol import Progress
from mauve.embed.sharing import share_out
from mauve.errors import InvalidParameterError
from mauve.lm.logits import Head, Visit, Visited
from mauve.lm.scorer import check_texts
from mauve.lm.windows import check_window, windows_of

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
        self._config = load(AutoConfig, model, role, revision=revision)
        if not is_causal(self._config):
            raise InvalidParameterError(
                f"The '{role}' parameter of {caller} must be a causal language model, one that "
                f"predicts the next token. Got {model!r} instead, a model of the kind "
                f"{self._config.model_type!r}."
            )
        self._tokenizer = load(AutoTokenizer, model, role, revision=revision)
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
    ) -> list[NDArray[np.float64]]:
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
        values: dict[int, NDArray[np.float64]] = {}

        def forward(head: Head, rows: Rows) -> Visited:
            return head.forward([(ids[parts[k][0]], parts[k][1]) for k in rows], visit)

        def keep(rows: Rows, found: NDArray[np.float64]) -> None:
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
        found: list[list[NDArray[np.float64]]] = [[np.empty((n_values, 0))] for _ in texts]
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
        model, report = load(
            AutoModelForCausalLM, self.model, self._role,
            revision=self._revision, dtype=self._dtype, output_loading_info=True,
        )  # fmt: skip
        check_weights([*report["missing_keys"]], self.model, self._role)
        # Before the first is moved: a GPU may have no room for two.
        copies = [model, *(copy.deepcopy(model) for _ in self._devices[1:])]
        return [Head(own, device) for own, device in zip(copies, self._devices, strict=True)]
