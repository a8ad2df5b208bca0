"""Measure the properties of all texts of a comparison, also those that depend on other texts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from mauve.arrays import BoolArray, FloatArray, IntArray
from mauve.explanation.wording import PhraseTable
from mauve.text.beginnings import begins_with, common_beginning
from mauve.text.form_checks import BEGINNING
from mauve.text.form_properties import FORM_PROPERTIES
from mauve.text.properties import TextProperty
from mauve.text.style_properties import STYLE_PROPERTIES
from mauve.text.view import TextView

FEWEST = 10  # texts with a phrase or beginning; a share of fewer says little
_N_PHRASES = 12  # candidates of each sample
_N_COMMON = 50  # most frequent words
_WORTH = 0.1  # share of a sample with a beginning that is worth a test
_CONTENT = 4  # letters of a word that is taken for content
_TEMPLATE = 5  # words of a sequence that texts share


def _undefined(_: TextView) -> float:
    return np.nan


_COMMON = TextProperty(
    "common_words",
    _undefined,
    "more common words",
    "fewer common words",
    f"{{}}% of words are among the {_N_COMMON} most frequent",
)
_RARE = TextProperty(
    "rare_words",
    _undefined,
    "more rare words",
    "fewer rare words",
    "{}% of words are in no other text",
)
_TEMPLATES = TextProperty(
    "templates",
    _undefined,
    "more wording shared between texts",
    "less wording shared between texts",
    f"{{}} sequences of {_TEMPLATE} words that four or more other texts have too",
)
_COPIED = TextProperty(
    "prompt_words",
    _undefined,
    "more words of the prompt",
    "fewer words of the prompt",
    "{}% of long words are in the prompt",
)
_SURPRISAL = TextProperty(
    "surprisal",
    _undefined,
    "less predictable words",
    "more predictable words",
    "{} bits per token by the language model",
)
_SLOPE = TextProperty(
    "surprisal_slope",
    _undefined,
    "a second half that is less predictable than the first",
    "a second half that is more predictable than the first",
    "{} bits per token from the first to the second half",
)


@dataclass(frozen=True)
class Column:
    """A property and its values for the texts of a pair.

    Attributes
    ----------
    item : TextProperty
    values : array of shape (n,)
    is_chosen : bool
        Whether it was chosen by what the first half of the texts shows, so that only the second
        half can test it.
    """

    item: TextProperty
    values: FloatArray = field(repr=False)
    is_chosen: bool = False


@dataclass(frozen=True)
class PropertyTable:
    r"""All texts of a comparison with what their properties are computed from.

    Attributes
    ----------
    texts : list of str
        Of all samples, one after another.
    phrases : PhraseTable
        Of these texts.
    prompts : list of str or None
        The prompt of each text.
    log_probabilities : sequence of arrays, or None
        Of the tokens of each text, by a language model.

    Examples
    --------
    >>> from mauve.explanation.wording import phrase_table
    >>> texts = ["One line."] * 20 + ["One.\n\nTwo."] * 20
    >>> table = PropertyTable(texts, phrase_table(texts))
    >>> columns = table.columns(np.arange(40), np.arange(40) >= 20, np.arange(40) % 2 == 0)
    >>> [column.values[[0, 39]].tolist() for column in columns if column.item.key == "blank_lines"]
    [[0.0, 1.0]]
    """

    texts: list[str] = field(repr=False)
    phrases: PhraseTable = field(repr=False)
    prompts: list[str] | None = field(repr=False, default=None)
    log_probabilities: Sequence[FloatArray] | None = field(repr=False, default=None)

    @cached_property
    def _views(self) -> list[TextView]:
        return [TextView(text) for text in self.texts]

    @cached_property
    def _fixed(self) -> Mapping[TextProperty, FloatArray]:
        """Values of properties that depend on one text alone, or its prompt."""
        values = {item: item.of(self._views) for item in (*FORM_PROPERTIES, *STYLE_PROPERTIES)}
        values[_TEMPLATES] = self._templates()
        if self.prompts is not None:
            pairs = zip(self._views, self.prompts, strict=True)
            values[_COPIED] = np.array([_prompt_words(view, prompt) for view, prompt in pairs])
        if self.log_probabilities is not None:
            bits = [np.asarray(logs) / -np.log(2) for logs in self.log_probabilities]
            values[_SURPRISAL] = np.array([b.mean() if len(b) else np.nan for b in bits])
            values[_SLOPE] = np.array([_slope(b) for b in bits])
        return values

    def _templates(self) -> FloatArray:
        presence = self.phrases.presence
        if not presence.n_phrases:
            return np.zeros(len(self.texts))
        is_long = (presence.tokens >= 0).sum(axis=1) >= _TEMPLATE
        sums = np.concatenate([[0], np.cumsum(is_long[presence.columns])])
        return np.asarray(np.diff(sums[presence.starts]), dtype=np.float64)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The column of each phrase."""
        presence = self.phrases.presence
        return {presence.text_of(column): column for column in range(presence.n_phrases)}

    def columns(self, rows: IntArray, is_model: BoolArray, in_first: BoolArray) -> list[Column]:
        """Return all properties of some texts.

        Parameters
        ----------
        rows : array of int, shape (n,)
            Texts of a pair of samples.
        is_model : array of bool, shape (n,)
            Whether each is the system's.
        in_first : array of bool, shape (n,)
            The half of these that phrases and beginnings are chosen by.
        """
        columns = [Column(item, values[rows]) for item, values in self._fixed.items()]
        common, rare = self._frequencies(rows)
        columns += [Column(_COMMON, common), Column(_RARE, rare)]
        columns += self._beginnings(rows, is_model, in_first)
        columns += self._phrases(rows, is_model, in_first)
        return columns

    def _frequencies(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the shares of words that are frequent, and that no other text has, in percent."""
        views = [self._views[row] for row in rows]
        totals: Counter[str] = Counter()
        n_texts: Counter[str] = Counter()
        for view in views:
            totals.update(view.counts)
            n_texts.update(view.counts.keys())
        # Equally frequent words in alphabetic order, whatever the order of the texts.
        frequent = {w for w, _ in sorted(totals.items(), key=lambda i: (-i[1], i[0]))[:_N_COMMON]}
        once = {word for word, n in n_texts.items() if n == 1}
        shares = [
            [100 * sum(view.counts[w] for w in words & view.counts.keys()) / len(view.words)
             if view.words else np.nan for words in (frequent, once)]
            for view in views
        ]  # fmt: skip
        common, rare = np.array(shares, dtype=np.float64).T
        return common, rare

    def _beginnings(self, rows: IntArray, is_model: BoolArray, in_first: BoolArray) -> list[Column]:
        columns = {}
        texts = [self.texts[row] for row in rows]
        for of_model in (False, True):
            chosen = np.flatnonzero((is_model == of_model) & in_first)
            beginning, count = common_beginning([texts[i] for i in chosen])
            if count < max(FEWEST / 2, _WORTH * len(chosen)):
                continue
            if not any(map(str.isalnum, beginning)):  # a mark, which has a property of its own
                continue
            has = np.array([begins_with(text, beginning) for text in texts], dtype=np.float64)
            item = TextProperty(
                f"begins: {beginning}",
                _undefined,
                f"“{beginning}”",
                verb="begin with",
                # A single word, such as "The", is style, and so is "Once upon a" in some texts.
                is_form=" " in beginning and count >= BEGINNING * len(chosen),
            )
            columns[beginning] = Column(item, has, is_chosen=True)
        return [*columns.values()]

    def _phrases(self, rows: IntArray, is_model: BoolArray, in_first: BoolArray) -> list[Column]:
        human, model = rows[in_first & ~is_model], rows[in_first & is_model]
        chosen = [
            self._numbers[phrase.phrase]
            for focus, others in ((human, model), (model, human))
            for phrase in self.phrases.characteristic(focus, others, _N_PHRASES)
        ]
        texts, present = self.phrases.presence.pairs(rows)
        columns = []
        for number in dict.fromkeys(chosen):
            has = np.zeros(len(rows))
            has[texts[present == number]] = 1
            if has.sum() >= FEWEST:
                words = self.phrases.presence.text_of(number)
                key = f"phrase: {words}"
                verb = "have the words" if " " in words else "have the word"
                item = TextProperty(key, _undefined, f"“{words}”", verb=verb)
                columns.append(Column(item, has, is_chosen=True))
        return columns


def _prompt_words(view: TextView, prompt: str) -> float:
    """Return the share of long words of a text that its prompt has too, in percent."""
    of_prompt = set(TextView(prompt).words)
    long = [word for word in view.counts if len(word) >= _CONTENT]
    return 100 * sum(word in of_prompt for word in long) / len(long) if long else np.nan


def _slope(bits: FloatArray) -> float:
    """Return the mean surprisal of the second half less that of the first."""
    half = len(bits) // 2
    return float(bits[half:].mean() - bits[:half].mean()) if half else np.nan
