"""MAUVE: how far is the text a model writes from the text people write."""

from importlib.metadata import version as _version

from mauve.comparison.comparison import Comparison
from mauve.comparison.pairs import Difference, difference
from mauve.comparison.paper import PaperResult, compute_mauve
from mauve.comparison.results import MauveResult
from mauve.comparison.run import compare
from mauve.comparison.saved import load
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.registry import get_embedder
from mauve.errors import (
    ConvergenceError,
    InvalidParameterError,
    MauveError,
    MauveWarning,
    MissingExtraError,
)
from mauve.explanation.findings import Cluster
from mauve.explanation.results import Explanation, SystemExplanation
from mauve.explanation.run import explain
from mauve.explanation.texts import TextShare
from mauve.measures.intervals import Measured
from mauve.measures.results import Measurements
from mauve.measures.run import measure
from mauve.reports.run import Report, report

__version__ = _version("mauve-eval")

__all__ = [
    "Cluster",
    "Comparison",
    "ConvergenceError",
    "Difference",
    "Embedded",
    "Embedder",
    "Explanation",
    "InvalidParameterError",
    "MauveError",
    "MauveResult",
    "MauveWarning",
    "Measured",
    "Measurements",
    "MissingExtraError",
    "PaperResult",
    "Report",
    "SystemExplanation",
    "TextShare",
    "compare",
    "compute_mauve",
    "difference",
    "explain",
    "get_embedder",
    "load",
    "measure",
    "report",
]
