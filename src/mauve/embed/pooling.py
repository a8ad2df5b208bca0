"""Hidden states of all tokens in, one row for each text out.

Tokens of all texts of a batch stand one behind another, without padding: a tensor of shape
(tokens, d), and the running sum of the lengths, from 0, of shape (texts + 1,).
"""

import torch


def pool(states: torch.Tensor, starts: torch.Tensor, pooling: str) -> torch.Tensor:
    """Return the pooled states in float32 (or float64), shape (texts, d).

    Examples
    --------
    >>> states, starts = torch.tensor([[1.0], [3.0], [5.0]]), torch.tensor([0, 2, 3])
    >>> [pool(states, starts, how)[:, 0].tolist() for how in ("last", "cls", "mean", "max")]
    [[3.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]
    """
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


def _widened(states: torch.Tensor) -> torch.Tensor:
    return states if states.dtype == torch.float64 else states.float()


def token_log_probabilities(
    states: torch.Tensor, ids: torch.Tensor, head: torch.nn.Module, n_at_once: int = 4096
) -> torch.Tensor:
    """Return the log-probability of each token given those before it, shape (tokens,).

    The first of every text has no meaning. The logits of `n_at_once` tokens are in memory
    at a time, because they are many times as large as the states.

    Examples
    --------
    >>> head = torch.nn.Linear(2, 3, bias=False)
    >>> _ = torch.nn.init.zeros_(head.weight)
    >>> found = token_log_probabilities(torch.ones(2, 2), torch.tensor([0, 1]), head)
    >>> [round(x, 4) for x in found.tolist()]
    [0.0, -1.0986]
    """
    parts = [torch.zeros(1, device=states.device)]
    following = ids[1:]
    for start in range(0, len(following), n_at_once):
        part = slice(start, start + n_at_once)
        logits = head(states[:-1][part]).float()
        chosen = logits.gather(1, following[part, None])[:, 0]
        parts.append(chosen - logits.logsumexp(dim=1))
    return torch.cat(parts)
