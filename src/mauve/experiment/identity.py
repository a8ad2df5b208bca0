"""Say what a model, an embedder or a file is, without loading it: its checksum or its version."""

from pathlib import Path

from mauve.embed.bundled import checksum
from mauve.embed.models import model_identity
from mauve.embed.registry import OWN_EMBEDDERS, get_embedder
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.experiment.config import ExperimentConfig, ModelConfig
from mauve.experiment.directory import file_digest
from mauve.generation.human import source_digest
from mauve.lm.text_tokenizer import LoadedTokenizer, get_text_tokenizer


def writer_spec(config: ExperimentConfig, spec: str) -> str:
    """Return the name of a model with the path in it as the program can open it.

    Examples
    --------
    >>> from mauve.experiment.config_file import config_of
    >>> text = '[samples.a]' + chr(10) + 'human = "h.txt"' + chr(10) + 'systems.m = "m.txt"'
    >>> writer_spec(config_of(text, "study.toml", Path(".")), "bundled")
    'bundled'
    """
    if spec.startswith("ngram:"):
        return f"ngram:{config.path(spec.removeprefix('ngram:'))}"
    return spec if spec == "bundled" or _is_address(spec) else config.path(spec)


def writer_identity(config: ExperimentConfig, model: ModelConfig) -> str:
    """Return what says whether a model is the same one: of files a checksum."""
    spec = writer_spec(config, model.spec)
    if spec == "bundled":
        return f"bundled-{checksum()}"
    if spec.startswith("ngram:"):
        path = Path(spec.removeprefix("ngram:"))
        if not path.is_file():
            raise config.error(
                ("models", model.name),
                f"'{escaped(str(path))}' is not there: name the file of texts that the n-gram "
                "model learns from.",
            )
        return f"ngram@{file_digest(path)}"
    if _is_address(spec):
        return spec
    if _looks_like_path(model.spec) and not Path(spec).is_dir():
        raise config.error(
            ("models", model.name),
            f"'{escaped(model.spec)}' is not there: name the folder of a causal language model.",
        )
    return model_identity(spec, model.revision)


def embedder_spec(config: ExperimentConfig, spec: str) -> str:
    """Return the name of an embedder with the path in it as the program can open it."""
    kind, colon, name = spec.partition(":")
    if colon and kind == "sentence":
        return f"sentence:{config.path(name)}"
    is_name = spec == "bundled" or _is_address(spec) or spec in OWN_EMBEDDERS.names()
    return spec if is_name else config.path(spec)


def embedder_identity(config: ExperimentConfig, spec: str, device: str) -> str:
    """Return the signature of an embedder."""
    opened = embedder_spec(config, spec)
    if _looks_like_path(spec) and not Path(opened).exists():
        raise InvalidParameterError(
            f"'{escaped(spec)}' is not there: name the folder of an embedder."
        )
    return get_embedder(opened, device=device).signature


def tokenizer_identity(config: ExperimentConfig) -> str:
    """Return the signature of the tokenizer that counts tokens."""
    tokenizer = get_text_tokenizer(tokenizer_spec(config))
    return tokenizer.signature if isinstance(tokenizer, LoadedTokenizer) else str(tokenizer)


def tokenizer_spec(config: ExperimentConfig) -> str:
    """Return the name of the tokenizer with the path in it as the program can open it."""
    return "bundled" if config.tokenizer == "bundled" else config.path(config.tokenizer)


def source_identity(config: ExperimentConfig, source: str) -> str:
    """Return the checksum of a source of human texts, or the name of a dataset."""
    return source_digest(source_spec(config, source))


def source_spec(config: ExperimentConfig, source: str) -> str:
    """Return a source with the path in it as the program can open it."""
    if source.startswith("hf:"):
        return source
    path, mark, options = source.partition("?")
    whole = config.path(source)
    return whole if whole != source else config.path(path) + mark + options


def language_model_spec(config: ExperimentConfig) -> str:
    """Return the language model of perplexity, with its path as the program can open it."""
    spec = config.measures.language_model
    return spec if spec == "bundled" else config.path(spec)


def language_model_identity(config: ExperimentConfig) -> str:
    """Return what says whether the language model is the same one."""
    spec = language_model_spec(config)
    return f"bundled-{checksum()}" if spec == "bundled" else model_identity(spec, None)


def _is_address(spec: str) -> bool:
    return spec.startswith(("http://", "https://"))


def _looks_like_path(spec: str) -> bool:
    """Return whether a name is a path and no name on a hub, which has one slash at most."""
    return spec.startswith((".", "/", "~")) or spec.endswith("/") or spec.count("/") > 1
