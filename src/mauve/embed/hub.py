"""Transformers models by name: loading them, and what their configurations tell."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import transformers
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from mauve.errors import InvalidParameterError

#: Kinds with a language-model head that look both ways unless they are told to be decoders.
_TWO_WAYS = {*MODEL_FOR_MASKED_LM_MAPPING_NAMES, "bert-generation", "xlnet"}


def load(loader: Any, model: str, role: str, **options: Any) -> Any:
    """Load a part of a model: its configuration, its tokenizer or itself.

    Parameters
    ----------
    loader : class
        One of Transformers with ``from_pretrained``.
    model : str
        Name on the hub, or a folder.
    role : str
        The parameter that names it, for messages.
    **options
        What the loader takes.
    """
    try:
        with quiet():
            return loader.from_pretrained(model, **options)
    except Exception as error:  # of a dozen kinds, where a folder is damaged
        reason = " ".join(str(error).split())[:300]
        raise InvalidParameterError(
            f"The '{role}' parameter must be the name of a model on the hub or its folder. "
            f"Got {model!r}, which could not be loaded ({reason}). Give a folder, or "
            "'bundled', which needs no network."
        ) from None  # their tracebacks are pages long, and say no more


def check_weights(missing: Sequence[str], model: str, role: str) -> None:
    """Raise where weights of a model are missing: Transformers would make random ones."""
    if missing:
        raise InvalidParameterError(
            f"The '{role}' parameter must name a model with all of its weights. Got "
            f"{model!r}, where {len(missing)} are not found, {min(missing)!r} among them."
        )


def is_causal(config: Any) -> bool:
    """Return whether a model of this configuration predicts the next token.

    Examples
    --------
    >>> is_causal(transformers.GPT2Config()), is_causal(transformers.BertConfig())
    (True, False)
    """
    kind = config.model_type
    if config.is_encoder_decoder or kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return False
    if kind in _TWO_WAYS:
        return bool(getattr(config, "is_decoder", False))
    # Embedding models are made of causal ones by taking the mask away.
    text = config.get_text_config()
    both_ways = getattr(text, "use_bidirectional_attention", None) in (True, "all")
    return getattr(text, "is_causal", True) is not False and not both_ways


def context_length(config: Any, tokenizer: Any) -> int:
    """Return how many tokens a model can read at most."""
    context = int(getattr(config, "max_position_embeddings", 0) or 0)
    if context <= 0:  # XLNet says -1
        context = int(tokenizer.model_max_length)
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer"):
        # These count positions from the padding token on.
        context -= int(config.pad_token_id or 0) + 1
    return min(context, int(tokenizer.model_max_length))


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Transformers from telling what it loads: missing poolers are not used here."""
    logging: Any = transformers.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
