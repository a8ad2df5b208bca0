"""Texts in, numbers of tokens out, with one numbering for all samples of a comparison."""

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mauve.embed.batching import encodable
from mauve.embed.models import load_quietly, model_identity
from mauve.errors import need_packages
from mauve.escape import escaped
from mauve.measures.protocol import TokenTable
from mauve.text.words import words_and_marks

_BULK = 4096  # texts that are tokenised at a time
_RULE = (
    "The 'tokenizer' parameter must be 'words', 'bundled', a file tokenizer.json, its folder, or "
    "the name of a Hugging Face tokenizer."
)


class Tokenizer(Protocol):
    """What turns texts into numbers.

    Attributes
    ----------
    signature : str
        A name that no other tokenizer has.
    """

    @property
    def signature(self) -> str:
        """A name that no other tokenizer has."""

    def tables(self, samples: Sequence[Sequence[str]]) -> list[TokenTable]:
        """Return the tokens of each sample; the same token has the same number in all."""


def get_tokenizer(spec: str | Tokenizer = "words") -> Tokenizer:
    """Return the tokenizer that a name stands for.

    Parameters
    ----------
    spec : str or Tokenizer
        ``"words"`` for words and punctuation marks; ``"bundled"`` for the tokenizer of the
        bundled model; a file ``tokenizer.json`` or a folder that holds one; any other name is
        that of a Hugging Face tokenizer. None of them adds special tokens.

    Examples
    --------
    >>> get_tokenizer("words").signature
    'words'
    >>> table, = get_tokenizer("bundled").tables([["The cat sat on the mat."]])
    >>> table.lengths.tolist()
    [7]
    """
    if not isinstance(spec, str):
        return spec
    if spec == "words":
        return Words()
    if spec == "bundled":
        from mauve.embed.bundled import MODEL

        return _from_file(MODEL / "tokenizer.json", "bundled")
    path = Path(spec)
    if path.is_file() or path.suffix == ".json":  # a file that is not there is no name on the hub
        return _from_file(path, path.name)
    if (path / "tokenizer.json").is_file():
        return _from_file(path / "tokenizer.json", path.name)
    return _from_hub(spec)


@dataclass(frozen=True)
class Words:
    """Words and punctuation marks, told apart by one regular expression.

    Case is kept, and white space is no token. A run of one mark, such as an ellipsis, is one
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
        """Return the tokens, numbered in alphabetic order whatever that of the texts."""
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
    """A trained tokenizer, whose vocabulary numbers the tokens.

    Attributes
    ----------
    signature : str
    vocabulary_size : int
    encode : callable
        From a list of texts to a list of lists of numbers.
    """

    signature: str
    vocabulary_size: int
    encode: Callable[[list[str]], list[list[int]]] = field(repr=False)

    def tables(self, samples: Sequence[Sequence[str]]) -> list[TokenTable]:
        """Tokenise the texts of each sample."""
        return [self._table(texts) for texts in samples]

    def _table(self, texts: Sequence[str]) -> TokenTable:
        ids, starts = array("i"), array("q", [0])
        for first in range(0, len(texts), _BULK):
            for row in self.encode(encodable(texts[first : first + _BULK])):
                ids.extend(row)
                starts.append(len(ids))
        return TokenTable(
            np.array(ids, dtype=np.int32), np.array(starts, dtype=np.int64), self.vocabulary_size
        )


def _from_file(path: Path, name: str) -> Subwords:
    import tokenizers

    found = load_quietly(tokenizers.Tokenizer.from_file, str(path), _RULE)
    # A file may ask for both, and a measure is of whole texts.
    found.no_truncation()
    found.no_padding()

    def encode(texts: list[str]) -> list[list[int]]:
        rows = found.encode_batch_fast(texts, add_special_tokens=False)
        return [row.ids for row in rows]

    return Subwords(_signature(name, found.to_str()), _size(found), encode)


def _from_hub(name: str) -> Subwords:
    what = f"The tokenizer {name!r}"
    need_packages(what, ["transformers", "torch"], "transformers", "use the tokenizer 'words'")
    from transformers import AutoTokenizer

    found = load_quietly(AutoTokenizer.from_pretrained, name, _RULE)

    def encode(texts: list[str]) -> list[list[int]]:
        options = {"add_special_tokens": False, "return_attention_mask": False, "verbose": False}
        rows: list[list[int]] = found(texts, **options)["input_ids"]
        return rows

    if found.is_fast:
        signature = _signature(Path(name).name, found.backend_tokenizer.to_str())
    else:
        signature = model_identity(name, found.init_kwargs.get("_commit_hash"))
    return Subwords(signature.replace("|", "_"), _size(found), encode)


def _signature(name: str, content: str) -> str:
    checksum = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{escaped(name)}@{checksum}".replace("|", "_")


def _size(tokenizer: Any) -> int:
    # Numbers may have gaps, so that there are fewer tokens than the greatest number says.
    return max(tokenizer.get_vocab().values(), default=-1) + 1
