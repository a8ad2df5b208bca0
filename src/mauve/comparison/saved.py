"""Load a comparison that was saved."""

from os import PathLike
from pathlib import Path

from mauve.archive import Archive, readable
from mauve.comparison.comparison import FORMAT, KIND, Comparison
from mauve.comparison.pack import unpack
from mauve.embed.registry import EmbedderLike
from mauve.embed.saved import SavedEmbedder
from mauve.errors import bad_parameter


def load(path: str | Path, *, embedder: EmbedderLike | None = None) -> Comparison:
    """Load a comparison that :meth:`mauve.Comparison.save` wrote.

    It can be explained, measured, compared, plotted and reported like a new one, with equal
    numbers. Nothing in the file is run, and no text is embedded again.

    Parameters
    ----------
    path : str or Path
        The file.
    embedder : str, Embedder or callable, optional
        The embedder of the comparison, to embed other texts with it, such as training texts.
        Not needed for what is in the file, nor for the bundled model.

    Returns
    -------
    Comparison

    Raises
    ------
    InvalidParameterError
        If the file cannot be read, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import mauve, numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> rng = np.random.default_rng(0)
    >>> human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
    >>> comparison = mauve.compare(human, model, n_permutations=0)
    >>> with TemporaryDirectory() as folder:
    ...     comparison.save(f"{folder}/run.mauve")
    ...     loaded = mauve.load(f"{folder}/run.mauve")
    >>> loaded == comparison, mauve.explain(loaded) == mauve.explain(comparison)
    (True, True)
    """
    if not isinstance(path, str | PathLike):
        raise bad_parameter("path", "the path of a file that Comparison.save wrote", path)
    archive = Archive.read(Path(path), KIND, FORMAT)
    with readable(Path(path), KIND):
        results, compared = unpack(archive)
    if embedder is not None:
        saved = compared.samples.embedder
        if not isinstance(saved, SavedEmbedder):
            raise bad_parameter("embedder", "left out for a comparison of features", embedder)
        saved.use(embedder)
    return Comparison(results, compared)
