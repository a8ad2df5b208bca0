"""Do a step that no other process does, and say which steps failed."""

from collections.abc import Callable, Mapping
from pathlib import Path

from mauve.errors import InvalidParameterError, MauveError, OutputError
from mauve.experiment.claims import claimed, owner_of
from mauve.experiment.directory import Directory
from mauve.experiment.steps import Step
from mauve.experiment.work import Workbench


def do_unclaimed(bench: Workbench, step: Step, on_start: Callable[[], None] = lambda: None) -> bool:
    """Do a step, unless it is done or another process does it; return whether it was done here.

    Parameters
    ----------
    bench : Workbench
    step : Step
        Its inputs are finished.
    on_start : callable
        Called when the step is claimed, before the work.

    Raises
    ------
    MauveError
        If the step failed, with a note that says which one.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mauve.experiment.config_file import config_of
    >>> from mauve.experiment.plan import make_plan
    >>> text = '[samples.a]' + chr(10) + 'human = "h.txt"' + chr(10) + 'systems.m = "h.txt"'
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "h.txt").write_text(chr(10).join(map(str, range(20))))
    ...     plan = make_plan(config_of(text, "study.toml", Path(folder)))
    ...     directory = Directory(Path(folder, "run"))
    ...     directory.make()
    ...     bench = Workbench(plan, directory, "cpu", lambda *_: None)
    ...     [do_unclaimed(bench, plan.steps[0]) for _ in range(2)]
    [True, False]
    """
    directory = bench.directory
    with claimed(_claim(directory, step)) as is_mine:
        if not is_mine or directory.is_done(step):
            return False
        on_start()
        try:
            bench.do(step)
        except OutputError:
            raise  # a full disk: no other step would get further
        except MauveError as error:
            error.add_note(f"this was to {step}")
            raise
    return True


def is_busy(directory: Directory, step: Step) -> bool:
    """Whether a living process does a step, whose inputs are finished."""
    owner = owner_of(_claim(directory, step))
    return owner is not None and owner.is_alive


def _claim(directory: Directory, step: Step) -> Path:
    return directory.path / "claims" / str(directory.key(step))


def failure_of(failed: Mapping[Step, MauveError], n_steps: int) -> MauveError:
    """Return the error of an experiment with steps that failed.

    Examples
    --------
    >>> error = InvalidParameterError("no texts")
    >>> step = Step("score", "small greedy", {})
    >>> failure_of({step: error}, 9) is error
    True
    >>> str(failure_of({step: error, Step("score", "large greedy", {}): error}, 9))
    '2 of 9 steps failed, the first of them to score small greedy: no texts'
    """
    step, error = next(iter(failed.items()))
    if len(failed) == 1:
        return error
    first = InvalidParameterError(
        f"{len(failed)} of {n_steps} steps failed, the first of them to {step}: {error}"
    )
    first.add_note("the other steps are done; the same command again does those that failed")
    return first
