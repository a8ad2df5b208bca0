"""Train a family of causal language models of growing size, for `mauve experiment`.

    python training/family.py books.txt.xz modern.txt.xz --out family --device cuda
    python training/family.py books.txt.xz modern.txt.xz --out family --family cpu --every 8

All models read the same tokens in the same order and have one tokenizer; only their size
differs. Beside the folders of the models there is ``human.jsonl``, passages of the held-out
documents, one in a hundred. The corpus is as ``training/train.py`` reads it.
"""

import argparse
import json
from pathlib import Path

import torch
from train import HELD_OUT, documents, read_corpus, train

#: Layers, width and heads of each model. With a vocabulary of 8,192 those for a GPU have 1.9, 6.9,
#: 23 and 53 million parameters; with 2,048 those for a CPU .08, .24, .85 and 2.2 million.
FAMILIES = {
    "gpu": [(4, 128, 4), (6, 256, 4), (8, 448, 7), (12, 576, 9)],
    "cpu": [(1, 32, 1), (2, 64, 2), (3, 128, 4), (4, 192, 6)],
}


def passages(texts: list[str], length: int, n: int) -> list[str]:
    """Cut passages of about `length` characters at spaces, n of them from all over the texts."""
    cut = []
    for text in texts:
        start = 0
        while start + length < len(text):
            end = text.rfind(" ", start, start + length)
            if end <= start:
                break
            cut.append(text[start:end].strip())
            start = end
    step = max(1, len(cut) // n)
    return cut[::step][:n]


def main() -> None:
    """Read the command line, train all models, and write the passages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--family", choices=FAMILIES, default="gpu")
    parser.add_argument("--tokenizer", type=Path, help="use this tokenizer.json")
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--context", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=128, help="windows a step")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--peak", type=float, default=2e-3, help="learning rate")
    parser.add_argument("--every", type=int, default=1, help="train on one document in so many")
    parser.add_argument("--passages", type=int, default=6000)
    parser.add_argument("--characters", type=int, default=3000, help="of a passage")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", type=int, default=250, help="steps between two reports")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, help="of the CPU")
    parser.add_argument("--compile", action="store_true")
    args = parser.parse_args()
    if args.threads:
        torch.set_num_threads(args.threads)
    out = args.out
    out.mkdir(parents=True, exist_ok=True)
    texts = [text for path in args.corpus for text in documents(path) if text][::HELD_OUT]
    with (out / "human.jsonl").open("w", encoding="utf-8") as file:
        for i, passage in enumerate(passages(texts, args.characters, args.passages)):
            file.write(json.dumps({"id": str(i), "text": passage}) + "\n")
    corpus = read_corpus(args, args.every)
    for layers, width, heads in FAMILIES[args.family]:
        args.layers, args.width, args.heads = layers, width, heads
        args.out = out / f"{layers}x{width}"
        if (args.out / "training.json").is_file():
            print(f"{args.out} is there already", flush=True)
            continue
        print(args.out, flush=True)
        train(args, corpus)


if __name__ == "__main__":
    main()
