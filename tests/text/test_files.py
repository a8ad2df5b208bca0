"""Files of text: their kind, compression and encoding, pipes, and paths that are none."""

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mauve.errors import InvalidParameterError
from mauve.text.files import check_path, is_stream, text_kind
from mauve.text.read import read_texts


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.txt", ".txt"),
        ("a.v1.TSV.XZ", ".tsv"),
        ("a.json.bz2", ".json"),
        ("a.ndjson.gz", ".ndjson"),
        ("a.parquet", ".parquet"),
        ("a.parquet.gz", None),
        ("a.txt.zst", None),
        ("a.gz", None),
        ("txt", None),
        (".gz", None),
        ("-", "stream"),
        ("/dev/null", "stream"),
        ("/dev", None),
    ],
)
def test_kinds(name, kind):
    assert text_kind(name) == kind


@pytest.mark.parametrize(
    ("suffix", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed(tmp_path, suffix, pack):
    path = tmp_path / f"a.jsonl{suffix}"
    whole = pack(b"".join(b'{"text": "%d"}\n' % i for i in range(5000)))
    path.write_bytes(whole)
    assert read_texts(path).texts == [str(i) for i in range(5000)]
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidParameterError, match=r"could not be read after line .* cut short"):
        read_texts(path)


class TestPipes:
    @pytest.fixture
    def fifo(self, tmp_path):
        """Return a function that sends bytes through a named pipe and reads it as texts."""
        path = tmp_path / "pipe"
        os.mkfifo(path)

        def send(contents: bytes):
            writer = threading.Thread(target=path.write_bytes, args=(contents,))
            writer.start()
            try:
                return read_texts(path).texts
            finally:
                writer.join()

        return send

    @pytest.mark.parametrize(
        "contents",
        [
            b"one\ntwo\n",
            b'{"text": "one"}\n{"text": "two"}\n\n',
            b'["one",\n "two"]\n',
            b'{\n "data": [{"text": "one"}, {"text": "two"}]\n}\n',
            gzip.compress(b"one\ntwo\n", mtime=0),  # the time would change the name of the test
        ],
    )
    def test_named_pipes_are_read_by_their_contents(self, fifo, contents):
        assert fifo(contents) == ["one", "two"]

    def test_a_text_may_start_with_a_bracket(self, fifo):
        assert fifo(b"[Laughs.]\n[Leaves.]\n") == ["[Laughs.]", "[Leaves.]"]

    def test_an_object_that_is_none_is_named(self, fifo):
        with pytest.raises(InvalidParameterError, match=r"Line 1 of '.*pipe' must be a JSON obje"):
            fifo(b"{one}\n")

    @pytest.mark.slow
    @pytest.mark.skipif(not os.path.exists("/bin/bash"), reason="needs bash")
    def test_process_substitution(self):
        program = "import sys, mauve.text.read as r; print(r.read_texts(sys.argv[1]).texts)"
        done = subprocess.run(
            ["/bin/bash", "-c", f"{sys.executable} -c '{program}' <(printf 'one\\ntwo\\n')"],
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("['one', 'two']\n", "")

    def test_a_descriptor_of_a_file(self, tmp_path):
        path = tmp_path / "texts"
        path.write_bytes(b'"one"\n"two"\n')
        with path.open("rb") as file:
            name = f"/dev/fd/{file.fileno()}"
            assert is_stream(name)
            assert read_texts(name).texts == ["one", "two"]
        assert not is_stream(path)


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-16-le"])
    @pytest.mark.parametrize("suffix", [".txt", ".csv", ".jsonl", ".json"])
    def test_utf_16(self, tmp_path, encoding, suffix):
        path = tmp_path / f"a{suffix}"
        path.write_bytes("text\none\n".encode(encoding))
        with pytest.raises(InvalidParameterError, match=r"UTF-8.* UTF-16|UTF-8 if it is UTF-16"):
            read_texts(path)

    @pytest.mark.parametrize("suffix", [".txt", ".csv"])
    def test_nul_bytes_are_named(self, tmp_path, suffix):
        path = tmp_path / f"a{suffix}"
        path.write_bytes(b"text\nab\0c\n")
        with pytest.raises(InvalidParameterError, match=r"^Line 2 of .* Got a NUL, byte 3 of the"):
            read_texts(path)

    def test_gzip_without_its_suffix(self, tmp_path):
        (tmp_path / "a.txt").write_bytes(gzip.compress(b"one\ntwo\n"))
        with pytest.raises(InvalidParameterError, match=r"compressed with gzip: name it with \.gz"):
            read_texts(tmp_path / "a.txt")

    def test_an_escaped_nul_is_a_character(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text(json.dumps("a\0b"))
        assert read_texts(path).texts == ["a\0b"]

    @pytest.mark.parametrize("suffix", [".txt", ".csv", ".tsv", ".jsonl", ".json"])
    def test_windows_files(self, tmp_path, suffix):
        lines = {".jsonl": ['"one"', '"two"'], ".json": ['["one",', '"two"]']}
        plain = ["one", "two"] if suffix == ".txt" else ["text", "one", "two"]
        contents = "\r\n".join(lines.get(suffix, plain)) + "\r\n\r\n"
        path = tmp_path / f"a{suffix}"
        path.write_bytes(b"\xef\xbb\xbf" + contents.encode())
        assert read_texts(path).texts == ["one", "two"]


class TestPaths:
    def test_a_folder_names_a_file_in_it(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"folder: pass a file for each sample\.$"):
            check_path(tmp_path)
        (tmp_path / "b.jsonl").touch()
        (tmp_path / "a.pdf").touch()
        with pytest.raises(InvalidParameterError, match=r"folder: .* such as .*b\.jsonl\.$"):
            check_path(tmp_path)

    @pytest.mark.parametrize("path", ["https://a.org/b.jsonl", Path("hf://a/b.parquet")])
    def test_addresses(self, path):
        with pytest.raises(InvalidParameterError, match=r"^'\w+://a.* Got an address instead"):
            check_path(path)

    def test_a_text_is_no_path(self):
        with pytest.raises(InvalidParameterError, match=r"^'Once upon' must be .* a list of texts"):
            check_path("Once upon")
