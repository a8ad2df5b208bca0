"""Samples are read, checked and hashed, and embedded once; and comparisons of texts."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import save_file
from typer.testing import CliRunner

from mauve import MauveWarning, compare, compute_mauve
from mauve.cli import app
from mauve.embed.bundled import BundledEmbedder
from mauve.embed.cache import FeatureCache
from mauve.embed.load import embed_texts, load_samples
from mauve.embed.naming import name_samples
from mauve.embed.registry import get_embedder
from mauve.errors import InvalidParameterError


def cloud(seed, n=200):
    return np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)


def write(folder, name, seed, embedder):
    path = folder / f"{name}.safetensors"
    save_file({"features": cloud(seed)}, path, None if embedder is None else {"embedder": embedder})
    return path


WORDS = "the cat dog sat ran under over green table house while nobody looked at it".split()  # noqa: SIM905


def texts(seed, n=40, words=WORDS):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, size=30)) + "." for _ in range(n)]


class TestSamples:
    def test_rows_go_back_to_their_samples(self):
        samples = load_samples(
            {"human": ["a", "bb"], "model": ["ccc"]},
            embedder=lambda batch: [[len(text), 1.0] for text in batch],
        )
        assert samples.sizes == {"human": 2, "model": 1}
        assert_array_equal(samples.features["human"], [[1, 1], [2, 1]])
        assert_array_equal(samples.features["model"], [[3, 1]])
        assert samples.texts["model"] == ["ccc"]
        assert [*samples.forms] == ["model"]

    def test_texts_are_embedded_when_features_are_first_needed_and_once(self):
        calls = []

        def embed(batch):
            calls.append(len(batch))
            return [[len(text), 1.0] for text in batch]

        samples = load_samples({"human": ["a", "bb"], "m": ["ccc"], "n": ["d"]}, embedder=embed)
        assert calls == []
        assert samples.features["n"].shape == (1, 2)
        assert samples.n_truncated("m") == 0
        assert [*samples.forms] == ["m", "n"]
        assert calls == [4]

    def test_features_are_cached_on_disk(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MAUVE_CACHE", str(tmp_path))
        both = {"human": texts(0), "model": texts(1)}
        first = load_samples(both, embedder=BundledEmbedder()).features
        assert FeatureCache().info().n_texts == 80

        class NoMore(BundledEmbedder):
            def embed(self, texts, on_progress=None):
                raise AssertionError("a text was embedded twice")

        second = load_samples(both, embedder=NoMore()).features
        for name in first:
            assert_array_equal(first[name], second[name])

    def test_without_the_cache_nothing_is_written(self, tmp_path, monkeypatch):
        monkeypatch.setenv("MAUVE_CACHE", str(tmp_path))
        assert load_samples({"human": texts(0), "model": texts(1)}, cache=False).features
        assert list(tmp_path.iterdir()) == []

    def test_truncated_texts_are_counted(self):
        samples = load_samples({"human": ["word " * 600, "word"], "model": ["word"]}, cache=False)
        assert [samples.n_truncated(name) for name in samples.sizes] == [1, 0]

    def test_features_are_hashed_like_their_32_bit_values(self):
        wide, narrow = (
            load_samples({"human": cloud(0).astype(dtype), "model": cloud(1)})
            for dtype in (float, np.float32)
        )
        assert_array_equal(wide.hashes, narrow.hashes)
        assert len(np.unique(wide.hashes)) == 400
        assert_array_equal(wide.hashes_of("model"), wide.hashes[200:])

    def test_too_few_texts_are_refused(self):
        with pytest.raises(InvalidParameterError, match=r"'model' must have at least 3 texts .* 2"):
            load_samples({"human": ["a"] * 3, "model": ["b"] * 2}, min_texts=3)

    @pytest.mark.parametrize("systems", [{}, {1: cloud(0), "1": cloud(1)}])
    def test_systems_need_different_names(self, systems):
        with pytest.raises(InvalidParameterError, match=r"'systems' .* all different"):
            name_samples(cloud(0), systems)

    def test_an_embedder_must_return_a_row_for_each_text(self):
        with pytest.raises(InvalidParameterError, match="Got 1 rows for 2 texts"):
            embed_texts(["a", "b"], get_embedder(lambda batch: [[1.0]]))


class TestOriginOfFeatureFiles:
    def test_is_the_embedder_that_all_files_name(self, tmp_path):
        paths = [write(tmp_path, name, i, "bundled-1:mean:512") for i, name in enumerate("hm")]
        result = compare(paths[0], paths[1], n_permutations=0)["model"]
        assert "|emb:bundled-1:mean:512|" in result.signature

    def test_is_unknown_if_one_file_does_not_name_it(self, tmp_path):
        paths = [write(tmp_path, "h", 0, "one"), write(tmp_path, "m", 1, None)]
        assert load_samples({"human": paths[0], "m": paths[1]}).origin == "features-4"

    def test_files_of_different_embedders_are_refused(self, tmp_path):
        paths = [write(tmp_path, "h", 0, "one"), write(tmp_path, "m", 1, "two")]
        with pytest.raises(InvalidParameterError, match=r"one embedder. Got .* one and by two"):
            load_samples({"human": paths[0], "m": paths[1]})

    def test_widths_are_compared_even_of_one_embedder(self, tmp_path):
        human, model = write(tmp_path, "h", 0, "one"), tmp_path / "m.safetensors"
        save_file({"features": cloud(1)[:, :3].copy()}, model, {"embedder": "one"})
        with pytest.raises(InvalidParameterError, match=r"'m' must have as many .* 4. Got 3"):
            load_samples({"human": human, "m": model})


class TestSystemCalledHuman:
    def test_has_prompts_of_its_own(self):
        human, model = cloud(0), cloud(1)
        p_prompts, q_prompts = ([f"{i // size}" for i in range(200)] for size in (2, 3))
        prompts = {"human": p_prompts, "x": q_prompts}
        named = compare(human, {"x": model}, prompts=prompts, n_permutations=0)["x"]
        prompts = {"human (reference)": p_prompts, "human": q_prompts}
        result = compare(human, {"human": model}, prompts=prompts, n_permutations=0)["human"]
        assert (result.mauve, result.interval) == (named.mauve, named.interval)

    def test_needs_both(self):
        with pytest.raises(InvalidParameterError, match=r"Got none for 'human \(reference\)'"):
            compare(cloud(0), {"human": cloud(1)}, prompts={"human": range(200)})


def test_prompts_are_in_the_signature():
    alone = compare(cloud(0), cloud(1), n_permutations=0)["model"]
    grouped = compare(cloud(0), cloud(1), prompts=range(200), n_permutations=0)["model"]
    assert "x40|" in alone.signature
    assert "x40-by-prompt|" in grouped.signature


class TestComputeMauve:
    def test_bundled_has_no_64_bits(self):
        with pytest.raises(InvalidParameterError, match=r"'use_float64' .* False for 'bundled'"):
            compute_mauve(
                p_text=["a", "b"], q_text=["c", "d"], featurize_model_name="bundled",
                use_float64=True,
            )  # fmt: skip

    @pytest.mark.filterwarnings("ignore:.*longer than the model reads")
    def test_bundled_reads_max_text_length_tokens(self):
        start = "The beginning is always one and the same, "
        one, other = ([f"{start}{word} {i}" for i in range(30)] for word in ("red", "blue"))
        given = {"p_text": one, "q_text": other, "featurize_model_name": "bundled"}
        assert compute_mauve(**given).mauve < 0.5
        with pytest.raises(InvalidParameterError, match="must vary from text to text"):
            compute_mauve(**given, max_text_length=6)


def test_options_of_text_are_refused_for_features(tmp_path):
    for i, name in enumerate("hm"):
        np.save(tmp_path / f"{name}.npy", cloud(i))
    files = [str(tmp_path / "h.npy"), str(tmp_path / "m.npy")]
    done = CliRunner().invoke(app, ["compare", *files, "--pooling", "mean", "--max-length", "9"])
    assert done.exit_code == 1
    assert "no embedder reads: leave out --pooling, --max-length." in done.stderr
    done = CliRunner().invoke(app, ["compare", *files, "--strip"])
    assert done.exit_code == 1
    assert "must be left out for features" in done.stderr


class TestCompareOnText:
    @pytest.mark.slow
    def test_other_words_are_distinguishable_from_human_text(self):
        other = "one two three four five six seven eight nine ten eleven".split()  # noqa: SIM905
        comparison = compare(
            texts(0, 120), {"same": texts(1, 120), "other": texts(2, 120, other)}, num_buckets=5
        )
        assert comparison["same"].p_value > 0.01
        assert comparison["other"].p_value < 0.01
        assert comparison["same"].mauve > 0.9 > 0.5 > comparison["other"].mauve

    @pytest.mark.slow
    def test_signature_names_the_embedder_and_what_was_done_to_the_texts(self):
        comparison = compare(texts(0, 120), texts(1, 120), num_buckets=5, strip=True)
        part = comparison["model"].signature.split("|")[1]
        assert part == f"emb:{BundledEmbedder().signature}:strip"

    @pytest.mark.slow
    def test_a_difference_of_form_is_on_the_result(self):
        human = [" " + text for text in texts(0, 120)]
        with pytest.warns(MauveWarning, match=r"start with white space: strip .* with strip=True"):
            result = compare(human, texts(1, 120), num_buckets=5, n_permutations=0)["model"]
        assert any("start with white space" in message for message in result.warnings)
        assert [f.kind for f in result.form.findings] == ["leading_space"]
        assert result.to_dict()["form"]["findings"][0]["kind"] == "leading_space"

    def test_features_have_no_form(self):
        rng = np.random.default_rng(0)
        result = compare(rng.normal(size=(200, 3)), rng.normal(size=(200, 3)))["model"]
        assert result.form is None
        assert result.to_dict()["form"] is None

    @pytest.mark.slow
    def test_truncated_texts_are_warned_about(self):
        human, model = ([text + " word" * 600 for text in texts(i, 120)] for i in (0, 1))
        with pytest.warns(MauveWarning) as caught:
            compare(human, model, num_buckets=5)
        assert [str(w.message).split(" are ")[0] for w in caught] == [
            "120 of the 120 texts of 'human' and 120 of the 120 texts of 'model'",
        ]

    def test_a_system_may_be_called_human(self):
        with pytest.warns(MauveWarning, match="stand in the other sample"):
            comparison = compare(texts(0, 120), {"human": texts(0, 120)}, num_buckets=5)
        assert comparison["human"].mauve == 1.0

    def test_any_callable_embeds(self):
        def count(batch):
            return [[text.count(letter) for letter in "aeiou"] for text in batch]

        result = compare(texts(0, 120), texts(1, 120), embedder=count, num_buckets=5)["model"]
        assert "emb:callable:" in result.signature


class TestNormalize:
    TEXTS = ("“One”  two\n\nthree", " four")

    def test_steps_are_in_the_recipe(self):
        samples = load_samples({"human": [*self.TEXTS]}, normalize="typography,space")
        assert samples.texts == {"human": ['"One" two three', " four"]}
        assert samples.recipe == "typography+space"
        assert samples.origin.endswith(":typography+space")

    def test_shortcuts_and_steps_are_one_recipe(self):
        given = {"human": [*self.TEXTS]}
        both = load_samples(given, strip=True, normalize="space")
        assert both.recipe == load_samples(given, normalize=["ends", "space"]).recipe
        assert both.recipe == "space+strip"

    def test_given_prompts_are_removed(self):
        texts = ["To be or not", "To see and more"]
        samples = load_samples({"human": texts}, normalize="prompt", prompts=["To be", "To see"])
        assert samples.texts == {"human": ["or not", "and more"]}
        assert samples.prompts == {"human": ["To be", "To see"]}

    def test_features_have_no_text_to_change(self):
        with pytest.raises(InvalidParameterError, match=r"'normalize' .*must be left out for feat"):
            load_samples({"human": np.eye(10)}, normalize="space")

    def test_positions_are_those_before_the_limit(self):
        texts = [f"text {i}" for i in range(40)] + ["---"]
        with pytest.raises(InvalidParameterError, match=r"the step 'markup' .* at position 40"):
            load_samples({"human": texts}, limit=5, normalize="markup,length")
