"""Open the folder of an experiment again: its config, and the place that it came from."""

import json
from dataclasses import dataclass
from pathlib import Path

from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.experiment.config import ExperimentConfig
from mauve.experiment.config_file import config_of
from mauve.experiment.directory import CONFIG, ORIGIN, Directory


@dataclass(frozen=True)
class OpenedExperiment:
    """An experiment that was run, or is running."""

    directory: Directory
    config: ExperimentConfig
    device: str


def open_experiment(folder: str | Path) -> OpenedExperiment:
    """Return the experiment in a folder, or raise.

    Parameters
    ----------
    folder : str or Path

    Examples
    --------
    >>> open_experiment("no-such-folder")
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'no-such-folder' must be the folder of an experiment, \
which mauve experiment run writes.
    """
    path = Path(folder)
    try:
        origin = json.loads((path / ORIGIN).read_bytes())
        text = (path / CONFIG).read_text("utf-8")
        place, device = Path(origin["config"]).parent, str(origin["device"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidParameterError(
            f"'{escaped(str(path))}' must be the folder of an experiment, which mauve experiment "
            "run writes."
        ) from error
    return OpenedExperiment(Directory(path), config_of(text, CONFIG, place), device)
