"""Load the model to fine-tune, or make one with random weights; needs transformers."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    GPT2Config,
    set_seed,
)

from mauve.calls import option, parameter
from mauve.embed.bundled import MODEL
from mauve.embed.models import (
    check_weights,
    context_length,
    is_causal,
    load_pretrained,
    load_quietly,
    model_identity,
)
from mauve.errors import InvalidParameterError

_PRESET = re.compile(r"([1-9]\d?)x([1-9]\d{1,4})")  # layers x width
_PRESET_CONTEXT = 1024
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model")


@dataclass(frozen=True)
class Start:
    """What fine-tuning starts from.

    Attributes
    ----------
    model : PreTrainedModel
        In float32.
    tokenizer : tokenizer of Transformers
    identity, tokenizer_identity : str
        Names with checksums or commits.
    """

    model: Any
    tokenizer: Any
    identity: str
    tokenizer_identity: str


def start_from(
    model: str,
    *,
    from_scratch: bool,
    tokenizer: str | None,
    revision: str | None,
    block_size: int,
    seed: int,
) -> Start:
    """Return a model and its tokenizer.

    Parameters
    ----------
    model : str
        Name on the hub, a folder, or "bundled". From scratch also the file of a configuration,
        or a preset.
    from_scratch : bool
        Take the configuration alone, and random weights.
    tokenizer : str or None
        Name or folder; by default that of the model, or, from scratch and where there is none,
        the bundled one.
    revision : str or None
    block_size : int
        Tokens that the model must be able to read.
    seed : int
        Of the random weights.
    """
    folder = str(MODEL) if model == "bundled" else model
    if from_scratch:
        config = _configuration(folder, revision)
        from_model = tokenizer is None and _has_tokenizer(folder)
        tokenizer_name = folder if from_model else (tokenizer or "bundled")
    else:
        config = load_pretrained(AutoConfig, folder, "model", revision=revision)
        from_model, tokenizer_name = tokenizer is None, tokenizer or folder
    if not is_causal(config):
        raise InvalidParameterError(
            f"{parameter('model')} must be a causal language model, one that predicts the next "
            f"token. Got {model!r} instead, a model of the kind {config.model_type!r}."
        )
    source = str(MODEL) if tokenizer_name == "bundled" else tokenizer_name
    loaded = load_pretrained(
        AutoTokenizer, source, "model" if from_model else "tokenizer",
        **({"revision": revision} if from_model else {}),
    )  # fmt: skip
    if loaded.eos_token_id is None:
        raise InvalidParameterError(
            f"{parameter('tokenizer')} must have an end-of-text token, which stands between "
            f"texts. Got {tokenizer_name!r}, which has none: set its eos_token, and save it."
        )
    if from_scratch and _PRESET.fullmatch(folder):
        config.vocab_size = len(loaded)
    n_ids = config.get_text_config().vocab_size
    if len(loaded) > n_ids:
        raise InvalidParameterError(
            f"{parameter('tokenizer')} must have no more tokens than the {n_ids} of the model. "
            f"Got {tokenizer_name!r} with {len(loaded)} instead: use the model's own."
        )
    if from_scratch and not from_model:  # a tokenizer says how much its own model reads
        loaded.model_max_length = config.get_text_config().max_position_embeddings
    context = context_length(config, loaded)
    if block_size > context:
        raise InvalidParameterError(
            f"{parameter('block_size')} must be at most the {context} tokens that the model "
            f"reads. Got {block_size} instead: use {option('block_size', context)}."
        )
    if from_scratch:
        config.bos_token_id, config.eos_token_id = loaded.bos_token_id, loaded.eos_token_id
        made = _random_model(config, model, seed)
        identity = f"scratch@{_digest(config)}"
    else:
        made, report = load_pretrained(
            AutoModelForCausalLM, folder, "model",
            revision=revision, dtype=torch.float32, output_loading_info=True,
        )  # fmt: skip
        check_weights([*report["missing_keys"]], model, "model")
        identity = model_identity(folder, getattr(config, "_commit_hash", None))
    commit = getattr(loaded, "init_kwargs", {}).get("_commit_hash")
    return Start(made, loaded, identity, model_identity(source, commit))


def _configuration(model: str, revision: str | None) -> Any:
    """Return the configuration that a preset, a JSON file, a folder or a name stands for."""
    if match := _PRESET.fullmatch(model):
        n_layers, width = map(int, match.groups())
        if width % 32:
            raise InvalidParameterError(
                f"{parameter('model')} must be a preset LAYERSxWIDTH with a width that is a "
                f"multiple of 32, such as 2x128. Got {model!r} instead."
            )
        head = 64 if width % 64 == 0 and width >= 256 else 32
        return GPT2Config(
            n_layer=n_layers, n_embd=width, n_head=width // head, n_positions=_PRESET_CONTEXT
        )
    rule = (
        f"{parameter('model')} must be a preset such as '2x128' (layers x width), a JSON file or "
        f"folder with a configuration, or a name on the hub, with {option('from_scratch', True)}."
    )
    if model.endswith(".json"):
        return load_quietly(_from_json, model, rule)
    return load_quietly(AutoConfig.from_pretrained, model, rule, revision=revision)


def _from_json(path: str) -> Any:
    settings = json.loads(Path(path).read_text(encoding="utf-8"))
    return AutoConfig.for_model(**settings)


def _has_tokenizer(model: str) -> bool:
    if _PRESET.fullmatch(model) or model.endswith(".json"):
        return False
    folder = Path(model)
    return not folder.is_dir() or any((folder / name).exists() for name in _TOKENIZER_FILES)


def _random_model(config: Any, model: str, seed: int) -> Any:
    def make(_: str) -> Any:
        set_seed(seed)
        make_model: Any = AutoModelForCausalLM.from_config
        return make_model(config, dtype=torch.float32)

    return load_quietly(make, model, f"{parameter('model')} must be a configuration of a model.")


def _digest(config: Any) -> str:
    settings = config.to_dict()
    settings.pop("transformers_version", None)
    settings.pop("_name_or_path", None)
    text = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
