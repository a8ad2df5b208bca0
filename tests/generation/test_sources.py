"""Sources are files with options behind them, datasets, or lists."""

import json
import re

import pytest

from mauve.errors import InvalidParameterError
from mauve.generation.sources import source_records
from mauve.text.sources import Source, parse_source


class TestNames:
    @pytest.mark.parametrize(
        ("text", "source"),
        [
            ("a.jsonl", Source("a.jsonl")),
            ("a.jsonl?field=story", Source("a.jsonl", options={"field": "story"})),
            ("hf:a/b", Source("a/b", True)),
            ("hf:a/b?split=x&take=3", Source("a/b", True, {"split": "x", "take": "3"})),
            ("hf:a/b?revision=v%201", Source("a/b", True, {"revision": "v 1"})),
        ],
    )
    def test_are_parsed(self, text, source):
        assert parse_source(text) == source

    def test_of_a_file_with_a_question_mark(self, tmp_path):
        path = tmp_path / "why?field=x.txt"
        path.write_text("Because.\n")
        assert parse_source(path) == Source(str(path))
        assert [record.text for record in source_records(path)] == ["Because."]

    @pytest.mark.parametrize(
        ("bad", "got"),
        [
            ("hf:", "no name"),
            ("hf:?split=a", "no name"),
            ("?split=a", "no name"),
            ("a.txt?split", "one without a value"),
            ("a.txt?split=", "one without a value"),
            ("a.txt?config=x", "'config'"),
            ("hf:a?filed=x", "'filed'"),
            ("hf:a?split=x&split=y", "one twice"),
        ],
    )
    def test_that_are_wrong(self, bad, got):
        message = f"^'{re.escape(bad)}' must be a file or hf:NAME.* of field, prompt.* Got {got} i"
        with pytest.raises(InvalidParameterError, match=message):
            parse_source(bad)

    def test_without_options_behind_the_mark(self):
        assert parse_source("a.txt?") == Source("a.txt")

    @pytest.mark.parametrize("take", ["0", "-1", "1.5", "all"])
    def test_take_that_is_no_number(self, take):
        with pytest.raises(InvalidParameterError, match=f"at least 1. Got '{take}' instead"):
            parse_source(f"a.txt?take={take}")


class TestFiles:
    def test_gpt2_output_dataset(self, tmp_path):
        path = tmp_path / "webtext.test.jsonl"
        rows = [
            {"id": 255000, "ended": True, "length": 3, "text": "One two three"},
            {"id": 255001, "ended": False, "length": 1024, "text": "Four"},
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        first, second = source_records(path)
        assert (first.id, first.text, first.prompt) == ("255000", "One two three", None)
        assert first.metadata == {"ended": True, "length": 3}
        assert second.metadata["ended"] is False

    def test_fields(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("story,opening\nIt rained.,Once\n")
        [record] = source_records(f"{path}?field=story&prompt=opening")
        assert (record.text, record.prompt) == ("It rained.", "Once")

    def test_parquet(self, tmp_path):
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame({"text": ["a", "b"], "site": ["x", "y"]}).to_parquet(
            tmp_path / "a.parquet"
        )
        assert [r.metadata["site"] for r in source_records(tmp_path / "a.parquet")] == ["x", "y"]

    def test_take(self, tmp_path):
        path = tmp_path / "a.txt"
        path.write_text("one\ntwo\nthree\n")
        assert [r.text for r in source_records(f"{path}?take=2")] == ["one", "two"]

    def test_split_that_no_record_has(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text('{"text": "a", "split": "train"}\n{"text": "b"}\n')
        with pytest.raises(InvalidParameterError, match=r"is 'test'\. Got train, none instead"):
            [*source_records(f"{path}?split=test")]

    def test_that_are_not_there(self):
        with pytest.raises(InvalidParameterError, match=r"'no-such-file\.txt' must be the path"):
            [*source_records("no-such-file.txt?take=3")]


class TestLists:
    def test_of_texts_and_records(self):
        rows = ["one", {"text": "two", "prompt": "p", "id": 3, "site": "x"}]
        first, second = source_records(iter(rows))
        assert (first.text, second.prompt, second.id) == ("one", "p", "3")

    @pytest.mark.parametrize("bad", [5, None, b"text", {"text": "a"}])
    def test_of_something_else(self, bad):
        with pytest.raises(InvalidParameterError, match=r"'source' .* must be a file, hf:NAME, or"):
            [*source_records(bad)]

    def test_item_that_is_no_record(self):
        with pytest.raises(InvalidParameterError, match=r"Position 1 of .* Got int instead"):
            [*source_records(["one", 2])]
