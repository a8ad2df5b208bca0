"""Tests are no package, so their helpers are found by the folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
