"""How often explanations find planted differences, and how often they report false ones.

    python benchmarks/explanations.py --shared PATH planted null metadata stability time

PATH is the folder of real text that ``topics.py`` describes. The bundled model embeds some
7,000 passages of it once, in about a minute, and the disk cache keeps their features.
"""

import argparse
import itertools
import os
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the processes share the cores

import numpy as np
import scipy
from forms import PLANTED, curly
from topics import TEMPLATE, TOPICS, Planted, Pool, plant, read_books, read_pool

from mauve import Cluster, MauveWarning, compare, explain
from mauve.comparison.buckets import clustering_to_explain, joint_pair
from mauve.explanation.contributions import group_shares, text_contributions
from mauve.explanation.differing import differing_clusters
from mauve.quantize.kmeans import KMeans

#: Topics of the experiments, from those that are easiest to distinguish to all sources.
SETS = {
    "five topics": ("biology", "history", "kubernetes", "python", "fiction"),
    "six topics": ("biology", "society", "history", "kubernetes", "python", "fiction"),
    "nine sources": TOPICS,
}


#: Runs one function on many jobs, by several processes.
Every = Callable[[Callable, list], list]


@cache
def pool_at(shared: Path) -> Pool:
    """Return the texts, once for each process."""
    return read_pool(shared)


def numbers(topics: Sequence[str]) -> list[int]:
    """Return the numbers of topics."""
    return [TOPICS.index(topic) for topic in topics]


def table(*columns: str) -> None:
    """Print the head of a Markdown table."""
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|", flush=True)


