"""The training scripts of the bundled model run, on a corpus of a few kilobytes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mauve.embed.bundled import MODEL

TRAINING = Path(__file__).parents[1] / "training"


def run(*arguments):
    command = [sys.executable, *map(str, arguments)]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("training")
    corpus = folder / "corpus.txt"
    sentences = [f"Sentence {i} says that {i * i} is the square of {i}." for i in range(400)]
    documents = [" ".join(sentences[i : i + 4]) for i in range(0, 400, 2)]
    corpus.write_text("\n<|doc|>\n".join(documents))
    small = "--layers 2 --width 32 --heads 2 --vocabulary 300 --context 64 --batch 4 --steps 6"
    out = run(
        TRAINING / "train.py", corpus, "--out", folder / "model", *small.split(), "--report", 3
    )
    run(TRAINING / "export.py", folder / "model")
    return folder / "model", out


@pytest.mark.slow
def test_loss_curve_and_record(trained):
    folder, out = trained
    record = json.loads((folder / "training.json").read_text())
    assert [point["step"] for point in record["curve"]] == [3, 6]
    assert record["documents"] == 200
    assert record["settings"]["seed"] == 0
    assert len(record["sha256"]) == 64
    assert '"held_out"' in out


@pytest.mark.slow
def test_graph_agrees_with_transformers(trained):
    import onnxruntime
    import torch
    from transformers import AutoModelForCausalLM

    folder, _ = trained
    ids = np.random.default_rng(0).integers(0, 300, size=(3, 20))
    session = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), providers=["CPUExecutionProvider"]
    )
    before = np.arange(60).reshape(3, 20)[:, :-1]
    hidden, log_probability = session.run(
        ["hidden", "log_probability"], {"ids": ids, "before": before.ravel()}
    )
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        output = model(torch.tensor(ids), output_hidden_states=True)
    # Both compute in 32 bits, from the same weights of 16.
    np.testing.assert_allclose(hidden, output.hidden_states[-1].numpy(), atol=1e-4)
    expected = (
        output.logits[:, :-1].log_softmax(-1).gather(2, torch.tensor(ids)[:, 1:, None])[..., 0]
    )
    np.testing.assert_allclose(log_probability.reshape(3, 19), expected.numpy(), atol=1e-4)


@pytest.mark.slow
def test_a_family_of_models_writes_texts(tmp_path):
    from mauve.lm.decoding import Greedy
    from mauve.lm.writers import get_writer
    from mauve.lm.writing import WritingOptions

    corpus = tmp_path / "corpus.txt"
    documents = [" ".join(f"Line {i} of text {j}." for i in range(30)) for j in range(200)]
    corpus.write_text("\n<|doc|>\n".join(documents))
    small = "--family cpu --vocabulary 300 --context 32 --batch 2 --steps 2 --characters 60"
    run(TRAINING / "family.py", corpus, "--out", tmp_path / "family", *small.split())
    human = [
        json.loads(line) for line in (tmp_path / "family/human.jsonl").read_text().splitlines()
    ]
    assert all(record["text"] in documents[0] + documents[100] for record in human)
    folders = sorted(path for path in (tmp_path / "family").iterdir() if path.is_dir())
    assert [folder.name for folder in folders] == ["1x32", "2x64", "3x128", "4x192"]
    for folder in folders:
        [(_, written)] = get_writer(folder, device="cpu").write(
            ["Line 1"], Greedy(), WritingOptions(4)
        )
        assert written.n_tokens > 0
    tokenizers = {(folder / "tokenizer.json").read_text() for folder in folders}
    assert len(tokenizers) == 1


def test_the_bundled_model_is_the_one_in_its_record():
    import hashlib

    record = json.loads((MODEL / "training.json").read_text())
    assert (
        hashlib.sha256((MODEL / "model.safetensors").read_bytes()).hexdigest() == record["sha256"]
    )
    assert sum(path.stat().st_size for path in MODEL.iterdir()) < 16_000_000
