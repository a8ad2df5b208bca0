"""Explanations at the terminal."""

import pytest

from mauve.cli.excerpts import excerpt
from mauve.cli.render_explanation import measures_line
from mauve.explanation.findings import ClusterMeasure


def test_measures_of_samples_that_have_texts():
    words, loops = ClusterMeasure("words", None, 36.4), ClusterMeasure("repetition", None, 0.0)
    perplexity = ClusterMeasure("perplexity", None, None)  # of empty texts
    assert measures_line([words, loops, perplexity], (0, 30)) == "36 words (model); perplexity –"
    words, loops = ClusterMeasure("words", 40.0, 30.0), ClusterMeasure("repetition", 0.0, 0.5)
    assert measures_line([words, loops], (40, 30)) == (
        "40 and 30 words (human and model); 0 of 40 and 50.0% end in a loop"
    )


@pytest.mark.parametrize(
    ("text", "width", "line"),
    [
        ("", 40, "(empty)"),
        (" \n\t", 40, "(nothing but white space)"),
        ("  one\n\n two ", 40, "one two"),
        ("x" * 10**6, 20, "x" * 19 + "…"),
        ("日本語の文章は空白なしで書かれる", 21, "日本語の文章は空白な…"),
        ("日本" * 20, 21, "日本日本日… 日本日本"),  # a loop
        ("one " * 9 + "two", 5, "one one one one one…"),  # never less than 20
        (" " * 5000 + "late", 40, "late"),
        ("a b c d e f g h i j k l m n o " + "and on " * 9, 30, "a b c d e f g h i j… on and on"),
    ],
)
def test_excerpt(text, width, line):
    assert excerpt(text, width) == line
