"""Write texts with any causal Transformers model; needs the ``transformers`` extra."""

import copy
import queue
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, GenerationConfig

from mauve.calls import either, in_this_call, parameter
from mauve.embed.batching import encodable, is_out_of_memory
from mauve.embed.models import (
    check_weights,
    context_length,
    find_devices,
    find_dtype,
    is_causal,
    load_pretrained,
    model_identity,
)
from mauve.errors import InvalidParameterError, check_int
from mauve.lm.adversarial import check_target
from mauve.lm.beam_generate import generate_beams
from mauve.lm.choosing import make_chooser, rows_per_text
from mauve.lm.decoding import Adversarial, Beam, Decoding
from mauve.lm.slots import Head, RereadSlots, Slots, bytes_per_token, capacity
from mauve.lm.writing import WritingOptions, Written, check_lengths, check_prompts
from mauve.progress import Progress

_MAX_CONTEXT = 1 << 20  # what tokenizers without a limit exceed
_ROWS_ON_CPU, _ROWS_ON_GPU = 32, 512  # at most; more are no faster
_BYTES_ON_CPU = 1 << 30  # of keys and values
_REFILL = 8  # a prompt is read when one in eight places is free


class TransformersWriter:
    """A writer with any causal Transformers model.

    Parameters
    ----------
    model : str or Path
        Name on the hub, or a folder.
    device, dtype, revision
        See :func:`mauve.lm.writers.get_writer`.
    token_budget : int, optional
        Tokens that are in memory at once, of all texts that are written together; by default
        as many as should fit. If they do not fit, fewer texts are written at once.

    Notes
    -----
    A prompt has the tokens that the tokenizer gives it, with the beginning-of-text token where
    the tokenizer puts one, and in front of an empty prompt. Every text ends at the tokens that
    the model's generation settings name, or at that of the tokenizer; no other settings of
    the model are used.

    Examples
    --------
    >>> from mauve.embed.bundled import MODEL  # a GPT-2 folder that comes with the package
    >>> from mauve.lm.decoding import Greedy
    >>> writer = TransformersWriter(MODEL, device="cpu")
    >>> for i, written in writer.write(["The cat sat on"], Greedy(), WritingOptions(3)):
    ...     print(i, repr(written.text), written.n_tokens, written.ended)
    0 ' the table,' 3 False
    """

    def __init__(
        self,
        model: str | Path,
        *,
        device: str = "auto",
        dtype: str = "auto",
        revision: str | None = None,
        token_budget: int | None = None,
    ) -> None:
        if token_budget is not None:
            check_int("token_budget", token_budget, 1)
        self.model = str(model)
        self._role = either("models", "model", "language_model", "spec")
        self._revision, self._token_budget = revision, token_budget
        self._devices = find_devices(device)
        self._dtype = find_dtype(dtype, self._devices[0])
        self._config = load_pretrained(AutoConfig, self.model, self._role, revision=revision)
        if not is_causal(self._config):
            raise InvalidParameterError(
                f"{parameter(self._role)} must be a causal language model, one that predicts "
                f"the next token. Got {self.model!r} instead, a model of the kind "
                f"{self._config.model_type!r}."
            )
        self._tokenizer = load_pretrained(AutoTokenizer, self.model, self._role, revision=revision)

    @cached_property
    def signature(self) -> str:
        """Model with its revision or checksum, and number type."""
        commit = getattr(self._config, "_commit_hash", None)
        dtype = str(self._dtype).removeprefix("torch.")
        return f"{model_identity(self.model, commit)}:{dtype}".replace("|", "_")

    @cached_property
    def context(self) -> int | None:
        """Most tokens of a prompt and its continuation; None for models that do not say."""
        context = context_length(self._config, self._tokenizer)
        return context if context <= _MAX_CONTEXT else None

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, without special ones."""
        [ids] = self._tokenizer(
            encodable([text]), add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return [*ids]

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, without special ones."""
        return str(
            self._tokenizer.decode(
                [*tokens], skip_special_tokens=True, clean_up_tokenization_spaces=False
            )
        )

    def write(
        self,
        prompts: Sequence[str],
        decoding: Decoding,
        options: WritingOptions,
        *,
        first: int = 0,
        on_progress: Progress | None = None,
    ) -> Iterator[tuple[int, Written]]:
        """Yield the position of a prompt and its continuation, see `Writer`."""
        check_int("first", first, 0)
        ids = [self._prompt_ids(i, prompt) for i, prompt in enumerate(check_prompts(prompts))]
        check_lengths([len(row) for row in ids], self.context, options.max_tokens)
        if isinstance(decoding, Adversarial):
            check_target(decoding)
        # A function, so that the checks above run at once and not with the first text.
        return self._written(ids, decoding, options, first, on_progress)

    def _written(
        self,
        prompts: list[list[int]],
        decoding: Decoding,
        options: WritingOptions,
        first: int,
        on_progress: Progress | None,
    ) -> Iterator[tuple[int, Written]]:
        if not prompts:
            return
        pending = deque(range(len(prompts)))
        jobs = [
            _Job(self, head, prompts, pending, decoding, options, first) for head in self._heads
        ]
        texts = jobs[0].run() if len(jobs) == 1 else _merged(jobs)
        with _repeatable_attention():
            for n_done, (i, tokens, ended) in enumerate(texts, start=1):
                if on_progress is not None:
                    on_progress("writing", n_done, len(prompts))
                yield i, Written(self._continuation(prompts[i], tokens), len(tokens), ended)

    def _prompt_ids(self, position: int, prompt: str) -> list[int]:
        beginning = self._tokenizer.bos_token_id
        adds = beginning is not None and beginning in self._tokenizer("")["input_ids"]
        ids = self.encode(prompt)
        if adds or (not ids and beginning is not None):
            ids = [int(beginning), *ids]
        if not ids:
            raise InvalidParameterError(
                f"{parameter('prompts')} must not be empty for {self.model!r}, a model without "
                f"a beginning-of-text token. Got an empty prompt at position {position} instead."
            )
        return ids

    def _continuation(self, prompt: list[int], tokens: list[int]) -> str:
        """Return the text of new tokens, with the space that some tokenizers drop in front."""
        before = self.decode(prompt[-8:])
        whole = self.decode([*prompt[-8:], *tokens])
        return whole[len(before) :] if whole.startswith(before) else self.decode(tokens)

    @cached_property
    def ends(self) -> list[int]:
        """The tokens that end a text."""
        named = self._heads[0].model.generation_config.eos_token_id
        listed = named if isinstance(named, list) else [named, self._tokenizer.eos_token_id]
        return sorted({int(token) for token in listed if token is not None})

    @cached_property
    def n_tokens(self) -> int:
        """Tokens that the tokenizer has, which may be fewer than the model has."""
        return min(len(self._tokenizer), self._heads[0].vocabulary_size)

    @cached_property
    def _heads(self) -> list[Head]:
        model, report = load_pretrained(
            AutoModelForCausalLM, self.model, self._role,
            revision=self._revision, dtype=self._dtype, output_loading_info=True,
        )  # fmt: skip
        check_weights([*report["missing_keys"]], self.model, self._role)
        ends = getattr(model.generation_config, "eos_token_id", None)
        # Other settings there, such as a repetition penalty, belong to other decoders.
        model.generation_config = GenerationConfig(eos_token_id=ends)  # type: ignore[no-untyped-call]
        # All copies are made on the CPU: a GPU may have no room for two.
        copies = [model, *(copy.deepcopy(model) for _ in self._devices[1:])]
        return [Head(each, device) for each, device in zip(copies, self._devices, strict=True)]

    @cached_property
    def token_bytes(self) -> int | None:
        """Memory of the keys and values of a token; None if every token is read again."""
        return bytes_per_token(self._heads[0])

    def rows_at_once(self, head: Head, longest: int, per_text: int) -> int:
        """Return how many texts are written at once on a device.

        Parameters
        ----------
        head : Head
        longest : int
            Tokens of the longest text.
        per_text : int
            Rows that a text takes.
        """
        if self._token_budget is not None:
            return max(1, self._token_budget // (longest * per_text))
        # Distributions of the next token, their sums and what is computed of them.
        row_bytes = capacity(longest) * (self.token_bytes or 0) + 48 * head.vocabulary_size
        if head.device.type == "cuda":
            free, most = 0.8 * torch.cuda.mem_get_info(head.device)[0], _ROWS_ON_GPU
        else:
            free, most = _BYTES_ON_CPU, _ROWS_ON_CPU
        return int(max(1, min(most, free // row_bytes) // per_text))


@contextmanager
def _repeatable_attention() -> Iterator[None]:
    """Leave out cuDNN's attention: in 16 bits it rounds otherwise each time that it is run.

    It also takes some hundredths of a second for each new number of columns.
    """
    is_enabled = torch.backends.cuda.cudnn_sdp_enabled()  # type: ignore[no-untyped-call]
    torch.backends.cuda.enable_cudnn_sdp(False)
    try:
        yield
    finally:
        torch.backends.cuda.enable_cudnn_sdp(is_enabled)


class _Job:
    """The work of one device: takes prompts that no other device has taken."""

    def __init__(
        self,
        writer: TransformersWriter,
        head: Head,
        prompts: list[list[int]],
        pending: deque[int],
        decoding: Decoding,
        options: WritingOptions,
        first: int,
    ) -> None:
        self._writer, self._head, self._prompts, self._pending = writer, head, prompts, pending
        self._decoding, self._options, self._first = decoding, options, first
        self._longest = max(map(len, prompts)) + options.max_tokens

    def run(self) -> Iterator[tuple[int, list[int], bool]]:
        """Yield the position, the new tokens, and whether they ended, of each text."""
        per_text = rows_per_text(self._decoding)
        if isinstance(self._decoding, Beam):
            per_text = self._decoding.b
        n_places = self._writer.rows_at_once(self._head, self._longest, per_text)
        n_places = min(n_places, len(self._prompts))
        while self._pending:
            under_way: dict[int, tuple[int, list[int]]] = {}
            try:
                if isinstance(self._decoding, Beam):
                    yield from self._beams(n_places, under_way)
                else:
                    yield from self._texts(n_places, under_way)
            except (RuntimeError, MemoryError) as error:
                if not is_out_of_memory(error):
                    raise
                if n_places == 1:
                    raise InvalidParameterError(
                        f"{parameter('max_tokens')} must be such that one text fits the memory. "
                        f"Got {self._options.max_tokens}, and a text of {self._longest} tokens "
                        "does not fit: use a smaller one, or another device."
                    ) from error
                n_places //= 2
                # These texts begin again: they depend on nothing but their seed.
                self._pending.extendleft(sorted((i for i, _ in under_way.values()), reverse=True))
            if self._head.device.type == "cuda":
                torch.cuda.empty_cache()

    def _take(self, n: int) -> list[int]:
        taken: list[int] = []
        while len(taken) < n:
            try:
                taken.append(self._pending.popleft())  # other threads do the same
            except IndexError:
                break
        return taken

    def _texts(
        self, n_places: int, under_way: dict[int, tuple[int, list[int]]]
    ) -> Iterator[tuple[int, list[int], bool]]:
        """Write texts at `n_places` places, each of them again and again."""
        writer, options = self._writer, self._options
        n_rows = n_places * rows_per_text(self._decoding)
        slots: Slots | RereadSlots = RereadSlots(self._head, n_rows)
        if writer.token_bytes is not None:
            slots = Slots(self._head, n_rows, self._longest, writer.context)
        chooser = make_chooser(
            self._decoding, slots, options,
            n_places=n_places, ends=writer.ends, n_tokens=writer.n_tokens,
        )  # fmt: skip
        while True:
            free = [place for place in range(n_places) if place not in under_way]
            if len(free) * _REFILL >= n_places and (taken := self._take(len(free))):
                places = free[: len(taken)]
                under_way.update({p: (i, []) for p, i in zip(places, taken, strict=True)})
                rngs = [np.random.default_rng([options.seed, self._first + i]) for i in taken]
                chooser.admit(places, [self._prompts[i] for i in taken], rngs)
            elif not under_way:
                return
            elif not self._pending and 2 * len(under_way) <= n_places:
                places = sorted(under_way)
                chooser.select(places)
                n_places = len(places)
                moved = {new: under_way[old] for new, old in enumerate(places)}
                under_way.clear()
                under_way.update(moved)
            tokens = chooser.advance()
            for place, (i, written) in [*under_way.items()]:
                is_end = tokens[place] in writer.ends
                if not is_end:
                    written.append(tokens[place])
                if is_end or len(written) == options.max_tokens:
                    chooser.release(place)
                    del under_way[place]
                    yield i, written, is_end

    def _beams(
        self, n_places: int, under_way: dict[int, tuple[int, list[int]]]
    ) -> Iterator[tuple[int, list[int], bool]]:
        """Search the texts of `n_places` prompts at once."""
        assert isinstance(self._decoding, Beam)
        while taken := self._take(n_places):
            under_way.update({place: (i, []) for place, i in enumerate(taken)})
            can_pad = self._writer.token_bytes is not None
            texts = generate_beams(
                self._head, [self._prompts[i] for i in taken], self._decoding, self._options,
                self._writer.ends, can_pad=can_pad,
            )  # fmt: skip
            under_way.clear()
            yield from ((i, *text) for i, text in zip(taken, texts, strict=True))


def _merged(jobs: Sequence[_Job]) -> Iterator[tuple[int, list[int], bool]]:
    """Yield the texts of several devices, which work at the same time."""
    results: queue.Queue[Any] = queue.Queue()
    is_closed = threading.Event()

    def work(job: _Job) -> None:
        try:
            for text in job.run():
                results.put(text)
                if is_closed.is_set():
                    return
            results.put(None)
        except BaseException as error:
            results.put(error)

    with ThreadPoolExecutor(len(jobs)) as pool:
        run = in_this_call(work)
        for job in jobs:
            pool.submit(run, job)
        try:
            n_working = len(jobs)
            while n_working:
                result = results.get()
                if result is None:
                    n_working -= 1
                elif isinstance(result, BaseException):
                    raise result
                else:
                    yield result
        finally:
            is_closed.set()
