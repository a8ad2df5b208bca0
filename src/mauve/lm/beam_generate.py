"""Beam search with a Transformers model, by the ``generate`` function of that library."""

from collections.abc import Sequence
from typing import Any

import torch
from transformers import GenerationConfig

from mauve.lm.searches import Beam
from mauve.lm.slots import Head
from mauve.lm.writing import WritingOptions


@torch.inference_mode()
def generate_beams(
    head: Head,
    prompts: Sequence[Sequence[int]],
    beam: Beam,
    options: WritingOptions,
    ends: Sequence[int],
    *,
    can_pad: bool,
) -> list[tuple[list[int], bool]]:
    """Return the tokens of the best text that the beams find after each prompt.

    Parameters
    ----------
    head : Head
    prompts : sequence of sequences of int
    beam : Beam
    options : WritingOptions
    ends : sequence of int
        The tokens that end a text.
    can_pad : bool
        Whether the model reads prompts of different lengths at once.

    Returns
    -------
    list of (list of int, bool)
        The tokens without the one that ended the text, and whether one did.
    """
    if not can_pad and len({len(prompt) for prompt in prompts}) > 1:
        return [
            text
            for prompt in prompts
            for text in generate_beams(head, [prompt], beam, options, ends, can_pad=False)
        ]
    width = max(map(len, prompts))
    pad = ends[0] if ends else 0
    ids = torch.full((len(prompts), width), pad)
    mask = torch.zeros_like(ids)
    for row, row_mask, prompt in zip(ids, mask, prompts, strict=True):
        row[width - len(prompt) :] = torch.tensor(prompt)
        row_mask[width - len(prompt) :] = 1
    extra: dict[str, Any] = {}
    if beam.b > 1:
        # "never" stops when no beam can become better than the texts that have ended.
        extra = {"early_stopping": "never", "length_penalty": beam.length_power}
    make_config: Any = GenerationConfig
    config = make_config(
        num_beams=beam.b, do_sample=False, no_repeat_ngram_size=beam.no_repeat,
        max_new_tokens=options.max_tokens, min_new_tokens=options.min_tokens,
        eos_token_id=[*ends] or None, pad_token_id=pad, **extra,
    )  # fmt: skip
    model: Any = head.model
    rows = model.generate(
        input_ids=ids.to(head.device), attention_mask=mask.to(head.device), generation_config=config
    )
    return [_without_end(row, ends) for row in rows[:, width:].tolist()]


def _without_end(tokens: list[int], ends: Sequence[int]) -> tuple[list[int], bool]:
    n = next((n for n, token in enumerate(tokens) if token in ends), len(tokens))
    return tokens[:n], n < len(tokens)
