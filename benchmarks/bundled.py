"""How fast the bundled model reads text, beside the authors' package with GPT-2 large.

    python benchmarks/bundled.py --peer ENV/bin/python --threads 2

Both read the same texts of 200 tokens each, on the same number of threads, one after the
other. GPT-2 large has random weights, which take as long as any, and is read by the authors'
function for features, one text at a time, in an environment of its own (`peer.py` says how
to make it; transformers is needed there as well).
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

_PEER = """
import sys, time
import torch
torch.set_num_threads(int(sys.argv[1]))
from transformers import GPT2Config, GPT2Model
from mauve.utils import featurize_tokens_from_model
model = GPT2Model(GPT2Config(n_embd=1280, n_layer=36, n_head=20)).eval()
texts = [torch.randint(50257, (1, 200)) for _ in range(int(sys.argv[2]))]
featurize_tokens_from_model(model, texts[:1], 1)
start = time.perf_counter()
featurize_tokens_from_model(model, texts, 1)
print((time.perf_counter() - start) / len(texts))
"""


def main() -> None:
    """Print the texts per second of both, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--peer", help="Python of the authors' environment")
    parser.add_argument("--peer-texts", type=int, default=6)
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)
    import numpy as np  # after the number of threads is set
    from tokenizers import Tokenizer

    from mauve.embed.bundled import MODEL, BundledEmbedder
    from mauve.lm.decoding import parse_sampler
    from mauve.lm.generation import generate
    from mauve.lm.ngram import NGramModel
    from mauve.lm.reference import split_reference

    reference = split_reference(100)
    model = NGramModel.fit([*reference.passages, *reference.training])
    prompts = ["".join(passage[:8]) for passage in reference.passages]
    long = generate(model, parse_sampler("ancestral"), prompts * 3, max_tokens=250)
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    ids = [token for text in long for token in tokenizer.encode(text).ids]
    rng = np.random.default_rng(0)
    starts = rng.integers(len(ids) - 200, size=args.texts)
    texts = [tokenizer.decode(ids[start : start + 200]) for start in starts]
    embedder = BundledEmbedder()
    embedder.embed(texts[:50])
    start = time.perf_counter()
    embedded = embedder.embed(texts)
    ours = (time.perf_counter() - start) / len(texts)
    mean = embedded.n_tokens.mean()
    print(f"bundled: {1 / ours:.0f} texts/s of {mean:.0f} tokens, {args.threads} threads")
    if args.peer:
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "peer.py"
            program.write_text(_PEER)
            done = subprocess.run(
                [args.peer, str(program), str(args.threads), str(args.peer_texts)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
        theirs = float(done.stdout.split()[-1])
        print(f"authors' package, GPT-2 large: {1 / theirs:.3f} texts/s of 200 tokens")
        print(f"bundled is {theirs / ours:.0f} times as fast")


if __name__ == "__main__":
    main()
