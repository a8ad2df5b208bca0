"""Pictures of explanations: shares of clusters, and the map."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

import mauve
from mauve.explanation.findings import Cluster, Phrase, Share
from mauve.plots import plot_clusters, plot_map
from mauve.plots.clusters import MOST_CLUSTERS, MOST_POINTS, map_labels, shown_clusters


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.slow
def test_clusters_show_shares_and_what_differs(explanation):
    explained = explanation["far"]
    rows = shown_clusters(explained)
    assert rows == [c for c in explained.over + explained.under + explained.otherwise if c in rows]
    ax = plot_clusters(explained)
    assert texts_of(ax)[::2] == [cluster.title for cluster in rows]
    assert {"too much", "too little"} <= set(texts_of(ax)[1::2])
    drawn = [float(line.get_xdata()[0]) for line in ax.get_lines() if line.get_marker() == "D"]
    assert drawn == pytest.approx([100 * cluster.model_share for cluster in rows])


@pytest.mark.slow
def test_clusters_where_none_differs_are_hollow(explanation):
    explained = explanation["near"]
    assert not [*explained.over, *explained.under, *explained.otherwise]
    ax = plot_clusters(explained)
    assert len(texts_of(ax)) == 2 * len(shown_clusters(explained)) > 0
    points = [line for line in ax.get_lines() if line.get_marker() in ("o", "D")]
    assert {point.get_markerfacecolor() for point in points} == {"#ffffff"}


@pytest.mark.slow
def test_no_picture_has_too_many_rows():
    rng = np.random.default_rng(0)
    topics = 5 * np.eye(20)  # of which the model writes ten, each twice as often
    human, model = (
        topics[rng.choice(n, 800)] + rng.normal(size=(800, 20)) for n in (20, 10)
    )  # fmt: skip
    comparison = mauve.compare(human, model, n_permutations=0, n_clusterings=10)
    fine = mauve.explain(comparison, n_clusters=20)["model"]
    assert len(fine.over) + len(fine.under) > MOST_CLUSTERS
    assert len(shown_clusters(fine)) == MOST_CLUSTERS


def test_map_has_a_disc_for_each_cluster_and_a_point_for_each_text(explanation):
    ax = plot_map(explanation, "far")
    discs = [patch for patch in ax.patches if type(patch).__name__ == "Circle"]
    rings = [disc for disc in discs if not disc.get_fill()]
    assert len(rings) == len(explanation.text_map.radii)
    n_flagged = sum(cluster.kind != "same" for cluster in explanation["far"].clusters)
    assert len(discs) - len(rings) == n_flagged
    dots = [len(patch.get_path().vertices) // 2 for patch in ax.patches if patch not in discs]
    assert dots == [300, 300]


def test_labels_of_the_map_are_whole_words_in_lines():
    words = tuple(Phrase(word, 9.0, 0.5, 0.1) for word in ("economy", "percent", "growth rates"))
    parts = Share(0.1, (0.0, 0.2)), Share(0.1, (0.0, 0.2))
    name = ", ".join(word.phrase for word in words)
    cluster = Cluster(7, name, "over", 60, 155, 0.12, 0.31, *parts, 0.001, 0.9, words=words)
    assert map_labels(cluster) == [
        "economy,\npercent,\ngrowth rates", "economy,\npercent", "economy", "7"
    ]  # fmt: skip
    assert map_labels(replace(cluster, words=())) == ["7"]


@pytest.mark.slow
def test_large_maps_are_thinned():
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(4000, 4)), rng.normal(size=(1000, 4))
    comparison = mauve.compare(
        human, {"m": model}, num_buckets=50, n_permutations=0, n_clusterings=5
    )
    ax = plot_map(mauve.explain(comparison, n_permutations=100), "m")
    dots = [
        len(patch.get_path().vertices) // 2
        for patch in ax.patches
        if type(patch).__name__ == "PathPatch"
    ]
    assert dots == [MOST_POINTS * 4 // 5, MOST_POINTS // 5]


def test_methods_draw_the_pictures(tested, explanation):
    ax = Figure().add_subplot()
    assert explanation["far"].plot(ax) is ax
    assert explanation.plot("far").patches
