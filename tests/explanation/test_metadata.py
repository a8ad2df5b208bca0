"""Checks of metadata: values of all samples, fields left out, errors."""

import re

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.explanation.metadata import check_metadata, once_per_prompt

SIZES = {"human": 4, "model": 4}


class TestChecks:
    def test_values_of_all_texts_sample_after_sample(self):
        metadata = {"model": {"site": ["a", True, 1, None]}, "human": {"site": [1, True, 1, "a"]}}
        fields, left_out = check_metadata(metadata, SIZES)
        assert fields == {"site": ["1", "True", "1", "a", "a", "True", "1", None]}
        assert left_out == {}

    def test_a_sample_without_the_field_has_none(self):
        fields, _ = check_metadata({"model": {"site": ["a", "b", "a", "b"]}}, SIZES)
        assert fields == {"site": [None, None, None, None, "a", "b", "a", "b"]}

    def test_numpy_values_and_missing_ones_of_data_frames(self):
        values = [*np.array([1, 1, 2, 2]), float("nan")]
        flags = np.array([True, False, True, False, False])
        names = np.array(list("abbaa"))
        human = {"n": values, "f": flags, "s": names}
        fields, left_out = check_metadata({"human": human}, {"human": 5})
        assert fields["n"] == ["1", "1", "2", "2", None]
        assert fields["f"] == ["True", "False", "True", "False", "False"]
        assert fields["s"] == list("abbaa")
        assert left_out == {}

    def test_no_metadata(self):
        assert check_metadata({}, SIZES) == ({}, {})

    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            (["a"] * 4, "all texts have the same value"),
            ([None] * 4, "no text has a value"),
            (["a", "b", "c", None], r"nearly every text has a value of its own \(3 values, 3 t"),
            (["a", 0.5, "a", "b"], "strings, ints or bools, and some are of type float"),
            (["a", [1], "a", "b"], "some are of type list"),
            ([np.array([1, 2]), "a", "a", "b"], "some are of type ndarray"),
        ],
    )
    def test_fields_that_say_nothing_are_named_with_the_reason(self, values, reason):
        topic = ["x", "x", "y", "y"]
        fields, left_out = check_metadata({"human": {"odd": values, "topic": topic}}, SIZES)
        assert list(fields) == ["topic"]
        assert list(left_out) == ["odd"]
        assert re.search(reason, left_out["odd"])

    def test_fields_that_repeat_the_name_of_the_sample(self):
        metadata = {"human": {"by": ["humans"] * 4}, "model": {"by": ["gpt2"] * 4}}
        fields, left_out = check_metadata(metadata, SIZES)
        assert fields == {}
        assert left_out["by"].startswith("it adds nothing to the name of the sample")

    def test_identifiers_that_every_sample_repeats(self):
        """Ten texts of each of three samples, numbered alike: 10 values, 30 texts."""
        sizes = dict.fromkeys(("human", "first", "second"), 10)
        metadata = {name: {"row": range(10)} for name in sizes}
        fields, left_out = check_metadata(metadata, sizes)
        assert fields == {}
        assert left_out == {"row": "no two texts of a sample have the same value"}

    @pytest.mark.parametrize(
        ("metadata", "message"),
        [
            ([], "must be a dict of sample names to fields. Got list"),
            ({"gtp2": {}}, "must be about the samples human, model. Got gtp2 instead"),
            ({"human": ["a"]}, "must be a dict of fields for 'human'. Got list"),
            ({"human": {"site": "abcd"}}, "a list of values for 'site' of 'human'. Got str"),
            ({"human": {"site": 3}}, "a list of values for 'site' of 'human'. Got int"),
            ({"human": {3: list("abcd")}}, "named by strings in 'human'. Got 3 instead"),
            (
                {"human": {"a\nb": ["a"] * 3}},
                r"a list of 4 values for 'a\\nb' of 'human', one for each text. Got 3 values",
            ),
        ],
    )
    def test_errors(self, metadata, message):
        with pytest.raises(InvalidParameterError, match=message):
            check_metadata(metadata, SIZES)


class TestOncePerPrompt:
    def test_first_text_of_a_prompt_with_a_value_counts(self):
        values, prompts = [None, "a", "b", "b", "c"], np.array([7, 7, 7, 5, 5], dtype=np.uint64)
        assert once_per_prompt(values, prompts) == [None, "a", None, "b", None]

    def test_without_prompts_all_texts_count(self):
        assert once_per_prompt(("a", None, "a"), None) == ["a", None, "a"]
