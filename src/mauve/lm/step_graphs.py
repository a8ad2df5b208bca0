"""Record the steps of a model on a GPU, and replay them without the work of the host.

A step of generation is a thousand short kernels, which the host starts one by one, and the GPU
waits for it even with hundreds of texts in a batch. A CUDA graph starts them all at once.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from mauve.embed.batching import is_out_of_memory

BLOCK = 128  # columns; a graph reads whole blocks, so that it serves as many steps
_WAIT = 12  # steps at the same columns before they are recorded, which takes as long as some
_TOLERANCE = 0.1  # of the standard deviation of the logits: rounding of 16 bits

Step = tuple[torch.Tensor, torch.Tensor]  # hidden states and logits


class Columns(NamedTuple):
    """Columns of keys and values, from `begin` up to `end`."""

    begin: int
    end: int

    def in_blocks(self) -> "Columns":
        """Return the columns of the blocks that hold these.

        Examples
        --------
        >>> Columns(130, 250).in_blocks(), Columns(0, 129).in_blocks()
        (Columns(begin=128, end=256), Columns(begin=0, end=256))
        """
        return Columns(self.begin // BLOCK * BLOCK, -(-self.end // BLOCK) * BLOCK)


def takes_any_mask(model: torch.nn.Module) -> bool:
    """Return whether all layers of a Transformers model take one mask as it is given.

    Layers with a sliding window make a mask of their own, and some kinds of attention take none
    that says for each text and each column whether it is read.
    """
    config = getattr(model, "config", None)
    kinds = getattr(config, "layer_types", None) or ["full_attention"]
    return (
        getattr(config, "_attn_implementation", None) == "sdpa"
        and not getattr(config, "sliding_window", None)
        and set(kinds) == {"full_attention"}
    )


class StepGraphs:
    """The recorded steps of one batch, one for each range of columns.

    Parameters
    ----------
    read : callable
        Reads one more token of every text where the given columns are read, and returns hidden
        states and logits. The tensors it uses must stay where they are until `clear`.
    device : torch.device
        A GPU.
    """

    def __init__(self, read: Callable[[Columns], Step], device: torch.device) -> None:
        self._read, self._device = read, device
        self._is_usable, self._is_checked = True, False
        self.clear()

    def clear(self) -> None:
        """Forget all graphs: what they read has moved."""
        self._graphs: dict[Columns, tuple[torch.cuda.CUDAGraph, Step]] = {}
        self._pool: Any = None  # the memory of all graphs
        self._columns, self._n_waited = Columns(0, 0), 0

    def step(self, columns: Columns, read_plainly: Callable[[], Step]) -> Step:
        """Return hidden states and logits, by a graph where there is one.

        Parameters
        ----------
        columns : Columns
            Whole blocks.
        read_plainly : callable
            Does the same without a graph; doing it twice must change nothing.
        """
        if columns in self._graphs:
            return self._replay(columns)
        if self._is_usable:
            self._n_waited = self._n_waited + 1 if columns == self._columns else 0
            self._columns = columns
            if self._n_waited == _WAIT and self._record(columns):
                if self._is_checked:
                    return self._replay(columns)
                expected, replayed = read_plainly(), self._replay(columns)
                difference = (replayed[1] - expected[1]).abs().max()
                self._is_checked = bool(difference <= _TOLERANCE * expected[1].std())
                if not self._is_checked:
                    self.clear()
                    self._is_usable = False
                return expected
        return read_plainly()

    def _record(self, columns: Columns) -> bool:
        """Record the step, and return whether that was possible."""
        try:
            with torch.cuda.device(self._device):
                # No text that is written now goes back to the columns before these.
                self._graphs = {
                    key: graph for key, graph in self._graphs.items() if key.begin == columns.begin
                }
                if not self._graphs:  # memory that no graph holds is gone
                    self._pool = torch.cuda.graph_pool_handle()
                graph = torch.cuda.CUDAGraph()
                # Other threads may use other devices meanwhile.
                with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                    output = self._read(columns)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError) as error:
            if is_out_of_memory(error):
                raise
            # The model looks at values on the host, which no graph can, or at the form of a mask.
            self._is_usable = False
            return False
        self._graphs[columns] = graph, output
        return True

    def _replay(self, columns: Columns) -> Step:
        graph, (states, logits) = self._graphs[columns]
        with torch.cuda.device(self._device):
            graph.replay()
        return states.clone(), logits.clone()  # the next graph uses the same memory
