"""The steps of an experiment, and the keys that say what each depends on."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

#: Kinds of steps in the order in which they are done, and the version of the code of each: a
#: new version recomputes the steps of the kind, and those that depend on them.
KINDS: dict[str, int] = {"task": 1, "read": 1, "generate": 1, "embed": 1, "score": 1, "measure": 1}

#: What the kinds do, for people.
WORDS = {
    "task": "draw prompts",
    "read": "read texts",
    "generate": "generate texts",
    "embed": "embed texts",
    "score": "score",
    "measure": "measure",
}


@dataclass(frozen=True, eq=False)
class Step:
    """One piece of work, which writes files from settings and from the files of other steps.

    Attributes
    ----------
    kind : str
        Of KINDS.
    title : str
        What it is about, such as "small greedy seed 0".
    settings : mapping
        What the files depend on, as JSON values.
    inputs : tuple of Step
    work : mapping
        What it takes to do the work, and the files do not depend on, such as paths.

    Examples
    --------
    >>> step = Step("read", "human", {"checksum": "ab"})
    >>> step_key(step, []) == step_key(Step("read", "human", {"checksum": "ab"}), [])
    True
    >>> step_key(step, []) == step_key(Step("read", "human", {"checksum": "cd"}), [])
    False
    """

    kind: str
    title: str
    settings: Mapping[str, Any] = field(repr=False)
    inputs: tuple["Step", ...] = field(default=(), repr=False)
    work: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return f"{WORDS[self.kind]} {self.title}"


@dataclass(frozen=True)
class Record:
    """What a finished step has left behind.

    Attributes
    ----------
    key, kind, title : str
    inputs : tuple of str
        Keys of the steps whose files it read.
    files : dict from str to str
        Checksum of each file, by its path in the folder of the experiment.
    settings : dict
    facts : dict
        What is worth knowing and decides nothing, such as the signature of the model.
    warnings : tuple of str
    seconds : float
    written_by : str
        Version of this package, and the machine.
    """

    key: str
    kind: str
    title: str
    inputs: tuple[str, ...]
    files: dict[str, str]
    settings: dict[str, Any]
    facts: dict[str, Any]
    warnings: tuple[str, ...]
    seconds: float
    written_by: str

    @property
    def file(self) -> str:
        """The file that later steps read: the first one."""
        return next(iter(self.files))

    @property
    def digest(self) -> str:
        """A checksum of what the step has written."""
        return digest_of([*self.files.values()])


def step_key(step: Step, digests: list[str]) -> str:
    """Return the key of a step: a hash of its settings, its inputs and the version of its code.

    Parameters
    ----------
    step : Step
    digests : list of str
        What each input has written.
    """
    parts = {
        "kind": step.kind,
        "code": KINDS[step.kind],
        "version": version("mauve-eval"),
        "settings": dict(step.settings),
        "inputs": digests,
    }
    return digest_of(parts)


def digest_of(content: Any) -> str:
    """Return a checksum of JSON content.

    Examples
    --------
    >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    True
    """
    encoded = json.dumps(content, sort_keys=True).encode()
    return hashlib.blake2b(encoded, digest_size=12).hexdigest()
