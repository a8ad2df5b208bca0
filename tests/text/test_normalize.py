"""Texts are checked and cut to one length, and none is lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.text.form import check_form
from mauve.text.normalize import checked_texts, match_length, prepare_texts
from mauve.text.words import word_counts

TEXT = st.text(st.sampled_from("ab. \n\té漢"), max_size=30)
WORDY = TEXT.filter(lambda text: text.strip())


class TestMatchLength:
    @given(st.dictionaries(st.sampled_from("pqr"), st.lists(WORDY, min_size=1), min_size=1))
    def test_every_text_keeps_its_place_and_its_beginning(self, samples):
        matched = match_length(samples)
        assert list(matched.samples) == list(samples)
        for name, texts in samples.items():
            cut = matched.samples[name]
            assert len(cut) == len(texts)
            assert all(text.startswith(start) for text, start in zip(texts, cut, strict=True))
            before, after = word_counts(texts), word_counts(cut)
            assert (after == np.minimum(before, matched.n_words)).all()
            assert matched.n_cut[name] == (before > matched.n_words).sum()
            assert matched.n_shorter[name] == (before < matched.n_words).sum() <= len(texts) / 10
            short = before <= matched.n_words
            assert np.array(cut)[short].tolist() == np.array(texts)[short].tolist()

    @given(st.lists(st.integers(1, 30), min_size=1), st.lists(st.integers(1, 30), min_size=1))
    def test_length_is_the_greatest_that_nine_tenths_have(self, p_lengths, q_lengths):
        samples = {"p": [n * "a " for n in p_lengths], "q": [n * "a " for n in q_lengths]}
        n_words = match_length(samples).n_words

        def enough(n_words):
            return all(
                sum(n < n_words for n in lengths) <= len(lengths) / 10
                for lengths in (p_lengths, q_lengths)
            )

        assert enough(n_words)
        assert not enough(n_words + 1)

    def test_lengths_are_no_finding_afterwards(self):
        rng = np.random.default_rng(0)
        samples = {
            name: [" ".join(["word"] * n + [str(i)]) for i, n in enumerate(rng.poisson(mean, 500))]
            for name, mean in {"human": 100, "long": 200, "short": 50}.items()
        }
        matched = match_length(samples)
        for name in ("long", "short"):
            before = check_form(samples["human"], samples[name], name=name)
            assert "length" in [finding.kind for finding in before.findings]
            after = check_form(matched.samples["human"], matched.samples[name], name=name)
            assert "length" not in [finding.kind for finding in after.findings]
        # The quantile 0.1 of a Poisson of mean 50 is 41, its error for 500 texts about half a
        # word; a number stands at the end of each text.
        assert abs(matched.n_words - 42) <= 2
        assert matched.n_cut["long"] == 500

    def test_texts_without_spaces_are_cut_too(self):
        matched = match_length({"human": ["我喜欢猫，也喜欢狗。"], "model": ["我喜欢猫。"]})
        assert matched.samples == {"human": ["我喜欢猫，"], "model": ["我喜欢猫。"]}

    def test_too_many_empty_texts_are_named(self):
        texts = ["one two"] * 8 + ["", " "]
        with pytest.raises(
            InvalidParameterError,
            match=r"'beam' must have a word in .* Got none at positions 8, 9 instead",
        ):
            match_length({"human": ["one two"] * 10, "beam": texts})

    def test_a_tenth_of_empty_texts_stay_as_they_are(self):
        matched = match_length({"beam": ["one two"] * 9 + [" "]})
        assert matched.samples["beam"][9] == " "
        assert (matched.n_words, matched.n_shorter) == (2, {"beam": 1})

    def test_no_samples(self):
        with pytest.raises(InvalidParameterError, match=r"'samples' .* at least one sample"):
            match_length({})

    def test_samples_that_are_no_texts_are_named(self):
        with pytest.raises(InvalidParameterError, match=r"'gpt' must hold texts only\. Got int"):
            match_length({"human": ["a"], "gpt": ["a", 3]})


class TestPrepare:
    def test_nothing_asked_for_changes_nothing(self):
        given = {"human": [" a ", "b"], "model": ["c"]}
        assert prepare_texts(given) == ({"human": [" a ", "b"], "model": ["c"]}, "")

    def test_strip(self):
        assert prepare_texts({"human": [" a\n"]}, strip=True) == ({"human": ["a"]}, "strip")

    def test_texts_that_stripping_leaves_empty_are_named(self):
        with pytest.raises(InvalidParameterError, match=r"'m' must .* positions 1, 2 instead"):
            prepare_texts({"human": ["a"], "m": ["b", " ", "\n"]}, strip=True)

    def test_empty_texts_are_kept_when_asked(self):
        assert prepare_texts({"m": ["b", ""]}, empty="keep")[0] == {"m": ["b", ""]}

    def test_length_is_matched_over_all_samples(self):
        prepared = prepare_texts({"human": ["one two three"], "m": ["one"]}, same_length=True)
        assert prepared == ({"human": ["one"], "m": ["one"]}, "words1")


@pytest.mark.parametrize(("texts", "got"), [("a text", "one string"), ([], "none")])
def test_what_is_no_list_of_texts_is_refused(texts, got):
    with pytest.raises(
        InvalidParameterError, match=rf"'x' must be a list of at least one text\. Got {got} inst"
    ):
        checked_texts(texts, "x")


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([3], r"Got int at position 1 instead: write it as a string"),
        ([b"bytes"], r"Got bytes at position 1 instead: decode them"),
        ([["b"]], r"Got a list at position 1 instead: pass one flat list"),
        ([None, "b", float("nan")], r"Got missing values at positions 1, 3 instead: remove them"),
        ([3, None], r"Got missing values at position 2 instead"),
    ],
)
def test_items_that_are_no_texts_are_refused(items, message):
    with pytest.raises(InvalidParameterError, match=rf"'x' must hold texts only\. {message}"):
        checked_texts(["a", *items], "x")
