"""Fields of records: nested ones, and messages that list what is there."""

import pytest

from mauve.errors import InvalidParameterError
from mauve.text.fields import Fields, Record

RECORD = {
    "id": 7,
    "site": "a.org",
    "messages": [{"role": "user", "content": "Hi."}, {"role": "bot", "content": "Hello."}],
    "out": {"best": "Yes.", "n": 3},
}


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("messages.1.content", "Hello."),
        ("messages.-1.content", "Hello."),
        ("out.best", "Yes."),
        ("site", "a.org"),
    ],
)
def test_nested_fields(field, text):
    record = Fields("'a'", field).record(RECORD, "Line 1")
    assert (record.text, record.id, record.has_fields) == (text, "7", True)


def test_the_record_around_a_nested_text_is_no_metadata():
    record = Fields("'a'", "out.best").record(RECORD, "Line 1")
    assert [*record.metadata] == ["site", "messages"]


def test_a_field_that_has_the_very_name_comes_first():
    fields = Fields("'a'", "out.best")
    assert fields.record({"out.best": "A", "out": {"best": "B"}}, "Line 1").text == "A"


def test_prompts_may_be_nested_too():
    fields = Fields("'a'", "messages.1.content", "messages.0.content")
    assert fields.record(RECORD, "Line 1")[:2] == ("Hello.", "Hi.")


@pytest.mark.parametrize(
    "field", ["text", "messages.2.content", "messages.x.content", "out.best.0", "out.", "site.0"]
)
def test_a_missing_field_lists_the_nested_strings_that_are_there(field):
    with pytest.raises(
        InvalidParameterError,
        match=rf"^Line 3 of 'a' must have the field '{field}'\. Got id, site, messages\.0\.role, "
        r"messages\.0\.content, messages\.1\.role, messages\.1\.content, out\.best instead: pass "
        r"field='NAME', or rename it\.$",
    ):
        Fields("'a'", field).record(RECORD, "Line 3")


def test_a_record_where_a_text_should_be_names_the_string_in_it():
    with pytest.raises(
        InvalidParameterError,
        match=r"^The field 'messages' in line 3 of 'a' must be a string\. Got list instead: pass "
        r"field='messages\.0\.role'\.$",
    ):
        Fields("'a'", "messages").record(RECORD, "Line 3")


def test_a_plain_record():
    assert Fields("'a'").record({"text": "x", "prompt": "p"}, "Line 1") == Record(
        "x", "p", None, {}, True
    )
