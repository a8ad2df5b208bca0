"""Files of text are read unchanged, or an error names the line that is wrong."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.text.files import TEXT_SUFFIXES
from mauve.text.read import TextFile, read_records, read_texts

TEXTS = [" a text with white space \t", "naïve café 中文 🎉", 'quotes " and, commas', "last"]
PROMPTS = ["one", "", "three", "four"]


def write(path: Path, contents: str | bytes) -> Path:
    contents = contents.encode() if isinstance(contents, str) else contents
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
    path.write_bytes(pack.get(path.suffix, bytes)(contents))
    return path


def as_json(texts, **columns) -> str:
    rows = [
        {"text": text} | {name: values[i] for name, values in columns.items()}
        for i, text in enumerate(texts)
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def as_csv(header, *rows) -> str:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([header, *rows])
    return file.getvalue()


class TestFormats:
    @pytest.mark.parametrize("name", ["human.txt", "human.txt.gz", "HUMAN.v1.TXT"])
    @pytest.mark.parametrize("as_type", [str, Path])
    def test_one_text_a_line_keeps_white_space(self, tmp_path, name, as_type):
        path = write(tmp_path / name, "\n".join(TEXTS))
        assert read_texts(as_type(path)) == TextFile(TEXTS, None, None)

    def test_last_line_may_end_in_a_line_break(self, tmp_path):
        assert read_texts(write(tmp_path / "a.txt", "one\ntwo\n")).texts == ["one", "two"]

    def test_line_breaks_of_windows_are_no_part_of_the_text(self, tmp_path):
        assert read_texts(write(tmp_path / "a.txt", "one \r\ntwo\r\n")).texts == ["one ", "two"]

    @pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\r"])
    def test_only_a_line_feed_ends_a_line(self, tmp_path, character):
        text = f"one{character}two"
        assert read_texts(write(tmp_path / "a.txt", f"{text}\nthree\n")).texts == [text, "three"]

    @pytest.mark.parametrize("name", ["human.jsonl", "human.jsonl.gz"])
    def test_json_objects(self, tmp_path, name):
        path = write(tmp_path / name, as_json(TEXTS, prompt=PROMPTS, id=["a", 2, "c", 4]))
        assert read_texts(path) == TextFile(TEXTS, PROMPTS, ["a", "2", "c", "4"])
        assert len(read_texts(path)) == 4

    def test_json_strings(self, tmp_path):
        path = write(tmp_path / "a.jsonl", "".join(json.dumps(text) + "\n" for text in TEXTS))
        assert read_texts(path) == TextFile(TEXTS, None, None)

    def test_json_texts_may_hold_line_breaks_or_nothing(self, tmp_path):
        texts = ["one\ntwo\n", "", "\n"]
        assert read_texts(write(tmp_path / "a.jsonl", as_json(texts))).texts == texts

    @pytest.mark.parametrize("name", ["human.csv", "human.csv.gz"])
    def test_csv(self, tmp_path, name):
        texts = [*TEXTS, "two\r\nlines\n"]
        rows = zip(texts, range(5), [*PROMPTS, "five"], strict=True)
        path = write(tmp_path / name, as_csv(["text", "id", "prompt"], *rows))
        assert read_texts(path) == TextFile(texts, [*PROMPTS, "five"], list("01234"))

    def test_parquet_in_several_batches(self, tmp_path):
        path = tmp_path / "human.parquet"
        texts = [f"text {i} é" for i in range(3000)]
        columns = {"other": list(range(3000)), "id": list(range(3000)), "prompt": texts}
        pq.write_table(pa.table(columns | {"text": texts}), path, row_group_size=1000)
        ids = [str(i) for i in range(3000)]
        assert read_texts(path) == TextFile(texts, texts, ids, {"other": list(range(3000))})

    @pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
    def test_parquet_with_other_kinds_of_strings(self, tmp_path, kind):
        path = tmp_path / "human.parquet"
        pq.write_table(pa.table({"text": pa.array(TEXTS, kind)}), path)
        assert read_texts(path) == TextFile(TEXTS, None, None)

    @pytest.mark.parametrize(
        ("name", "contents"),
        [("a.txt", "one\n"), ("a.jsonl", '{"text": "one"}'), ("a.csv", "text\none\n")],
    )
    def test_byte_order_marks_are_no_part_of_the_text(self, tmp_path, name, contents):
        path = write(tmp_path / name, b"\xef\xbb\xbf" + contents.encode())
        assert read_texts(path).texts == ["one"]

    def test_byte_order_marks_further_on_are_kept(self, tmp_path):
        path = write(tmp_path / "a.txt", "one\n\ufefftwo\n")
        assert read_texts(path).texts == ["one", "\ufefftwo"]

    @pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
    def test_other_fields(self, tmp_path, suffix):
        path = tmp_path / f"human{suffix}"
        if suffix == ".parquet":
            pq.write_table(pa.table({"story": ["a"], "title": ["b"], "text": [1]}), path)
        elif suffix == ".csv":
            write(path, as_csv(["story", "title", "text"], ["a", "b", "1"]))
        else:
            write(path, json.dumps({"story": "a", "title": "b", "text": 1}))
        file = read_texts(path, field="story", prompt_field="title")
        value = "1" if suffix == ".csv" else 1
        assert file == TextFile(["a"], ["b"], None, {"text": [value]})

    def test_prompts_and_ids_only_where_every_record_has_one(self, tmp_path):
        records = [{"text": "a", "prompt": "b"}, {"text": "c", "id": 1, "prompt": None}]
        path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records)))
        assert read_texts(path) == TextFile(["a", "c"], None, None)

    @settings(max_examples=30)
    @given(st.lists(st.text(st.characters(codec="utf-8")), min_size=1))
    def test_whatever_is_written_comes_back(self, tmp_path_factory, texts):
        folder = tmp_path_factory.mktemp("texts")
        for name in ("a.jsonl", "a.jsonl.gz"):
            assert read_texts(write(folder / name, as_json(texts))).texts == texts
        write(folder / "a.json", json.dumps([{"text": text} for text in texts]))
        assert read_texts(folder / "a.json").texts == texts
        pq.write_table(pa.table({"text": texts}), folder / "a.parquet")
        assert read_texts(folder / "a.parquet").texts == texts

    @settings(max_examples=30)
    @given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1))
    def test_whatever_is_written_as_a_table_comes_back(self, tmp_path_factory, texts):
        folder = tmp_path_factory.mktemp("texts")
        for name, separator in (("a.csv", ","), ("a.tsv.xz", "\t"), ("b.csv.bz2", ",")):
            file = io.StringIO(newline="")
            csv.writer(file, delimiter=separator).writerows([["text"], *([t] for t in texts)])
            assert read_texts(write(folder / name, file.getvalue())).texts == texts

    @settings(max_examples=30)
    @given(
        st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r")).filter(
                lambda text: text.strip() and not text.startswith("\ufeff")
            ),
            min_size=1,
        ),
        st.sampled_from(["\n", "\r\n"]),
        st.integers(0, 3),
    )
    def test_whatever_is_written_as_lines_comes_back(self, tmp_path_factory, texts, end, n_blank):
        path = tmp_path_factory.mktemp("texts") / "a.txt.gz"
        assert read_texts(write(path, end.join(texts) + n_blank * end)).texts == texts


class TestMetadata:
    def test_json_fields_with_gaps(self, tmp_path):
        records = [
            {"text": "a", "site": "x.org", "year": 1999, "id": 1},
            "a string has no fields",
            {"text": "b", "site": None, "good": True, "prompt": "p"},
            {"text": "c", "site": "", "year": 2000},
            {"text": "d"},
        ]
        path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records)))
        file = read_texts(path)
        assert file.metadata == {
            "site": ["x.org", None, None, "", None],
            "year": [1999, None, None, 2000, None],
            "good": [None, None, True, None, None],
        }
        assert file.metadata["good"][2] is True
        assert file.unread == ()

    @pytest.mark.parametrize("value", [0.5, float("nan"), [1], {"a": 1}, "y" * 201])
    @pytest.mark.parametrize("position", [0, 1, 2])
    def test_a_value_that_is_no_metadata_leaves_the_field_out_by_name(
        self, tmp_path, value, position
    ):
        records = [{"text": "a", "odd": "x", "site": "s"} for _ in range(3)]
        records[position]["odd"] = value
        file = read_texts(write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records))))
        assert file.metadata == {"site": ["s", "s", "s"]}
        assert file.unread == ("odd",)

    def test_csv_fields_are_strings_and_empty_ones_are_missing(self, tmp_path):
        contents = as_csv(["site", "text", "year"], ["x", "", "1"], ["", "b", "2"])
        file = read_texts(write(tmp_path / "a.csv", contents))
        assert file.texts == ["", "b"]
        assert file.metadata == {"site": ["x", None], "year": ["1", "2"]}

    def test_columns_of_one_name_are_left_out_by_name(self, tmp_path):
        names = ["z", "text", "z", "a", "b", "a"]
        file = read_texts(write(tmp_path / "a.csv", as_csv(names, list("123456"))))
        assert file == TextFile(["2"], None, None, {"b": ["5"]}, ("z", "a"))
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table([[value] for value in "123456"], names=names), path)
        assert read_texts(path) == file

    def test_parquet_columns_by_type(self, tmp_path):
        columns = {
            "text": ["a", "b"],
            "text.length": [1, 2],  # not a part of the column text
            "kind": pa.array(["u", "v"]).dictionary_encode(),
            "large": pa.array(["l", None], pa.large_string()),
            "good": [True, None],
            "nothing": pa.nulls(2),
            "number": [0.5, 1.5],
            "list": [[1], [2]],
            "nested": [{"a": 1}, {"a": 2}],
            "when": pa.array([1, 2], pa.timestamp("s")),
            "bytes": [b"a", b"b"],
            "long": ["x", "y" * 201],
        }
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table(columns), path)
        file = read_texts(path)
        assert file.metadata == {
            "text.length": [1, 2],
            "kind": ["u", "v"],
            "large": ["l", None],
            "good": [True, None],
            "nothing": [None, None],
        }
        assert set(file.unread) == {"number", "list", "nested", "when", "bytes", "long"}

    def test_prompts_and_ids_are_no_metadata_even_where_some_are_missing(self, tmp_path):
        records = [{"text": "a", "prompt": "b", "id": 1}, {"text": "c"}]
        path = write(tmp_path / "a.jsonl", "\n".join(map(json.dumps, records)))
        assert read_texts(path) == TextFile(["a", "c"])
        assert read_texts(path, prompt_field="q").metadata == {"prompt": ["b", None]}

    def test_records_that_share_no_field_do_not_fill_the_memory(self, tmp_path):
        lines = [json.dumps({"text": "a", f"key {i}": i}) for i in range(3000)]
        file = read_texts(write(tmp_path / "a.jsonl", "\n".join(lines)))
        assert len(file.metadata) == 100
        assert file.metadata["key 1"][:3] == [None, 1, None]
        assert len(file.unread) == 2900

    def test_plain_texts_have_none(self, tmp_path):
        file = read_texts(write(tmp_path / "a.txt", "one\ntwo\n"))
        assert file.metadata == {}
        assert file.unread == ()


class TestStandardInput:
    @pytest.fixture
    def pipe(self, monkeypatch):
        """Return a function that sends bytes through a real pipe, which cannot be sought."""
        reading, writing = os.pipe()
        with os.fdopen(reading, encoding="utf-8") as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)

            def send(contents: bytes):
                with os.fdopen(writing, "wb") as file:
                    file.write(contents)
                return read_texts("-")

            yield send

    @pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
    def test_json_objects(self, pipe, bom):
        contents = bom + as_json(TEXTS, prompt=PROMPTS).encode()
        assert pipe(contents) == TextFile(TEXTS, PROMPTS, None)

    def test_json_strings(self, pipe):
        assert pipe(b'"one"\n"two\\n"\n').texts == ["one", "two\n"]

    @pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
    def test_else_one_text_a_line(self, pipe, bom):
        assert pipe(bom + "\n".join(TEXTS).encode()).texts == TEXTS

    @pytest.mark.parametrize("contents", [b"", b"\xef\xbb\xbf"])
    def test_nothing(self, pipe, contents):
        with pytest.raises(InvalidParameterError, match=r"^'-' \(standard input\) holds no texts"):
            pipe(contents)

    def test_a_quoted_text_that_is_no_json_names_txt_files_as_the_remedy(self, pipe):
        with pytest.raises(
            InvalidParameterError, match=r"Line 1 of '-' \(standard input\) .* in a \.txt file"
        ):
            pipe(b'"Hello", she said.\n')

    def test_a_path_object_is_standard_input_too(self):
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                "from pathlib import Path; from mauve.text.read import read_texts\n"
                "print(read_texts(Path('-')).texts)",
            ],
            input="one\ntwo\n",
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "['one', 'two']\n"


class TestLinesThatAreWrong:
    def test_blank_lines_are_named(self, tmp_path):
        path = write(tmp_path / "a.txt", "one\n\ntwo\n  \t\n\r\nthree\n\n")
        with pytest.raises(
            InvalidParameterError,
            match=r"a\.txt' must hold one text a line\. Got blank lines .* lines 2, 4, 5: remove",
        ):
            read_texts(path)

    def test_many_blank_lines_are_counted(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"lines 2, 3, .*, 8, 9 and 991 more"):
            read_texts(write(tmp_path / "a.txt", "one" + 1000 * "\n" + "two"))

    @pytest.mark.parametrize(
        ("name", "before", "line"),
        [("a.txt", "é\n", 2), ("a.jsonl", '{"text": "é"}\n', 2), ("a.csv.gz", "text\né\n", 3)],
    )
    def test_bytes_that_are_no_utf_8(self, tmp_path, name, before, line):
        path = write(tmp_path / name, before.encode() + b"caf\xe9 noir\n")
        with pytest.raises(
            InvalidParameterError,
            match=rf"^Line {line} of '.*{name}' must be UTF-8\. Got the byte 0xe9, byte 4 .* LATIN",
        ):
            read_texts(path)

    def test_utf_16(self, tmp_path):
        path = write(tmp_path / "a.txt", "one\ntwo".encode("utf-16"))
        with pytest.raises(InvalidParameterError, match=r"UTF-8\. It is UTF-16: convert it"):
            read_texts(path)

    @pytest.mark.parametrize("bad", ["{'text': 'one'}", '{"text": "cut sh', "one", "[" * 10**5])
    def test_lines_that_are_no_json(self, tmp_path, bad):
        path = write(tmp_path / "a.jsonl", f'{{"text": "one"}}\n{bad}\n"two"\n')
        with pytest.raises(
            InvalidParameterError,
            match=r"^Line 2 of '.*a\.jsonl' must be a JSON object or string \(.*\)\. Write one",
        ):
            read_texts(path)

    @pytest.mark.parametrize(
        ("value", "name"), [("1", "int"), ('["one"]', "list"), ("null", "null"), ("true", "bool")]
    )
    def test_json_that_is_no_record(self, tmp_path, value, name):
        with pytest.raises(InvalidParameterError, match=rf"Line 1 of .* string\. Got {name} inst"):
            read_texts(write(tmp_path / "a.jsonl", value))

    def test_a_missing_field_names_those_that_are_there(self, tmp_path):
        path = write(tmp_path / "a.jsonl", '{"text": "one"}\n{"story": "two", "b\\n": 1}\n{}\n')
        with pytest.raises(
            InvalidParameterError,
            match=r"^Line 2 of '.*' must have the field 'text'\. Got story, b\\n instead: pass fie",
        ):
            read_texts(path)
        with pytest.raises(InvalidParameterError, match=r"'story'\. Got none instead"):
            read_texts(write(tmp_path / "b.jsonl", "{}"), field="story")

    @pytest.mark.parametrize(
        ("value", "name"),
        [("1", "int"), ("null", "null"), ("NaN", "NaN"), ("[3]", "list"), ("{}", "dict")],
    )
    def test_a_field_that_is_no_string(self, tmp_path, value, name):
        path = write(tmp_path / "a.jsonl", f'"fine"\n{{"text": {value}}}\n')
        with pytest.raises(
            InvalidParameterError,
            match=rf"The field 'text' in line 2 of '.*' must be a string\. Got {name} instead: "
            + ("remove it, or write a text" if value[0] in "nN" else "write it as a string"),
        ):
            read_texts(path)

    def test_a_prompt_that_is_no_string(self, tmp_path):
        path = write(tmp_path / "a.jsonl", '{"text": "a", "prompt": ["b"]}')
        with pytest.raises(InvalidParameterError, match=r"'prompt' in line 1 .* Got list instead"):
            read_texts(path)

    @pytest.mark.parametrize(("value", "name"), [("1.5", "float"), ("true", "bool")])
    def test_an_id_that_is_no_name(self, tmp_path, value, name):
        path = write(tmp_path / "a.jsonl", f'{{"text": "a", "id": {value}}}')
        with pytest.raises(
            InvalidParameterError, match=rf"'id' in line 1 .* a string or an int\. Got {name} inst"
        ):
            read_texts(path)

    @pytest.mark.parametrize(("row", "n"), [("a,b,c", 3), ("a", 1), ("", 0)])
    def test_csv_rows_of_another_length(self, tmp_path, row, n):
        path = write(tmp_path / "a.csv", f'text,id\n"one\ntwo",1\n{row}\nthree,3\n')
        with pytest.raises(
            InvalidParameterError, match=rf"^Line 4 of .* the header, 2\. Got {n} instead: put quo"
        ):
            read_texts(path)

    @pytest.mark.parametrize(
        ("contents", "line"),
        [('text\n"one\ntwo\n', 3), ('text\n"one" two\n', 2)],
    )
    def test_text_that_is_no_csv(self, tmp_path, contents, line):
        with pytest.raises(
            InvalidParameterError,
            match=rf"^Line {line} of .* must be CSV \(.*\)\. Close the quotes",
        ):
            read_texts(write(tmp_path / "a.csv", contents))

    @pytest.mark.parametrize("header", ["story,title", "text,text"])
    def test_csv_without_one_column_of_text(self, tmp_path, header):
        with pytest.raises(
            InvalidParameterError,
            match=rf"must have one column 'text'\. Got {header.replace(',', ', ')} instead: pass",
        ):
            read_texts(write(tmp_path / "a.csv", f"{header}\na,b\n"))


class TestParquetThatIsWrong:
    def test_without_the_column(self, tmp_path):
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"story": ["a"]}), path)
        with pytest.raises(InvalidParameterError, match=r"one column 'text'\. Got story instead"):
            read_texts(path)

    @pytest.mark.parametrize(
        ("values", "name"), [(["a", None], "null"), ([b"a", b"\xff"], "bytes"), ([1, 2], "int")]
    )
    def test_with_values_that_are_no_strings(self, tmp_path, values, name):
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"text": values}), path)
        with pytest.raises(
            InvalidParameterError, match=rf"'text' in row [12] of .* a string\. Got {name} instead"
        ):
            read_texts(path)

    @pytest.mark.parametrize("keep", [1, 100, 400])
    def test_cut_short(self, tmp_path, keep):
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"text": TEXTS}), path)
        path.write_bytes(path.read_bytes()[:keep])
        with pytest.raises(
            InvalidParameterError, match=r"as a \.parquet file after row 0 \(.*\)\. It may be cut"
        ):
            read_texts(path)

    def test_without_rows(self, tmp_path):
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"text": pa.array([], pa.string())}), path)
        with pytest.raises(InvalidParameterError, match="holds no texts"):
            read_texts(path)

    def test_strings_that_are_no_utf_8(self, tmp_path):
        path = tmp_path / "a.parquet"
        damaged = pa.array([b"one", b"caf\xe9"]).view(pa.string())
        pq.write_table(pa.table({"text": damaged}), path)
        with pytest.raises(InvalidParameterError, match=r"could not be read .*utf-8"):
            read_texts(path)

    def test_without_pyarrow(self, tmp_path):
        """In a process of its own, where the import fails as it does without the package."""
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"text": TEXTS}), path)
        script = (
            "import sys; sys.modules['pyarrow'] = None\n"
            "from mauve.errors import MissingExtraError; from mauve.text.read import read_texts\n"
            "try: read_texts(sys.argv[1])\n"
            "except MissingExtraError as error: print(error)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith(f"'{path}' needs pyarrow, which is not installed: ")
        assert 'pip install "mauve-eval[parquet]"' in done.stdout
        assert issubclass(MissingExtraError, ImportError)


class TestFilesThatAreWrong:
    @pytest.mark.parametrize("suffix", [*TEXT_SUFFIXES, ".txt.gz", ""])
    def test_missing(self, tmp_path, suffix):
        with pytest.raises(
            InvalidParameterError, match=r"missing.*' must be the path of a file, .*\. No such"
        ):
            read_texts(tmp_path / f"missing{suffix}")

    @pytest.mark.parametrize("name", ["", "texts.txt"])
    def test_folders(self, tmp_path, name):
        (tmp_path / "texts.txt").mkdir()
        with pytest.raises(
            InvalidParameterError, match=r"must be a file\. It is a folder: pass a file"
        ):
            read_texts(tmp_path / name)

    @pytest.mark.parametrize("path", ["One day a text stood here. " * 300, "nul\0.txt"])
    def test_paths_that_cannot_be(self, path):
        with pytest.raises(InvalidParameterError, match="No such file was found") as caught:
            read_texts(path)
        assert len(str(caught.value)) < 400

    @pytest.mark.parametrize(
        ("name", "quoted"),
        [
            ("a.npy", r"\.npy"),
            ("a.parquet.gz", r"\.parquet\.gz"),
            ("a.gz", r"\.gz"),
            ("a.txt.zst", r"\.txt\.zst"),
            ("texts", "texts"),
        ],
    )
    def test_other_suffixes(self, tmp_path, name, quoted):
        with pytest.raises(
            InvalidParameterError,
            match=rf"must end in \.txt, \.jsonl, .* or \.parquet or \.eval\. Got '{quoted}' in",
        ):
            read_texts(write(tmp_path / name, b"anything"))

    @pytest.mark.parametrize("name", ["a.txt", "a.jsonl", "a.csv", "a.txt.gz"])
    @pytest.mark.parametrize("contents", [b"", b"\xef\xbb\xbf"])
    def test_empty(self, tmp_path, name, contents):
        with pytest.raises(InvalidParameterError, match=r"holds no texts\. It must hold at least"):
            read_texts(write(tmp_path / name, contents))

    def test_csv_of_a_header_alone(self, tmp_path):
        with pytest.raises(InvalidParameterError, match="holds no texts"):
            read_texts(write(tmp_path / "a.csv", "text\n"))

    @pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl.gz", "a.csv.gz"])
    @pytest.mark.parametrize("keep", [0.3, 0.95])
    def test_gzip_cut_short(self, tmp_path, name, keep):
        contents = as_csv(["text"], *([f'"{i}"'] for i in range(5000)))
        if name == "a.jsonl.gz":
            contents = as_json(contents.split())
        path = write(tmp_path / name, contents)
        path.write_bytes(path.read_bytes()[: int(keep * path.stat().st_size)])
        with pytest.raises(
            InvalidParameterError,
            match=rf"{name}' could not be read after line \d+ \(.*\)\. It may be cut short: write",
        ):
            read_texts(path)

    def test_gzip_that_is_none(self, tmp_path):
        path = tmp_path / "a.txt.gz"
        path.write_bytes(b"one\ntwo\n")
        with pytest.raises(InvalidParameterError, match=r"after line 0 \(Not a gzipped file"):
            read_texts(path)

    def test_gzip_damaged_in_the_middle(self, tmp_path):
        path = write(tmp_path / "a.txt.gz", "\n".join(map(str, range(5000))))
        whole = path.read_bytes()
        path.write_bytes(whole[:2000] + bytes(255 - byte for byte in whole[2000:]))
        with pytest.raises(InvalidParameterError, match=r"could not be read after line \d+"):
            read_texts(path)

    def test_names_that_would_break_the_line_are_written_out(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"two\\nlines.txt' must be the path"):
            read_texts(tmp_path / "two\nlines.txt")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems count memory otherwise")
def test_large_files_are_not_held_beside_their_texts(tmp_path):
    """Ten thousand long fields beside a short text: 300 MB of file, little to keep."""
    path = tmp_path / "a.jsonl.gz"
    line = json.dumps({"text": "x", "noise": 30_000 * "y"}) + "\n"
    with gzip.open(path, "wt", compresslevel=1) as file:
        for _ in range(10_000):
            file.write(line)
    script = (
        "import resource, sys; from mauve.text.read import read_texts\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "assert len(read_texts(sys.argv[1])) == 10_000\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 20_000  # KiB; the file is 300 MB


def test_records_in_memory_are_read_like_a_file_of_them():
    records = [{"text": "a", "prompt": "p", "id": 1, "site": "x.org"}, {"text": "b", "prompt": "q"}]
    assert read_records(records, "human") == TextFile(
        ["a", "b"], ["p", "q"], None, {"site": ["x.org", None]}
    )
    with pytest.raises(InvalidParameterError, match=r"^Position 1 of 'human' must be a JSON"):
        read_records(["a", None], "human")
