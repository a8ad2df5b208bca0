"""Tables in four formats, with names that try to be more than names."""

from html.parser import HTMLParser

import pytest

from mauve.tables import as_html, as_latex, as_markdown, as_text, latex_escaped, markdown_escaped

HOSTILE = [
    "<script>alert(1)</script>",
    "a | b\n| c",
    "\x1b[31mred\x1b[0m\x07",
    "\u202egnp.exe",
    "100% of $x_1$ & {y} #1 ~^\\",
    "\\end{tabular}\\input{/etc/passwd}",
    "[link](javascript:alert(1)) `code` *bold* ![i](x)",
    "lone \ud800 surrogate \x00",
    '"><img src=x onerror=alert(1)>',
    "&lt;b&gt; &#60;",
]


def table(name):
    return ["system", name], [[name, "0.9"], ["b", "0.85"]]


class Tags(HTMLParser):
    """Lists the tags and the text that a browser would see."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, attrs))

    def handle_data(self, data):
        self.texts.append(data)


class TestHostile:
    @pytest.mark.parametrize("name", HOSTILE)
    def test_text_has_one_line_a_row_and_nothing_that_acts(self, name):
        text = as_text(*table(name))
        assert len(text.splitlines()) == 3
        assert all(letter.isprintable() for line in text.splitlines() for letter in line)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_html_has_no_other_tags(self, name):
        page = Tags(as_html(*table(name)))
        assert {tag for tag, _ in page.tags} == {"table", "thead", "tbody", "tr", "th", "td"}
        assert all(attrs == [] for _, attrs in page.tags)
        assert len([tag for tag, _ in page.tags if tag == "td"]) == 4

    @pytest.mark.parametrize("name", ["<b>", "a & b", "&lt;b&gt;", '"quoted"'])
    def test_html_shows_the_name_as_it_is(self, name):
        assert "".join(Tags(as_html(*table(name))).texts).count(name) == 2

    @pytest.mark.parametrize("name", HOSTILE)
    def test_markdown_has_as_many_cells_as_columns(self, name):
        lines = as_markdown(*table(name)).splitlines()
        assert len(lines) == 4
        for line in lines:
            bare = line.replace("\\\\", "").replace("\\|", "")
            assert bare.count("|") == 3

    @pytest.mark.parametrize("name", HOSTILE)
    def test_markdown_escapes_all_that_marks(self, name):
        escaped = markdown_escaped(name)
        for i, letter in enumerate(escaped):
            if letter in "`*_[]<>|!":
                before = escaped[:i]
                assert (len(before) - len(before.rstrip("\\"))) % 2 == 1
        assert all(letter.isprintable() for letter in escaped)

    @pytest.mark.parametrize("name", HOSTILE)
    def test_latex_has_only_its_own_commands(self, name):
        latex = as_latex(*table(name))
        assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") == 1
        assert "\\input" not in latex
        assert latex.count(" & ") == 3
        assert latex.splitlines()[0] == r"\begin{tabular}{lr}"
        assert all(letter.isprintable() for line in latex.splitlines() for letter in line)

    def test_latex_of_each_special_letter(self):
        for letter in "&%$#_{}":
            assert latex_escaped(letter) == "\\" + letter
        assert latex_escaped("\\") == r"\textbackslash{}"
        assert latex_escaped("~^<>|") == (
            r"\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\textbar{}"
        )
        assert latex_escaped("−3.2") == "$-$3.2"  # pdfLaTeX has no letter for it


class TestLayout:
    def test_text_is_aligned(self):
        rows = [["a", "too much", "1"], ["longer", "–", "10"]]
        text = as_text(["name", "kind", "n"], rows, left=2)
        assert text.splitlines() == [
            "name    kind       n",
            "a       too much   1",
            "longer  –         10",
        ]

    def test_columns_that_are_flush_left(self):
        columns, rows = ["a", "b", "c"], [["1", "2", "3"]]
        assert as_markdown(columns, rows, left=2).splitlines()[1] == "|---|---|---:|"
        assert as_latex(columns, rows, left=2).splitlines()[0] == r"\begin{tabular}{llr}"

    def test_no_rows(self):
        assert as_text(["a", "b"], []) == "a  b"
        assert as_html(["a"], []).count("<tr>") == 1
        assert as_markdown(["a"], []).count("\n") == 1
        assert r"\bottomrule" in as_latex(["a"], [])
