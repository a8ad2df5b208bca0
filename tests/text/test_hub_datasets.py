"""Hugging Face datasets are read from folders, and errors of the library become one sentence."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"  # read when the library is imported

import json

import datasets
import pytest

from mauve.errors import InvalidParameterError
from mauve.generation.sources import source_records

ROWS = [{"story": f"Story {i}.", "topic": "rain", "n": i} for i in range(5)]


@pytest.fixture
def folder(tmp_path):
    for name, rows in {"train": ROWS, "test": ROWS[:2]}.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines, "utf-8")
    return tmp_path


def texts(source):
    return [record.text for record in source_records(source)]


class TestFolder:
    def test_of_data_files(self, folder):
        source = f"hf:{folder}?split=train&field=story"
        assert texts(source) == [row["story"] for row in ROWS]
        first = next(iter(source_records(source)))
        assert first.metadata == {"topic": "rain", "n": 0}

    def test_part_of_it(self, folder):
        assert texts(f"hf:{folder}?split=train&field=story&take=2") == ["Story 0.", "Story 1."]

    @pytest.mark.parametrize("split", ["", "&split=other"])
    def test_its_splits_are_listed(self, folder, split):
        got = "'other'" if split else "none"
        match = rf"must be read with one of its splits, train, test\. Got {got} instead: name one"
        with pytest.raises(InvalidParameterError, match=match):
            texts(f"hf:{folder}?field=story{split}")

    def test_of_one_split(self, folder):
        (folder / "test.jsonl").unlink()
        assert len(texts(f"hf:{folder}?field=story")) == 5

    def test_missing_field(self, folder):
        with pytest.raises(InvalidParameterError, match=r"Row 1 of 'hf:.*Got story, topic, n inst"):
            texts(f"hf:{folder}?split=test")

    def test_that_was_saved(self, tmp_path):
        rows = datasets.Dataset.from_list(ROWS)
        rows.save_to_disk(tmp_path / "one")
        datasets.DatasetDict({"a": rows, "b": rows}).save_to_disk(tmp_path / "two")
        assert len(texts(f"hf:{tmp_path}/one?field=story")) == 5
        assert len(texts(f"hf:{tmp_path}/two?field=story&split=b")) == 5
        with pytest.raises(InvalidParameterError, match="one of its splits, a, b"):
            texts(f"hf:{tmp_path}/two?field=story")

    def test_with_a_damaged_file(self, folder):
        with (folder / "test.jsonl").open("a") as file:
            file.write("{not json\n")
        with pytest.raises(InvalidParameterError, match=r"'hf:.*' could not be read"):
            texts(f"hf:{folder}?split=test&field=story")


class TestErrors:
    def test_offline(self):
        match = r"^'hf:some/data' could not be read .*: the hub cannot be reached, or \$HF_HUB_OFF"
        with pytest.raises(InvalidParameterError, match=match):
            texts("hf:some/data?split=test")

    def test_no_such_folder(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"could not be read .*: name a dataset of"):
            texts(f"hf:{tmp_path}/none?split=test")

    def test_configuration(self, folder):
        with pytest.raises(InvalidParameterError, match=r"\(BuilderConfig 'x' not found.*config="):
            texts(f"hf:{folder}?config=x")
