"""Measure where the features of the bundled model lie, on the held-out documents.

    python training/scaling.py src/mauve/embed/model books.txt.xz modern.txt.xz

Writes ``features.json``: the centre and the spread of the mean hidden state and of the
statistics of surprisal, over passages of 400 to 1,800 characters.
"""

import argparse
from pathlib import Path

import numpy as np
from train import HELD_OUT, documents

from mauve.embed import bundled
from mauve.embed.bundled import BundledEmbedder

N_PASSAGES = 800


def passages(texts: list[str], rng: np.random.Generator) -> list[str]:
    """Cut passages at spaces from documents drawn at random."""
    texts = [text for text in texts if len(text) > 1000]
    if not texts:
        raise SystemExit("no held-out document has more than 1,000 characters")
    cut: list[str] = []
    while len(cut) < N_PASSAGES:
        text = texts[rng.integers(len(texts))]
        length = int(rng.integers(400, 1800))
        start = text.find(" ", int(rng.integers(max(1, len(text) - length)))) + 1
        passage = text[start : start + length]
        if len(passage) > 200:
            cut.append(passage)
    return cut


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("corpus", type=Path, nargs="+")
    args = parser.parse_args()
    bundled.MODEL = args.folder
    texts = [text for path in args.corpus for text in documents(path) if text][::HELD_OUT]
    scaling = BundledEmbedder().measure_scaling(passages(texts, np.random.default_rng(0)))
    scaling.write(args.folder)
    print(f"spread {scaling.spread:.3f}, statistics {scaling.statistics_center}")
