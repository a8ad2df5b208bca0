"""Run the stages on a Ray cluster, with Ray Data and a pool of actors; needs the ray extra."""

import importlib
import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mauve.errors import InvalidParameterError, MauveError
from mauve.escape import escaped

_TRIES = 3  # of a piece whose task fails for another reason than its machine


class _Worker:
    """An actor: holds a stage, with its model and buckets, and takes one piece after another."""

    def __init__(self, stage: Any) -> None:
        self._stage = stage
        prepare = getattr(stage, "prepare", None)
        if prepare is not None:
            prepare()

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        piece = int(row["item"])
        try:
            return {"piece": piece, "result": [self._stage(piece)], "error": None}
        except MauveError as error:  # a clear error, which trying again does not change
            return {"piece": piece, "result": None, "error": [error]}


@dataclass(frozen=True)
class RayEngine:
    """Runs a stage on all pieces, in a pool of actors on the machines of a cluster.

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
        # Ray asks before it reports how it is used, but not in a script.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        ray = importlib.import_module("ray")  # by name: it is an extra
        is_ours = not ray.is_initialized()
        if is_ours:
            try:
                ray.init(
                    address=address or "local",
                    logging_level=logging.ERROR,
                    log_to_driver=False,
                    include_dashboard=False if address is None else None,
                    configure_logging=False,
                )
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise InvalidParameterError(
                    f"There must be a Ray cluster at the address '{escaped(str(address))}'. None "
                    f"answers ({_first_line(error)}): start one with ray start --head, or leave "
                    "the address out to use this machine."
                ) from error
        context = importlib.import_module("ray.data").DataContext.get_current()
        context.enable_progress_bars = False
        try:
            yield cls(ray, workers, gpus)
        finally:
            if is_ours:
                ray.shutdown()

    def run(self, stage: Callable[[int], Any], pieces: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Yield the number of each piece and what the stage returns for it, in any order."""
        if not len(pieces):
            return
        data = importlib.import_module("ray.data")
        most = self.workers or max(1, int(self.ray.cluster_resources().get("CPU", 1)))
        most = min(most, len(pieces))
        rows = data.from_items([int(piece) for piece in pieces], override_num_blocks=len(pieces))
        done = rows.map(
            _Worker,
            fn_constructor_args=[stage],
            compute=data.ActorPoolStrategy(min_size=1, max_size=most),
            num_cpus=1,
            num_gpus=self.gpus or None,
            max_restarts=-1,
            max_task_retries=-1,
        )
        try:
            for row in done.iter_rows():
                if row["error"] is not None:
                    raise row["error"][0]
                yield int(row["piece"]), row["result"][0]
        except self.ray.exceptions.RayError as error:
            raise MauveError(
                f"Ray could not finish a stage ({_first_line(error)}): what is done is kept if a "
                "folder is named, and used by the next run."
            ) from error


def _first_line(error: BaseException) -> str:
    return escaped(str(error).strip().partition("\n")[0])[:200]
