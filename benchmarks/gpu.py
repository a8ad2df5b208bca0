"""How fast text becomes features, and features clusters, on a GPU.

    python benchmarks/gpu.py --texts 10000

A GPT-2 of a given shape with random weights reads texts of a realistic mix of lengths: our
embedder in bfloat16 and with 8-bit floats, and the authors' way (float32, one text at a time, all
hidden states kept) on some of them. The card's peak is what a large bfloat16 product reaches in the
same run. Features are compared with those of float32, and so are the scores of real texts, by these
weights and by the trained ones of the bundled model. Then texts come from files, to be hashed,
tokenised, embedded and assigned to buckets; what limits each step of the model; principal
components and one k-means of all texts, as for joint clusterings; and a comparison with the
defaults of `compare` on the GPU and on the CPU.
"""

import argparse
import json
import shutil
import tempfile
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import torch
import transformers
from roofline import Peaks, can_float8, measure_peaks, print_roofline, timed
from transformers import AutoModel, AutoTokenizer, GPT2Config, GPT2LMHeadModel, GPT2Model

import mauve
from mauve import compare
from mauve.embed.bundled import MODEL
from mauve.embed.replica import Replica
from mauve.embed.transformers import TransformersEmbedder
from mauve.lm.decoding import parse_sampler
from mauve.lm.generation import generate
from mauve.lm.ngram import NGramModel
from mauve.lm.reference import split_reference
from mauve.quantize.gpu import TorchKMeans, reduce_on_device


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


def print_speed(
    folder: Path, config: GPT2Config, texts: list[list[int]], some: list[list[int]],
    dtypes: list[str], device: str, peaks: Peaks,
) -> None:  # fmt: skip
    """Print the speed of our embedder with each number type beside the authors' way."""
    lengths = np.array([len(text) for text in texts])
    model = GPT2Model.from_pretrained(folder, dtype=torch.float32).to(device).eval()
    reference, theirs = authors_way(model, some, device)
    del model
    their_rate = sum(map(len, some)) / theirs
    print(f"authors' way (fp32, batch 1):  {their_rate:12,.0f} tokens/s")
    for dtype in dtypes:
        ours = TransformersEmbedder(
            folder, device=device, max_length=config.n_positions, dtype=dtype
        )
        ours.embed_tokens(some)
        start = time.perf_counter()
        features = ours.embed_tokens(texts)
        seconds = time.perf_counter() - start
        rate = operations(config, lengths) / seconds
        cosine = cosines(features[: len(some)], reference)
        print(f"ours, {dtype}: {lengths.sum() / seconds:12,.0f} tokens/s, {rate / 1e12:.1f} "
              f"TFLOP/s, {rate / peaks.bfloat16:.1%} of the bfloat16 peak, "
              f"{lengths.sum() / seconds / their_rate:.1f} times the authors' way; cosine to "
              f"float32: least {cosine.min():.5f}, mean {cosine.mean():.5f}",
              flush=True)  # fmt: skip


