"""What other evaluation libraries load to use this package."""

from pathlib import Path

#: The metric for Hugging Face ``evaluate``: ``evaluate.load(EVALUATE_METRIC)``.
EVALUATE_METRIC = str(Path(__file__).parent / "evaluate_metric.py")
