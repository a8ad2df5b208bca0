"""JSON, tables with and without a header, blank lines at the end, nested Parquet columns."""

import csv
import json
import threading

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mauve.errors import InvalidParameterError
from mauve.text.fields import Fields
from mauve.text.formats import csv_records
from mauve.text.read import TextFile, read_texts

TEXTS = ["one", "two"]


class TestJson:
    def read(self, tmp_path, value, **options):
        path = tmp_path / "a.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1))
        return read_texts(path, **options)

    @pytest.mark.parametrize(
        "value",
        [
            TEXTS,
            [{"text": "one"}, {"text": "two"}],
            {"data": TEXTS},
            {"version": 1, "data": [{"text": "one"}, {"text": "two"}]},
            {"text": TEXTS, "other": [1, 2, 3]},
            '{"text": "one"}\n{"text": "two"}\n',  # what Hugging Face datasets write
        ],
    )
    def test_lists_and_what_holds_one(self, tmp_path, value):
        assert self.read(tmp_path, value).texts == TEXTS

    def test_columns(self, tmp_path):
        value = {"text": TEXTS, "prompt": ["p", "q"], "year": [1, 2]}
        assert self.read(tmp_path, value) == TextFile(TEXTS, ["p", "q"], None, {"year": [1, 2]})

    @pytest.mark.parametrize("name", ["prompt", "id"])
    def test_columns_of_other_lengths(self, tmp_path, name):
        value = {"text": TEXTS, name: ["p"], "notes": [1, 2, 3]}
        with pytest.raises(InvalidParameterError, match=f"list '{name}' .* the 2 texts. Got 1 in"):
            self.read(tmp_path, value)
        value.pop(name)
        assert self.read(tmp_path, value).texts == TEXTS

    def test_several_lists_need_a_field(self, tmp_path):
        value = {"train": [{"body": "one"}, {"body": "two"}], "test": [{"body": "three"}]}
        with pytest.raises(
            InvalidParameterError,
            match=r"one list .* Got the lists train, test instead: pass field='LIST\.FIELD'",
        ):
            self.read(tmp_path, value)
        assert self.read(tmp_path, value, field="train.body").texts == TEXTS

    def test_records_name_their_item(self, tmp_path):
        with pytest.raises(
            InvalidParameterError,
            match=r"^Item 2 of '.*' must have the field 'text'\. Got a\.b ins",
        ):
            self.read(tmp_path, [{"text": "one"}, {"a": {"b": "two"}}])
        with pytest.raises(InvalidParameterError, match=r"^Item 1 of .* Got null instead"):
            self.read(tmp_path, [None])

    @pytest.mark.parametrize("value", ["{", "[1,", "one", '["one"'])
    def test_what_is_no_json(self, tmp_path, value):
        with pytest.raises(InvalidParameterError, match=r"a\.json' must be JSON \(.*line 1 column"):
            self.read(tmp_path, value)

    @pytest.mark.parametrize("value", ['"one"', "3", "null"])
    def test_what_is_no_list(self, tmp_path, value):
        with pytest.raises(InvalidParameterError, match=r"must be a JSON list of texts .* Got "):
            self.read(tmp_path, value)

    @pytest.mark.parametrize("value", ["[]", "{}", "", '{"data": []}'])
    def test_nothing(self, tmp_path, value):
        with pytest.raises(InvalidParameterError, match=r"holds no texts|must have the field"):
            self.read(tmp_path, value)


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("a.txt", "one\ntwo\n\n \n\t\n"),
        ("a.jsonl", '"one"\n"two"\n\n  \n'),
        ("a.csv", "text\none\ntwo\n\n\n"),
        ("a.tsv", "text\none\ntwo\n\n"),
    ],
)
def test_blank_lines_at_the_end_are_dropped(tmp_path, name, contents):
    path = tmp_path / name
    path.write_text(contents)
    assert read_texts(path).texts == TEXTS


@pytest.mark.parametrize(
    ("name", "contents", "message"),
    [
        ("a.txt", "one\n\ntwo\n\n", "blank lines instead, at line 2: "),
        ("a.jsonl", '"one"\n\n\n"two"\n\n', r"Line 2 of .* Got a blank line instead"),
        ("a.csv", "text\none\n\ntwo\n\n", r"Line 3 of .* the header, 1\. Got 0 instead"),
    ],
)
def test_other_blank_lines_are_named(tmp_path, name, contents, message):
    path = tmp_path / name
    path.write_text(contents)
    with pytest.raises(InvalidParameterError, match=message):
        read_texts(path)


