"""Every check of form fires on a defect, and is silent on the same texts without it."""

import json

import numpy as np
import pytest

from mauve.errors import InvalidParameterError
from mauve.text.form import check_form

VOCABULARY = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from "
    "they which you had there year house river people morning window story light walked found "
    "small never again under letter music garden winter answer road voice"
)
GERMAN = "der und nicht ist mit sich auf für ein eine dem von Haus Fluss Leute Morgen Brief"
RUSSIAN = "и не на что он как это дом река люди утро письмо зима дорога голос ответ"


def some_texts(n, seed, vocabulary=VOCABULARY, low=40, high=80):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(low, high, n)
    return [" ".join(rng.choice(vocabulary.split(), length)) + "." for length in lengths]


HUMAN = some_texts(200, 0)
MODEL = some_texts(200, 1)


def some(texts, share, change):
    """Change the first texts, up to a share of all."""
    k = round(share * len(texts))
    return [change(text) for text in texts[:k]] + texts[k:]


KINDS = ("length", "leading_space", "trailing_space", "markers", "damage", "copies", "overlap")
KINDS += ("script", "language")


def findings(human, model, **settings):
    """Return the findings of the checks of this file; tests/text/test_habits.py has others."""
    report = check_form(human, model, name="gpt", **settings)
    return tuple(finding for finding in report.findings if finding.kind in KINDS)


def only_finding(human, model, **settings):
    (finding,) = findings(human, model, **settings)
    return finding


def test_texts_of_one_source_have_no_finding():
    report = check_form(HUMAN, MODEL, name="gpt")
    assert report.findings == ()
    assert (report.name, report.n_human, report.n_model) == ("gpt", 200, 200)
    assert report.unit == "words"
    assert report.human_length == np.median([len(text.split()) for text in HUMAN])
    assert report.model_length == np.median([len(text.split()) for text in MODEL])


class TestLength:
    def test_medians(self):
        finding = only_finding(HUMAN, some_texts(200, 1, low=60, high=120))
        assert finding.kind == "length"
        assert finding.human == pytest.approx(60, abs=3)
        assert finding.model == pytest.approx(90, abs=4)
        assert finding.message.startswith(
            f"The median length is {finding.model:g} words for 'gpt' and {finding.human:g} for "
        )
        assert finding.message.endswith("cut all texts to one length with match_length=True.")

    def test_spread_around_the_same_median(self):
        wide = some_texts(200, 2, low=20, high=100)
        finding = only_finding(wide, some_texts(200, 1, low=59, high=61))
        assert finding.kind == "length"
        assert finding.message.startswith("The first quartile's length is ")

    @pytest.mark.slow
    def test_small_differences_are_none_however_sure(self):
        model = some_texts(5000, 1, low=43, high=83, vocabulary="one two three four")
        human = some_texts(5000, 2, vocabulary="one two three four")
        assert findings(human, model) == ()

    def test_large_differences_of_few_texts_are_none(self):
        longer = some_texts(5, 1, low=60, high=120)
        assert findings(HUMAN[:5], longer) == ()

    def test_tokens_where_given(self):
        tokens = np.arange(200) + 100
        finding = only_finding(HUMAN, MODEL, human_tokens=tokens, model_tokens=tokens + 80)
        assert (finding.human, finding.model) == (199.5, 279.5)
        assert "279.5 tokens for 'gpt'" in finding.message
        report = check_form(
            HUMAN, MODEL, name="gpt", human_tokens=tokens, model_tokens=tokens[::-1]
        )
        assert (report.findings, report.unit) == ((), "tokens")

    def test_words_where_the_tokens_are_not_known(self):
        unknown = np.full(200, -1)
        report = check_form(HUMAN, MODEL, name="gpt", human_tokens=unknown, model_tokens=unknown)
        assert report.unit == "words"

    def test_empty_texts_have_no_length(self):
        found = {finding.kind: finding.model for finding in findings(HUMAN, [""] * 200)}
        assert found["length"] == 0


