"""Samples that several tests of measures share lie beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package
