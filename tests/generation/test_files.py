"""The file of one setting: what is in it after kills, full disks and damage."""

import json
import multiprocessing
import os
import resource
import signal

import pytest

from mauve.errors import InvalidParameterError, OutputError
from mauve.generation.files import SampleFile, WrittenText, check_prompts, read_sample

SETTINGS = {"model": "m@1", "decoder": "ancestral", "seed": 0, "max_tokens": 5, "min_tokens": 0}


def text(position, words=" of words."):
    return WrittenText(position, f"id{position}", f"prompt {position}", words, 2, True)


def write(path, positions, **changes):
    with SampleFile(path, SETTINGS | changes, {"model": "m"}) as file:
        for position in positions:
            file.add(text(position))
    return file


def test_texts_are_read_by_position_with_labels_and_settings(tmp_path):
    path = tmp_path / "deep" / "seed-0.jsonl"
    write(path, [2, 0])
    write(path, [1])
    assert read_sample(path) == [text(0), text(1), text(2)]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["position"] for line in lines] == [2, 0, 1]
    assert {line["model"] for line in lines} == {"m"}
    assert json.loads(path.with_suffix(".json").read_bytes())["settings"] == SETTINGS


def test_any_text_survives(tmp_path):
    odd = 'two\nlines "quoted" \x00\u2028\ud800 🐈\r'
    path = tmp_path / "seed-0.jsonl"
    with SampleFile(path, SETTINGS) as file:
        file.add(text(0, odd))
    assert read_sample(path)[0].text == odd
    assert len(path.read_bytes().splitlines()) == 1


@pytest.mark.parametrize("end", [b'{"position": 2, "id"', b"\x00" * 40, b"{}"])
def test_a_last_line_in_part_is_removed(tmp_path, end):
    path = tmp_path / "seed-0.jsonl"
    write(path, [0, 1])
    whole = path.read_bytes()
    path.write_bytes(whole + end)
    assert read_sample(path) == [text(0), text(1)]
    with SampleFile(path, SETTINGS) as file:
        assert [*file.texts] == [0, 1]
        assert path.read_bytes() == whole
        file.add(text(2))
    assert read_sample(path) == [text(0), text(1), text(2)]


def test_a_second_opening_changes_nothing(tmp_path):
    path = tmp_path / "seed-0.jsonl"
    write(path, [0])
    before = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    write(path, [])
    assert before == {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}


def test_nothing_is_left_where_nothing_was_written(tmp_path):
    write(tmp_path / "seed-0.jsonl", [])
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"max_tokens": 9}, "another max tokens: '5', and '9' is asked for"),
        ({"model": "m@2"}, "another model: 'm@1', and 'm@2' is asked for"),
        ({"decoder": "greedy"}, "another decoder: 'ancestral', and 'greedy' is asked for"),
    ],
)
def test_other_settings_are_refused(tmp_path, changes, message):
    path = tmp_path / "seed-0.jsonl"
    write(path, [0])
    before = path.read_bytes()
    with pytest.raises(InvalidParameterError, match=message):
        write(path, [1], **changes)
    assert path.read_bytes() == before


def test_texts_without_their_settings_are_refused(tmp_path):
    path = tmp_path / "seed-0.jsonl"
    write(path, [0])
    path.with_suffix(".json").write_text("{")
    with pytest.raises(InvalidParameterError, match="must have its settings beside it"):
        write(path, [1])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"no json\n", "Line 2 of .* must be a text that was generated"),
        (b'{"position": "1"}\n', "Line 2 of .* must be a text that was generated"),
        (json.dumps({**vars(text(1)), "ended": 1}).encode() + b"\n", "Line 2 of"),
        (json.dumps(vars(text(0))).encode() + b"\n", "Line 2 has another text of position 0"),
    ],
)
def test_damage_is_named(tmp_path, line, message):
    path = tmp_path / "seed-0.jsonl"
    write(path, [0])
    with path.open("ab") as file:
        file.write(line)
    with pytest.raises(InvalidParameterError, match=message):
        read_sample(path)
    with pytest.raises(InvalidParameterError, match=message):
        write(path, [1])


def test_other_prompts_are_refused():
    texts = {1: text(1)}
    check_prompts("seed-0.jsonl", texts, ["id0", "id1"], ["prompt 0", "prompt 1"])
    check_prompts("seed-0.jsonl", texts, ["id0"], ["prompt 0"])  # fewer are asked for
    with pytest.raises(InvalidParameterError, match="at position 1 it continues 'prompt 1', and"):
        check_prompts("seed-0.jsonl", texts, ["id0", "id1"], ["prompt 0", "prompt 2"])
    with pytest.raises(InvalidParameterError, match="texts of other prompts"):
        check_prompts("seed-0.jsonl", texts, ["id1", "id0"], ["prompt 0", "prompt 1"])


def test_two_writers_of_one_file(tmp_path):
    path = tmp_path / "seed-0.jsonl"
    with SampleFile(path, SETTINGS) as file:
        file.add(text(0))
        with pytest.raises(OutputError, match=r"seed-0.jsonl' is being written by another process"):
            write(path, [1])
        assert read_sample(path) == [text(0)]  # reading needs no lock
    write(path, [1])
    assert len(read_sample(path)) == 2


def test_a_missing_file_and_a_folder_that_cannot_be_made(tmp_path):
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        read_sample(tmp_path / "none.jsonl")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be written"):
        write(tmp_path / "file" / "seed-0.jsonl", [0])


def _fill_disk(path, limit):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    with pytest.raises(OutputError, match=r"cannot be written \(File too large\)"):
        write(path, range(100))
    os._exit(7)


def test_a_full_disk_leaves_whole_lines(tmp_path):
    path = tmp_path / "seed-0.jsonl"
    process = multiprocessing.get_context("spawn").Process(target=_fill_disk, args=(path, 1000))
    process.start()
    process.join(60)
    assert process.exitcode == 7
    content = path.read_bytes()
    assert content.endswith(b"\n")
    n = len(read_sample(path))
    assert 0 < n < 100
    write(path, range(n, 100))
    assert read_sample(path) == [text(i) for i in range(100)]
