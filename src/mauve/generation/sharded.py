"""Refuse to generate with a model that is split over processes."""

from typing import Any

from mauve.errors import InvalidParameterError


def check_whole(trainer: Any) -> None:
    """Raise if no process has the whole model that a Trainer trains.

    Its processes continue different prompts, for different numbers of steps; one that is
    split would wait for the others in every layer.
    """
    way = _way_of_splitting(trainer)
    if way is not None:
        raise InvalidParameterError(
            "MauveCallback must be used where every process has the whole model, as with "
            "distributed data parallel or the first two stages of DeepSpeed ZeRO. Got a model "
            f"that is split by {way} instead: score its checkpoints after training."
        )


def _way_of_splitting(trainer: Any) -> str | None:
    if trainer.is_fsdp_enabled or getattr(trainer, "is_fsdp_xla_enabled", False):
        return "FSDP"
    for weight in trainer.model.parameters():
        if hasattr(weight, "ds_id"):  # set by the third stage alone
            return "DeepSpeed ZeRO, stage 3"
        if hasattr(weight, "device_mesh"):
            return "tensors over several devices (DTensor)"
    return None
