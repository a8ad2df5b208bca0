from itertools import combinations

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.measures.estimate import Groups
from mauve.measures.overlap import VOCABULARY, Usage
from mauve.measures.protocol import MeasuredSample, TokenTable


def _side(rows, name="model", *, by_prompt=False, n_groups=None):
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
    one, other = rng.integers(0, 9, (7, 2)).tolist(), rng.integers(2, 12, (6, 2)).tolist()
    m = 2

    def within(rows):
        draws = _draws(rows, m)
        pairs = [(a, b) for a in draws for b in draws if not set(a) & set(b)]
        return np.mean([len(draws[a] & draws[b]) for a, b in pairs])

    first, second = _draws(one, m).values(), _draws(other, m).values()
    across = np.mean([len(a & b) for a in first for b in second])
    usages = [
        Usage.of(np.array([sum(word in row for row in rows) for word in range(12)]), len(rows), m)
        for rows in (one, other)
    ]
    assert usages[0].recurrence == pytest.approx(within(one))
    expected = 2 * across / (within(one) + within(other))
    assert usages[0].overlap(usages[1]) == pytest.approx(expected)


def test_no_word_in_common_is_0_and_the_same_texts_are_1():
    rng = np.random.default_rng(1)
    rows = _texts(50, rng)
    people = _side(rows, "human")
    apart = _side([[token + 100 for token in row] for row in rng.integers(200, 300, (50, 9))])
    near = _side([[token % 50 for token in row] for row in rows])
    assert VOCABULARY.estimate(apart, _side(np.zeros((50, 3), int).tolist())).value == 0
    assert VOCABULARY.estimate(_side(rows), people).value == pytest.approx(1, abs=0.01)
    assert VOCABULARY.estimate(near, people).value < 1


def test_symmetric():
    rng = np.random.default_rng(2)
    one, other = _side(_texts(40, rng)), _side(_texts(60, rng, 0.5), "human")
    ahead, back = VOCABULARY.estimate(one, other), VOCABULARY.estimate(other, one)
    assert ahead.value == pytest.approx(back.value)
    np.testing.assert_allclose(ahead.influences, back.human_influences)


def test_order_of_texts_does_not_matter():
    rng = np.random.default_rng(3)
    rows, people = _texts(40, rng, 0.5), _side(_texts(40, rng), "human")
    ahead = _side(rows)
    back = MeasuredSample(
        "model", Groups(ahead.groups.labels[::-1], 20), tokens=TokenTable.of(rows[::-1], 400)
    )
    assert VOCABULARY.estimate(ahead, people).value == VOCABULARY.estimate(back, people).value


def test_falls_as_words_differ_more():
    rng = np.random.default_rng(4)
    people = _side(_texts(300, rng), "human")
    found = [
        VOCABULARY.estimate(_side(_texts(300, rng, s)), people).value for s in (0.0, 0.4, 0.7, 1.0)
    ]
    assert sorted(found, reverse=True) == found


@pytest.mark.parametrize("n", [20, 100, 400])
def test_samples_of_one_source_have_1_whatever_their_size(n):
    # Guards against the bias of plug-in overlaps: sum_w min(p_w, q_w) is 0.63 for 20 texts. Values
    # above 1 are cut off, so the mean of 20 texts is 0.987 with a standard error of 0.003: a
    # failure by chance comes less than once in 10,000 runs.
    rng = np.random.default_rng(n)
    found = [
        VOCABULARY.estimate(_side(_texts(n, rng)), _side(_texts(n, rng), "human")).value
        for _ in range(40)
    ]
    assert np.mean(found) > 0.97


def test_texts_of_one_prompt_in_both_samples_are_no_reason_for_more_than_1():
    # Texts of one prompt share its words. Without the correction the value is above what
    # samples of other prompts have.
    rng = np.random.default_rng(5)
    paired, apart = [], []
    for _ in range(20):
        topics, others = (rng.integers(300, 400, (30, 3)).tolist() for _ in range(2))
        people = [row + topic for row, topic in zip(_texts(30, rng), topics, strict=True)]
        for found, chosen in ((paired, topics), (apart, others)):
            rows = _texts(30, rng, 0.9)
            rows = [row + topic for row, topic in zip(rows, chosen, strict=True)]
            human, model = (_side(part, by_prompt=True) for part in (people, rows))
            found.append(VOCABULARY.estimate(model, human).value)
    error = np.std(np.subtract(paired, apart)) / np.sqrt(20)
    # Four standard errors: one false alarm in 10,000.
    assert abs(np.mean(paired) - np.mean(apart)) < 4 * error


def test_standard_error_is_that_of_repeated_samples():
    # Guards against the interval of one sample alone, whose ratio is 0.69. 200 samples tell the
    # ratio to 5%: a failure by chance comes less than once in 10,000 runs.
    rng = np.random.default_rng(6)
    values, variances = [], []
    for _ in range(200):
        model, people = _side(_texts(60, rng, 0.9)), _side(_texts(60, rng), "human")
        found = VOCABULARY.estimate(model, people)
        values.append(found.value)
        variances.append(found.standard_error**2)
    ratio = np.sqrt(np.mean(variances)) / np.std(values, ddof=1)
    assert 0.8 < ratio < 1.25


def test_vocabularies_of_different_size():
    rng = np.random.default_rng(7)
    rows = _texts(30, rng)
    small = MeasuredSample("model", Groups(np.arange(30), 30), tokens=TokenTable.of(rows, 300))
    people = _side(_texts(30, rng), "human")
    assert 0 <= VOCABULARY.estimate(small, people).value <= 1


def test_words_that_never_recur_are_refused():
    side = _side([[i] for i in range(20)], "human")
    model = _side(np.zeros((20, 2), int).tolist())
    with pytest.raises(InvalidParameterError, match="'human' must have words that recur"):
        VOCABULARY.estimate(model, side)


def test_too_few_texts_outside_a_group_are_refused():
    side = _side([[1, 2]] * 10, n_groups=2)
    match = "'model' must have at least 8 texts outside each of its groups.*Got 5 instead"
    with pytest.raises(InvalidParameterError, match=match):
        VOCABULARY.estimate(side, side)
