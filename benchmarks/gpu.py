"""How fast text becomes features, and features clusters, on a GPU.

    python benchmarks/gpu.py --texts 10000

A GPT-2 of a given shape with random weights reads texts of a realistic mix of lengths: our
embedder in bfloat16, and the authors' way (float32, one text at a time, all hidden states
kept) on some of them. The card's peak is what a large bfloat16 product reaches in the same
run. Features are compared with those of float32. Then principal components and one k-means of all
texts, as for joint clusterings, and a comparison with the defaults of `compare` on the GPU and on
the CPU.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
import transformers
from transformers import GPT2Config, GPT2LMHeadModel, GPT2Model

from mauve import compare
from mauve.embed.bundled import MODEL
from mauve.embed.transformers import TransformersEmbedder
from mauve.quantize.gpu import TorchKMeans, reduce_on_device


def peak(device: str, size: int = 8192) -> float:
    """Return the operations per second of a bfloat16 matrix product."""
    a, b = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    seconds = timed(lambda: a @ b, device, repeats=20)
    return 2 * size**3 / seconds


def timed(work: Callable[[], object], device: str, repeats: int = 1) -> float:
    """Return the seconds of one call, after one to warm up."""
    work()
    wait(device)
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    wait(device)
    return (time.perf_counter() - start) / repeats


def wait(device: str) -> None:
    """Wait for the device."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def lengths_of_texts(n: int, longest: int, rng: np.random.Generator) -> np.ndarray:
    """Draw a mix of short, middle and long texts, cut at the longest."""
    return np.clip(rng.lognormal(mean=5.8, sigma=0.8, size=n), 20, longest).astype(int)


def operations(config: GPT2Config, lengths: np.ndarray) -> float:
    """Return the multiplications and additions that the model needs for real tokens."""
    tokens, width = float(lengths.sum()), config.n_embd
    products = 2 * 12 * width**2 * tokens
    attention = 2 * 2 * width * float((lengths.astype(float) ** 2).sum()) / 2  # half is masked
    return config.n_layer * (products + attention)


def make_folder(folder: Path, config: GPT2Config) -> None:
    """Write a model with random weights, and the bundled tokenizer."""
    torch.manual_seed(0)
    GPT2LMHeadModel(config).save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(MODEL / name, folder / name)
    # The bundled tokenizer says 512 tokens.
    path = folder / "tokenizer_config.json"
    path.write_text(path.read_text().replace("512", str(config.n_positions)))


def authors_way(model: GPT2Model, texts: list[list[int]], device: str) -> tuple[np.ndarray, float]:
    """Return the features of texts that are run one by one, and the seconds it takes."""
    tensors = [torch.tensor([text], device=device) for text in texts]
    rows: list[np.ndarray] = []

    def run() -> None:
        rows.clear()
        with torch.no_grad():
            for ids in tensors:
                output = model(input_ids=ids, output_hidden_states=True)
                rows.append(output.hidden_states[-1][0, -1].cpu().numpy())

    seconds = timed(run, device)
    return np.stack(rows), seconds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--authors-texts", type=int, default=200)
    parser.add_argument("--features", type=int, default=10_000, help="rows to cluster, even")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=36)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--heads", type=int, default=20)
    args = parser.parse_args()
    device = args.device
    rng = np.random.default_rng(0)
    config = GPT2Config(n_embd=args.width, n_layer=args.layers, n_head=args.heads)
    lengths = lengths_of_texts(args.texts, config.n_positions, rng)
    texts = [rng.integers(config.vocab_size, size=n).tolist() for n in lengths]
    some = texts[: args.authors_texts]
    card = torch.cuda.get_device_name() if device.startswith("cuda") else device
    print(f"{card}, torch {torch.__version__}, transformers {transformers.__version__}")
    print(f"{len(texts)} texts, {lengths.sum()} tokens, mean {lengths.mean():.0f}", flush=True)

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_folder(folder, config)
        limit = peak(device)
        ours = TransformersEmbedder(folder, device=device, max_length=config.n_positions)
        ours.embed_tokens(some)
        start = time.perf_counter()
        features = ours.embed_tokens(texts)
        seconds = time.perf_counter() - start
        rate = operations(config, lengths) / seconds
        print(f"peak (bf16 product of 8192)      {limit / 1e12:8.0f} TFLOP/s")
        print(f"ours, {ours._dtype}: {lengths.sum() / seconds:12,.0f} tokens/s, "
              f"{rate / 1e12:.0f} TFLOP/s, {rate / limit:.1%} of the peak", flush=True)  # fmt: skip

        model = GPT2Model.from_pretrained(folder, dtype=torch.float32).to(device).eval()
        reference, theirs = authors_way(model, some, device)
        their_rate = sum(map(len, some)) / theirs
        print(f"authors' way (fp32, batch 1):  {their_rate:12,.0f} tokens/s; ours is "
              f"{lengths.sum() / seconds / their_rate:.1f} times as fast")  # fmt: skip
        mine = features[: len(some)]
        product = (mine * reference).sum(axis=1)
        cosine = product / np.linalg.norm(mine, axis=1) / np.linalg.norm(reference, axis=1)
        print(f"cosine to float32: least {cosine.min():.5f}, mean {cosine.mean():.5f}", flush=True)

    # Random texts on a random model have no clusters, so draw features that do.
    n = args.features
    groups = rng.normal(size=(300, 1280))
    data = groups[rng.integers(300, size=n)] + rng.normal(size=(n, 1280)) * 0.8
    data = data.astype(np.float32)

    def cluster() -> None:
        reduced, _ = reduce_on_device(data, explained_variance=0.9, order="norm-pca", device=device)
        TorchKMeans(device).fit(reduced, n // 20, np.random.default_rng(0)).assign(reduced)

    print(
        f"PCA and one k-means (k = {n // 20}) of {n:,} x 1,280: {timed(cluster, device, 3):.3f} s"
    )
    halves = np.split(data, 2)
    for where in dict.fromkeys((device, "cpu")):
        work = partial(compare, *halves, n_permutations=0, device=where, progress=False)
        seconds = timed(work, device, 3)
        print(
            f"compare of {n // 2:,} + {n // 2:,} x 1,280 without the test, {where}: {seconds:.3f} s"
        )


if __name__ == "__main__":
    main()
