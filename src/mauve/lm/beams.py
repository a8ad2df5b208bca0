"""Beam search with any language model."""

from collections.abc import Sequence

import numpy as np

from mauve.arrays import FloatArray
from mauve.lm.protocol import CausalModel
from mauve.lm.searches import Beam


def beam_search(
    model: CausalModel,
    prompt: Sequence[int],
    beam: Beam,
    *,
    max_tokens: int,
    min_tokens: int = 0,
) -> tuple[list[int], bool]:
    """Return the tokens of the best text that the beams find, and whether it ended.

    Parameters
    ----------
    model : CausalModel
    prompt : sequence of int
    beam : Beam
    max_tokens, min_tokens : int
        Tokens at most, and those before which a text does not end.

    Notes
    -----
    Each step extends all beams by all tokens and keeps the b extensions that are the most
    probable and have not ended; of the b most probable ones, those that end a text are put
    aside. The search is over when no beam can score more than the best text put aside. One beam
    is greedy decoding: it is over when the most probable token ends the text.

    Examples
    --------
    >>> from mauve.lm.ngram import NGramModel
    >>> model = NGramModel.fit([["a", " b"], ["a", " b"], ["a", " c", " d"]], order=3)
    >>> tokens, ended = beam_search(model, [], Beam(4), max_tokens=5)
    >>> model.decode(tokens), ended
    ('a b', True)
    """
    beams: list[tuple[float, list[int]]] = [(0.0, [])]
    best: tuple[float, list[int], bool] = (-np.inf, [], False)
    for n in range(1, max_tokens + 1):
        rows = model.next([[*prompt, *tokens] for _, tokens in beams])
        with np.errstate(divide="ignore"):
            logs = np.log(rows)
        if n <= min_tokens:
            logs[:, model.end] = -np.inf
        for row, (_, tokens) in zip(logs, beams, strict=True):
            row[_repeating([*prompt, *tokens], beam.no_repeat)] = -np.inf
        totals = (logs + np.array([[total] for total, _ in beams])).ravel()
        size = logs.shape[1]
        extended: list[tuple[float, list[int]]] = []
        # One extension of each beam can be its end, so twice as many are enough.
        for rank, place in enumerate(_most_probable(totals, 2 * beam.b)):
            total = float(totals[place])
            if total == -np.inf or len(extended) == beam.b:
                break
            tokens, token = beams[place // size][1], int(place % size)
            score = total / n**beam.length_power
            if token != model.end:
                extended.append((total, [*tokens, token]))
                if n == max_tokens and score > best[0]:
                    best = score, [*tokens, token], False
            elif rank < beam.b and score > best[0]:
                best = score, tokens, True
        if beam.b == 1 and best[2]:
            break
        beams = extended
        # Totals only fall, and the longest text divides them by the most.
        longest = max_tokens if beam.length_power > 0 else n + 1
        if not beams or beams[0][0] / longest**beam.length_power <= best[0]:
            break
    return best[1], best[2]


def _most_probable(totals: FloatArray, n: int) -> list[int]:
    """Return the places of the n largest totals in falling order, of equal ones the first."""
    n = min(n, len(totals))
    least = np.partition(totals, -n)[-n]
    places = np.flatnonzero(totals >= least)
    return [int(place) for place in places[np.argsort(-totals[places], kind="stable")][:n]]


def _repeating(tokens: list[int], n: int) -> list[int]:
    """Return the tokens that would complete a sequence of n tokens that is there already.

    Examples
    --------
    >>> _repeating([1, 2, 3, 1, 2], 3)
    [3]
    """
    if n == 0 or len(tokens) < n:
        return []
    last = tokens[len(tokens) - n + 1 :]
    return [tokens[i + n - 1] for i in range(len(tokens) - n + 1) if tokens[i : i + n - 1] == last]
