"""Log the MAUVE score of a model while a Transformers Trainer, or one of TRL, trains it."""

import sys
import time
from collections.abc import Sequence
from typing import Any

from transformers import Trainer, TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from mauve.calls import parameter
from mauve.comparison.advice import sample_warnings
from mauve.comparison.results import MauveResult
from mauve.comparison.run import compare_samples
from mauve.comparison.settings import MIN_TEXTS
from mauve.embed.cached import cached_if_known
from mauve.embed.load import Samples, load_samples
from mauve.embed.protocol import Embedded, Embedder
from mauve.embed.reading import UNREADABLE, UnreadablePolicy
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.embed.remembered import RememberedEmbedder
from mauve.embed.samples import SampleLike, read_samples
from mauve.errors import (
    InvalidParameterError,
    bad_parameter,
    check_choice,
    check_int,
    warn_caller,
)
from mauve.generation.continuing import continue_prompts, evaluation_mode
from mauve.generation.held_out import HeldOut, hold_out
from mauve.generation.processes import gathered, on_main, rank_and_count
from mauve.generation.random_states import kept_random_states
from mauve.generation.sharded import check_whole
from mauve.lm.decoding import parse_sampler


class MauveCallback(TrainerCallback):
    """Scores the texts of a model in training against human text, and logs the score.

    At every evaluation, or every so many steps, the model continues held-out prompts. The
    continuations are compared with those that people wrote, by :func:`mauve.compare`, and
    the Trainer logs ``eval_mauve``, its interval ``eval_mauve_low`` and ``eval_mauve_high``,
    ``eval_mauve_p_value`` and the seconds it took, ``eval_mauve_runtime``. So they are shown
    by TensorBoard, Weights & Biases, Trackio, MLflow and whatever else the Trainer reports to.

    Parameters
    ----------
    human : sequence of str, table, or path
        Held-out human texts, which the model is not trained on; some hundreds. Files and
        tables as for :func:`mauve.compare`.
    prompts : sequence of str, optional
        The prompt that each human text continues. Without them, each human text is cut: its
        first `prompt_tokens` tokens are the prompt, the next ones the human continuation.
    prompt_tokens : int
        Tokens of a prompt, where `prompts` are not given.
    max_tokens : int
        New tokens of a continuation at most; human ones are cut there too.
    decoder : str
        How the next token is drawn: "nucleus:0.95", "ancestral", "temperature:0.7",
        "top-k:40", "typical:0.95", "min-p:0.05" or "greedy", and ",temperature=0.8" after a
        truncation; see :func:`mauve.lm.decoding.parse_decoder`. Searches are too slow here.
    every_steps : int, optional
        Score every so many optimiser steps. By default at every evaluation of the Trainer.
    batch_size : int
        Prompts that are continued at once, in each process.
    field : str
        Field or column that holds the texts in files and tables.
    embedder : str, Embedder or callable, optional
        What turns texts into features, as for :func:`mauve.compare`; by default the bundled
        model, on the CPU.
    device : str
        Where the embedder runs.
    unreadable : {"error", "warn"}
        As for :func:`mauve.compare`.
    n_permutations : int
        Permutations for the p-value; with 0 none is logged.
    seed : int
        Random seed of texts and score, the same at every step: so scores of two steps differ
        by the model alone.
    tokenizer : tokenizer of Transformers, optional
        By default the ``processing_class`` of the Trainer.

    Attributes
    ----------
    result : MauveResult or None
        The last result, in the main process. Its `warnings`, of differences in length for
        instance, are not issued: a model that is still learning writes otherwise than people.
    prompts, human, texts : list of str
        The prompts, their human continuations, and the last ones of the model.

    Notes
    -----
    Training is not changed: evaluation mode and all random states are put back, so that the
    losses are those of a run without the callback. In distributed training each process
    continues its share of the prompts and the main process scores them all; a text depends on
    the seed and the number of its prompt, so the score is that of one process. Models that are
    split over processes (FSDP, the third stage of DeepSpeed) are refused.

    For the best checkpoint by MAUVE set ``metric_for_best_model="eval_mauve"``,
    ``greater_is_better=True`` and ``load_best_model_at_end=True``; Transformers'
    ``EarlyStoppingCallback`` then works by it too.

    Examples
    --------
    >>> from transformers import Trainer, TrainingArguments
    >>> callback = MauveCallback("held_out.jsonl", max_tokens=200)  # doctest: +SKIP
    >>> trainer = Trainer(
    ...     model, TrainingArguments("out", eval_strategy="steps", eval_steps=500),
    ...     train_dataset=train, eval_dataset=validation, processing_class=tokenizer,
    ...     callbacks=[callback],
    ... )  # doctest: +SKIP
    >>> trainer.train()  # doctest: +SKIP
    """

    def __init__(
        self,
        human: SampleLike,
        *,
        prompts: Sequence[str] | None = None,
        prompt_tokens: int = 35,
        max_tokens: int = 256,
        decoder: str = "nucleus:0.95",
        every_steps: int | None = None,
        batch_size: int = 32,
        field: str = "text",
        embedder: EmbedderLike | None = None,
        device: str = "auto",
        unreadable: UnreadablePolicy = "error",
        n_permutations: int = 1000,
        seed: int = 0,
        tokenizer: Any = None,
    ) -> None:
        [sample] = read_samples({"human": human}, field).values()
        if not isinstance(sample.values, list):
            raise bad_parameter("human", "texts, which prompts are taken from", "features")
        if len(sample) < MIN_TEXTS:
            why = "half of them are learnt from, and the others counted"
            raise bad_parameter("human", f"at least {MIN_TEXTS} texts", len(sample), why)
        self._human = [*map(str, sample.values)]
        self._prompts = None if prompts is None else [*prompts]
        self._prompt_tokens = check_int("prompt_tokens", prompt_tokens, 1)
        self._max_tokens = check_int("max_tokens", max_tokens, 1)
        self._sampler = parse_sampler(decoder)
        self._every = None if every_steps is None else check_int("every_steps", every_steps, 1)
        self._batch_size = check_int("batch_size", batch_size, 1)
        self._embedder = get_embedder("bundled" if embedder is None else embedder, device=device)
        self._unreadable = check_choice("unreadable", unreadable, UNREADABLE)
        self._n_permutations = check_int("n_permutations", n_permutations, 0)
        self._seed = check_int("seed", seed, 0)
        self._tokenizer = tokenizer
        self._trainer: Any = None
        self._held_out: HeldOut | None = None
        self._known: tuple[list[str], Embedded] | None = None  # human texts, in the main process
        self._scores: tuple[int, dict[str, float]] | None = None  # of a step
        self.result: MauveResult | None = None
        self.prompts: list[str] = []
        self.human: list[str] = []
        self.texts: list[str] = []

    # Events

    def on_train_begin(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Check before the first step what would fail at the first score."""
        self._prepare()
        self._scores = None
        if self._every is None and args.eval_strategy == "no":
            raise InvalidParameterError(
                f"{parameter('every_steps')} must be given where the Trainer does not evaluate. "
                "Got None instead: give a number of steps, or set eval_strategy of the "
                "TrainingArguments."
            )

    def on_step_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs: Any
    ) -> None:
        """Score and log, every so many steps."""
        if self._every is not None and state.global_step % self._every == 0:
            self._log(state, control, self._scored(state), "eval")

    def on_evaluate(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        metrics: dict[str, float] | None = None,
        **kwargs: Any,
    ) -> None:
        """Score, log, and add the score to the metrics that the best checkpoint is chosen by."""
        trainer = self._prepare()
        is_due = self._every is None or state.global_step % self._every == 0
        chooses = "mauve" in (args.metric_for_best_model or "")
        if trainer.is_in_train and not is_due and not chooses:
            return
        is_scored = self._is_scored(state)
        metrics = {} if metrics is None else metrics
        names = [name.removesuffix("_runtime") for name in metrics if name.endswith("_runtime")]
        prefix = names[0] if names else "eval"
        if prefix.startswith("eval_"):  # one of several data sets: the score is not of any
            prefix = "eval"
        scores = self._scored(state)
        metrics.update({f"{prefix}_{name}": value for name, value in scores.items()})
        if not is_scored:
            self._log(state, control, scores, prefix)

    # Steps

    def _prepare(self) -> Any:
        """Return the trainer; for a new one make prompts and human features."""
        trainer = self._calling_trainer()
        if trainer is self._trainer:
            return trainer
        # First in the list: EarlyStoppingCallback reads the metrics when it is its turn.
        callbacks = trainer.callback_handler.callbacks
        callbacks.insert(0, callbacks.pop(callbacks.index(self)))
        check_whole(trainer)
        tokenizer = self._tokenizer or trainer.processing_class
        tokenizer = getattr(tokenizer, "tokenizer", tokenizer)  # of a processor
        if tokenizer is None:
            raise InvalidParameterError(
                f"{parameter('tokenizer')} must be given where the Trainer has no "
                "processing_class. Got None instead: give the model's tokenizer to either."
            )
        held_out = hold_out(
            self._human,
            self._prompts,
            trainer.model,
            tokenizer,
            prompt_tokens=self._prompt_tokens,
            max_tokens=self._max_tokens,
        )
        self._held_out, self.human = held_out, held_out.human
        self.prompts = held_out.prompts
        on_main(self._embed_human)
        self._trainer, self._scores = trainer, None
        return trainer

    def _embed_human(self) -> None:
        samples = self._samples({"human": self.human}, cached_if_known(self._embedder))
        assert samples.texts is not None
        assert samples.embedded is not None
        self._known = samples.texts["human"], samples.embedded
        for about in sample_warnings(samples):
            warn_caller(about.message)

    def _calling_trainer(self) -> Any:
        # A Trainer calls its callbacks without saying who it is, and only it can log.
        frame = sys._getframe(1)
        while frame.f_back is not None:
            frame = frame.f_back
            caller = frame.f_locals.get("self")
            if isinstance(caller, Trainer) and self in caller.callback_handler.callbacks:
                return caller
        raise InvalidParameterError(
            "MauveCallback must be one of the callbacks of a Trainer of Transformers, or of a "
            "class derived from it. Got called by something else instead."
        )

    def _scored(self, state: TrainerState) -> dict[str, float]:
        """Return the scores of the model as it is, those in memory if it was scored before."""
        self._prepare()
        if not self._is_scored(state):
            started = time.perf_counter()
            with kept_random_states():
                self.texts = self._write()
                scores = on_main(self._score)
            scores["mauve_runtime"] = round(time.perf_counter() - started, 4)
            self._scores = state.global_step, scores
        assert self._scores is not None
        return self._scores[1]

    def _is_scored(self, state: TrainerState) -> bool:
        """Return whether there are scores of the model as it is."""
        # After the training it may be the best of all, or changed by the user.
        is_training = self._trainer is not None and self._trainer.is_in_train
        return is_training and self._scores is not None and self._scores[0] == state.global_step

    def _write(self) -> list[str]:
        """Continue this process's share of the prompts; return the texts of all processes."""
        held_out, trainer = self._held_out, self._trainer
        assert held_out is not None  # _prepare was called
        rank, n_processes = rank_and_count()
        positions = range(rank, len(held_out.prompts), n_processes)
        model = trainer.accelerator.unwrap_model(trainer.model, keep_torch_compile=False)

        def write() -> dict[int, str]:
            with evaluation_mode(trainer.model), trainer.accelerator.autocast():
                rows = continue_prompts(
                    model,
                    [held_out.rows[i] for i in positions],
                    self._sampler,
                    max_tokens=self._max_tokens,
                    endings=held_out.endings,
                    seed=self._seed,
                    positions=positions,
                    batch_size=self._batch_size,
                )
            return {i: held_out.text(i, row) for i, row in zip(positions, rows, strict=True)}

        texts = gathered(write)
        return [texts[i] for i in range(len(held_out.prompts))]

    def _score(self) -> dict[str, float]:
        """Compare the continuations with the human ones."""
        assert self._known is not None
        known = RememberedEmbedder(self._embedder, *self._known)
        samples = self._samples({"human": self.human, "model": self.texts}, known, self.prompts)
        compared = compare_samples(samples, n_permutations=self._n_permutations, seed=self._seed)
        self.result = result = compared["model"]
        scores = {
            "mauve": result.mauve,
            "mauve_low": result.interval[0],
            "mauve_high": result.interval[1],
        }
        if result.p_value is not None:
            scores["mauve_p_value"] = result.p_value
        return {name: float(value) for name, value in scores.items()}

    def _samples(
        self, texts: dict[str, list[str]], embedder: Embedder, prompts: list[str] | None = None
    ) -> Samples:
        # A model that ends its text at once has written an empty one, which is no error.
        return load_samples(
            texts,
            embedder=embedder,
            cache=False,
            empty="keep",
            unreadable=self._unreadable,
            prompts=prompts,
        )

    def _log(
        self, state: TrainerState, control: TrainerControl, scores: dict[str, float], prefix: str
    ) -> None:
        should_log = control.should_log
        # TRL's trainers log, and forget, their averages of training or of evaluation by the
        # mode that the model is in; those of training are to be logged with the loss.
        with evaluation_mode(self._trainer.model):
            self._trainer.log({f"{prefix}_{name}": value for name, value in scores.items()})
        control.should_log = should_log  # which this log would otherwise have answered
