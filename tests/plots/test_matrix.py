"""The heat map: every score in its cell, alike samples beside each other, human text marked."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mauve.comparison.matrix_results import Matrix, MatrixScore
from mauve.plots.axes import HUMAN
from mauve.plots.matrix import plot_matrix


def made(n):
    names = ("human", *(f"s{i}" for i in range(1, n)))
    rng = np.random.default_rng(n)
    scores = {
        pair: MatrixScore(float(score), (0.0, 1.0))
        for pair, score in zip(
            itertools.combinations(names, 2), rng.random(n * (n - 1) // 2), strict=True
        )
    }
    return Matrix(names, "human", scores, (0.98, 0.99), 10, 0.95, {}, "")


def test_cells_hold_the_scores_in_the_order_of_the_tree():
    matrix = made(4)
    ax = plot_matrix(matrix)
    order = matrix.order()
    assert [label.get_text() for label in ax.get_yticklabels()] == [*order]
    shown = {(text.get_position()[1], text.get_position()[0]): text.get_text() for text in ax.texts}
    for (i, first), (j, second) in itertools.product(enumerate(order), repeat=2):
        if first != second:
            assert shown[i, j] == f"{matrix[first, second].mauve:.3f}"
    human = order.index("human")
    assert shown[human, human] == "0.985"
    colours = [label.get_color() for label in ax.get_xticklabels()]
    assert [colour == HUMAN for colour in colours] == [name == "human" for name in order]
    (tree,) = ax.child_axes
    assert len(tree.lines) == 3


@pytest.mark.parametrize("n", [2, 5, 20])
def test_all_of_it_stands_within_the_figure(n):
    long = made(n)
    names = (long.human_name, *(f"a system of the name {name}" for name in long.names[1:]))
    renamed = dict(zip(long.names, names, strict=True))
    scores = {(renamed[a], renamed[b]): score for (a, b), score in long.scores.items()}
    figure = plot_matrix(replace(long, names=names, scores=scores)).figure
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert min(box.x0, box.y0) > 0.05
    assert box.x1 < width - 0.05
    assert box.y1 < height - 0.05


@pytest.mark.parametrize("n", [2, 31])
def test_few_and_many_samples(n):
    ax = plot_matrix(made(n))
    assert len(ax.texts) == (4 if n == 2 else n)  # of many, the diagonal alone
    assert ("from 0, white, to 1, dark" in ax.get_xlabel()) == (n > 2)
    ax.figure.canvas.draw()


def test_it_draws_into_given_axes():
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert plot_matrix(made(3), ax) is ax
    assert made(3).plot(ax) is ax


def test_names_that_begin_alike_keep_their_ends():
    matrix = made(3)
    names = ("human", *(f"a-model-of-a-rather-long-name@temperature={t}" for t in (0.7, 1.0)))
    renamed = dict(zip(matrix.names, names, strict=True))
    scores = {(renamed[a], renamed[b]): score for (a, b), score in matrix.scores.items()}
    ax = plot_matrix(replace(matrix, names=names, scores=scores))
    shown = {label.get_text() for label in ax.get_yticklabels()}
    assert {name[-3:] for name in shown} == {"man", "0.7", "1.0"}
    assert max(map(len, shown)) <= 32
