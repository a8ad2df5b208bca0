"""Contrastive search with a Transformers model, many texts at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from mauve.lm.searches import Contrastive
from mauve.lm.slots import RereadSlots, Slots
from mauve.lm.writing import WritingOptions


class ContrastiveChooser:
    """A :class:`mauve.lm.choosing.Chooser` for :class:`mauve.lm.decoding.Contrastive`.

    Reads the k most probable tokens of each text, and goes on with one of them. A text takes k
    rows, which have read the same tokens between two steps.

    Parameters
    ----------
    decoding : Contrastive
    slots : Slots or RereadSlots
        With k rows for each place.
    options : WritingOptions
    n_places : int
    ends : sequence of int
        The tokens that end a text.
    """

    def __init__(
        self,
        decoding: Contrastive,
        slots: Slots | RereadSlots,
        options: WritingOptions,
        n_places: int,
        ends: Sequence[int],
    ) -> None:
        self._decoding, self._slots, self._options = decoding, slots, options
        self._n_places, self._ends = n_places, [*ends]
        self._logits: Any = None
        self._n: Any = None
        self._before: Any = None  # states of length 1 of all tokens, by place
        self._n_before: Any = None

    @torch.inference_mode()
    def admit(
        self,
        places: Sequence[int],
        prompts: Sequence[Sequence[int]],
        rngs: Sequence[np.random.Generator],
    ) -> None:
        """Begin texts at places that are free; no random numbers are needed."""
        k = self._decoding.k
        rows = [place * k + j for place in places for j in range(k)]
        predicted = self._slots.admit(rows, [prompt for prompt in prompts for _ in range(k)])
        logits = predicted.logits[::k]
        at = torch.tensor(places, device=logits.device)
        if self._logits is None:
            self._logits = logits.new_zeros(self._n_places, logits.shape[1])
            self._n = torch.zeros(self._n_places, dtype=torch.int64, device=logits.device)
        self._logits[at] = logits
        self._n[at] = 0
        width = max(len(states) for states in predicted.states) + self._options.max_tokens
        self._make_room(width, predicted.states[0])
        for place, states in zip(places, predicted.states[::k], strict=True):
            self._before[place, : len(states)] = _of_length_1(states)
        self._n_before[at] = torch.tensor([len(each) for each in prompts], device=at.device)

    def _make_room(self, width: int, like: torch.Tensor) -> None:
        """Let every place have room for `width` states."""
        if self._before is None:
            self._before = like.new_zeros(self._n_places, 0, like.shape[1], dtype=torch.float32)
            self._n_before = torch.zeros(self._n_places, dtype=torch.int64, device=like.device)
        more = max(0, width - self._before.shape[1])
        self._before = torch.nn.functional.pad(self._before, (0, 0, 0, more))

    @torch.inference_mode()
    def advance(self) -> list[int]:
        """Return the next token of the text at each place, which has been read."""
        k, alpha = self._decoding.k, self._decoding.alpha
        probabilities = self._logits.softmax(dim=1)
        if self._ends:
            is_early = (self._n < self._options.min_tokens)[:, None]
            ends = probabilities[:, self._ends]
            probabilities[:, self._ends] = ends.masked_fill(is_early, -1)  # and never chosen
        top = probabilities.topk(k, dim=1)
        predicted = self._slots.step(top.indices.reshape(-1))
        states = _of_length_1(torch.cat([each[-1:] for each in predicted.states]))
        by_place = states.view(self._n_places, k, -1)
        likeness = by_place @ self._before.transpose(1, 2)  # (places, k, tokens)
        columns = torch.arange(self._before.shape[1], device=states.device)
        is_before = columns < self._n_before[:, None]
        # Free places may have no tokens before.
        likeness = likeness.masked_fill(~is_before[:, None], -1).amax(dim=2)
        score = (1 - alpha) * top.values - alpha * likeness
        chosen = score.masked_fill(top.values < 0, -torch.inf).argmax(dim=1)
        rows = torch.arange(self._n_places, device=chosen.device) * k + chosen
        self._slots.keep(rows.repeat_interleave(k))
        at = self._n_before.clamp(max=self._before.shape[1] - 1)  # free places go on
        self._before[torch.arange(self._n_places, device=rows.device), at] = states[rows]
        self._n_before += 1
        self._logits = predicted.logits[rows]
        self._n += 1
        tokens: list[int] = top.indices.gather(1, chosen[:, None])[:, 0].tolist()
        return tokens

    def release(self, place: int) -> None:
        """Free the place of a finished text."""
        for row in range(place * self._decoding.k, (place + 1) * self._decoding.k):
            self._slots.release(row)

    @torch.inference_mode()
    def select(self, places: Sequence[int]) -> None:
        """Keep these places alone."""
        k = self._decoding.k
        self._slots.select([place * k + j for place in places for j in range(k)])
        at = torch.tensor(places, device=self._logits.device)
        self._logits, self._n = self._logits[at], self._n[at]
        self._before, self._n_before = self._before[at], self._n_before[at]
        self._n_places = len(places)


def _of_length_1(states: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.normalize(states.float(), dim=-1)
