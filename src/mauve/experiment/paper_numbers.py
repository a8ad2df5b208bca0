"""The numbers that the paper printed: measures, human scores and correlations, by table."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from mauve.errors import bad_parameter


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Attributes
    ----------
    number : int
        Its number in the paper with its appendix.
    columns : tuple of str
    rows : dict from str to dict from str to float
        Values by setting and column.
    human : dict from str to float
        The values of human text, of statistics.
    """

    number: int
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, float]]
    human: Mapping[str, float] = field(default_factory=dict)

    def quality(self, column: str) -> dict[str, float]:
        """Return the values of a column, turned so that higher is better.

        A statistic T, which has a value for human text, becomes -|T(Q) - T(P)|, as in the
        paper's main part; the accuracy of a discriminator its negative.

        Examples
        --------
        >>> round(paper_table("webtext").quality("perplexity")["small, greedy"], 3)
        -11.378
        """
        if column not in self.columns:
            raise bad_parameter("column", f"one of {', '.join(self.columns)}", column)
        values = {name: row[column] for name, row in self.rows.items()}
        if column in self.human:
            return {name: -abs(value - self.human[column]) for name, value in values.items()}
        return {name: -value for name, value in values.items()} if column == "accuracy" else values


def paper_table(name: str) -> PaperTable:
    """Return a table of the paper.

    Parameters
    ----------
    name : {"webtext", "news", "stories", "webtext-lm", "embedders", "bradley-terry", \
"correlations", "questions"}

    Examples
    --------
    >>> table = paper_table("bradley-terry")
    >>> table.number, table.rows["human"]["human-like"]
    (13, 47.251)
    """
    tables = _tables()
    if name not in tables:
        raise bad_parameter("name", f"one of {', '.join(tables)}", name)
    return tables[name]


@cache
def _tables() -> dict[str, PaperTable]:
    parsed = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {
        name: PaperTable(
            table["number"],
            tuple(table["columns"]),
            {
                setting: dict(zip(table["columns"], values, strict=True))
                for setting, values in table["rows"].items()
            },
            table.get("human", {}),
        )
        for name, table in parsed["tables"].items()
    }
