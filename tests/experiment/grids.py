"""Small results of experiments that several tests share."""

from mauve.experiment.results import (
    ExperimentResults,
    GridRow,
    GridSetting,
    HumanRow,
    MeasureInfo,
)
from mauve.measures.intervals import Measured

BASE = {"embedder": "bundled", "quantizer": "kmeans", "num_buckets": 50, "scaling": 5.0, "n": 500}
MEASURES = (
    MeasureInfo("perplexity", "Gen. PPL", "human", True),
    MeasureInfo("frechet", "Fréchet", "lower", False),
    MeasureInfo("mauve", "MAUVE", "higher", False),
)
# From table 6 of the paper, GPT-2 small and large, with seeds that have its means and deviations.
VALUES = {
    ("small", "ancestral"): {"perplexity": (101.88, 0.627), "mauve": (0.589, 0.018)},
    ("small", "greedy"): {"perplexity": (1.224, None), "mauve": (0.008, None)},
    ("small", "nucleus:p=0.9"): {"perplexity": (23.788, 0.144), "mauve": (0.878, 0.006)},
    ("large", "ancestral"): {"perplexity": (30.08, 0.196), "mauve": (0.845, 0.010)},
    ("large", "greedy"): {"perplexity": (1.232, None), "mauve": (0.012, None)},
    ("large", "nucleus:p=0.9"): {"perplexity": (13.499, 0.058), "mauve": (0.936, 0.003)},
}
HUMAN_PERPLEXITY = 12.602


def measured(value, error=0.01):
    return Measured(value, (value - 1.96 * error, value + 1.96 * error), error)


def setting(model="small", decoder="greedy", seed=0, length=256, **scoring):
    return GridSetting("web", model, decoder, seed, length, **{**BASE, **scoring})


def paper_grid(**changes):
    """Two models and three decoders; seeds are one deviation below, at and above the mean."""
    rows = [
        GridRow(
            setting(model, decoder, seed),
            {name: measured(mean + step * (sd or 0)) for name, (mean, sd) in values.items()},
            curve=((1.0, 0.2), (0.6, 0.6), (0.2, 1.0)),
            p_hist=(0.5, 0.3, 0.2),
            q_hist=(0.2, 0.3, 0.5),
        )
        for (model, decoder), values in VALUES.items()
        for seed, step in enumerate((-1, 0, 1) if values["mauve"][1] else (0,))
    ]
    human = (HumanRow("web", 256, "bundled", 500, {"perplexity": measured(HUMAN_PERPLEXITY)}),)
    parts = {"rows": tuple(rows), "human": human, "measures": MEASURES, **changes}
    return ExperimentResults("study", BASE, parts["measures"], parts["rows"], parts["human"])


def sweep_grid(dimension, levels, score, *, seeds=(0, 1, 2), decoders=("greedy", "ancestral")):
    """MAUVE of two decoders over the levels of a dimension: `score(decoder, level, seed)`."""
    rows = [
        GridRow(
            setting(**{"decoder": decoder, "seed": seed, dimension: level}),
            {"mauve": measured(score(decoder, level, seed))},
        )
        for level in levels
        for decoder in decoders
        for seed in seeds
    ]
    return ExperimentResults("sweep", BASE, (MEASURES[-1],), tuple(rows), ())
