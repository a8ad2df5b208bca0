"""Find protocols: those of this package by name, and a user's own in a TOML file."""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.protocols.protocol import Protocol

#: Names of the protocols of this package, in the order in which they are listed.
NAMES = (
    "paper-2021", "diffusion-unconditional", "diffusion-conditional", "contrastive-search",
    "alce", "synthetic-data", "default",
)  # fmt: skip


@cache
def built_in() -> dict[str, Protocol]:
    """Return the protocols of this package by name.

    Examples
    --------
    >>> [*built_in()][:2]
    ['paper-2021', 'diffusion-unconditional']
    """
    folder = files("mauve.protocols")
    return {
        name: Protocol.from_table(name, tomllib.loads((folder / f"{name}.toml").read_text("utf-8")))
        for name in NAMES
    }


def get_protocol(spec: str | Path | Protocol) -> Protocol:
    """Return the protocol of a name or of a TOML file.

    Parameters
    ----------
    spec : str, Path or Protocol
        A name of :data:`NAMES`, a file that ends in ``.toml``, or a protocol, which is returned.

    Examples
    --------
    >>> get_protocol("alce").score.percent
    True
    """
    if isinstance(spec, Protocol):
        return spec
    name = str(spec)
    if name in built_in():
        return built_in()[name]
    if not name.endswith(".toml"):
        raise InvalidParameterError(
            f"{parameter('protocol')} must be one of {', '.join(NAMES)}, or a file that ends in "
            f".toml. Got '{escaped(name)}' instead."
        )
    path = Path(name)
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InvalidParameterError(
            f"'{escaped(name)}' must be a protocol in TOML. It cannot be read "
            f"({error.strerror}): check {parameter('protocol')}."
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidParameterError(
            f"'{escaped(name)}' must be a protocol in TOML. Got {error} instead."
        ) from error
    return Protocol.from_table(path.stem, table)
