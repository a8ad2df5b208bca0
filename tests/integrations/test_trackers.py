"""mauve.log with the real trackers, offline, and the examples of docs/trackers.md."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests are no package

from pages import PAGES, blocks

import mauve
from mauve.errors import InvalidParameterError

RNG = np.random.default_rng(0)
COMPARISON = mauve.compare(
    RNG.normal(size=(200, 4)),
    {"a/b": RNG.normal(size=(200, 4)) + 1, "c": RNG.normal(size=(200, 4))},
    n_permutations=0,
    n_clusterings=5,
)


def examples():
    """Return every Python block of the page with the heading above it."""
    page = PAGES["docs/trackers.md"]
    lines = page.read_text("utf-8").splitlines()
    headings = [line.removeprefix("## ") if line.startswith("## ") else "" for line in lines]
    return [
        (next(filter(None, reversed(headings[: block.line]))), block.text)
        for block in blocks(page)
        if block.language == "python"
    ]


def run_in(folder, code):
    """Run a program in another process and return what it prints."""
    env = os.environ | {
        "WANDB_MODE": "offline", "WANDB_SILENT": "true", "TRACKIO_DIR": str(folder / "trackio"),
        "HF_HUB_OFFLINE": "1", "MPLBACKEND": "agg",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("heading", "code"), examples(), ids=lambda value: value[:12])
def test_examples(tmp_path, heading, code):
    printed = run_in(tmp_path, code).strip().splitlines()[-1:]
    names = {path.name for path in tmp_path.rglob("*")}
    if heading == "Weights & Biases":
        assert any(name.endswith(".table.json") for name in names)
        assert any(name.startswith("run-") and name.endswith(".wandb") for name in names)
        assert any(name.startswith("report_") and name.endswith(".html") for name in names)
    elif heading == "Trackio":
        assert "writing.db" in names
    elif heading == "MLflow" and "evaluate" not in code:
        assert {"mlflow.db", "mauve-report.html", "table-100.json"} <= names
    elif heading == "MLflow":
        assert printed == ["mauve/type_2"]
    elif heading == "TensorBoard":
        assert any(name.startswith("events.out.tfevents") for name in names)
    elif heading == "A file":
        assert printed == ["100"]
    elif heading == "torchmetrics":
        assert printed == ["300 300"]
    else:
        pytest.fail(f"nothing is checked of {heading}")


@pytest.mark.slow
def test_mlflow_has_the_numbers(tmp_path):
    """In a process of its own: MLflow's database layer warns when it is imported."""
    (tmp_path / "metrics.json").write_text(json.dumps(COMPARISON.to_metrics()))
    code = """
import mlflow, mauve, json, numpy as np
rng = np.random.default_rng(0)
human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
comparison = mauve.compare(human, {"a/b": model}, n_permutations=0, progress=False)
mlflow.set_tracking_uri("sqlite:///m.db")
try: mauve.log(comparison, "mlflow")
except mauve.InvalidParameterError as error: print(error)
with mlflow.start_run() as run:
    mauve.log(comparison, "mlflow", step=3)
    mauve.log(comparison, mlflow, step=4)
logged = mlflow.get_run(run.info.run_id).data.metrics
assert logged == comparison.to_metrics(), logged
history = mlflow.MlflowClient().get_metric_history(run.info.run_id, "mauve/a_b/score")
print([point.step for point in history])
"""
    lines = run_in(tmp_path, code).splitlines()
    assert "mlflow has none: call mlflow.start_run() first" in lines[0]
    assert lines[-1] == "[3, 4]"


class TestTensorBoard:
    def test_scalars_and_table(self, tmp_path):
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        from torch.utils.tensorboard import SummaryWriter

        mauve.log(COMPARISON, f"tensorboard:{tmp_path}", step=3)
        with SummaryWriter(str(tmp_path)) as writer:
            mauve.log(COMPARISON, writer, step=4)
        events = EventAccumulator(str(tmp_path))
        events.Reload()
        points = events.Scalars("mauve/c/score")
        assert sorted(point.step for point in points) == [3, 4]
        assert points[0].value == pytest.approx(COMPARISON["c"].mauve)  # of 32 bits
        assert set(events.Tags()["scalars"]) == set(COMPARISON.to_metrics())
        assert events.Tags()["tensors"] == ["mauve/table/text_summary"]


class TestFiles:
    def test_lines_are_added(self, tmp_path):
        path = tmp_path / "a.jsonl"
        for step in (1, 2):
            mauve.log(COMPARISON, path, step=step, prefix="eval")
        first, second = map(json.loads, path.read_text().splitlines())
        assert (first["step"], second["step"]) == (1, 2)
        assert first["metrics"] == COMPARISON.to_metrics("eval")
        assert [row["system"] for row in first["table"]] == ["a/b", "c"]

    def test_a_file_is_replaced(self, tmp_path):
        path = tmp_path / "a.json"
        for step in (1, 2):
            mauve.log(COMPARISON, str(path), step=step)
        assert json.loads(path.read_text())["step"] == 2

    @pytest.mark.slow
    def test_the_report_stands_beside_it(self, tmp_path):
        mauve.log(COMPARISON, tmp_path / "a.json", step=2, report=True)
        assert "<!doctype html>" in (tmp_path / "a-2.html").read_text().lower()
        assert {path.name for path in tmp_path.iterdir()} == {"a.json", "a-2.html"}

    def test_that_cannot_be_written(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"cannot be written \(No such file"):
            mauve.log(COMPARISON, tmp_path / "none" / "a.jsonl")


class TestArguments:
    @pytest.mark.parametrize("to", ["mlfow", "tensorboard:", "a.txt", 5, None, object()])
    def test_no_tracker(self, to):
        with pytest.raises(InvalidParameterError, match=r"'to' parameter of log must be 'wandb',"):
            mauve.log(COMPARISON, to)

    @pytest.mark.parametrize(
        "options", [{"step": -1}, {"step": 1.5}, {"prefix": ""}, {"report": "yes"}]
    )
    def test_options(self, options, tmp_path):
        with pytest.raises(InvalidParameterError, match=next(iter(options))):
            mauve.log(COMPARISON, tmp_path / "a.json", **options)

    def test_no_comparison(self, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"must be what mauve\.compare returns"):
            mauve.log(COMPARISON["c"], tmp_path / "a.json")

    @pytest.mark.slow
    def test_trackers_that_are_missing(self):
        """In a process of its own, where imports fail as they do without the packages."""
        code = """
import sys
import numpy as np
import mauve
trackers = ["wandb", "trackio", "mlflow"]
sys.modules |= dict.fromkeys(trackers)
rows = np.random.default_rng(0).normal(size=(2, 200, 4))
comparison = mauve.compare(*rows, n_permutations=0, progress=False)
for tracker in trackers:
    try: mauve.log(comparison, tracker)
    except mauve.MissingExtraError as error: print(error)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        for tracker, line in zip(
            ["wandb", "trackio", "mlflow"], done.stdout.splitlines(), strict=True
        ):
            assert line.startswith(f"Logging to {tracker} needs {tracker}")
            assert f'pip install "mauve-eval[{tracker}]"' in line
