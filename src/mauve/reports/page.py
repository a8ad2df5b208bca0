"""Render a comparison, its explanation and measures as one HTML file."""

import base64
import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mauve import formatting
from mauve.atomic import atomic_write, check_writable
from mauve.comparison.comparison import Comparison
from mauve.comparison.ladder import Ladder
from mauve.errors import bad_parameter, need_packages
from mauve.escape import escaped, escaped_text
from mauve.explanation import headlines
from mauve.explanation.findings import shown_part
from mauve.explanation.results import Explanation
from mauve.measures.results import Measurements
from mauve.plots.axes import PALETTE
from mauve.progress import ProgressLike, progress_bar
from mauve.reports.pictures import Pictures
from mauve.reports.views import make_page

if TYPE_CHECKING:
    from jinja2 import Environment


def write_report(
    comparison: Comparison,
    path: str | Path,
    *,
    explanation: Explanation | None = None,
    measurements: Measurements | None = None,
    ladder: Ladder | None = None,
    title: str | None = None,
    progress: ProgressLike = False,
) -> None:
    """Write a comparison as one HTML file.

    Parameters
    ----------
    comparison : Comparison
        Result of :func:`mauve.compare`.
    path : str or Path
        The file. It is written atomically.
    explanation : Explanation, optional
        Result of :func:`mauve.explain` for this comparison.
    measurements : Measurements, optional
        Result of :func:`mauve.measure` for the same systems.
    ladder : Ladder, optional
        Result of :meth:`mauve.Comparison.ladder`.
    title : str, optional
        Title of the page.
    progress : bool or callable
        As for :func:`mauve.compare`.

    Raises
    ------
    MissingExtraError
        If Jinja2 or Matplotlib is not installed.
    InvalidParameterError
        If the explanation is of other systems, or the file cannot be written.

    See Also
    --------
    render_report : The same as a string.
    """
    check_report(path)
    page = render_report(
        comparison,
        explanation=explanation,
        measurements=measurements,
        ladder=ladder,
        title=title,
        progress=progress,
    )
    with atomic_write(Path(path)) as file:
        file.write(page.encode())


def check_report(path: str | Path, title: str | None = None) -> None:
    """Raise unless a report can be made and written to `path`; called before the work."""
    check_extra()
    if not isinstance(path, str | Path) or Path(path).suffix.lower() not in (".html", ".htm"):
        raise bad_parameter("path", "a file that ends in .html", path)
    _check_title(title)
    check_writable(Path(path))


def _check_title(title: str | None) -> None:
    if title is not None and not isinstance(title, str):
        raise bad_parameter("title", "a string", title)


def check_extra() -> None:
    """Raise unless the ``report`` extra is installed."""
    need_packages("The report", ["jinja2", "matplotlib"], "report")


def render_report(
    comparison: Comparison,
    *,
    explanation: Explanation | None = None,
    measurements: Measurements | None = None,
    ladder: Ladder | None = None,
    title: str | None = None,
    progress: ProgressLike = False,
) -> str:
    """Return a comparison as HTML; see :func:`write_report` for the parameters.

    The same input gives the same page.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
    >>> page = render_report(mauve.compare(human, model), title="A first look")
    >>> "<h1>A first look</h1>" in page
    True
    """
    check_extra()
    if not isinstance(comparison, Comparison):
        raise bad_parameter("comparison", "what mauve.compare returns", type(comparison))
    _check_parts(comparison, explanation, measurements, ladder)
    _check_title(title)
    with progress_bar(progress) as on_progress:
        page = make_page(comparison, explanation, measurements, title, on_progress, ladder)
    return rendered("report.html.j2", page, page.pictures)


def _check_parts(
    comparison: Comparison,
    explanation: Explanation | None,
    measurements: Measurements | None,
    ladder: Ladder | None,
) -> None:
    """Raise if explanation, measurements or ladder belong to another comparison."""
    if ladder is not None and (not isinstance(ladder, Ladder) or {*ladder} != {*comparison}):
        raise bad_parameter("ladder", "of this comparison: comparison.ladder()", ladder)
    if explanation is not None:
        if not isinstance(explanation, Explanation):
            rule = "what mauve.explain returns"
            raise bad_parameter("explanation", rule, type(explanation))
        if explanation.compared is not comparison.compared:
            rule = "of this comparison: mauve.explain(comparison)"
            raise bad_parameter("explanation", rule, explanation)
    if measurements is not None:
        if not isinstance(measurements, Measurements):
            rule = "what mauve.measure returns"
            raise bad_parameter("measurements", rule, type(measurements))
        if not set(comparison) <= set(measurements):
            rule = f"of the systems {[*comparison]}"
            raise bad_parameter("measurements", rule, [*measurements])


def rendered(template: str, page: object, pictures: Pictures) -> str:
    """Return a page as HTML.

    Parameters
    ----------
    template : str
        A file of ``templates/`` that extends ``shell.html.j2``.
    page : object
        What the template shows as ``page``; it has a `title`.
    pictures : Pictures
        Those of the page, all drawn.
    """
    from markupsafe import Markup

    # Trusted: files of this package, and plots that Pictures has cleaned.
    style = _colours() + _package_file("report.css") + pictures.css
    script = _package_file("report.js")
    return (
        _environment()
        .get_template(template)
        .render(
            page=page,
            style=Markup(style),
            script=Markup(script),
            policy=_policy(style, script),
            level=formatting.SIGNIFICANCE_LEVEL,
            version=version("mauve-eval"),
        )
    )


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("mauve.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # All strings are escaped here and not at each use, so that none can be forgotten.
        finalize=_finalized,
    )
    environment.filters.update(
        between=formatting.format_interval,
        both_shares=headlines.both_shares,
        count=formatting.format_count,
        has_negative_part=headlines.has_negative_part,
        headline=headlines.headline,
        joined=formatting.format_list,
        level=formatting.format_level,
        name=escaped,
        nats=formatting.format_nats,
        p_cell=formatting.format_p_value,
        p_value=_unbroken_p_value,
        part=shown_part,
        percent=formatting.format_share,
        score=formatting.format_score,
        words_note=headlines.words_note,
    )
    environment.globals.update(
        negative_part=headlines.NEGATIVE_PART, negative_ratio=headlines.NEGATIVE_RATIO
    )
    return environment


def _unbroken_p_value(p: float) -> str:
    return formatting.p_value_phrase(p).replace(" ", "\N{NO-BREAK SPACE}")


def _finalized(value: Any) -> Any:
    # Markup is a subclass of str and is left as it is.
    return escaped_text(value) if type(value) is str else value


def _package_file(name: str) -> str:
    return files("mauve.reports").joinpath(name).read_text(encoding="utf-8")


def _colours() -> str:
    """Return the palette as CSS variables with light and dark colours."""
    variables = "".join(
        f"--{name}:light-dark({light},{dark});" for name, (light, dark) in PALETTE.items()
    )
    samples = "".join(
        f".of-{name}{{--sample:var(--{name})}}\n"
        for name in PALETTE
        if name == "human" or name.startswith("system-")
    )
    return f":root{{{variables}}}\n{samples}"


def _policy(style: str, script: str) -> str:
    """Return a content security policy that allows only this style and this script."""
    return (
        f"default-src 'none'; style-src {_hashed(style)}; script-src {_hashed(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hashed(part: str) -> str:
    digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
    return f"'sha256-{digest}'"
