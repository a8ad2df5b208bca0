"""Train a causal model on blocks of tokens with the Trainer of Transformers; needs accelerate."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from accelerate import PartialState
from safetensors import SafetensorError
from torch.utils.data import Dataset
from transformers import (
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
    default_data_collator,
)

from mauve.errors import OutputError
from mauve.generation.blocks import Tokens, TrainingText
from mauve.generation.processes import on_main
from mauve.generation.random_states import kept_random_states
from mauve.generation.starting import Start
from mauve.generation.training_folder import TrainingFolder
from mauve.progress import Progress

_MOST_STEPS_BETWEEN = 500  # of two checkpoints, which a killed training loses at most


@dataclass(frozen=True)
class Schedule:
    """How a model is trained; see :func:`mauve.finetune`.

    Attributes
    ----------
    epochs, learning_rate : float
    n_parts : int
        Forward and backward passes of one step, on each device.
    batch_size : int
        Blocks of one pass.
    seed : int
    bf16, use_cpu : bool
    save_steps, eval_steps : int or None
    report_to : str or list of str
    """

    epochs: float
    learning_rate: float
    n_parts: int
    batch_size: int
    seed: int
    bf16: bool
    use_cpu: bool
    save_steps: int | None
    eval_steps: int | None
    report_to: str | list[str]


@dataclass(frozen=True)
class Outcome:
    """What came of a training.

    Attributes
    ----------
    n_steps : int
    loss : float
        Mean over the steps since the last but one was logged, in nats per token.
    perplexity_before, perplexity : float or None
        Of the validation texts.
    """

    n_steps: int
    loss: float
    perplexity_before: float | None
    perplexity: float | None


class Blocks(Dataset[dict[str, torch.Tensor]]):
    """Blocks as a Trainer takes them.

    Parameters
    ----------
    blocks : array of int, shape (n, block_size)
    """

    def __init__(self, blocks: Tokens) -> None:
        self._blocks = blocks

    def __len__(self) -> int:
        return len(self._blocks)

    def __getitem__(self, row: int) -> dict[str, torch.Tensor]:
        ids = torch.from_numpy(self._blocks[row].astype("int64"))
        return {"input_ids": ids, "labels": ids}


def start_processes(use_cpu: bool) -> tuple[int, int]:
    """Join the other processes of ``torchrun``, if any; return the number of processes and GPUs."""
    state = PartialState(cpu=use_cpu)
    n_gpus = 0 if use_cpu else torch.cuda.device_count()
    return state.num_processes, n_gpus


def train(
    start: Start,
    text: TrainingText,
    schedule: Schedule,
    folder: TrainingFolder,
    *,
    callbacks: Sequence[Any],
    on_progress: Progress,
) -> Outcome:
    """Train from the last checkpoint in the folder, or from the start, and save the model."""
    n_devices_steps = math.ceil(len(text.blocks) / schedule.batch_size / schedule.n_parts)
    expected = max(1, math.ceil(n_devices_steps * schedule.epochs))
    arguments = TrainingArguments(
        output_dir=str(folder.checkpoints),
        num_train_epochs=schedule.epochs,
        per_device_train_batch_size=schedule.batch_size,
        per_device_eval_batch_size=schedule.batch_size,
        gradient_accumulation_steps=schedule.n_parts,
        learning_rate=schedule.learning_rate,
        weight_decay=0.0,  # Adam, not AdamW
        bf16=schedule.bf16,
        use_cpu=schedule.use_cpu,
        seed=schedule.seed,
        data_seed=schedule.seed,
        save_strategy="steps",
        save_steps=schedule.save_steps or min(_MOST_STEPS_BETWEEN, math.ceil(expected / 10)),
        save_total_limit=2,  # the last may be unfinished
        eval_strategy="no" if schedule.eval_steps is None else "steps",
        eval_steps=schedule.eval_steps,
        logging_steps=max(1, expected // 50),
        report_to=schedule.report_to,
        remove_unused_columns=False,
        dataloader_pin_memory=torch.cuda.is_available() and not schedule.use_cpu,
        disable_tqdm=True,
        log_level="error",
        log_level_replica="error",
    )
    validation = Blocks(text.validation) if len(text.validation) else None
    last = on_main(folder.last_checkpoint)
    state = _state_of(last)
    is_trained = state is not None and state.global_step >= state.max_steps
    with _quiet_trainer():
        model = type(start.model).from_pretrained(last) if is_trained else start.model
        trainer = Trainer(
            model,
            arguments,
            data_collator=default_data_collator,
            train_dataset=Blocks(text.blocks),
            eval_dataset=validation,
            processing_class=start.tokenizer,
            callbacks=[_Reporter(on_progress), *callbacks],
        )
        trainer.remove_callback(PrinterCallback)
        if folder.noted("perplexity_before") is None and validation is not None and last is None:
            on_progress("validating", 0, 1)
            with kept_random_states():
                before = _perplexity(trainer)
            if trainer.is_world_process_zero():
                folder.note(perplexity_before=before)
        if not is_trained:
            with _disk_errors(folder.path):
                trainer.train(resume_from_checkpoint=None if last is None else str(last))
            state = trainer.state
        assert state is not None  # of the checkpoint, or of the training
        losses = [entry["loss"] for entry in state.log_history if "loss" in entry]
        after = None if validation is None else _perplexity(trainer)
        if trainer.is_world_process_zero():
            with _disk_errors(folder.path):
                folder.save(trainer.accelerator.unwrap_model(trainer.model), start.tokenizer)
    return Outcome(state.global_step, losses[-1], folder.noted("perplexity_before"), after)


def _perplexity(trainer: Trainer) -> float:
    # All blocks have one length, so the mean of their losses is the mean over their tokens.
    return math.exp(trainer.evaluate()["eval_loss"])


def _state_of(checkpoint: Path | None) -> TrainerState | None:
    if checkpoint is None:
        return None
    state: TrainerState = TrainerState.load_from_json(str(checkpoint / "trainer_state.json"))
    return state


class _Reporter(TrainerCallback):
    """Reports the steps to the progress bar."""

    def __init__(self, on_progress: Progress) -> None:
        self._on_progress = on_progress

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Report the steps that are done."""
        if state.is_world_process_zero:
            self._on_progress("training", state.global_step, state.max_steps)


@contextmanager
def _quiet_trainer() -> Iterator[None]:
    """Switch off what is printed while models are saved, and put back what a Trainer sets."""
    logging: Any = transformers.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """Name the folder where a checkpoint or the model cannot be written."""
    try:
        yield
    except OutputError:
        raise
    except (OSError, SafetensorError, RuntimeError) as error:
        # torch and safetensors have errors of their own for a full disk.
        says = str(error)
        marks = ("PytorchStreamWriter", "unexpected pos", "No space left", "File too large")
        if not isinstance(error, OSError | SafetensorError) and not any(m in says for m in marks):
            raise
        reason = getattr(error, "strerror", None) or says.partition("\n")[0]
        raise OutputError(
            f"'{folder}' cannot be written ({reason}): make space and start again, which "
            "continues from the last checkpoint."
        ) from error
