"""Transformers models by name: loading them, and what their configurations tell."""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
)

from mauve.embed import protocol
from mauve.errors import InvalidParameterError, bad_parameter, check_choice

#: In the signature of an embedder whose model may change without notice.
UNKNOWN = "unknown"

_COUNTED = (".json", ".safetensors", ".bin", ".gguf", ".model", ".txt", ".py")


def folder_checksum(folder: Path) -> str | None:
    """Return a checksum of the model files of a folder, or None where there is no folder.

    Examples
    --------
    >>> folder_checksum(Path("no-such-folder")) is None
    True
    """
    if not folder.is_dir():
        return None
    digest = hashlib.blake2b(digest_size=8)
    found = (path for path in folder.rglob("*") if path.suffix in _COUNTED and path.is_file())
    for path in sorted(found):
        digest.update(os.fsencode(path.relative_to(folder)))
        with path.open("rb") as file:
            while chunk := file.read(1 << 24):
                digest.update(chunk)
    return digest.hexdigest()


def model_identity(model: str, commit: str | None) -> str:
    """Return a name that no other model has: with the checksum of a folder, or the commit.

    A model of the hub whose commit is not known is called so; its features are not cached.

    Examples
    --------
    >>> model_identity("gpt2-large", "32b71b12589c2f8d625668d2335a01cac3249519")
    'gpt2-large@32b71b12'
    >>> model_identity("org/name", None)
    'org/name@unknown'
    """
    checksum = folder_checksum(Path(model))
    if checksum is not None:
        return f"{Path(model).name}@{checksum[:8]}"
    return f"{model}@{commit[:8] if commit else UNKNOWN}"


DTYPES: dict[str, torch.dtype] = {
    name: getattr(torch, name) for name in protocol.DTYPES if name != "auto"
}


def find_devices(device: str, caller: str = "the embedder") -> list[torch.device]:
    """Return the devices that a name stands for, all of them there.

    Parameters
    ----------
    device : str
        "auto" (all GPUs, or the CPU where there is none), "cpu", "cuda", "cuda:1", "mps", or
        several with a comma between them.
    caller : str
        Whose parameter it is, for messages.

    Examples
    --------
    >>> find_devices("cpu")
    [device(type='cpu')]
    """
    if device == "auto":
        n_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if n_gpus:
            return [torch.device("cuda", i) for i in range(n_gpus)]
        return [torch.device("mps" if torch.backends.mps.is_available() else "cpu")]
    return [_find(name.strip(), device, caller) for name in str(device).split(",")]


def _find(name: str, given: str, caller: str) -> torch.device:
    try:
        found = torch.device(name)
    except RuntimeError:
        found = None
    there = {
        "cpu": 1,
        "cuda": torch.cuda.device_count() if torch.cuda.is_available() else 0,
        "mps": int(torch.backends.mps.is_available()),
    }
    if found is None or (found.index or 0) >= there.get(found.type, 0):
        names = [f"cuda:{i}" for i in range(there["cuda"])] + ["mps"] * there["mps"] + ["cpu"]
        raise bad_parameter(
            caller, "device", f"a device that is there: {', '.join(names)}, or auto", given
        )
    return found


def find_dtype(dtype: str, device: torch.device, caller: str = "the embedder") -> torch.dtype:
    """Return the number type: on a GPU sixteen bits, unless told otherwise.

    Examples
    --------
    >>> find_dtype("auto", torch.device("cpu"))
    torch.float32
    """
    check_choice(caller, "dtype", dtype, protocol.DTYPES)
    if dtype != "auto":
        return DTYPES[dtype]
    if device.type != "cuda":
        return torch.float32
    # Older cards emulate bfloat16, slowly.
    native = torch.cuda.get_device_capability(device) >= (8, 0)
    return torch.bfloat16 if native else torch.float16


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
