"""No network, the modules beside the tests, and texts of a task, which every Python has."""

import os
import sys
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported
sys.path.insert(0, str(Path(__file__).parent))  # tests are no package


@pytest.fixture
def one_thread():
    """Keep tiny models on one thread, where they are as fast and take no other work's core."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def passages():
    """Return records of 120 passages of the Python language reference."""
    from mauve.lm.reference import split_reference

    reference = split_reference(120)
    return [
        {"id": f"p{i}", "text": "".join(passage), "topic": topic}
        for i, (passage, topic) in enumerate(zip(reference.passages, reference.topics, strict=True))
    ]


@pytest.fixture
def source(passages, tmp_path):
    """Write the passages to a file."""
    from writers import write_source

    return write_source(tmp_path / "texts.jsonl", passages)
