"""What embedders can read, and what is said where texts are outside of it."""

import json
from collections import Counter

import numpy as np
import pytest

import mauve
from mauve.calls import Command, command_line
from mauve.embed.bundled import BundledEmbedder
from mauve.embed.cache import FeatureCache
from mauve.embed.cached import CachedEmbedder
from mauve.embed.endpoint import EndpointEmbedder
from mauve.embed.load import load_samples
from mauve.embed.protocol import Embedded
from mauve.embed.reading import (
    Reading,
    SampleReadings,
    count_unreadable,
    reading_of,
    unreadable_warnings,
)
from mauve.embed.registry import CallableEmbedder
from mauve.errors import InvalidParameterError, MauveWarning

ENGLISH = Reading(languages=frozenset({"en"}), min_tokens=10, max_tokens=500, code=False)
GERMAN_TEXT = "Das ist nicht das Haus, das wir gesucht haben, aber es ist auch sehr schön und alt."
ENGLISH_TEXT = "This is not the house that we were looking for, but it is very nice and old too."
CODE_TEXT = "def add(first, second):\n    total = first + second\n    return total\n\nadd(a, b=2)"


class Lengths:
    """Reads English, and counts words as tokens."""

    signature = "lengths"
    reads: object = ENGLISH

    def __init__(self):
        self.n_embedded = 0

    def embed(self, texts, on_progress=None):
        self.n_embedded += len(texts)
        n = np.array([len(text.split()) for text in texts])
        rows = [[len(text), len(set(text)), text.count("e"), 1.0] for text in texts]
        return Embedded(np.array(rows, dtype=np.float32), n, n > 500)


def numbered(text, n=60):
    return [f"{text} {'x' * (i % 17)}{i}" for i in range(n)]


def messages_of(call):
    with pytest.warns(MauveWarning) as caught:
        result = call()
    return result, [str(warning.message) for warning in caught]


class TestReading:
    def test_bundled(self):
        reads = BundledEmbedder(max_length=128).reads
        assert (reads.languages, reads.code) == ({"en"}, False)
        assert (reads.min_tokens, reads.max_tokens) == (10, 127)

    def test_cached_embedders_pass_it_on(self, tmp_path):
        assert CachedEmbedder(Lengths(), FeatureCache(tmp_path)).reads is ENGLISH

    def test_functions_and_endpoints_say_nothing_unless_told(self):
        def rows(texts):
            return [[len(text)] for text in texts]

        assert CallableEmbedder(rows).reads is None
        rows.reads = ENGLISH
        assert CallableEmbedder(rows).reads is ENGLISH
        url = "http://localhost:1/v1#model=m"
        assert EndpointEmbedder(url).reads is None
        assert EndpointEmbedder(url, reads=ENGLISH).reads is ENGLISH

    def test_anything_else_is_refused(self):
        embedder = Lengths()
        embedder.reads = ["en"]
        with pytest.raises(
            InvalidParameterError, match=r"'reads' is a mauve.Reading. Got \['en'\]"
        ):
            reading_of(embedder)


class TestCounts:
    def test_kinds(self):
        kinds = count_unreadable([GERMAN_TEXT, ENGLISH_TEXT, CODE_TEXT, "Кошка на окне."], ENGLISH)
        assert kinds == {"German": 1, "code": 1, "Cyrillic script": 1}

    def test_what_is_not_known_is_not_checked(self):
        texts = [GERMAN_TEXT, CODE_TEXT]
        assert not count_unreadable(texts, None)
        assert not count_unreadable(texts, Reading())
        assert not count_unreadable(texts, Reading(languages=frozenset({"en", "tlh"})))
        assert count_unreadable(texts, Reading(code=False)) == {"code": 1}
        assert count_unreadable(texts, Reading(languages=frozenset({"en"}))) == {"German": 1}

    @pytest.mark.parametrize(("n", "n_messages"), [(4, 0), (5, 1), (100, 1)])
    def test_a_warning_from_five_percent_on(self, n, n_messages):
        for kind in ("German", "code"):
            assert len(unreadable_warnings("m", Counter({kind: n}), 0, 100, ENGLISH)) == n_messages

    @pytest.mark.parametrize(("n", "n_messages"), [(24, 0), (25, 1), (100, 1)])
    def test_a_warning_of_a_quarter_of_short_texts(self, n, n_messages):
        assert len(unreadable_warnings("m", Counter(), n, 100, ENGLISH)) == n_messages

    def test_an_error_above_half(self):
        half, more = Counter({"German": 50, "code": 50}), Counter({"German": 31, "French": 20})
        SampleReadings(ENGLISH, {"m": 100}, {"m": half}).check()
        readings = SampleReadings(ENGLISH, {"m": 100}, {"m": more})
        with pytest.raises(InvalidParameterError, match=r"51\.0% of the texts of 'm' are in other"):
            readings.check()

    def test_a_system_in_another_language_stops_no_other(self):
        german = Counter({"German": 100})
        sizes = {"human": 100, "a": 100, "b": 100}
        readings = SampleReadings(ENGLISH, sizes, {"human": Counter(), "a": german, "b": Counter()})
        readings.check()
        assert readings.warnings("a", np.full(100, 50))


