"""What is said where no property is ranked is true."""

import numpy as np

from mauve.explanation.properties import differing_properties
from mauve.explanation.property_columns import PropertyTable
from mauve.explanation.wording import phrase_table


def differing(n_with_commas):
    """Compare texts without commas with as many of which some have one."""
    n = 1500
    plain = [f"Number {i} is here." for i in range(n)]
    texts = plain + [
        f"Number {i}, is here." if i < n_with_commas else text for i, text in enumerate(plain)
    ]
    is_model = np.arange(2 * n) >= n
    table = PropertyTable(texts, phrase_table(texts))
    return differing_properties(table, np.arange(2 * n), is_model, np.arange(2 * n) % 2 == 0)


def test_equal_samples_differ_in_nothing():
    equal = differing(0)
    assert (
        equal.none_ranked
        == f"None of {equal.n_tested} properties of texts differs by more than chance."
    )


def test_a_significant_difference_too_small_to_rank_is_not_denied():
    # 1.3% of 1,500 texts against none: p = 1e-6, and it explains 0.7% of the samples.
    small = differing(20)
    assert small.ranked == ()
    assert small.n_significant > 0
    assert small.none_ranked.startswith(f"{small.n_significant} of {small.n_tested} properties")


def test_nothing_is_said_where_something_is_ranked():
    assert differing(1000).none_ranked == ""
