"""Warnings that a score may be unreliable."""

import warnings

import numpy as np
import pytest
from pair_clouds import clouds, score

from mauve import MauveWarning, compare
from mauve.comparison.advice import small_sample_warnings


class TestWarnings:
    def test_few_texts(self):
        human, model = clouds(37, n=40)
        with pytest.warns(MauveWarning, match="has 40 texts: below 100"):
            comparison = compare(human, model, n_clusterings=5, n_permutations=20)
        assert comparison.warnings[0].startswith("'human' has 40 texts and 'model' has 40 texts: b")

    def test_few_texts_of_many_systems_are_said_once(self):
        human, model = clouds(37, n=120)
        systems = {f"system{i}": model[:80] for i in range(7)} | {"large": model}
        with pytest.warns(MauveWarning, match="texts") as caught:
            comparison = compare(human, systems, n_clusterings=5, n_permutations=0)
        [message] = [str(w.message) for w in caught if "below 100" in str(w.message)]
        assert "'system3' has 80 texts and the like of 3 other samples: below 100" in message
        assert message in comparison["system6"].warnings
        assert message not in comparison["large"].warnings

    def test_few_texts_per_bucket(self):
        with pytest.warns(MauveWarning, match="100 texts are few for 30 buckets"):
            score(*clouds(38), num_buckets=30)

    def test_sizes_more_than_tenfold_apart(self):
        human, model = clouds(39, n=1001, n_model=100)
        with pytest.warns(MauveWarning, match="'human' has 1001 texts and 'model' 100"):
            result = score(human, model)
        assert 0 < result.mauve < 1

    def test_unequal_sizes_within_reason_raise_none(self):
        assert score(*clouds(40, n=100, n_model=1000)).warnings == ()

    def test_duplicates_that_leave_buckets_empty(self):
        rng = np.random.default_rng(41)
        human, model = (rng.integers(2, size=(100, 2)) + 1.0 for _ in range(2))
        with pytest.warns(MauveWarning, match=r"of 8 buckets are empty: the features"):
            score(human, model)

    def test_each_is_raised_once_and_kept_in_the_result(self):
        human, model = clouds(42, n=40)
        with pytest.warns(MauveWarning, match="texts") as caught:
            comparison = compare(human, {"a": model, "b": model}, n_clusterings=5, n_permutations=0)
        messages = [str(w.message) for w in caught]
        assert len(messages) == len(set(messages))
        assert set(messages) == set(comparison.warnings)


def test_human_texts_that_set_the_buckets_cannot_be_left_out():
    message = small_sample_warnings({"human": 50, "model": 900}, 5)[0]
    assert "because 'human' has 50 texts" in message
    assert "Collect more of them, or set num_buckets." in message


def test_a_small_sample_that_sets_the_buckets_for_all_is_reported():
    human, model = clouds(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MauveWarning)  # of few texts as well
        comparison = compare(human, {"many": model, "few": model[:20]}, n_permutations=0)
    assert all("because 'few' has 20 texts" in r.warnings[-1] for r in comparison.values())
