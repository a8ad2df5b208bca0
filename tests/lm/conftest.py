"""Tiny Transformers models, those of the tests of embedders, and no network."""

import os
import sys
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"  # read when Transformers is imported
sys.path.insert(0, str(Path(__file__).parents[1] / "embed"))  # tests are no package
sys.path.insert(0, str(Path(__file__).parent))

from tiny_fixture import tiny  # noqa: F401 - a fixture
