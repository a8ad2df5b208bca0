"""A language model that reads the texts of its last call only once."""

from collections.abc import Sequence

from mauve.arrays import FloatArray
from mauve.embed.protocol import Progress
from mauve.lm.scorer import TokenScorer


class RememberedScorer:
    """A scorer for several steps of one job that read the same texts.

    It keeps the log-probabilities of the call before in memory. Texts after other prompts are
    other texts.

    Parameters
    ----------
    scorer : TokenScorer

    Examples
    --------
    >>> from mauve.lm.scorer import get_scorer
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
        """The scorer's own, as log-probabilities do not change by being kept."""
        return self.scorer.signature

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[FloatArray]:
        """Return the log-probabilities of tokens, from the call before if it had the same."""
        asked = None if prompts is None else [*prompts]
        if self._last is None or self._last[:2] != ([*texts], asked):
            found = self.scorer.log_probabilities(texts, on_progress, prompts)
            self._last = [*texts], asked, found
        return [*self._last[2]]
