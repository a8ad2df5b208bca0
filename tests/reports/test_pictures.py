import re
import warnings
from xml.etree import ElementTree

import matplotlib.style
import numpy as np
import pytest

import mauve
from mauve.plots import plot_curves, plot_errors, plot_map, plot_ranking
from mauve.reports.pictures import Pictures

NAMES = [r"$\nonsense$", "<b>&amp;</b>", "]]>\"'", "日本", "\x1b[31m\u202e", "_hidden", "x" * 500]


@pytest.fixture(scope="module")
def comparison():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 200, 6))
    systems = {name: near + i for i, name in enumerate(NAMES)}
    return mauve.compare(human, systems, n_clusterings=5, n_permutations=100)


def drawn(comparison):
    pictures = Pictures()
    svgs = [
        pictures.draw("ranking", lambda: plot_ranking(comparison), 'Scores of "<all>".'),
        pictures.draw("errors", lambda: plot_errors(comparison), "Errors."),
        pictures.draw("curves", lambda: plot_curves(comparison, legend=False), "Curves."),
    ]
    return svgs, pictures.css


@pytest.mark.slow
def test_the_same_picture_has_the_same_bytes(comparison):
    assert drawn(comparison) == drawn(comparison)


@pytest.mark.slow
def test_a_style_of_the_user_does_not_matter(comparison):
    plain = drawn(comparison)
    with matplotlib.style.context("dark_background"), warnings.catch_warnings():
        assert drawn(comparison) == plain


@pytest.mark.slow
def test_settings_are_as_before(comparison):
    before = dict(matplotlib.rcParams)
    drawn(comparison)
    assert dict(matplotlib.rcParams) == before


def test_ids_are_unique_on_a_page_and_all_references_resolve(comparison):
    page = "".join(drawn(comparison)[0])
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert ids
    assert set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', page)) <= {
        pair for name in ids for pair in ((name, ""), ("", name))
    }


def test_no_styles_and_no_colours_of_their_own(comparison):
    svgs, css = drawn(comparison)
    assert not re.search(r"<style|style=|<metadata|<script", "".join(svgs))
    assert not re.search(r"#[0-9a-f]{3,6}\b", css)
    assert set(re.findall(r"var\(--([^)]*)\)", css)) >= {"human", "system-1", "ink", "rule"}
    for svg in svgs:
        for name in re.findall(r'class="(v\d+)"', svg):
            assert f".{name}{{" in css


def test_text_stays_text_and_the_picture_has_an_alternative(comparison):
    svgs, _ = drawn(comparison)
    root = ElementTree.fromstring(svgs[0])
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == 'Scores of "<all>".'
    texts = [text.text for text in root.iter("text")]
    for name in NAMES[:4] + NAMES[5:6]:
        assert name in texts
    assert r"\x1b[31m\u202e" in texts
    assert {part.tag for part in root.iter()} <= {
        "svg", "g", "path", "text", "use", "defs", "clipPath", "rect",
    }  # fmt: skip


def test_a_map_is_small_with_a_point_for_each_text(features):
    comparison, explanation = features
    svg = Pictures().draw("map", lambda: plot_map(explanation, "far"), "A map.")
    dots = max(re.findall(r' d="([^"]*)"', svg), key=lambda path: path.count("h0"))
    assert dots.count("h0") == comparison["far"].n_model
    assert len(svg) < 30_000
