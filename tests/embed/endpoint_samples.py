"""Texts, their embeddings, and embedders for the tests of endpoints."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from mauve.embed.endpoint import EndpointEmbedder
from mauve.errors import MauveError

server = runpy.run_path(str(Path(__file__).with_name("endpoint_server.py")))
KEY = server["KEY"]
TEXTS = [f"text {i} é\n{'x' * i}" for i in range(23)]
REFERENCE = np.array([server["embedding"](text) for text in TEXTS], np.float32)


def make(url, model, **options):
    return EndpointEmbedder(url, model=model, **{"backoff": 0.001, "timeout": 20.0} | options)


def message_of(embedder):
    with pytest.raises(MauveError) as caught:
        embedder.embed(TEXTS)
    return str(caught.value)
