"""Metadata by column, of records with different fields."""

import pytest

from mauve.text.metadata import UNREAD, MetadataColumns, repeated_names


def test_missing_values_are_none():
    columns = MetadataColumns()
    columns.add(1, {"site": "a.org"})
    columns.add(3, {"good": True, "site": None})
    assert columns.filled(5) == {
        "site": [None, "a.org", None, None, None],
        "good": [None, None, None, True, None],
    }


def test_equal_strings_are_stored_once():
    columns = MetadataColumns()
    for row in range(2):
        columns.add(row, {"site": "".join(["a.", "org"])})
    first, second = columns.filled(2)["site"]
    assert first is second


@pytest.mark.parametrize("value", [0.5, [1], {"a": 1}, b"a", "x" * 201, UNREAD])
def test_a_field_is_dropped_at_its_first_value_that_is_no_metadata(value):
    columns = MetadataColumns()
    columns.add(0, {"odd": "x", "site": "s"})
    columns.add(1, {"odd": value, "site": "x" * 200})
    columns.add(2, {"odd": "x", "site": "s"})
    assert columns.filled(3) == {"site": ["s", "x" * 200, "s"]}
    assert list(columns.unread) == ["odd"]


def test_a_hundred_fields_are_read():
    columns = MetadataColumns()
    columns.add(0, {f"field {i}": i for i in range(102)})
    assert len(columns.filled(1)) == 100
    assert list(columns.unread) == ["field 100", "field 101"]


def test_repeated_names_come_in_their_order():
    assert repeated_names(["z", "text", "a", "z", "a", "text"], ["text"]) == ["z", "a"]