class TestSpace:
    @pytest.mark.parametrize("space", [" ", "\n", "\u00a0"])
    def test_leading(self, space):
        finding = only_finding(some(HUMAN, 0.7, lambda text: space + text), MODEL)
        assert (finding.kind, finding.human, finding.model) == ("leading_space", 0.7, 0)
        assert finding.message == (
            "0% of the texts of 'gpt' and 70% of human texts start with white space: strip all "
            "texts with strip=True."
        )

    def test_trailing(self):
        finding = only_finding(HUMAN, some(MODEL, 0.15, lambda text: text + "\n"))
        assert (finding.kind, finding.human, finding.model) == ("trailing_space", 0, 0.15)
        assert "15% of the texts of 'gpt' and 0% of human texts end with white" in finding.message

    def test_the_same_share_in_both_samples_is_none(self):
        human, model = (some(texts, 0.7, lambda text: f" {text}") for texts in (HUMAN, MODEL))
        assert findings(human, model) == ()

    def test_a_small_share_is_none(self):
        model = some(MODEL, 0.03, lambda text: f" {text}")
        assert findings(HUMAN, model) == ()

    def test_few_texts_are_none(self):
        model = some(MODEL[:8], 0.5, lambda text: f" {text}")
        assert findings(HUMAN[:8], model) == ()


MARKERS = [
    "<|endoftext|>",
    "</s>",
    "<eos>",
    "<pad>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|end_of_text|>",
    "<end_of_turn>",
    "<｜end▁of▁sentence｜>",
    "[SEP]",
    "[PAD]",
    "[/INST]",
    "<|END_OF_TURN_TOKEN|>",
]


class TestMarkers:
    @pytest.mark.parametrize("marker", MARKERS)
    def test_every_marker(self, marker):
        finding = only_finding(HUMAN, some(MODEL, 0.05, lambda text: text + marker))
        assert (finding.kind, finding.human, finding.model) == ("markers", 0, 0.05)
        assert f"hold end-of-text markers, mostly '{marker}': decode" in finding.message

    def test_in_both_samples_alike(self):
        human, model = ([f"{text}</s>" for text in texts] for texts in (HUMAN, MODEL))
        assert only_finding(human, model).kind == "markers"

    def test_in_the_human_sample(self):
        finding = only_finding(some(HUMAN, 0.05, lambda text: text + "<|endoftext|>"), MODEL)
        assert (finding.kind, finding.human, finding.model) == ("markers", 0.05, 0)

    @pytest.mark.parametrize(
        "ending", ["<p>", "</i>", "[sic]", " a <| b |> c", " x <|> y", " <eosin>", "<|>", "s>"]
    )
    def test_other_brackets_are_none(self, ending):
        assert findings(HUMAN, [text + ending for text in MODEL]) == ()

    def test_a_text_about_them_is_none(self):
        model = some(MODEL, 0.005, lambda text: f"{text} BERT puts [SEP] between sentences.")
        assert findings(HUMAN, model) == ()
        few = some(MODEL[:5], 0.2, lambda text: f"{text} BERT puts [SEP] between sentences.")
        assert findings(HUMAN[:5], few) == ()


class TestDamage:
    @pytest.mark.parametrize(
        ("damage", "quoted"),
        [
            ("\ufffd", r"\ufffd"),
            ("\0", r"\x00"),
            ("\x1b[0m", r"\x1b"),
            ("\x92", r"\x92"),
            ("\ud83d", r"\ud83d"),
            ("CafÃ©", "Ã©"),
            ("donâ€™t", "â€"),
            ("Â£5", "Â£"),
            ("groÃŸ", "ÃŸ"),
            ("ðŸ˜€", "ðŸ"),
            ("ï¿½", "ï¿½"),
            ("Ð¿Ð¾Ð¼", "Ð¿Ð¾"),
        ],
    )
    def test_every_damage(self, damage, quoted):
        finding = only_finding(HUMAN, some(MODEL, 0.1, lambda text: f"{text} {damage} here"))
        assert (finding.kind, finding.human, finding.model) == ("damage", 0, 0.1)
        assert f"hold damaged characters, mostly '{quoted}': write" in finding.message

    @pytest.mark.slow
    def test_is_what_reading_utf_8_as_something_else_makes(self):
        for character in "éüßñ’“—…😀ж":
            for encoding in ("latin-1", "cp1252"):
                garbled = (2 * character).encode().decode(encoding, errors="replace")
                model = [f"{text} {garbled}" for text in MODEL]
                assert only_finding(HUMAN, model).kind == "damage", (character, encoding)

    @pytest.mark.parametrize(
        "fine",
        ["café", "don’t — really…", "NÃO", "SÃO PAULO", "âge", "5 €", "😀", "\t\r\n\x0c", "ðis"],
    )
    def test_characters_that_are_meant_are_none(self, fine):
        model = [f"{text} {fine} here" for text in MODEL]
        assert findings(HUMAN, model) == ()

    def test_the_same_share_in_both_samples_is_none(self):
        human, model = (some(texts, 0.1, lambda text: text + "\ufffd") for texts in (HUMAN, MODEL))
        assert findings(human, model) == ()


