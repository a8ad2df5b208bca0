"""Phrases of texts: against a search of every text, scripts, marks, odd texts."""

import numpy as np
from zipf_texts import random_texts

from mauve.explanation.phrases import read_phrases


class TestPhrases:
    def phrases(self, *texts):
        presence = read_phrases([text for text in texts for _ in range(5)])
        return [presence.text_of(i) for i in range(presence.n_phrases)]

    def test_presence_against_a_search_of_every_text(self):
        rng = np.random.default_rng(0)
        texts = random_texts(rng, 60, n_words=60, vocabulary=8)
        presence = read_phrases(texts)
        assert presence.n_phrases > 400
        for i in range(presence.n_phrases):
            phrase = f" {presence.text_of(i)} "
            has = np.array([phrase in f" {text} " for text in texts])
            assert (
                presence.counts(np.arange(60)).tolist()[i] == has.sum() == presence.totals[i] >= 5
            )
            if i % 50 == 0:
                few = np.array([3, 50, 7])
                assert presence.counts(few)[i] == has[few].sum()
                most = np.arange(5, 60)
                assert presence.counts(most)[i] == has[most].sum()

    def test_at_least_five_texts(self):
        assert read_phrases(["rain"] * 4 + ["snow " * 9]).n_phrases == 0
        assert read_phrases(["rain"] * 5).n_phrases == 1

    def test_case_and_kinds_of_apostrophe_are_one(self):
        presence = read_phrases(["DON’T", "don't", "Don’t"] * 2)
        assert [presence.text_of(i) for i in range(presence.n_phrases)] == ["don't"]

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
