"""Load the tokenizer of a model that is not loaded itself, such as one behind an endpoint."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from mauve.calls import either, parameter
from mauve.embed.batching import encodable
from mauve.embed.bundled import MODEL
from mauve.embed.models import load_quietly, model_identity
from mauve.errors import bad_parameter, need_packages
from mauve.escape import escaped

_FILE = "tokenizer.json"
_KINDS = (
    f"'bundled', a file {_FILE}, a folder with a tokenizer, the name of a Hugging Face one, or an "
    "object with the methods encode and decode"
)


@runtime_checkable
class TextTokenizer(Protocol):
    """Turns texts into tokens and back, without special tokens; every writer is one."""

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text."""

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""


@dataclass(frozen=True)
class LoadedTokenizer:
    """A tokenizer of the library `tokenizers`, or of Transformers.

    Attributes
    ----------
    signature : str
        Its name and a checksum, without a "|".
    """

    signature: str
    inner: Any = field(repr=False)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; half a surrogate pair counts as U+FFFD."""
        tokens = self.inner.encode(encodable([text])[0], add_special_tokens=False)
        return list(getattr(tokens, "ids", tokens))

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens."""
        return str(self.inner.decode([*tokens], skip_special_tokens=False))


def get_text_tokenizer(spec: str | Path | TextTokenizer) -> TextTokenizer:
    """Return the tokenizer with a name, or a tokenizer as it is.

    Parameters
    ----------
    spec : str, Path, or object with encode and decode
        ``"bundled"`` for that of the bundled model; a file ``tokenizer.json``, or a folder with
        one; any other name is that of a model on the hub (needs the ``transformers`` extra).

    Examples
    --------
    >>> tokenizer = get_text_tokenizer("bundled")
    >>> tokenizer.decode(tokenizer.encode("The cat sat.")[:2])
    'The cat'
    """
    name = either("tokenizer", "spec")
    if not isinstance(spec, str | Path):
        if not isinstance(spec, TextTokenizer):
            raise bad_parameter(name, _KINDS, spec)
        return spec
    if spec == "bundled":
        return _from_file(MODEL / _FILE, "bundled")
    path = Path(spec)
    if path.is_file() or path.suffix == ".json":  # a missing file is not a name on the hub
        return _from_file(path, path.name)
    if (path / _FILE).is_file():
        return _from_file(path / _FILE, path.name)
    return _from_hub(str(spec))


def _from_file(path: Path, name: str) -> LoadedTokenizer:
    import tokenizers

    inner = load_quietly(tokenizers.Tokenizer.from_file, str(path), _rule())
    inner.no_truncation()  # a file may ask for both
    inner.no_padding()
    checksum = hashlib.blake2b(inner.to_str().encode("utf-8", "surrogatepass"), digest_size=4)
    return LoadedTokenizer(_clean(f"{name}@{checksum.hexdigest()}"), inner)


def _from_hub(name: str) -> LoadedTokenizer:
    need_packages(f"The tokenizer {name!r}", ["transformers"], "transformers")
    from transformers import AutoTokenizer

    # Without it, decoding would remove spaces that stand in texts.
    options: dict[str, Any] = {"clean_up_tokenization_spaces": False}
    inner = load_quietly(AutoTokenizer.from_pretrained, name, _rule(), **options)
    commit = inner.init_kwargs.get("_commit_hash")
    return LoadedTokenizer(_clean(model_identity(name, commit)), inner)


def _clean(signature: str) -> str:
    return escaped(signature).replace("|", "_")


def _rule() -> str:
    return f"{parameter(either('tokenizer', 'spec'))} must be {_KINDS}."
