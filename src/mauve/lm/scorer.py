"""Load the language model that scores the tokens of texts: the bundled one, or any causal one."""

from collections.abc import Sequence
from copy import copy

import numpy as np

from mauve.arrays import FloatArray
from mauve.calls import either, parameter
from mauve.embed.batching import padded, token_batches
from mauve.embed.bundled import CONTEXT, END_OF_TEXT, checksum, encoded, session
from mauve.errors import InvalidParameterError, bad_parameter, check_int
from mauve.lm.protocol import (
    TokenScorer,
    Window,
    check_window,
    checked_prompts,
    need_transformers,
    windows_of,
)
from mauve.plugins import lacking
from mauve.progress import Progress


def get_scorer(
    spec: str | TokenScorer = "bundled",
    *,
    device: str = "auto",
    dtype: str | None = None,
    max_length: int | None = None,
    stride: int | None = None,
    revision: str | None = None,
) -> TokenScorer:
    """Return the language model of a given name.

    Parameters
    ----------
    spec : str or TokenScorer
        ``"bundled"``, or the name or folder of a causal Transformers model; the paper's is
        ``"gpt2-large"``. A scorer is returned unchanged.
    device : str
        "auto", "cpu", "cuda", "cuda:1", "mps", or several with commas. The bundled model
        always runs on the CPU.
    dtype : {"auto", "float32", "bfloat16", "float16", "float64"}, optional
        By default a 16-bit type on a GPU, float32 elsewhere.
    max_length : int, optional
        Tokens that the model reads at once; by default as many as it can. Longer texts are
        read in windows, see :func:`mauve.lm.protocol.windows`.
    stride : int, optional
        Tokens that a window adds to the previous one; by default half of `max_length`.
    revision : str, optional
        Commit, tag or branch on the hub.

    Examples
    --------
    >>> scores = get_scorer("bundled").log_probabilities(["The cat sat on the mat.", ""])
    >>> [len(text) for text in scores], bool((scores[0] < 0).all())
    ([7, 0], True)
    """
    if not isinstance(spec, str):
        if isinstance(spec, TokenScorer):
            return spec
        problem = lacking(spec, TokenScorer)
        name = either("language_model", "spec")
        raise bad_parameter(name, "a name or a TokenScorer", spec, problem)
    if spec == "bundled":
        unknown = [name for name, value in (("dtype", dtype), ("revision", revision)) if value]
        if unknown:
            raise InvalidParameterError(
                "The language model 'bundled' must be given options it has: max_length, "
                f"stride. Got {', '.join(unknown)} instead."
            )
        return BundledScorer(max_length=max_length, stride=stride)
    need_transformers(spec)
    from mauve.lm.causal import TransformersScorer

    return TransformersScorer(
        spec, device=device, dtype=dtype or "auto", max_length=max_length, stride=stride,
        revision=revision,
    )  # fmt: skip


def bare_scorer(scorer: TokenScorer) -> TokenScorer:
    """Return a scorer that reads texts without a beginning-of-text token, or raise.

    Parameters
    ----------
    scorer : TokenScorer
        One of this package, or an object with a method ``without_beginning``.

    Examples
    --------
    >>> bare_scorer(get_scorer("bundled")).log_probabilities(["one"])[0].tolist()
    []
    """
    make = getattr(scorer, "without_beginning", None)
    if make is None:
        raise InvalidParameterError(
            f"{parameter('language_model')} must be a name, or a TokenScorer with a method "
            f"'without_beginning', for the measure 'perplexity-authors'. Got "
            f"{type(scorer).__name__} instead: give one, or leave the measure out."
        )
    bare: TokenScorer = make()
    return bare


