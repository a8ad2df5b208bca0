"""Run the stages on a Ray cluster, with Ray Data and a pool of actors; needs the ray extra."""

import importlib
import logging
import os
import re
import socket
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from importlib.metadata import version
from typing import Any

from mauve.engine.stages import Together
from mauve.errors import InvalidParameterError, MauveError
from mauve.escape import escaped

_HOST_AND_PORT = re.compile(r"^(?:ray://)?(?P<host>[^/]+):(?P<port>\d+)$")
# What a client of HTTP/2 says first, which all servers of Ray speak, and the kind of the answer.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"
_SETTINGS = b"\4"
#: How often a piece is tried again whose machine or process was lost: it may need more memory than
#: there is, and Ray itself would try for ever. A machine that was lost costs some ten tries, one
#: after another, before Ray takes it for dead.
RETRIES = 50
_SECONDS = 5.0  # to wait for an answer at an address; Ray itself waits for minutes


class _Worker:
    """An actor: holds the stages, with model and buckets, and takes one piece after another."""

    def __init__(self, stages: list[Any], needed: str) -> None:
        # In a list, so that Ray passes the reference: an actor that is started again needs it.
        self._together: Together = importlib.import_module("ray").get(stages[0])
        self._needed = needed
        self._together.prepare()

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        return _done(self._together, row, self._needed)


def _done(together: Together, row: dict[str, Any], needed: str) -> dict[str, Any]:
    """Return what a stage returns for a piece, or its error, which trying again cannot change."""
    number = int(row["item"])
    try:
        check_version(needed)
        return {"number": number, "result": [together(number)], "error": None}
    except MauveError as error:
        return {"number": number, "result": None, "error": [error]}
    except Exception as error:  # of an embedder; Ray would tell it without its cause
        told = MauveError(
            f"The work failed on the machine '{socket.gethostname()}' ({type(error).__name__}: "
            f"{_first_line(error)}). What is done is kept if a folder is named: run again."
        )
        told.add_note(traceback.format_exc())
        return {"number": number, "result": None, "error": [told]}


def check_version(needed: str) -> None:
    """Raise unless this machine has the version that runs the comparison.

    Examples
    --------
    >>> check_version(version("mauve-eval"))
    """
    found = metadata.version("mauve-eval")
    if found != needed:
        raise MauveError(
            f"All machines must have mauve-eval {needed}, the version of the one that runs the "
            f"comparison. '{socket.gethostname()}' has {found}: install one version on all."
        )


@dataclass(frozen=True)
class RayEngine:
    """Runs the stages on the machines of a cluster: Ray tasks, and actors where there is a model.

    A piece whose machine is lost is done again on another one; shards that were written stay.

    Attributes
    ----------
    ray : module
    workers : int or None
        Actors at the most; None for as many as the cluster has cores for.
    gpus : float
        GPUs of each actor.
    """

    ray: Any
    workers: int | None
    gpus: float

    @classmethod
    @contextmanager
    def opened(cls, address: str | None, workers: int | None, gpus: float) -> Iterator["RayEngine"]:
        """Connect to a cluster, or start Ray on this machine, and yield the engine."""
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would be sent without asking
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # else it writes to the terminal
        logging.getLogger("ray").setLevel(logging.ERROR)
        ray = importlib.import_module("ray")  # by name: it is an extra
        is_ours = not ray.is_initialized()
        if is_ours:
            check_address(address)
            try:
                ray.init(
                    address=address or "local",
                    num_cpus=None if address else workers,
                    logging_level=logging.ERROR,
                    log_to_driver=False,
                    include_dashboard=None if address else False,
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise _no_cluster(address, _first_line(error)) from error
        data = importlib.import_module("ray.data")
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        context = data.DataContext.get_current()
        before = context.enable_progress_bars
        context.enable_progress_bars = False
        try:
            yield cls(ray, workers, gpus)
        finally:
            context.enable_progress_bars = before
            if is_ours:
                ray.shutdown()

    def run(self, together: Together) -> Iterator[tuple[int, Any]]:
        """Yield the number of each piece and what its stage returns, in any order."""
        n_pieces = len(together.pieces)
        if not n_pieces:
            return
        data = importlib.import_module("ray.data")
        rows = data.from_items([*range(n_pieces)], override_num_blocks=n_pieces)
        stages, needed = self.ray.put(together), version("mauve-eval")
        if together.holds_model:
            most = self.workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))
            done = rows.map(
                _Worker,
                fn_constructor_args=[[stages], needed],
                compute=data.ActorPoolStrategy(min_size=1, max_size=min(most, n_pieces)),
                num_cpus=1,
                num_gpus=self.gpus or None,
                max_task_retries=RETRIES,
            )
        else:
            get = self.ray.get
            done = rows.map(
                lambda row: _done(get(stages), row, needed), num_cpus=1, max_retries=RETRIES
            )
        remedy = (
            "What is done is kept if a folder is named: run again, with fewer workers on a machine "
            "if they were short of memory."
        )
        with ray_errors(self.ray, remedy):
            for row in done.iter_rows():
                if row["error"] is not None:
                    raise row["error"][0]
                yield int(row["number"]), row["result"][0]


@contextmanager
def ray_errors(ray: Any, remedy: str) -> Iterator[None]:
    """Raise what Ray raises in the block as an error of one sentence, and what to do.

    Parameters
    ----------
    ray : module
    remedy : str
        A sentence.
    """
    try:
        yield
    except ray.exceptions.RayError as error:
        raise MauveError(
            f"Ray could not finish the work ({_first_line(error)}). {remedy}"
        ) from error


def check_address(address: str | None) -> None:
    """Raise unless a server of the kind that Ray starts answers at a host and port.

    Examples
    --------
    >>> check_address(None)  # Ray is started on this machine
    """
    match = None if address is None else _HOST_AND_PORT.match(address)
    if match is None:
        return
    try:
        place = match["host"], int(match["port"])
        with socket.create_connection(place, timeout=_SECONDS) as connection:
            if os.environ.get("RAY_USE_TLS", "0") in ("", "0"):  # else it waits for a handshake
                connection.sendall(_GREETING)
                if connection.recv(4)[3:] != _SETTINGS:
                    raise OSError("what answers is no Ray")
    except OSError as error:
        raise _no_cluster(address, str(error)) from error


def _no_cluster(address: str | None, reason: str) -> InvalidParameterError:
    return InvalidParameterError(
        f"There must be a Ray cluster at the address '{escaped(str(address))}'. None can be used "
        f"({escaped(reason)}): start one with ray start --head, or leave the address out to use "
        "this machine alone."
    )


def _first_line(error: BaseException) -> str:
    return escaped(str(error).strip().partition("\n")[0])[:200]
