"""Run an experiment: do the steps that are not done, beside other processes that do others."""

import importlib
import json
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from mauve.atomic import atomic_write
from mauve.calls import option, parameter
from mauve.engine.engines import open_ray
from mauve.errors import (
    InvalidParameterError,
    MauveError,
    OutputError,
    bad_parameter,
    check_choice,
    check_int,
    warn_caller,
)
from mauve.escape import escaped
from mauve.experiment.claims import remove_dead
from mauve.experiment.collect import collect_results
from mauve.experiment.config_file import read_config
from mauve.experiment.directory import CONFIG, FORMAT, MANIFEST, ORIGIN, Directory
from mauve.experiment.doing import do_unclaimed, failure_of, is_busy
from mauve.experiment.given_files import check_files
from mauve.experiment.plan import Plan, make_plan
from mauve.experiment.preflight import check_models
from mauve.experiment.results import RESULTS, ExperimentResults, write_results
from mauve.experiment.steps import KINDS, Step
from mauve.experiment.work import Workbench
from mauve.formatting import format_count
from mauve.progress import Progress, ProgressLike, progress_bar

if TYPE_CHECKING:
    from mauve.experiment.on_ray import RayRun

#: "process" does the steps one after another in this process, "ray" on a cluster.
StepEngine = Literal["process", "ray"]
STEP_ENGINES: tuple[StepEngine, ...] = get_args(StepEngine)

_POLL = 0.5  # seconds between looks at what other processes have done


@dataclass(frozen=True)
class ExperimentRun:
    """What a call of :func:`run_experiment` has done.

    Attributes
    ----------
    folder : Path
    results : ExperimentResults
    n_steps : int
        Steps of the experiment.
    done : dict from str to int
        Steps of each kind that this call has done.
    seconds : float
    """

    folder: Path
    results: ExperimentResults
    n_steps: int
    done: dict[str, int]
    seconds: float

    @property
    def n_done(self) -> int:
        """Steps that this call has done; the others were done."""
        return sum(self.done.values())

    @property
    def summary(self) -> str:
        """What was done, in one sentence."""
        if not self.n_done:
            return f"nothing to do: all {format_count(self.n_steps, 'step')} are done already"
        parts = ", ".join(f"{n} {kind}" for kind, n in self.done.items() if n)
        return f"{self.n_done} of {format_count(self.n_steps, 'step')} done now ({parts})"


def run_experiment(
    config: str | Path,
    folder: str | Path,
    *,
    device: str = "auto",
    engine: StepEngine = "process",
    address: str | None = None,
    workers: int | None = None,
    gpus: float = 0.0,
    progress: ProgressLike = True,
) -> ExperimentRun:
    """Run the experiment of a config file, and keep everything in a folder.

    Each step keeps its files in the folder under the hash of what it depends on: a call that was
    killed is continued by the same call, a changed config computes only what depends on the
    change, and several processes may run it at once, also on several machines that share a disk.

    Parameters
    ----------
    config : str or Path
        A TOML file; see ``docs/experiments.md``.
    folder : str or Path
    device : str
        Of models, embedders and clustering, as for :func:`mauve.compare`.
    engine : {"process", "ray"}
        "process" does one step after another in this process, "ray" each step as a task of a
        cluster, whose machines must all see the folder and the files of the config.
    address : str, optional
        Of a Ray cluster, such as "auto"; by default Ray is started on this machine.
    workers : int, optional
        Steps that Ray on this machine does at once; by default as many as it has cores.
    gpus : float
        GPUs of each step on Ray.
    progress : bool or callable
        As for :func:`mauve.compare`.

    Returns
    -------
    ExperimentRun

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import warnings; warnings.simplefilter("ignore")  # of few texts
    >>> text = '''
    ... [samples.weather]
    ... human = "human.txt"
    ... systems.model = "model.txt"
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     for name, word in (("human", "rained"), ("model", "snowed")):
    ...         lines = [f"It {word} for {i} days, and we stayed in." for i in range(30)]
    ...         _ = Path(folder, f"{name}.txt").write_text(chr(10).join(lines))
    ...     first = run_experiment(path, f"{folder}/run", progress=False)
    ...     again = run_experiment(path, f"{folder}/run", progress=False)
    >>> first.n_done, again.summary
    (5, 'nothing to do: all 5 steps are done already')
    """
    started = time.perf_counter()
    _check_engine(engine, address, workers)
    checked = read_config(config)
    directory = Directory(_checked_folder(folder))
    check_files(checked)
    plan = make_plan(checked, device)
    directory.check(plan.steps)
    with progress_bar(progress) as on_progress, ExitStack() as opened:
        run: _Run | RayRun
        if engine == "ray":
            cluster = opened.enter_context(open_ray(address, workers, gpus))
            on_ray = importlib.import_module("mauve.experiment.on_ray")  # needs the extra
            run = on_ray.RayRun(cluster, plan, directory, device, on_progress)
        else:
            run = _Run(plan, directory, device, on_progress)
        run.check_models()
        directory.make()
        write_origin(directory.path, Path(config), device)
        done = run.all_steps()
    remove_dead(directory.path / "claims")
    results = collect_results(plan, directory)
    write_results(results, directory.path)
    write_manifest(plan, directory)
    if n_doubtful := sum(bool(row.warnings) for row in results):
        warn_caller(
            f"{n_doubtful} of {format_count(len(results), 'row')} have warnings, such as "
            f"'{next(row.warnings[0] for row in results if row.warnings)}' All are in "
            f"'{escaped(str(directory.path / RESULTS))}', and mauve experiment show prints those "
            "of a cell."
        )
    return ExperimentRun(
        directory.path, results, len(plan.steps), done, time.perf_counter() - started
    )