class TestTables:
    @pytest.mark.parametrize("first", ["Once upon a time there was a fox.", "story", "x" * 300])
    def test_one_column_of_another_name_may_be_a_text_without_header(self, tmp_path, first):
        path = tmp_path / "a.csv"
        path.write_text(f"{first}\nanother text\n")
        with pytest.raises(
            InvalidParameterError,
            match=rf"must have a first line that names its columns, one of them 'text'\. Got the "
            rf"one column '{first[:40]}.*' instead: if that is a name, pass it .*; if it is a "
            r"text, write the line text above it\.$",
        ) as caught:
            read_texts(path)
        assert len(str(caught.value)) < 400 + len(str(path))
        assert read_texts(path, field=first).texts == ["another text"]

    def test_several_columns_without_header(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("Once upon a time,1\nAnd so on,2\n")
        with pytest.raises(InvalidParameterError, match=r"column 'text'\. Got Once upon a time,"):
            read_texts(path)

    @pytest.mark.parametrize("suffix", [".csv", ".tsv"])
    def test_fields_of_any_length(self, tmp_path, suffix):
        path = tmp_path / f"a{suffix}"
        path.write_text(f"text\n{'x' * 200_000}\n")
        limit = csv.field_size_limit()
        assert len(read_texts(path).texts[0]) == 200_000
        assert csv.field_size_limit() == limit

    def test_files_are_read_by_several_threads(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("text\n" + f"{'x' * 140_000}\n" * 20)
        limit, lengths = csv.field_size_limit(), []
        threads = [
            threading.Thread(target=lambda: lengths.append(len(read_texts(path)))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert lengths == [20] * 8
        assert csv.field_size_limit() == limit

    def test_reading_that_is_given_up_halfway(self, tmp_path):
        # As by Ctrl-C in a notebook, which keeps the traceback and with it the reader.
        limit = csv.field_size_limit()
        lines = enumerate(["text\n", "one\n", "two\n"], start=1)
        half_read = csv_records(lines, Fields("'a.csv'"))
        assert next(half_read).text == "one"
        assert csv.field_size_limit() == limit
        (tmp_path / "b.csv").write_text("text\none\n")
        reading = threading.Thread(target=read_texts, args=[tmp_path / "b.csv"], daemon=True)
        reading.start()
        reading.join(timeout=60)
        assert not reading.is_alive()
        assert next(half_read).text == "two"

    def test_tabs(self, tmp_path):
        path = tmp_path / "a.tsv"
        path.write_text('id\ttext\n1\tone, with a comma\n2\t"two\twith a tab"\n')
        assert read_texts(path) == TextFile(
            ["one, with a comma", "two\twith a tab"], None, ["1", "2"]
        )
        path.write_text('text\n"one" two\n')
        with pytest.raises(InvalidParameterError, match=r"Line 2 of .* must be TSV"):
            read_texts(path)


class TestNestedParquet:
    def write(self, tmp_path):
        path = tmp_path / "a.parquet"
        turns = [[{"said": text, "by": "a"}] for text in TEXTS]
        out = [{"best": {"text": text}} for text in TEXTS]
        pq.write_table(pa.table({"turns": turns, "out": out, "site": ["x", "y"]}), path)
        return path

    @pytest.mark.parametrize("field", ["turns.0.said", "out.best.text"])
    def test_fields_in_columns(self, tmp_path, field):
        file = read_texts(self.write(tmp_path), field=field)
        assert file == TextFile(TEXTS, None, None, {"site": ["x", "y"]}, file.unread)

    def test_a_missing_column_lists_them(self, tmp_path):
        with pytest.raises(
            InvalidParameterError,
            match=r"Got turns\.0\.said, turns\.0\.by, out\.best\.text, site instead: pass field",
        ):
            read_texts(self.write(tmp_path))


def test_a_header_with_another_separator_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;text\n1;one\n")
    with pytest.raises(InvalidParameterError, match=r"commas between .* Got the header 'id;text'"):
        read_texts(path)


def test_a_text_in_place_of_the_header_is_shortened(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("0\t" + "long " * 400 + "\n")
    with pytest.raises(InvalidParameterError, match="or write a line with the names") as caught:
        read_texts(path)
    assert len(str(caught.value)) < 300
