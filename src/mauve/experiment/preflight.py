"""Check that models can do what is asked of them, before the first text."""

from dataclasses import replace

from mauve.errors import MauveError
from mauve.escape import escaped
from mauve.experiment.config import ModelConfig
from mauve.experiment.directory import Directory
from mauve.experiment.plan import Plan
from mauve.experiment.work import Workbench
from mauve.generation.tasks import TASKS
from mauve.lm.decoding import Adversarial, Decoding
from mauve.lm.writing import Writer, WritingOptions
from mauve.quantize.registry import get_quantizer

_ANY = 10.0  # a perplexity


def check_models(plan: Plan, directory: Directory, device: str) -> None:
    """Raise if a model that is to write lacks a decoder or context, with the line of the config.

    Models whose texts are all there are not loaded.

    Parameters
    ----------
    plan : Plan
    directory : Directory
    device : str
    """
    config = plan.config
    for place, quantizer in enumerate(config.scores.quantizers):
        try:
            get_quantizer(quantizer, device)
        except ImportError:
            raise
        except MauveError as error:
            raise config.error(("scores", "quantizers", place), str(error)) from error
    bench = Workbench(plan, directory, device, lambda *_: None)
    for model in config.models:
        steps = [
            step
            for step in plan.steps
            if step.kind == "generate"
            and step.work["model"] == model
            and not directory.is_done(step)
        ]
        if not steps:
            continue
        try:
            writer = bench.writer(model)
        except ImportError:
            raise
        except MauveError as error:
            raise config.error(("models", model.name), str(error)) from error
        decodings = {step.work["decoder"]: step.work["decoding"] for step in steps}
        for name, decoding in decodings.items():
            _check_decoder(plan, model, writer, name, decoding)
        _check_context(plan, model, writer)


def _check_decoder(
    plan: Plan, model: ModelConfig, writer: Writer, name: str, decoding: Decoding
) -> None:
    """Raise if a model lacks a decoder."""
    if isinstance(decoding, Adversarial) and decoding.perplexity is None:
        decoding = replace(decoding, perplexity=_ANY)  # that of human text is computed later
    try:
        for _ in writer.write([], decoding, WritingOptions(plan.config.max_tokens)):
            pass
    except ImportError:
        raise
    except MauveError as error:
        path: tuple[str | int, ...] = ("texts", "decoders", [*plan.config.decoders].index(name))
        if model.decoders is not None:
            path = ("models", model.name, "decoders", model.decoders.index(name))
        raise plan.config.error(
            path,
            f"the model '{escaped(model.name)}' does not have the decoder '{name}' ({error}): "
            f"remove it, or write [models.{escaped(model.name)}] with model = and decoders = "
            "without it.",
        ) from error


def _check_context(plan: Plan, model: ModelConfig, writer: Writer) -> None:
    """Raise if prompts and texts do not fit what a model reads."""
    config = plan.config
    context = writer.context
    if context is None or config.max_tokens <= context:
        for task in config.tasks:
            n_prompt = task.prompt_tokens
            if n_prompt is None:
                n_prompt = TASKS[task.task].prompt_tokens or 0
            if context is not None and n_prompt + config.max_tokens > context:
                raise config.error(
                    ("tasks", task.name, "prompt_tokens"),
                    f"the model '{escaped(model.name)}' reads {context} tokens, and prompts of "
                    f"{n_prompt} with texts of {config.max_tokens} are more: use less "
                    "prompt_tokens, or less lengths.",
                )
        return
    place = config.lengths.index(config.max_tokens)
    raise config.error(
        ("texts", "lengths", place),
        f"the model '{escaped(model.name)}' reads {context} tokens, less than "
        f"{config.max_tokens}: use less.",
    )
