"""Measures as the released code of their papers computes them, against that procedure."""

from collections import Counter

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.lm.scorer import BundledScorer, RememberedScorer, bare_scorer, get_scorer
from mauve.measures.estimate import deal_texts
from mauve.measures.protocol import MeasuredSample, TokenTable
from mauve.measures.registry import GROUPS, MEASURES, get_measures
from mauve.measures.repetition import REPETITION, REPETITION_AUTHORS, ends_in_loop
from mauve.measures.selection import unchanged_note
from mauve.measures.zipf import ZIPF_AUTHORS, zipf_coefficient


def sample(rows, name="model"):
    groups = deal_texts(np.arange(len(rows), dtype=np.uint64))
    return MeasuredSample(name, groups, tokens=TokenTable.of(rows, 10**5))


def slow_zipf(frequencies):
    """A line through the first rank of each value of round(15 log r), the last rank left out."""
    ordered = sorted(frequencies, reverse=True)[:5000]
    points = {}
    for rank in range(1, len(ordered)):
        points.setdefault(round(15 * np.log(rank)) / 15, np.log(ordered[rank - 1]))
    return -np.polyfit([*points], [*points.values()], 1)[0]


def test_zipf_of_the_authors():
    rng = np.random.default_rng(0)
    rows = [(rng.zipf(1.4, 400) % 9000).tolist() for _ in range(50)]
    counts = Counter(token for row in rows for token in row)
    frequencies = np.array([*counts.values()])
    expected = slow_zipf(frequencies)
    assert zipf_coefficient(frequencies, variant="authors") == pytest.approx(expected, abs=1e-9)
    assert zipf_coefficient(frequencies) != pytest.approx(expected, abs=0.01)
    estimate = ZIPF_AUTHORS.estimate(sample(rows), sample(rows))
    assert estimate.value == pytest.approx(expected, abs=1e-9)
    assert estimate.standard_error > 0


def test_zipf_of_the_authors_is_exact_on_few_ranks():
    frequencies = np.array([8, 4, 2, 1])
    assert zipf_coefficient(frequencies, variant="authors") == pytest.approx(slow_zipf(frequencies))
    assert zipf_coefficient(np.array([4, 1]), variant="authors") == pytest.approx(2)


def slow_loop(tokens):
    """Copies of each phrase at the end, counted one by one; the first maximum decides."""
    copies = []
    for n in range(1, 501):
        k = 1
        while (
            len(tokens) >= n * (k + 1)
            and tokens[-n * (k + 1) : len(tokens) - n * k] == (tokens[len(tokens) - n :])
        ):
            k += 1
        copies.append(k)
    best = max(range(500), key=lambda i: copies[i])
    return copies[best] > 1 and (best + 1 >= 3 or copies[best] > 50)


def test_repetition_of_the_authors():
    rng = np.random.default_rng(1)
    rows = [[]]
    for _ in range(150):
        phrase = rng.integers(0, 3, rng.integers(1, 7)).tolist()
        rows.append(rng.integers(0, 3, 9).tolist() + phrase * int(rng.integers(1, 60)))
    expected = [slow_loop(row) for row in rows]
    assert [ends_in_loop(row) for row in rows] == expected
    assert 0.2 < np.mean(expected) < 0.9
    value = REPETITION_AUTHORS.estimate(sample(rows), sample(rows)).value
    assert value == pytest.approx(np.mean(expected), abs=1e-12)
    assert value < REPETITION.estimate(sample(rows), sample(rows)).value


def test_short_phrases_need_fifty_one_copies():
    assert not ends_in_loop([7] * 50)
    assert ends_in_loop([7] * 51)
    assert not ends_in_loop([1, 2] * 25)
    assert ends_in_loop([0, 1, 2, 3, 1, 2, 3])
    # Of phrases with equal numbers of copies the shortest counts.
    assert not ends_in_loop([1, 1])


def test_perplexity_of_the_authors():
    texts = [f"It rained on day {i} and we stayed in to read." for i in range(12)] + ["One", ""]
    bare = BundledScorer().without_beginning()
    logs = bare.log_probabilities(texts)
    full = BundledScorer().log_probabilities(texts)
    assert [len(part) for part in logs] == [max(0, len(part) - 1) for part in full]
    expected = np.exp(-sum(part.sum() for part in logs) / sum(len(part) for part in full))
    measured = mauve.measure(
        texts, texts[::-1], "perplexity-authors,perplexity", empty="keep", progress=False
    )
    assert measured["model"]["perplexity-authors"].value == pytest.approx(
        expected, rel=1e-6
    )  # float32
    assert measured.human["perplexity-authors"].value == pytest.approx(expected, rel=1e-6)
    assert expected != pytest.approx(measured.human["perplexity"].value, rel=0.01)


