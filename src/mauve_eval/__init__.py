"""Start the command line of ``mauve``, also where that package is damaged.

The command ``mauve`` begins here and not in the package ``mauve``, whose ``__init__.py`` the
authors' package can replace or delete.
"""

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main() -> None:
    """Run the command line, or print in one line why it cannot start."""
    _open_closed_streams()
    with _quiet_interrupt():
        run = _command_line()
    run()


def _command_line() -> Callable[[], None]:
    """Import the command line; warnings and damage become lines on stderr."""
    from mauve_eval.installation import DamagedInstallError, check_package

    with warnings.catch_warnings(record=True) as caught:
        try:
            check_package()
        except DamagedInstallError as error:
            _say("error", str(error))
            raise SystemExit(1) from None
        from mauve.cli import main as run
        from mauve.errors import MauveWarning
    for warning in caught:
        if issubclass(warning.category, MauveWarning):
            _say("warning", str(warning.message))
        else:
            warnings.showwarning(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return run


def _open_closed_streams() -> None:
    """Open /dev/null for standard streams that are closed, or exit if stdout is.

    Else the next file to be opened, such as the cache, would get the number of the closed
    stream, and messages of libraries would be written into it. `sys.stdin` stays None, so that
    reading texts from it says that it is closed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
    if sys.stdout is None:
        _say(
            "error",
            "standard output is closed, and results are printed there. Redirect it to a file, or "
            "to /dev/null.",
        )
        raise SystemExit(1)


@contextmanager
def _quiet_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the program with one line during imports, when no work can be lost."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # the user's shell has it ignored
        return
    signal.signal(signal.SIGINT, _exit_interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit_interrupted(*_: object) -> None:
    # Not by an exception: an extension module that is half imported may turn it into another.
    _say("error", "interrupted")
    os._exit(_INTERRUPTED)


def _say(kind: str, message: str) -> None:
    sys.stderr.write(f"{kind}: {message}\n")
    sys.stderr.flush()
