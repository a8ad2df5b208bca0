import numpy as np
import pytest
from safetensors.numpy import save_file
from typer.testing import CliRunner

from mauve import compare, compute_mauve
from mauve.cli import app
from mauve.embed.bundled import MODEL
from mauve.embed.load import load_inputs
from mauve.embed.models import model_identity
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError
from mauve.text.prompts import text_hashes


def cloud(seed, n=120):
    return np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)


def write(folder, name, seed, embedder):
    path = folder / f"{name}.safetensors"
    save_file({"features": cloud(seed)}, path, None if embedder is None else {"embedder": embedder})
    return path


class TestOriginOfFeatureFiles:
    def test_is_the_embedder_that_all_files_name(self, tmp_path):
        paths = [write(tmp_path, name, i, "bundled-1:mean:512") for i, name in enumerate("hm")]
        found = compare(paths[0], paths[1], n_permutations=0)["model"]
        assert "|emb:bundled-1:mean:512|" in found.signature

    def test_is_not_told_where_one_file_does_not_say(self, tmp_path):
        paths = [write(tmp_path, "h", 0, "one"), write(tmp_path, "m", 1, None)]
        assert load_inputs(["human", "m"], paths, "bundled").origin == "features-4"

    def test_files_of_different_embedders_are_refused(self, tmp_path):
        paths = [write(tmp_path, "h", 0, "one"), write(tmp_path, "m", 1, "two")]
        with pytest.raises(InvalidParameterError, match=r"one embedder. Got .* one and by two"):
            load_inputs(["human", "m"], paths, "bundled")

    def test_widths_are_compared_even_of_one_embedder(self, tmp_path):
        human, model = write(tmp_path, "h", 0, "one"), tmp_path / "m.safetensors"
        save_file({"features": cloud(1)[:, :3].copy()}, model, {"embedder": "one"})
        with pytest.raises(InvalidParameterError, match=r"'m' must have as many .* 4. Got 3"):
            load_inputs(["human", "m"], [human, model], "bundled")


class TestSystemCalledHuman:
    def test_has_prompts_of_its_own(self):
        human, model = cloud(0), cloud(1)
        own, other = [f"a{i // 2}" for i in range(120)], [f"b{i // 3}" for i in range(120)]
        named = compare(human, {"x": model}, prompts={"human": own, "x": other}, n_permutations=0)[
            "x"
        ]
        found = compare(
            human,
            {"human": model},
            prompts={"human (reference)": own, "human": other},
            n_permutations=0,
        )["human"]
        assert (found.mauve, found.interval) == (named.mauve, named.interval)

    def test_needs_both(self):
        with pytest.raises(InvalidParameterError, match=r"Got none for 'human \(reference\)'"):
            compare(cloud(0), {"human": cloud(1)}, prompts={"human": range(120)})


def test_prompts_are_in_the_signature():
    alone = compare(cloud(0), cloud(1), n_permutations=0)["model"]
    grouped = compare(cloud(0), cloud(1), prompts=range(120), n_permutations=0)["model"]
    assert "x40|" in alone.signature
    assert "x40-by-prompt|" in grouped.signature


def test_hashes_tell_texts_apart():
    found = text_hashes(["a", "b", "a", "\ud800", ""])
    assert found[0] == found[2]
    assert len(set(found.tolist())) == 4


class TestIdentity:
    def test_remote_code_is_in_the_signature(self):
        plain = TransformersEmbedder(MODEL, device="cpu").signature
        remote = TransformersEmbedder(MODEL, device="cpu", trust_remote_code=True).signature
        assert remote == f"{plain}:remote-code"

    def test_models_of_one_name_by_two_people_differ(self):
        assert model_identity("ann/model", None) != model_identity("bob/model", None)


class TestComputeMauve:
    def test_bundled_has_no_64_bits(self):
        with pytest.raises(InvalidParameterError, match=r"'use_float64' .* False for 'bundled'"):
            compute_mauve(
                p_text=["a", "b"], q_text=["c", "d"], featurize_model_name="bundled",
                use_float64=True,
            )  # fmt: skip

    @pytest.mark.filterwarnings("ignore:.*longer than the model reads")
    def test_bundled_reads_as_much_as_it_is_told(self):
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
