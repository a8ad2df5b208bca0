"""Join texts to one row of tokens and cut it into blocks of one length, to train a model on."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError
from mauve.progress import Progress

Tokens = NDArray[np.int32]

_AT_ONCE = 1000  # texts that are tokenised between two reports of progress


@dataclass(frozen=True, eq=False)
class TrainingText:
    """Texts in blocks of tokens.

    Attributes
    ----------
    blocks : array of int, shape (n_blocks, block_size)
        What is trained on.
    validation : array of int, shape (n_validation_blocks, at most block_size)
        Of texts that are held out; no rows without any.
    n_texts, n_validation_texts : int
    n_tail : int
        Tokens after the last whole block, which are not trained on.
    """

    blocks: Tokens
    validation: Tokens
    n_texts: int
    n_validation_texts: int
    n_tail: int


def make_blocks(
    texts: Sequence[str],
    tokenizer: Any,
    *,
    block_size: int,
    validation: float,
    seed: int,
    on_progress: Progress,
) -> TrainingText:
    """Tokenise texts, put an end-of-text token after each, and cut them into blocks.

    Parameters
    ----------
    texts : sequence of str
    tokenizer : tokenizer of Transformers
        With an end-of-text token.
    block_size : int
        Tokens of a block. There is no padding: a block may hold the end of one text and the
        beginning of the next.
    validation : float
        Share of the texts to hold out, drawn at random; at least one text if it is not 0.
    seed : int
    on_progress : callable
    """
    documents = _tokenise(texts, tokenizer, on_progress)
    held_out = np.zeros(len(documents), np.bool_)
    if validation:
        if len(documents) < 2:
            raise InvalidParameterError(
                f"{parameter('texts')} must hold at least 2 texts, so that one can be held out. "
                f"Got 1 instead: use {option('validation', 0)}, or give more."
            )
        n_held_out = min(max(1, round(validation * len(documents))), len(documents) - 1)
        order = np.random.default_rng(seed).permutation(len(documents))
        held_out[order[:n_held_out]] = True
    tokens = _joined(documents, ~held_out)
    n_blocks, n_tail = divmod(len(tokens), block_size)
    if n_blocks == 0:
        raise InvalidParameterError(
            f"{parameter('texts')} must hold at least one block of {block_size} tokens to train "
            f"on. Got {len(tokens)} tokens instead: give more text, or use "
            f"{option('block_size', len(tokens))}."
        )
    return TrainingText(
        tokens[: n_blocks * block_size].reshape(n_blocks, block_size),
        _validation_blocks(_joined(documents, held_out), block_size),
        int((~held_out).sum()),
        int(held_out.sum()),
        n_tail,
    )


def text_digest(texts: Sequence[str]) -> str:
    """Return a checksum of texts in their order.

    Examples
    --------
    >>> text_digest(["ab", "c"]) == text_digest(["a", "bc"])
    False
    """
    digest = hashlib.blake2b(digest_size=8)
    for text in texts:
        encoded = text.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return digest.hexdigest()


def _tokenise(texts: Sequence[str], tokenizer: Any, on_progress: Progress) -> list[Tokens]:
    begin, end = tokenizer.bos_token_id, tokenizer.eos_token_id
    adds_begin = begin not in (None, end) and tokenizer("a")["input_ids"][:1] == [begin]
    before = [begin] if adds_begin else []  # as the model was trained
    documents = []
    for start in range(0, len(texts), _AT_ONCE):
        part = [*texts[start : start + _AT_ONCE]]
        rows = tokenizer(
            part, add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        documents += [np.array([*before, *row, end], np.int32) for row in rows]
        on_progress("tokenising", len(documents), len(texts))
    return documents


def _joined(documents: Sequence[Tokens], chosen: NDArray[np.bool_]) -> Tokens:
    rows = [tokens for tokens, is_chosen in zip(documents, chosen, strict=True) if is_chosen]
    return np.concatenate(rows) if rows else np.empty(0, np.int32)


def _validation_blocks(tokens: Tokens, block_size: int) -> Tokens:
    # Where there is less than a block, all of it is one shorter block.
    size = max(1, min(block_size, len(tokens)))
    n_blocks = len(tokens) // size
    return tokens[: n_blocks * size].reshape(n_blocks, size)