class TestCopies:
    def test_within_the_model(self):
        finding = only_finding(HUMAN, MODEL[:160] + MODEL[:40])
        assert (finding.kind, finding.human, finding.model) == ("copies", 0, 0.2)
        assert "copies of an earlier text, among 200 of each sample: " in finding.message

    def test_within_human_text(self):
        finding = only_finding(HUMAN[:160] + HUMAN[:40], MODEL)
        assert (finding.kind, finding.human, finding.model) == ("copies", 0.2, 0)

    def test_white_space_makes_no_difference(self):
        model = MODEL[:180] + [f" {text}\n" for text in MODEL[:20]]
        kinds = [finding.kind for finding in findings(HUMAN, model)]
        assert kinds == ["copies", "leading_space", "trailing_space"]

    def test_short_answers_in_both_samples_are_none(self):
        """More copies among more texts: 90% of 2,000, 77% of 200, of one and the same source."""
        rng = np.random.default_rng(0)
        human, model = ([f"answer {i}" for i in rng.zipf(1.5, n)] for n in (2000, 200))
        assert findings(human, model) == ()

    def test_fewer_than_one_in_a_hundred_are_none(self):
        assert findings(HUMAN, MODEL[:198] + MODEL[:2]) == ()


class TestOverlap:
    def test_leak(self):
        finding = only_finding(HUMAN, HUMAN[:20] + MODEL[20:])
        assert (finding.kind, finding.human, finding.model) == ("overlap", 0.1, 0.1)
        assert "also stand in the other sample" in finding.message

    def test_the_same_file_twice(self):
        finding = only_finding(HUMAN, HUMAN)
        assert (finding.kind, finding.human, finding.model) == ("overlap", 1, 1)

    def test_answers_that_many_give_are_none(self):
        human, model = (["Yes.", "No."] * 100, ["No.", "Yes."] * 100)
        assert findings(human, model) == ()

    def test_one_in_a_hundred_is_none(self):
        assert findings(HUMAN, HUMAN[:2] + MODEL[2:]) == ()


class TestLanguage:
    def test_script(self):
        finding = only_finding(HUMAN, some_texts(200, 1, RUSSIAN))
        assert (finding.kind, finding.human, finding.model) == ("script", 0, 1)
        assert "are mainly in Cyrillic letters: " in finding.message

    def test_language(self):
        finding = only_finding(HUMAN, MODEL[:150] + some_texts(50, 1, GERMAN))
        assert (finding.kind, finding.human, finding.model) == ("language", 1, 0.75)
        assert "are in English by their words: " in finding.message

    def test_languages_are_recognised_in_latin_letters_only(self):
        other = some_texts(400, 3, " ".join(f"слово{i}" for i in range(100)))
        finding = only_finding(HUMAN[:50] + other[:150], MODEL[:150] + other[150:200])
        assert finding.kind == "script"

    def test_mixtures_that_agree_are_none(self):
        texts = {seed: HUMAN[seed:80:2] + some_texts(40, seed, GERMAN) for seed in (0, 1)}
        russian = {seed: some_texts(40, seed, RUSSIAN) for seed in (0, 1)}
        report = check_form(texts[0] + russian[0], texts[1] + russian[1], name="gpt")
        assert report.findings == ()

    def test_a_few_texts_are_none(self):
        model = MODEL[:185] + some_texts(15, 1, GERMAN)
        assert findings(HUMAN, model) == ()

    def test_repetition_is_no_language(self):
        """A model that says one thing over and over writes bad English, but no other language."""
        model = [
            " ".join((f"I am so sorry {i}. " * 20).split()[: len(text.split())])
            for i, text in enumerate(MODEL)
        ]
        assert findings(HUMAN, model) == ()

    def test_texts_without_letters_have_none(self):
        numbers = [" ".join(text.split()[:30]) for text in some_texts(200, 0, "1 2 3")]
        more = [" ".join(text.split()[:30]) for text in some_texts(200, 1, "1 2 3")]
        assert findings(numbers, more) == ()


