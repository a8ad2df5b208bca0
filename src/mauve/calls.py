"""Name the function or command that the user called, and its options as the user writes them.

Messages come from deep inside the package, where the same check serves several functions and
commands. So that each names what the user called, they are worded here: by the functions of
this package on the stack in Python, and by the flags of the command on the command line.
"""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_PACKAGE = __name__.partition(".")[0]
_WORDING = (__name__, f"{_PACKAGE}.errors")  # these modules word messages: nobody calls them
_NO_VALUE: Final = object()


@dataclass(frozen=True)
class Command:
    """A command of the command line.

    Attributes
    ----------
    name : str
        What the user types, such as ``mauve compare``.
    flags : mapping from str to str
        Flag or argument of each parameter, such as ``--num-buckets`` or ``HUMAN``.
    """

    name: str
    flags: Mapping[str, str]


@dataclass(frozen=True)
class _Call:
    """A function of this package that is running, and the parameters it was called with."""

    name: str
    parameters: frozenset[str]
    takes_any: bool  # has **options


_command: ContextVar[Command | None] = ContextVar("command", default=None)
_outer_calls: ContextVar[tuple[_Call, ...]] = ContextVar("outer_calls", default=())


@contextmanager
def command_line(command: Command) -> Iterator[None]:
    """Word messages for the command line: with flags in place of parameters.

    Examples
    --------
    >>> with command_line(Command("mauve compare", {"num_buckets": "--num-buckets"})):
    ...     print(option("num_buckets", 50))
    --num-buckets 50
    """
    token = _command.set(command)
    try:
        yield
    finally:
        _command.reset(token)


@contextmanager
def without_options(*names: str) -> Iterator[None]:
    """Word messages for a command that refuses some of its options: none advises to use them.

    Examples
    --------
    >>> with command_line(Command("mauve compare", {"normalize": "--normalize"})):
    ...     with without_options("normalize"):
    ...         has_option("normalize")
    False
    """
    command = _command.get()
    if command is None:
        yield
        return
    flags = {name: flag for name, flag in command.flags.items() if name not in names}
    with command_line(Command(command.name, flags)):
        yield


def called() -> str:
    """Return the name of the function or command that the user called.

    Examples
    --------
    >>> called()  # by nobody but this example
    'mauve'
    """
    command = _command.get()
    if command is not None:
        return command.name
    return next((call.name for call in _calls()), _PACKAGE)


def parameter(*names: str) -> str:
    """Return the subject of a message about a parameter: ``The 'seed' parameter of compare``.

    On the command line it is the flag. The function is the outermost that has the parameter:
    ``report`` hands ``seed`` to ``compare``, and the user called ``report``.

    Parameters
    ----------
    *names : str
        Usually one; several parameters of one function are joined.

    Examples
    --------
    >>> parameter("seed")  # of no function
    "'seed'"
    >>> with command_line(Command("mauve compare", {"human": "HUMAN", "seed": "--seed"})):
    ...     parameter("human"), parameter("human", "seed")
    ('HUMAN', 'HUMAN and --seed')
    """
    command = _command.get()
    if command is not None:
        return " and ".join(command.flags.get(name, f"'{name}'") for name in names)
    quoted = " and ".join(f"'{name}'" for name in names)
    for call in _calls():
        if call.parameters.issuperset(names):
            return f"The {quoted} parameter{'s' * (len(names) > 1)} of {call.name}"
    return quoted


def option(name: str, value: object = _NO_VALUE) -> str:
    """Return an option as the user writes it: ``seed=1`` in Python, ``--seed 1`` as a flag.

    Parameters
    ----------
    name : str
        Name of the parameter in Python.
    value : object, optional
        Without one, the option alone: ``seed`` or ``--seed``.

    Examples
    --------
    >>> option("num_buckets"), option("empty", "keep"), option("cache", False)
    ('num_buckets', "empty='keep'", 'cache=False')
    >>> flags = {"empty": "--empty", "strip": "--strip", "no_cache": "--no-cache"}
    >>> with command_line(Command("mauve compare", flags)):
    ...     option("strip", True), option("empty", "keep"), option("cache", False)
    ('--strip', '--empty keep', '--no-cache')
    """
    command = _command.get()
    if command is None:
        return name if value is _NO_VALUE else f"{name}={value!r}"
    flag = command.flags.get(f"no_{name}" if value is False else name, f"'{name}'")
    return flag if value is _NO_VALUE or isinstance(value, bool) else f"{flag} {value}"


