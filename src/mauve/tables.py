"""Write tables as plain text, Markdown, LaTeX or HTML, with all text escaped."""

# Why not the package tabulate: it leaves Markdown unescaped, strips spaces at the ends of cells,
# and pads cells of Markdown and HTML. Only the plain text would come from it.

import csv
import html
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mauve.escape import escaped

Row = Sequence[str]  # one cell for each column


def as_text(columns: Row, rows: Sequence[Row], *, left: int = 1) -> str:
    """Return a table in plain text.

    Parameters
    ----------
    columns : sequence of str
        Titles.
    rows : sequence of sequence of str
    left : int
        Number of columns, from the first, that are left-aligned; the others are right-aligned.

    Examples
    --------
    >>> print(as_text(["system", "MAUVE"], [["a", "0.9"], ["longer", "0.85"]]))
    system  MAUVE
    a         0.9
    longer   0.85
    """
    lines = [list(map(escaped, line)) for line in (columns, *rows)]
    widths = [max(cell_width(line[i]) for line in lines) for i in range(len(columns))]

    def padded(cell: str, column: int) -> str:
        spaces = " " * (widths[column] - cell_width(cell))
        return cell + spaces if column < left else spaces + cell

    return "\n".join(
        "  ".join(padded(cell, i) for i, cell in enumerate(line)).rstrip() for line in lines
    )


def cell_width(text: str) -> int:
    r"""Return how many columns of a terminal the widest line of a text takes.

    Examples
    --------
    >>> cell_width("text"), cell_width("文本"), cell_width("two\nlines")
    (4, 4, 5)
    """
    if text.isascii():
        return max(map(len, text.split("\n")))
    from rich.cells import cell_len  # here, so that import mauve stays quick

    return max(map(cell_len, text.split("\n")))


def fitting_columns(
    width: int,
    names: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    *,
    widest_name: int | None = None,
) -> Iterator[list[str]]:
    """Yield the titles of as many columns at a time as fit the width, at least one.

    Parameters
    ----------
    width : int
        Columns of the terminal.
    names : sequence of str
        First cell of each row, which all tables have.
    columns : mapping from str to sequence of str
        Cells by title.
    widest_name : int, optional
        Width at which longer names are folded; by default none is.

    Examples
    --------
    >>> columns = {"a": ["0.12", "0.34"], "b": ["0.1"], "c": ["0.1234"]}
    >>> list(fitting_columns(20, ["human", "model"], columns))
    [['a', 'b'], ['c']]
    """
    name_width = max(cell_width(escaped(name)) for name in names)
    if widest_name is not None:
        name_width = min(name_width, widest_name)
    titles: list[str] = []
    used = name_width
    for title, column in columns.items():
        column_width = 2 + max(cell_width(title), *map(cell_width, column))
        if titles and used + column_width > width:
            yield titles
            titles, used = [], name_width
        titles.append(title)
        used += column_width
    yield titles


def with_warnings(text: str, warnings: Sequence[str]) -> str:
    r"""Return a text with a line for each warning below it.

    Examples
    --------
    >>> print(with_warnings("MAUVE 0.9", ["'a' has 20 texts\nonly."]))
    MAUVE 0.9
    warning: 'a' has 20 texts\nonly.
    """
    return "\n".join([text, *(f"warning: {escaped(message)}" for message in warnings)])


