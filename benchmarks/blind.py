"""Measure where an embedder no longer sees that the words of texts are shuffled.

Each file of texts is dealt into two halves. MAUVE of the second half against the first is the
control, near 1; the same half with the words of every text shuffled should score far lower. An
embedder that gives the shuffled texts a score near the control is blind to such texts.

    python benchmarks/blind.py stories.jsonl.gz german.jsonl code.jsonl --tokens 5 20 80 all

With ``--unit lines`` the lines of each text are shuffled, with ``--unit tokens`` words and marks,
as suits code. ``--after 511`` shuffles only what follows the first 511 tokens.
"""

import argparse
import random
import warnings
from pathlib import Path

from mauve import MauveWarning, compare
from mauve.embed.bundled import tokenizer
from mauve.text.read import read_texts
from mauve.text.words import tokenize


def cut_to_tokens(text: str, n_tokens: int) -> str | None:
    """Return the first `n_tokens` tokens of the bundled model, or None of a shorter text."""
    encoding = tokenizer().encode(text)
    if len(encoding.ids) < n_tokens:
        return None
    return text[: encoding.offsets[n_tokens - 1][1]]


def shuffled(text: str, unit: str, rng: random.Random, after: int = 0) -> str:
    """Return a text with its words, lines or tokens in random order."""
    start = ""
    if after:
        start = cut_to_tokens(text, after) or text
        text = text[len(start) :]
    parts = {"words": str.split, "lines": str.splitlines, "tokens": tokenize}[unit](text)
    parts = list(parts)
    rng.shuffle(parts)
    return (
        start
        + (" " if start else "")
        + {"words": " ", "lines": "\n", "tokens": ""}[unit].join(parts)
    )


def main() -> None:
    """Print a line for each file and length."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--tokens", nargs="+", default=["all"], help="lengths to cut texts to")
    parser.add_argument("--unit", choices=["words", "lines", "tokens"], default="words")
    parser.add_argument("--after", type=int, default=0, help="tokens that stay in order")
    parser.add_argument("--embedder", default="bundled")
    parser.add_argument("--n", type=int, default=500, help="texts in each half")
    args = parser.parse_args()
    warnings.simplefilter("ignore", MauveWarning)  # they say what is measured here
    print(f"{'file':28} {'tokens':>6} {'n':>5} {'in order':>9} {'shuffled':>9}")
    for path in args.files:
        texts = read_texts(path).texts
        for length in args.tokens:
            rng = random.Random(0)
            kept = texts
            if length != "all":
                cut = [cut_to_tokens(text, int(length)) for text in texts]
                kept = [text for text in cut if text is not None and text.strip()]
            rng.shuffle(kept)
            n = min(args.n, len(kept) // 2)
            if n < 50:
                continue
            first, second = kept[:n], kept[n : 2 * n]
            systems = {
                "in order": second,
                "shuffled": [shuffled(text, args.unit, rng, args.after) for text in second],
            }
            scores = compare(
                first, systems, embedder=args.embedder, n_permutations=0, unreadable="warn"
            )
            row = [f"{scores[name].mauve:9.3f}" for name in systems]
            print(f"{path.name[:28]:28} {length:>6} {n:5}", *row, flush=True)


if __name__ == "__main__":
    main()
