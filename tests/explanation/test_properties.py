"""Properties that differ are found, ranked, and said in sentences that hold as counted."""

import re

import numpy as np
import pytest
from tests.prose import prose

import mauve
from mauve.embed.load import load_samples
from mauve.explanation.properties import comparison_properties, differing_properties
from mauve.explanation.property_columns import PropertyTable
from mauve.explanation.property_sentences import reason, state
from mauve.explanation.wording import phrase_table
from mauve.text.distinction import crossfit, difference_p_value, distinction
from mauve.text.properties import TextProperty
from mauve.text.style_properties import STYLE_PROPERTIES
from mauve.text.view import TextView

SENTENCE_END = re.compile(r"(?<=[.!?]) ")
PLANTED = {
    "blank_lines": lambda text: SENTENCE_END.sub("\n\n", text),
    "curly_quotes": lambda text: text.replace("'", "’"),
    "leading_space": lambda text: f" {text}",
    "no_capitals": str.lower,
    "bullets": lambda text: "\n".join(f"- {s}" for s in SENTENCE_END.split(text)),
    "unfinished": lambda text: " ".join(text.split()[:-2]).rstrip(' .,!?"'),
    "double_spaces": lambda text: text.replace(" ", "  "),
    "words": lambda text: " ".join(text.split()[:20]),
}


def differing(human, model, prompts=None):
    samples = load_samples({"human": human, "gpt": model}, prompts=prompts)
    return comparison_properties(samples)["gpt"]


class TestPlantedForm:
    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("key", PLANTED)
    def test_is_named_first(self, key, seed):
        found = differing(prose(300, 2 * seed), [*map(PLANTED[key], prose(300, 2 * seed + 1))])
        assert found.ranked[0].key == key
        assert found.ranked[0].is_form
        assert found.ranked[0].alone > 0.3
        assert found.ranked[0].p_value < 1e-6

    def test_and_content_under_it(self):
        model = [f"{text} As ever, the ship sailed." for text in prose(300, 1)]
        found = differing(prose(300, 0), [*map(PLANTED["blank_lines"], model)])
        assert "the ship sailed" in " ".join(found.sentences) or "as ever" in str(found.sentences)


@pytest.mark.slow
def test_nothing_is_named_where_the_source_is_one():
    """At the level of 5%: more than 11 of 100 have a probability of 0.4%."""
    named = [bool(differing(prose(100, 2 * s), prose(100, 2 * s + 1)).ranked) for s in range(100)]
    assert sum(named) <= 11


@pytest.mark.slow
def test_nothing_is_named_where_texts_of_a_prompt_are_alike():
    named = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        by_prompt = [prose(4, 1000 * seed + i, low=i % 7 + 2, high=i % 7 + 4) for i in range(40)]
        sides = [rng.permutation(4) for _ in by_prompt]
        human, model = (
            [texts[j] for texts, side in zip(by_prompt, sides, strict=True) for j in side[part]]
            for part in (slice(2), slice(2, 4))
        )
        named += bool(differing(human, model, [*np.repeat(np.arange(40), 2)]).ranked)
    assert named <= 8  # 3 are expected


def check_sentence(difference, human, model):
    """Check a sentence against the texts, without the code that wrote it."""
    sentence = difference.sentence
    shares = re.fullmatch(
        r"(<?[\d.]+)% of its texts (.+), (<?[\d.]+)% of human texts do\.", sentence
    )
    if shares:
        of_model, what, of_human = shares.groups()
        counts = []
        for texts in (human, model):
            if phrase := re.fullmatch(r"have the words? “(.+)”", what):
                pattern = re.compile(rf"(?<!\w){re.escape(phrase[1])}(?!\w)")
                flat = [re.sub(r"[^\S]+", " ", text.lower().replace("’", "'")) for text in texts]
                counts.append(np.mean([bool(pattern.search(text)) for text in flat]))
            elif what == "have blank lines":
                counts.append(np.mean(["\n\n" in text for text in texts]))
            elif exact := re.fullmatch(r"have exactly (\d+) words", what):
                counts.append(np.mean([len(text.split()) == int(exact[1]) for text in texts]))
            else:
                return False
        for printed, counted in zip((of_human, of_model), counts, strict=True):
            if printed.startswith("<"):
                assert 0 < counted < 0.001, sentence
            else:
                assert float(printed) == pytest.approx(100 * counted, abs=0.051), sentence
        return True
    means = re.fullmatch(
        r"(\w+) .*: on average ([\d.,]+)(.*), ([\d.,]+)(%?) in human texts\.", sentence
    )
    if means:
        higher = float(means[2].replace(",", "")) > float(means[4].replace(",", ""))
        assert (means[1] in ("More", "Longer", "A")) == higher or means[1] == "A", sentence
        return True
    return False


