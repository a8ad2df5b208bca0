"""Tiny models for the tests of embedders, and no network."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported
sys.path.insert(0, str(Path(__file__).parent))  # tests are no package

from tiny_fixture import tiny  # noqa: F401 - a fixture


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """Return the address of a running server of embeddings."""
    command = [sys.executable, str(Path(__file__).with_name("endpoint_server.py"))]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


@pytest.fixture
def seen(url: str) -> Callable[[str], list[dict[str, Any]]]:
    """Return a function from a model to the requests that the server had for it."""
    opener = build_opener(ProxyHandler({}))

    def requests(model: str) -> list[dict[str, Any]]:
        with opener.open(f"{url}/seen/{quote(model)}") as answer:
            return json.load(answer)

    return requests


@pytest.fixture
def no_keys_and_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the keys and proxies of the environment."""
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name in ("MAUVE_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name)
