"""Write the scores of all samples against each other as one HTML file: write_matrix."""

from dataclasses import dataclass
from pathlib import Path

from mauve.atomic import atomic_write
from mauve.comparison.matrix_results import Matrix
from mauve.escape import escaped
from mauve.formatting import format_count, format_list, format_score
from mauve.plots.matrix import plot_matrix
from mauve.reports.page import check_report, rendered
from mauve.reports.pictures import Pictures
from mauve.reports.views import Setting, settings_of


@dataclass(frozen=True)
class MatrixPage:
    """Everything that the page of a matrix shows."""

    title: str
    matrix: Matrix
    pictures: Pictures
    heat_map: str
    settings: list[Setting]

    @property
    def human_name(self) -> str:
        """The human sample."""
        return self.matrix.human_name

    @property
    def warnings(self) -> tuple[str, ...]:
        """What puts the scores in doubt."""
        return self.matrix.warnings

    @property
    def signatures(self) -> list[str]:
        """The signature of all scores."""
        return [self.matrix.signature]


def write_matrix(matrix: Matrix, path: str | Path, *, title: str | None = None) -> None:
    """Write the scores of all samples against each other as one HTML file.

    The page has the heat map with its tree, what the scores say, every score with its interval,
    and the signature. Needs the ``report`` extra.

    Parameters
    ----------
    matrix : Matrix
        Result of :func:`mauve.comparison.matrices.score_matrix`.
    path : str or Path
        The file. It is written atomically.
    title : str, optional
        Title of the page.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from mauve.comparison.matrices import score_matrix
    >>> rng = np.random.default_rng(0)
    >>> systems = {"a": rng.normal(size=(120, 4)) + 1, "b": rng.normal(size=(120, 4)) + 1}
    >>> matrix = score_matrix(rng.normal(size=(120, 4)), systems)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_matrix(matrix, f"{folder}/matrix.html")
    ...     "Who writes like whom" in Path(f"{folder}/matrix.html").read_text()
    True
    """
    check_report(path, title)
    pictures = Pictures()
    heat_map = pictures.draw("matrix", lambda: plot_matrix(matrix), _alternative(matrix))
    page = MatrixPage(
        title=title or f"{_systems(matrix)} and human text: who writes like whom",
        matrix=matrix,
        pictures=pictures,
        heat_map=heat_map,
        settings=settings_of([matrix.signature] if matrix.signature else []),
    )
    html = rendered("matrix.html.j2", page, pictures)
    with atomic_write(Path(path)) as file:
        file.write(html.encode())


def _systems(matrix: Matrix) -> str:
    return format_count(len(matrix.systems), "system")


def _alternative(matrix: Matrix) -> str:
    order = format_list([escaped(name) for name in matrix.order()])
    nearest = "; ".join(
        f"{escaped(name)} is nearest to {escaped(matrix.nearest(name))}, "
        f"{format_score(matrix[name, matrix.nearest(name)].mauve)}"
        for name in matrix.order()
    )
    return f"Heat map of the scores with a tree above it; in its order: {order}. {nearest}."
