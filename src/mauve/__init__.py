"""MAUVE: how far is the text a model writes from the text people write.

- :func:`compare` scores systems against human text, :func:`difference` two systems;
- :func:`compare_files` scores files of any size, in bounded memory or on Ray;
- :func:`check` tells whether a system is worse than a baseline, which :func:`write_baseline` writes
  and :func:`read_baseline` reads;
- :func:`compare_domains` compares in several domains, each against its own human texts, which
  :func:`domains_by_field` divides; :func:`score_matrix` scores every sample against every other;
- :func:`explain` shows what a system writes too much, too little or otherwise;
- :func:`measure` computes other measures beside MAUVE;
- :func:`report` writes all of that to one HTML file;
- :func:`finetune` trains a language model on texts, and :class:`MauveCallback` scores it meanwhile;
- :func:`evaluate` lets models write, and compares and reports what they wrote;
- :func:`generate` lets them write alone;
- :func:`read` reads texts with their prompts from files, logs of evaluation tools and datasets;
- :func:`log` logs a comparison to an experiment tracker;
- :func:`load` reads a comparison that was saved;
- :func:`compute_mauve` takes the arguments of the authors' package;
- :func:`get_embedder` makes an embedder from a name and its options;
- :func:`register_embedder`, :func:`register_quantizer` and :func:`register_measure` add your own.

>>> import mauve
>>> comparison = mauve.compare("human.jsonl", {"model": "model.jsonl"})  # doctest: +SKIP
>>> print(comparison)  # doctest: +SKIP

``mauve demo`` on the command line writes a report to look at.
"""

__distribution__ = "mauve-eval"  # first: shows that this is not the authors' package

import warnings as _warnings
from importlib.metadata import version as _version
from pathlib import Path as _Path
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from mauve.comparison.baseline import read_baseline, write_baseline
from mauve.comparison.by_field import domains_by_field
from mauve.comparison.comparison import Comparison
from mauve.comparison.domains import Domains, compare_domains
from mauve.comparison.gate import Check, Outcome, check
from mauve.comparison.ladder import Ladder, SystemLadder
from mauve.comparison.matrices import score_matrix
from mauve.comparison.matrix_results import Matrix
from mauve.comparison.pairs import Difference, difference
from mauve.comparison.results import MauveResult
from mauve.comparison.run import compare
from mauve.comparison.saved import load
from mauve.compute_mauve import PaperResult, compute_mauve
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.reading import Reading
from mauve.embed.registry import get_embedder, register_embedder
from mauve.engine.run import compare_files
from mauve.engine.samples import StreamedComparison
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
from mauve.generation.evaluation import Evaluation
from mauve.generation.finetune import Finetuned, finetune
from mauve.generation.generated import Generated
from mauve.generation.generating import generate
from mauve.generation.run import evaluate
from mauve.integrations.trackers import log
from mauve.lm.protocol import TokenScorer
from mauve.measures.estimate import Estimate
from mauve.measures.intervals import Measured
from mauve.measures.own import register_measure
from mauve.measures.protocol import Measure, MeasuredSample
from mauve.measures.results import Measurements
from mauve.measures.run import measure
from mauve.quantize.protocol import PairQuantizer, Partition, Quantizer
from mauve.quantize.registry import register_quantizer
from mauve.reports.run import Report, report
from mauve.telemetry import switch_off_telemetry as _switch_off_telemetry
from mauve.text.read import TextFile
from mauve.text.read import read_texts as read
from mauve_eval.installation import sharing_warning as _sharing_warning

if _TYPE_CHECKING:
    from mauve.generation.callback import MauveCallback as MauveCallback

_switch_off_telemetry()
if _message := _sharing_warning(_Path(__file__).parent):
    _warnings.warn(_message, MauveWarning, stacklevel=2)

__version__ = _version(__distribution__)

__all__ = [
    "Check",
    "Cluster",
    "Comparison",
    "ConvergenceError",
    "Difference",
    "Domains",
    "Embedded",
    "Embedder",
    "Estimate",
    "Evaluation",
    "Explanation",
    "Finetuned",
    "Generated",
    "InvalidParameterError",
    "Ladder",
    "Matrix",
    "MauveError",
    "MauveResult",
    "MauveWarning",
    "Measure",
    "Measured",
    "MeasuredSample",
    "Measurements",
    "MissingExtraError",
    "Outcome",
    "PairQuantizer",
    "PaperResult",
    "Partition",
    "Quantizer",
    "Reading",
    "Report",
    "StreamedComparison",
    "SystemExplanation",
    "SystemLadder",
    "TextFile",
    "TextShare",
    "TokenScorer",
    "check",
    "compare",
    "compare_domains",
    "compare_files",
    "compute_mauve",
    "difference",
    "domains_by_field",
    "evaluate",
    "explain",
    "finetune",
    "generate",
    "get_embedder",
    "load",
    "log",
    "measure",
    "read",
    "read_baseline",
    "register_embedder",
    "register_measure",
    "register_quantizer",
    "report",
    "score_matrix",
    "write_baseline",
]


def __getattr__(name: str) -> _Any:
    """Import what needs torch when it is first used; it is not in ``__all__`` for that reason."""
    if name != "MauveCallback":
        raise AttributeError(f"module 'mauve' has no attribute {name!r}")
    from mauve.errors import need_packages

    need_packages("MauveCallback", ["torch", "transformers", "accelerate"], "finetune")
    from mauve.generation.callback import MauveCallback

    return MauveCallback
