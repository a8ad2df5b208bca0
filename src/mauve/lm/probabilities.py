"""Probabilities of human tokens under a model and its decoding algorithms.

The measures of a model under test need two numbers for every human token: its probability
under the decoder's distribution, and the sum of squares of that distribution. One pass
through the model gives both for any number of decoders. Beam search and contrastive search
select whole texts or look ahead, so they have no distribution of the next token and cannot be
used here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mauve.arrays import FloatArray, IntArray
from mauve.calls import either
from mauve.embed.bundled import MODEL
from mauve.errors import bad_parameter
from mauve.lm.decoding import Decoder, parse_sampler
from mauve.lm.protocol import CausalModel, checked_prompts, need_transformers
from mauve.lm.sampling import decode
from mauve.progress import Progress

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class TokenProbabilities:
    """Probabilities of every human token under a model with a decoding algorithm.

    Attributes
    ----------
    probability : array of float64, shape (n_tokens,)
        Of each token, given those before it; 0 where the decoder cannot produce it.
    sum_of_squares : array of float64, shape (n_tokens,)
        Sum of the squared probabilities of all tokens of the vocabulary at this position.
    starts : array of int64, shape (n_texts + 1,)
        Tokens of text i are ``starts[i]`` to ``starts[i + 1] - 1``.
    vocabulary_size : int
    """

    probability: FloatArray
    sum_of_squares: FloatArray
    starts: IntArray
    vocabulary_size: int


def token_probabilities(
    model: str | Path | CausalModel,
    decoders: Sequence[str | Decoder],
    texts: Sequence[str],
    prompts: Sequence[str] | None = None,
    *,
    device: str = "auto",
    dtype: str = "auto",
    max_length: int | None = None,
    stride: int | None = None,
    revision: str | None = None,
    token_budget: int | None = None,
    logit_budget: int | None = None,
    on_progress: Progress | None = None,
) -> list[TokenProbabilities]:
    """Return the probabilities of every human token under a model, once for each decoder.

    Parameters
    ----------
    model : str, Path or CausalModel
        The name or folder of a causal Transformers model, ``"bundled"`` for the model of this
        package (both need the ``transformers`` extra), or a model such as
        :class:`mauve.lm.ngram.NGramModel`, which is called for each text.
    decoders : sequence of str or Decoder
        Such as ``["ancestral", "nucleus:0.95"]``, see :func:`mauve.lm.decoding.parse_sampler`.
    texts : sequence of str
        Human texts.
    prompts : sequence of str, optional
        Read before each text as context, and not scored.
    device, dtype, max_length, stride, revision
        See :func:`mauve.lm.scorer.get_scorer`; for Transformers models only.
    token_budget, logit_budget : int, optional
        See :class:`mauve.lm.causal.CausalReader`; for Transformers models only.
    on_progress : callable, optional
        For Transformers models only.

    Returns
    -------
    list of TokenProbabilities
        In the order of the decoders. As with a scorer, the first token of a text is
        conditioned on the beginning-of-text token, and left out where the model has none.

    Notes
    -----
    Softmax is computed in float32 (in float64 for a model in float64), so a probability
    below 1e-38 is 0.

    Examples
    --------
    >>> from mauve.lm.ngram import NGramModel
    >>> from mauve.text.words import tokenize
    >>> model = NGramModel.fit([tokenize("a rose is a rose"), tokenize("a rose is red")], order=3)
    >>> greedy, pure = token_probabilities(model, ["greedy", "ancestral"], ["a rose is red"])
    >>> greedy.probability.tolist(), pure.probability.round(2).tolist()
    ([1.0, 1.0, 1.0, 0.0], [0.67, 0.85, 0.79, 0.34])
    """
    if isinstance(decoders, str):
        raise bad_parameter("decoders", "a list of decoders", decoders)
    parsed = [parse_sampler(each) if isinstance(each, str) else each for each in decoders]
    if not parsed:
        return []
    if not isinstance(model, str | Path):
        return _text_by_text(model, parsed, texts, checked_prompts(texts, prompts))
    name = str(MODEL) if model == "bundled" else str(model)
    need_transformers(str(model))
    from mauve.lm.causal import CausalReader

    role = either("models", "model")
    reader = CausalReader(
        name, role=role, device=device, dtype=dtype, max_length=max_length,
        stride=stride, revision=revision, token_budget=token_budget, logit_budget=logit_budget,
    )  # fmt: skip

    def reduction(logits: "torch.Tensor", tokens: "torch.Tensor") -> "torch.Tensor":
        return _probabilities_and_squares(parsed, logits, tokens)

    values = reader.read(texts, prompts, reduction, 2 * len(parsed), on_progress)
    return _joined(values, reader.vocabulary_size, len(parsed))


def _probabilities_and_squares(
    decoders: Sequence[Decoder], logits: "torch.Tensor", tokens: "torch.Tensor"
) -> "torch.Tensor":
    """Return probabilities, then sums of squares, of each decoder: shape (2 * decoders, n)."""
    import torch

    wide = torch.float32 if logits.device.type == "mps" else torch.float64
    distribution = logits.softmax(dim=1)
    probabilities, squares = [], []
    for decoder in decoders:
        decoded = decode(decoder, distribution)
        probabilities.append(decoded.gather(1, tokens[:, None])[:, 0].to(wide))
        squares.append(decoded.square().sum(dim=1, dtype=wide))
    return torch.stack([*probabilities, *squares])


def _text_by_text(
    model: CausalModel, decoders: Sequence[Decoder], texts: Sequence[str], prompts: Sequence[str]
) -> list[TokenProbabilities]:
    values = []
    for prompt, text in zip(prompts, texts, strict=True):
        prompt_ids, text_ids = model.encode(prompt), model.encode(text)
        ids = [*prompt_ids, *text_ids]
        rows = model.next([ids[:end] for end in range(len(prompt_ids), len(ids))])
        text_values = np.empty((2 * len(decoders), len(text_ids)))
        for k, decoder in enumerate(decoders):
            for i, (row, token) in enumerate(zip(rows, text_ids, strict=True)):
                [distribution] = decode(decoder, row[None])
                text_values[k, i] = distribution[token]
                text_values[len(decoders) + k, i] = distribution @ distribution
        values.append(text_values)
    return _joined(values, model.vocabulary_size, len(decoders))


def _joined(
    values: Sequence[FloatArray], vocabulary_size: int, n_decoders: int
) -> list[TokenProbabilities]:
    """Return the values of all texts, each of shape (2 * decoders, n), by decoder."""
    joined = np.concatenate([np.empty((2 * n_decoders, 0)), *values], axis=1)
    starts = np.concatenate([[0], np.cumsum([part.shape[1] for part in values])]).astype(np.int64)
    return [
        TokenProbabilities(joined[k], joined[n_decoders + k], starts, vocabulary_size)
        for k in range(n_decoders)
    ]
