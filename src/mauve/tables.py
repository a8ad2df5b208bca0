"""Write tables as plain text, Markdown, LaTeX or HTML, with all text escaped."""

# Why not the package tabulate: it leaves Markdown unescaped, strips spaces at the ends of cells,
# and pads cells of Markdown and HTML. Only the plain text would come from it.

import html
from collections.abc import Mapping, Sequence

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
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


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


def titles_and_cells(rows: Sequence[Mapping[str, str]]) -> tuple[list[str], list[list[str]]]:
    """Return the titles and the cells of rows that map titles to cells.

    Examples
    --------
    >>> titles_and_cells([{"system": "a", "MAUVE": "0.9"}])
    (['system', 'MAUVE'], [['a', '0.9']])
    """
    return list(rows[0]), [list(row.values()) for row in rows]


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
        "ε": r"$\varepsilon$", "²": "$^2$",
        "[": "{[}", "]": "{]}", "*": "{*}",  # after \\, LaTeX would read them as its argument
        "`": r"\textasciigrave{}",
        **{mark: "\\" + mark for mark in "&%$#_{}"},
    }  # fmt: skip
    latex = "".join(special.get(letter, letter) for letter in escaped(text))
    return latex.replace("--", "-{}-").replace("--", "-{}-")  # keep hyphens from joining to dashes
