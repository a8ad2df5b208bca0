"""The folder that shards are written to."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mauve.atomic import make_folder
from mauve.calls import option
from mauve.errors import OutputError


@contextmanager
def working_folder(folder: str | Path | None) -> Iterator[Path]:
    """Yield the folder of the shards; one that is not given is removed afterwards.

    Examples
    --------
    >>> with working_folder(None) as folder:
    ...     folder.is_dir()
    True
    """
    if folder is None:
        try:
            made = tempfile.TemporaryDirectory(prefix="mauve-")
        except OSError as error:
            raise OutputError(
                f"No temporary folder can be made ({error.strerror}): use "
                f"{option('folder', 'DIR')} with a folder that you may write to."
            ) from error
        with made as path:
            yield Path(path)
        return
    at = Path(folder)
    make_folder(at)
    yield at.resolve()