class _Run:
    """One process at work."""

    def __init__(
        self, plan: Plan, directory: Directory, device: str, on_progress: Progress
    ) -> None:
        self.plan = plan
        self.directory = directory
        self.on_progress = on_progress
        self.bench = Workbench(plan, directory, device, self._report)
        self.done = dict.fromkeys(KINDS, 0)
        self.failed: dict[Step, MauveError] = {}
        self._n_done = 0
        self._now = ""

    def check_models(self) -> None:
        """Raise if a model cannot do what is asked of it."""
        check_models(self.plan, self.directory, self.bench.device)

    def all_steps(self) -> dict[str, int]:
        """Do what is to do, wait for what others do, and return how many steps were done."""
        while True:
            open_steps = [step for step in self.plan.steps if not self._is_settled(step)]
            self._n_done = len(self.plan.steps) - len(open_steps)
            ready = [step for step in open_steps if self.directory.key(step) is not None]
            if not ready:
                break
            # Where several steps are ready, one that another process does is left to it.
            if not any(self._do(step) for step in self._by_kind(ready)):
                self._report("waiting for other processes", 0, 1)
                time.sleep(_POLL)
        if self.failed:
            raise failure_of(self.failed, len(self.plan.steps))
        return self.done

    def _by_kind(self, ready: list[Step]) -> list[Step]:
        """Return the ready steps of the first kind, which others may wait for."""
        first = [step for step in ready if step.kind == ready[0].kind]
        free = [step for step in first if not is_busy(self.directory, step)]
        return free or [step for step in ready if not is_busy(self.directory, step)] or first

    def _is_settled(self, step: Step) -> bool:
        return (
            step in self.failed
            or self.directory.is_done(step)
            or any(self._is_failed(each) for each in step.inputs)
        )

    def _is_failed(self, step: Step) -> bool:
        return step in self.failed or any(self._is_failed(each) for each in step.inputs)

    def _do(self, step: Step) -> bool:
        """Do a step, unless another process does it; return whether it was done here."""

        def start() -> None:
            self._now = str(step)
            self._report("", 0, 1)

        try:
            if not do_unclaimed(self.bench, step, start):
                return False
        except OutputError:
            raise
        except MauveError as error:
            self.failed[step] = error
            return True
        self.done[step.kind] += 1
        self._n_done += 1
        return True

    def _report(self, step: str, done: int, total: int) -> None:
        part = f" {100 * done // total}%" if done and total > 1 else ""
        self.on_progress(f"{self._now} · {step}{part}", self._n_done, len(self.plan.steps))


def _check_engine(engine: str, address: str | None, workers: int | None) -> None:
    check_choice("engine", engine, STEP_ENGINES)
    if workers is not None:
        check_int("workers", workers, 1)
    for name, value in {"address": address, "workers": workers}.items():
        if engine != "ray" and value is not None:
            raise bad_parameter(name, f"left out unless {option('engine', 'ray')}", value)
    if address is not None and workers is not None:
        raise bad_parameter("workers", "left out with an address, whose cluster has some", workers)


def _checked_folder(folder: str | Path) -> Path:
    path = Path(folder)
    if not str(folder):
        raise InvalidParameterError(f"{parameter('folder')} must be the path of a folder.")
    if path.exists() and not path.is_dir():
        raise InvalidParameterError(
            f"{parameter('folder')} must be a folder. '{escaped(str(path))}' is a file."
        )
    has_other = path.is_dir() and any(path.iterdir()) and not (path / ORIGIN).is_file()
    if has_other and not (path / "steps").is_dir():
        raise InvalidParameterError(
            f"{parameter('folder')} must be empty or that of an experiment. "
            f"'{escaped(str(path))}' has other files: name another folder."
        )
    return path


def write_origin(folder: Path, config: Path, device: str) -> None:
    """Copy the config into the folder of its experiment, with the place that it came from."""
    origin = {
        "format": FORMAT,
        "written_by": f"mauve-eval {version('mauve-eval')}",
        "config": str(config.resolve()),
        "device": device,
    }
    content = config.read_bytes()
    for name, encoded in (
        (CONFIG, content),
        (ORIGIN, json.dumps(origin, indent=1).encode() + b"\n"),
    ):
        target = folder / name
        if not target.is_file() or target.read_bytes() != encoded:
            with atomic_write(target) as file:
                file.write(encoded)


def write_manifest(plan: Plan, directory: Directory) -> None:
    """Write which steps the experiment has, with their keys, files and checksums."""
    steps: list[dict[str, Any]] = []
    for step in plan.steps:
        record = directory.record(step)
        if record is not None:
            parts = asdict(record)
            steps.append({name: value for name, value in parts.items() if name != "settings"})
    content = {
        "format": FORMAT,
        "name": plan.config.name,
        "n_steps": len(plan.steps),
        "n_done": len(steps),
        "steps": steps,
    }
    encoded = json.dumps(content, indent=1).encode() + b"\n"
    path = directory.path / MANIFEST
    if not path.is_file() or path.read_bytes() != encoded:
        with atomic_write(path) as file:
            file.write(encoded)
