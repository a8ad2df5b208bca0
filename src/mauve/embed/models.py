"""Load Transformers models, tokenizers and configurations; choose device and number type.

torch and transformers are imported inside the functions, so that this module can be imported
where they are not installed.
"""

import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mauve.calls import parameter
from mauve.embed.protocol import DTYPES
from mauve.errors import InvalidParameterError, check_choice

if TYPE_CHECKING:
    import torch

#: In the signature of an embedder whose model may change without notice.
UNKNOWN_VERSION = "unknown"

_MODEL_SUFFIXES = (".json", ".safetensors", ".bin", ".gguf", ".model", ".txt", ".py")


# Identity


def folder_checksum(folder: Path) -> str | None:
    """Return a checksum of the model files of a folder, or None if there is no folder.

    Examples
    --------
    >>> folder_checksum(Path("no-such-folder")) is None
    True
    """
    if not folder.is_dir():
        return None
    digest = hashlib.blake2b(digest_size=8)
    files = (path for path in folder.rglob("*") if path.suffix in _MODEL_SUFFIXES)
    for path in sorted(path for path in files if path.is_file()):
        digest.update(os.fsencode(path.relative_to(folder)))
        with path.open("rb") as file:
            while chunk := file.read(1 << 24):
                digest.update(chunk)
    return digest.hexdigest()


def model_identity(model: str, commit: str | None) -> str:
    """Return a unique name of a model: with the checksum of its folder, or its commit.

    A model of the hub without a known commit is marked as unknown; its features are not cached.

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
    return f"{model}@{commit[:8] if commit else UNKNOWN_VERSION}"


# Device and number type


def find_devices(device: str) -> "list[torch.device]":
    """Return the torch devices that a name stands for, or raise if one cannot be used.

    Parameters
    ----------
    device : str
        "auto" (all GPUs, or the CPU if there is none), "cpu", "cuda", "cuda:1", "mps", or
        several with a comma between them.

    Examples
    --------
    >>> find_devices("cpu")
    [device(type='cpu')]
    """
    import torch

    if device == "auto":
        n_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if n_gpus:
            return [torch.device("cuda", i) for i in range(n_gpus)]
        return [torch.device("mps" if torch.backends.mps.is_available() else "cpu")]
    return [find_device(name.strip(), device) for name in str(device).split(",")]


def find_device(name: str, quoted: object = None) -> "torch.device":
    """Return one torch device, or raise if it cannot be used.

    Parameters
    ----------
    name : str
        Such as "cpu" or "cuda:1".
    quoted : object, optional
        The value that messages quote instead of `name`.

    Examples
    --------
    >>> find_device("cpu")
    device(type='cpu')
    """
    import torch

    try:
        device = torch.device(name)
        if device.type == "cpu" and device.index:
            raise RuntimeError("the only CPU device is cpu")
        torch.zeros(1, device=device).cpu()  # fails for "meta" and the like, which hold no numbers
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        n_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
        names = ["auto", *(f"cuda:{i}" for i in range(n_gpus)), "cpu"]
        value = name if quoted is None else quoted
        reason = str(error).partition("\n")[0]
        raise InvalidParameterError(
            f"{parameter('device')} must be a device of this machine. "
            f"Got {value!r} instead ({reason}): use {' or '.join(names)}."
        ) from error
    return device


def find_dtype(dtype: str, device: "torch.device") -> "torch.dtype":
    """Return the torch number type of a name; "auto" is sixteen bits on a GPU, else float32.

    Examples
    --------
    >>> [device] = find_devices("cpu")
    >>> find_dtype("auto", device)
    torch.float32
    """
    import torch

    check_choice("dtype", dtype, DTYPES)
    if dtype != "auto":
        named: torch.dtype = getattr(torch, dtype)
        return named
    if device.type != "cuda":
        return torch.float32
    # Older cards emulate bfloat16, slowly.
    is_native = torch.cuda.get_device_capability(device) >= (8, 0)
    return torch.bfloat16 if is_native else torch.float16


# Loading


def load_pretrained(loader: Any, model: str, role: str, **options: Any) -> Any:
    """Load a configuration, a tokenizer or a model.

    Parameters
    ----------
    loader : class
        A class of Transformers with ``from_pretrained``, such as ``AutoConfig``.
    model : str
        Name on the hub, or a folder.
    role : str
        The parameter that names the model, for messages.
    **options
        Passed to the loader.
    """
    return load_quietly(
        loader.from_pretrained,
        model,
        f"{parameter(role)} must be the name of a model on the hub or its folder.",
        " Give a folder, or 'bundled', which needs no network.",
        **options,
    )


def load_quietly(
    loader: Callable[..., Any], model: str, rule: str, remedy: str = "", **options: Any
) -> Any:
    """Call a loader without the messages of Transformers, and raise one sentence if it fails.

    Parameters
    ----------
    loader : callable
        Called with `model` and `options`.
    rule, remedy : str
        Sentences of the error before and after the name of the model and the reason.

    Examples
    --------
    >>> load_quietly(str.upper, "gpt2", f"{parameter('model')} must be a name.")
    'GPT2'
    """
    try:
        with _quiet_transformers():
            return loader(model, **options)
    except Exception as error:  # of a dozen kinds if a folder is damaged
        reason = " ".join(str(error).split())[:300]
        raise InvalidParameterError(
            f"{rule} Got {model!r}, which could not be loaded ({reason}).{remedy}"
        ) from None  # their tracebacks are pages long, and add nothing


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Switch off progress bars and the reports of unused weights, if Transformers is imported."""
    transformers = sys.modules.get("transformers")
    if transformers is None:
        yield
        return
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


def check_weights(missing: Sequence[str], model: str, role: str) -> None:
    """Raise if weights of a model are missing, which Transformers would replace by random ones."""
    if missing:
        raise InvalidParameterError(
            f"{parameter(role)} must name a model with all of its weights. Got "
            f"{model!r}, where {len(missing)} are not found, {min(missing)!r} among them."
        )


# Configurations


def is_causal(config: Any) -> bool:
    """Return whether a model of this configuration predicts the next token.

    Examples
    --------
    >>> import transformers
    >>> is_causal(transformers.GPT2Config()), is_causal(transformers.BertConfig())
    (True, False)
    """
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    kind = config.model_type
    if config.is_encoder_decoder or kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
        return False
    # These have a language-model head and yet attend in both directions, unless used as decoders.
    if kind in MODEL_FOR_MASKED_LM_MAPPING_NAMES or kind in ("bert-generation", "xlnet"):
        return bool(getattr(config, "is_decoder", False))
    # Embedding models are made from causal ones by removing the causal mask.
    text = config.get_text_config()
    is_bidirectional = getattr(text, "use_bidirectional_attention", None) in (True, "all")
    return getattr(text, "is_causal", True) is not False and not is_bidirectional


def context_length(config: Any, tokenizer: Any) -> int:
    """Return how many tokens a model can read at most."""
    context = int(getattr(config, "max_position_embeddings", 0) or 0)
    if context <= 0:  # XLNet has -1
        context = int(tokenizer.model_max_length)
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer"):
        # These count positions from the padding token on.
        context -= int(config.pad_token_id or 0) + 1
    return min(context, int(tokenizer.model_max_length))
