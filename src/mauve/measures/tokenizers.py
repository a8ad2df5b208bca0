"""Turn texts into token ids, with the same ids in all samples of a comparison."""

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mauve.calls import either, parameter
from mauve.embed.batching import encodable
from mauve.embed.models import load_quietly, model_identity
from mauve.errors import bad_parameter, need_packages
from mauve.escape import escaped
from mauve.measures.protocol import TokenTable
from mauve.text.words import words_and_marks

_BATCH = 4096  # texts that are tokenised at a time
_KINDS = "'words', 'bundled', a file tokenizer.json, its folder, or the name of a Hugging Face one"


class Tokenizer(Protocol):
    """Turns texts into token ids.

    Attributes
    ----------
    signature : str
        A name that no other tokenizer has.
    """

    @property
    def signature(self) -> str:
        """A name that no other tokenizer has."""

    def tables(self, samples: Sequence[Sequence[str]]) -> list[TokenTable]:
        """Return the tokens of each sample; a token has the same id in all samples."""


def get_tokenizer(spec: str | Tokenizer = "words") -> Tokenizer:
    """Return the tokenizer with a name, or a tokenizer as it is.

    Parameters
    ----------
    spec : str or Tokenizer
        ``"words"`` for words and punctuation marks; ``"bundled"`` for the tokenizer of the
        bundled model; a file ``tokenizer.json`` or a folder with one; any other name is that
        of a Hugging Face tokenizer. None of them adds special tokens.

    Examples
    --------
    >>> get_tokenizer("words").signature
    'words'
    >>> table, = get_tokenizer("bundled").tables([["The cat sat on the mat."]])
    >>> table.lengths.tolist()
    [7]
    """
    if not isinstance(spec, str):
        if not (hasattr(spec, "tables") and hasattr(spec, "signature")):
            rule = f"{_KINDS}, or an object with a method 'tables' and an attribute 'signature'"
            raise bad_parameter(either("tokenizer", "spec"), rule, spec)
        return spec
    if spec == "words":
        return Words()
    if spec == "bundled":
        from mauve.embed.bundled import MODEL

        return _from_file(MODEL / "tokenizer.json", "bundled")
    path = Path(spec)
    if path.is_file() or path.suffix == ".json":  # a missing file is not a name on the hub
        return _from_file(path, path.name)
    if (path / "tokenizer.json").is_file():
        return _from_file(path / "tokenizer.json", path.name)
    return _from_hub(spec)


@dataclass(frozen=True)
class Words:
    """Split texts into words and punctuation marks by a regular expression.

    Case is kept, and white space is not a token. A run of one mark, such as an ellipsis, is one
    token, and so is every Chinese or Japanese character.

    Examples
    --------
    >>> Words.split("It can't end... Or 3.5%?")
    ['It', "can't", 'end', '...', 'Or', '3', '.', '5', '%', '?']
    >>> Words.split("你好，नमस्ते!")
    ['你', '好', '，', 'नमस्ते', '!']
    >>> [table.ids.tolist() for table in Words().tables([["b a b"], ["", "c b"]])]
    [[1, 0, 1], [2, 1]]
    """

    signature: str = field(default="words", init=False)

    @staticmethod
    def split(text: str) -> list[str]:
        """Return the tokens of one text."""
        return words_and_marks(text)

    def tables(self, samples: Sequence[Sequence[str]]) -> list[TokenTable]:
        """Return the tokens, numbered in alphabetic order, independent of the order of texts."""
        numbers: defaultdict[str, int] = defaultdict(count().__next__)
        drafts = []
        for texts in samples:
            ids, starts = array("i"), array("q", [0])
            for text in texts:
                ids.extend(map(numbers.__getitem__, self.split(text)))
                starts.append(len(ids))
            drafts.append((np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int64)))
        ranks = np.empty(len(numbers), dtype=np.int32)
        ranks[[numbers[word] for word in sorted(numbers)]] = np.arange(len(numbers))
        return [TokenTable(ranks[ids], starts, len(numbers)) for ids, starts in drafts]


@dataclass(frozen=True)
class Subwords:
    """A trained tokenizer, with the token ids of its vocabulary.

    Attributes
    ----------
    signature : str
    vocabulary_size : int
    encode : callable
        Maps a list of texts to a list of lists of token ids.
    """

    signature: str
    vocabulary_size: int
    encode: Callable[[list[str]], list[list[int]]] = field(repr=False)

    def tables(self, samples: Sequence[Sequence[str]]) -> list[TokenTable]:
        """Tokenise the texts of each sample."""
        return [self._table(texts) for texts in samples]

    def _table(self, texts: Sequence[str]) -> TokenTable:
        ids, starts = array("i"), array("q", [0])
        for first in range(0, len(texts), _BATCH):
            for row in self.encode(encodable(texts[first : first + _BATCH])):
                ids.extend(row)
                starts.append(len(ids))
        return TokenTable(
            np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int64), self.vocabulary_size
        )


def _from_file(path: Path, name: str) -> Subwords:
    import tokenizers

    tokenizer = load_quietly(tokenizers.Tokenizer.from_file, str(path), _rule())
    # A file may ask for truncation and padding, but measures need whole texts.
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def encode(texts: list[str]) -> list[list[int]]:
        rows = tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [row.ids for row in rows]

    return Subwords(_signature(name, tokenizer.to_str()), _size(tokenizer), encode)


def _from_hub(name: str) -> Subwords:
    what = f"The tokenizer {name!r}"
    need_packages(what, ["transformers", "torch"], "transformers", "use the tokenizer 'words'")
    from transformers import AutoTokenizer

    tokenizer = load_quietly(AutoTokenizer.from_pretrained, name, _rule())

    def encode(texts: list[str]) -> list[list[int]]:
        options = {"add_special_tokens": False, "return_attention_mask": False, "verbose": False}
        rows: list[list[int]] = tokenizer(texts, **options)["input_ids"]
        return rows

    if tokenizer.is_fast:
        signature = _signature(Path(name).name, tokenizer.backend_tokenizer.to_str())
    else:
        signature = model_identity(name, tokenizer.init_kwargs.get("_commit_hash"))
    return Subwords(signature.replace("|", "_"), _size(tokenizer), encode)


def _signature(name: str, content: str) -> str:
    checksum = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{escaped(name)}@{checksum}".replace("|", "_")


def _size(tokenizer: Any) -> int:
    # Ids may have gaps, so the largest id counts, not the number of tokens.
    return max(tokenizer.get_vocab().values(), default=-1) + 1


def _rule() -> str:
    return f"{parameter('tokenizer')} must be {_KINDS}."
