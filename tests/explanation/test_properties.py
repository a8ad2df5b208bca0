import numpy as np
import pytest

from mauve.explanation.properties import plainest_difference

WORDS = [f"word{i}" for i in range(300)]


def human(seed, n=60):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, size=40)) + "." for _ in range(n)]


@pytest.mark.slow
def test_texts_of_one_source_have_none():
    # A difference has a standard error of 0.03, so one above 0.2 is no chance.
    assert plainest_difference(human(0, 2000), human(1, 2000)) is None


def test_repetition():
    model = [" ".join([*text.split()[:4]] * 10) + "." for text in human(1)]
    assert plainest_difference(human(0), model).startswith("repeats itself: 87%")


def test_sameness():
    model = [human(1)[i % 3] for i in range(60)]
    line = plainest_difference(human(0), model)
    assert line.startswith("says the same in many texts: 100% of its five-word sequences")


def test_common_words():
    rng = np.random.default_rng(0)
    chances = np.r_[np.full(50, 0.01), np.full(250, 0.002)]
    human_texts, model = (
        [" ".join(rng.choice(WORDS, size=40, p=p)) + "." for _ in range(60)]
        for p in (chances, np.r_[np.full(50, 0.02), np.zeros(250)])
    )
    assert plainest_difference(human_texts, model).startswith("keeps to common words: 98%")


@pytest.mark.parametrize(("every", "length"), [(5, "short"), (1000, "long")])
def test_sentence_length(every, length):
    def sentences(texts, n):
        return [
            " ".join(w + ("." if i % n == n - 1 else "") for i, w in enumerate(t.split()))
            for t in texts
        ]

    line = plainest_difference(sentences(human(0), 12), sentences(human(1), every))
    assert line.startswith(f"writes {length} sentences")


def test_no_words():
    assert plainest_difference(human(0), ["", " "]) == "writes no words"
