"""The folders of tiny models, for the tests of embedders and of language models."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function from a kind of model, and options of it, to its folder."""
    import tiny_models  # imports Transformers, which reads the environment that conftest.py sets

    folders: dict[tuple, Path] = {}

    def folder(kind: str, **options) -> Path:
        key = (kind, *sorted(options.items()))
        if key not in folders:
            folders[key] = tiny_models.save(kind, tmp_path_factory.mktemp("tiny") / kind, **options)
        return folders[key]

    return folder
