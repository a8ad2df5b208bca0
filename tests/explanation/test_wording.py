"""Characteristic words: closed forms by hand, planted words, templates, chance, odd texts."""

from itertools import combinations
from math import comb, log, sqrt

import numpy as np
import pytest
import scipy

from mauve.explanation.phrases import read_phrases
from mauve.explanation.results import Phrase
from mauve.explanation.wording import (
    cluster_name,
    log_limit,
    log_odds,
    log_tails,
    phrase_table,
    told_apart,
)

TEMPLATE = "a testament to the rich tapestry of life"  # eight words


def random_texts(rng, n, n_words=40, vocabulary=2000):
    """Texts of words as frequent as in English, by Zipf's law."""
    chances = 1 / np.arange(1, vocabulary + 1)
    words = rng.choice(vocabulary, size=(n, n_words), p=chances / chances.sum())
    return [" ".join(f"w{word}" for word in row) for row in words]


def rows(start, stop):
    return np.arange(start, stop)


def listed(found):
    return [one.phrase for one in found]


class TestLogOdds:
    def test_by_hand(self):
        """6 of 10 texts against 2 of 30: a prior of a quarter gives 2.5 and 7.5 texts at 1/5."""
        ratio, z = log_odds(np.array([6]), 10, np.array([2]), 30)
        have, lack = 6 + 0.5, 4 + 2
        other_have, other_lack = 2 + 1.5, 28 + 6
        expected = log(have / lack) - log(other_have / other_lack)
        assert ratio[0] == pytest.approx(expected, rel=1e-12)
        spread = sqrt(1 / have + 1 / lack + 1 / other_have + 1 / other_lack)
        assert z[0] == pytest.approx(expected / spread, rel=1e-12)

    def test_without_a_prior_it_is_the_plain_log_odds_ratio(self):
        ratio, z = log_odds(np.array([6]), 10, np.array([2]), 30, prior=0)
        assert ratio[0] == pytest.approx(log(6 / 4 * 28 / 2), rel=1e-12)
        assert z[0] == pytest.approx(ratio[0] / sqrt(1 / 6 + 1 / 4 + 1 / 2 + 1 / 28), rel=1e-12)

    def test_equal_shares_have_none(self):
        ratio, z = log_odds(np.array([5, 1]), 10, np.array([15, 3]), 30)
        assert ratio == pytest.approx([0, 0], abs=1e-12)
        assert z == pytest.approx([0, 0], abs=1e-12)

    def test_sides_change_the_sign(self):
        one, z = log_odds(np.array([6]), 10, np.array([2]), 30)
        other, other_z = log_odds(np.array([2]), 30, np.array([6]), 10)
        assert one == pytest.approx(-other)
        assert z == pytest.approx(-other_z)

    def test_all_against_none_is_finite_and_above_all_against_some(self):
        _, z = log_odds(np.array([20, 20, 1]), 20, np.array([0, 5, 0]), 20)
        assert np.isfinite(z).all()
        assert z[0] > z[1] > z[2]


class TestChance:
    def test_bound_of_the_tail(self):
        """Never below SciPy's tail, and within a tenth of it where that is below 0.001."""
        rng = np.random.default_rng(0)
        n, total = 400, rng.integers(1, 200, 500)
        count = rng.hypergeometric(total, n - total, 60) + rng.integers(0, 20, 500)
        count = np.minimum(count, np.minimum(total, 60))
        exact = scipy.stats.hypergeom.sf(count - 1, n, total, 60)
        found = np.exp(log_tails(count, total, 60, n))
        assert (found >= exact * (1 - 1e-9)).all()
        small = exact < 1e-3
        assert small.sum() > 50
        assert (found[small] <= exact[small] * 1.1).all()

    def test_limit_counts_only_what_could_reach_it(self):
        """In 10 of 20 texts, at best 1/C(20, 10); in one, at best 1/2, whatever the number."""
        total = np.array([1] * 1000 + [10] * 7)
        assert np.exp(log_limit(total, 10, 20, 0.05)) == pytest.approx(0.05 / 7)
        assert np.exp(log_limit(np.array([1]), 10, 20, 0.05)) == pytest.approx(0.05)

    def test_limit_is_bonferroni_where_all_could_reach_it(self):
        total = np.full(100, 10)  # 1/C(20, 10) is below 0.05/100
        assert np.exp(log_limit(total, 10, 20, 0.05)) == pytest.approx(0.05 / 100)

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
        found = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert found[0].phrase == "tapestry"
        assert found[0].share > 0.4 > 0.1 > found[0].other_share
        assert [one.z for one in found] == sorted((one.z for one in found), reverse=True)

    @pytest.mark.parametrize("seed", range(5))
    def test_a_template_gives_one_phrase(self, seed):
        rng = np.random.default_rng(seed)
        texts = random_texts(rng, 300)
        for i in range(0, 60, 2):
            words = texts[i].split()
            words.insert(int(rng.integers(len(words))), TEMPLATE)
            texts[i] = " ".join(words)
        found = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert listed(found) == ["a testament to the rich"]  # its first five words
        assert (found[0].share, found[0].other_share) == (0.5, 0.0)

    def test_a_longer_template_gives_one_phrase_too(self):
        rng = np.random.default_rng(0)
        template = " ".join(f"t{i}" for i in range(60))
        texts = random_texts(rng, 300)
        texts[:60] = [f"{template} {text}" for text in texts[:60]]
        found = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert listed(found) == ["t0 t1 t2 t3 t4"]

    def test_a_text_that_repeats_itself_counts_once(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 100)
        texts[0] = "loop " * 500
        texts[1:5] = ["loop"] * 4
        table = phrase_table(texts)
        assert "loop" not in listed(table.characteristic(rows(4, 50), rows(50, 100)))
        (found,) = table.characteristic(rows(0, 5), rows(5, 100))
        assert (found.phrase, found.share) == ("loop", 1.0)

    def test_nested_phrases_of_other_texts_are_told_apart(self):
        """'rain' in 60 texts, 'heavy rain' in 20 of them: the better one is shown."""
        rng = np.random.default_rng(2)
        texts = random_texts(rng, 300)
        for i in range(60):
            texts[i] += " heavy rain" if i < 20 else " rain"
        found = phrase_table(texts).characteristic(rows(0, 60), rows(60, 300))
        assert listed(found) == ["rain"]

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
        found = phrase_table([texts[i] for i in order]).characteristic(
            np.flatnonzero(order < 50), np.flatnonzero(order >= 50)
        )
        assert found == phrase_table(texts).characteristic(rows(0, 50), rows(50, 200))

    def test_texts_of_neither_group_do_not_matter(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 200)
        texts[:50] = [f"{text} planted" for text in texts[:50]]
        table = phrase_table(texts + ["planted elsewhere"] * 300)
        found = table.characteristic(rows(0, 50), rows(50, 200))
        assert found == phrase_table(texts).characteristic(rows(0, 50), rows(50, 200))


