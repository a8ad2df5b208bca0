import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.escape import escaped_text
from mauve.reports.selection import MAX_CHARACTERS, MAX_TEXTS, SNIPPET, excerpt_of, select

ANY_TEXT = st.text(st.characters(), max_size=400)  # surrogates too


def all_examples(chosen):
    cards = [example for card in chosen.cards for example in [*card.human, *card.model]]
    return [*cards, *chosen.machine_like, *chosen.uncovered]


@pytest.mark.slow
def test_texts_of_all_systems_together_are_not_too_many(explained):
    _, explanation, _ = explained
    for n_systems in (1, 2, 7, 50, 200, 500):
        for explained in explanation.values():
            assert len(all_examples(select(explained, n_systems))) <= MAX_TEXTS // n_systems


def test_every_cluster_shows_its_fault_first(explained):
    _, explanation, _ = explained
    for explained in explanation.values():
        chosen = select(explained, 2)
        assert [card.cluster.kind for card in chosen.cards][: len(explained.over)] == [
            "over"
        ] * len(explained.over)
        for card in chosen.cards:
            examples = card.human if card.cluster.kind == "under" else card.model
            assert examples[0].why == "telling"


def test_no_text_stands_twice_in_a_cluster(explained):
    _, explanation, _ = explained
    for explained in explanation.values():
        for card in select(explained, 1).cards:
            examples_of = {explained.human_name: card.human, explained.name: card.model}
            for sample, examples in examples_of.items():
                indices = [example.share.index for example in examples]
                assert len(set(indices)) == len(indices)
                assert {example.share.sample for example in examples} <= {sample}
                assert len(examples) <= 4


def test_flagged_clusters_have_a_card_or_are_counted(explained):
    _, explanation, _ = explained
    for explained in explanation.values():
        n_flagged = len(explained.over) + len(explained.under) + len(explained.otherwise)
        for n_systems in (1, 40):
            chosen = select(explained, n_systems)
            assert len(chosen.cards) + chosen.n_more == n_flagged


def test_features_have_no_texts(features):
    _, explanation = features
    chosen = select(explanation["far"], 2)
    assert chosen.cards
    assert not any(card.human or card.model for card in chosen.cards)
    assert len(chosen.machine_like) == 20
    assert chosen.machine_like[0].excerpt is None


def test_long_texts_are_cut_and_counted():
    excerpt = excerpt_of("word " * 250_000)
    assert len(excerpt.text) == MAX_CHARACTERS
    assert excerpt.n_more == 1_250_000 - MAX_CHARACTERS
    assert len(excerpt.snippet) <= SNIPPET + 1
    assert excerpt.snippet.endswith("word…")


def test_what_is_written_out_is_not_longer_either():
    excerpt = excerpt_of("\U000e0041" * 10_000)
    assert len(excerpt.text) <= MAX_CHARACTERS
    assert excerpt.n_more == 10_000 - MAX_CHARACTERS // 10


@given(ANY_TEXT, st.integers(1, 50))
def test_no_character_is_lost(text, max_characters):
    excerpt = excerpt_of(text, max_characters)
    assert len(excerpt.text) <= max_characters
    lines = text.replace("\r\n", "\n")
    assert excerpt.text == escaped_text(lines[: len(lines) - excerpt.n_more])


@pytest.mark.parametrize(
    ("text", "snippet"),
    [
        ("", ""),
        ("one\n\n  two ", "one two"),
        ("字" * 400, "字" * SNIPPET + "…"),
        ("x" * SNIPPET, "x" * SNIPPET),
    ],
)
def test_snippets(text, snippet):
    assert excerpt_of(text).snippet == snippet
