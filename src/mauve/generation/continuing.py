"""Continue prompts with a model that is being trained, and leave it as it was; needs transformers.

For a model that is not being trained, see :mod:`mauve.lm.writing`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList

from mauve.lm.choosing import draw_rows
from mauve.lm.sampling import Sampler, decode


def continue_prompts(
    model: Any,
    prompts: Sequence[Sequence[int]],
    sampler: Sampler,
    *,
    max_tokens: int,
    endings: Sequence[int],
    seed: int,
    positions: Sequence[int],
    batch_size: int,
) -> list[list[int]]:
    """Return the tokens that continue each prompt, without the one that ended it.

    Parameters
    ----------
    model : PreTrainedModel
        Its ``generate`` is called, with its key-value cache.
    prompts : sequence of sequences of int
        None of them empty.
    sampler : Sampler
    max_tokens : int
        New tokens of a text at most.
    endings : sequence of int
        Tokens that end a text, at least one.
    seed : int
    positions : sequence of int
        Number of each prompt in the whole job: the random numbers of a text follow from the
        seed and this number, whatever the batch and the process. They are those of
        :meth:`mauve.lm.writing.Writer.write`, so the texts are too.
    batch_size : int
        Prompts of a batch.
    """
    # Those of similar length together, so that little is padded.
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    texts: dict[int, list[int]] = {}
    with _own_generation_config(model), torch.no_grad():
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            keys = np.stack([_keys(seed, positions[i], max_tokens) for i in rows])
            batch = [prompts[i] for i in rows]
            written = _continue_batch(model, batch, sampler, keys, endings)
            texts.update(zip(rows, written, strict=True))
    return [texts[i] for i in range(len(prompts))]


def _continue_batch(
    model: Any,
    prompts: Sequence[Sequence[int]],
    sampler: Sampler,
    keys: NDArray[np.int64],
    endings: Sequence[int],
) -> list[list[int]]:
    width = max(map(len, prompts))
    ids = np.full((len(prompts), width), endings[0])
    is_token = np.zeros(ids.shape, np.int64)
    for row, prompt in enumerate(prompts):  # on the left, so that all texts start in one column
        ids[row, width - len(prompt) :] = prompt
        is_token[row, width - len(prompt) :] = 1
    config = GenerationConfig(  # type: ignore[no-untyped-call]
        max_new_tokens=keys.shape[1],
        do_sample=False,  # the drawn token is the only possible one, see _DrawnToken
        use_cache=True,
        eos_token_id=[*endings],
        pad_token_id=endings[0],
    )
    device = model.device
    output = model.generate(
        input_ids=torch.from_numpy(ids).to(device),
        attention_mask=torch.from_numpy(is_token).to(device),
        generation_config=config,
        logits_processor=LogitsProcessorList([_DrawnToken(sampler, keys, width)]),
    )
    rows = cast(list[list[int]], output[:, width:].tolist())
    return [_before_any(row, endings) for row in rows]


class _DrawnToken(LogitsProcessor):
    """Draws the next token of each row and leaves it as the only possible one.

    The sampling of ``generate`` itself draws for the whole batch from one random state, so that
    a text would depend on the texts beside it.
    """

    def __init__(self, sampler: Sampler, keys: NDArray[np.int64], n_before: int) -> None:
        self._sampler, self._keys, self._n_before = sampler, keys, n_before

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return logits: 0 for the token drawn, minus infinity for all others."""
        if self._sampler.is_random:
            step = input_ids.shape[1] - self._n_before
            keys = torch.from_numpy(self._keys[:, step].copy()).to(scores.device)
            drawn = draw_rows(decode(self._sampler, scores.float().softmax(dim=1)), keys)
        else:
            drawn = scores.argmax(dim=1)
        return torch.full_like(scores, -torch.inf).scatter_(1, drawn[:, None], 0.0)


def _keys(seed: int, position: int, n: int) -> NDArray[np.int64]:
    """Return the random numbers of a text, those that a writer gives it."""
    return np.random.default_rng([seed, position]).integers(1 << 63, size=n)


def _before_any(row: list[int], endings: Sequence[int]) -> list[int]:
    ends = (i for i, token in enumerate(row) if token in endings)
    return row[: next(ends, len(row))]


@contextmanager
def evaluation_mode(model: torch.nn.Module) -> Iterator[None]:
    """Switch dropout and the like off in the block; each module is then as it was.

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Dropout().eval())
    >>> with evaluation_mode(model):
    ...     model[0].training
    False
    >>> [part.training for part in model]
    [True, False]
    """
    was_training = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, training in was_training:
            module.training = training


@contextmanager
def _own_generation_config(model: Any) -> Iterator[None]:
    """Set the model's defaults of ``generate`` aside, such as a repetition penalty."""
    base = model.get_base_model() if hasattr(model, "get_base_model") else model  # of an adapter
    owners = [each for each in (model, base) if hasattr(each, "generation_config")]
    before = [each.generation_config for each in owners]
    for each in owners:
        each.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        for each, config in zip(owners, before, strict=True):
            each.generation_config = config
