"""Generate texts from a language model that gives the probabilities of the next token."""

from collections.abc import Iterator, Sequence

import numpy as np

from mauve.arrays import FloatArray
from mauve.calls import either, parameter
from mauve.errors import InvalidParameterError, bad_parameter, check_int
from mauve.lm.adversarial import check_target, closest, n_random_tokens, random_tokens
from mauve.lm.beams import beam_search
from mauve.lm.decoding import Adversarial, Beam, Decoder, Decoding, Sampler
from mauve.lm.protocol import CausalModel
from mauve.lm.sampling import decode
from mauve.lm.writing import WritingOptions, Written, check_lengths, check_prompts
from mauve.progress import Progress

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
        The decoding algorithm, for example :class:`mauve.lm.decoding.Nucleus`.
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
    options = WritingOptions(
        max_tokens=check_int("max_tokens", max_tokens, 1), seed=check_int("seed", seed, 0)
    )
    check_int("batch_size", batch_size, 1)
    prompts = check_prompts(prompts)
    # The prompt is not decoded from its tokens, in which unknown words are all alike.
    return [
        prompts[i] + written.text
        for i, written in _write(model, decoder, prompts, options, 0, batch_size)
    ]


class CausalModelWriter:
    """A writer that reads the probabilities of the next token from a model.

    Parameters
    ----------
    model : CausalModel
        Such as an n-gram model.
    signature : str
        Names the model, see :class:`mauve.lm.writing.Writer`.
    context : int, optional
        Tokens that the model reads at most; by default any number.
    batch_size : int
        Texts that are written at once. It does not change the texts.

    Examples
    --------
    >>> from mauve.lm.decoding import Greedy
    >>> from mauve.lm.ngram import NGramModel
    >>> model = NGramModel.fit([["To", " be", " or", " not", " to", " be"]] * 2)
    >>> writer = CausalModelWriter(model, "example")
    >>> list(writer.write(["To be"], Greedy(), WritingOptions(max_tokens=9)))
    [(0, Written(text=' or not to be', n_tokens=4, ended=True))]
    """

    def __init__(
        self,
        model: CausalModel,
        signature: str,
        *,
        context: int | None = None,
        batch_size: int = 32,
    ) -> None:
        self.model = model
        self._signature = signature
        self._context = context
        self.batch_size = check_int("batch_size", batch_size, 1)

    @property
    def signature(self) -> str:
        """The name of the model."""
        return self._signature

    @property
    def context(self) -> int | None:
        """Most tokens of a prompt and its continuation."""
        return self._context

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""
        return self.model.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        return self.model.decode(tokens)

    def write(
        self,
        prompts: Sequence[str],
        decoding: Decoding,
        options: WritingOptions,
        *,
        first: int = 0,
        on_progress: Progress | None = None,
    ) -> Iterator[tuple[int, Written]]:
        """Yield the position of a prompt and its continuation, see `Writer`."""
        prompts = check_prompts(prompts)
        check_int("first", first, 0)
        if not isinstance(decoding, Sampler | Beam | Adversarial):
            raise bad_parameter(
                either("decoders", "decoder", "decoding"),
                "a decoder that needs probabilities alone",
                str(decoding),
                f"{decoding.name} needs the hidden states of a Transformers model",
            )
        if self._context is not None:
            lengths = [len(self.encode(prompt)) for prompt in prompts]
            check_lengths(lengths, self._context, options.max_tokens)
        if isinstance(decoding, Adversarial):
            check_target(decoding)
        # A function, so that the checks above run at once and not with the first text.
        return self._written(prompts, decoding, options, first, on_progress)

    def _written(
        self,
        prompts: list[str],
        decoding: Sampler | Beam | Adversarial,
        options: WritingOptions,
        first: int,
        on_progress: Progress | None,
    ) -> Iterator[tuple[int, Written]]:
        texts = _write(self.model, decoding, prompts, options, first, self.batch_size)
        for n_done, (i, text) in enumerate(texts, start=1):
            if on_progress is not None:
                on_progress("writing", n_done, len(prompts))
            yield i, text


def _write(
    model: CausalModel,
    decoding: Decoder | Beam | Adversarial,
    prompts: Sequence[str],
    options: WritingOptions,
    first: int,
    batch_size: int,
) -> Iterator[tuple[int, Written]]:
    """Yield the continuation of each prompt, in their order."""
    for start in range(0, len(prompts), batch_size):
        contexts = [model.encode(prompt) for prompt in prompts[start : start + batch_size]]
        if isinstance(decoding, Beam):
            rows = [
                beam_search(
                    model, context, decoding,
                    max_tokens=options.max_tokens, min_tokens=options.min_tokens,
                )
                for context in contexts
            ]  # fmt: skip
        else:
            rngs = [
                np.random.default_rng([options.seed, first + start + k])
                for k in range(len(contexts))
            ]
            if isinstance(decoding, Adversarial):
                rows = _write_adversarial(model, decoding, contexts, options, rngs)
            else:
                rows = _sample(model, decoding, contexts, options, rngs)
        for i, (tokens, ended) in enumerate(rows, start=start):
            yield i, Written(model.decode(tokens), len(tokens), ended)


def _sample(
    model: CausalModel,
    decoder: Decoder,
    contexts: list[list[int]],
    options: WritingOptions,
    rngs: Sequence[np.random.Generator],
) -> list[tuple[list[int], bool]]:
    """Return the new tokens of each text, without the one that ended it, and whether one did."""
    written: list[list[int]] = [[] for _ in contexts]
    active = list(range(len(contexts)))  # texts that have not ended
    for n in range(options.max_tokens):
        if not active:
            break
        rows = model.next([contexts[i] for i in active])
        if n < options.min_tokens:
            rows = _without_end(rows, model.end)
        unfinished = []
        for i, probabilities in zip(active, decode(decoder, rows), strict=True):
            token = draw(probabilities, rngs[i])
            if token != model.end:
                contexts[i].append(token)
                written[i].append(token)
                unfinished.append(i)
        active = unfinished
    return [(tokens, i not in active) for i, tokens in enumerate(written)]


def _write_adversarial(
    model: CausalModel,
    decoding: Adversarial,
    contexts: list[list[int]],
    options: WritingOptions,
    rngs: Sequence[np.random.Generator],
) -> list[tuple[list[int], bool]]:
    """Return texts of the greatest length with about the perplexity of human text."""
    n_random = n_random_tokens(decoding, options.max_tokens)
    written: list[list[int]] = [[] for _ in contexts]
    total = np.zeros((len(contexts), 1))
    for n in range(options.max_tokens):
        rows = _without_end(model.next(contexts), model.end)
        rows /= rows.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            surprise = -np.log(rows)
        if n < n_random:
            possible = np.flatnonzero(np.isfinite(surprise[0]))
            tokens = [int(random_tokens(1, possible, rng)[0]) for rng in rngs]
        else:
            chosen = closest(surprise, total, np.full_like(total, n), check_target(decoding))
            tokens = chosen.tolist()
        for i, token in enumerate(tokens):
            total[i] += surprise[i, token]
            contexts[i].append(token)
            written[i].append(token)
    return [(tokens, False) for tokens in written]


def _without_end(rows: FloatArray, end: int) -> FloatArray:
    """Set the probability of the end to 0, which leaves sums below 1."""
    if (rows[:, end] >= 1).any():
        raise InvalidParameterError(
            f"{parameter('min_tokens')} must allow a text to end where no other token can "
            "follow. Got a context after which the model gives all other tokens the "
            "probability 0: use a smaller number."
        )
    rows[:, end] = 0
    return rows
