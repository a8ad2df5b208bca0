"""Rows of clusters: their order, and what each cell says."""

from mauve.explanation.findings import Cluster, Share, clusters_of_kind
from mauve.explanation.tables import cells, format_part, ranked, titles_and_rows


def cluster(number, kind, type_1=0.0, type_2=0.0):
    shares = (Share(value, (value - 0.01, value + 0.01)) for value in (type_1, type_2))
    return Cluster(number, f"cluster {number}", kind, 3, 1, 0.3, 0.1, *shares, 0.01, 0.9)


CLUSTERS = [
    cluster(1, "same", 0.001, 0.001),
    cluster(2, "under", 0.5, 0.1),
    cluster(3, "over", 0.1, 0.9),
    cluster(4, "otherwise", 0.1, 0.1),
    cluster(5, "under", 0.0, 0.2),
    cluster(6, "over", 0.2, 0.0),
    cluster(7, "same", 0.002, 0.002),
]


def numbers(clusters):
    return [cluster.number for cluster in clusters]


def test_clusters_of_a_kind_are_ordered_by_the_error_they_add_to():
    assert numbers(clusters_of_kind(CLUSTERS, "over")) == [6, 3]
    assert numbers(clusters_of_kind(CLUSTERS, "under")) == [5, 2]
    assert numbers(clusters_of_kind(CLUSTERS, "same")) == [7, 1]


def test_flagged_clusters_come_first():
    assert numbers(ranked(CLUSTERS)) == [6, 3, 5, 2, 4, 7, 1]
    titles, rows = titles_and_rows(CLUSTERS)
    assert titles[:2] == ["cluster", "the model writes"]
    assert [row[1] for row in rows] == [
        "too much", "too much", "too little", "too little", "differently", "–", "–"
    ]  # fmt: skip


def test_cells():
    assert cells(CLUSTERS[1]) == {
        "cluster": "cluster 2",
        "the model writes": "too little",
        "human": "30.0%",
        "model": "10.0%",
        "type I": "0.500 ±0.010",
        "type II": "0.100 ±0.010",
        "p": "0.0100",
    }


def test_a_part_that_rounds_to_zero_has_no_sign():
    assert format_part(Share(-0.0001, (-0.0006, 0.0004))) == "0.000 ±0.001"
