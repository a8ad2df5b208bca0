"""English-like prose for tests: sentences with names, numbers, quotes and commas."""

import numpy as np

_SUBJECTS = [
    "The teacher",
    "An old man",
    "Maria",
    "The river",
    "My brother",
    "Nobody",
    "Dr. Allen",
    "The city",
]
_VERBS = ["saw", "found", "wanted", "had lost", "couldn't see", "remembered", "built", "sold"]
_OBJECTS = [
    "the garden",
    "a letter",
    "two horses",
    "the winter road",
    "her brother's house",
    "some music",
    "1,200 stones",
    "an answer",
    "the small window",
    "3 boats",
    "a story about Peter",
]
_TAILS = [
    " again",
    ", as before",
    " in the morning",
    ", but not for long",
    " because it rained",
    "",
    " when we met",
    " near the station",
    ", and then slept",
]
_SPOKEN = [
    '"I don\'t know," she said.',
    '"Come home!" he called.',
    '"Why now?" asked Peter.',
    "It wasn't far.",
    "Was it true?",
    "We went on.",
]


def prose(n: int, seed: int, low: int = 5, high: int = 14) -> list[str]:
    """Return texts of `low` to `high` sentences."""
    rng = np.random.default_rng(seed)

    def sentence() -> str:
        if rng.random() < 0.25:
            return str(rng.choice(_SPOKEN))
        parts = [rng.choice(part) for part in (_SUBJECTS, _VERBS, _OBJECTS, _TAILS)]
        return f"{parts[0]} {parts[1]} {parts[2]}{parts[3]}."

    return [" ".join(sentence() for _ in range(rng.integers(low, high))) for _ in range(n)]
