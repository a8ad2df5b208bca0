"""Format numbers and names, alike in tables, terminal, report and experiment trackers."""

import itertools
import re
from collections.abc import Sequence

#: A p-value below it says that a difference is real.
SIGNIFICANCE_LEVEL = 0.05

#: A share of fewer texts is written as a count.
MIN_SUPPORT = 10


def format_score(value: float) -> str:
    """Return a score with three decimals.

    Examples
    --------
    >>> format_score(0.28412)
    '0.284'
    """
    return f"{value:.3f}"


def format_signed(value: float) -> str:
    """Return a difference of scores with three decimals and its sign.

    Examples
    --------
    >>> format_signed(0.1574), format_signed(-0.1574), format_signed(-0.0001)
    ('+0.157', '−0.157', '0.000')
    """
    rounded = round(value, 3) + 0
    return f"{rounded:+.3f}".replace("-", "−") if rounded else "0.000"


def format_nats(value: float) -> str:
    """Return a divergence with four decimals and a minus sign as wide as a digit.

    Examples
    --------
    >>> format_nats(-0.00312), format_nats(-0.00001)
    ('−0.0031', '0.0000')
    """
    return f"{round(value, 4) + 0:.4f}".replace("-", "−")


def format_interval(interval: Sequence[float], digits: int = 3) -> str:
    """Return an interval.

    Examples
    --------
    >>> format_interval((0.2257, 0.3512))
    '0.226 to 0.351'
    """
    low, high = (format_fixed(end, digits) for end in interval)
    return f"{low} to {high}"


def format_fixed(value: float, digits: int) -> str:
    """Return a number with as many decimals, and a minus sign as wide as a digit.

    Examples
    --------
    >>> format_fixed(-30.77, 1), format_fixed(-0.001, 1)
    ('−30.8', '0.0')
    """
    return f"{round(value, digits) + 0:.{digits}f}".replace("-", "−")


def format_share(share: float) -> str:
    """Return a share in percent with one decimal.

    Examples
    --------
    >>> format_share(0.1437), format_share(0.0004), format_share(0), format_share(1)
    ('14.4%', '<0.1%', '0%', '100%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{share:.1%}" if share >= 0.0005 else "<0.1%"


def format_part(count: int, total: int) -> str:
    """Return a share of texts in percent, or as a count if few texts have the property.

    Examples
    --------
    >>> format_part(72, 500), format_part(4, 12), format_part(0, 1000)
    ('14.4%', '4 of 12', '0 of 1,000')
    """
    return format_share(count / total) if count >= MIN_SUPPORT else f"{count:,} of {total:,}"


def format_part_of(count: int, total: int, whose: str) -> str:
    """Return a share of the texts of a sample; `whose` is "human" or "its".

    Examples
    --------
    >>> format_part_of(72, 500, "human"), format_part_of(4, 500, "human")
    ('14.4% of human texts', '4 of 500 human texts')
    >>> format_part_of(72, 500, "its"), format_part_of(4, 500, "its")
    ('14.4% of its texts', '4 of its 500 texts')
    """
    if count >= MIN_SUPPORT:
        return f"{format_share(count / total)} of {whose} texts"
    return f"{count:,} of {f'{total:,} human' if whose == 'human' else f'its {total:,}'} texts"


def format_level(confidence: float) -> str:
    """Return the confidence level of an interval.

    Examples
    --------
    >>> format_level(0.95), format_level(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * confidence:g}%"


def format_p_value(p: float) -> str:
    """Return a p-value as a table has it.

    Examples
    --------
    >>> format_p_value(0.000999), format_p_value(1e-9)
    ('0.0010', '<0.0001')
    """
    return f"{p:.4f}" if p >= 0.0001 else "<0.0001"


def p_value_phrase(p: float) -> str:
    """Return a p-value as a sentence has it.

    Examples
    --------
    >>> p_value_phrase(0.000999), p_value_phrase(1e-9)
    ('p = 0.0010', 'p < 0.0001')
    """
    sign = "<" if p < 0.0001 else "="
    return f"p {sign} {format_p_value(p).lstrip('<')}"


def format_count(n: int, noun: str) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> format_count(1, "text"), format_count(5000, "text")
    ('1 text', '5,000 texts')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def metric_names(names: Sequence[str]) -> dict[str, str]:
    """Return names as a part of the keys that experiment trackers take, all different.

    Trackers read a slash as a level, and MLflow takes letters, digits and ``_-.: `` alone.

    Examples
    --------
    >>> metric_names(["gpt2", "top_k=50", "top_k/50"])
    {'gpt2': 'gpt2', 'top_k=50': 'top_k_50', 'top_k/50': 'top_k_50_2'}
    """
    keys: dict[str, str] = {}
    for name in names:
        plain = key = re.sub(r"[^\w\-.: ]", "_", name) or "_"
        for i in itertools.count(2):
            if key not in keys.values():
                break
            key = f"{plain}_{i}"
        keys[name] = key
    return keys


def format_list(items: Sequence[str]) -> str:
    """Return items joined by commas and "and".

    Examples
    --------
    >>> format_list(["a", "b", "c"]), format_list(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def format_seconds(seconds: float) -> str:
    """Return a time span in whole seconds, minutes or hours.

    Examples
    --------
    >>> format_seconds(4.2), format_seconds(95), format_seconds(7260)
    ('4 s', '1 min 35 s', '2 h 1 min')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
