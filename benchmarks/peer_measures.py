"""Measures by other packages or plain Python loops, prepared to be timed.

Each function prepares the work, in the environment of the other packages, and returns it.
"""

import math
from collections import Counter
from collections.abc import Callable

import numpy as np
from saved_samples import SavedSamples

N_HYPOTHESES = 3  # that NLTK scores

#: What is timed, with all it needs prepared. Where one call gives several values, a list.
Work = Callable[[], float | list[float]]


def counter_linregress(saved: SavedSamples) -> Work:
    """As in the code of Holtzman et al. (2020)."""
    import scipy.stats

    rows = saved.words()

    def work() -> float:
        counts: Counter[str] = Counter()
        for row in rows:
            counts.update(row)
        top = np.array(sorted(counts.values(), reverse=True)[:5000])
        return -scipy.stats.linregress(np.log(np.arange(1, len(top) + 1)), np.log(top)).slope

    return work


def loop_over_slices(saved: SavedSamples) -> Work:
    """Try all lengths of a phrase, as that code does, by the rule of the paper."""
    backwards = [row[::-1] for row in saved.words()]

    def ends_in_loop(row: list[str]) -> bool:
        return any(row[:n] == row[n : 2 * n] for n in range(1, len(row) // 2 + 1))

    return lambda: sum(map(ends_in_loop, backwards)) / len(backwards)


def nltk_distinct(saved: SavedSamples) -> Work:
    """Count 4-grams by a Counter."""
    from nltk.util import ngrams

    rows = saved.words()

    def work() -> float:
        counts = Counter(gram for row in rows for gram in ngrams(row, 4))
        return len(counts) / counts.total()

    return work


def nltk_entropy(saved: SavedSamples) -> Work:
    """Count 2-grams by a Counter."""
    from nltk.util import ngrams

    rows = saved.words()

    def work() -> float:
        counts = Counter(gram for row in rows for gram in ngrams(row, 2))
        shares = np.array([*counts.values()]) / counts.total()
        return -(shares * np.log2(shares)).sum()

    return work


def nltk_copying(saved: SavedSamples) -> Work:
    """Look 8-grams up in the set of those of the training texts."""
    from nltk.util import ngrams

    rows, training = saved.words(), saved.words("human")

    def work() -> float:
        seen = {gram for row in training for gram in ngrams(row, 8)}
        copied = [gram in seen for row in rows for gram in ngrams(row, 8)]
        return sum(copied) / len(copied)

    return work


def nltk_bleu(saved: SavedSamples) -> Work:
    """Score some texts against all others."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    rows, smooth = saved.words(), SmoothingFunction().method1
    return lambda: [
        sentence_bleu(rows[:i] + rows[i + 1 :], rows[i], (0.25,) * 4, smoothing_function=smooth)
        for i in range(N_HYPOTHESES)
    ]


def diversity_compression(saved: SavedSamples) -> Work:
    """Compress all texts by the package diversity."""
    from diversity import compression_ratio

    texts = saved.texts()
    return lambda: compression_ratio(texts, "gzip")


def transformers_perplexity(saved: SavedSamples) -> Work:
    """Read padded batches of 16, as the perplexity of Hugging Face's evaluate does."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, texts = saved.settings["model"], saved.scored()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = tokenizer.eos_token
    model = AutoModelForCausalLM.from_pretrained(folder).eval()

    def work() -> float:
        read = tokenizer(texts, padding=True, return_tensors="pt")
        first = torch.full((len(texts), 1), tokenizer.bos_token_id)
        ids = torch.cat([first, read["input_ids"]], dim=1)
        mask = torch.cat([torch.ones_like(first), read["attention_mask"]], dim=1)
        total = 0.0
        for rows, real in zip(ids.split(16), mask.split(16), strict=True):
            with torch.no_grad():
                logits = model(rows, attention_mask=real).logits[:, :-1]
            losses = torch.nn.functional.cross_entropy(
                logits.transpose(1, 2), rows[:, 1:], reduction="none"
            )
            total += float((losses * real[:, 1:]).sum())
        return math.exp(total / int(mask[:, 1:].sum()))

    return work


def pytorch_fid_frechet(saved: SavedSamples) -> Work:
    """Take the square root of the product of the covariances by scipy.linalg.sqrtm."""
    from pytorch_fid.fid_score import calculate_frechet_distance

    samples = saved.features()

    def work() -> float:
        model, human = ((x.mean(axis=0), np.cov(x, rowvar=False)) for x in samples)
        return calculate_frechet_distance(*model, *human)

    return work


def torch_fidelity_frechet(saved: SavedSamples) -> Work:
    """Take the eigenvalues of that product."""
    import torch
    from torch_fidelity.metric_fid import fid_features_to_statistics, fid_statistics_to_metric

    samples = [torch.from_numpy(x) for x in saved.features()]

    def work() -> float:
        model, human = map(fid_features_to_statistics, samples)
        return fid_statistics_to_metric(model, human, False)["frechet_inception_distance"]

    return work


def _torch_kid(saved: SavedSamples, **settings: object) -> Work:
    import torch
    from torch_fidelity.metric_kid import kid_features_to_metric

    model, human = (torch.from_numpy(x) for x in saved.features())
    return lambda: kid_features_to_metric(model, human, verbose=False, **settings)[
        "kernel_inception_distance_mean"
    ]


def torch_fidelity_rbf(saved: SavedSamples) -> Work:
    """Take all texts at once, with the width that ours has to find."""
    n, width = saved.settings["n"], saved.settings["width"]
    kernel = {"kid_kernel": "rbf", "kid_kernel_rbf_sigma": width}
    return _torch_kid(saved, kid_subsets=1, kid_subset_size=n, **kernel)


def torch_fidelity_draws(saved: SavedSamples) -> Work:
    """Take 100 draws of 1,000 texts, the default."""
    return _torch_kid(saved, kid_subset_size=min(1000, saved.settings["n"]))


def prdc_values(saved: SavedSamples) -> Work:
    """Compute all four values by the package prdc."""
    from prdc import compute_prdc

    model, human = saved.features()

    def work() -> list[float]:
        values = compute_prdc(human, model, nearest_k=5)
        return [values[name] for name in ("precision", "recall", "density", "coverage")]

    return work


def vendi_score_value(saved: SavedSamples) -> Work:
    """Decompose the smaller matrix, as its authors advise."""
    from vendi_score.vendi import score_dual, score_X

    features = saved.array("model")
    score = score_dual if features.shape[1] < len(features) else score_X
    return lambda: score(features)


def logistic_regression(saved: SavedSamples) -> Work:
    """Choose the strength of L2 by five folds of three quarters, and try the rest."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features = np.concatenate(saved.features()).astype(np.float64)
    is_human = np.repeat([False, True], saved.settings["n"])

    def work() -> float:
        train, test, train_is, test_is = train_test_split(
            features, is_human, test_size=0.25, random_state=0, stratify=is_human
        )
        chosen = LogisticRegressionCV(
            Cs=[1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0], cv=5, scoring="neg_log_loss", max_iter=2000
        )
        fitted = make_pipeline(StandardScaler(), chosen).fit(train, train_is)
        return np.mean(fitted.predict(test) == test_is)

    return work
