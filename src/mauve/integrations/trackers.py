"""Log a comparison to Weights & Biases, Trackio, MLflow, TensorBoard or a JSON file: mauve.log."""

import importlib
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write
from mauve.comparison.comparison import Comparison
from mauve.comparison.results import frame_row
from mauve.errors import InvalidParameterError, bad_parameter, check_bool, check_int, need_packages
from mauve.escape import escaped

_TENSORBOARD = "tensorboard:"
_RULE = (
    "'wandb', 'trackio', 'mlflow', 'tensorboard:FOLDER', a run of these, a SummaryWriter, or a "
    "path that ends in .json or .jsonl"
)


@dataclass(frozen=True)
class Logged:
    """What is logged of one comparison.

    Attributes
    ----------
    metrics : dict of str to float
    rows : list of dict
        The table: one row for each system.
    report : Path or None
        A file that exists while the comparison is logged.
    step : int or None
    prefix : str
    comparison : Comparison
    """

    metrics: dict[str, float]
    rows: list[dict[str, Any]]
    report: Path | None
    step: int | None
    prefix: str
    comparison: Comparison

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the table."""
        return [*self.rows[0]]

    @property
    def data(self) -> list[list[Any]]:
        """The cells of the table, row by row."""
        return [[*row.values()] for row in self.rows]


def log(
    comparison: Comparison,
    to: Any,
    *,
    step: int | None = None,
    prefix: str = "mauve",
    report: bool = False,
) -> None:
    """Log scores, the table of systems and the report of a comparison to an experiment tracker.

    Parameters
    ----------
    comparison : Comparison
    to : str, Path, run or writer
        ``"wandb"``, ``"trackio"`` or ``"mlflow"`` for the run that is active; a run of W&B or
        Trackio; ``"tensorboard:FOLDER"`` or a ``SummaryWriter``; or a file: ``.json`` is
        replaced, ``.jsonl`` gets another line.
    step : int, optional
        Of the training.
    prefix : str
        First part of all names: ``mauve/gpt2/score``.
    report : bool
        Whether the report of :func:`mauve.report` is logged too; needs the ``report`` extra. Beside
        a JSON file and in a folder of TensorBoard it is a file of its own.

    Raises
    ------
    InvalidParameterError
        If there is no such tracker, or no run is active.
    MissingExtraError
        If the tracker is not installed.

    Examples
    --------
    >>> import json, mauve, numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
    >>> comparison = mauve.compare(human, {"m": model}, n_permutations=0)
    >>> with TemporaryDirectory() as folder:
    ...     log(comparison, f"{folder}/scores.jsonl", step=100)
    ...     logged = json.loads(Path(folder, "scores.jsonl").read_text())
    >>> logged["step"], logged["metrics"]["mauve/m/score"] == comparison["m"].mauve
    (100, True)
    """
    if not isinstance(comparison, Comparison):
        raise bad_parameter("comparison", "what mauve.compare returns", type(comparison).__name__)
    if step is not None:
        step = check_int("step", step, 0)
    if not isinstance(prefix, str) or not prefix:
        raise bad_parameter("prefix", "a string that is not empty", prefix)
    check_bool("report", report)
    write = _writer(to)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, f"{re.sub(r'[^A-Za-z0-9_.-]', '-', prefix)}-report.html")
        if report:
            comparison.to_html(page)
        metrics = comparison.to_metrics(prefix)
        rows = [frame_row(result) for result in comparison.values()]
        write(Logged(metrics, rows, page if report else None, step, prefix, comparison))


def _writer(to: Any) -> Callable[[Logged], None]:
    """Return the function that logs to a tracker."""
    if isinstance(to, str | Path):
        name = str(to)
        if name in _NAMED:
            return _NAMED[name]
        if name.startswith(_TENSORBOARD) and len(name) > len(_TENSORBOARD):
            return lambda logged: _to_folder(name.removeprefix(_TENSORBOARD), logged)
        if Path(name).suffix in (".json", ".jsonl"):
            return lambda logged: _to_file(Path(name), logged)
        raise bad_parameter("to", _RULE, name)
    package = type(to).__module__.partition(".")[0]
    if package == "wandb":
        return lambda logged: _to_run(to, _module("wandb"), logged)
    if package == "trackio":
        return lambda logged: _to_run(to, _module("trackio"), logged)
    if hasattr(to, "add_scalar") and hasattr(to, "add_text"):
        return lambda logged: _to_summary(to, logged)
    if getattr(to, "__name__", None) in _NAMED:  # the module itself
        return _NAMED[to.__name__]
    raise bad_parameter("to", _RULE, type(to).__name__)


def _module(name: str) -> Any:
    need_packages(f"Logging to {name}", [name], name)
    return importlib.import_module(name)  # by name: imported only here, and some ship no types


def _to_wandb(logged: Logged) -> None:
    wandb = _module("wandb")
    if wandb.run is None:
        raise _no_run("wandb", "wandb.init(...)")
    _to_run(wandb.run, wandb, logged)


def _to_trackio(logged: Logged) -> None:
    trackio = _module("trackio")
    run = trackio.context_vars.current_run.get()
    if run is None:
        raise _no_run("trackio", "trackio.init(...)")
    _to_run(run, trackio, logged)


def _to_run(run: Any, package: Any, logged: Logged) -> None:
    """Log to a run of W&B, or of Trackio, which has the same functions."""
    values: dict[str, Any] = dict(logged.metrics)
    table = package.Table(columns=logged.columns, data=logged.data)
    values[f"{logged.prefix}/table"] = table
    if logged.report is not None:
        values[f"{logged.prefix}/report"] = package.Html(str(logged.report))
    run.log(values, step=logged.step)
    if logged.report is not None and package.__name__ == "wandb":
        artifact = package.Artifact(logged.report.stem, type="report")
        artifact.add_file(str(logged.report), policy="mutable")  # a copy: the file is temporary
        run.log_artifact(artifact)


def _to_mlflow(logged: Logged) -> None:
    mlflow = _module("mlflow")
    if mlflow.active_run() is None:
        raise _no_run("mlflow", "mlflow.start_run()")
    mlflow.log_metrics(logged.metrics, step=logged.step)
    at_step = "" if logged.step is None else f"-{logged.step}"
    table = {"columns": logged.columns, "data": logged.data}  # as MLflow shows tables
    mlflow.log_dict(table, f"{logged.prefix}/table{at_step}.json")
    if logged.report is not None:
        mlflow.log_artifact(str(logged.report), logged.prefix)


def _to_folder(folder: str, logged: Logged) -> None:
    need_packages("Logging to TensorBoard", ["torch", "tensorboard"], "tensorboard")
    writer = importlib.import_module("torch.utils.tensorboard").SummaryWriter(folder)
    try:
        _to_summary(writer, logged)
    finally:
        writer.close()


def _to_summary(writer: Any, logged: Logged) -> None:
    for name, value in logged.metrics.items():
        writer.add_scalar(name, value, logged.step)
    writer.add_text(f"{logged.prefix}/table", logged.comparison.to_markdown(), logged.step)
    writer.flush()
    if logged.report is not None:
        at_step = "" if logged.step is None else f"-{logged.step}"
        _copy(logged.report, Path(writer.log_dir, f"{logged.report.stem}{at_step}.html"))


def _to_file(path: Path, logged: Logged) -> None:
    value: Mapping[str, Any] = {
        "step": logged.step,
        "metrics": logged.metrics,
        "table": logged.rows,
        "warnings": list(logged.comparison.warnings),
    }
    text = json.dumps(value, allow_nan=False) + "\n"
    if path.suffix == ".jsonl":
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(text)  # one write, so that lines of several processes do not mix
        except OSError as error:
            raise InvalidParameterError(
                f"'{escaped(str(path))}' cannot be written ({error.strerror}): name another file."
            ) from error
    else:
        with atomic_write(path) as binary:
            binary.write(text.encode())
    if logged.report is not None:
        at_step = "" if logged.step is None else f"-{logged.step}"
        _copy(logged.report, path.with_name(f"{path.stem}{at_step}.html"))


def _copy(report: Path, path: Path) -> None:
    with atomic_write(path) as file:
        file.write(report.read_bytes())


def _no_run(tracker: str, call: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"'to' must be a tracker with an active run. {tracker} has none: call {call} first, or "
        "pass the run."
    )


_NAMED: dict[str, Callable[[Logged], None]] = {
    "wandb": _to_wandb,
    "trackio": _to_trackio,
    "mlflow": _to_mlflow,
}
