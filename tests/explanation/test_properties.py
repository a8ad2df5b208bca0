"""Properties that differ are found, ranked, and said in sentences that hold as counted."""

import re
import warnings
from functools import cache

import numpy as np
import pytest
from benchmarks.sentences import Counted, check_explanation, holds
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
    "html": lambda text: text.replace("the ", "<b>the</b> "),
    "emoji": lambda text: f"{text} 😀",
    "spaces_before_marks": lambda text: re.sub(r"([,.?!])(?=\s|$)", r" \1", text),
    "starts_lower": lambda text: text[0].lower() + text[1:],
    "unfinished": lambda text: " ".join(text.split()[:-2]).rstrip(' .,!?"'),
    "double_spaces": lambda text: text.replace(" ", "  "),
    "words": lambda text: " ".join(text.split()[:20]),
}


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        return function(*args, **kwargs)


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


ENDINGS = [" In the end, all was well.", " Overall, it was a good day, perhaps.", "", "\n\nSure."]
LONG = [
    "Few sailors knew how deep cold waters ran below those northern cliffs.",
    "Every spring their farms gave more wheat than any barn could hold.",
    "Long after midnight drums still sounded across both valleys and beyond.",
    "Our king wore iron boots until war came to his own gate.",
    "Snow fell so thick that sheep lost sight of each other there.",
    "Under bright lamps children read old maps by slow careful fingers.",
]
#: Changes that make sentences of every kind.
WRITTEN = {
    **PLANTED,
    "many": lambda text: (
        SENTENCE_END.sub("\n\n", text) if len(text) % 3 else f"{text} (Yes; *so*.)"
    ),
    "beginning": lambda text: f"Sure, here is a story. {text}",
    "phrases": lambda text: (
        text.replace("The", "However, the") + " As ever, the ship sailed -- far."
    ),
    "templates": lambda text: f"{text} {LONG[len(text) % len(LONG)]}",
    "questions": lambda text: text.replace(".", "?", 2) if len(text) % 2 else text,
    "repeated": lambda text: " ".join([text] * (1 + len(text) % 3)),
    "spread": lambda text: text[: 100 + (len(text) * 7919) % 400],
    "copied": lambda text: text,
    "marked": lambda text: f"## It\n\n1. `so` {text}\n\t… 1,000 — “no”",
    "capitals": lambda text: text.upper() if len(text) % 2 else text,
}


#: The numbers that a sentence claims: of either sample, and not those in names or phrases.
CLAIMED = re.compile(
    r"(?<=on average )[\d.,]*\d|[\d.,]*\d(?=%? in human texts)"
    r"|[\d.,]*\d(?=% of (?:its|human) texts)"
    r"|(?<=: )[\d.,]*\d(?= to )|(?<= to )[\d.,]*\d(?=\D)"
)


@cache
def written(change):
    """Return the sentences about human texts and changed ones, and these texts."""
    human, rng = prose(200, 0), np.random.default_rng(0)
    endings = [""] if change == "words" else ENDINGS  # all of one length
    model = [f"{WRITTEN[change](text)}{rng.choice(endings)}" for text in prose(200, 1)]
    shown = 12 if change == "copied" else 1  # words of the system's text in its prompt
    prompts = [f"{' '.join(text.split()[:shown])} {i}" for i, text in enumerate(model)]
    return differing(human, model, prompts).sentences, Counted(
        human, model, prompts=(prompts, prompts)
    )