class BundledScorer:
    """Log-probabilities from the bundled model, run by ONNX Runtime without torch.

    Parameters
    ----------
    max_length : int, optional
        Tokens that it reads at once, at most 512, which is the default.
    stride : int, optional
        Tokens that a window of a longer text adds to the previous one; by default half of
        `max_length`.
    token_budget : int
        Tokens of a batch at most. The logits of 4096 tokens take 128 MB.

    Examples
    --------
    >>> scorer = BundledScorer()
    >>> usual, odd = scorer.log_probabilities(["It was a cold day.", "It cold was day a."])
    >>> bool(usual.mean() > odd.mean())
    True
    """

    def __init__(
        self,
        *,
        max_length: int | None = None,
        stride: int | None = None,
        token_budget: int = 4096,
    ) -> None:
        self.max_length, self.stride = check_window(max_length, stride, CONTEXT)
        self.token_budget = check_int("token_budget", token_budget, 1)
        self._beginning = [END_OF_TEXT]

    @property
    def signature(self) -> str:
        """Model, length and stride."""
        return f"bundled-{checksum()}:{self.max_length}:{self.stride}"

    def without_beginning(self) -> "BundledScorer":
        """Return a scorer that reads texts without the token that stands before them.

        Examples
        --------
        >>> bare = BundledScorer().without_beginning()
        >>> [len(text) for text in bare.log_probabilities(["The cat sat on the mat.", ""])]
        [6, 0]
        """
        bare = copy(self)
        bare._beginning = []
        return bare

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[FloatArray]:
        """Return the natural log-probability of every token of each text.

        The end-of-text token stands before every text, so the first token is scored too; not
        after :meth:`without_beginning`.
        """
        prompt_ids = [*encoded(checked_prompts(texts, prompts))]
        text_ids = [*encoded(texts)]
        ids = [[*self._beginning, *p, *t] for p, t in zip(prompt_ids, text_ids, strict=True)]
        firsts = [max(1, len(self._beginning) + len(prompt)) for prompt in prompt_ids]
        windows = windows_of(ids, firsts, self.max_length, self.stride)
        scores = [
            np.empty(max(0, len(row) - first)) for row, first in zip(ids, firsts, strict=True)
        ]
        n_done = 0
        lengths = [window.end - window.start for _, window in windows]
        for rows in token_batches(lengths, self.token_budget):
            batch = [windows[row] for row in rows]
            batch_scores = _run([(ids[i], window) for i, window in batch])
            for (i, window), window_scores in zip(batch, batch_scores, strict=True):
                scores[i][window.first - firsts[i] : window.end - firsts[i]] = window_scores
            n_done += len(batch)
            if on_progress is not None:
                on_progress("scoring", n_done, len(windows))
        return scores


def _run(batch: list[tuple[list[int], Window]]) -> list[FloatArray]:
    """Return the log-probabilities of the scored tokens of each window."""
    table = padded([row[window.start : window.end] for row, window in batch], END_OF_TEXT)
    sizes = [window.end - window.first for _, window in batch]
    before = [
        k * table.shape[1] + position - window.start - 1  # an index into the flattened table
        for k, (_, window) in enumerate(batch)
        for position in range(window.first, window.end)
    ]
    inputs = {"ids": table, "before": np.array(before, dtype=np.int64)}
    (scores,) = session().run(["log_probability"], inputs)
    return np.split(scores.astype(np.float64), np.cumsum(sizes)[:-1])


class RememberedScorer:
    """A scorer that keeps the result of its last call in memory.

    It saves time where several steps of a job score the same texts after the same prompts.

    Parameters
    ----------
    scorer : TokenScorer

    Examples
    --------
    >>> scorer = RememberedScorer(get_scorer("bundled"))
    >>> first, again = (scorer.log_probabilities(["one"]) for _ in range(2))
    >>> first[0] is again[0]
    True
    """

    def __init__(self, scorer: TokenScorer) -> None:
        self.scorer = scorer
        self._last: tuple[list[str], list[str] | None, list[FloatArray]] | None = None

    @property
    def signature(self) -> str:
        """The signature of the scorer, whose scores are unchanged."""
        return self.scorer.signature

    def without_beginning(self) -> TokenScorer:
        """Return the scorer without the token that stands before texts.

        Examples
        --------
        >>> scorer = RememberedScorer(get_scorer("bundled")).without_beginning()
        >>> len(scorer.log_probabilities(["one two"])[0])
        1
        """
        return bare_scorer(self.scorer)

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[FloatArray]:
        """Return the log-probabilities of tokens, from memory if the last call was the same."""
        prompt_list = None if prompts is None else [*prompts]
        if self._last is None or self._last[:2] != ([*texts], prompt_list):
            scores = self.scorer.log_probabilities(texts, on_progress, prompts)
            self._last = [*texts], prompt_list, scores
        return [*self._last[2]]