@pytest.mark.parametrize("seed", range(4))
def test_sentences_hold_as_counted(seed):
    rng = np.random.default_rng(seed)
    human = prose(200, 2 * seed)
    endings = [" In the end, all was well.", " Overall, it was a good day, perhaps.", ""]
    model = [f"{text}{rng.choice(endings)}" for text in prose(200, 2 * seed + 1)]
    model = [SENTENCE_END.sub("\n\n", text) if rng.random() < 0.4 else text for text in model]
    found = differing(human, model)
    checked = [check_sentence(difference, human, model) for difference in found.ranked]
    assert sum(checked) >= 2
    for difference in found.ranked:
        assert difference.sentence.endswith(".")
        assert difference.p_value <= 0.05


class TestRanking:
    def test_properties_that_add_nothing_are_left_out(self):
        found = differing(prose(200, 0), [*map(str.lower, prose(200, 1))])
        # The share of capitals goes with it.
        assert [difference.key for difference in found.form] == ["no_capitals"]
        assert found.n_significant > 3
        assert found.form[0].beyond == pytest.approx(1, abs=0.02)

    def test_gains_add_up(self):
        model = [
            f" {text}" if i % 2 else f"{text} So it was." for i, text in enumerate(prose(200, 1))
        ]
        found = differing(prose(200, 0), model)
        assert found.form
        assert found.content
        assert {*found.form, *found.content} == {*found.ranked}
        for kind in (found.form, found.content):
            assert sum(difference.beyond for difference in kind) <= 1 + 1e-9
            assert kind[0].beyond >= max(difference.beyond for difference in kind) - 1e-9

    def test_order_of_texts_does_not_matter(self):
        human, model = prose(100, 0), [*map(PLANTED["blank_lines"], prose(100, 1))]
        order = np.random.default_rng(0).permutation(100)
        found = differing([human[i] for i in order], [model[i] for i in order])
        assert found.sentences == differing(human, model).sentences


class TestReasons:
    def test_every_text_has_its_reasons(self):
        human, model = prose(200, 0), [*map(PLANTED["blank_lines"], prose(200, 1))]
        with pytest.warns(mauve.MauveWarning, match=r"blank lines \(100%, human 0%\)"):
            comparison = mauve.compare(human, {"gpt": model}, progress=False)
        explained = mauve.explain(comparison, progress=False)["gpt"]
        assert all("has blank lines" in share.reasons for share in explained.machine_like(20))
        assert all(
            "does not have blank lines" in share.reasons for share in explained.uncovered(20)
        )
        written = explained.machine_like(1)[0].to_dict()
        assert written["reasons"] == ["has blank lines"]
        assert explained.to_dict()["properties"]["ranked"][0]["key"] == "blank_lines"
        assert "have blank lines, 0% of human" in str(explained)

    def test_words(self):
        assert reason("begin with", "“Sure”", "", 1.0) == "begins with “Sure”"
        assert reason("have", "no capital letter", "", 0.0) == "has a capital letter"
        assert reason("have", "more dashes", "{} per 100 words", 0.5) == "0.5 dashes per 100 words"


def test_features_have_no_properties():
    rng = np.random.default_rng(0)
    samples = load_samples({"human": rng.normal(size=(50, 3)), "gpt": rng.normal(size=(50, 3))})
    assert comparison_properties(samples) == {}


