"""Tiny models for the tests of embedders, and no network."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported
sys.path.insert(0, str(Path(__file__).parent))  # for tiny_models: tests are no package


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function from a kind of model to its folder."""
    import tiny_models

    folders: dict[str, Path] = {}

    def folder(kind: str) -> Path:
        if kind not in folders:
            folders[kind] = tiny_models.save(kind, tmp_path_factory.mktemp("tiny") / kind)
        return folders[kind]

    return folder