class TestPhrases:
    def phrases(self, *texts):
        found = read_phrases([text for text in texts for _ in range(5)])
        return [found.text_of(i) for i in range(found.n_phrases)]

    def test_presence_against_a_search_of_every_text(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 60, n_words=60, vocabulary=8)
        found = read_phrases(texts)
        assert found.n_phrases > 400
        for i in range(found.n_phrases):
            phrase = f" {found.text_of(i)} "
            has = np.array([phrase in f" {text} " for text in texts])
            assert found.counts(np.arange(60)).tolist()[i] == has.sum() == found.totals[i] >= 5
            if i % 50 == 0:
                few = np.array([3, 50, 7])
                assert found.counts(few)[i] == has[few].sum()
                most = np.arange(5, 60)
                assert found.counts(most)[i] == has[most].sum()

    def test_at_least_five_texts(self):
        assert read_phrases(["rain"] * 4 + ["snow " * 9]).n_phrases == 0
        assert read_phrases(["rain"] * 5).n_phrases == 1

    def test_case_and_kinds_of_apostrophe_are_one(self):
        found = read_phrases(["DON’T", "don't", "Don’t"] * 2)
        assert [found.text_of(i) for i in range(found.n_phrases)] == ["don't"]

    def test_no_phrase_has_marks_or_reaches_across_them(self):
        assert self.phrases("Yes, no... (maybe) ___ so") == [
            "maybe", "no", "so", "yes"
        ]  # fmt: skip

    def test_five_words_at_the_most(self):
        assert max(map(len, (one.split() for one in self.phrases("a b c d e f g")))) == 5

    def test_chinese_has_no_spaces(self):
        assert "你好世界" in self.phrases("你好世界，再见")
        assert "世界再" not in self.phrases("你好世界，再见")
        assert "用 python 写" in self.phrases("用 Python 写")

    def test_emoji_are_words(self):
        assert "🎉 happy birthday" in self.phrases("🎉 Happy birthday!")

    def test_long_runs_of_letters_are_no_words(self):
        assert self.phrases(f"see {'x' * 41} there") == ["see", "there"]

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
        found = phrase_table(texts).characteristic(rows(0, 20), rows(20, 45))
        assert "evil" in listed(found)
        assert "script" in listed(found)
        for one in found:
            assert len(one.phrase) < 250
            assert not {"\x1b", "\u202e", "\x00", "<", "\ud800"} & {*one.phrase}


class TestToldApart:
    def test_windows_without_a_common_word_are_linked_by_those_between(self):
        windows = [tuple(range(i, i + 3)) for i in (4, 0, 2, 1, 3)]
        assert told_apart(windows, np.ones((5, 8), dtype=bool), 8) == [1]

    def test_phrases_of_the_same_texts_without_a_link_both_stay(self):
        assert told_apart([(1,), (2,)], np.ones((2, 8), dtype=bool), 8) == [0, 1]

    def test_windows_of_different_texts_both_stay(self):
        presence = np.repeat([[True, False], [False, True]], 6, axis=1)
        assert told_apart([(1, 2, 3), (2, 3, 4)], presence, 8) == [0, 1]

    def test_words_that_repeat(self):
        assert told_apart([(1, 1, 1), (1, 1), (1,)], np.ones((3, 8), dtype=bool), 8) == [0]


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
