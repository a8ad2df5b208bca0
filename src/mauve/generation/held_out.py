"""Turn held-out human texts into prompts and human continuations, with a model's tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mauve.calls import option, parameter
from mauve.embed.models import context_length
from mauve.errors import InvalidParameterError
from mauve.generation.splitting import checked_tokenizer, cut_text, split_text
from mauve.lm.writing import check_lengths


@dataclass(frozen=True)
class HeldOut:
    """Prompts for a model, and how people continued them.

    Attributes
    ----------
    prompts, human : list of str
        The prompts, and the human continuation of each.
    rows : list of lists of int
        Tokens of each prompt, at least one, with the beginning of text where the tokenizer
        puts one.
    endings : list of int
        Tokens that end a text.
    tokenizer : tokenizer of Transformers
    """

    prompts: list[str]
    human: list[str]
    rows: list[list[int]]
    endings: list[int]
    tokenizer: Any = field(repr=False)

    def text(self, position: int, tokens: Sequence[int]) -> str:
        """Return the text of tokens that continue a prompt."""
        # Decoded after the end of the prompt, as some tokenizers drop the first space.
        last = self.rows[position][-8:]
        before = _decode(self.tokenizer, last)
        whole = _decode(self.tokenizer, [*last, *tokens])
        is_kept = whole.startswith(before)
        return whole[len(before) :] if is_kept else _decode(self.tokenizer, tokens)


def hold_out(
    human: Sequence[str],
    prompts: Sequence[str] | None,
    model: Any,
    tokenizer: Any,
    *,
    prompt_tokens: int,
    max_tokens: int,
) -> HeldOut:
    """Return prompts and human continuations, cut after numbers of tokens of a model.

    Parameters
    ----------
    human : sequence of str
        Whole texts, or, with prompts, continuations.
    prompts : sequence of str or None
    model : PreTrainedModel
    tokenizer : tokenizer of Transformers
    prompt_tokens, max_tokens : int
        Of a prompt that is cut from a text, and of a continuation at most.
    """
    endings = _endings(model, tokenizer)
    reader = checked_tokenizer(
        (lambda text: _encode(tokenizer, text), lambda tokens: _decode(tokenizer, tokens))
    )
    if prompts is None:
        parts = [split_text(text, prompt_tokens, max_tokens, reader) for text in human]
        rule = f"texts of more than {option('prompt_tokens', prompt_tokens)} tokens, which are cut"
    else:
        if len(prompts) != len(human):
            raise InvalidParameterError(
                f"{parameter('prompts')} must hold one prompt for each human text. Got "
                f"{len(prompts)} for {len(human)} instead."
            )
        parts = [cut_text(text, max_tokens, reader) for text in human]
        rule = "texts that are not empty"
    short = [i for i, part in enumerate(parts) if part is None]
    if short:
        raise InvalidParameterError(
            f"{parameter('human')} must be {rule}. Got {len(short)} of {len(parts)} that are too "
            f"short, the first at position {short[0]}: leave them out."
        )
    split = [part for part in parts if part is not None]
    starts = [part.prompt for part in split] if prompts is None else [*prompts]
    begin = tokenizer.bos_token_id
    adds_begin = begin is not None and begin in tokenizer("")["input_ids"]
    first = endings[0] if begin is None else int(begin)
    rows = [_encode(tokenizer, start) for start in starts]
    rows = [[int(begin), *row] if adds_begin else row or [first] for row in rows]
    check_lengths([len(row) for row in rows], context_length(model.config, tokenizer), max_tokens)
    return HeldOut(starts, [part.continuation for part in split], rows, endings, tokenizer)


def _endings(model: Any, tokenizer: Any) -> list[int]:
    """Return the tokens that end a text."""
    named = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    known = [*(named if isinstance(named, list) else [named]), tokenizer.eos_token_id]
    endings = sorted({int(token) for token in known if token is not None})
    if not endings:
        raise InvalidParameterError(
            f"{parameter('tokenizer')} must have an end-of-text token, which ends a text. Got one "
            "without instead: set its eos_token."
        )
    return endings


def _encode(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def _decode(tokenizer: Any, tokens: Sequence[int]) -> str:
    text: str = tokenizer.decode(
        [*tokens], skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    return text
