"""Choose the next token of many texts at once, on the device of a Transformers model.

A chooser has a place for each text that is written at once, and reads the tokens it chooses.
Random numbers are drawn on the host, from a generator for each text: one number for each token.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import torch

from mauve.lm.adversarial import check_target, closest, n_random_tokens, random_tokens
from mauve.lm.contrastive import ContrastiveChooser
from mauve.lm.decoding import Adversarial, Contrastive, Decoding, Sampler
from mauve.lm.sampling import decode
from mauve.lm.slots import RereadSlots, Slots
from mauve.lm.writing import WritingOptions


class Chooser(Protocol):
    """Chooses the tokens of the texts at all places."""

    def admit(
        self,
        places: Sequence[int],
        prompts: Sequence[Sequence[int]],
        rngs: Sequence[np.random.Generator],
    ) -> None:
        """Begin texts at places that are free."""

    def advance(self) -> list[int]:
        """Return the next token of the text at each place; those of free places mean nothing."""

    def release(self, place: int) -> None:
        """Free the place of a finished text."""

    def select(self, places: Sequence[int]) -> None:
        """Keep these places alone."""


def make_chooser(
    decoding: Decoding,
    slots: Slots | RereadSlots,
    options: WritingOptions,
    *,
    n_places: int,
    ends: Sequence[int],
    n_tokens: int,
) -> Chooser:
    """Return the chooser of a decoding algorithm.

    Parameters
    ----------
    decoding : Sampler, Adversarial or Contrastive
    slots : Slots or RereadSlots
        With ``rows_per_text(decoding)`` rows for each place.
    options : WritingOptions
    n_places : int
        Texts at once.
    ends : sequence of int
        The tokens that end a text.
    n_tokens : int
        Tokens that a tokenizer has; a model may have more, which stand for nothing.
    """
    if isinstance(decoding, Contrastive):
        return ContrastiveChooser(decoding, slots, options, n_places, ends)
    if isinstance(decoding, Adversarial):
        return _AdversarialChooser(decoding, slots, options, n_places, ends, n_tokens)
    assert isinstance(decoding, Sampler)
    return _SamplingChooser(decoding, slots, options, n_places, ends)


def rows_per_text(decoding: Decoding) -> int:
    """Return how many rows of a batch a text takes.

    Examples
    --------
    >>> from mauve.lm.decoding import Greedy
    >>> rows_per_text(Greedy()), rows_per_text(Contrastive(k=4))
    (1, 4)
    """
    return decoding.k if isinstance(decoding, Contrastive) else 1


def draw_rows(probabilities: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    r"""Draw a token from each row.

    Parameters
    ----------
    probabilities : tensor of float, shape (n, vocabulary_size)
        With any positive sums; a token of probability 0 is never drawn.
    keys : tensor of int64, shape (n,)
        Random numbers; those of a row decide about its token alone.

    Notes
    -----
    :math:`\arg\max_x P(x) / E_x`, where the :math:`E_x` are exponential random numbers
    (Gumbel's trick): -log of the stream of SplitMix64 that begins at the key. With the inverse
    of the cumulative distribution, one rounding at any of thousands of tokens would change the
    token drawn; here it does where the two largest ratios are as close as that.

    References
    ----------
    Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, OOPSLA 2014.

    Examples
    --------
    >>> rows = torch.tensor([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    >>> draw_rows(rows, torch.tensor([3, 4])).tolist()
    [1, 2]
    """
    token = torch.arange(1, probabilities.shape[1] + 1, device=probabilities.device)
    bits = keys[:, None] + token * _signed(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits ^= _shifted(bits, shift)
        bits *= _signed(factor)
    bits ^= _shifted(bits, 31)
    is_narrow = probabilities.device.type == "mps"
    wide, width = (torch.float32, 23) if is_narrow else (torch.float64, 52)
    uniform = (_shifted(bits, 64 - width).to(wide) + 0.5) * 2.0**-width
    return (probabilities.to(wide) / -uniform.log()).argmax(dim=1)


def _signed(constant: int) -> int:
    return constant - (1 << 64)


def _shifted(bits: torch.Tensor, by: int) -> torch.Tensor:
    """Shift to the right as if the numbers had no sign."""
    return (bits >> by) & ((1 << (64 - by)) - 1)


class _StepwiseChooser:
    """Chooses a token from the logits, then reads it."""

    def __init__(
        self,
        slots: Slots | RereadSlots,
        options: WritingOptions,
        n_places: int,
        ends: Sequence[int],
    ) -> None:
        self.slots, self.options = slots, options
        self.ends = [*ends]
        self._n_places = n_places
        self._logits: torch.Tensor | None = None
        self._n: Any = None  # tokens written at each place

    @torch.inference_mode()
    def admit(
        self,
        places: Sequence[int],
        prompts: Sequence[Sequence[int]],
        rngs: Sequence[np.random.Generator],
    ) -> None:
        logits = self.slots.admit(places, prompts).logits
        at = torch.tensor(places, device=logits.device)
        if self._logits is None:
            self._logits = logits.new_zeros(self._n_places, logits.shape[1])
            self._n = torch.zeros(self._n_places, dtype=torch.int64, device=logits.device)
        self._logits[at] = logits
        self._n[at] = 0
        self._begin(at, rngs)

    @torch.inference_mode()
    def advance(self) -> list[int]:
        assert self._logits is not None
        logits = self._logits
        if self.ends and self.options.min_tokens:
            is_early = (self._n < self.options.min_tokens)[:, None]
            logits[:, self.ends] = logits[:, self.ends].masked_fill(is_early, -torch.inf)
        tokens = self._choose(logits)
        self._n += 1
        if tokens.device.type != "cuda":
            chosen: list[int] = tokens.tolist()
            self._logits = self.slots.step(tokens).logits
            return chosen
        # The device reads the tokens while the host looks at them.
        on_host = torch.empty(tokens.shape, dtype=tokens.dtype, pin_memory=True)
        on_host.copy_(tokens, non_blocking=True)
        copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
        copied.record(torch.cuda.current_stream(tokens.device))
        self._logits = self.slots.step(tokens).logits
        copied.synchronize()
        result: list[int] = on_host.tolist()
        return result

    def release(self, place: int) -> None:
        self.slots.release(place)

    @torch.inference_mode()
    def select(self, places: Sequence[int]) -> None:
        assert self._logits is not None
        at = torch.tensor(places, device=self._logits.device)
        self.slots.select(places)
        self._logits, self._n = self._logits[at], self._n[at]
        self._n_places = len(places)
        self._select(at)

    def _begin(self, at: torch.Tensor, rngs: Sequence[np.random.Generator]) -> None:
        raise NotImplementedError

    def _choose(self, logits: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    def _select(self, at: torch.Tensor) -> None:
        raise NotImplementedError


class _SamplingChooser(_StepwiseChooser):
    """Draws tokens from the distribution of a decoder."""

    def __init__(
        self,
        decoding: Sampler,
        slots: Slots | RereadSlots,
        options: WritingOptions,
        n_places: int,
        ends: Sequence[int],
    ) -> None:
        super().__init__(slots, options, n_places, ends)
        self._decoding = decoding
        self._keys: Any = None  # random numbers of all tokens

    def _begin(self, at: torch.Tensor, rngs: Sequence[np.random.Generator]) -> None:
        if not self._decoding.is_random:
            return
        max_tokens = self.options.max_tokens
        if self._keys is None:
            shape = (self._n_places, max_tokens)
            self._keys = torch.zeros(shape, dtype=torch.int64, device=at.device)
        drawn = np.stack([rng.integers(1 << 63, size=max_tokens) for rng in rngs])
        self._keys[at] = torch.from_numpy(drawn).to(at.device)

    def _choose(self, logits: torch.Tensor) -> torch.Tensor:
        if not self._decoding.is_random:
            return logits.argmax(dim=1)
        probabilities = decode(self._decoding, logits.softmax(dim=1))
        # Free places go on, beyond the last number.
        n = self._n.clamp(max=self.options.max_tokens - 1)[:, None]
        return draw_rows(probabilities, self._keys.gather(1, n)[:, 0])

    def _select(self, at: torch.Tensor) -> None:
        if self._keys is not None:
            self._keys = self._keys[at]


class _AdversarialChooser(_StepwiseChooser):
    """Random tokens first, then those that bring the running perplexity to a target."""

    def __init__(
        self,
        decoding: Adversarial,
        slots: Slots | RereadSlots,
        options: WritingOptions,
        n_places: int,
        ends: Sequence[int],
        n_tokens: int,
    ) -> None:
        super().__init__(slots, options, n_places, ends)
        self._target = check_target(decoding)
        self._n_random = n_random_tokens(decoding, options.max_tokens)
        self._possible = np.setdiff1d(np.arange(n_tokens), np.array(self.ends, dtype=np.int64))
        self._random: Any = None
        self._total: Any = None  # surprise of the tokens written at each place

    def _begin(self, at: torch.Tensor, rngs: Sequence[np.random.Generator]) -> None:
        if self._random is None:
            shape = (self._n_places, self._n_random)
            self._random = torch.zeros(shape, dtype=torch.int64, device=at.device)
            self._total = torch.zeros(self._n_places, 1, device=at.device)
        drawn = np.stack([random_tokens(self._n_random, self._possible, rng) for rng in rngs])
        self._random[at] = torch.from_numpy(drawn).to(at.device)
        self._total[at] = 0

    def _choose(self, logits: torch.Tensor) -> torch.Tensor:
        logits[:, self.ends] = -torch.inf
        surprise = -logits.log_softmax(dim=1)
        surprise[:, self._possible[-1] + 1 :] = torch.inf  # tokens that stand for nothing
        n = self._n[:, None]
        tokens = closest(surprise, self._total, n, self._target)[:, None]
        place = n.clamp(max=self._n_random - 1)
        tokens = torch.where(n < self._n_random, self._random.gather(1, place), tokens)
        self._total += surprise.gather(1, tokens)
        return tokens[:, 0]

    def _select(self, at: torch.Tensor) -> None:
        self._random, self._total = self._random[at], self._total[at]
