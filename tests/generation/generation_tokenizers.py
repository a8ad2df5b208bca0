"""Tokenizers for the tests of tasks: of bytes, of letters, of the bundled model, and lossy ones."""

from functools import cache

from tokenizers import Tokenizer

from mauve.embed.bundled import MODEL


class Bytes:
    """One token for each byte, so that most cuts are within a character outside of ASCII."""

    def encode(self, text):
        return list(text.encode("utf-8", "surrogatepass"))

    def decode(self, tokens):
        return bytes(tokens).decode("utf-8", "replace")


class Letters:
    """One token for each character."""

    def encode(self, text):
        return [*map(ord, text)]

    def decode(self, tokens):
        return "".join(map(chr, tokens))


class Lossy(Letters):
    """Drops the first space and all capitals, as tokenizers of some models do."""

    def encode(self, text):
        return super().encode(text.lower().removeprefix(" "))


class Bundled:
    """The byte-level tokenizer of the bundled model; counts the characters that it has read."""

    n_read = 0

    def encode(self, text):
        self.n_read += len(text)
        return _tokenizer().encode(text, add_special_tokens=False).ids

    def decode(self, tokens):
        return _tokenizer().decode(list(tokens), skip_special_tokens=False)


@cache
def _tokenizer():
    return Tokenizer.from_file(str(MODEL / "tokenizer.json"))