def as_markdown(columns: Row, rows: Sequence[Row], *, left: int = 1) -> str:
    r"""Return a table in Markdown.

    Examples
    --------
    >>> print(as_markdown(["system", "MAUVE"], [["a|b", "0.9"]]))
    | system | MAUVE |
    |---|---:|
    | a\|b | 0.9 |
    """
    rule = "|".join("---" if i < left else "---:" for i in range(len(columns)))
    lines = ["| " + " | ".join(map(markdown_escaped, line)) + " |" for line in (columns, *rows)]
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def as_latex(columns: Row, rows: Sequence[Row], *, left: int = 1) -> str:
    r"""Return a LaTeX ``tabular`` with the rules of the package booktabs.

    Examples
    --------
    >>> print(as_latex(["system", "MAUVE"], [["top_k", "0.9"]]))
    \begin{tabular}{lr}
    \toprule
    \textbf{system} & \textbf{MAUVE} \\
    \midrule
    top\_k & 0.9 \\
    \bottomrule
    \end{tabular}
    """
    titles = [rf"\textbf{{{latex_escaped(title)}}}" for title in columns]
    body = [" & ".join(map(latex_escaped, row)) + r" \\" for row in rows]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * left}{'r' * (len(columns) - left)}}}",
            r"\toprule",
            " & ".join(titles) + r" \\",
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def as_html(columns: Row, rows: Sequence[Row]) -> str:
    """Return an HTML table.

    Examples
    --------
    >>> as_html(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """

    def line(cells: Row, tag: str) -> str:
        inner = "".join(f"<{tag}>{html.escape(escaped(cell))}</{tag}>" for cell in cells)
        return f"<tr>{inner}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(columns, 'th')}</thead><tbody>{body}</tbody></table>"


def warnings_as_html(warnings: Sequence[str]) -> str:
    """Return warnings as an HTML list; nothing if there are none.

    Examples
    --------
    >>> warnings_as_html(["n < 100"])
    '<ul><li>warning: n &lt; 100</li></ul>'
    """
    items = "".join(f"<li>warning: {html.escape(escaped(message))}</li>" for message in warnings)
    return f"<ul>{items}</ul>" if items else ""


def titles_and_cells(rows: Sequence[Mapping[str, str]]) -> tuple[list[str], list[list[str]]]:
    """Return the titles and the cells of rows that map titles to cells.

    Examples
    --------
    >>> titles_and_cells([{"system": "a", "MAUVE": "0.9"}])
    (['system', 'MAUVE'], [['a', '0.9']])
    """
    return list(rows[0]), [list(row.values()) for row in rows]


def as_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """Return records with the same keys as CSV with a header; None is an empty field.

    Examples
    --------
    >>> print(as_csv([{"system": "=a", "score": 0.9, "is_best": True}]), end="")
    system,score,is_best
    '=a,0.9,1
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(records[0])
    for record in records:
        writer.writerow(map(_field, record.values()))
    return out.getvalue()


def _field(value: Any) -> Any:
    if isinstance(value, str):
        return csv_escaped(value)
    return int(value) if isinstance(value, bool) else value


def csv_escaped(name: str) -> str:
    """Return a name that is safe in a terminal and is no formula in a spreadsheet.

    Examples
    --------
    >>> csv_escaped("=1+1")
    "'=1+1"
    """
    safe = escaped(name)
    return f"'{safe}" if safe.startswith(("=", "+", "-", "@")) else safe


def markdown_escaped(text: str) -> str:
    r"""Escape text for Markdown, on one line.

    Examples
    --------
    >>> print(markdown_escaped("top_k | <b> *"))
    top\_k \| \<b\> \*
    """
    special = "\\`*_{}[]<>#|~&!"
    return "".join(f"\\{letter}" if letter in special else letter for letter in escaped(text))


def latex_escaped(text: str) -> str:
    r"""Escape text for LaTeX, on one line.

    Examples
    --------
    >>> print(latex_escaped("100% of top_k & ~\\x"))
    100\% of top\_k \& \textasciitilde{}\textbackslash{}x
    """
    special = {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
        "ε": r"$\varepsilon$", "²": "$^2$", "−": "$-$",
        "[": "{[}", "]": "{]}", "*": "{*}",  # after \\, LaTeX would read them as its argument
        "`": r"\textasciigrave{}",
        **{mark: "\\" + mark for mark in "&%$#_{}"},
    }  # fmt: skip
    latex = "".join(special.get(letter, letter) for letter in escaped(text))
    return latex.replace("--", "-{}-").replace("--", "-{}-")  # keep hyphens from joining to dashes
