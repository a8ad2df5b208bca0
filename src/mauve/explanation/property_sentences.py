"""Say in one sentence how a property differs between human text and a system.

A sentence is returned only if it holds for the texts as counted and as printed.
"""

import math
from typing import NamedTuple

import numpy as np

from mauve.arrays import BoolArray, FloatArray
from mauve.escape import escaped
from mauve.formatting import format_share
from mauve.text.properties import TextProperty, format_pair

_ATOM = 0.5  # share of texts with exactly one number that is worth saying
_SHIFT = 0.25  # difference of means that is worth saying, in standard deviations


class Statement(NamedTuple):
    """A sentence, and the numbers of human texts and of the system in it."""

    sentence: str
    human: float
    model: float


def state(item: TextProperty, human: FloatArray, model: FloatArray) -> Statement | None:
    """Return how a property differs between two samples; None if no sentence holds.

    Parameters
    ----------
    item : TextProperty
    human, model : array of shape (n,)
        Its values; NaN where it is not defined.

    Examples
    --------
    >>> labels = "longer sentences", "shorter sentences", "{} words"
    >>> item = TextProperty("length", lambda view: 0, *labels)
    >>> state(item, np.array([10.0, 11.0, 12.0]), np.array([20.0, 21.0, 24.0])).sentence
    'Longer sentences: on average 22 words, 11 in human texts.'
    """
    if not item.is_number:
        return _shares(f"{item.verb} {escaped(item.more)}", human == 1, model == 1)
    human, model = human[~np.isnan(human)], model[~np.isnan(model)]
    if not len(human) or not len(model):
        return None
    if item.is_count and (statement := _same_number(item, human, model)):
        return statement
    p, q = float(human.mean()), float(model.mean())
    spread = float(np.sqrt((human.var() + model.var()) / 2))
    if abs(q - p) > _SHIFT * spread:
        return _means(item, p, q)
    return _quartiles(item, human, model) or _exceeding(item, human, model)


def reason(verb: str, more: str, unit: str, value: float) -> str:
    """Return what a property says of one text.

    Parameters
    ----------
    verb, more, unit : str
        Of the property.
    value : float
        Of the text.

    Examples
    --------
    >>> reason("have", "blank lines", "", 1.0), reason("start with", "white space", "", 0.0)
    ('has blank lines', 'does not start with white space')
    >>> reason("have", "longer sentences", "{} words per sentence", 31.25)
    '31 words per sentence'
    >>> reason("have", "more commas", "{} per 100 words", 8.25)
    '8.2 commas per 100 words'
    """
    more = escaped(more)
    if not unit:
        first, _, others = verb.partition(" ")
        if more.startswith("no "):  # "has no capital letter"
            return f"has {more}" if value else f"has {more.replace('no ', 'a ', 1)}"
        if value:
            first = "has" if first == "have" else f"{first}s"
            return " ".join(filter(None, [first, others, more]))
        return f"does not {verb} {more}"
    number = f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"
    return _full_unit(more, unit).format(number)


def _shares(what: str, human: BoolArray, model: BoolArray) -> Statement | None:
    p, q = float(human.mean()), float(model.mean())
    of_human, of_model = format_share(p), format_share(q)
    if of_human == of_model:
        return None
    return Statement(f"{of_model} of its texts {what}, {of_human} of human texts do.", p, q)


def _same_number(item: TextProperty, human: FloatArray, model: FloatArray) -> Statement | None:
    """Return that most texts of one sample have exactly one number, if few others have."""
    for values in (model, human):
        numbers, counts = np.unique(values, return_counts=True)
        number = numbers[np.argmax(counts)]
        p, q = float((human == number).mean()), float((model == number).mean())
        if max(p, q) >= _ATOM and min(p, q) <= _ATOM * max(p, q):
            what = f"have exactly {item.unit.format(f'{number:,.0f}')}"
            return _shares(what, human == number, model == number)
    return None


def _means(item: TextProperty, p: float, q: float) -> Statement | None:
    of_human, of_model = format_pair(p, q)
    if of_human == of_model:
        return None
    label = item.more if q > p else item.less
    percent = "%" if item.unit.startswith("{}%") else ""
    return Statement(
        f"{label[0].upper()}{label[1:]}: on average {item.unit.format(of_model)}, "
        f"{of_human}{percent} in human texts.",
        p,
        q,
    )


def _quartiles(item: TextProperty, human: FloatArray, model: FloatArray) -> Statement | None:
    """Return the middle halves, if one is clearly narrower and the printed numbers differ."""
    p_low, p_high = np.quantile(human, [0.25, 0.75])
    q_low, q_high = np.quantile(model, [0.25, 0.75])
    widths = p_high - p_low, q_high - q_low
    # Where most texts have none, how many have some says more.
    if max(widths) <= 1.25 * min(widths) or min(p_high, q_high) == 0:
        return None
    # As many decimals as show the wider one.
    digits = max(0, 1 - math.floor(math.log10(max(widths))))
    p, q = (
        f"{low:,.{digits}f} to {high:,.{digits}f}"
        for low, high in ((p_low, p_high), (q_low, q_high))
    )
    if p == q:
        return None
    percent = "%" if item.unit.startswith("{}%") else ""
    unit = _full_unit(item.more, item.unit)
    varies = "less" if widths[1] < widths[0] else "more"
    return Statement(
        f"Varies {varies} from text to text: {unit.format(q)} in the middle half of "
        f"its texts, {p}{percent} in that of human texts.",
        float(widths[0]),
        float(widths[1]),
    )


def _exceeding(item: TextProperty, human: FloatArray, model: FloatArray) -> Statement | None:
    """Return how many texts exceed the number at which the two distributions differ most."""
    values = np.unique(np.concatenate([human, model]))
    above = [1 - np.searchsorted(np.sort(x), values, "right") / len(x) for x in (human, model)]
    most = float(values[np.argmax(np.abs(above[1] - above[0]))])
    digits = 0 if item.is_count or most == 0 else max(0, 1 - math.floor(math.log10(abs(most))))
    number = f"{most:,.{digits}f}"
    limit = float(number.replace(",", ""))  # as printed
    p, q = float((human > limit).mean()), float((model > limit).mean())
    of_human, of_model = format_share(p), format_share(q)
    if of_human == of_model:
        return None
    unit = _full_unit(item.more, item.unit)
    if unit.startswith("{}% "):
        what = unit.format(number)
        return Statement(
            f"In {of_model} of its texts more than {what}, in {of_human} of human texts.", p, q
        )
    is_rate = unit != item.unit
    what = _thing(item.more) if is_rate and limit == 0 else f"more than {unit.format(number)}"
    return _shares(f"have {what}", human > limit, model > limit)


def _thing(more: str) -> str:
    return more.removeprefix("more ")


def _full_unit(more: str, unit: str) -> str:
    """Return the unit of a number, of a rate with what is counted.

    Examples
    --------
    >>> _full_unit("more commas", "{} per 100 words"), _full_unit("longer texts", "{} words")
    ('{} commas per 100 words', '{} words')
    """
    return f"{{}} {_thing(more)}{unit[2:]}" if unit.startswith("{} per ") else unit
