"""Read news articles, of RealNews and Grover among others, with title and metadata as prompt."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from mauve.errors import InvalidParameterError
from mauve.escape import listed
from mauve.text.fields import Fields, Record, field_names

#: Names of the fields in RealNews, in the published texts of Grover, and in other collections.
_BODIES = ("text", "article", "body", "content")
_PARTS = {
    "domain": ("domain",),
    "date": ("date", "publish_date"),
    "authors": ("authors", "author"),
    "title": ("title", "headline"),
}


@dataclass(frozen=True)
class NewsFields(Fields):
    r"""The fields of a news article: its body, and the prompt made of its metadata.

    Examples
    --------
    >>> article = {"title": "Rain", "article": "It rained.", "url": "a.org/1"}
    >>> record = NewsFields("'news.jsonl'").record(article, "Line 1")
    >>> record.prompt, record.text, record.id
    ('Rain\n\n', 'It rained.', 'a.org/1')
    """

    reads_logs: ClassVar[bool] = False

    def record(self, values: Mapping[str, Any], where: str) -> Record:
        """Return body, prompt, id and metadata of an article, or raise if it has no title."""
        names = [name for name in _BODIES if name in values]
        fields = self
        if self.text == "text" and self.text not in values and names:
            fields = replace(self, text=names[0])
        taken = super(NewsFields, fields).record(values, where)
        prompt = taken.prompt or news_prompt(values)
        if prompt is None:
            raise InvalidParameterError(
                f"{where} of {self.file} must have the title of an article: the field "
                f"{listed(_PARTS['title'])}. Got {listed([*field_names(values)])} instead: rename "
                "a field, or use another task."
            )
        url = values.get("url")
        id_ = taken.id if taken.id is not None or not isinstance(url, str) else url
        return taken._replace(prompt=prompt, id=id_)


def news_prompt(values: Mapping[str, Any]) -> str | None:
    r"""Return the prompt of an article in the order in which Grover reads it; None without title.

    Domain, date and authors have a line each, as they are written in the source; those that
    are missing are left out. Title and body follow, each after an empty line.

    Examples
    --------
    >>> article = {"title": "Rain", "domain": "a.org", "authors": ["Ann Li", "Bo Ek"]}
    >>> news_prompt(article | {"publish_date": "04-01-2019"})
    'a.org\n04-01-2019\nBy Ann Li, Bo Ek\n\nRain\n\n'
    >>> news_prompt({"title": ""}) is None
    True
    """
    parts = {
        part: next((text for name in names if (text := _line(values.get(name)))), "")
        for part, names in _PARTS.items()
    }
    if not parts["title"]:
        return None
    byline = f"By {parts['authors']}" if parts["authors"] else ""
    head = [line for line in (parts["domain"], parts["date"], byline) if line]
    return "\n".join([*head, "", ""] if head else []) + parts["title"] + "\n\n"


def _line(value: Any) -> str:
    """Return a value as one line: a string, a number of a year, or a list of names."""
    if isinstance(value, list | tuple):
        return ", ".join(line for item in value if (line := _line(item)))
    is_text = isinstance(value, str | int) and not isinstance(value, bool)
    return " ".join(str(value).split()) if is_text else ""
