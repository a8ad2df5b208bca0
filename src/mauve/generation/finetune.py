"""Fine-tune a causal language model on texts, or train one from scratch."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from mauve.calls import parameter
from mauve.embed.samples import SampleLike, read_samples
from mauve.errors import (
    InvalidParameterError,
    bad_parameter,
    check_bool,
    check_choice,
    check_int,
    check_real,
    check_share,
    need_packages,
)
from mauve.generation.sources import SourceLike, source_records
from mauve.generation.tasks import Task, get_task
from mauve.progress import ProgressLike, progress_bar

#: Devices and number types that can be chosen.
Device = Literal["auto", "cpu"]
TrainingDtype = Literal["auto", "float32", "bfloat16"]
DEVICES: tuple[Device, ...] = ("auto", "cpu")
TRAINING_DTYPES: tuple[TrainingDtype, ...] = ("auto", "float32", "bfloat16")


@dataclass(frozen=True)
class Finetuned:
    """A model that was fine-tuned.

    Attributes
    ----------
    folder : Path
        What :func:`mauve.generate` and Transformers load.
    n_texts, n_validation_texts : int
        Texts that were trained on, and those held out.
    n_blocks, block_size : int
        Blocks that were trained on, and their tokens.
    n_tail : int
        Tokens after the last whole block, which were not trained on.
    n_steps : int
        Steps of the optimiser.
    batch, batch_size : int
        Blocks of a step, and those that a device reads at once.
    loss : float
        Mean loss of the last steps, in nats per token.
    perplexity_before, perplexity : float or None
        Perplexity of the validation texts before and after; None without any.
    was_finished : bool
        Whether the folder held the model already, so that nothing was left to do.
    is_main_process : bool
        False in all but one of the processes that ``torchrun`` starts.
    """

    folder: Path
    n_texts: int
    n_validation_texts: int
    n_blocks: int
    block_size: int
    n_tail: int
    n_steps: int
    batch: int
    batch_size: int
    loss: float
    perplexity_before: float | None
    perplexity: float | None
    was_finished: bool = False
    is_main_process: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return all values, for JSON."""
        return asdict(self) | {"folder": str(self.folder)}