@pytest.mark.parametrize("fault", ["markers", "damage", "copies", "overlap"])
def test_faults_in_less_than_one_text_of_a_hundred_are_none_however_sure(fault):
    """27 of 3,000 texts against none is beyond chance (p = 1e-8), and too few to matter."""
    human, model = ([f"The {name} text {i} is this." for i in range(3000)] for name in "ab")
    faulty = {
        "markers": some(model, 0.009, lambda text: text + "</s>"),
        "damage": some(model, 0.009, lambda text: text + "\ufffd"),
        "copies": model[:27] + model[:-27],
        "overlap": human[:27] + model[27:],
    }
    assert findings(human, faulty[fault]) == ()


def test_several_findings_come_in_one_report():
    model = [f" {text}</s>" for text in some_texts(200, 1, GERMAN, low=100, high=150)]
    report = check_form(HUMAN, model, name="gpt")
    kinds = [finding.kind for finding in report.findings]
    assert kinds[:2] == ["markers", "language"]
    assert {"length", "leading_space", "unfinished"} < set(kinds)
    assert {"length", "ends"} < set(report.steps)
    written = json.loads(json.dumps(report.to_dict()))
    assert written["name"] == "gpt"
    assert written["unit"] == "words"
    assert written["human_length"] == report.human_length
    place = kinds.index("leading_space")
    assert written["findings"][place] == {
        "kind": "leading_space",
        "human": 0.0,
        "model": 1.0,
        "message": report.findings[place].message,
        "step": "ends",
        "distinction": 1.0,
        "summary": "start with white space (100%, human 0%)",
    }


def test_messages_are_one_line_whatever_the_name():
    (finding,) = check_form(HUMAN, [f" {t}" for t in MODEL], name="a\nb\x1b[31m").findings
    assert r"'a\nb\x1b[31m'" in finding.message


@pytest.mark.slow
def test_texts_of_one_source_hardly_ever_have_a_finding():
    """Ten tests at 0.001: a false alarm in at most 1% of draws, in fact in fewer.

    300 draws, so 3 are expected at that bound, and more than 10 have a probability below
    0.0003. Guards against tests that are too eager, and sizes that are too small.
    """
    rng = np.random.default_rng(0)
    source = some_texts(400, 2, low=10, high=60)
    source = some(source, 0.7, lambda text: f" {text}")
    source = source[300:] + source[:300]
    source = some(source, 0.05, lambda text: text + "\ufffd")
    source = source[50:] + source[:30] + source[:20]
    alarms = 0
    for _ in range(300):
        n = int(rng.integers(5, 150))
        texts = rng.permutation(np.array(source, dtype=object)).tolist()
        alarms += bool(check_form(texts[:n], texts[n:], name="gpt").findings)
    assert alarms <= 10


class TestParameters:
    @pytest.mark.parametrize("texts", [[], "one text", [3]])
    def test_texts(self, texts):
        with pytest.raises(InvalidParameterError, match="'human' must"):
            check_form(texts, MODEL, name="gpt")
        with pytest.raises(InvalidParameterError, match="'gpt' must"):
            check_form(HUMAN, texts, name="gpt")

    @pytest.mark.parametrize(
        "tokens", [np.ones(199, int), np.ones((200, 1), int), np.ones(200), np.ones(200, bool)]
    )
    def test_tokens(self, tokens):
        fine = np.ones(200, dtype=int)
        with pytest.raises(
            InvalidParameterError, match=r"'human_tokens' .* an int for each of the 200 texts\. Got"
        ):
            check_form(HUMAN, MODEL, name="gpt", human_tokens=tokens, model_tokens=fine)
        with pytest.raises(InvalidParameterError, match=r"'model_tokens' .* an int for each of"):
            check_form(HUMAN, MODEL, name="gpt", human_tokens=fine, model_tokens=tokens)

    def test_tokens_of_one_sample_alone(self):
        fine = np.ones(200, dtype=int)
        with pytest.raises(InvalidParameterError, match=r"'model_tokens' .* pass both, or none"):
            check_form(HUMAN, MODEL, name="gpt", human_tokens=fine)
        with pytest.raises(InvalidParameterError, match=r"'human_tokens' .* pass both, or none"):
            check_form(HUMAN, MODEL, name="gpt", model_tokens=fine)
