"""Read the rows of Hugging Face datasets: of the hub, streamed, or of a folder."""

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mauve.errors import InvalidParameterError, need_packages
from mauve.escape import escaped, listed

_SAVED = ("state.json", "dataset_dict.json")  # in a folder that save_to_disk wrote
_LONGEST = 200  # characters of what the library says


def dataset_rows(
    name: str, *, split: str | None = None, config: str | None = None, revision: str | None = None
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of one split of a dataset, as they are downloaded.

    Parameters
    ----------
    name : str
        A dataset of the hub, a folder with files of data, or one that ``save_to_disk`` wrote.
    split : str, optional
        By default the only one.
    config, revision : str, optional
        As `load_dataset` takes them.

    Raises
    ------
    InvalidParameterError
        If the dataset, or its split, is not there or cannot be read.
    MissingExtraError
        If the library is not installed.
    """
    need_packages(f"The dataset 'hf:{escaped(name)}'", ["datasets"], "datasets")
    datasets = importlib.import_module("datasets")  # by name, as it ships no types
    n_rows = 0
    try:
        folder = Path(name)
        if any(folder.joinpath(file).is_file() for file in _SAVED):
            parts = datasets.load_from_disk(name)
        else:
            parts = datasets.load_dataset(name, config, streaming=True, revision=revision)
        for row in _part(parts, split, name):
            n_rows += 1
            yield row
    except InvalidParameterError:
        raise
    # The library raises errors of a dozen packages: of HTTP, of files, of formats, its own.
    except Exception as error:
        raise _unreadable(name, error, n_rows) from error


def _part(parts: Any, split: str | None, name: str) -> Any:
    """Return one split of what was loaded, which may be one alone."""
    if not isinstance(parts, Mapping):  # one that was saved alone; its name may be kept
        if split in (None, str(parts.split)):
            return parts
        names = [str(parts.split)]
    else:
        names = [str(part) for part in parts]
        if split is None and len(names) == 1:
            return parts[names[0]]
        if split in names:
            return parts[split]
    given = f"'{escaped(split)}'" if split else "none"
    raise InvalidParameterError(
        f"'hf:{escaped(name)}' must be read with one of its splits, {listed(names)}. "
        f"Got {given} instead: name one with ?split=NAME behind it."
    )


def _unreadable(name: str, error: Exception, n_rows: int) -> InvalidParameterError:
    quoted = f"'hf:{escaped(name)}'"
    reason = escaped(str(error).strip().partition("\n")[0])[:_LONGEST] or type(error).__name__
    where = f" after row {n_rows}" if n_rows else ""
    is_offline = any(isinstance(cause, ConnectionError) for cause in _causes(error))
    is_offline = is_offline or "offline" in reason.lower() or "connect" in reason.lower()
    if is_offline:
        remedy = (
            "the hub cannot be reached, or $HF_HUB_OFFLINE forbids it: connect, or pass the folder "
            "of a copy, hf:/PATH/TO/FOLDER"
        )
    elif isinstance(error, FileNotFoundError):
        remedy = "name a dataset of the hub (log in first if it is private), or a folder"
    else:
        remedy = "check name, config= and revision=, and that it needs no script to be loaded"
    return InvalidParameterError(f"{quoted} could not be read{where} ({reason}): {remedy}.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