def row(*cells: object) -> None:
    """Print a row of it."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def separability(pool: Pool, topics: Sequence[int]) -> float:
    """Return how often most of the 15 nearest texts of other documents are of the same topic."""
    rows = np.random.default_rng(0).permutation(np.flatnonzero(np.isin(pool.topic, topics)))
    queries, known = rows[:1000], rows[1000:]
    unit = pool.features / np.linalg.norm(pool.features, axis=1, keepdims=True)
    near = unit[queries] @ unit[known].T
    near[pool.document[queries][:, None] == pool.document[known]] = -1
    nearest = pool.topic[known][np.argsort(-near, axis=1)[:, :15]]
    voted = [np.bincount(topics).argmax() for topics in nearest]
    return float(np.mean(voted == pool.topic[queries]))


def main_topics(
    clusters: Sequence[Cluster], planted: Planted, assignment: np.ndarray, sign: int | None
) -> list[int]:
    """Return the topics of clusters, each once: what most of their texts are.

    With a sign, it is what the model has most more of (1) or fewer of (-1) in the cluster.
    """
    is_human = np.arange(len(planted.topic)) < len(planted.human)
    topics = []
    for cluster in clusters:
        human, model = (
            np.bincount(
                planted.topic[(assignment == cluster.number) & sample], minlength=TEMPLATE + 1
            )
            for sample in (is_human, ~is_human)
        )
        counts = human + model if sign is None else sign * (model - human)
        topics.append(int(counts.argmax()))
    return list(dict.fromkeys(topics))


def planted_case(job: tuple[Path, str, int, int, str | None, bool]) -> np.ndarray:
    """Return what is on top, and whether any other is flagged, by both names; shape (2, 4)."""
    shared, topics, n, seed, form, is_normalized = job
    warnings.simplefilter("ignore", MauveWarning)
    planted = plant(pool_at(shared), numbers(SETS[topics]), n, seed)
    if form is None:
        comparison = compare(planted.human, planted.model, n_permutations=0, seed=seed)
    else:
        before, change, _, step = PLANTED[form]
        human, model = ([*map(before, t)] for t in (planted.human_texts, planted.model_texts))
        comparison = compare(
            human,
            [*map(change, model)],
            n_permutations=0,
            seed=seed,
            normalize=step if is_normalized else None,
            progress=False,
        )
    explanation = explain(comparison, seed=seed, progress=False)
    explained = explanation["model"]
    differs = np.isin(planted.topic, [planted.omitted, planted.over, TEMPLATE])
    other = False
    for cluster in explained.over + explained.under + explained.otherwise:
        other |= differs[explanation.assignment == cluster.number].mean() < 0.05
    outcomes = []
    for sign in (None, 1):
        by = (planted, explanation.assignment)
        under = main_topics(explained.under, *by, sign and -sign)
        over = main_topics(explained.over, *by, sign)
        outcomes.append(
            [
                under[:1] == [planted.omitted],
                planted.over in over[:2],
                TEMPLATE in over[:2],
                other,
            ]
        )
    return np.array(outcomes)


def run_planted(
    shared: Path,
    cases: int,
    sizes: Sequence[int],
    sets: Sequence[str],
    forms: Sequence[str],
    every: Every,
) -> None:
    """Print how often what was planted stands on top, without and under a difference of form."""
    print("\nPlanted: one topic left out, one three times as often, 5% of texts from a template\n")
    treated = [(None, False), *itertools.product(forms, (False, True))]
    table(
        "texts", "form of the model's texts", "nearest neighbours agree", "n per sample",
        "cluster named by", "omitted first", "over-produced in the first two",
        "template in the first two", "all three", "a cluster of other topics flagged",
    )  # fmt: skip
    for topics in sets:
        apart = separability(pool_at(shared), numbers(SETS[topics]))
        for n, (form, is_normalized) in itertools.product(sizes, treated):
            jobs = [(shared, topics, n, i, form, is_normalized) for i in range(cases)]
            outcomes = np.array(every(planted_case, jobs))
            written = f"{form}{', normalised' if is_normalized else ''}" if form else "as people's"
            names = ("most texts", "what differs")
            for by, hits in zip(names, outcomes.swapaxes(0, 1), strict=True):
                three = hits[:, :3].all(axis=1).mean()
                shares = [*hits[:, :3].mean(axis=0), three, hits[:, 3].mean()]
                row(topics, written, f"{apart:.0%}", n, by, *(f"{share:.0%}" for share in shares))


def null_case(job: tuple[Path, str, int, int]) -> bool:
    """Return whether any cluster is flagged where both samples are of one source."""
    shared, design, n, seed = job
    warnings.simplefilter("ignore", MauveWarning)
    pool, rng = pool_at(shared), np.random.default_rng([seed, n])
    prompts = None
    if design == "texts":
        rows = rng.permutation(len(pool.texts))[: 2 * n].reshape(2, n)
    else:
        # A document stands for a prompt: its passages are alike.
        documents, counts = np.unique(pool.document, return_counts=True)
        chosen = rng.permutation(documents[counts == 4])[: n // 2]
        rows = np.array([rng.permutation(np.flatnonzero(pool.document == d)) for d in chosen])
        shared_by_both = design.startswith("both")
        rows = rows.T.reshape(2, -1) if shared_by_both else rows.reshape(2, -1)
        if "ignored" not in design:
            prompts = {"human": pool.document[rows[0]], "model": pool.document[rows[1]]}
    human, model = pool.features[rows]
    comparison = compare(human, model, n_permutations=0, seed=seed, prompts=prompts)
    explained = explain(comparison, seed=seed)["model"]
    return any(cluster.kind != "same" for cluster in explained.clusters)


def run_null(shared: Path, cases: int, sizes: Sequence[int], every: Every) -> None:
    """Print how often anything is flagged though P = Q."""
    print("\nP = Q: anything flagged at the level of 5%\n")
    table("texts", "n per sample", "pairs", "flagged", "chance of as many or more at 5%")
    designs = ("texts", "both samples answer each prompt", "one sample answers each prompt")
    for design, n in itertools.product((*designs, f"{designs[2]}, ignored"), sizes):
        flagged = np.array(every(null_case, [(shared, design, n, case) for case in range(cases)]))
        chance = scipy.stats.binom.sf(flagged.sum() - 1, cases, 0.05)
        row(design, n, cases, f"{flagged.mean():.1%}", f"{chance:.2f}")


def run_metadata(shared: Path) -> None:
    """Print which kinds of source and books dominate which clusters."""
    pool, books = pool_at(shared), read_books(shared, 25)
    rng = np.random.default_rng(0)
    texts = [(text, "fiction", f"book {i + 1}") for i, book in enumerate(books) for text in book]
    for kind in dict.fromkeys(pool.kinds):
        rows = np.flatnonzero(np.array(pool.kinds) == kind)
        if kind != "fiction":
            texts += [(pool.texts[i], kind, None) for i in rng.choice(rows, 200, replace=False)]
    order = rng.permutation(len(texts))
    halves = {"human": order[::2], "model": order[1::2]}
    samples = {name: [texts[i][0] for i in rows] for name, rows in halves.items()}
    metadata = {
        name: {
            "kind": [texts[i][1] for i in rows],
            "book": [texts[i][2] for i in rows],
            "shuffled kind": [texts[i][1] for i in rng.permutation(rows)],
        }
        for name, rows in halves.items()
    }
    explanation = explain(compare(samples["human"], samples["model"]), metadata=metadata)
    print(
        f"\nMetadata: {len(texts)} texts of seven kinds, 200 each; books of some of the fiction\n"
    )
    table(
        "field", "texts", "values", "clusters", "purity", "by chance", "p", "buckets of 20 texts",
        "with one or two values", "by chance",
    )  # fmt: skip
    n_clusters = len(explanation["model"].clusters)
    for field in explanation.fields:
        row(
            field.field, field.n_texts, field.n_values, n_clusters, f"{field.purity:.2f}",
            f"{field.chance_purity:.2f}", f"{field.p_value:.3f}", f"{field.n_buckets:.1f}",
            f"{field.n_pure:.1f}", f"{field.chance_pure:.1f}",
        )  # fmt: skip
    print()
    table("cluster", "texts", "words", "kind", "purity", "by chance", "p", "book, shuffled", "p")
    for cluster in explanation["model"].clusters:
        kind, *others = cluster.metadata
        row(
            cluster.number, cluster.n_human + cluster.n_model, cluster.name, kind.value,
            f"{kind.purity:.2f}", f"{kind.chance_purity:.2f}", f"{kind.p_value:.0e}",
            ", ".join(f"{value.enriched}" for value in others),
            ", ".join(f"{value.p_value:.0e}" for value in others),
        )  # fmt: skip
    sure = {field.field: 0 for field in explanation.fields}
    for value in itertools.chain.from_iterable(c.metadata for c in explanation["model"].clusters):
        sure[value.field] += value.p_value <= 0.05
    print(f"\nClusters with an enriched value at 5%: {sure}")


def stability_case(job: tuple[Path, int, int]) -> tuple[list[np.ndarray], list[list[float]]]:
    """Return clusters, kinds and shares of one seed, by consensus and by one clustering."""
    shared, n, seed = job
    warnings.simplefilter("ignore", MauveWarning)
    planted = plant(pool_at(shared), numbers(SETS["six topics"]), n, 0)
    comparison = compare(planted.human, planted.model, n_permutations=0, seed=seed)
    explanation = explain(comparison, seed=seed)
    compared = comparison.compared
    pair = compared.pairs["model"]
    clustering, num_buckets = clustering_to_explain(compared.samples, compared.settings)
    tested = joint_pair(compared.samples, clustering, num_buckets, "model").first(10)
    reduced = clustering.reduced[clustering.position]
    k = explanation.assignment.max()
    rng = np.random.default_rng(seed)
    single = KMeans().fit(reduced, k, rng).assign(reduced).astype(np.int64)
    parts = text_contributions(pair, "jackknife", 0.5)
    arrays, shares = [], []
    for members in (explanation.assignment - 1, single):
        of_p, of_q = (part.values for part in group_shares(pair, parts, members, k, 0.5))
        counts = np.zeros((k, TEMPLATE + 1))
        np.add.at(counts, (members, planted.topic), 1)
        main = counts.argmax(axis=1)
        kinds = differing_clusters(tested, members, k, 1000, seed).kinds(0.05)
        arrays += [members, np.array(kinds)[members]]
        shares.append(
            [
                of_p[main == planted.omitted].sum(),
                of_q[main == planted.over].sum(),
                of_q[main == TEMPLATE].sum(),
            ]
        )
    return arrays, shares


def run_stability(shared: Path, n: int, seeds: int, every: Every) -> None:
    """Print how far clusters, flags and shares move from seed to seed."""
    from sklearn.metrics import adjusted_rand_score

    results = every(stability_case, [(shared, n, seed) for seed in range(seeds)])
    print(f"\nStability: the same {n} + {n} texts, {seeds} seeds of compare and explain\n")
    table(
        "clusters", "adjusted Rand index of two seeds", "texts flagged alike",
        "type II of the omitted topic", "type I of the over-produced one", "type I of the template",
    )  # fmt: skip
    for i, name in enumerate(("consensus", "one k-means clustering")):
        pairs = list(
            itertools.combinations([arrays[2 * i : 2 * i + 2] for arrays, _ in results], 2)
        )
        index = np.mean([adjusted_rand_score(a[0], b[0]) for a, b in pairs])
        alike = np.mean([np.mean(a[1] == b[1]) for a, b in pairs])
        shares = np.array([by_kind[i] for _, by_kind in results])
        cells = [
            f"{m:.4f} (sd {s:.4f})" for m, s in zip(shares.mean(0), shares.std(0), strict=True)
        ]
        row(name, f"{index:.2f}", f"{alike:.1%}", *cells)


def run_time(shared: Path, n: int) -> None:
    """Print the seconds from features to report, and the size of the report."""
    pool = read_pool(shared, n_topic=2 * n // 8 + 100, n_words=200, at_most=10)
    order = np.random.default_rng(0).permutation(len(pool.texts))
    # The model writes less of biology than people do.
    order = order[(pool.topic[order] != 0) | (np.arange(len(order)) < n)]
    samples = [[pool.texts[i] for i in rows] for rows in (order[:n], order[n : 2 * n])]
    compare(*samples, n_permutations=0)  # fills the cache
    began = time.perf_counter()
    comparison = compare(*samples)
    compared = time.perf_counter()
    explanation = explain(comparison)
    explained = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        comparison.to_html(path, explanation=explanation, ladder=False)
        written, size = time.perf_counter(), path.stat().st_size
    print(
        f"\nTime: {len(samples[0])} + {len(samples[1])} texts of 200 words, features in the cache\n"
    )
    table("compare, s", "explain, s", "report, s", "together, s", "report, MB", "flagged clusters")
    system = explanation["model"]
    steps = (compared - began, explained - compared, written - explained, written - began)
    flagged = len(system.over) + len(system.under) + len(system.otherwise)
    row(*(f"{step:.1f}" for step in steps), f"{size / 1e6:.2f}", flagged)
    # What a ladder adds: texts that differ from those as given are embedded, and scored again.
    changed = [PLANTED["blank lines between sentences"][1](curly(text)) for text in samples[1]]
    given = compare(samples[0], changed, cache=False, n_permutations=0)
    began = time.perf_counter()
    rungs = given.ladder(progress=False)["model"].rungs[1:]
    seconds = time.perf_counter() - began
    print("\nThe ladder, with blank lines and curly quotes in all texts of the system\n")
    table("steps", "texts changed", "s")
    n_changed = sum(rung.n_human_changed + rung.n_model_changed for rung in rungs)
    row(", ".join(str(rung.step) for rung in rungs), n_changed, f"{seconds:.1f}")


def main() -> None:
    """Print the parts named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parts = ("planted", "null", "metadata", "stability", "time")
    parser.add_argument("parts", nargs="+", choices=parts)
    parser.add_argument("--shared", type=Path, required=True, help="the folder of real text")
    parser.add_argument("--n", type=int, nargs="+", default=[500, 1000], help="texts per sample")
    parser.add_argument("--planted", type=int, default=100, help="seeds")
    parser.add_argument("--sets", nargs="+", choices=[*SETS], default=[*SETS], help="of topics")
    parser.add_argument(
        "--form", nargs="+", choices=[*PLANTED], default=[], help="differences of form, planted too"
    )
    parser.add_argument("--null", type=int, default=200, help="seeds")
    parser.add_argument("--seeds", type=int, default=10, help="of stability")
    parser.add_argument("--timed", type=int, default=5000, help="texts per sample for the time")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    args = parser.parse_args()
    warnings.simplefilter("ignore", MauveWarning)
    if {*args.parts} - {"time"}:
        _ = pool_at(args.shared).features  # so that the processes find them in the cache
    with ProcessPoolExecutor(args.workers) as pool:

        def every(function: Callable, jobs: list) -> list:
            return list(pool.map(function, jobs))

        if "planted" in args.parts:
            run_planted(args.shared, args.planted, args.n, args.sets, args.form, every)
        if "null" in args.parts:
            run_null(args.shared, args.null, args.n, every)
        if "stability" in args.parts:
            run_stability(args.shared, max(args.n), args.seeds, every)
    if "metadata" in args.parts:
        run_metadata(args.shared)
    if "time" in args.parts:
        run_time(args.shared, args.timed)


if __name__ == "__main__":
    main()
