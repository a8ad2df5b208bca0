"""The metric of torchmetrics: batches, reset, processes, plots."""

import copy
import subprocess
import sys

import numpy as np
import pytest
import torch

import mauve
from mauve.errors import InvalidParameterError
from mauve.integrations.torchmetrics_metric import MauveMetric

OPTIONS = {"n_permutations": 0, "n_clusterings": 5}
RNG = np.random.default_rng(0)
HUMAN = RNG.normal(size=(300, 4)).astype("float32")
MODEL = RNG.normal(size=(300, 4)).astype("float32") + 0.5
EXPECTED = mauve.compare(HUMAN, {"model": MODEL}, progress=False, **OPTIONS)["model"]


def filled(n_batches=3):
    metric = MauveMetric(options=OPTIONS)
    for human, model in zip(
        np.array_split(HUMAN, n_batches), np.array_split(MODEL, n_batches), strict=True
    ):
        metric.update(torch.from_numpy(human), "human")
        metric.update(torch.from_numpy(model), "model")
    return metric


@pytest.mark.parametrize("n_batches", [1, 3])
def test_batches_do_not_matter(n_batches):
    metric = filled(n_batches)
    assert float(metric.compute()) == pytest.approx(EXPECTED.mauve, abs=1e-7)  # of 32 bits
    assert metric.result == EXPECTED


def test_human_features_outlive_a_reset():
    metric = filled()
    first = metric.compute()
    metric.reset()
    assert metric.model == []
    metric.update(torch.from_numpy(MODEL), "model")
    assert metric.compute() == first
    forgetful = MauveMetric(options=OPTIONS, reset_human=True)
    forgetful.update(torch.from_numpy(HUMAN), "human")
    forgetful.reset()
    assert forgetful.human == []


def test_texts_are_embedded():
    metric = MauveMetric()
    metric.update(["A text of a person.", "Another text of a person."], "human")
    [features] = metric.human
    expected = mauve.get_embedder("bundled").embed(
        ["A text of a person.", "Another text of a person."]
    )
    np.testing.assert_array_equal(features.numpy(), expected.features)


def test_it_is_copied_with_its_state():
    metric = copy.deepcopy(filled())
    assert float(metric.compute()) == pytest.approx(EXPECTED.mauve, abs=1e-7)


@pytest.mark.slow
def test_plot():
    figure, _ = filled().plot()
    assert figure.axes
    import matplotlib.pyplot as plt

    plt.close(figure)


@pytest.mark.parametrize(
    ("batch", "side", "match"),
    [
        (torch.zeros(3, 2), "system", "'human' or 'model'"),
        (torch.zeros(3), "human", r"shape \(n, d\)\. Got the shape \(3,\) instead"),
        (torch.full((3, 2), torch.nan), "model", "with NaN or infinity instead"),
    ],
)
def test_batches_that_are_wrong(batch, side, match):
    with pytest.raises(InvalidParameterError, match=match):
        MauveMetric().update(batch, side)


@pytest.mark.filterwarnings("ignore:The ``compute`` method of metric:UserWarning")
def test_a_side_that_is_missing():
    with pytest.raises(InvalidParameterError, match="Got none with side='human'"):
        MauveMetric().compute()


WORKER = """
import os, sys, numpy as np, torch, torch.distributed as dist
from mauve.integrations.torchmetrics_metric import MauveMetric
rank, folder = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
rng = np.random.default_rng(0)
human = rng.normal(size=(300, 4)).astype("float32")
model = rng.normal(size=(300, 4)).astype("float32") + 0.5
metric = MauveMetric(options={"n_permutations": 0, "n_clusterings": 5})
for side, rows in (("human", human), ("model", model)):
    part = rows[:100] if rank == 0 else rows[100:]  # of unequal sizes
    metric.update(torch.from_numpy(part), side)
print(repr(float(metric.compute())), len(metric.human), sum(map(len, metric.human)))
dist.destroy_process_group()
"""


@pytest.mark.slow
def test_processes_share_their_features(tmp_path):
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER, str(rank), str(tmp_path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    printed = [worker.communicate(timeout=300)[0].split() for worker in workers]
    assert [float(line[0]) for line in printed] == pytest.approx([EXPECTED.mauve] * 2, abs=1e-7)
    assert [line[1:] for line in printed] == [["1", "100"], ["1", "200"]]  # its own again