def cosines(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the cosine of each row with the other of its number."""
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(others, axis=1)
    return np.asarray((rows * others).sum(axis=1) / lengths)


def real_texts(n: int) -> dict[str, list[str]]:
    """Return passages of the Python language reference, and what an n-gram model makes of them."""
    reference = split_reference(n)
    model = NGramModel.fit(reference.training)
    prompts = ["".join(passage[:8]) for passage in reference.passages]
    n_tokens = len(reference.passages[0]) - 8
    texts = {"human": ["".join(passage[8:]) for passage in reference.passages]}
    for name, decoder in {"ancestral": "ancestral", "nucleus": "nucleus:0.9"}.items():
        written = generate(model, parse_sampler(decoder), prompts, max_tokens=n_tokens, seed=1)
        texts[name] = [text[len(prompt) :] for prompt, text in zip(prompts, written, strict=True)]
    return {name: [text or " " for text in sample] for name, sample in texts.items()}


def features_of(folder: Path, rows: list[list[int]], dtype: str, device: str) -> np.ndarray:
    """Return features; a CPU has no speed in 8-bit floats, and the same numbers."""
    if dtype != "float8" or device.startswith("cuda"):
        return TransformersEmbedder(folder, device=device, dtype=dtype).embed_tokens(rows)
    model = AutoModel.from_pretrained(folder, dtype=torch.bfloat16)
    replica = Replica(model, torch.device(device), True, "last", -1, 0, is_float8=True)
    return np.concatenate([replica.forward([row]).on_host()[0] for row in rows])


def print_scores(folder: Path, name: str, dtypes: list[str], device: str, n: int) -> None:
    """Print features and scores of real texts by number type."""
    texts = real_texts(n)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    rows = {sample: tokenizer(part)["input_ids"] for sample, part in texts.items()}
    reference, scores = None, {}
    for dtype in ["float32", *dtypes]:
        features = {s: features_of(folder, part, dtype, device) for s, part in rows.items()}
        human = features.pop("human")
        results = compare(human, features, n_permutations=0, progress=False)
        reference, scores = (human, results) if reference is None else (reference, scores)
        cosine = cosines(human, reference)
        print(f"{n} real texts, {name}, {dtype}: cosine to float32 least {cosine.min():.5f}, mean "
              f"{cosine.mean():.5f};", end="")  # fmt: skip
        for system, result in results.items():
            change = result.mauve - scores[system].mauve
            print(f" {system} {result.mauve:.4f} ({change:+.4f})", end="")
        print(flush=True)


def print_files(
    folder: Path, config: GPT2Config, lengths: np.ndarray, dtypes: list[str], device: str,
    peaks: Peaks,
) -> None:  # fmt: skip
    """Print how long texts in files take, to be hashed, embedded and assigned, for a million."""
    rng = np.random.default_rng(2)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    words = [tokenizer.decode([token]) for token in range(300, tokenizer.vocab_size)]
    words = [word for word in words if word.strip().isalpha()]
    texts = [" ".join(rng.choice(words, size=max(5, n // 2))) for n in lengths]
    counts = [len(row) for row in tokenizer(texts, truncation=True)["input_ids"]]
    names = ["human", "model"]
    for name, part in zip(names, np.array_split(texts, 2), strict=True):
        for i, lines in enumerate(np.array_split(part, 4)):
            records = "".join(json.dumps({"text": str(text)}) + "\n" for text in lines)
            (folder / f"{name}-{i}.jsonl").write_text(records)
    human, model = (str(folder / f"{name}-*.jsonl") for name in names)
    least = operations(config, np.array(counts)) / peaks.bfloat16
    million = 1e6 / len(texts)
    for dtype in dtypes:
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mauve.compare_files(
                human, {"model": model}, embedder=str(folder), device=device, unreadable="warn",
                embedder_settings={"dtype": dtype}, n_tested=1000, progress=False,
            )  # fmt: skip
        seconds = time.perf_counter() - start
        print(f"{len(texts):,} texts of {np.mean(counts):.0f} tokens in files, {dtype}: "
              f"{seconds:.1f} s, {seconds * million:,.0f} s for a million; products alone at the "
              f"bfloat16 peak {least * million:,.0f} s", flush=True)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--authors-texts", type=int, default=200)
    parser.add_argument("--features", type=int, default=10_000, help="rows to cluster, even")
    parser.add_argument("--score-texts", type=int, default=500, help="real texts of each source")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--layers", type=int, default=36)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--heads", type=int, default=20)
    parser.add_argument("--size", type=int, default=8192, help="of the product of the peak")
    args = parser.parse_args()
    device = args.device
    rng = np.random.default_rng(0)
    config = GPT2Config(n_embd=args.width, n_layer=args.layers, n_head=args.heads)
    lengths = lengths_of_texts(args.texts, config.n_positions, rng)
    texts = [rng.integers(config.vocab_size, size=n).tolist() for n in lengths]
    some = texts[: args.authors_texts]
    is_gpu = device.startswith("cuda")
    card = torch.cuda.get_device_name() if is_gpu else device
    dtypes = ["bfloat16", *["float8"] * (is_gpu and can_float8(device))]
    print(f"{card}, torch {torch.__version__}, transformers {transformers.__version__}")
    print(f"{len(texts)} texts, {lengths.sum()} tokens, mean {lengths.mean():.0f}", flush=True)
    peaks = measure_peaks(device, args.size)
    print(f"peaks: bfloat16 {peaks.bfloat16 / 1e12:.1f} TFLOP/s, 8-bit floats "
          f"{(peaks.float8 or 0) / 1e12:.1f} TFLOP/s, copy {peaks.memory / 1e9:,.0f} GB/s",
          flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_folder(folder, config)
        print_speed(folder, config, texts, some, dtypes, device, peaks)
        with_float8 = list(dict.fromkeys([*dtypes, "float8"]))
        print_scores(folder, "random weights", with_float8, device, args.score_texts)
        print_scores(MODEL, "bundled model", with_float8, device, args.score_texts)
        print_files(folder, config, lengths, dtypes, device, peaks)
    # As many tokens as one batch holds, the longest texts first.
    batch = np.sort(lengths)[::-1]
    batch = batch[: max(1, int(np.searchsorted(np.cumsum(batch), 65_536)))]
    print_roofline(batch, args.width, args.heads, device, peaks)
    print_clustering(args.features, device)


def print_clustering(n: int, device: str) -> None:
    """Print how long features take to be clustered and compared."""
    rng = np.random.default_rng(3)
    # Random texts on a random model have no clusters, so draw features that do.
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
