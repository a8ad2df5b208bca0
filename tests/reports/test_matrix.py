"""The page of a matrix: all scores and sentences, names escaped, the same for the same input."""

import itertools
import re

import pytest
from hostile import EVIL, SCRIPT

from mauve.comparison.matrix_results import Matrix, MatrixScore
from mauve.errors import InvalidParameterError
from mauve.reports.matrix import write_matrix


def made(names, spread=(0.98, 0.99)):
    names = ("human", *names)
    pairs = itertools.combinations(names, 2)
    scores = {pair: MatrixScore(0.9 - 0.1 * i, (0.05, 0.95)) for i, pair in enumerate(pairs)}
    sizes = dict.fromkeys(names, 1200)
    return Matrix(names, "human", scores, spread, 10, 0.9, sizes, "k:10|c:5", ("Beware <of> it.",))


def test_scores_intervals_sentences_and_signature_stand_on_it(tmp_path):
    matrix = made(["a", "b"])
    write_matrix(matrix, tmp_path / "m.html", title="Alike?")
    page = (tmp_path / "m.html").read_text()
    assert "<h1>Alike?</h1>" in page
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", page)
    for pair in matrix:
        assert f"{matrix[pair].mauve:.3f}" in cells
    assert cells.count("0.050 to 0.950") == 3
    assert "90% interval" in page
    assert cells.count("1,200") == 3
    assert "0.985" in cells
    assert "Beware &lt;of&gt; it." in page
    assert "k:10|c:5" in page
    assert page.count('<svg class="picture"') == 1
    assert "<image" not in page  # shapes, which stay sharp
    write_matrix(matrix, tmp_path / "again.html", title="Alike?")
    assert (tmp_path / "again.html").read_text() == page


def test_names_are_escaped_and_one_system_is_one(tmp_path):
    write_matrix(made([EVIL], spread=()), tmp_path / "m.html")
    page = (tmp_path / "m.html").read_text()
    assert "1 system and human text" in page
    assert SCRIPT not in page
    assert "\u202e" not in page
    assert "human spread" not in page


def test_what_is_no_page(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"ends in \.html"):
        write_matrix(made(["a"]), tmp_path / "m.txt")
