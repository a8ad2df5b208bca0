"""Turn Matplotlib plots into SVG that takes colours and font from the page."""

import io
import re
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree

from mauve.plots.axes import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_HREF = "{http://www.w3.org/1999/xlink}href"
_NUMBER = re.compile(r"-?\d+\.\d+")
_AROUND_COMMAND = re.compile(r"\s*([A-Za-z])\s*")
_DOT = re.compile(r"M([-\d.]+ [-\d.]+)L\1(?=M|$)")
_REFERENCE = re.compile(r"url\(#([^)]*)\)")
_LINK = re.compile(r"^#(.+)$", re.DOTALL)
_FONT_SIZE = re.compile(r"([\d.]+px)")
_TURN_BY_NOTHING = re.compile(r"rotate\(-?0(\.0+)? [^)]*\)")
_HALO = "halo"
# Matplotlib has one set of settings per process: one report at a time changes them.
_LOCK = threading.Lock()

#: CSS variable of the page for every colour of a plot.
_VARIABLES = {light: f"var(--{name})" for name, (light, _) in PALETTE.items()} | {
    "#000000": "var(--ink)",
}


class Pictures:
    """The plots of one page and the style sheet that they share.

    Examples
    --------
    >>> from mauve.comparison.paper import result_from_counts
    >>> result = result_from_counts([6, 3, 1], [2, 3, 5])
    >>> pictures = Pictures()
    >>> svg = pictures.draw("curve", result.plot, "One curve.")
    >>> svg.startswith('<svg class="picture" role="img" aria-label="One curve."')
    True
    >>> "var(--system-1)" in pictures.css
    True
    """

    def __init__(self) -> None:
        self._classes: dict[str, str] = {}  # class name by declarations

    @property
    def css(self) -> str:
        """CSS rules of the plots."""
        return "".join(f".{name}{{{rules}}}\n" for rules, name in self._classes.items())

    def draw(self, name: str, plot: "Callable[[], Axes]", alternative: str) -> str:
        """Return a plot as an ``svg`` element.

        Parameters
        ----------
        name : str
            Letters, digits and hyphens; unique on the page.
        plot : callable
            Returns the axes of a new figure.
        alternative : str
            Description for readers who cannot see it.
        """
        root = ElementTree.fromstring(_saved(plot))
        for part in root.iter():
            part.tag = part.tag.rpartition("}")[2]
        for part in root.findall("metadata"):
            root.remove(part)
        for part in root.findall("defs"):
            for sheet in part.findall("style"):
                part.remove(sheet)  # its rules would apply to the whole page
        self._tidy(root, name)
        _unwrap(root)
        box = root.attrib["viewBox"]
        root.attrib.clear()
        root.attrib.update(
            {"class": "picture", "role": "img", "aria-label": alternative, "viewBox": box}
        )
        return ElementTree.tostring(root, encoding="unicode")

    def _tidy(self, root: ElementTree.Element, name: str) -> None:
        used = {
            reference
            for part in root.iter()
            for value in part.attrib.values()
            for reference in [
                *_REFERENCE.findall(value),
                value[1:] if value.startswith("#") else "",
            ]
        }
        ids = {old: f"{name}-{i}" for i, old in enumerate(sorted(used - {""}))}
        for part in root.iter():
            attributes = dict(part.attrib)
            part.attrib.clear()
            for key, value in attributes.items():
                if key == "style":
                    rules = _in_page_colours(value)
                    if rules:
                        part.set("class", self._class(rules))
                elif key == "id":
                    if value == _HALO:
                        part.set("class", _HALO)
                    elif value in ids:
                        part.set("id", ids[value])
                elif key == _HREF:
                    part.set("href", f"#{ids[value[1:]]}")
                elif key == "d":
                    path = _AROUND_COMMAND.sub(r"\1", _rounded(value)).strip()
                    part.set("d", _DOT.sub(r"M\1h0", path))
                elif _REFERENCE.search(value):
                    part.set(key, _REFERENCE.sub(lambda m: f"url(#{ids[m[1]]})", value))
                elif not (key == "transform" and _TURN_BY_NOTHING.fullmatch(value)):
                    part.set(key, _rounded(value))
            if part.tag != "text" and not (part.text or "").strip():
                part.text = None
            part.tail = None

    def _class(self, rules: str) -> str:
        return self._classes.setdefault(rules, f"v{len(self._classes)}")


def _saved(plot: "Callable[[], Axes]") -> bytes:
    import matplotlib.style
    from matplotlib.text import Text

    out = io.BytesIO()
    # Defaults, not the user's style. Text stays text, which is small and takes the font of the
    # page; a fixed salt gives the same plot the same ids.
    settings: list[str | dict[str, Any]] = [
        "default",
        {"svg.fonttype": "none", "svg.hashsalt": "mauve"},
    ]
    with _LOCK, matplotlib.style.context(settings), warnings.catch_warnings():
        # Matplotlib's font may lack a script that the font of the page has.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = cast("Figure", plot().figure)
        for text in figure.findobj(Text):
            if text.get_path_effects():  # they turn text into paths; the page draws the halo
                text.set(path_effects=[], gid=_HALO)
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    return out.getvalue()


def _in_page_colours(style: str) -> str:
    """Return declarations with CSS variables for colours and without a font family."""
    declarations = []
    for declaration in style.split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key == "font":  # older releases write all of it at once
            key, value = "font-size", next(iter(_FONT_SIZE.findall(value)), "10px")
        if key and key != "font-family":
            declarations.append(f"{key}:{_VARIABLES.get(value, value)}")
    return ";".join(declarations)


def _rounded(value: str) -> str:
    """Return numbers with two decimals: a hundredth of a point is less than any pixel."""
    return _NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)


def _unwrap(root: ElementTree.Element) -> None:
    """Remove groups without attributes, which Matplotlib puts around every line."""
    for part in root.iter():
        while any(_is_bare(child) for child in part):
            part[:] = [inner for child in part for inner in (child if _is_bare(child) else [child])]


def _is_bare(part: ElementTree.Element) -> bool:
    return part.tag == "g" and not part.attrib
