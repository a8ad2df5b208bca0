"""Tiny Transformers models, those of the tests of embedders, and no network."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported
sys.path.insert(0, str(Path(__file__).parents[1] / "embed"))  # for tiny_models


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function from a kind of model, and options of it, to its folder."""
    import tiny_models

    folders: dict[tuple, Path] = {}

    def folder(kind: str, **options) -> Path:
        key = (kind, *sorted(options.items()))
        if key not in folders:
            folders[key] = tiny_models.save(kind, tmp_path_factory.mktemp(kind), **options)
        return folders[key]

    return folder
