"""Untrusted text is escaped and long lists are cut."""

from mauve.escape import escaped, listed


def test_what_a_terminal_would_act_on_is_written_out():
    assert escaped("a\tb\x1b[31m\u202e\ud800") == r"a\tb\x1b[31m\u202e\ud800"
    assert escaped("naïve – 漢字 😀") == "naïve – 漢字 😀"


def test_items_are_listed_up_to_eight():
    assert listed(range(8)) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert listed(range(9)) == "0, 1, 2, 3, 4, 5, 6, 7 and 1 more"
