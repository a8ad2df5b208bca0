"""N-gram language models of words, estimated from documents."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from mauve.arrays import FloatArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError, bad_parameter, check_choice, check_int
from mauve.lm.kneser_ney import KneserNey
from mauve.text.words import tokenize

END = 0
UNKNOWN = 1
_SYMBOLS = ("<end>", "<unk>")  # their names; a word with the same spelling is another word


@dataclass(frozen=True, eq=False)
class NGramModel:
    """An n-gram language model with interpolated Kneser–Ney smoothing.

    Use :meth:`fit` to estimate one. It is a :class:`mauve.lm.protocol.CausalModel`.

    Attributes
    ----------
    order : int
        Length of the longest n-grams: a context has up to order - 1 words.
    vocabulary : tuple of str
        Word of each id: the end of a document, the unknown word, then the words, sorted.

    Notes
    -----
    The formula is that of :class:`mauve.lm.kneser_ney.KneserNey`. The end of a document is
    a word like others; its beginning is a symbol that is never predicted. The unknown word
    stands for any word that is not in the vocabulary. It is never seen in training, so its
    probability is an equal share of the mass that the unigrams' discount frees.

    Examples
    --------
    >>> model = NGramModel.fit([tokenize("a rose is a rose"), tokenize("a rose is red")], order=3)
    >>> model
    NGramModel(order=3)
    >>> after = model.probabilities(tokenize("a rose"))
    >>> model.vocabulary[after.argmax()], float(after.max().round(3))
    (' is', 0.778)
    """

    order: int
    vocabulary: tuple[str, ...] = field(repr=False)
    _smoothed: KneserNey = field(repr=False)

    end: ClassVar[int] = END

    @classmethod
    def fit(cls, documents: Sequence[Sequence[str]], order: int = 5) -> Self:
        """Estimate a model from documents.

        Parameters
        ----------
        documents : sequence of sequences of str
            Tokens of each, as :func:`mauve.text.words.tokenize` returns them.
        order : int
            Length of the longest n-grams.

        Returns
        -------
        NGramModel

        Examples
        --------
        >>> NGramModel.fit([tokenize("one text"), tokenize("another text")]).vocabulary
        ('<end>', '<unk>', ' text', 'another', 'one')
        """
        check_int("order", order, 1)
        for document in documents:
            _check_tokens("documents", document)
        words = sorted({token for document in documents for token in document})
        if not words:
            raise InvalidParameterError(
                f"{parameter('documents')} must hold at least one token. "
                f"Got {len(documents)} documents without any instead."
            )
        ids = {word: i for i, word in enumerate(words, start=len(_SYMBOLS))}
        numbered = [[*(ids[token] for token in document), END] for document in documents]
        vocabulary = (*_SYMBOLS, *words)
        return cls(order, vocabulary, KneserNey.estimate(numbered, order, len(vocabulary)))

    @property
    def vocabulary_size(self) -> int:
        """Number of words, the two symbols included."""
        return len(self.vocabulary)

    @cached_property
    def _ids(self) -> dict[str, int]:
        n_symbols = len(_SYMBOLS)
        return {word: i for i, word in enumerate(self.vocabulary[n_symbols:], start=n_symbols)}

    def _numbered(self, tokens: Sequence[str]) -> list[int]:
        return [self._ids.get(token, UNKNOWN) for token in tokens]

    def probabilities(self, context: Sequence[str]) -> FloatArray:
        """Return the probability of each word of the vocabulary to come next.

        Parameters
        ----------
        context : sequence of str
            Tokens of a document from its beginning, none for its first word.

        Returns
        -------
        array of float, shape (vocabulary_size,)
            Positive everywhere, with sum 1.

        Examples
        --------
        >>> model = NGramModel.fit([["a", "b", "a"], ["a", "b"]], order=2)
        >>> model.probabilities(["b"]).round(3).tolist()  # <end>, <unk>, a, b
        [0.453, 0.013, 0.453, 0.081]
        """
        _check_tokens("context", context)
        return self._smoothed.distribution(self._numbered(context))

    def log_probability(self, tokens: Sequence[str]) -> float:
        """Return the natural logarithm of the probability of a document, its end included.

        A word that is not in the vocabulary counts as the unknown word.

        Examples
        --------
        >>> model = NGramModel.fit([["a", "b", "a"], ["a", "b"]], order=2)
        >>> round(model.log_probability(["a", "b"]), 3)
        -1.48
        """
        _check_tokens("tokens", tokens)
        return float(np.log(self._smoothed.score([*self._numbered(tokens), END])).sum())

    def perplexity(self, documents: Sequence[Sequence[str]], *, unknown: str = "score") -> float:
        r"""Return the perplexity of documents under the model.

        Parameters
        ----------
        documents : sequence of sequences of str
            Tokens of each, at least one document.
        unknown : {"score", "skip"}
            Score a word that is not in the vocabulary as the unknown word, or leave it out
            of the mean; either way it is context for the words after it. Both lower the
            perplexity of a small vocabulary, "skip" more so: compare only models with the
            same vocabulary.

        Notes
        -----
        :math:`\exp(-\frac{1}{n} \sum_i \log P(w_i | w_1 \ldots w_{i-1}))` over the n words of
        all documents, the end of each included.

        Examples
        --------
        >>> model = NGramModel.fit([["a", "b", "a"], ["a", "b"]], order=2)
        >>> round(model.perplexity([["a", "c"]]), 2)
        7.01
        >>> round(model.perplexity([["a", "c"]], unknown="skip"), 2)
        1.72
        """
        check_choice("unknown", unknown, ["score", "skip"])
        if not documents:
            raise bad_parameter("documents", "at least one document", documents)
        logs = []
        for document in documents:
            _check_tokens("documents", document)
            ids = np.array([*self._numbered(document), END])
            log = np.log(self._smoothed.score(ids.tolist()))
            logs.append(log[ids != UNKNOWN] if unknown == "skip" else log)
        return float(np.exp(-np.concatenate(logs).mean()))

    def encode(self, text: str) -> list[int]:
        """Return the ids of the tokens of a text, unknown words as `UNKNOWN`."""
        return self._numbered(tokenize(text))

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of ids."""
        return "".join(self.vocabulary[token] for token in tokens)

    def next(self, contexts: Sequence[Sequence[int]]) -> FloatArray:
        """Return the probabilities of the next word for each context of ids, for generation.

        These are those of `probabilities`, renormalised without the unknown word, which has no
        text.

        Returns
        -------
        array of float, shape (len(contexts), vocabulary_size)
        """
        probabilities = np.empty((len(contexts), self.vocabulary_size))
        for row, context in zip(probabilities, contexts, strict=True):
            row[:] = self._smoothed.distribution(context)
        probabilities /= 1 - probabilities[:, [UNKNOWN]]
        probabilities[:, UNKNOWN] = 0
        return probabilities


def _check_tokens(name: str, tokens: Sequence[str]) -> None:
    # A string is a sequence of strings too: its letters would pass for words.
    if isinstance(tokens, str):
        rule = "tokens, as mauve.text.words.tokenize returns them"
        raise bad_parameter(name, rule, tokens[:40])