class TestCompare:
    def test_german_is_refused_before_the_work(self):
        embedder = Lengths()
        with pytest.raises(InvalidParameterError) as caught:
            mauve.compare(
                numbered(GERMAN_TEXT), numbered(GERMAN_TEXT), embedder=embedder, cache=False
            )
        assert embedder.n_embedded == 0
        message = str(caught.value)
        assert message.startswith(
            "100% of the texts of 'human' are in other languages, German, and"
        )
        assert "the embedder reads English" in message
        assert "embedder='sentence:intfloat/multilingual-e5-small'" in message
        assert "unreadable='warn'" in message

    def test_bundled_embedder_refuses_german(self):
        with pytest.raises(InvalidParameterError, match="German, and the embedder reads English"):
            mauve.compare(numbered(GERMAN_TEXT), numbered(GERMAN_TEXT))

    @pytest.mark.slow
    def test_a_warning_instead_at_the_top(self):
        german = numbered(GERMAN_TEXT)
        systems = {"english": numbered(ENGLISH_TEXT), "german": german}
        comparison, messages = messages_of(
            lambda: mauve.compare(numbered(ENGLISH_TEXT), systems, embedder=Lengths(), cache=False)
        )
        first = "100% of the texts of 'german' are in other languages, German, and the embedder"
        assert messages[0].startswith(first)
        assert comparison.warnings[0] == messages[0]
        assert comparison.to_dict()["warnings"] == [*comparison.warnings]
        assert next(iter(comparison.to_dict())) == "warnings"
        assert str(comparison).startswith(f"warning: {first}")
        assert "German" not in " ".join(comparison["english"].warnings)
        assert comparison._repr_html_().startswith("<ul><li>warning: 100% of the texts")

    @pytest.mark.slow
    def test_saved_comparisons_keep_the_warnings_above(self, tmp_path):
        systems = {"english": numbered(ENGLISH_TEXT), "german": numbered(GERMAN_TEXT)}
        comparison, _ = messages_of(
            lambda: mauve.compare(
                numbered(ENGLISH_TEXT), systems, embedder=Lengths(), cache=False, unreadable="warn"
            )
        )
        comparison.save(tmp_path / "saved.mauve")
        loaded = mauve.load(tmp_path / "saved.mauve")
        assert loaded.reading_warnings == comparison.reading_warnings != ()
        assert loaded.warnings == comparison.warnings

    @pytest.mark.slow
    def test_a_mixed_sample(self):
        mixed = numbered(GERMAN_TEXT, 18) + numbered(ENGLISH_TEXT, 42)
        _, messages = messages_of(
            lambda: mauve.compare(numbered(ENGLISH_TEXT), mixed, embedder=Lengths(), cache=False)
        )
        assert messages[0].startswith("30.0% of the texts of 'model' are in other languages")

    def test_an_embedder_that_says_nothing_is_not_checked(self):
        def rows(texts):
            return Lengths().embed(texts).features

        german = numbered(GERMAN_TEXT)
        _, messages = messages_of(lambda: mauve.compare(german, german, embedder=rows))
        assert "languages" not in " ".join(messages)

    def test_short_texts(self):
        short = [f"Yes, I am {i}." for i in range(60)]
        _, messages = messages_of(
            lambda: mauve.compare(numbered(ENGLISH_TEXT), short, embedder=Lengths(), cache=False)
        )
        assert messages[0].startswith("100% of the texts of 'model' have fewer than 10 tokens")

    @pytest.mark.slow
    def test_one_warning_of_long_texts(self):
        long = [f"{ENGLISH_TEXT} {i} " * 80 for i in range(60)]
        _, messages = messages_of(
            lambda: mauve.compare(long, long[::-1], embedder=Lengths(), cache=False)
        )
        [message] = [message for message in messages if "are longer" in message]
        assert message.startswith("60 of the 60 texts of 'human' and 60 of the 60 texts of 'model'")
        assert "count, and of 60 of 'human' and 60 of 'model' less than half. Compare" in message

    def test_code_is_told_apart_with_a_remedy_that_reads_well(self):
        code = Counter({"code": 60})
        [message] = unreadable_warnings("human", code, 0, 100, Reading(code=False))
        assert message.endswith("Use a model of code or remove these texts.")
        with command_line(Command("mauve compare", {"embedder": "--embedder"})):
            [message] = unreadable_warnings("human", code, 0, 100, Reading(code=False))
        assert message.endswith("a model of code, by --embedder NAME, or remove these texts.")

    def test_a_mixture_of_languages_is_said_once(self):
        mixed = [*numbered(ENGLISH_TEXT, 90), *numbered(GERMAN_TEXT, 30)]
        english = [f"{text} Indeed." for text in numbered(ENGLISH_TEXT, 120)]
        _, messages = messages_of(
            lambda: mauve.compare(english, mixed, embedder=Lengths(), cache=False, n_permutations=0)
        )
        assert len([m for m in messages if "German" in m or "in English by" in m]) == 1

    def test_unknown_choice(self):
        with pytest.raises(
            InvalidParameterError, match=r"'unreadable' .* 'error', 'warn'. Got 'no'"
        ):
            mauve.compare(["a"] * 20, ["b"] * 20, unreadable="no")


