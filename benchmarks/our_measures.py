"""Our measures, prepared to be timed: the value alone, and with what its interval takes."""

from dataclasses import replace
from typing import Any

import numpy as np
from peer_measures import Work
from saved_samples import SavedSamples

from mauve.lm.scorer import BundledScorer
from mauve.measures import (
    compression,
    copying,
    distinct,
    entropy,
    frechet,
    mmd,
    ngrams,
    perplexity,
    repetition,
    self_bleu,
    vendi,
    zipf,
)
from mauve.measures.estimate import deal_texts
from mauve.measures.protocol import MeasuredSample, TokenProbabilities, TokenTable
from mauve.measures.registry import MEASURES


def our_value(saved: SavedSamples, name: str) -> Work:
    """Return the plain function of a measure."""
    model, human = both_samples(saved)
    table, x, y = model.tokens, model.features, human.features
    in_one_group = np.zeros(len(table), dtype=np.int32)
    n_eights = np.maximum(table.lengths - 7, 0).sum()
    scorer, scored = _bundled_scorer(name), saved.scored()
    works: dict[str, Work] = {
        "perplexity": lambda: perplexity.corpus_perplexity(scorer.log_probabilities(scored)),
        "zipf": lambda: zipf.zipf_coefficient(np.bincount(table.ids)),
        "repetition": lambda: (repetition.repeated_lengths(table) > 0).mean(),
        "distinct-4": lambda: distinct.distinct_share(
            ngrams.find_ngrams(table, 4, in_one_group).counts()
        ),
        "self-bleu": lambda: self_bleu.self_bleu_scores(table).mean(),
        "entropy-2": lambda: entropy.entropy_bits(
            ngrams.find_ngrams(table, 2, in_one_group).counts().totals
        ),
        "compression": lambda: compression.compression_ratio(model.texts),
        "copying-8": lambda: copying.copied_ngrams(table, human.tokens, 8).sum() / n_eights,
        "frechet": lambda: frechet.frechet_distance(x, y),
        "mmd": lambda: mmd.squared_mmd(x, y),
        "mmd, kernel of KID": lambda: mmd.squared_mmd(x, y, "cubic"),
        "vendi": lambda: vendi.vendi_score(x),
    }
    return works[name]


def our_estimate(saved: SavedSamples, name: str) -> Work:
    """Return the estimates of one measure, or of several whose names are separated by spaces."""
    model, human = both_samples(saved)
    measures = [MEASURES[each] for each in name.split()]
    if name != "perplexity":
        return lambda: [measure.estimate(model, human).value for measure in measures]
    scorer, scored = _bundled_scorer(name), saved.scored()
    few = replace(model, groups=deal_texts(np.arange(len(scored), dtype=np.uint64)))

    def work() -> float:
        sample = replace(few, log_probabilities=scorer.log_probabilities(scored))
        return measures[0].estimate(sample, sample).value

    return work


def both_samples(saved: SavedSamples) -> tuple[Any, Any]:
    """Return the model's sample and the human one, with all that any of our measures needs."""
    human = None
    for name in ("human", "model"):
        ids, starts = saved.array(f"{name}-ids"), saved.array(f"{name}-starts")
        chances = np.random.default_rng(0).beta(0.5, 1.0, (2, len(ids)))
        sample = MeasuredSample(
            name,
            deal_texts(np.arange(saved.settings["n"], dtype=np.uint64)),
            texts=saved.texts(name),
            tokens=TokenTable(ids, starts, saved.settings["n_words"]),
            features=saved.array(name),
            model=TokenProbabilities(chances[0], chances[1], starts, 50_000),
            training=human,
        )
        human = human or sample
    return sample, human


def _bundled_scorer(name: str) -> Any:
    """Return the bundled model, loaded, if the measure is one that reads texts."""
    if name != "perplexity":
        return None
    scorer = BundledScorer()
    scorer.log_probabilities(["a text"])
    return scorer
