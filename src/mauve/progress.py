"""Show the progress of long work: a bar in a terminal or a notebook, or a function's calls."""

import contextvars
import html
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from mauve.errors import bad_parameter
from mauve.escape import escaped
from mauve.formatting import format_seconds
from mauve.notebook import in_notebook

if TYPE_CHECKING:
    import rich.progress

#: Called with the name of the step, the number of parts done, and their total. What stands behind
#: " · " in the name is a detail, such as the speed, which may change while the step goes on.
Progress = Callable[[str, int, int], None]
#: True for a bar where it can be seen, False for none, or a function that is called instead.
ProgressLike = bool | Progress

_REDRAW_AFTER = 0.1  # seconds
_BAR_SHOWN = threading.Lock()  # held by the one bar of this process


@contextmanager
def progress_bar(progress: ProgressLike = True, *, show_after: float = 1.0) -> Iterator[Progress]:
    """Yield the function to call on progress, and show a bar if the work takes a second.

    Parameters
    ----------
    progress : bool or callable
        True shows a bar if stderr is a terminal, or in a notebook, and removes it after the
        work. There is one bar at a time: work inside of other work shows none. False shows
        none. A function is yielded as it is.
    show_after : float
        Seconds; shorter work needs no bar.

    Examples
    --------
    >>> with progress_bar(print) as on_progress:
    ...     on_progress("embedding", 20, 100)
    embedding 20 100
    """
    if not isinstance(progress, bool):
        if not callable(progress):
            rule = "True, False or a function of the step, the number done and their total"
            raise bad_parameter("progress", rule, progress)
        yield progress
        return
    display = _display() if progress else None
    if display is None or not _BAR_SHOWN.acquire(blocking=False):
        yield _silent
        return
    try:
        bar = _Bar(display, show_after)
        try:
            yield bar.report
        finally:
            bar.end()
    finally:
        _BAR_SHOWN.release()


def _silent(step: str, done: int, total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True)
class _Step:
    """What is being done; times are in seconds, `total` is None where it is not known."""

    name: str
    started: float
    reported: float
    first_done: int = 0
    done: int = 0
    total: int | None = None

    def describe(self, now: float) -> str:
        """Return the step, how much of it is done, and the time it took and may still take.

        Examples
        --------
        >>> _Step("embedding", 0.0, reported=10.0, done=20, total=100).describe(now=12.0)
        'embedding · 20 of 100 · 12 s · about 38 s left'
        """
        parts = [escaped(self.name)]
        if self.total is not None:
            parts.append(f"{self.done:,} of {self.total:,}")
        parts.append(format_seconds(now - self.started))
        n_new = self.done - self.first_done
        if self.total is not None and n_new > 0:
            pace = (self.reported - self.started) / n_new
            left = self.reported + pace * (self.total - self.done) - now
            if left >= 1:
                parts.append(f"about {format_seconds(left)} left")
        return " · ".join(parts)


def _without_detail(step: str) -> str:
    return step.partition(" · ")[0]


class _Display(Protocol):
    """Draws the bar somewhere."""

    def show(self, step: _Step) -> None:
        """Draw the bar, or draw it again."""

    def close(self) -> None:
        """Remove the bar."""


def _display() -> _Display | None:
    """Return where a bar can be drawn."""
    if in_notebook():
        return _NotebookDisplay()
    stream = sys.stderr
    if stream is not None and not stream.closed and stream.isatty():
        return _TerminalDisplay()
    return None


class _Bar:
    """Keeps the step, which any thread may report, and draws it from a thread of its own.

    So the bar appears in time even if nothing is reported by then, and work that reports every
    text does not wait for the terminal.
    """

    def __init__(self, display: _Display, show_after: float) -> None:
        self._display, self._show_after = display, show_after
        now = time.monotonic()
        self._step = _Step("reading", now, now)
        self._lock = threading.Lock()
        self._ended = threading.Event()
        # In a notebook the context says which cell the output belongs to.
        context = contextvars.copy_context()
        self._thread = threading.Thread(target=context.run, args=(self._draw,), daemon=True)
        self._thread.start()

    def report(self, step: str, done: int, total: int) -> None:
        """Take the progress of the work."""
        now = time.monotonic()
        with self._lock:
            if _without_detail(step) != _without_detail(self._step.name):  # another time left
                self._step = _Step(step, now, now, done, done, total)
            else:
                # Clusterings end on several threads, not always in the order they report.
                most = max(done, self._step.done)
                self._step = replace(self._step, name=step, reported=now, done=most, total=total)

    def end(self) -> None:
        """Remove the bar."""
        self._ended.set()
        self._thread.join()

    def _draw(self) -> None:
        if self._ended.wait(self._show_after):
            return
        # A terminal that was closed must not end the work.
        with suppress(OSError, ValueError):
            try:
                self._display.show(self._step)
                while not self._ended.wait(_REDRAW_AFTER):
                    self._display.show(self._step)
            finally:
                self._display.close()


class _TerminalDisplay:
    """A bar of Rich on stderr."""

    def __init__(self) -> None:
        self._bar: rich.progress.Progress | None = None
        self._started: float | None = None

    def show(self, step: _Step) -> None:
        if self._bar is None:
            self._bar = _rich_bar()
            self._bar.add_task("")
        task = self._bar.task_ids[0]
        if step.started != self._started:
            self._bar.reset(task)
            self._started = step.started
        description = escaped(step.name)
        self._bar.update(task, description=description, completed=step.done, total=step.total)
        self._bar.start()  # does nothing if it has started
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def _rich_bar() -> "rich.progress.Progress":
    from rich import progress as parts  # here, so that import mauve stays quick
    from rich.console import Console
    from rich.text import Text

    class SpeedColumn(parts.ProgressColumn):
        """Texts per second while texts are embedded."""

        def render(self, task: parts.Task) -> Text:
            if task.speed is None or task.description != "embedding":
                return Text("")
            return Text(f"{task.speed:,.0f} texts/s")

    return parts.Progress(
        parts.TextColumn("{task.description}", markup=False),
        parts.BarColumn(),
        parts.MofNCompleteColumn(),
        SpeedColumn(),
        parts.TimeElapsedColumn(),
        parts.TimeRemainingColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        # Warnings, and what a caller's embedder prints, go above the bar; but what a pipe or a
        # file reads from stdout stays there.
        redirect_stderr=True,
        redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),
    )


class _NotebookDisplay:
    """A bar of HTML in the output of a cell, which needs no widgets."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._shown = ""

    def show(self, step: _Step) -> None:
        text = step.describe(time.monotonic())
        if text == self._shown:
            return
        self._shown = text
        value = "" if not step.total else f' value="{step.done}" max="{step.total}"'
        label = html.escape(text)
        bar = f'<progress{value} aria-label="{html.escape(escaped(step.name))}"></progress>'
        self._update({"text/html": f"<div>{bar} {label}</div>", "text/plain": text})

    def close(self) -> None:
        if self._handle is not None:
            self._update({"text/html": "", "text/plain": ""})

    def _update(self, content: dict[str, str]) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)
