"""Pool the hidden states of a text's tokens to one row of features.

The pooling "surprisal" joins the mean hidden state with statistics of the token
log-probabilities. The mean tells what a text is about, but hardly that it repeats itself; a
language model predicts every word of a repetitive text, which shows at the end of the text.
docs/embedders.md has the figures behind the choice of statistics.

torch is imported inside the functions that need it: the bundled model runs without it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mauve.arrays import Features
from mauve.errors import InvalidParameterError

if TYPE_CHECKING:
    import torch

ENDING = 50  # tokens at the end of a text that the statistics are over
WEIGHT = 0.5  # of the statistics, against 1 for the hidden states
SCALING_FILE = "features.json"  # beside a model


def pool(states: "torch.Tensor", starts: "torch.Tensor", pooling: str) -> "torch.Tensor":
    """Return the pooled states of each text in float32 (or float64), shape (texts, d).

    Parameters
    ----------
    states : tensor of shape (tokens, d)
        Of all texts, one text after another.
    starts : tensor of int, shape (texts + 1,)
        Position of the first token of each text, and the number of all tokens.
    pooling : {"last", "cls", "mean", "max"}

    Examples
    --------
    >>> import torch
    >>> states, starts = torch.tensor([[1.0], [3.0], [5.0]]), torch.tensor([0, 2, 3])
    >>> [pool(states, starts, how)[:, 0].tolist() for how in ("last", "cls", "mean", "max")]
    [[3.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]
    """
    import torch

    if pooling == "last":
        return _widened(states[starts[1:] - 1])
    if pooling == "cls":
        return _widened(states[starts[:-1]])
    states = _widened(states)
    n_texts, width = len(starts) - 1, states.shape[1]
    lengths = starts.diff()
    owner = torch.repeat_interleave(
        torch.arange(n_texts, device=states.device), lengths, output_size=len(states)
    )
    if pooling == "max":
        lowest = states.new_full((n_texts, width), -torch.inf)
        return lowest.scatter_reduce(0, owner[:, None].expand_as(states), states, "amax")
    total = states.new_zeros(n_texts, width).index_add_(0, owner, states)
    return total / lengths[:, None]


def _widened(states: "torch.Tensor") -> "torch.Tensor":
    import torch

    return states if states.dtype == torch.float64 else states.float()


def token_log_probabilities(
    states: "torch.Tensor", ids: "torch.Tensor", head: "torch.nn.Module", n_at_once: int = 4096
) -> "torch.Tensor":
    """Return the log-probability of each token given those before it, shape (tokens,).

    The value of the first token of every text has no meaning. The logits of `n_at_once` tokens
    are in memory at a time, because they are many times as large as the states.

    Examples
    --------
    >>> import torch
    >>> head = torch.nn.Linear(2, 3, bias=False)
    >>> _ = torch.nn.init.zeros_(head.weight)
    >>> values = token_log_probabilities(torch.ones(2, 2), torch.tensor([0, 1]), head)
    >>> [round(x, 4) for x in values.tolist()]
    [0.0, -1.0986]
    """
    import torch

    parts = [torch.zeros(1, device=states.device)]
    following = ids[1:]
    for start in range(0, len(following), n_at_once):
        part = slice(start, start + n_at_once)
        logits = head(states[:-1][part]).float()
        chosen = logits.gather(1, following[part, None])[:, 0]
        parts.append(chosen - logits.logsumexp(dim=1))
    return torch.cat(parts)


def ending_statistics(log_probabilities: Sequence[NDArray[Any]]) -> Features:
    """Return mean and median log-probability over the last tokens of each text, shape (n, 2).

    Parameters
    ----------
    log_probabilities : sequence of array of shape (n_tokens,)
        Of every token of a text given those before it; at least one token.

    Examples
    --------
    >>> ending_statistics([np.array([-4.0, -1.0, -1.0])]).tolist()
    [[-2.0, -1.0]]
    """
    endings = [text[-ENDING:] for text in log_probabilities]
    table = [[np.mean(ending), np.median(ending)] for ending in endings]
    return np.array(table, dtype=np.float32).reshape(-1, 2)


@dataclass(frozen=True)
class FeatureScaling:
    """Mean and spread of the hidden states and of the statistics of a model, over texts.

    Attributes
    ----------
    center : array of shape (d,)
        Mean over texts of the mean hidden state.
    spread : float
        Root mean square distance from the centre.
    statistics_center, statistics_spread : array of shape (2,)
    """

    center: Features
    spread: float
    statistics_center: Features
    statistics_spread: Features

    @classmethod
    def measured(cls, hidden: Features, statistics: Features) -> "FeatureScaling":
        """Return the scaling of mean hidden states and statistics, one row for each text.

        Examples
        --------
        >>> scaling = FeatureScaling.measured(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.eye(2))
        >>> scaling.center.tolist(), scaling.spread
        ([0.0, 0.0], 1.0)
        """
        center = hidden.mean(axis=0)
        spread = float(np.sqrt(((hidden - center) ** 2).sum(axis=1).mean()))
        return cls(center, spread, statistics.mean(axis=0), statistics.std(axis=0))

    @classmethod
    def read(cls, folder: Path) -> "FeatureScaling | None":
        """Read the scaling of the model in a folder; None if the folder has none."""
        path = folder / SCALING_FILE
        if not path.is_file():
            return None
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                np.array(values["center"], dtype=np.float32),
                float(values["spread"]),
                np.array(values["statistics_center"], dtype=np.float32),
                np.array(values["statistics_spread"], dtype=np.float32),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InvalidParameterError(
                f"'{path}' could not be read as the scaling of features ({error!r}): "
                "write it again with training/scaling.py, or remove it."
            ) from error

    def write(self, folder: Path) -> None:
        """Write the scaling into the folder of a model."""
        values = {
            "center": [round(float(x), 5) for x in self.center],
            "spread": round(self.spread, 5),
            "statistics_center": [round(float(x), 5) for x in self.statistics_center],
            "statistics_spread": [round(float(x), 5) for x in self.statistics_spread],
        }
        (folder / SCALING_FILE).write_text(json.dumps(values) + "\n", encoding="utf-8")


def surprisal_features(
    hidden: Features, statistics: Features, scaling: FeatureScaling | None
) -> Features:
    """Join mean hidden states, shape (n, d), with statistics, shape (n, 2).

    Without a scaling, which only the bundled model has, hidden states are divided by their
    length and log-probabilities are multiplied by 0.3.

    Examples
    --------
    >>> hidden, statistics = np.array([[3.0, 4.0]]), np.array([[-2.0, -1.0]])
    >>> surprisal_features(hidden, statistics, None).round(2)
    array([[ 0.6,  0.8, -0.6, -0.3]], dtype=float32)
    """
    if scaling is None:
        length = np.linalg.norm(hidden, axis=1, keepdims=True)
        parts = [hidden / np.maximum(length, 1e-12), 0.3 * statistics]
    else:
        if scaling.center.shape != hidden.shape[1:]:
            raise InvalidParameterError(
                f"'{SCALING_FILE}' must be the scaling of a model of {hidden.shape[1]} features. "
                f"Got a centre of shape {scaling.center.shape} instead: write it again with "
                "training/scaling.py, or remove it."
            )
        standardised = (statistics - scaling.statistics_center) / scaling.statistics_spread
        parts = [
            (hidden - scaling.center) / scaling.spread,
            WEIGHT / np.sqrt(statistics.shape[1]) * standardised,
        ]
    return np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")
