"""Differences of form are found, with their shares and the step that removes them."""

import re

import numpy as np
import pytest
from tests.prose import prose

from mauve.text.form import check_form
from mauve.text.form_properties import CONTENT_KEYS, FORM_PROPERTIES, FORM_SHARES
from mauve.text.view import TextView

SENTENCE_END = re.compile(r"(?<=[.!?]) ")
PLANTED = {
    "leading_space": (lambda text: f" {text}", "ends"),
    "trailing_space": (lambda text: f"{text}\n", "ends"),
    "html": (lambda text: SENTENCE_END.sub("<br>", text), "markup"),
    "bullets": (lambda text: "\n".join(f"- {s}" for s in SENTENCE_END.split(text)), "markup"),
    "headings": (lambda text: f"# Title\n{text}", "markup"),
    "emphasis": (lambda text: text.replace("the", "**the**"), "markup"),
    "code_links": (lambda text: f"See [this](a.html). {text}", "markup"),
    "quotes_tables": (lambda text: f"> {text}", "markup"),
    "blank_lines": (lambda text: SENTENCE_END.sub("\n\n", text), "space"),
    "indented_lines": (lambda text: SENTENCE_END.sub("\n    ", text), "space"),
    "space_at_line_end": (lambda text: SENTENCE_END.sub(" \n", text), "space"),
    "tabs": (lambda text: text.replace(" ", "\t", 1), "space"),
    "carriage_returns": (lambda text: SENTENCE_END.sub("\r\n", text), "space"),
    "line_breaks": (lambda text: SENTENCE_END.sub("\n", text), "space"),
    "double_spaces": (lambda text: SENTENCE_END.sub("  ", text), "space"),
    "spaces_before_marks": (lambda text: text.replace(",", " ,"), "space"),
    "odd_spaces": (lambda text: text.replace(" ", "\u00a0", 1), "space"),
    "curly_quotes": (lambda text: text.replace("'", "’"), "typography"),
    "ellipsis_character": (lambda text: text.replace(".", "…"), "typography"),
    "dash_characters": (lambda text: text.replace(",", " —"), "typography"),
    "double_hyphens": (lambda text: text.replace(",", " --"), "typography"),
    "other_typography": (lambda text: f"{text} © 2020.", "typography"),
    "emoji": (lambda text: f"{text} 😀", "emoji"),
    "unicode_forms": (lambda text: text.replace("e", "e\u0301"), "unicode"),
    "no_capitals": (str.lower, "case"),
    "all_capitals": (str.upper, "case"),
    "starts_lower": (lambda text: f"and {text}", "case"),
    "unfinished": (lambda text: text[: int(0.8 * len(text))].rstrip(' .!?"') + " and", "sentences"),
    "thousands": (lambda text: f"{text} It cost 3,000 more.", None),
    "digits": (lambda text: f"{text} It was 1921.", None),
    "straight_quotes": (lambda text: text.replace("'", "").replace('"', ""), None),
    "non_ascii": (lambda text: text.replace("a", "ä"), None),
}


def test_every_share_is_planted_here():
    assert {item.key for item in FORM_SHARES} == set(PLANTED)


def test_keys_are_unique():
    keys = [item.key for item in FORM_PROPERTIES]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("key", PLANTED)
def test_planted(key):
    change, step = PLANTED[key]
    human, model = prose(150, 0), [change(text) for text in prose(150, 1)]
    findings = {finding.kind: finding for finding in check_form(human, model, name="gpt").findings}
    finding = findings[key]
    has = next(item for item in FORM_SHARES if item.key == key)
    for share, texts in ((finding.human, human), (finding.model, model)):
        assert share == np.mean([has.value(TextView(text)) for text in texts])
    assert finding.step == step
    assert (step is None) == (key in CONTENT_KEYS)
    assert finding.distinction > 0.02
    assert "of human texts" in finding.message


def test_findings_are_ranked_by_how_well_they_tell_the_samples_apart():
    model = [SENTENCE_END.sub("\n\n", text) for text in prose(150, 1)]
    model[:30] = [text.replace("'", "’") for text in model[:30]]
    habits = check_form(prose(150, 0), model, name="gpt").findings
    distinctions = [finding.distinction for finding in habits]
    assert distinctions == sorted(distinctions, reverse=True)
    assert habits[0].kind == "blank_lines"
    assert "curly_quotes" in [finding.kind for finding in habits]


def test_a_beginning_that_texts_share():
    model = [f"Sure, here is a story: {text}" for text in prose(150, 1)]
    findings = {f.kind: f for f in check_form(prose(150, 0), model, name="gpt").findings}
    assert findings["beginning"].model == 1
    assert "begin with 'Sure, here is a story:'" in findings["beginning"].message


def test_texts_that_are_cut_to_one_length():
    human = prose(150, 0, low=8, high=24)
    model = [" ".join(text.split()[:80]) for text in prose(150, 1, low=14, high=24)]
    findings = {f.kind: f for f in check_form(human, model, name="gpt").findings}
    assert findings["length"].step == "length"
    assert findings["length"].distinction > 0.5


@pytest.mark.slow
def test_prose_of_one_source_hardly_ever_has_a_finding():
    """At most 2% by the levels; more than 8 of 200 have a probability below 0.02 there."""
    alarms = sum(
        bool(check_form(prose(60, 2 * seed), prose(60, 2 * seed + 1), name="gpt").findings)
        for seed in range(200)
    )
    assert alarms <= 8
