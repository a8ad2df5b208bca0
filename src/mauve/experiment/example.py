"""Write an example of an experiment: a config, and texts that every Python installation has."""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from pathlib import Path

from mauve.atomic import atomic_write, make_folder
from mauve.errors import InvalidParameterError
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
    make_folder(target)
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
