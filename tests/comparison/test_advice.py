"""Warnings that a score may be unreliable."""

import numpy as np
import pytest
from pair_clouds import clouds, score

from mauve import MauveWarning, compare


class TestWarnings:
    def test_few_texts(self):
        human, model = clouds(37, n=40)
        with pytest.warns(MauveWarning, match="has 40 texts: below 100"):
            comparison = compare(human, model, num_buckets=4, n_clusterings=5, n_permutations=20)
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
        with pytest.warns(MauveWarning, match="texts") as caught:
            score(*clouds(38), num_buckets=30)
        few, learnt = (str(warning.message) for warning in caught)
        assert few.startswith("100 texts are few for 30 buckets")
        assert "30 buckets are learnt from 100 texts" in learnt
        assert "From 240 texts of each sample on" in learnt

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


class TestFewTextsForTheBuckets:
    def test_are_reported_with_the_number_that_is_needed(self):
        human, model = clouds(60, n=200)
        with pytest.warns(MauveWarning, match="texts") as caught:
            comparison = compare(human, {"many": model, "few": model[:150]}, n_permutations=0)
        assert comparison["many"].warnings == ()
        assert [str(w.message) for w in caught] == [*comparison["few"].warnings]
        assert comparison["few"].warnings == (
            "There are only 150 texts of a sample: 12 buckets are learnt from 96 texts, and the "
            "score is comparable only with others of such buckets. From 200 texts of each sample "
            "on, scores of any number of texts are comparable.",
        )

    def test_raise_no_warning_where_buckets_are_chosen_to_fit(self):
        assert score(*clouds(61), num_buckets=8).warnings == ()


class TestContradiction:
    def test_a_score_of_one_beside_a_clear_difference_is_explained(self):
        """A shift of a feature that hardly varies is lost in the buckets, and the test sees it."""
        rng = np.random.default_rng(62)
        human, model = rng.normal(size=(2, 400, 12)) * np.r_[np.ones(11), 0.05]
        model[:, 11] += 0.05
        with pytest.warns(MauveWarning, match="is within its error of 1, yet the test") as caught:
            result = compare(human, model, n_clusterings=10, n_permutations=199)["model"]
        assert result.p_value == 0.005
        assert result.interval[1] > 0.9995
        message = str(caught[0].message)
        assert f"(p = 0.005, {result.test_statistic})" in message.replace("0.0050", "0.005")
        assert f"By the classifier the score is {result.classifier.mauve:.3f} (" in message

    def test_equal_sources_raise_none(self):
        assert score(*clouds(63, shift=0.0)).warnings == ()
