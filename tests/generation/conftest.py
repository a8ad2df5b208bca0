"""No network, and the modules beside the tests."""

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
