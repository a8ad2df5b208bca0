"""Matplotlib's pictures as parts of a page: its colours, its font, no styles of their own."""

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
_FONT_SIZE = re.compile(r"([\d.]+px)")
_TURN_BY_NOTHING = re.compile(r"rotate\(-?0(\.0+)? [^)]*\)")
_HALO = "halo"
# Matplotlib's settings are those of the process: one report at a time changes them.
_LOCK = threading.Lock()

#: The page's variable for every colour of a picture.
_VARIABLES = {light: f"var(--{name})" for name, (light, _) in PALETTE.items()} | {
    "#000000": "var(--ink)",
}


class Pictures:
    """The pictures of one page, and the style sheet that they share.

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
        self._classes: dict[str, str] = {}  # from declarations to the class that has them

    @property
    def css(self) -> str:
        """The rules that the pictures need."""
        return "".join(f".{name}{{{rules}}}\n" for rules, name in self._classes.items())

    def draw(self, name: str, plot: "Callable[[], Axes]", alternative: str) -> str:
        """Return a picture as an ``svg`` element.

        Parameters
        ----------
        name : str
            Of letters, digits and hyphens; no other picture of the page may have it.
        plot : callable
            Returns the axes of a new figure.
        alternative : str
            What the picture shows, for those who cannot see it.
        """
        root = ElementTree.fromstring(_saved(plot))
        for part in root.iter():
            part.tag = part.tag.rpartition("}")[2]
        for part in root.findall("metadata"):
            root.remove(part)
        for part in root.findall("defs"):
            for sheet in part.findall("style"):
                part.remove(sheet)  # its rules would hold for all of the page
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
            found
            for part in root.iter()
            for value in part.attrib.values()
            for found in [*_REFERENCE.findall(value), value[1:] if value.startswith("#") else ""]
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
    # Not the user's style. Text stays text: small, and in the page's font; and the same picture
    # has the same ids.
    settings: list[str | dict[str, Any]] = [
        "default",
        {"svg.fonttype": "none", "svg.hashsalt": "mauve"},
    ]
    with _LOCK, matplotlib.style.context(settings), warnings.catch_warnings():
        # A script that Matplotlib's font lacks is measured as boxes; the page's font has it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = cast("Figure", plot().figure)
        for text in figure.findobj(Text):
            if text.get_path_effects():  # which would make paths of it; the page has a halo too
                text.set(path_effects=[], gid=_HALO)
        figure.savefig(out, format="svg", metadata={"Date": None}, transparent=True)
    return out.getvalue()


def _in_page_colours(style: str) -> str:
    """Return declarations with variables for colours, and the page's font."""
    kept = []
    for declaration in style.split(";"):
        key, _, value = (part.strip() for part in declaration.partition(":"))
        if key == "font":  # older releases write all of it at once
            key, value = "font-size", next(iter(_FONT_SIZE.findall(value)), "10px")
        if key and key != "font-family":
            kept.append(f"{key}:{_VARIABLES.get(value, value)}")
    return ";".join(kept)


def _rounded(value: str) -> str:
    """Return numbers with two decimals: a hundredth of a point is less than any pixel."""
    return _NUMBER.sub(lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), value)


def _unwrap(root: ElementTree.Element) -> None:
    """Take away groups that do nothing: Matplotlib puts every line into one of its own."""
    for part in root.iter():
        while any(_is_bare(child) for child in part):
            part[:] = [inner for child in part for inner in (child if _is_bare(child) else [child])]


def _is_bare(part: ElementTree.Element) -> bool:
    return part.tag == "g" and not part.attrib
