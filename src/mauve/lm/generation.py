"""Generate texts from a language model with a decoding algorithm."""

from collections.abc import Sequence

import numpy as np

from mauve.arrays import FloatArray
from mauve.errors import bad_parameter, check_int
from mauve.lm.decoding import Decoder
from mauve.lm.protocol import CausalModel

_BLOCK = 128  # tokens; see `draw`


def draw(probabilities: FloatArray, rng: np.random.Generator) -> int:
    """Draw one token, with two random numbers.

    Parameters
    ----------
    probabilities : array of float, shape (vocabulary_size,)
        With any positive sum; a token of probability 0 is never drawn.
    rng : Generator

    Examples
    --------
    >>> draw(np.array([0.0, 1.0, 0.0]), np.random.default_rng(0))
    1
    """
    # First a block of tokens, then a token in it: a cumulative sum over a whole vocabulary
    # is slow.
    blocks = np.add.reduceat(probabilities, np.arange(0, len(probabilities), _BLOCK))
    first = _BLOCK * _draw(blocks, rng)
    return first + _draw(probabilities[first : first + _BLOCK], rng)


def _draw(weights: FloatArray, rng: np.random.Generator) -> int:
    cumulative = weights.cumsum()
    return int(cumulative.searchsorted(rng.random() * cumulative[-1], side="right"))


def generate(
    model: CausalModel,
    decoder: Decoder,
    prompts: Sequence[str],
    *,
    max_tokens: int,
    seed: int = 0,
    batch_size: int = 32,
) -> list[str]:
    """Let a model continue prompts.

    Parameters
    ----------
    model : CausalModel
    decoder : Decoder
        The decoding algorithm, for example one of :data:`mauve.lm.decoding.DECODERS`.
    prompts : sequence of str
        Beginning of each text; empty for a text without a prompt.
    max_tokens : int
        Maximum number of new tokens; those of the prompt are not counted.
    seed : int
        Random seed; each text has its own generator, from the seed and its position.
    batch_size : int
        Texts that are generated at once. It does not change the texts.

    Returns
    -------
    list of str
        Each prompt with its continuation.

    Examples
    --------
    >>> from mauve.lm.decoding import Greedy
    >>> from mauve.lm.ngram import NGramModel
    >>> from mauve.text.words import tokenize
    >>> model = NGramModel.fit([tokenize("To be, or not to be.")] * 2, order=3)
    >>> generate(model, Greedy(), ["To be", "What is not"], max_tokens=20)
    ['To be, or not to be.', 'What is not to be.']
    """
    check_int("max_tokens", max_tokens, 1)
    check_int("seed", seed, 0)
    check_int("batch_size", batch_size, 1)
    if isinstance(prompts, str):
        raise bad_parameter("prompts", "a list of strings", prompts[:40])
    texts: list[str] = []
    for first in range(0, len(prompts), batch_size):
        batch = prompts[first : first + batch_size]
        rngs = [np.random.default_rng([seed, first + i]) for i in range(len(batch))]
        written = _write(model, decoder, batch, max_tokens, rngs)
        # The prompt is not decoded from its tokens, in which unknown words are all alike.
        texts += [
            prompt + model.decode(tokens) for prompt, tokens in zip(batch, written, strict=True)
        ]
    return texts


def _write(
    model: CausalModel,
    decoder: Decoder,
    prompts: Sequence[str],
    max_tokens: int,
    rngs: Sequence[np.random.Generator],
) -> list[list[int]]:
    """Return the new tokens of each text, without the one that ended it."""
    contexts = [model.encode(prompt) for prompt in prompts]
    written: list[list[int]] = [[] for _ in prompts]
    active = list(range(len(prompts)))  # texts that have not ended
    for _ in range(max_tokens):
        if not active:
            break
        rows = model.next([contexts[i] for i in active])
        unfinished = []
        for i, probabilities in zip(active, rows, strict=True):
            token = draw(decoder(probabilities), rngs[i])
            if token != model.end:
                contexts[i].append(token)
                written[i].append(token)
                unfinished.append(i)
        active = unfinished
    return written