def has_option(name: str) -> bool:
    """Return whether the function or command that the user called has an option of that name.

    Examples
    --------
    >>> with command_line(Command("mauve embed", {"strip": "--strip"})):
    ...     has_option("strip"), has_option("num_buckets")
    (True, False)
    """
    command = _command.get()
    if command is not None:
        return name in command.flags
    call = next(_calls(), None)
    return call is not None and (call.takes_any or name in call.parameters)


def either(*names: str) -> str:
    """Return the first of several names of one thing that the user's function or command has.

    An embedder is the parameter ``embedder`` of ``compare`` and ``spec`` of ``get_embedder``.

    Examples
    --------
    >>> with command_line(Command("mauve compare", {"embedder": "--embedder"})):
    ...     either("spec", "embedder", "model")
    'embedder'
    >>> either("spec", "embedder", "model")  # the last if there is none
    'model'
    """
    command, call = _command.get(), next(_calls(), None)
    known = command.flags if command else call.parameters if call else ()
    return next((name for name in names if name in known), names[-1])


def by_world(*, python: str, command: str) -> str:
    """Return one of two wordings, where an option alone does not make the difference.

    Examples
    --------
    >>> by_world(python="embed them", command="use mauve embed")
    'embed them'
    """
    return python if _command.get() is None else command


def in_this_call(work: Callable[[T], R]) -> Callable[[T], R]:
    """Return `work` to be run in other threads, where messages name what was called in this one.

    Examples
    --------
    >>> in_this_call(len)("abc")
    3
    """
    calls, context = tuple(_calls()), copy_context()

    def run(item: T) -> R:
        return context.copy().run(with_calls, item)

    def with_calls(item: T) -> R:
        _outer_calls.set(calls)
        return work(item)

    return run


def is_internal(frame: FrameType) -> bool:
    """Return whether a frame runs a function of this package."""
    module: str = frame.f_globals.get("__name__", "")
    return module.partition(".")[0] == _PACKAGE


def _calls() -> Iterator[_Call]:
    """Yield the calls of functions of this package that are running, outermost first."""
    yield from _outer_calls.get()
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    for frame in reversed(frames):
        if not _is_public(frame):
            continue
        code = frame.f_code
        self = frame.f_locals.get("self") if code.co_varnames[:1] == ("self",) else None
        if code.co_name != "__init__":
            takes_any = bool(code.co_flags & inspect.CO_VARKEYWORDS)
            yield _Call(code.co_qualname, frozenset(_parameters_of(frame)), takes_any)
        if self is not None:  # what its method rejects may have been passed to the class
            init: CodeType | None = getattr(type(self).__init__, "__code__", None)
            if init is not None and not type(self).__name__.startswith("_"):
                names = init.co_varnames[1 : _n_named(init)]
                yield _Call(type(self).__name__, frozenset(names), takes_any=False)


def _is_public(frame: FrameType) -> bool:
    """Return whether users call the function: not the command line, modules and lambdas."""
    module: str = frame.f_globals.get("__name__", "")
    if not is_internal(frame) or module in _WORDING or module.startswith(f"{_PACKAGE}.cli"):
        return False
    if frame.f_code.co_name == "__init__":  # of a dataclass it has no other name
        return True
    return not any(part.startswith(("_", "<")) for part in frame.f_code.co_qualname.split("."))


def _parameters_of(frame: FrameType) -> Iterator[str]:
    code = frame.f_code
    yield from code.co_varnames[: _n_named(code)]
    if code.co_flags & inspect.CO_VARKEYWORDS:
        position = _n_named(code) + bool(code.co_flags & inspect.CO_VARARGS)
        options: Any = frame.f_locals.get(code.co_varnames[position])
        if isinstance(options, dict):  # else the function has given the name another value
            yield from options


def _n_named(code: CodeType) -> int:
    return code.co_argcount + code.co_kwonlyargcount
