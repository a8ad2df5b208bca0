"""Do the steps of an experiment as tasks on a Ray cluster; needs the ray extra."""

import importlib
import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from mauve.engine.ray_engine import RayEngine, ray_errors
from mauve.errors import InvalidParameterError, MauveError, OutputError
from mauve.escape import escaped
from mauve.experiment.directory import Directory
from mauve.experiment.doing import do_unclaimed, failure_of, is_busy
from mauve.experiment.plan import Plan
from mauve.experiment.preflight import check_models
from mauve.experiment.steps import KINDS, Step
from mauve.experiment.work import Workbench
from mauve.progress import Progress

_POLL = 1.0  # seconds between looks at what other processes have done
#: Seconds after which all machines should see what one of them has written on a shared disk.
SEEN_AFTER = 60.0


@dataclass(frozen=True)
class _Outcome:
    """What became of a step: "left" is one of another process, "skipped" one whose input failed."""

    kind: Literal["done", "there", "left", "skipped", "failed"]
    error: MauveError | None = None


@dataclass(frozen=True)
class RayRun:
    """A cluster at work on an experiment, in a folder that all of its machines see.

    Attributes
    ----------
    engine : RayEngine
    plan : Plan
    directory : Directory
    device : str
    on_progress : callable
    """

    engine: RayEngine
    plan: Plan
    directory: Directory
    device: str
    on_progress: Progress

    def check_models(self) -> None:
        """Raise if a model cannot do what is asked of it; the models are loaded on the cluster."""
        error = self._get(self._task(_check_models).remote([self._put()]))
        if error is not None:
            raise error

    def all_steps(self) -> dict[str, int]:
        """Do what is to do, wait for what others do, and return how many steps were done."""
        given = self._put()
        done = dict.fromkeys(KINDS, 0)
        failed: dict[Step, MauveError] = {}
        settled: set[Step] = set()
        while open_steps := [
            step
            for step in self.plan.steps
            if step not in settled and not self.directory.is_done(step)
        ]:
            n_before = len(settled)
            tasks = self._submit(given, open_steps)
            self._collect(tasks, done, failed, settled)
            if len(settled) == n_before:
                self._report("waiting for other processes", n_before)
                time.sleep(_POLL)
        if failed:
            raise failure_of(failed, len(self.plan.steps))
        return done

    def _submit(self, given: Any, steps: list[Step]) -> dict[Any, Step]:
        """Hand all steps to Ray, each with the tasks that it waits for."""
        do_step = self._task(_do_step)
        numbers = {step: number for number, step in enumerate(self.plan.steps)}
        tasks: dict[Step, Any] = {}
        left: set[Step] = set()  # to other processes
        for step in steps:
            waits = [each for each in step.inputs if each in tasks or each in left]
            if any(each in left for each in waits) or (
                self.directory.key(step) is not None and is_busy(self.directory, step)
            ):
                left.add(step)
                continue
            inputs = [tasks[each] for each in waits]
            tasks[step] = do_step.remote([given], numbers[step], *inputs)
        return {task: step for step, task in tasks.items()}

    def _collect(
        self,
        tasks: dict[Any, Step],
        done: dict[str, int],
        failed: dict[Step, MauveError],
        settled: set[Step],
    ) -> None:
        """Take what became of the steps, in the order in which they end."""
        n_there = len(self.plan.steps) - len(tasks)
        waiting = [*tasks]
        while waiting:
            self._report(str(tasks[waiting[0]]), n_there + len(tasks) - len(waiting))
            [task], waiting = self.engine.ray.wait(waiting)
            outcome, step = self._get(task), tasks[task]
            if isinstance(outcome.error, OutputError):
                raise outcome.error
            if outcome.kind == "failed":
                failed[step] = outcome.error
            elif outcome.kind in ("done", "there"):
                wait_for_record(self.directory, step)
                done[step.kind] += outcome.kind == "done"
            if outcome.kind != "left":
                settled.add(step)

    def _put(self) -> Any:
        return self.engine.ray.put((self.plan, self.directory.path.absolute(), self.device))

    def _task(self, function: Any) -> Any:
        ray = self.engine.ray
        return ray.remote(function).options(num_cpus=1, num_gpus=self.engine.gpus or None)

    def _get(self, task: Any) -> Any:
        with ray_errors(self.engine.ray, "What is done is kept: run again."):
            return self.engine.ray.get(task)

    def _report(self, step: str, n_done: int) -> None:
        self.on_progress(f"{step} · on Ray", n_done, len(self.plan.steps))


def wait_for_record(directory: Directory, step: Step, seconds: float = SEEN_AFTER) -> None:
    """Wait until this machine sees that a step is finished, which a shared disk may show late.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> step = Step("read", "human", {})
    >>> with TemporaryDirectory() as folder:
    ...     directory = Directory(Path(folder))
    ...     _ = directory.path.joinpath("human.jsonl").write_text("{}")
    ...     _ = directory.finish(step, ["human.jsonl"])
    ...     wait_for_record(Directory(Path(folder)), step)
    """
    deadline = time.monotonic() + seconds
    while not directory.is_done(step):
        if time.monotonic() > deadline:
            raise InvalidParameterError(
                f"All machines of the cluster must see '{escaped(str(directory.path))}'. One of "
                f"them has finished to {escaped(str(step))}, and another does not find its files: "
                "name a folder on a disk that they share."
            )
        time.sleep(0.05)


# The functions below run in processes of Ray. What is in a list they get as a reference.


@lru_cache(maxsize=1)  # a process does one step after another: models stay in memory in between
def _bench(given: Any) -> Workbench:
    plan, path, device = importlib.import_module("ray").get(given)
    return Workbench(plan, Directory(path), device, lambda *_: None)


def _check_models(given: list[Any]) -> MauveError | None:
    """Return the error of a model that lacks something."""
    bench = _bench(given[0])
    try:
        check_models(bench.plan, bench.directory, bench.device)
    except MauveError as error:
        return error
    return None


def _do_step(given: list[Any], number: int, *inputs: _Outcome) -> _Outcome:
    """Do a step after its inputs."""
    kinds = {outcome.kind for outcome in inputs}
    if kinds & {"failed", "skipped"}:
        return _Outcome("skipped")
    if "left" in kinds:
        return _Outcome("left")
    bench = _bench(given[0])
    step = bench.plan.steps[number]
    try:
        for each in step.inputs:
            wait_for_record(bench.directory, each)
        if do_unclaimed(bench, step):
            return _Outcome("done")
    except MauveError as error:
        return _Outcome("failed", error)
    return _Outcome("there" if bench.directory.is_done(step) else "left")