def test_scores_without_a_beginning_are_those_after_the_first_token():
    text, prompt = " the cat sat on the mat.", "In the evening"  # a token does not span both
    scorer = BundledScorer()
    ids = [len(part) for part in scorer.log_probabilities([text])]
    [after] = bare_scorer(scorer).log_probabilities([text], prompts=[prompt])
    assert len(after) == ids[0], "all tokens of a text after a prompt"
    [joined] = bare_scorer(scorer).log_probabilities([prompt + text])
    assert joined[-3:] == pytest.approx(after[-3:], abs=1e-4)
    # The original is as it was.
    assert len(scorer.log_probabilities([text])[0]) == ids[0]
    assert len(RememberedScorer(scorer).without_beginning().log_probabilities([text])[0]) == (
        ids[0] - 1
    )


@pytest.mark.slow
def test_a_transformers_model_scores_the_same_without_a_beginning():
    from mauve.embed.bundled import MODEL

    texts = ["The cat sat on the mat.", "One", "He went to the window and looked out."]
    theirs = bare_scorer(get_scorer(str(MODEL), device="cpu")).log_probabilities(texts)
    ours = BundledScorer().without_beginning().log_probabilities(texts)
    for first, second in zip(theirs, ours, strict=True):
        # The bundled weights are rounded to 16 bits in one of the two files.
        np.testing.assert_allclose(first, second, atol=0.02)


def test_a_scorer_without_the_method_is_named():
    class Constant:
        signature = "constant"

        def log_probabilities(self, texts, on_progress=None, prompts=None):
            return [np.zeros(3) for _ in texts]

    with pytest.raises(InvalidParameterError, match=r"'without_beginning'.*Got Constant instead"):
        mauve.measure(
            ["One two three."] * 10,
            ["Four five six."] * 10,
            "perplexity-authors",
            language_model=Constant(),
            progress=False,
        )


def test_epsilon_is_set_by_the_name():
    available = {"model"}
    names = "epsilon-perplexity-1e-3,epsilon-perplexity-0.001,epsilon-perplexity-1e-5"
    measures = get_measures(names, available)
    assert [measure.name for measure in measures] == [
        "epsilon-perplexity-0.001",
        "epsilon-perplexity",
    ]
    for name in ("epsilon-perplexity-0", "epsilon-perplexity--1", "epsilon-perplexity-x"):
        with pytest.raises(InvalidParameterError, match=r"'epsilon'|must be among"):
            get_measures(name, available)


def test_variants_are_a_group_and_not_in_the_others():
    for name in GROUPS["authors"]:
        assert name.endswith("-authors")
        assert name not in MEASURES
        assert all(name not in names for group, names in GROUPS.items() if group != "authors")
    assert len(get_measures("authors", {"texts", "tokens", "bare_log_probabilities"})) == len(
        GROUPS["authors"]
    )


def random_texts(n_types):
    rows = np.random.default_rng(n_types).integers(0, n_types, (12, 60))
    return [" ".join(f"w{i}" for i in row) for row in rows]


class TestTheParameter:
    TEXTS = random_texts(40), random_texts(30)

    def measured(self, measures, variant="authors"):
        options = {"measures": measures, "variant": variant, "progress": False}
        return mauve.measure(*self.TEXTS, **options)

    def test_gives_what_the_names_give(self):
        by_parameter = self.measured("zipf,rep-2,diversity,repetition,distinct-2")
        by_names = self.measured(
            "zipf-authors,rep-2-authors,diversity-authors,repetition-authors,distinct-2", None
        )
        assert by_parameter == by_names
        assert next(iter(by_parameter["model"])) == "zipf-authors"

    def test_holds_for_groups_and_any_length(self):
        names = [each.name for each in self.measured("text,-vocabulary").measures]
        assert {"zipf-authors", "repetition-authors", "rep-4-authors", "seq-rep-4"} <= {*names}
        assert "rep-7-authors" in self.measured("rep-7,rep-4")["model"]
        assert [*self.measured("zipf,zipf-authors")["model"]] == ["zipf-authors"]

    def test_that_is_wrong(self):
        with pytest.raises(InvalidParameterError, match=r"'variant'.*must be one of 'authors'"):
            self.measured("zipf", "author")
        with pytest.raises(
            InvalidParameterError, match=r"'variant'.*left out where no measure.*perplexity, zipf"
        ):
            self.measured("distinct-4,entropy-2")

    def test_names_what_is_unchanged(self):
        measures = self.measured("zipf,distinct-4").measures
        assert unchanged_note(measures, "authors").endswith("as always: distinct-4")
        assert unchanged_note(measures[:1], "authors") is None
        assert unchanged_note(measures, None) is None
