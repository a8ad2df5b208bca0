"""Measures by name, and what they need."""

import sys

import pytest

from mauve.errors import InvalidParameterError, MissingExtraError
from mauve.measures.registry import GROUPS, MEASURES, check_extras, check_names, get_measures


def names_of(measures):
    return [measure.name for measure in measures]


def test_a_name_is_found_in_any_case_and_once():
    assert names_of(get_measures(" Zipf,zipf , distinct-3", {"tokens"})) == ["zipf", "distinct-3"]
    assert names_of(get_measures([MEASURES["mmd"], "mmd"], {"features"})) == ["mmd"]


def test_a_group_has_the_measures_that_can_be_computed():
    computable = names_of(get_measures("all", {"features"}))
    assert computable == [*GROUPS["features"]]
    assert "discriminator" in computable
    assert "zipf" not in computable


def test_a_measure_that_cannot_be_computed_is_named_with_the_remedy():
    with pytest.raises(InvalidParameterError, match=r"'zipf' needs texts in place of features"):
        get_measures("mmd,zipf", {"features"})
    with pytest.raises(InvalidParameterError, match=r"'training' needs .* training=SAMPLE"):
        get_measures("training", {"features", "tokens"})


def test_a_minus_leaves_a_measure_out():
    text = [*GROUPS["text"]]
    text.remove("zipf")
    assert names_of(get_measures("text,-zipf", {"texts", "tokens"})) == text
    assert names_of(get_measures(["-zipf", "text"], {"texts", "tokens"})) == text
    assert names_of(get_measures("default, -Text,-frechet", {"features", "tokens"})) == ["mauve"]
    # It may be out of reach anyway.
    assert names_of(get_measures("default,-copying-8", {"features"})) == ["frechet", "mauve"]


def test_a_minus_must_leave_something_out_and_something_in():
    for names in ("zipf,-mmd", "-zipf", "text,-features"):
        with pytest.raises(InvalidParameterError, match="only for measures that the other names"):
            check_names(names)
    with pytest.raises(InvalidParameterError, match=r"at least one is left. Got 'zipf,-text'"):
        get_measures("zipf,-text", {"tokens"})
    with pytest.raises(InvalidParameterError, match=r"must be among .*Got 'zip' instead"):
        check_names("text,-zip")


def test_a_name_of_a_family_is_one_measure():
    first, second = (get_measures("distinct-3", {"tokens"}) for _ in range(2))
    assert first == second


def test_unknown_names_are_errors():
    check_names("self-bleu-1000, Features")
    for name in ("blue", "zipf-3", "distinct-x", ""):
        with pytest.raises(InvalidParameterError, match=f"must be among .*Got '{name}' instead"):
            check_names(f"zipf,{name}")


def test_a_missing_extra_is_named():
    check_extras([*MEASURES.values()])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "sklearn", None)
        check_extras([MEASURES["zipf"]])
        match = (
            r"'discriminator' needs sklearn.*mauve-eval\[classifier\].*leave 'discriminator' out"
        )
        with pytest.raises(MissingExtraError, match=match):
            check_extras([MEASURES["zipf"], MEASURES["discriminator"]])
