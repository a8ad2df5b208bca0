"""What the test says of a system, in plain words."""

from mauve.comparison.results import MauveResult
from mauve.formatting import p_value_phrase


def verdict(result: MauveResult) -> str:
    r"""Return what the test says of a system.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(100, 4)), rng.normal(size=(100, 4)) + 1
    >>> verdict(mauve.compare(human, model)["model"])
    'can be told from people (p\xa0=\xa00.0010)'
    """
    if result.p_value is None:
        return "was not tested for being told from people"
    if result.is_distinguishable:
        return f"can be told from people ({p_value_phrase(result.p_value)})"
    return f"cannot be told from people with these texts ({p_value_phrase(result.p_value)})"
