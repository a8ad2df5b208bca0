"""Hold texts that a Transformers model writes at once: their keys and values, in one batch.

Texts of different ages stand side by side, and their last tokens in the same column: the token
after that is computed for all of them at once. A finished text makes room for another one.
"""

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers import Cache, DynamicCache, PreTrainedModel
from transformers.cache_utils import CacheLayerMixin

from mauve.embed.batching import padded
from mauve.lm.causal import probe_head, wide_head
from mauve.lm.step_graphs import Columns, Step, StepGraphs, takes_any_mask

_SLACK = 64  # columns between two moves of the texts to the left, at least
_CPU_LOGITS, _GPU_LOGITS = 1 << 25, 1 << 29  # in memory at once while prompts are read


class Predicted(NamedTuple):
    """What a model says of the token after each text.

    Attributes
    ----------
    logits : tensor of float32 (or float64), shape (n, vocabulary_size)
    states : list of tensor, each of shape (tokens, width)
        Hidden states of the last layer, of the tokens that were read.
    """

    logits: torch.Tensor
    states: list[torch.Tensor]


class Head:
    """A model on one device, and how to compute its logits.

    Parameters
    ----------
    model : PreTrainedModel
        With a language-model head.
    device : torch.device
    """

    def __init__(self, model: PreTrainedModel, device: torch.device) -> None:
        model.eval().requires_grad_(False)  # type: ignore[no-untyped-call]
        self._is_linear, self.vocabulary_size = probe_head(model)
        self.model, self.device = model.to(device), device  # type: ignore[arg-type]
        self._body: Any = model.base_model if self._is_linear else model
        # Models without this argument have no positions, or take them from the mask.
        self.takes_positions = "position_ids" in inspect.signature(self._body.forward).parameters
        self._wide = wide_head(model) if self._is_linear else None
        self.dtype = model.dtype

    def forward(self, **inputs: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the hidden states of all tokens, and logits where the head is not linear."""
        if self._is_linear:
            states = self._body(**inputs).last_hidden_state
            return states, states
        output = self._body(**inputs, output_hidden_states=True)
        return output.hidden_states[-1], output.logits

    def logits(self, values: torch.Tensor) -> torch.Tensor:
        """Return logits of the second value of `forward`, at any places of it."""
        if self._wide is None:
            return values if values.dtype == torch.float64 else values.float()
        weight, bias = self._wide
        return torch.nn.functional.linear(values.to(weight.dtype), weight, bias)

    def rows_at_once(self, width: int) -> int:
        """Return how many prompts of `width` tokens to read at once."""
        budget = _GPU_LOGITS if self.device.type == "cuda" else _CPU_LOGITS
        return max(1, budget // (self.vocabulary_size * width))


def capacity(longest: int) -> int:
    """Return the columns that a text of `longest` tokens takes, and room to go on.

    Examples
    --------
    >>> capacity(50), capacity(100), capacity(1024 + 35)
    (128, 256, 1152)
    """
    return Columns(0, longest + _SLACK).in_blocks().end


class SlotLayer(CacheLayerMixin):
    """Keys and values of one layer: a row for each text, a column for each token."""

    is_sliding = False

    def __init__(self, at: torch.Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._at = at  # the column to write, on the device: a graph reads it when it is replayed
        self.begin = self.end = 0

    def lazy_initialization(self, key_states: torch.Tensor, value_states: torch.Tensor) -> None:
        """Do nothing: memory is taken when texts are admitted."""

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add one column."""
        self.end += 1
        columns = slice(self.begin, self.end)
        parts: tuple[Any, Any] = (self.keys, self.values)
        for part, states in zip(parts, (key_states, value_states), strict=True):
            part.index_copy_(2, self._at, states.to(part.dtype))
        return parts[0][:, :, columns], parts[1][:, :, columns]

    def get_mask_sizes(self, query_length: int) -> tuple[int, int]:
        """Return the number of columns, and the first one."""
        return self.get_seq_length() + query_length, 0

    def get_seq_length(self) -> int:
        """Return the number of columns in use."""
        return self.end - self.begin

    def get_max_length(self) -> int:
        """Return -1: the caller limits the columns."""
        return -1


class Slots:
    """A batch of texts with their keys and values.

    Parameters
    ----------
    head : Head
    n_rows : int
        Texts at once.
    longest : int
        Tokens of the longest text.
    context : int or None
        Tokens that the model reads.

    Notes
    -----
    Prompts are read padded on the right, where a causal model never looks, and copied to the
    columns before the common end. In the steps after, a mask hides the columns before each
    text, and every text counts its positions from its own beginning. So the model sees of a
    text what it would see of it alone.

    On a GPU, steps are recorded as graphs where the model allows it. A graph serves all steps
    of its blocks of columns: it writes to the column that a tensor names, and its mask hides
    those after it.
    """

    def __init__(self, head: Head, n_rows: int, longest: int, context: int | None) -> None:
        self._head = head
        self._capacity = capacity(longest)
        self._last_position = (context or self._capacity) - 1
        self._starts: list[int | None] = [None] * n_rows  # first column of each text
        self._cache: Any = Cache(layers=[])
        self._end = 0
        shape = (n_rows, self._capacity)
        self._mask = torch.ones(shape, dtype=torch.int64, device=head.device)
        self._positions = torch.zeros(n_rows, dtype=torch.int64, device=head.device)
        self._tokens = torch.zeros_like(self._positions)
        self._at = torch.zeros(1, dtype=torch.int64, device=head.device)
        self._graphs: StepGraphs | None = None
        if head.device.type == "cuda" and head.takes_positions and takes_any_mask(head.model):
            self._graphs = StepGraphs(self.read_blocks, head.device)

    @torch.inference_mode()
    def admit(self, rows: Sequence[int], prompts: Sequence[Sequence[int]]) -> Predicted:
        """Read prompts into rows that are free."""
        longest = max(map(len, prompts))
        if self._end < longest:
            self._move(longest - self._end)
        logits, states = [], []
        at_once = self._head.rows_at_once(longest)
        for start in range(0, len(rows), at_once):
            part = slice(start, start + at_once)
            predicted = self._admit(rows[part], prompts[part])
            logits.append(predicted.logits)
            states += predicted.states
        return Predicted(torch.cat(logits), states)

    def _admit(self, rows: Sequence[int], prompts: Sequence[Sequence[int]]) -> Predicted:
        device = self._head.device
        ids = torch.from_numpy(padded(prompts, 0)).to(device)
        lengths = torch.tensor([len(prompt) for prompt in prompts], device=device)
        width = ids.shape[1]
        # Of full length in all layers, those with a sliding window too: the mask limits them.
        cache: Any = DynamicCache()
        states, values = self._head.forward(input_ids=ids, past_key_values=cache, use_cache=True)
        at = torch.tensor(rows, device=device)
        columns = slice(self._end - width, self._end)
        # Column c of the last `width` ones holds token c - (width - length) of a prompt.
        token = torch.arange(width, device=device) - (width - lengths)[:, None]
        for i, layer in enumerate(cache.layers):
            mine = self._layer(i, layer)
            for mine_part, part in ((mine.keys, layer.keys), (mine.values, layer.values)):
                index = token.clamp(min=0)[:, None, :, None].expand_as(part)
                mine_part[at, :, columns] = part.gather(2, index)
        self._mask[at, : self._end - width] = 0
        self._mask[at, columns] = (token >= 0).long()
        self._mask[at, self._end :] = 1
        self._positions[at] = lengths
        for row, prompt in zip(rows, prompts, strict=True):
            self._starts[row] = self._end - len(prompt)
        last = values[torch.arange(len(rows), device=device), lengths - 1]
        by_text = [row[: len(prompt)] for row, prompt in zip(states, prompts, strict=True)]
        return Predicted(self._head.logits(last), by_text)

    def _layer(self, i: int, like: Any) -> Any:
        """Return layer i, with memory for all texts."""
        if i == len(self._cache.layers):
            layer = SlotLayer(self._at)
            n_rows = len(self._starts)
            for name in ("keys", "values"):
                part = getattr(like, name)
                shape = (n_rows, part.shape[1], self._capacity, part.shape[3])
                setattr(layer, name, part.new_zeros(shape))
            layer.is_initialized = True
            layer.begin = layer.end = self._end
            self._cache.layers.append(layer)
        return self._cache.layers[i]

    def release(self, row: int) -> None:
        """Free the row of a finished text."""
        self._starts[row] = None

    @torch.inference_mode()
    def step(self, tokens: torch.Tensor) -> Predicted:
        """Read one more token of every text, and predict the next one.

        Parameters
        ----------
        tokens : tensor of int, shape (n_rows,)
            Those of free rows are read too, and change nothing.
        """
        begin = min((start for start in self._starts if start is not None), default=self._end)
        if self._end == self._capacity:
            self._move(-begin)
            begin = 0
        self._tokens.copy_(tokens)
        self._at.fill_(self._end)
        self._end += 1
        columns = Columns(begin, self._end)
        if self._graphs is None:
            states, logits = self._read(columns)
        else:
            states, logits = self._graphs.step(columns.in_blocks(), lambda: self._read(columns))
        self._positions += 1
        return Predicted(logits, list(states))

    def _read(self, columns: Columns) -> Step:
        """Read the tokens of a step; its own column is the last of these."""
        return self._forward(columns, self._mask[:, slice(*columns)])

    @torch.inference_mode()
    def read_blocks(self, columns: Columns) -> Step:
        """Read the tokens of a step; its own column is any of these."""
        column = torch.arange(*columns, device=self._head.device)
        is_read = self._mask[:, slice(*columns)].bool() & (column <= self._at)
        return self._forward(columns, is_read[:, None, None])

    def _forward(self, columns: Columns, mask: torch.Tensor) -> Step:
        for layer in self._cache.layers:
            layer.begin, layer.end = columns.begin, columns.end - 1
        inputs: dict[str, Any] = {"attention_mask": mask}
        if self._head.takes_positions:
            inputs["position_ids"] = self._positions.clamp(max=self._last_position)[:, None]
        states, values = self._head.forward(
            input_ids=self._tokens[:, None], past_key_values=self._cache, use_cache=True, **inputs
        )
        return states, self._head.logits(values[:, -1])

    @torch.inference_mode()
    def keep(self, sources: torch.Tensor) -> None:
        """Let each row have read the last token of its source, whose earlier tokens are alike."""
        at = self._end - 1
        for layer in self._cache.layers:
            for part in (layer.keys, layer.values):
                part[:, :, at] = part[sources, :, at]

    @torch.inference_mode()
    def select(self, rows: Sequence[int]) -> None:
        """Keep these rows alone."""
        at = torch.tensor(rows, device=self._head.device)
        for layer in self._cache.layers:
            layer.keys, layer.values = layer.keys[at], layer.values[at]
        self._mask, self._positions = self._mask[at], self._positions[at]
        self._tokens = self._tokens[at]
        if self._graphs is not None:
            self._graphs.clear()
        self._starts = [self._starts[row] for row in rows]

    def _move(self, by: int) -> None:
        """Move all columns to the right, or to the left if `by` is below 0."""
        source = slice(max(0, -by), self._end)
        target = slice(source.start + by, self._end + by)
        for layer in self._cache.layers:
            for part in (layer.keys, layer.values):
                part[:, :, target] = part[:, :, source].clone()
        self._mask[:, target] = self._mask[:, source].clone()
        self._mask[:, : target.start] = 0
        self._mask[:, target.stop :] = 1
        self._end += by
        self._starts = [None if start is None else start + by for start in self._starts]


class RereadSlots:
    """The same for models whose keys and values cannot be put side by side: they read again.

    Recurrent models, for example, keep a state in place of keys and values. Every token costs
    a pass over the whole text.
    """

    def __init__(self, head: Head, n_rows: int) -> None:
        self._head = head
        self._texts: list[list[int]] = [[0]] * n_rows

    def admit(self, rows: Sequence[int], prompts: Sequence[Sequence[int]]) -> Predicted:
        """Read prompts into rows that are free."""
        for row, prompt in zip(rows, prompts, strict=True):
            self._texts[row] = [*prompt]
        return self._read([self._texts[row] for row in rows])

    def release(self, row: int) -> None:
        """Free the row of a finished text."""
        self._texts[row] = [0]

    def step(self, tokens: torch.Tensor) -> Predicted:
        """Read one more token of every text, and predict the next one."""
        self._texts = [
            [*text, token] for text, token in zip(self._texts, tokens.tolist(), strict=True)
        ]
        predicted = self._read(self._texts)
        return Predicted(predicted.logits, [states[-1:] for states in predicted.states])

    def keep(self, sources: torch.Tensor) -> None:
        """Let each row have read the last token of its source."""
        self._texts = [[*self._texts[source]] for source in sources.tolist()]

    def select(self, rows: Sequence[int]) -> None:
        """Keep these rows alone."""
        self._texts = [self._texts[row] for row in rows]

    @torch.inference_mode()
    def _read(self, texts: Sequence[list[int]]) -> Predicted:
        logits, by_text = [], []
        at_once = self._head.rows_at_once(max(map(len, texts)))
        for start in range(0, len(texts), at_once):
            part = texts[start : start + at_once]
            ids = torch.from_numpy(padded(part, 0)).to(self._head.device)
            states, values = self._head.forward(input_ids=ids, use_cache=False)
            last = np.array([len(text) - 1 for text in part])
            logits.append(self._head.logits(values[np.arange(len(part)), last]))
            by_text += [row[: len(text)] for row, text in zip(states, part, strict=True)]
        return Predicted(torch.cat(logits), by_text)


@torch.inference_mode()
def bytes_per_token(head: Head) -> int | None:
    """Return the memory of keys and values of one token, or None if they do not fit `Slots`.

    Texts are read side by side in slots, and each of them whole; the logits must be the same
    but for rounding.
    """
    size = min(head.vocabulary_size, 97)
    tokens = [[(7 * i + 3 * k + 1) % size for i in range(9)] for k in range(3)]
    begins = [tokens[0][:5], tokens[1][:2], tokens[2][:4]]
    cache: Any = DynamicCache()
    try:
        head.forward(input_ids=torch.tensor(tokens, device=head.device),
                     past_key_values=cache, use_cache=True)  # fmt: skip
        parts = [part for layer in cache.layers for part in (layer.keys, layer.values)]
        if not parts or any(part.shape[0] != 3 or part.shape[2] != 9 for part in parts):
            return None
        slots = Slots(head, 3, 9, None)
        slots.admit([0, 1], begins[:2])
        texts = [*map(list, begins)]
        for step in range(3):
            if step == 1:
                slots.admit([2], begins[2:])
            for k in range(3):
                if k < 2 or step:
                    texts[k].append(tokens[k][len(texts[k])])
            predicted = slots.step(torch.tensor([t[-1] for t in texts], device=head.device))
    except (TypeError, ValueError, AttributeError, IndexError, NotImplementedError, KeyError):
        return None  # of a model that does not know such a cache
    expected = RereadSlots(head, 3)._read(texts).logits
    tolerance = 2e-3 if head.dtype in (torch.float32, torch.float64) else 0.1
    if not (predicted.logits - expected).abs().max() <= tolerance * expected.std():
        return None
    return sum(int(part.nbytes) for part in parts) // 27
