"""A comparison of texts on four topics that is explained."""

import sys
from pathlib import Path

import numpy as np
import pytest

import mauve

sys.path.insert(0, str(Path(__file__).parent))  # for topic_texts, zipf_texts


@pytest.fixture(scope="session")
def explained():
    """Return the explanation of two systems: one like the human sample, one that prefers gardens.

    The latter has no music, and copies of one of its texts.
    """
    from topic_texts import TOPICS, by_topic, write

    rng = np.random.default_rng(0)
    shares = {"human": [0.25] * 4, "fair": [0.25] * 4, "odd": [0.6, 0.2, 0.2, 0.0]}
    topics = {name: rng.choice([*TOPICS], size=150, p=p) for name, p in shares.items()}
    texts = {name: [write(rng, topic) for topic in drawn] for name, drawn in topics.items()}
    gardens = np.flatnonzero(topics["odd"] == "garden")
    for i in gardens[:5]:
        texts["odd"][i] = texts["odd"][gardens[0]]
    human = texts.pop("human")
    comparison = mauve.compare(
        human,
        texts,
        embedder=by_topic,
        cache=False,
        num_buckets=15,
        n_learning=150,  # half of the texts, so that all are counted equally often
        n_clusterings=10,
        n_permutations=0,
    )
    metadata = {name: {"topic": drawn.tolist()} for name, drawn in topics.items()}
    return mauve.explain(comparison, n_clusters=6, metadata=metadata, n_permutations=200)
