"""Hugging Face ``evaluate`` runs our metric, and its own published one runs on this package."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "embed"))  # tests are no package

import tiny_models

from mauve import compute_mauve

pytestmark = pytest.mark.slow

# Four sentences in other shares, so that scores are far from 0 and from 1.
KINDS = [*tiny_models.SENTENCES[:3], "50 € and no more"]
SHARES = {"references": (16, 12, 8, 4), "predictions": (2, 6, 12, 20)}
SAMPLES = {
    name: [text for text, n in zip(KINDS, shares, strict=True) for _ in range(n)]
    for name, shares in SHARES.items()
}

# With the imports, the order of the arguments and the call of the module that Hugging Face
# publishes, which a test cannot fetch.
PUBLISHED = """
import datasets
import faiss
import numpy
import requests
import sklearn
import tqdm
from mauve import compute_mauve  # From: mauve-text

import evaluate


class Mauve(evaluate.Metric):
    def _info(self):
        text = datasets.Value("string", id="sequence")
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="",
            features=datasets.Features({"predictions": text, "references": text}),
        )

    def _compute(
        self, predictions, references, p_features=None, q_features=None, p_tokens=None,
        q_tokens=None, num_buckets="auto", pca_max_data=-1, kmeans_explained_var=0.9,
        kmeans_num_redo=5, kmeans_max_iter=500, featurize_model_name="gpt2-large", device_id=-1,
        max_text_length=1024, divergence_curve_discretization_size=25, mauve_scaling_factor=5,
        verbose=True, seed=25,
    ):
        return compute_mauve(
            p_text=predictions, q_text=references, p_features=p_features, q_features=q_features,
            p_tokens=p_tokens, q_tokens=q_tokens, num_buckets=num_buckets,
            pca_max_data=pca_max_data, kmeans_explained_var=kmeans_explained_var,
            kmeans_num_redo=kmeans_num_redo, kmeans_max_iter=kmeans_max_iter,
            featurize_model_name=featurize_model_name, device_id=device_id,
            max_text_length=max_text_length,
            divergence_curve_discretization_size=divergence_curve_discretization_size,
            mauve_scaling_factor=mauve_scaling_factor, verbose=verbose, seed=seed,
        )
"""


def run_evaluate(folder, program, **given):
    """Run a program that imports ``evaluate``, with `given` as names; return what it prints."""
    (folder / "given.json").write_text(json.dumps(SAMPLES | given))
    start = "import json, evaluate; given = json.load(open('given.json'))\n"
    env = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", start + program],
        capture_output=True,
        text=True,
        cwd=folder,
        env=env | {"HOME": str(folder), "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"},
        timeout=400,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_our_metric(tmp_path):
    program = """
from mauve.integrations import EVALUATE_METRIC
import mauve
metric = evaluate.load(EVALUATE_METRIC)
options = dict(n_permutations=50, n_clusterings=5, seed=3, cache=False)
both = {name: given[name] for name in ("predictions", "references")}
result = metric.compute(**both, **options)
for prediction, reference in zip(*both.values()):
    metric.add(prediction=prediction, reference=reference)
assert metric.compute(**options) == result
direct = mauve.compare(given["references"], given["predictions"], **options)["model"]
score = result["mauve"]
assert (score, result["low"], result["high"]) == (direct.mauve, *direct.interval)
assert result["signature"] == direct.signature
try:
    metric.compute(**both, seed=-1)
except mauve.InvalidParameterError as error:
    print(error)
print(json.dumps(result))
print(metric.inputs_description.splitlines()[0])
"""
    message, result, described = run_evaluate(tmp_path, program).splitlines()
    assert "seed" in message
    assert described == "Args:"
    result = json.loads(result)
    assert 0 < result["mauve"] < 0.9
    assert result["p_value"] == pytest.approx(1 / 51)


def test_the_published_module(tmp_path):
    # Its folder and file have the name of this package.
    (tmp_path / "scripts" / "mauve").mkdir(parents=True)
    (tmp_path / "scripts" / "mauve" / "mauve.py").write_text(PUBLISHED)
    model = tiny_models.save("gpt2", tmp_path / "gpt2")
    program = """
metric = evaluate.load("scripts/mauve")
both = {name: given[name] for name in ("predictions", "references")}
result = metric.compute(**both, featurize_model_name=given["model"], verbose=False)
print(json.dumps([result.mauve, result.frontier_integral, result.p_hist.tolist()]))
"""
    score, integral, p_hist = json.loads(run_evaluate(tmp_path, program, model=str(model)))
    expected = compute_mauve(
        p_text=SAMPLES["predictions"],
        q_text=SAMPLES["references"],
        featurize_model_name=str(model),
    )
    assert score == pytest.approx(expected.mauve, rel=1e-6)
    assert integral == pytest.approx(expected.frontier_integral, rel=1e-6)
    assert sorted(p_hist) == pytest.approx(sorted(expected.p_hist))
    assert 0 < score < 1
