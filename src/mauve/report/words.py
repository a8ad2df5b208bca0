"""Numbers and verdicts in plain words."""

from collections.abc import Sequence

from mauve.results import MauveResult

LEVEL = 0.05  # below, a p-value says that a difference is real


def score(value: float) -> str:
    """Return a score with three decimals.

    Examples
    --------
    >>> score(0.28412)
    '0.284'
    """
    return f"{value:.3f}"


def nats(value: float) -> str:
    """Return a part of a divergence, with a minus sign that lines up.

    Examples
    --------
    >>> nats(-0.00312), nats(-0.00001)
    ('−0.0031', '0.0000')
    """
    return f"{round(value, 4) + 0:.4f}".replace("-", "−")


def between(interval: Sequence[float], digits: int = 3) -> str:
    """Return the ends of an interval.

    Examples
    --------
    >>> between((0.2257, 0.3512))
    '0.226 to 0.351'
    """
    low, high = (f"{round(end, digits) + 0:.{digits}f}".replace("-", "−") for end in interval)
    return f"{low} to {high}"


def percent(share: float) -> str:
    """Return a share with as many digits as some hundred texts can tell.

    Examples
    --------
    >>> percent(0.1437), percent(0.0004), percent(0), percent(1)
    ('14.4%', '<0.1%', '0%', '100%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    return f"{share:.1%}" if share >= 0.0005 else "<0.1%"


def level(confidence: float) -> str:
    """Return the level of an interval.

    Examples
    --------
    >>> level(0.95), level(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * confidence:g}%"


def p_value(p: float) -> str:
    r"""Return a p-value as one reads it, on one line.

    Examples
    --------
    >>> p_value(0.000999), p_value(0.25), p_value(1e-9)
    ('p\xa0=\xa00.001', 'p\xa0=\xa00.250', 'p\xa0<\xa00.0001')
    """
    sign = "" if p < 0.0001 else "= "
    return f"p {sign}{p_cell(p).replace('<', '< ')}".replace(" ", "\N{NO-BREAK SPACE}")


def p_cell(p: float) -> str:
    """Return a p-value as a table has it.

    Examples
    --------
    >>> p_cell(0.000999), p_cell(1e-9)
    ('0.001', '<0.0001')
    """
    if p < 0.0001:
        return "<0.0001"
    return f"{p:.4f}" if p < 0.00095 else f"{p:.3f}"


def count(n: int, noun: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> count(1, "text"), count(5000, "text")
    ('1 text', '5,000 texts')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def joined(items: Sequence[str]) -> str:
    """Return things with commas and an "and".

    Examples
    --------
    >>> joined(["a", "b", "c"]), joined(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def verdict(result: MauveResult) -> str:
    r"""Return what the test says of a system.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(100, 4)), rng.normal(size=(100, 4)) + 1
    >>> verdict(mauve.compare(human, model)["model"])
    'can be told from people (p\xa0=\xa00.001)'
    """
    if result.p_value is None:
        return "was not tested for being told from people"
    if result.is_told:
        return f"can be told from people ({p_value(result.p_value)})"
    return f"cannot be told from people with these texts ({p_value(result.p_value)})"
