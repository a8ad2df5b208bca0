"""Register one's own embedders, quantizers and measures by name, or find them by entry point.

A decorator registers for this process. An entry point, in a group such as ``mauve.embedders``,
is declared by an installed distribution and loaded when its name is first asked for, so that
the name works on the command line too.
"""

import re
from collections.abc import Callable
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Generic, TypeVar, cast

from mauve.calls import either
from mauve.errors import InvalidParameterError, MauveError, bad_parameter, warn_caller

T = TypeVar("T")
D = TypeVar("D")


class PluginError(MauveError):
    """An installed distribution offers an object that cannot be used."""


class Plugins(Generic[T]):
    """Objects of one kind by name, beside those that are built in.

    Parameters
    ----------
    kind : str
        Such as "embedder"; the group of entry points is ``mauve.embedders``.
    is_built_in : callable
        Whether a name is taken by this package.
    problem : callable
        Says what an object lacks to be of this kind, or returns an empty string.

    Examples
    --------
    >>> colours = Plugins("colour", {"red"}.__contains__, lambda value: "" if value else "light")
    >>> colours.register("mauve", "#e0b0ff")
    >>> colours.get("mauve"), colours.get("green"), colours.names()
    ('#e0b0ff', None, ['mauve'])
    """

    def __init__(
        self, kind: str, is_built_in: Callable[[str], bool], problem: Callable[[Any], str]
    ) -> None:
        self.kind, self._is_built_in, self._problem = kind, is_built_in, problem
        self.registered: dict[str, tuple[T, object]] = {}

    @property
    def group(self) -> str:
        """The group of entry points."""
        return f"mauve.{self.kind}s"

    def check_name(self, name: str) -> None:
        """Raise unless an object may be registered by this name."""
        role = either("name", "measure")
        if not isinstance(name, str) or not re.fullmatch(r"[a-z0-9][a-z0-9._+-]*", name):
            rule = "lower-case letters and digits, with . _ + or - between them"
            raise bad_parameter(role, rule, name)
        if self._is_built_in(name):
            rule = f"another name than those of this package's {self.kind}s"
            raise bad_parameter(role, rule, name)

    def decorator(self, name: str) -> Callable[[D], D]:
        """Return a decorator that registers what it decorates; the name is checked at once."""
        self.check_name(name)

        def decorate(thing: D) -> D:
            self.register(name, cast(Any, thing))
            return thing

        return decorate

    def register(self, name: str, thing: T, source: object = None) -> None:
        """Register an object; `source` is the class or function that it was made from.

        A second object of the same name is rejected, unless it is made from a class or function
        of the same module and name: a cell of a notebook that is run again.
        """
        self.check_name(name)
        if problem := self._problem(thing):
            raise bad_parameter(self.kind, f"an object that can be used as one: {problem}", thing)
        origin = _origin(thing if source is None else source)
        if name in self.registered and origin != self.registered[name][1]:
            raise InvalidParameterError(
                f"The {self.kind} '{name}' must have a name that no other {self.kind} is "
                "registered by: choose another."
            )
        self.registered[name] = (thing, origin)

    def get(self, name: str) -> T | None:
        """Return the object of a name, from this process or an installed distribution."""
        if name not in self.registered and name in self._offered:
            self._load(name)
        return self.registered[name][0] if name in self.registered else None

    def names(self) -> list[str]:
        """Return all names: those registered, and those that distributions offer."""
        return [*dict.fromkeys([*self.registered, *self._offered])]

    def loaded(self) -> dict[str, T]:
        """Return all objects by name; one that cannot be loaded is left out, with a warning."""
        found = {}
        for name in self.names():
            try:
                thing = self.get(name)
            except PluginError as error:
                warn_caller(str(error))
            else:
                if thing is not None:
                    found[name] = thing
        return found

    @cached_property
    def _offered(self) -> dict[str, list[EntryPoint]]:
        """Entry points by name, without those whose names are taken."""
        offered: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=self.group):
            if self._is_built_in(point.name):
                warn_caller(
                    f"The {self.kind} '{point.name}' of the distribution '{_distribution(point)}' "
                    "is ignored: this package has one of that name."
                )
            elif point not in offered.get(point.name, []):
                offered.setdefault(point.name, []).append(point)
        return offered

    def _load(self, name: str) -> None:
        points = self._offered[name]
        if len(points) > 1:
            owners = " and ".join(f"'{_distribution(point)}'" for point in points)
            raise PluginError(
                f"The {self.kind} '{name}' is offered by the distributions {owners}: uninstall one."
            )
        [point] = points
        what = f"The {self.kind} '{name}' of the distribution '{_distribution(point)}'"
        try:
            thing = point.load()
        except Exception as error:  # whatever code of others raises
            raise PluginError(
                f"{what} could not be loaded from '{point.value}' ({type(error).__name__}: "
                f"{error}): update or uninstall it."
            ) from error
        if problem := self._problem(thing):
            raise PluginError(f"{what} cannot be used: {problem}. Update or uninstall it.")
        # The module may have registered it by decorator.
        self.registered.setdefault(name, (thing, _origin(thing)))


def lacking(thing: object, protocol: type) -> str:
    """Say which members of a protocol an object lacks; an empty string if it has them all.

    A class must have the methods alone, since its objects may have the rest.

    Examples
    --------
    >>> from mauve.embed.protocol import Embedder
    >>> lacking("text", Embedder)
    "it has no 'signature' and no 'embed'"
    """
    members = {name: member for name, member in vars(protocol).items() if name[0] != "_"}
    if isinstance(thing, type):
        members = {n: member for n, member in members.items() if not isinstance(member, property)}
    missing = [f"no '{name}'" for name in members if not hasattr(thing, name)]
    return f"it has {' and '.join(missing)}" if missing else ""


def _origin(thing: object) -> object:
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return named.__module__, getattr(named, "__qualname__", None)


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"
