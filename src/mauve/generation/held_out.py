"""Turn held-out human texts into prompts and human continuations, with a model's tokenizer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError


@dataclass(frozen=True)
class HeldOut:
    """Prompts for a model, and how people continued them.

    Attributes
    ----------
    prompts : list of lists of int
        Tokens of each prompt, at least one.
    human : list of str
        The human continuation of each prompt.
    endings : list of int
        Tokens that end a text.
    tokenizer : tokenizer of Transformers
    """

    prompts: list[list[int]]
    human: list[str]
    endings: list[int]
    tokenizer: Any = field(repr=False)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        return _decode(self.tokenizer, tokens)


def hold_out(
    human: Sequence[str],
    prompts: Sequence[str] | None,
    tokenizer: Any,
    *,
    prompt_tokens: int,
    max_tokens: int,
    context: int,
    endings: list[int],
) -> HeldOut:
    """Return prompts and human continuations, both in tokens of a model.

    Parameters
    ----------
    human : sequence of str
        Whole texts, or, with prompts, continuations.
    prompts : sequence of str or None
    tokenizer : tokenizer of Transformers
    prompt_tokens, max_tokens : int
        Of a prompt that is cut from a text, and of a continuation at most.
    context : int
        Most tokens of prompt and continuation that the model reads.
    endings : list of int
        Tokens that end a text.
    """
    texts = [_encode(tokenizer, text) for text in human]
    if prompts is None:
        short = [i for i, tokens in enumerate(texts) if len(tokens) <= prompt_tokens]
        if short:
            raise InvalidParameterError(
                f"{parameter('human')} must be texts of more than {option('prompt_tokens')} "
                f"tokens, to be cut into prompt and continuation. Got {len(short)} of "
                f"{len(texts)} with {prompt_tokens} or fewer, the first at position {short[0]}: "
                f"leave them out, or use a smaller {option('prompt_tokens')}."
            )
        starts = [tokens[:prompt_tokens] for tokens in texts]
        texts = [tokens[prompt_tokens:] for tokens in texts]
    else:
        if len(prompts) != len(texts):
            raise InvalidParameterError(
                f"{parameter('prompts')} must hold one prompt for each human text. Got "
                f"{len(prompts)} for {len(texts)} instead."
            )
        starts = [_encode(tokenizer, prompt) for prompt in prompts]
    begin = tokenizer.bos_token_id
    first = endings[0] if begin is None else begin
    # What a model reads before a text, where its tokenizer puts anything there.
    before = [begin] if _adds_beginning(tokenizer) else []
    rows = [[*before, *start] or [first] for start in starts]
    for position, row in enumerate(rows):
        if len(row) + max_tokens > context:
            raise InvalidParameterError(
                f"{parameter('max_tokens')} must leave room for the prompts in the {context} "
                f"tokens that the model reads. Got {max_tokens} with a prompt of {len(row)} at "
                f"position {position}: use {option('max_tokens', max(1, context - len(row)))}, or "
                "shorter prompts."
            )
    continuations = [_decode(tokenizer, tokens[:max_tokens]) for tokens in texts]
    return HeldOut(rows, continuations, endings, tokenizer)


def _encode(tokenizer: Any, text: str) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    return ids


def _decode(tokenizer: Any, tokens: Sequence[int]) -> str:
    text: str = tokenizer.decode(
        [*tokens], skip_special_tokens=True, clean_up_tokenization_spaces=False
    )
    return text


def _adds_beginning(tokenizer: Any) -> bool:
    begin = tokenizer.bos_token_id
    return begin is not None and tokenizer("a", verbose=False)["input_ids"][:1] == [begin]
