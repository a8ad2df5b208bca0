import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mauve import MauveWarning, compare
from mauve.embed.bundled import BundledEmbedder
from mauve.embed.cache import FeatureCache
from mauve.embed.load import embed_samples
from mauve.embed.registry import get_embedder
from mauve.errors import InvalidParameterError
from mauve.text.normalize import prepare_texts

WORDS = "the cat dog sat ran under over green table house while nobody looked at it".split()  # noqa: SIM905


def texts(seed, n=40, words=WORDS):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, size=30)) + "." for _ in range(n)]


class TestPrepare:
    def test_nothing_asked_for_changes_nothing(self):
        given = {"human": [" a ", "b"], "model": ["c"]}
        assert prepare_texts(given) == ({"human": [" a ", "b"], "model": ["c"]}, "")

    def test_strip(self):
        assert prepare_texts({"human": [" a\n"]}, strip=True) == ({"human": ["a"]}, "strip")

    def test_texts_that_stripping_leaves_empty_are_named(self):
        with pytest.raises(InvalidParameterError, match=r"'m' must .* position 1, 2 instead"):
            prepare_texts({"human": ["a"], "m": ["b", " ", "\n"]}, strip=True)

    def test_empty_texts_are_kept_when_asked(self):
        assert prepare_texts({"m": ["b", ""]}, empty="keep")[0] == {"m": ["b", ""]}

    def test_length_is_matched_over_all_samples(self):
        found, recipe = prepare_texts({"human": ["one two three"], "m": ["one"]}, same_length=True)
        assert (found, recipe) == ({"human": ["one"], "m": ["one"]}, "words1")


class TestEmbed:
    def test_rows_go_back_to_their_samples(self):
        given = {"human": ["a", "bb"], "model": ["ccc"]}
        size = get_embedder(lambda batch: [[len(text), 1.0] for text in batch])
        samples, forms = embed_samples(given, size)
        assert [sample.name for sample in samples] == ["human", "model"]
        assert_array_equal(samples[0].features, [[1, 1], [2, 1]])
        assert_array_equal(samples[1].features, [[3, 1]])
        assert samples[1].texts == ["ccc"]
        assert [*forms] == ["model"]

    def test_texts_are_embedded_once(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MAUVE_CACHE", str(tmp_path))
        given = {"human": texts(0), "model": texts(1)}
        first, _ = embed_samples(given, BundledEmbedder())
        assert FeatureCache().info().n_texts == 80

        class NoMore(BundledEmbedder):
            def embed(self, texts, on_progress=None):
                raise AssertionError("a text was embedded twice")

        second, _ = embed_samples(given, NoMore())
        for one, two in zip(first, second, strict=True):
            assert_array_equal(one.features, two.features)

    def test_without_the_cache_nothing_is_written(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MAUVE_CACHE", str(tmp_path))
        embed_samples({"human": texts(0)}, BundledEmbedder(), cache=False)
        assert list(tmp_path.iterdir()) == []

    def test_truncated_texts_are_counted(self):
        given = {"human": ["word " * 600, "word"], "model": ["word"]}
        samples, _ = embed_samples(given, BundledEmbedder(), cache=False)
        assert [sample.n_truncated for sample in samples] == [1, 0]


class TestCompareOnText:
    def test_other_words_are_told_from_human_ones(self):
        other = "one two three four five six seven eight nine ten eleven".split()  # noqa: SIM905
        found = compare(
            texts(0, 120), {"same": texts(1, 120), "other": texts(2, 120, other)}, num_buckets=5
        )
        assert found["same"].p_value > 0.01
        assert found["other"].p_value < 0.01
        assert found["same"].mauve > 0.9 > 0.5 > found["other"].mauve

    def test_signature_names_the_embedder_and_what_was_done_to_the_texts(self):
        found = compare(texts(0, 120), texts(1, 120), num_buckets=5, strip=True)
        part = found["model"].signature.split("|")[1]
        assert part == f"emb:{BundledEmbedder().signature}:strip"

    def test_a_difference_of_form_is_on_the_result(self):
        human = [" " + text for text in texts(0, 120)]
        with pytest.warns(MauveWarning, match=r"start with white space: strip .* with --strip"):
            found = compare(human, texts(1, 120), num_buckets=5)["model"]
        assert any("start with white space" in message for message in found.warnings)
        assert [f.kind for f in found.form.findings] == ["leading_space"]
        assert found.to_dict()["form"]["findings"][0]["kind"] == "leading_space"

    def test_features_have_no_form(self):
        rng = np.random.default_rng(0)
        found = compare(rng.normal(size=(120, 3)), rng.normal(size=(120, 3)))["model"]
        assert found.form is None
        assert found.to_dict()["form"] is None

    def test_long_texts_are_told(self):
        human, model = ([text + " word" * 600 for text in texts(i, 120)] for i in (0, 1))
        with pytest.warns(MauveWarning) as said:
            compare(human, model, num_buckets=5)
        assert [str(w.message).split(" are ")[0] for w in said] == [
            "120 of the 120 texts of 'human'",
            "120 of the 120 texts of 'model'",
        ]

    def test_a_system_may_be_called_human(self):
        with pytest.warns(MauveWarning, match="stand in the other sample"):
            found = compare(texts(0, 120), {"human": texts(0, 120)}, num_buckets=5)
        assert found["human"].mauve == 1.0

    def test_any_callable_embeds(self):
        def count(batch):
            return [[text.count(letter) for letter in "aeiou"] for text in batch]

        found = compare(texts(0, 120), texts(1, 120), embedder=count, num_buckets=5)["model"]
        assert "emb:callable:" in found.signature