def finetune(
    model: str | Path,
    texts: SampleLike,
    out: str | Path,
    *,
    field: str = "text",
    task: str | Task | None = None,
    from_scratch: bool = False,
    tokenizer: str | Path | None = None,
    revision: str | None = None,
    epochs: float = 1.0,
    batch: int = 32,
    batch_size: int | None = None,
    block_size: int = 512,
    learning_rate: float = 5e-5,
    validation: float = 0.05,
    seed: int = 0,
    device: Device = "auto",
    dtype: TrainingDtype = "auto",
    save_steps: int | None = None,
    eval_steps: int | None = None,
    callbacks: Sequence[Any] = (),
    report_to: str | list[str] = "none",
    progress: ProgressLike = True,
) -> Finetuned:
    """Fine-tune a causal language model on texts, with the settings of the paper by default.

    Texts are joined with an end-of-text token after each, and cut into blocks without padding.
    A training that was interrupted continues from its last checkpoint when it is started again
    with the same folder and settings, and ends with the same model.

    Parameters
    ----------
    model : str or Path
        Name on the hub, a folder, or "bundled". With `from_scratch` a preset such as "2x128"
        (GPT-2 with 2 layers of width 128), the JSON file of a configuration, or the folder or
        name of a model whose configuration is taken.
    texts : sequence of str, table, or path
        Texts to train on; files and tables as for :func:`mauve.compare`.
    out : str or Path
        Folder for the model; a new one, or one of an interrupted training.
    field : str
        Field or column that holds the texts in files and tables.
    task : str or Task, optional
        Read `texts` as the texts of a task, "webtext", "news", "stories" or "text", each with
        its prompt before it; `texts` may then be whatever :func:`mauve.evaluate` reads, such as
        "hf:NAME?split=train".
    from_scratch : bool
        Start from random weights.
    tokenizer : str or Path, optional
        Name or folder of another tokenizer than the model's; from scratch, where the
        configuration has none, it is the bundled one.
    revision : str, optional
        Commit, tag or branch of a model on the hub.
    epochs : float
        Passes over the texts.
    batch : int
        Blocks of one step, over all devices.
    batch_size : int, optional
        Blocks that a device reads at once; by default as many as fit its memory. It changes the
        speed, not the batch.
    block_size : int
        Tokens of a block.
    learning_rate : float
        Of Adam, at the start; it falls to zero along a line.
    validation : float in [0, 1)
        Share of the texts that are held out, whose perplexity is computed before and after.
    seed : int
        Random seed.
    device : {"auto", "cpu"}
        "auto" uses GPUs if there are any. Start one process for each GPU with ``torchrun``.
    dtype : {"auto", "float32", "bfloat16"}
        Number type of the computation; weights are float32. "auto" is bfloat16 on GPUs that
        have it.
    save_steps : int, optional
        Steps between two checkpoints; by default ten in a training, at most 500 steps apart.
    eval_steps : int, optional
        Compute the loss of the validation texts every so many steps.
    callbacks : sequence of TrainerCallback
        Of Transformers, such as :class:`mauve.MauveCallback`. They are not among the settings
        that a training must share to be continued.
    report_to : str or list of str
        Experiment trackers, as in Transformers: "tensorboard", "wandb", "trackio", "mlflow".
    progress : bool or callable
        As for :func:`mauve.compare`.

    Returns
    -------
    Finetuned

    Raises
    ------
    InvalidParameterError
        If an input cannot be used, or the folder holds something else.
    MissingExtraError
        If the extra ``finetune`` is not installed.

    References
    ----------
    Pillutla et al., *MAUVE*, NeurIPS 2021, appendix C.2: GPT-2 medium was fine-tuned for one
    epoch with an effective batch of 32, blocks of 512 tokens, Adam and a learning rate of 5e-5.

    Examples
    --------
    >>> import mauve
    >>> mauve.finetune("gpt2", "stories.jsonl", "gpt2-stories")  # doctest: +SKIP
    """
    need_packages("Fine-tuning", ["torch", "transformers", "accelerate"], "finetune")
    from mauve.generation.random_states import kept_random_states

    settings = _Settings(
        epochs=check_real("epochs", epochs, above=0),
        batch=check_int("batch", batch, 1),
        block_size=check_int("block_size", block_size, 2),
        learning_rate=check_real("learning_rate", learning_rate, above=0),
        validation=0.0 if _is_zero(validation) else check_share("validation", validation),
        seed=check_int("seed", seed, 0, 2**32 - 1, "NumPy takes no other"),
    )
    for name, steps in {"save_steps": save_steps, "eval_steps": eval_steps}.items():
        if steps is not None:
            check_int(name, steps, 1)
    if batch_size is not None:
        check_int("batch_size", batch_size, 1)
    if eval_steps is not None and not settings.validation:
        raise bad_parameter("validation", "above 0 where eval_steps is given", validation)
    check_choice("device", device, DEVICES)
    check_choice("dtype", dtype, TRAINING_DTYPES)
    check_bool("from_scratch", from_scratch)
    with progress_bar(progress) as on_progress, kept_random_states():
        return _finetune(
            str(model),
            _read(texts, field, task),
            Path(out),
            settings,
            start={
                "from_scratch": bool(from_scratch),
                "tokenizer": None if tokenizer is None else str(tokenizer),
                "revision": revision,
            },
            batch_size=batch_size,
            use_cpu=device == "cpu",
            dtype=dtype,
            run={"save_steps": save_steps, "eval_steps": eval_steps, "report_to": report_to},
            callbacks=callbacks,
            on_progress=on_progress,
        )


@dataclass(frozen=True)
class _Settings:
    """Settings that the trained model depends on."""

    epochs: float
    batch: int
    block_size: int
    learning_rate: float
    validation: float
    seed: int


