"""Options of the commands that compare."""

import math
from typing import Annotated

import typer

from mauve.cli import samples
from mauve.cli.embedding import choice
from mauve.escape import escaped
from mauve.frontier.estimators import ESTIMATORS
from mauve.quantize.reduce import ORDERS
from mauve.quantize.registry import QUANTIZERS


def number_or_auto(value: str) -> int | str:
    """Return a whole number, or 'auto' as it is.

    Examples
    --------
    >>> number_or_auto("20"), number_or_auto("auto")
    (20, 'auto')
    """
    if value == "auto":
        return value
    try:
        return int(value)
    except ValueError:
        raise typer.BadParameter(
            f"must be a whole number or 'auto'. Got '{escaped(value)}' instead."
        ) from None


def checked_number(value: str) -> str:
    """Raise unless an option is a whole number or 'auto'."""
    return str(number_or_auto(value))


Buckets = Annotated[
    str,
    typer.Option(
        metavar="K",
        callback=checked_number,
        help="Number of cells, or 'auto': a tenth of the smallest sample, from 2 to 500; the "
        "nearest cube for drmm, 744 for lattice.",
    ),
]
Quantizer = Annotated[
    str,
    choice(
        QUANTIZERS,
        f"What divides the features into cells: {', '.join(QUANTIZERS)}; the latter two are "
        "trained, and need torch.",
    ),
]
Clusterings = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=5,
        help="Clusterings to average over, a multiple of 5; 40 by default, or 5 of a quantizer "
        "that is trained.",
    ),
]
Scaling = Annotated[
    float,
    typer.Option(
        metavar="C",
        callback=samples.number("above 0", lambda x: 0 < x < math.inf),
        help="The constant c of the paper.",
    ),
]
Estimator = Annotated[
    str,
    choice(ESTIMATORS, f"How divergences are estimated from counts: {', '.join(ESTIMATORS)}."),
]
Order = Annotated[
    str,
    choice(ORDERS, f"Unit length before the projection or after it: {', '.join(ORDERS)}."),
]
ExplainedVariance = Annotated[
    float,
    typer.Option(
        metavar="SHARE",
        callback=samples.number("above 0 and at most 1", lambda x: 0 < x <= 1),
        help="Share of the variance that the principal components keep.",
    ),
]
Device = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="'auto' embeds on the GPUs that are there and clusters on the CPU; 'cpu', or a "
        "torch device such as 'cuda', does both there. The bundled model stays on the CPU.",
    ),
]
