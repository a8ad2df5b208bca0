"""Count the texts that are found to be in another language than English, by their length.

    python benchmarks/languages.py german.jsonl french.jsonl

Of translated manuals some paragraphs are still in English: those with more than 6% of the
commonest English words are left out, unless the file is English (``--all``).
"""

import argparse
import re
from pathlib import Path

from mauve.text.language import foreign_language, known_languages
from mauve.text.read import read_texts

_ENGLISH = {"the", "and", "of", "to", "you", "your", "with", "this", "that"}
_BANDS = (("25 or more", 25, 10**9), ("8 to 24", 8, 24))


def main() -> None:
    """Print a line for each file and range of lengths in words."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--all", action="store_true", help="leave no text out")
    args = parser.parse_args()
    english = known_languages(["en"])
    assert english is not None
    print(f"{'file':28} {'words':>10} {'texts':>6} {'found':>6}")
    for path in args.files:
        lengths, found = [], []
        for text in read_texts(path).texts:
            words = re.findall(r"\w+", text.lower())
            n_english = sum(word in _ENGLISH for word in words)
            if args.all or n_english <= 0.06 * len(words):
                lengths.append(len(words))
                found.append(bool(foreign_language(text, english)))
        for band, low, high in _BANDS:
            inside = [f for n, f in zip(lengths, found, strict=True) if low <= n <= high]
            share = sum(inside) / max(len(inside), 1)
            print(f"{path.name[:28]:28} {band:>10} {len(inside):6} {share:6.1%}")


if __name__ == "__main__":
    main()