class TestMeasure:
    def test_measures_of_texts_need_no_embedder(self):
        german = numbered(GERMAN_TEXT)
        measurements = mauve.measure(german, german, "repetition,zipf")
        assert "languages" not in " ".join(measurements.warnings)

    def test_measures_of_features(self):
        german, embedder = numbered(GERMAN_TEXT), Lengths()
        with pytest.raises(InvalidParameterError, match="'human' are in other languages"):
            mauve.measure(german, german, "mmd", embedder=embedder, cache=False)
        measurements, messages = messages_of(
            lambda: mauve.measure(
                german, german, "mmd", embedder=embedder, cache=False, unreadable="warn"
            )
        )
        assert messages[0].startswith("100% of the texts of 'human' are in other languages")
        assert json.loads(json.dumps(measurements.to_dict()))["warnings"][0] == messages[0]


@pytest.mark.slow
def test_compute_mauve_warns_and_goes_on():
    german = numbered(GERMAN_TEXT)
    result, messages = messages_of(
        lambda: mauve.compute_mauve(
            p_text=german, q_text=german, featurize_model_name="bundled", max_text_length=256
        )
    )
    assert result.mauve == pytest.approx(1)
    assert messages[0].startswith("100% of the texts of 'p_text' are in other languages, German")
    assert "featurize_model_name='sentence:" in messages[0]


def test_samples_of_one_file(tmp_path):
    sample = load_samples({"german": numbered(GERMAN_TEXT)}, embedder=Lengths(), cache=False)
    with pytest.raises(InvalidParameterError, match="German"):
        _ = sample.features


@pytest.mark.slow
def test_reports_warn_at_the_top(tmp_path):
    human, page = numbered(ENGLISH_TEXT), tmp_path / "report.html"
    messages_of(
        lambda: mauve.report(
            human, numbered(GERMAN_TEXT), page, embedder=Lengths(), cache=False, unreadable="warn"
        )
    )
    html = page.read_text(encoding="utf-8")
    first = html.index("<li>", html.index('id="warnings"'))
    assert html[first:].startswith("<li>100% of the texts of")
    assert html.index('id="warnings"') < html.index('id="scores"')