def test_words_of_the_prompt():
    topics = ["garden", "letter", "horses", "winter", "music", "boats", "window"]
    prompts = [f"{topics[i % 7]} {topics[i % 5]} {i}" for i in range(120)]
    model = [f"{text} {prompts[i].rpartition(' ')[0]}." for i, text in enumerate(prose(120, 1))]
    found = differing(prose(120, 0), model, prompts)
    assert "prompt_words" in {difference.key for difference in found.content}


def test_surprisal_by_a_language_model():
    texts = prose(60, 0) + prose(60, 1)
    logs = [np.full(20, -1.0)] * 60 + [np.r_[np.full(10, -1.0), np.full(10, -3.0)]] * 60
    table = PropertyTable(texts, phrase_table(texts), log_probabilities=logs)
    rows = np.arange(120)
    found = differing_properties(table, rows, rows >= 60, rows % 2 == 0)
    assert found.ranked[0].key == "surprisal"
    assert found.ranked[0].sentence == (
        "Less predictable words: on average 2.9 bits per token by the language model, 1.4 in human "
        "texts."
    )


class TestStatements:
    numbers = TextProperty("n", lambda _: 0, "longer", "shorter", "{} words", is_count=True)

    def test_one_number(self):
        sentence = state(self.numbers, np.arange(100.0), np.full(100, 50.0)).sentence
        assert sentence == "100% of its texts have exactly 50 words, 1.0% of human texts do."

    def test_spread(self):
        rng = np.random.default_rng(0)
        sentence = state(self.numbers, rng.normal(50, 20, 500), rng.normal(50, 2, 500)).sentence
        assert re.match(r"Varies less from text to text: 4\d to 5\d words in the middle", sentence)

    def test_numbers_that_are_printed_alike_say_nothing(self):
        share = TextProperty("s", lambda _: 0, "it")
        assert state(share, np.r_[1, np.zeros(9999)], np.r_[1, 1, np.zeros(9998)]) is None

    def test_undefined_for_all(self):
        assert state(self.numbers, np.full(5, np.nan), np.ones(5)) is None


class TestDistinction:
    def test_useless_properties_have_none(self):
        rng = np.random.default_rng(0)
        is_model, half = rng.random(2000) < 0.5, rng.random(2000) < 0.5
        values = [
            distinction(crossfit(rng.normal(size=2000), is_model, half), is_model)
            for _ in range(20)
        ]
        assert max(values) < 0.01

    def test_equals_the_formula_for_shares(self):
        """Shares of 20% and 60%: half the sum of (p - q)² / (p + q) = 0.1666..."""
        is_model = np.repeat([False, True], 5000)
        has = np.r_[np.arange(5000) % 10 < 2, np.arange(5000) % 10 < 6].astype(float)
        half = np.random.default_rng(0).random(10000) < 0.5
        expected = 0.5 * (0.16 / 0.8 + 0.16 / 1.2)
        assert distinction(crossfit(has, is_model, half), is_model) == pytest.approx(
            expected, abs=0.01
        )

    def test_groups_widen_the_error(self):
        """Ten texts of each prompt are one observation, not ten."""
        rng = np.random.default_rng(1)
        is_model = np.repeat([False, True], 200)
        groups = np.repeat(np.arange(40), 10).astype(np.uint64)
        values = rng.normal(size=40)[groups.astype(int)] + 0.01 * rng.normal(size=400)
        assert difference_p_value(values, is_model, groups) > 10 * difference_p_value(
            values, is_model
        )


@pytest.mark.parametrize("item", STYLE_PROPERTIES, ids=lambda item: item.key)
def test_style_does_not_depend_on_white_space_or_quotes(item):
    """A difference of form must not read as one of style."""
    for text in prose(30, 5):
        changed = SENTENCE_END.sub("\n\n", text).replace("'", "’").replace('"', "”")
        assert item.value(TextView(changed)) == pytest.approx(item.value(TextView(text)))