@pytest.mark.slow
class TestSentencesHoldAsCounted:
    """Every sentence is checked against counts that share no code with the package."""

    @pytest.mark.parametrize("change", WRITTEN)
    def test_about_samples(self, change):
        sentences, texts = written(change)
        assert sentences
        assert [sentence for sentence in sentences if not holds(sentence, texts)] == []

    @pytest.mark.parametrize("change", WRITTEN)
    def test_and_would_not_with_another_number(self, change):
        sentences, texts = written(change)
        for sentence in sentences:
            for number in CLAIMED.finditer(sentence):
                digits = len(number[0].partition(".")[2])
                other = f"{float(number[0].replace(',', '')) + 2 * 10**-digits:,.{digits}f}"
                changed = sentence[: number.start()] + other + sentence[number.end() :]
                assert holds(changed, texts) is False, changed

    def test_every_kind_of_sentence_is_among_them(self):
        said = "\n".join(sentence for change in WRITTEN for sentence in written(change)[0])
        for kind in (
            r"texts have blank lines, ", r"have the words? “", r"begin with “", r"have exactly \d",
            r": on average .* per 100 words",
            r": on average \d+ (words|sentences)", r"^Varies (less|more) .* middle half",
            r"% of words are in no other text|most frequent", r"sequences of 5 words",
            r"% of long words are in the prompt",
        ):  # fmt: skip
            assert re.search(kind, said, re.MULTILINE), kind

    def test_and_what_is_said_of_clusters_and_texts(self):
        human = prose(150, 0) + [f"Of the sea. {text}" for text in prose(30, 2)]
        model = [f"{text} As ever, the ship sailed." for text in prose(120, 1)]
        model += [f"_Sure_: the stars {i} shine; the stars are far." for i in range(60)]
        comparison = quietly(mauve.compare, human, {"gpt": model}, progress=False)
        explanation = mauve.explain(comparison, progress=False)
        checked = [*check_explanation(explanation, "gpt", Counted(human, model))]
        assert [said for said, is_true in checked if not is_true] == []
        said = "\n".join(said for said, _ in checked)
        assert re.search(r"^cluster \d+: “.+” [\d.<]+% of its texts$", said, re.MULTILINE)
        assert re.search(r"^gpt, text \d+: ", said, re.MULTILINE)
        assert "phrase" in {key.split(":")[0] for key in _keys(explanation)}

    def test_what_cannot_be_read_is_not_true(self):
        texts = Counted(["One."], ["Two."])
        assert holds("100% of its texts are fine, 0% of human texts do.", texts) is None
        assert holds("All is well.", texts) is None


def _keys(explanation):
    return [difference.key for difference in explanation["gpt"].properties.ranked]


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


class TestQuotes:
    """Straight quotes in place of curly ones are one difference, not two."""

    def test_only_curly_quotes_are_named(self):
        model = [text.replace("'", "’").replace('"', "”") for text in prose(300, 1)]
        found = differing([*prose(200, 0), *["No. " * 9] * 100], model)
        assert found.ranked[0].key == "curly_quotes"
        assert "straight" not in " ".join(found.sentences)

    def test_straight_quotes_are_named_where_the_others_have_none(self):
        model = [text.replace("'", "").replace('"', "") for text in prose(300, 1)]
        assert "straight quotes" in " ".join(differing(prose(300, 0), model).sentences)


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

    def test_shape(self):
        """Equal means and quartiles: how many texts exceed some number is all that differs."""
        human = np.linspace(0, 100, 1001)
        model = np.repeat([20.0, 25.0, 75.0, 80.0], [100, 400, 401, 100])
        sentence = state(self.numbers, human, model).sentence
        share, number, of_human = re.fullmatch(
            r"([\d.]+)% of its texts have more than (\d+) words, ([\d.]+)% of human texts do\.",
            sentence,
        ).groups()
        assert float(share) == pytest.approx(100 * np.mean(model > int(number)), abs=0.05)
        assert float(of_human) == pytest.approx(100 * np.mean(human > int(number)), abs=0.05)
        assert abs(float(share) - float(of_human)) > 10
        rate = TextProperty("r", lambda _: 0, "more dashes", "fewer dashes", "{} per 100 words")
        few, fewer = np.repeat([0.0, 1.0, 9.0], [90, 5, 5]), np.repeat([0.0, 9.0], [93, 7])
        assert state(rate, few, fewer).sentence == (
            "7.0% of its texts have dashes, 10.0% of human texts do."
        )
        percent = TextProperty("p", lambda _: 0, "more", "less", "{}% of words are rare")
        sentence = state(percent, human, model).sentence
        assert re.match(r"In [\d.]+% of its texts more than \d+% of words are rare, in ", sentence)

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