def _finetune(
    model: str,
    texts: list[str],
    out: Path,
    settings: _Settings,
    *,
    start: dict[str, Any],
    batch_size: int | None,
    use_cpu: bool,
    dtype: TrainingDtype,
    run: dict[str, Any],
    callbacks: Sequence[Any],
    on_progress: Any,
) -> Finetuned:
    import torch

    from mauve.generation.batch_size import blocks_per_device, fits_device
    from mauve.generation.blocks import make_blocks, text_digest
    from mauve.generation.processes import on_main, rank_and_count
    from mauve.generation.starting import start_from
    from mauve.generation.training_folder import TrainingFolder
    from mauve.generation.training_run import Schedule, start_processes, train

    n_processes, n_gpus = start_processes(use_cpu)
    bf16 = _is_bf16(dtype, n_gpus)
    started = start_from(model, block_size=settings.block_size, seed=settings.seed, **start)
    folder = TrainingFolder(out)
    all_settings = {
        "model": started.identity,
        "tokenizer": started.tokenizer_identity,
        "texts": text_digest(texts),
        **asdict(settings),
        "dtype": "bfloat16" if bf16 else "float32",
    }
    on_main(lambda: folder.open(all_settings))
    is_main = rank_and_count()[0] == 0
    if not is_main:
        folder.open(all_settings)
    if finished := folder.noted("result"):
        return Finetuned(out, **finished, was_finished=True, is_main_process=is_main)
    with ExitStack() as stack:
        on_main(lambda: stack.enter_context(folder.held()))
        text = make_blocks(
            texts,
            started.tokenizer,
            block_size=settings.block_size,
            validation=settings.validation,
            seed=settings.seed,
            on_progress=on_progress,
        )
        # Without torchrun, a Trainer gives each GPU of the machine a part of every batch.
        n_devices = n_processes if n_processes > 1 else max(1, n_gpus)
        if n_gpus:
            started.model.to(torch.device("cuda", torch.cuda.current_device()))
        per_device = blocks_per_device(
            settings.batch,
            n_devices,
            # As before the interruption: sums of other parts are rounded otherwise.
            folder.noted("batch_size") if batch_size is None else batch_size,
            fits_device(started.model, settings.block_size, bf16=bf16),
        )
        per_device = on_main(lambda: per_device)
        on_main(lambda: folder.note(batch_size=per_device))
        schedule = Schedule(
            epochs=settings.epochs,
            learning_rate=settings.learning_rate,
            n_parts=settings.batch // (per_device * n_devices),
            batch_size=per_device,
            seed=settings.seed,
            bf16=bf16,
            use_cpu=use_cpu,
            **run,
        )
        outcome = train(
            started, text, schedule, folder, callbacks=callbacks, on_progress=on_progress
        )
        result = {
            "n_texts": text.n_texts,
            "n_validation_texts": text.n_validation_texts,
            "n_blocks": len(text.blocks),
            "block_size": settings.block_size,
            "n_tail": text.n_tail,
            "batch": settings.batch,
            "batch_size": per_device,
            **asdict(outcome),
        }
        on_main(lambda: folder.note(result=result))
        on_main(folder.remove_checkpoints)
    return Finetuned(out, **result, is_main_process=is_main)


def _read(texts: SampleLike, field: str, task: str | Task | None) -> list[str]:
    """Return the texts, of a task each with its prompt before it."""
    if task is not None:
        if field != "text":
            raise bad_parameter("field", "left out where a task says what is read", field)
        kind = get_task(task)
        records = source_records(cast(SourceLike, texts), kind.fields)
        whole = [
            f"{each.prompt or ''}{kind.separator if each.prompt else ''}{each.text}"
            for each in records
        ]
        if not whole:
            raise InvalidParameterError(f"{parameter('texts')} must hold at least one text.")
        return whole
    [sample] = read_samples({"texts": texts}, field).values()
    if not isinstance(sample.values, list):
        raise InvalidParameterError(
            f"{parameter('texts')} must be texts. Got features, which no model is trained on."
        )
    return [*map(str, sample.values)]


def _is_zero(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value == 0


def _is_bf16(dtype: TrainingDtype, n_gpus: int) -> bool:
    import torch

    is_native = n_gpus > 0 and torch.cuda.get_device_capability() >= (8, 0)
    if dtype == "bfloat16" and not is_native:
        why = "bfloat16 needs a GPU that computes in it"
        raise bad_parameter("dtype", "'auto' or 'float32' on this machine", dtype, why)
    return is_native and dtype != "float32"
