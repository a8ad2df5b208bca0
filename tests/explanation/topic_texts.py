"""Texts on four topics, and an embedder that tells them apart."""

import numpy as np

TOPICS = {
    "garden": "rose tulip soil seed water spade leaf bloom hedge lawn",
    "sea": "wave sail harbour anchor tide gull deck storm coast fish",
    "city": "street tram bridge market tower crowd station lamp window square",
    "music": "violin chord tempo singer choir drum melody stage pitch tune",
}


def write(rng, topic):
    return f"{' '.join(rng.choice(TOPICS[topic].split(), size=30))}."


def by_topic(texts):
    """Embed texts as how many words of each topic they have, and which, to tell them apart."""
    words = [word for topic in TOPICS.values() for word in topic.split()]
    counts = np.array([[text.count(word) for word in words] for text in texts], dtype=float)
    return np.concatenate([counts.reshape(len(texts), 4, 10).sum(axis=2), counts / 2], axis=1)
