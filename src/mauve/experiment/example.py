"""Write an example of an experiment: a config, and texts that every Python installation has."""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError, OutputError
from mauve.escape import escaped
from mauve.lm.reference import split_reference

_N_PASSAGES = 240
CONFIG, HUMAN, TRAINING = "experiment.toml", "human.jsonl", "training.jsonl"


def write_example(folder: str | Path) -> Path:
    """Write the config and the texts of the example into a folder, and return the config.

    Parameters
    ----------
    folder : str or Path
        Made if it is not there; files of the same names are not replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_example(folder).name, sorted(path.name for path in Path(folder).iterdir())
    ('experiment.toml', ['experiment.toml', 'human.jsonl', 'training.jsonl'])
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"'{escaped(str(target))}' cannot be written ({error.strerror}): name a folder that "
            "you may write to."
        ) from error
    reference = split_reference(_N_PASSAGES)
    contents = {
        CONFIG: files("mauve.experiment").joinpath("example.toml").read_bytes(),
        HUMAN: _lines(
            {"text": "".join(passage), "topic": topic}
            for passage, topic in zip(reference.passages, reference.topics, strict=True)
        ),
        TRAINING: _lines({"text": "".join(tokens)} for tokens in reference.training),
    }
    for name, content in contents.items():
        path = target / name
        if path.exists() and path.read_bytes() != content:
            raise InvalidParameterError(
                f"'{escaped(str(path))}' is there already: name another folder, or remove it."
            )
    for name, content in contents.items():
        with atomic_write(target / name) as file:
            file.write(content)
    return target / CONFIG


def _lines(records: Iterable[Mapping[str, str]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)
