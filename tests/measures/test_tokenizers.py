"""One numbering for all samples, one name for each tokenizer, and no text that stops it."""

import json
import os
import random
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported

from mauve.embed.bundled import MODEL
from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.measures.tokenizers import Words, get_tokenizer

TEXTS = ["The cat sat, naïvely, on the mat.", "", "今日は良い天気", "one\x00two \ud800 three"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's a 'test'.", ["It's", "a", "'", "test", "'", "."]),
        ("The THE the", ["The", "THE", "the"]),
        ("wait... no?!", ["wait", "...", "no", "?", "!"]),
        (" \t\n\u00a0\u3000", []),
        ("snake_case x2", ["snake_case", "x2"]),
        ("日本語abc、よ", ["日", "本", "語", "abc", "、", "よ"]),
        ("हिन्दी ภาษาไทย", ["हिन्दी", "ภาษาไทย"]),
        ("cafe\u0301 می\u200cخواهم", ["cafe\u0301", "می\u200cخواهم"]),
        ("❤️👍", ["❤️", "👍"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("\ud800", ["\ud800"]),
    ],
)
def test_words_of_many_scripts(text, tokens):
    assert Words.split(text) == tokens


@given(st.text())
def test_nothing_but_white_space_is_lost(text):
    assert "".join(Words.split(text)) == "".join(text.split())


@given(st.lists(st.lists(st.text(alphabet="ab c"), max_size=5), max_size=4))
def test_words_have_one_number_in_all_samples(samples):
    tables = Words().tables(samples)
    named = {}
    for texts, table in zip(samples, tables, strict=True):
        assert len(table) == len(texts)
        for i, text in enumerate(texts):
            words = Words.split(text)
            assert len(words) == table.lengths[i]
            for word, number in zip(words, table.row(i).tolist(), strict=True):
                assert named.setdefault(word, number) == number
    assert sorted(named.values()) == list(range(len(named)))
    assert all(table.vocabulary_size == len(named) for table in tables)


def test_numbers_do_not_depend_on_the_order_of_texts():
    texts = ["b c a", "a d", "c c e"]
    mixed = random.Random(0).sample(texts, 3)
    (first,), (second,) = Words().tables([texts]), Words().tables([mixed])
    for i, text in enumerate(mixed):
        np.testing.assert_array_equal(second.row(i), first.row(texts.index(text)))


def test_types_of_a_table():
    for spec in ("words", "bundled"):
        (table,) = get_tokenizer(spec).tables([TEXTS])
        assert (table.ids.dtype, table.starts.dtype) == (np.int32, np.int64)
        assert table.lengths[1] == 0
        assert 0 <= table.ids.min() <= table.ids.max() < table.vocabulary_size
        assert [len(empty) for empty in get_tokenizer(spec).tables([[], []])] == [0, 0]


def test_bundled_file_and_folder_are_one_tokenizer():
    same = [get_tokenizer(spec) for spec in ("bundled", str(MODEL), str(MODEL / "tokenizer.json"))]
    tables = [tokenizer.tables([TEXTS])[0] for tokenizer in same]
    for table in tables[1:]:
        np.testing.assert_array_equal(table.ids, tables[0].ids)
    assert len({tokenizer.signature.rpartition("@")[2] for tokenizer in same}) == 1


def test_signature_changes_with_the_file(tmp_path):
    content = json.loads((MODEL / "tokenizer.json").read_text(encoding="utf-8"))
    content["model"]["vocab"]["a-new-token"] = len(content["model"]["vocab"])
    folder = tmp_path / "a|b"
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    changed = get_tokenizer(str(folder)).signature
    assert changed.startswith("a_b@")
    assert changed.rpartition("@")[2] != get_tokenizer("bundled").signature.rpartition("@")[2]


def test_whole_texts_whatever_the_file_asks_for(tmp_path):
    content = json.loads((MODEL / "tokenizer.json").read_text(encoding="utf-8"))
    content["truncation"] = {
        "direction": "Right",
        "max_length": 2,
        "strategy": "LongestFirst",
        "stride": 0,
    }
    content["padding"] = {
        "strategy": {"Fixed": 50},
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 0,
        "pad_type_id": 0,
        "pad_token": "x",
    }
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    for table, expected in zip(
        get_tokenizer(str(file)).tables([TEXTS]),
        get_tokenizer("bundled").tables([TEXTS]),
        strict=True,
    ):
        np.testing.assert_array_equal(table.lengths, expected.lengths)


@pytest.mark.slow
def test_folder_without_the_file_is_read_by_transformers(tmp_path):
    pytest.importorskip("transformers")
    content = json.loads((MODEL / "tokenizer.json").read_text(encoding="utf-8"))["model"]
    (tmp_path / "vocab.json").write_text(json.dumps(content["vocab"]), encoding="utf-8")
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in content["merges"]]
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *merges]), encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "GPT2Tokenizer"}')
    tokenizer = get_tokenizer(str(tmp_path))
    assert tokenizer.signature.startswith(tmp_path.name + "@")
    (table,), (expected,) = tokenizer.tables([TEXTS]), get_tokenizer("bundled").tables([TEXTS])
    np.testing.assert_array_equal(table.ids, expected.ids)


def test_tokenizer_written_in_python(tmp_path):
    pytest.importorskip("transformers")
    config = '{"tokenizer_class": "ByT5Tokenizer", "extra_ids": 0}'  # a token is a byte plus 3
    (tmp_path / "tokenizer_config.json").write_text(config)
    tokenizer = get_tokenizer(str(tmp_path))
    (table,) = tokenizer.tables([["ab", ""]])
    assert table.ids.tolist() == [100, 101]  # no end of text
    assert table.lengths.tolist() == [2, 0]
    assert "@" in tokenizer.signature


def test_names_that_cannot_be_read(tmp_path, monkeypatch):
    with pytest.raises(InvalidParameterError, match=r"'tokenizer' .* Got 'absent\.json', which"):
        get_tokenizer("absent.json")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(InvalidParameterError, match="could not be loaded"):
        get_tokenizer(str(tmp_path))
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtraError, match=r'pip install "mauve-eval\[transformers\]"'):
        get_tokenizer("gpt2")


def test_name_that_is_not_on_the_hub():
    pytest.importorskip("transformers")
    with pytest.raises(InvalidParameterError, match="Got 'no/such', which could not be loaded"):
        get_tokenizer("no/such")
