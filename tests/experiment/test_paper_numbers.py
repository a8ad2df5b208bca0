"""The paper's correlations follow from the numbers it printed, where they can."""

from itertools import permutations, product

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.experiment.paper_numbers import paper_table
from mauve.inference.rank_correlation import spearman, spearman_p_value

QUESTIONS = ("human-like", "interesting", "sensible")
MEASURES = paper_table("correlations").columns
#: Half a unit of the third decimal, in which the paper prints correlations.
HALF = 0.0005 + 1e-9


def columns(row, measure):
    """Return a measure and what it is correlated with in a row of table 5, settings in order."""
    if row in QUESTIONS:
        measured, human = paper_table("webtext"), paper_table("bradley-terry").quality(row)
    else:
        measured = paper_table(row.split()[0])
        human = measured.quality("accuracy")
    quality = measured.quality(measure)
    settings = [name for name in quality if name in human]
    return np.array([quality[s] for s in settings]), np.array([human[s] for s in settings])


def reachable(values, human):
    """Return the correlations under every order of the values that are printed alike."""
    rounded = np.round(values, 6)
    tied = [np.flatnonzero(rounded == value) for value in np.unique(rounded)]
    found = set()
    for orders in product(*(list(permutations(group)) for group in tied)):
        ranks = np.empty(len(values))
        ranks[np.concatenate([np.array(order) for order in orders])] = np.arange(len(values))
        found.add(round(float(spearman(ranks, human)), 3))
    return found


@pytest.mark.parametrize("question", QUESTIONS)
def test_mauve_and_people(question):
    """Table 5: .952, .810 and .857, over eight settings of web text."""
    published = {"human-like": 0.952, "interesting": 0.810, "sensible": 0.857}[question]
    values, human = columns(question, "mauve")
    assert len(values) == 8
    assert float(spearman(values, human)) == pytest.approx(published, abs=HALF)
    assert paper_table("correlations").rows[question]["mauve"] == published


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("row", [*QUESTIONS, "stories accuracy"])
def test_rows_of_table_5(row, measure):
    """Zipf's coefficient and repetition have gaps that are printed alike: any order will do."""
    published = paper_table("correlations").rows[row][measure]
    values, human = columns(row, measure)
    exact = len(np.unique(np.round(values, 6))) == len(values)
    assert exact == (
        measure not in ("zipf", "repetition") or (row == "stories accuracy" and measure == "zipf")
    )
    if exact:
        assert float(spearman(values, human)) == pytest.approx(published, abs=HALF)
    assert any(abs(found - published) <= 1e-9 for found in reachable(values, human))


def test_the_news_row_is_of_more_settings_than_were_printed():
    """Table 10 has p < 2e-6 for a correlation of .803, which nine settings cannot give."""
    values, human = columns("news accuracy", "mauve")
    assert len(values) == 9
    least = np.arange(9.0)
    order = least[[1, 0, 4, 2, 3, 6, 5, 8, 7]]  # a correlation above .803
    assert float(spearman(least, order)) > 0.803
    assert spearman_p_value(least, order) > 2e-6
    assert float(spearman(values, human)) == pytest.approx(0.966, abs=HALF)  # published: .956


def test_questions_agree_with_each_other():
    """Caption of table 13, with human text among nine sources.

    From the scores in that table follow the three numbers of its caption, with two of them
    exchanged: it is human-like and sensible that have .967.
    """
    scores, published = paper_table("bradley-terry"), paper_table("questions").rows
    found = {
        (x, y): round(
            float(
                spearman(
                    np.array([*scores.quality(x).values()]), np.array([*scores.quality(y).values()])
                )
            ),
            3,
        )
        for x, y in [QUESTIONS[:2], QUESTIONS[::2], QUESTIONS[1:]]
    }
    assert found["human-like", "interesting"] == published["human-like"]["interesting"] == 0.917
    assert found["human-like", "sensible"] == published["interesting"]["sensible"] == 0.967
    assert found["interesting", "sensible"] == published["human-like"]["sensible"] == 0.917


def test_embedders_rank_alike():
    """Section 4.2: GPT-2 and RoBERTa have a correlation of .993."""
    table = paper_table("embedders")
    roberta, gpt2 = (np.array([*table.quality(name).values()]) for name in table.columns)
    assert float(spearman(roberta, gpt2)) == pytest.approx(0.993, abs=HALF)


@pytest.mark.parametrize("question", QUESTIONS)
def test_scores_have_mean_zero(question):
    """Appendix E; nine scores with three decimals are off by .0005 at most on average."""
    scores = [*paper_table("bradley-terry").quality(question).values()]
    assert np.mean(scores) == pytest.approx(0, abs=HALF)


def test_tables_name_their_settings_alike():
    webtext = set(paper_table("webtext").rows)
    assert set(paper_table("bradley-terry").rows) - {"human"} <= webtext
    assert set(paper_table("webtext-lm").rows) == set(paper_table("embedders").rows) < webtext
    mauve, gpt2 = paper_table("webtext").quality("mauve"), paper_table("embedders").quality("gpt2")
    assert all(abs(mauve[name] - value) < 0.0011 for name, value in gpt2.items())


def test_unknown_tables_and_columns():
    with pytest.raises(InvalidParameterError, match=r"'name'.* must be one of webtext, news"):
        paper_table("weather")
    with pytest.raises(InvalidParameterError, match=r"'column'.* must be one of human-like"):
        paper_table("bradley-terry").quality("mauve")
