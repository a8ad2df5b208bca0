"""Figures of fixed inputs, through the public interface alone.

``python tests/recorded/figures.py`` writes them to ``figures.json`` beside this file; run it
only where a change of a number is meant, and say so in the changelog.
"""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import mauve

RECORDED = Path(__file__).with_name("figures.json")

_SUBJECTS = [
    "the dog",
    "a teacher",
    "my sister",
    "the old sailor",
    "everyone",
    "a small bird",
    "the mayor",
]
_VERBS = ["saw", "carried", "forgot", "painted", "sold", "remembered", "followed"]
_OBJECTS = [
    "the river",
    "a letter",
    "two apples",
    "the winter",
    "her song",
    "an empty house",
    "the map",
]
_ENDS = [".", ", and nobody noticed.", "!", ", as people do.", " before the rain came.", "?"]


def written_texts(n: int, seed: int, *, repeat: float = 0.0, skew: float = 0.0) -> list[str]:
    """Return texts of a few sentences; `repeat` and `skew` make them worse."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(n):
        sentences: list[str] = []
        for _ in range(int(rng.integers(3, 7))):
            if sentences and rng.random() < repeat:
                sentences.append(sentences[-1])
                continue
            parts = [
                bank[min(int(rng.random() ** (1 + skew) * len(bank)), len(bank) - 1)]
                for bank in (_SUBJECTS, _VERBS, _OBJECTS)
            ]
            sentences.append(" ".join(parts).capitalize() + _ENDS[int(rng.integers(len(_ENDS)))])
        texts.append(" ".join(sentences))
    return texts


def drawn_features(n: int, seed: int, shift: float = 0.0, spread: float = 1.0) -> np.ndarray:
    """Return points around eight centres."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(8, 16)) * 2
    return centres[rng.integers(8, size=n)] * (1 + shift) + rng.normal(size=(n, 16)) * spread


def numbers_of(value: Any) -> Any:
    """Return a result's dict without words, which may be put otherwise."""
    if isinstance(value, dict):
        skipped = {"warnings", "signature", "version", "message", "remedy"}
        return {str(k): numbers_of(v) for k, v in value.items() if k not in skipped}
    if isinstance(value, list | tuple):
        return [numbers_of(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def compared(comparison: mauve.Comparison) -> dict[str, Any]:
    """Return what a comparison says in numbers, with the curve at a few points."""
    figures = {}
    for name, result in comparison.items():
        whole = result.to_dict()
        curve = whole.pop("divergence_curve")
        for other in ("form", "test_statistic", "classifier"):
            whole.pop(other)
        figures[name] = {
            **numbers_of(whole),
            "curve": curve[:: max(1, len(curve) // 8)],
            "labels": int(np.asarray(result.labels, dtype=np.int64).sum()),
            "equivalence": result.equivalence(0.1),
            "texts_needed": result.texts_needed(0.05),
        }
    figures["differences"] = [numbers_of(d.to_dict()) for d in comparison.differences()]
    return figures


def explained(explanation: mauve.Explanation) -> dict[str, Any]:
    """Return the clusters of every system."""
    return {
        name: [
            {
                "n_human": c.n_human,
                "n_model": c.n_model,
                "type_1": c.type_1.value,
                "type_2": c.type_2.value,
                "p_value": c.p_value,
            }
            for c in system.clusters
        ]
        for name, system in explanation.items()
    }


def feature_figures() -> dict[str, Any]:
    """Return figures of given features."""
    human = drawn_features(500, 0)
    systems = {"near": drawn_features(500, 1, 0.1), "far": drawn_features(420, 2, 0.4, 1.5)}
    prompts = {
        "human": [i // 2 for i in range(500)],
        "near": [i // 2 for i in range(500)],
        "far": [i // 2 for i in range(420)],
    }

    def compared_by(clustering: str) -> dict[str, Any]:
        by = {"clustering": clustering}
        whole = mauve.compare(human, systems, **by)
        bootstrap = {"interval": "bootstrap", "n_bootstrap": 50}
        return {
            "default": compared(whole),
            "bootstrap": compared(mauve.compare(human, systems, num_buckets=20, **bootstrap, **by)),
            "by-prompt": compared(
                mauve.compare(human, systems, prompts=prompts, num_buckets=20, **by)
            ),
            "plugin": compared(
                mauve.compare(human, systems["far"], estimator="plugin", num_buckets=20, **by)
            ),
            "pca-norm": compared(
                mauve.compare(human, systems, order="pca-norm", n_clusterings=10, seed=4, **by)
            ),
            "explained": explained(mauve.explain(whole)),
            # The lattice is left out: processors round differently, and a trained network grows
            # that into other buckets.
            "drmm": compared(
                mauve.compare(human, systems["far"], quantizer="drmm", n_permutations=100, **by)
            ),
        }

    paper = mauve.compute_mauve(p_features=human, q_features=systems["far"], seed=3)
    return {
        "pair": compared_by("pair")
        | {
            "classifier": compared(mauve.compare(human, systems, quantizer="classifier")),
            "n/10": compared(mauve.compare(human, systems, num_buckets="n/10", n_permutations=0)),
        },
        "joint": compared_by("joint"),
        "paper": {
            "mauve": float(paper.mauve),
            "mauve_star": float(paper.mauve_star),
            "frontier_integral": float(paper.frontier_integral),
            "num_buckets": int(paper.num_buckets),
        },
        "measures": numbers_of(mauve.measure(human, systems, "features").to_dict()),
    }


def text_figures() -> dict[str, Any]:
    """Return figures of texts: counts of words, and what the bundled model sees."""
    human = written_texts(300, 0)
    systems = {
        "plain": written_texts(300, 1, skew=0.3),
        "loops": written_texts(260, 2, repeat=0.6),
    }
    joint = mauve.compare(human, systems, cache=False, n_clusterings=10, clustering="joint")
    comparison = mauve.compare(human, systems, cache=False, n_clusterings=10)
    words = mauve.measure(human, systems, "text", cache=False, training=None)
    copies = mauve.measure(
        human, systems, "training", cache=False, training=written_texts(100, 1, skew=0.3)
    )
    return {
        "counted": {"words": numbers_of(words.to_dict()), "copies": numbers_of(copies.to_dict())},
        "embedded": {
            "pair": {
                "compared": compared(comparison),
                "explained": explained(mauve.explain(comparison)),
            },
            "joint": {
                "compared": compared(joint),
                "explained": explained(mauve.explain(joint)),
            },
            "perplexity": numbers_of(
                mauve.measure(human, systems, "perplexity", cache=False).to_dict()
            ),
            "form": {
                name: numbers_of(result.to_dict()["form"]) for name, result in comparison.items()
            },
        },
    }


def all_figures() -> dict[str, Any]:
    """Return every figure, as JSON would have it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        figures = {"features": feature_figures(), "texts": text_figures()}
    return json.loads(json.dumps(figures))


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(all_figures(), indent=1) + "\n")
