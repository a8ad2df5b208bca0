"""Check the files of texts that an experiment starts from, before any work."""

from collections.abc import Iterator
from contextlib import contextmanager

from mauve.errors import MauveError, MissingExtraError
from mauve.escape import escaped
from mauve.experiment.config import ExperimentConfig
from mauve.text.read import read_texts


@contextmanager
def lines_of(config: ExperimentConfig, path: tuple[str, ...]) -> Iterator[None]:
    """Put the config file and the line of a key before the errors of checks within the block.

    Parameters
    ----------
    config : ExperimentConfig
    path : tuple of str
        The keys that lead to it.
    """
    try:
        yield
    except MissingExtraError:
        raise  # it says what to install
    except MauveError as error:
        if str(error).startswith(f"'{escaped(config.document.name)}', line "):
            raise
        raise config.error(path, str(error)) from error


def smallest_file(config: ExperimentConfig) -> int:
    """Return the number of texts of the smallest file of samples."""
    sizes = []
    for key, path in _files(config):
        with lines_of(config, key):
            sizes.append(len(read_texts(path)))
    return min(sizes)


def check_files(config: ExperimentConfig) -> None:
    """Raise unless all files of samples are there and have enough texts."""
    needed = max([config.n, *config.scores.n])
    for key, path in _files(config):
        with lines_of(config, key):
            n = len(read_texts(path))
        if n < needed:
            raise config.error(
                key,
                f"'{escaped(path)}' must have at least n = {needed} texts. Got {n} instead: use "
                "less n in [texts] and [scores], or another file.",
            )


def _files(config: ExperimentConfig) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the key and the path of every file of samples."""
    for samples in config.samples:
        yield ("samples", samples.name, "human"), config.path(samples.human)
        for file in samples.systems:
            key = ("samples", samples.name, "systems", file.model)
            yield (*key, file.decoder) if file.decoder else key, config.path(file.path)
