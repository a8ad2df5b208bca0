"""News articles have title and metadata as their prompt."""

import json

import pytest

from mauve.errors import InvalidParameterError
from mauve.generation.news import NewsFields, news_prompt
from mauve.generation.sources import source_records

# The fields that RealNews, and the published texts of Grover, have.
ARTICLE = {
    "title": "Town floods again",
    "text": "The river rose on Monday.\n\nNobody was hurt.",
    "summary": None,
    "authors": ["Ann Li", "Bo Ek"],
    "publish_date": "04-01-2019",
    "status": "success",
    "url": "https://news.example.com/a",
    "domain": "example.com",
    "split": "test",
    "inst_index": 7,
}


def read(tmp_path, *rows):
    path = tmp_path / "news.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return [*source_records(path, NewsFields)]


class TestRecords:
    def test_of_realnews(self, tmp_path):
        [record] = read(tmp_path, ARTICLE)
        assert record.prompt == "example.com\n04-01-2019\nBy Ann Li, Bo Ek\n\nTown floods again\n\n"
        assert record.text == ARTICLE["text"]
        assert record.id == ARTICLE["url"]
        assert record.metadata["domain"] == "example.com"

    def test_of_grover(self, tmp_path):
        article = {k: v for k, v in ARTICLE.items() if k not in ("text", "publish_date")}
        [record] = read(tmp_path, article | {"article": "The river.", "date": "April 6, 2019"})
        assert record.text == "The river."
        assert record.prompt.splitlines()[1] == "April 6, 2019"

    def test_an_id_comes_before_the_address(self, tmp_path):
        assert read(tmp_path, ARTICLE | {"id": 5})[0].id == "5"

    def test_a_prompt_of_its_own_is_kept(self, tmp_path):
        assert read(tmp_path, {"text": "a", "prompt": "Write: "})[0].prompt == "Write: "

    def test_without_a_title(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"Line 2 of .* title of an arti.* text,"):
            read(tmp_path, ARTICLE, {"text": "a", "domain": "example.com"})

    def test_without_a_text(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"must have the field 'text'"):
            read(tmp_path, {"title": "a"})

    def test_split(self, tmp_path):
        read(tmp_path, ARTICLE, ARTICLE | {"split": "train", "title": "Other"})
        [record] = source_records(f"{tmp_path}/news.jsonl?split=train", NewsFields)
        assert record.prompt.endswith("Other\n\n")


class TestPrompt:
    def test_missing_parts_are_left_out(self):
        assert news_prompt({"title": " Rain \n again", "authors": [], "domain": ""}) == (
            "Rain again\n\n"
        )
        assert news_prompt({"headline": "Rain", "author": "Ann Li"}) == "By Ann Li\n\nRain\n\n"

    @pytest.mark.parametrize("title", [None, "", "  ", True, {"a": 1}])
    def test_no_title(self, title):
        assert news_prompt({"title": title, "domain": "example.com"}) is None
