"""Embed text files with a Transformers model, one ``.npy`` of features for each file.

The other benchmarks take real text as such features. Needs ``torch`` and
``transformers`` beside the project.

    python benchmarks/features.py MODEL_FOLDER OUT_FOLDER human.jsonl.gz greedy.jsonl.gz ...

Features are the mean of the last hidden states over the tokens of a text, cut
at ``--max-tokens``.
"""

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModel, AutoTokenizer


def read_texts(path: Path) -> list[str]:
    """Return the ``text`` field of every line of a gzip-compressed JSON-lines file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


@torch.inference_mode()
def embed(texts: list[str], tokenizer, model, max_tokens: int, batch_size: int = 64) -> np.ndarray:
    """Return the mean-pooled last hidden states, shape (len(texts), width)."""
    by_length = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    features = np.empty((len(texts), model.config.hidden_size), dtype=np.float32)
    for start in range(0, len(texts), batch_size):
        rows = by_length[start : start + batch_size]
        batch = tokenizer(
            [texts[i] for i in rows],
            padding=True,
            truncation=True,
            max_length=max_tokens,
            return_tensors="pt",
        )
        hidden = model(**batch).last_hidden_state  # (batch, tokens, width)
        mask = batch["attention_mask"][..., None]
        features[rows] = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    return features


def main() -> None:
    """Embed every file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="folder of a Transformers model with its tokenizer")
    parser.add_argument("out", type=Path, help="folder for the .npy files")
    parser.add_argument("texts", type=Path, nargs="+", help="files of JSON lines, .jsonl.gz")
    parser.add_argument("--max-tokens", type=int, default=128)
    args = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    model = AutoModel.from_pretrained(args.model).eval()
    args.out.mkdir(parents=True, exist_ok=True)
    for path in args.texts:
        target = args.out / f"{path.name.removesuffix('.jsonl.gz')}.npy"
        np.save(target, embed(read_texts(path), tokenizer, model, args.max_tokens))
        print(target)


if __name__ == "__main__":
    main()
