"""Tokenizers are loaded without their models."""

import shutil

import pytest
from tokenizers import Tokenizer

from mauve.embed.bundled import MODEL
from mauve.errors import InvalidParameterError
from mauve.lm.text_tokenizer import TextTokenizer, get_text_tokenizer

TEXT = " Naïve  cats , don't\n\nsit… 日本"


class TestTokens:
    @pytest.mark.parametrize("spec", ["bundled", MODEL, MODEL / "tokenizer.json"])
    def test_give_the_text_back(self, spec):
        tokenizer = get_text_tokenizer(spec)
        assert isinstance(tokenizer, TextTokenizer)
        assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT

    def test_are_not_special(self):
        tokenizer = get_text_tokenizer("bundled")
        expected = Tokenizer.from_file(str(MODEL / "tokenizer.json")).encode(
            TEXT, add_special_tokens=False
        )
        assert tokenizer.encode(TEXT) == expected.ids

    def test_of_transformers(self, tmp_path):
        # A folder without tokenizer.json is loaded by Transformers.
        transformers = pytest.importorskip("transformers")
        words = {"[UNK]": 0, "[PAD]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "the": 5, "cat": 6}
        (tmp_path / "vocab.txt").write_text("\n".join(words))
        transformers.BertTokenizer(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path / "bert")
        loaded = get_text_tokenizer(tmp_path / "bert")
        (tmp_path / "bert" / "tokenizer.json").unlink()
        shutil.copy(tmp_path / "vocab.txt", tmp_path / "bert" / "vocab.txt")
        other = get_text_tokenizer(str(tmp_path / "bert"))
        assert loaded.encode("the cat") == other.encode("the cat") == [5, 6]
        assert other.decode([5, 6]) == "the cat"

    def test_half_a_surrogate_pair(self):
        tokenizer = get_text_tokenizer("bundled")
        assert tokenizer.decode(tokenizer.encode("a\ud83d")) == "a\ufffd"

    def test_are_not_cut(self, tmp_path):
        inner = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
        inner.enable_truncation(3)
        inner.save(str(tmp_path / "tokenizer.json"))
        assert len(get_text_tokenizer(tmp_path).encode("one two three four five six")) > 3


class TestSignature:
    def test_names_the_content(self, tmp_path):
        shutil.copy(MODEL / "tokenizer.json", tmp_path / "a|b.json")
        bundled, copy = get_text_tokenizer("bundled"), get_text_tokenizer(tmp_path / "a|b.json")
        assert bundled.signature.startswith("bundled@")
        assert copy.signature == f"a_b.json@{bundled.signature.partition('@')[2]}"


class TestErrors:
    @pytest.mark.parametrize("bad", [None, 3, len])
    def test_something_else(self, bad):
        with pytest.raises(
            InvalidParameterError, match=r"'spec' .* methods encode and decode\. Got"
        ):
            get_text_tokenizer(bad)

    @pytest.mark.parametrize("name", ["none.json", "no-such/tokenizer"])
    def test_not_there(self, name):
        with pytest.raises(
            InvalidParameterError, match=rf"Got '{name}', which could not be loaded"
        ):
            get_text_tokenizer(name)
