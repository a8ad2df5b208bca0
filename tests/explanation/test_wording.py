"""Characteristic words: planted words, templates, chance, odd texts, names of clusters."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from zipf_texts import random_texts

from mauve.explanation.findings import Phrase
from mauve.explanation.wording import cluster_name, distinct_phrases, phrase_table

TEMPLATE = "a testament to the rich tapestry of life"  # eight words


def rows(start, stop):
    return np.arange(start, stop)


def listed(phrases):
    return [phrase.phrase for phrase in phrases]


class TestChance:
    def test_groups_that_do_not_differ_have_no_phrase(self):
        """At most 5% of random groups have one: the 99.9% quantile of 300 trials is 28."""
        rng = np.random.default_rng(1)
        table = phrase_table(random_texts(rng, 600))
        hits = 0
        for size, others in [(20, 40), (60, 60), (100, 500)] * 100:
            order = rng.permutation(600)
            hits += bool(table.characteristic(order[:size], order[size : size + others]))
        assert hits <= 28

    def test_chance_is_exact_for_all_ways_to_choose(self):
        """Of all 252 groups of five of ten texts, at most 5% have a phrase."""
        texts = ["red"] * 5 + ["blue"] * 5
        table = phrase_table(texts)
        groups = [np.array(way) for way in combinations(range(10), 5)]
        every = np.arange(10)
        hits = [bool(table.characteristic(one, np.setdiff1d(every, one))) for one in groups]
        assert sum(hits) == 2  # all five red, all five blue, each 1/252
        assert comb(10, 5) == len(hits)


class TestPlanted:
    @pytest.mark.parametrize("seed", range(5))
    def test_words(self, seed):
        """60 texts of 300, the word in 60% of them and in 2% of the others: missed by no seed."""
        rng = np.random.default_rng(seed)
        texts = random_texts(rng, 300)
        for i, chance in enumerate(rng.random(300)):
            if chance < (0.6 if i < 60 else 0.02):
                texts[i] += " Tapestry."
        phrases = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert phrases[0].phrase == "tapestry"
        assert phrases[0].share > 0.4 > 0.1 > phrases[0].other_share
        assert [phrase.z for phrase in phrases] == sorted(
            (phrase.z for phrase in phrases), reverse=True
        )

    @pytest.mark.parametrize("seed", range(5))
    def test_a_template_gives_one_phrase(self, seed):
        rng = np.random.default_rng(seed)
        texts = random_texts(rng, 300)
        for i in range(0, 60, 2):
            words = texts[i].split()
            words.insert(int(rng.integers(len(words))), TEMPLATE)
            texts[i] = " ".join(words)
        phrases = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert listed(phrases) == ["a testament to the rich"]  # its first five words
        assert (phrases[0].share, phrases[0].other_share) == (0.5, 0.0)

    def test_a_longer_template_gives_one_phrase_too(self):
        rng = np.random.default_rng(0)
        template = " ".join(f"t{i}" for i in range(60))
        texts = random_texts(rng, 300)
        texts[:60] = [f"{template} {text}" for text in texts[:60]]
        phrases = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert listed(phrases) == ["t0 t1 t2 t3 t4"]

    def test_a_text_that_repeats_itself_counts_once(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 100)
        texts[0] = "loop " * 500
        texts[1:5] = ["loop"] * 4
        table = phrase_table(texts)
        assert "loop" not in listed(table.characteristic(rows(4, 50), rows(50, 100)))
        (phrase,) = table.characteristic(rows(0, 5), rows(5, 100))
        assert (phrase.phrase, phrase.share) == ("loop", 1.0)

    def test_the_better_of_nested_phrases_is_listed(self):
        """'rain' in 60 texts, 'heavy rain' in 20 of them: the better phrase is listed."""
        rng = np.random.default_rng(2)
        texts = random_texts(rng, 300)
        for i in range(60):
            texts[i] += " heavy rain" if i < 20 else " rain"
        phrases = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert listed(phrases) == ["rain"]

    def test_number_of_phrases(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 100)
        texts[:40] = [f"{text}. one, two, three, four, five" for text in texts[:40]]
        table = phrase_table(texts)
        every = table.characteristic(rows(0, 40), rows(40, 100))
        assert sorted(listed(every)) == ["five", "four", "one", "three", "two"]
        assert table.characteristic(rows(0, 40), rows(40, 100), n=2) == every[:2]

    def test_order_of_texts_does_not_matter(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 200)
        texts[:50] = [f"{text}. one, two, {TEMPLATE}" for text in texts[:50]]
        order = rng.permutation(200)
        phrases = phrase_table([texts[i] for i in order]).characteristic(
            np.flatnonzero(order < 50), np.flatnonzero(order >= 50)
        )
        assert phrases == phrase_table(texts).characteristic(rows(0, 50), rows(50, 200))

    def test_texts_of_neither_group_do_not_matter(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 200)
        texts[:50] = [f"{text} planted" for text in texts[:50]]
        table = phrase_table(texts + ["planted elsewhere"] * 300)
        phrases = table.characteristic(rows(0, 50), rows(50, 200))
        assert phrases == phrase_table(texts).characteristic(rows(0, 50), rows(50, 200))


class TestOddTexts:
    @pytest.mark.parametrize("texts", [[], [""], ["..."] * 9, [" \n\t"] * 9, ["one text"]])
    def test_nothing_to_find(self, texts):
        table = phrase_table(texts)
        assert table.n_texts == len(texts)
        half = np.arange(len(texts) // 2)
        others = np.arange(len(texts) // 2, len(texts))
        assert table.characteristic(half, others) == ()

    def test_empty_groups(self):
        table = phrase_table(["one text here"] * 10)
        none = np.array([], dtype=int)
        assert table.characteristic(none, rows(0, 10)) == ()
        assert table.characteristic(rows(0, 10), none) == ()
        assert table.characteristic(none, none) == ()

    def test_hostile_texts(self):
        """Controls, changes of direction, lone surrogates, a megabyte: no part of a phrase."""
        odd = (
            "\x1b[31m\u202eevil\u202c\x00 <script>\ud800 i\u0307 " + "\U0001f600" * 60 + "x" * 10**6
        )
        texts = [odd] * 20 + ["plain words"] * 20 + [""] * 5
        phrases = phrase_table(texts).characteristic(rows(0, 20), rows(20, 45))
        assert "evil" in listed(phrases)
        assert "script" in listed(phrases)
        for phrase in phrases:
            assert len(phrase.phrase) < 250
            assert not {"\x1b", "\u202e", "\x00", "<", "\ud800"} & {*phrase.phrase}


class TestDistinctPhrases:
    def test_windows_without_a_common_word_are_linked_by_those_between(self):
        windows = [tuple(range(i, i + 3)) for i in (4, 0, 2, 1, 3)]
        assert distinct_phrases(windows, np.ones((5, 8), dtype=bool), 8) == [1]

    def test_phrases_of_the_same_texts_without_a_link_both_stay(self):
        assert distinct_phrases([(1,), (2,)], np.ones((2, 8), dtype=bool), 8) == [0, 1]

    def test_windows_of_different_texts_both_stay(self):
        presence = np.repeat([[True, False], [False, True]], 6, axis=1)
        assert distinct_phrases([(1, 2, 3), (2, 3, 4)], presence, 8) == [0, 1]

    def test_words_that_repeat(self):
        assert distinct_phrases([(1, 1, 1), (1, 1), (1,)], np.ones((3, 8), dtype=bool), 8) == [0]


class TestNames:
    def phrase(self, text, other_share=0.1):
        return Phrase(text, 5.0, 0.5, other_share)

    def test_up_to_three_words(self):
        words = [self.phrase(word) for word in ("sea", "ship", "grey sky", "sail")]
        assert cluster_name(words) == "sea, ship, grey sky"

    def test_words_of_content_before_words_of_grammar(self):
        words = [self.phrase("which", 0.6), self.phrase("sea")]
        assert cluster_name(words) == "sea"
        assert cluster_name(words[:1]) is None

    def test_a_long_phrase_only_where_there_is_nothing_else(self):
        words = [self.phrase("as an ai language model"), self.phrase("i cannot assist with that")]
        assert cluster_name(words) == "as an ai language model"
        assert cluster_name([*words, self.phrase("sorry")]) == "sorry"

    def test_number(self):
        assert cluster_name(()) is None
