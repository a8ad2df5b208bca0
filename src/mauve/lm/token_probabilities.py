"""What a model under test, with its decoding algorithms, makes of human texts.

Language-model measures need two numbers of every human token: its probability under the
decoder's distribution, and the sum of squares of that distribution. One pass through the
model gives both for any number of decoders. Beam search and contrastive search choose whole
texts or look ahead, and have no distribution of the next token; they are no decoders here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mauve.arrays import FloatArray
from mauve.embed.bundled import MODEL
from mauve.embed.protocol import Progress
from mauve.errors import bad_parameter
from mauve.lm.decoding import Decoder, parse_decoder
from mauve.lm.generation import CausalModel
from mauve.lm.scorer import check_texts, need_transformers
from mauve.measures.protocol import TokenProbabilities

if TYPE_CHECKING:
    import torch

_CALLER = "token_probabilities"


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
    on_progress: Progress | None = None,
) -> list[TokenProbabilities]:
    """Return what a model makes of every human token, once for each decoder.

    Parameters
    ----------
    model : str, Path or CausalModel
        The name or folder of a causal Transformers model, ``"bundled"`` for the model of this
        package (both need the ``transformers`` extra), or a model such as
        :class:`mauve.lm.ngram.NGramModel`, which is asked token by token.
    decoders : sequence of str or Decoder
        Such as ``["ancestral", "nucleus:0.95"]``, see :func:`mauve.lm.decoding.parse_decoder`.
    texts : sequence of str
        Human texts.
    prompts : sequence of str, optional
        Read before each text as context, and not scored.
    device, dtype, max_length, stride, revision
        See :func:`mauve.lm.scorer.get_scorer`; they are for Transformers models.

    Returns
    -------
    list of TokenProbabilities
        In the order of the decoders. As with a scorer, the first token of a text is given
        the token that begins a text, and is left out where the model has none.

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
        raise bad_parameter(_CALLER, "decoders", "a list of decoders", decoders)
    own = [parse_decoder(each) if isinstance(each, str) else each for each in decoders]
    if not own:
        return []
    if not isinstance(model, str | Path):
        return _asked_token_by_token(model, own, texts, check_texts(_CALLER, texts, prompts))
    name = str(MODEL) if model == "bundled" else str(model)
    need_transformers(str(model))
    from mauve.lm.causal import CausalReader

    reader = CausalReader(
        name, caller=_CALLER, role="model", device=device, dtype=dtype,
        max_length=max_length, stride=stride, revision=revision,
    )  # fmt: skip

    def visit(logits: "torch.Tensor", tokens: "torch.Tensor") -> "torch.Tensor":
        return _visited(own, logits, tokens)

    found = reader.read(texts, prompts, visit, 2 * len(own), on_progress)
    return _as_tables(found, reader.vocabulary_size, len(own))


def _visited(
    decoders: Sequence[Decoder], logits: "torch.Tensor", tokens: "torch.Tensor"
) -> "torch.Tensor":
    """Return probabilities, then sums of squares, of each decoder: shape (2 * decoders, n)."""
    import torch

    from mauve.lm.decoding_torch import decode, widest

    wide = widest(logits.device)
    model = logits.softmax(dim=1)
    chances, squares = [], []
    for decoder in decoders:
        found = decode(decoder, model)
        chances.append(found.gather(1, tokens[:, None])[:, 0].to(wide))
        squares.append(found.square().sum(dim=1, dtype=wide))
    return torch.stack([*chances, *squares])


def _asked_token_by_token(
    model: CausalModel, decoders: Sequence[Decoder], texts: Sequence[str], prompts: Sequence[str]
) -> list[TokenProbabilities]:
    found = []
    for prompt, text in zip(prompts, texts, strict=True):
        before, own = model.encode(prompt), model.encode(text)
        ids = [*before, *own]
        rows = model.next([ids[:end] for end in range(len(before), len(ids))])
        values = np.empty((2 * len(decoders), len(own)))
        for k, decoder in enumerate(decoders):
            for i, (row, token) in enumerate(zip(rows, own, strict=True)):
                chances = decoder(row)
                values[k, i] = chances[token]
                values[len(decoders) + k, i] = chances @ chances
        found.append(values)
    return _as_tables(found, model.vocabulary_size, len(decoders))


def _as_tables(
    found: Sequence[FloatArray], vocabulary_size: int, n_decoders: int
) -> list[TokenProbabilities]:
    every = np.concatenate([np.empty((2 * n_decoders, 0)), *found], axis=1)
    starts = np.concatenate([[0], np.cumsum([part.shape[1] for part in found])]).astype(np.int64)
    return [
        TokenProbabilities(every[k], every[n_decoders + k], starts, vocabulary_size)
        for k in range(n_decoders)
    ]
