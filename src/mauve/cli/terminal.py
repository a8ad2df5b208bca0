"""The terminal: console, messages, one-line errors and exit codes."""

import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from mauve.errors import MauveError, MauveWarning, OutputError
from mauve.escape import escaped

P = ParamSpec("P")

INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def new_console(*, stderr: bool = False) -> Console:
    """Return a console that takes text literally: no markup, no emoji names, no colouring."""
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def print_lines(console: Console, text: str, width: int, indent: str = "") -> None:
    """Print text within the width, the first line after `indent`, the others below it."""
    before = cell_len(indent)
    for i, line in enumerate(Text(escaped(text)).wrap(console, max(width - before, 20))):
        console.print((" " * before if i else indent) + line.plain.rstrip(), soft_wrap=True)


def say(kind: str, message: str) -> None:
    """Print one line such as ``error: ...`` on stderr."""
    new_console(stderr=True).print(f"{kind}: {escaped(message)}", soft_wrap=True)


def one_line_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command so that expected errors end in one line and an exit code.

    Errors of this package and of the operating system print ``error: ...``, and ``note: ...`` if
    something was kept, and exit with 1; Ctrl-C exits with 130; a reader that stops early
    (``| head -1``) ends the command without a message. Any other exception is a bug and keeps its
    traceback.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except KeyboardInterrupt as error:
            say("error", "interrupted")
            _say_notes(error)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _discard_stdout()
            raise typer.Exit(1) from None
        except (MauveError, OSError) as error:
            say("error", str(error))
            _say_notes(error)
            raise typer.Exit(1) from None

    return wrapped


def _say_notes(error: BaseException) -> None:
    """Print what is known about the work that an error ended, such as what was kept of it."""
    for note in getattr(error, "__notes__", ()):
        say("note", note)


@contextmanager
def printing() -> Iterator[None]:
    """Print results inside; an error of standard output then names it.

    Commands print before they write files, so that a full disk does not lose the result.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # a reader that stops early is no error
    except OSError as error:
        _discard_stdout()
        raise OutputError(
            f"Standard output cannot be written ({error.strerror or error}): make space, or send "
            "it elsewhere."
        ) from error


def _discard_stdout() -> None:
    # The rest of the buffer would raise again when Python closes stdout.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Catch the package's warnings, and yield a list that holds their messages afterwards."""
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MauveWarning)
        yield messages
    messages += dict.fromkeys(str(warning.message) for warning in caught)


@contextmanager
def warnings_as_lines(*said: str) -> Iterator[None]:
    """Print the package's warnings in one line each, but those that are `said`, after the work."""
    with collected_warnings() as messages:
        yield
    say_warnings(message for message in messages if message not in said)


def say_warnings(messages: Iterable[str]) -> None:
    """Print each warning once, also with ``--quiet``: a result may be unreliable."""
    for message in dict.fromkeys(messages):
        say("warning", message)
