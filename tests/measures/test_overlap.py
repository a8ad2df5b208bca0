from itertools import combinations

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.overlap import VOCABULARY, Usage
from mauve.measures.protocol import MeasuredSample, TokenTable


def _sample(rows, name="model", *, by_prompt=False, n_groups=None):
    count = min(len(rows), 20) if n_groups is None else n_groups
    groups = Groups(np.arange(len(rows)) % count, count, by_prompt)
    return MeasuredSample(name, groups, tokens=TokenTable.of(rows, 400))


def _texts(n, rng, shift=0.0, length=15):
    """Texts of words with shares 1, 1/2, 1/3, ..., in pairs that `shift` makes unequal."""
    shares = 1 / np.arange(1, 301) * np.where(np.arange(300) % 2, 1 + shift, 1 - shift)
    return rng.choice(300, (n, length), p=shares / shares.sum()).tolist()


def _draws(rows, m):
    """Return the sets of words of all draws of m texts."""
    return {
        chosen: set().union(*(rows[i] for i in chosen))
        for chosen in combinations(range(len(rows)), m)
    }


def test_equal_to_all_draws_one_by_one():
    rng = np.random.default_rng(0)
    first_rows, second_rows = (
        rng.integers(0, 9, (7, 2)).tolist(),
        rng.integers(2, 12, (6, 2)).tolist(),
    )
    m = 2

    def within(rows):
        draws = _draws(rows, m)
        pairs = [(a, b) for a in draws for b in draws if not set(a) & set(b)]
        return np.mean([len(draws[a] & draws[b]) for a, b in pairs])

    first, second = _draws(first_rows, m).values(), _draws(second_rows, m).values()
    across = np.mean([len(a & b) for a in first for b in second])
    usages = [
        Usage.of(np.array([sum(word in row for row in rows) for word in range(12)]), len(rows), m)
        for rows in (first_rows, second_rows)
    ]
    assert usages[0].recurrence == pytest.approx(within(first_rows))
    expected = 2 * across / (within(first_rows) + within(second_rows))
    assert usages[0].overlap(usages[1]) == pytest.approx(expected)


def test_no_word_in_common_is_0_and_the_same_texts_are_1():
    rng = np.random.default_rng(1)
    rows = _texts(50, rng)
    human = _sample(rows, "human")
    apart = _sample([[token + 100 for token in row] for row in rng.integers(200, 300, (50, 9))])
    near = _sample([[token % 50 for token in row] for row in rows])
    assert VOCABULARY.estimate(apart, _sample(np.zeros((50, 3), int).tolist())).value == 0
    assert VOCABULARY.estimate(_sample(rows), human).value == pytest.approx(1, abs=0.01)
    assert VOCABULARY.estimate(near, human).value < 1


def test_symmetric():
    rng = np.random.default_rng(2)
    first, second = _sample(_texts(40, rng)), _sample(_texts(60, rng, 0.5), "human")
    ahead, back = VOCABULARY.estimate(first, second), VOCABULARY.estimate(second, first)
    assert ahead.value == pytest.approx(back.value)
    np.testing.assert_allclose(ahead.influences, back.human_influences)


def test_order_of_texts_does_not_matter():
    rng = np.random.default_rng(3)
    rows, human = _texts(40, rng, 0.5), _sample(_texts(40, rng), "human")
    ahead = _sample(rows)
    back = MeasuredSample(
        "model", Groups(ahead.groups.labels[::-1], 20), tokens=TokenTable.of(rows[::-1], 400)
    )
    assert VOCABULARY.estimate(ahead, human).value == VOCABULARY.estimate(back, human).value


def test_falls_as_words_differ_more():
    rng = np.random.default_rng(4)
    human = _sample(_texts(300, rng), "human")
    values = [
        VOCABULARY.estimate(_sample(_texts(300, rng, s)), human).value for s in (0.0, 0.4, 0.7, 1.0)
    ]
    assert sorted(values, reverse=True) == values


@pytest.mark.slow
@pytest.mark.parametrize("n", [20, 100, 400])
def test_samples_of_one_source_have_1_whatever_their_size(n):
    # Guards against the bias of plug-in overlaps: sum_w min(p_w, q_w) is 0.63 for 20 texts. Values
    # above 1 are cut off, so the mean of 20 texts is 0.987 with a standard error of 0.003: a
    # failure by chance comes less than once in 10,000 runs.
    rng = np.random.default_rng(n)
    values = [
        VOCABULARY.estimate(_sample(_texts(n, rng)), _sample(_texts(n, rng), "human")).value
        for _ in range(40)
    ]
    assert np.mean(values) > 0.97


def test_texts_of_one_prompt_in_both_samples_are_no_reason_for_more_than_1():
    # Texts of one prompt share its words. Without the correction the value is above what
    # samples of other prompts have.
    rng = np.random.default_rng(5)
    paired, apart = [], []
    for _ in range(20):
        topics, others = (rng.integers(300, 400, (30, 3)).tolist() for _ in range(2))
        human_rows = [row + topic for row, topic in zip(_texts(30, rng), topics, strict=True)]
        for values, chosen in ((paired, topics), (apart, others)):
            rows = _texts(30, rng, 0.9)
            rows = [row + topic for row, topic in zip(rows, chosen, strict=True)]
            human, model = (_sample(part, by_prompt=True) for part in (human_rows, rows))
            values.append(VOCABULARY.estimate(model, human).value)
    error = np.std(np.subtract(paired, apart)) / np.sqrt(20)
    # Four standard errors: one false alarm in 10,000.
    assert abs(np.mean(paired) - np.mean(apart)) < 4 * error


@pytest.mark.slow
def test_standard_error_is_that_of_repeated_samples():
    # Guards against the interval of one sample alone, whose ratio is 0.69. 200 samples tell the
    # ratio to 5%: a failure by chance comes less than once in 10,000 runs.
    rng = np.random.default_rng(6)
    values, variances = [], []
    for _ in range(200):
        model, human = _sample(_texts(60, rng, 0.9)), _sample(_texts(60, rng), "human")
        estimate = VOCABULARY.estimate(model, human)
        values.append(estimate.value)
        variances.append(estimate.standard_error**2)
    ratio = np.sqrt(np.mean(variances)) / np.std(values, ddof=1)
    assert 0.8 < ratio < 1.25


def test_vocabularies_of_different_size():
    rng = np.random.default_rng(7)
    rows = _texts(30, rng)
    small = MeasuredSample("model", Groups(np.arange(30), 30), tokens=TokenTable.of(rows, 300))
    human = _sample(_texts(30, rng), "human")
    assert 0 <= VOCABULARY.estimate(small, human).value <= 1


def test_words_that_never_recur_are_refused():
    sample = _sample([[i] for i in range(20)], "human")
    model = _sample(np.zeros((20, 2), int).tolist())
    with pytest.raises(InvalidParameterError, match="'human' must have words that recur"):
        VOCABULARY.estimate(model, sample)


def test_too_few_texts_outside_a_group_are_refused():
    sample = _sample([[1, 2]] * 10, n_groups=2)
    match = "'model' must have at least 8 texts outside each of its groups.*Got 5 instead"
    with pytest.raises(InvalidParameterError, match=match):
        VOCABULARY.estimate(sample, sample)
