"""Axes, colours and labels: the palette for readers who see few colours, labels apart."""

import io
import itertools

import numpy as np
import pytest

import mauve
from mauve.plots import plot_errors
from mauve.plots.axes import PALETTE, styles

# Severity 1 of Machado, Oliveira and Fernandes, A physiologically-based model for simulation of
# color vision deficiency, 2009, table of matrices, on linear RGB.
SIGHTS = {
    "all cones": np.eye(3),
    "no red": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "no green": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
    "no blue": [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
}
# Ottosson's Oklab, in which equal distances look about equally large; white to black is 1.
TO_CONES = np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])
TO_LAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])
GRAPHICS = [name for name in PALETTE if name == "human" or name.startswith("system-")]


def linear(colour):
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    low, high = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(colour, sight):
    seen = np.clip(np.asarray(SIGHTS[sight]) @ linear(colour), 0, 1)
    return TO_LAB @ np.cbrt(TO_CONES @ seen)


@pytest.mark.parametrize("ground", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_everyone_tells_the_colours_apart(ground, sight):
    places = {name: lab(PALETTE[name][ground], sight) for name in GRAPHICS}
    for one, other in itertools.combinations(GRAPHICS, 2):
        # A just noticeable difference is about 0.02.
        assert np.linalg.norm(places[one] - places[other]) > 0.07, (one, other)


@pytest.mark.parametrize("ground", [0, 1], ids=["light", "dark"])
def test_contrast_is_that_of_the_guidelines(ground):
    paper = PALETTE["paper"][ground]
    for name in GRAPHICS:
        assert contrast(PALETTE[name][ground], paper) >= 3, name  # WCAG 2.2, 1.4.11
    for name in ("ink", "soft"):
        assert contrast(PALETTE[name][ground], paper) >= 7, name  # the same, 1.4.6


def test_no_colour_stands_for_two_things():
    for ground in (0, 1):
        assert len({pair[ground] for pair in PALETTE.values()}) == len(PALETTE)


def test_many_systems_all_look_different():
    by_system = styles(map(str, range(60)))
    looks = {(style.role, style.marker, style.dashes) for style in by_system.values()}
    assert len(looks) == 60


@pytest.mark.slow
def test_labels_do_not_lie_over_each_other():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 200, 8))
    systems = {f"system {i}": near + 0.05 * i for i in range(12)}
    comparison = mauve.compare(human, systems, n_permutations=0, n_clusterings=5)
    ax = plot_errors(comparison)
    ax.figure.savefig(io.BytesIO(), format="png")
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 6
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            across = min(one.x1, other.x1) - max(one.x0, other.x0)
            along = min(one.y1, other.y1) - max(one.y0, other.y0)
            # Widths are estimated without the font, so they may touch by a letter.
            assert min(across / ax.figure.dpi, along / ax.figure.dpi) < 0.08
