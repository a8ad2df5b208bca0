"""Find the properties of texts that differ between human text and a system, in plain words.

Each property is tested between the two samples, with control of the false discovery rate, and
ranked by how much of the distinction between the samples it carries: alone, and beyond those of
its kind, form or other, ranked above it. Every sentence states both numbers, as counted over all
texts.
"""

from dataclasses import dataclass

import numpy as np

from mauve.arrays import BoolArray, FloatArray, HashArray, IntArray
from mauve.embed.load import Samples
from mauve.explanation.property_columns import Column, PropertyTable
from mauve.explanation.property_results import DifferingProperties, PropertyDifference
from mauve.explanation.property_sentences import Statement, state
from mauve.explanation.wording import phrase_table
from mauve.formatting import SIGNIFICANCE_LEVEL
from mauve.hashes import text_keys
from mauve.text.distinction import (
    balanced_weights,
    crossfit,
    difference_p_value,
    distinction,
    false_discovery_rate,
    halves,
)

_LEAST_ALONE = 0.01  # distinction worth a sentence: shares of 45% and 55%
_LEAST_BEYOND = 0.005  # distinction that a further property must add
_MOST = 8  # properties of each kind that are ranked
_INSTEAD = 0.5  # share of the texts without straight quotes that must have curly ones instead
_AS_GOOD = 0.97  # share of the best gain from which on the earlier property is preferred


def differing_properties(
    table: PropertyTable,
    rows: IntArray,
    is_model: BoolArray,
    in_first: BoolArray,
    groups: HashArray | None = None,
) -> DifferingProperties:
    r"""Test and rank the properties of the texts of two samples.

    Parameters
    ----------
    table : PropertyTable
    rows : array of int, shape (n,)
        The human texts and those of a system, in this order.
    is_model : array of bool, shape (n,)
        Whether each is the system's.
    in_first : array of bool, shape (n,)
        One half of them: see :func:`mauve.text.distinction.halves`.
    groups : array of int, shape (n,), optional
        Equal for texts of one prompt.

    Notes
    -----
    Words, phrases and beginnings are chosen by the first half and tested by the second; other
    properties need no choice and are tested by all texts.

    Examples
    --------
    >>> from mauve.explanation.wording import phrase_table
    >>> human = [f"It is {i}. There is more, or not." for i in range(60)]
    >>> model = [f"It is {i}.\n\nThere is more, or not." for i in range(60)]
    >>> table = PropertyTable(human + model, phrase_table(human + model))
    >>> is_model = np.arange(120) >= 60
    >>> differing = differing_properties(table, np.arange(120), is_model, np.arange(120) % 2 == 0)
    >>> differing.sentences
    ['100% of its texts have blank lines, 0% of human texts do.']
    """
    columns = _without_mirror(table.columns(rows, is_model, in_first), is_model)
    p_values = np.array([_p_value(column, is_model, in_first, groups) for column in columns])
    adjusted = false_discovery_rate(p_values)
    candidates = []
    for column, p in zip(columns, adjusted, strict=True):
        if p > SIGNIFICANCE_LEVEL:
            continue
        statement = state(column.item, column.values[~is_model], column.values[is_model])
        probability = crossfit(column.values, is_model, in_first)
        alone = distinction(probability, is_model)
        if statement is not None and alone >= _LEAST_ALONE:
            candidates.append(_Candidate(column, statement, float(p), probability, alone))
    kinds = [
        [c for c in candidates if c.column.item.is_form == is_form] for is_form in (True, False)
    ]
    chosen = [pair for kind in kinds for pair in _ranked(kind, is_model)]
    # Form first where it is as good: the word "b" of the tag <b> may stand in a text without it.
    chosen.sort(
        key=lambda pair: -round(pair[1] / (_AS_GOOD if pair[0].column.item.is_form else 1), 2)
    )
    ranked = [candidate for candidate, _ in chosen]
    empty = np.empty((len(rows), 0))
    return DifferingProperties(
        tuple(candidate.difference(gain, is_model) for candidate, gain in chosen),
        len(columns),
        int((adjusted <= SIGNIFICANCE_LEVEL).sum()),
        tuple((c.column.item.verb, c.column.item.more, c.column.item.unit) for c in ranked),
        np.stack([c.column.values for c in ranked], axis=1) if ranked else empty,
        np.stack([c.probability for c in ranked], axis=1) if ranked else empty,
    )


