"""Choose an engine by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, get_args

from mauve.engine.local import Engine, LocalEngine
from mauve.errors import bad_parameter, check_choice, check_int, need_packages

if TYPE_CHECKING:
    from mauve.engine.ray_engine import RayEngine

#: "disk" works piece by piece in this process, "ray" on the machines of a Ray cluster.
EngineName = Literal["disk", "ray"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)


@contextmanager
def open_engine(
    name: EngineName, *, address: str | None = None, workers: int | None = None, gpus: float = 0.0
) -> Iterator[Engine]:
    """Yield an engine; a cluster that was started for it is stopped afterwards.

    Parameters
    ----------
    name : {"disk", "ray"}
    address, workers, gpus
        As for :func:`mauve.compare_files`.

    Examples
    --------
    >>> with open_engine("disk") as engine:
    ...     type(engine).__name__
    'LocalEngine'
    """
    check_choice("engine", name, ENGINES)
    if workers is not None:
        workers = check_int("workers", workers, 1)
    if name == "disk":
        for option, value in {"address": address, "workers": workers}.items():
            if value is not None:
                raise bad_parameter(option, "left out unless engine='ray'", value)
        yield LocalEngine()
        return
    if address is not None and address.startswith("ray://"):
        raise bad_parameter(
            "address",
            "'auto' or HOST:PORT",
            address,
            "Ray Data does not work for clients outside of the cluster, so run the command on a "
            "machine of the cluster, or with ray job submit",
        )
    with open_ray(address, workers, gpus) as engine:
        yield engine


@contextmanager
def open_ray(address: str | None, workers: int | None, gpus: float) -> "Iterator[RayEngine]":
    """Yield the engine of a Ray cluster, or of Ray on this machine, which is stopped afterwards.

    Parameters
    ----------
    address, workers, gpus
        As for :func:`mauve.compare_files`.
    """
    need_packages("The engine 'ray'", ["ray", "pyarrow"], "ray")
    from mauve.engine.ray_engine import RayEngine

    with RayEngine.opened(address, workers, gpus) as engine:
        yield engine
