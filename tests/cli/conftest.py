"""Files of features and of texts for the tests of commands."""

import json
import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for running: tests are no package


@pytest.fixture
def features(feature_files, tmp_path, monkeypatch):
    """Work in a folder with copies of the feature files human, good and bad."""
    shutil.copytree(feature_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def text_folder(tmp_path, monkeypatch):
    """Work in a folder with human.jsonl and model.jsonl, and with a cache of its own."""
    from running import word_texts

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "cache"))
    for seed, name in enumerate(("human", "model")):
        records = [{"text": t, "prompt": f"p{i}"} for i, t in enumerate(word_texts(seed))]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)) + "\n")
    return tmp_path