def system_properties(table: PropertyTable, samples: Samples, name: str) -> DifferingProperties:
    """Test and rank the properties of a system of a comparison and human text.

    Parameters
    ----------
    table : PropertyTable
        Of all texts of the samples.
    samples : Samples
    name : str
        The system.
    """
    human = samples.rows_of(samples.human_name)
    rows = np.concatenate([human, samples.rows_of(name)])
    groups = None if samples.prompt_hashes is None else samples.prompt_hashes[rows]
    # Texts of one prompt are in one half, so that halves are independent.
    in_first = halves(text_keys(samples.hashes[rows]) if groups is None else groups)
    return differing_properties(table, rows, np.arange(len(rows)) >= len(human), in_first, groups)


def comparison_properties(samples: Samples) -> dict[str, DifferingProperties]:
    """Return the properties in which each system differs from human text; none for features.

    Examples
    --------
    >>> from mauve.embed.load import load_samples
    >>> texts = {"human": ["One line."] * 40, "model": ["Two. Lines."] * 40}
    >>> comparison_properties(load_samples(texts))["model"].sentences[0]
    '100% of its texts have exactly 2 sentences, 0% of human texts do.'
    """
    if samples.texts is None:
        return {}
    texts = [text for sample in samples.texts.values() for text in sample]
    table = PropertyTable(texts, phrase_table(texts), samples.all_prompts)
    return {name: system_properties(table, samples, name) for name in samples.system_names}


def _without_mirror(columns: list[Column], is_model: BoolArray) -> list[Column]:
    """Return the properties without straight quotes where the other sample has curly ones instead.

    That is one difference, and curly quotes are the form that a step removes. Where the other
    sample has no quotes at all, the difference is that only one sample quotes.
    """
    curly, straight = (
        next(
            c.values[is_model].mean() - c.values[~is_model].mean()
            for c in columns
            if c.item.key == k
        )
        for k in ("curly_quotes", "straight_quotes")
    )
    if -curly * np.sign(straight) < _INSTEAD * abs(straight) or not curly:
        return columns
    return [column for column in columns if column.item.key != "straight_quotes"]


def _p_value(
    column: Column, is_model: BoolArray, in_first: BoolArray, groups: HashArray | None
) -> float:
    tested = ~in_first if column.is_chosen else np.ones(len(is_model), dtype=bool)
    if not (tested & is_model).any() or not (tested & ~is_model).any():
        return 1.0
    return difference_p_value(
        column.values[tested], is_model[tested], None if groups is None else groups[tested]
    )


@dataclass(frozen=True)
class _Candidate:
    """A property that differs significantly."""

    column: Column
    statement: Statement
    p_value: float
    probability: FloatArray
    alone: float

    def difference(self, beyond: float, is_model: BoolArray) -> PropertyDifference:
        """Return it as a result."""
        item = self.column.item
        human, model = self.probability[~is_model], self.probability[is_model]
        return PropertyDifference(
            key=item.key,
            sentence=self.statement.sentence,
            human=self.statement.human,
            model=self.statement.model,
            p_value=self.p_value,
            alone=self.alone,
            beyond=beyond,
            is_form=item.is_form,
            step=item.step,
            human_text=int(np.argmin(human)),
            model_text=int(np.argmax(model)),
        )


def _ranked(candidates: list[_Candidate], is_model: BoolArray) -> list[tuple[_Candidate, float]]:
    """Return the properties in the order in which each adds most, and what each adds."""
    chosen: list[int] = []
    gains: list[float] = []
    if not candidates:
        return []
    weights = np.sqrt(balanced_weights(is_model))
    # Each column around its mean; what is explained by chosen ones is taken out in turn.
    features = np.stack([c.probability for c in candidates], axis=1) - 0.5
    features = weights[:, None] * (features - weights**2 @ features)
    rest = weights * (is_model - 0.5) * 2
    original = (features**2).sum(axis=0)
    for _ in range(min(_MOST, len(candidates))):
        norms = (features**2).sum(axis=0)
        usable = norms > 1e-3 * original  # else it is a combination of those chosen
        gain = np.where(usable, (features.T @ rest) ** 2 / np.maximum(norms, 1e-300), 0.0)
        gain[chosen] = 0.0
        if gain.max() < (_LEAST_BEYOND if chosen else 0.0):
            break
        best = int(np.flatnonzero(gain >= _AS_GOOD * gain.max())[0])
        chosen.append(best)
        gains.append(float(gain[best]))
        direction = features[:, best] / np.sqrt(norms[best])
        rest = rest - direction * (direction @ rest)
        features = features - np.outer(direction, direction @ features)
    return [(candidates[i], gain) for i, gain in zip(chosen, gains, strict=True)]
