"""Samples are divided by a field, every text into one domain, and none is lost."""

import pytest

from mauve.comparison.by_field import domains_by_field
from mauve.errors import InvalidParameterError


def records(*domains, **others):
    return [{"text": f"{i} {domain}", "kind": domain, **others} for i, domain in enumerate(domains)]


def test_every_text_stands_in_its_domain():
    human = records("b", "a", "b", "a", prompt="p")
    systems = {"x": records("a", "b", "a", prompt="p"), "y": records("b", prompt="p")}
    domains = domains_by_field(human, systems, "kind")
    assert [*domains] == ["b", "a"]
    assert domains["b"][0].values == ["0 b", "2 b"]
    assert domains["a"][0].values == ["1 a", "3 a"]
    assert domains["a"][1]["x"].values == ["0 a", "2 a"]
    assert [*domains["a"][1]] == ["x"]
    assert domains["b"][1]["y"].values == ["0 b"]
    assert domains["b"][0].prompts == ["p", "p"]


def test_numbers_are_domains_too():
    domains = domains_by_field(records(1999, 2000), records(2000, 1999), "kind")
    assert [*domains] == ["1999", "2000"]


@pytest.mark.parametrize(
    ("human", "system", "by", "message"),
    [
        (records("a"), records("a", "b"), "kind", "'model' has texts in the domain b"),
        (records("a", "b"), records("a"), "kind", "There are none in the domain b"),
        (records("a"), records("a"), "lang", "Got 'lang', which 'human' has not: it has kind"),
        (records("a"), records(0.5), "kind", "'model' has other values than strings"),
        (["a"], ["b"], "kind", "it has no fields beside the text"),
        (records("a", None, ""), records("a"), "kind", r"2 of the 3 texts .* text 1 \(from 0\)"),
        (records(*range(51)), records(*range(51)), "kind", "which has 51 among the human texts"),
    ],
)
def test_what_cannot_be_divided(human, system, by, message):
    with pytest.raises(InvalidParameterError, match=message):
        domains_by_field(human, system, by)
