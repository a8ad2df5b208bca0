"""Texts and features on disk, as our measures and those of other packages read them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from self_bleu import make_texts
from simulate import text_like


class SavedSamples:
    """A human and a model sample in a folder: texts, tokens and features."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.settings: dict[str, Any] = json.loads((self.folder / "settings.json").read_text())

    def texts(self, sample: str = "model") -> list[str]:
        """Return the texts of a sample."""
        return (self.folder / f"{sample}.txt").read_text(encoding="utf-8").split("\n")[:-1]

    def words(self, sample: str = "model") -> list[list[str]]:
        """Return the words of each text."""
        return [text.split() for text in self.texts(sample)]

    def scored(self) -> list[str]:
        """Return what language models read, short enough for the bundled one."""
        texts = self.texts()[: self.settings["scored"]]
        return [" ".join(text.split()[:100]) for text in texts]

    def array(self, name: str) -> np.ndarray:
        """Return an array that was saved."""
        return np.load(self.folder / f"{name}.npy")

    def features(self) -> list[np.ndarray]:
        """Return the features of the model's texts and of the human ones."""
        return [self.array("model"), self.array("human")]


def save(folder: Path, texts: dict[str, list[str]], dim: int, scored: int) -> None:
    """Write texts, their words as numbers, and features to a folder."""
    from mauve.embed.bundled import MODEL
    from mauve.measures.mmd import median_distance

    numbers: dict[str, int] = {}
    rng = np.random.default_rng(0)
    for (sample, written), shift in zip(texts.items(), (0.0, 0.1), strict=True):
        (folder / f"{sample}.txt").write_text("\n".join([*written, ""]), encoding="utf-8")
        rows = [
            [numbers.setdefault(word, len(numbers)) for word in text.split()] for text in written
        ]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        np.save(folder / f"{sample}-starts.npy", starts)
        np.save(folder / f"{sample}-ids.npy", np.concatenate(rows).astype(np.int32))
        np.save(folder / f"{sample}.npy", text_like(len(written), dim, shift, rng))
    n = len(texts["human"])
    settings = {
        "n": n, "n_words": len(numbers), "scored": min(scored, n), "model": str(MODEL),
        "width": median_distance(np.load(folder / "human.npy")),
    }  # fmt: skip
    (folder / "settings.json").write_text(json.dumps(settings))


def synthetic_texts(n: int) -> list[str]:
    """Return texts of 200 words, every twentieth of which ends in a loop."""
    rows = make_texts(n, length=200)
    rows[::20, -15:] = np.tile(rows[::20, -20:-15], 3)
    words = [spelt(number) for number in range(int(rows.max()) + 1)]
    return [" ".join(words[number] for number in row) for row in rows.tolist()]


def spelt(number: int) -> str:
    """Return a word for a number, the shorter the lower it is."""
    syllable = "bcdfghjklmnpqrstvwxz"[number % 100 // 5] + "aeiou"[number % 5]
    return (spelt(number // 100) if number >= 100 else "") + syllable
