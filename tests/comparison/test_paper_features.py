"""compute_mauve from texts and tokens: the terminal hidden state, and what may be wrong."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

sys.path.insert(0, str(Path(__file__).parents[1] / "embed"))  # tests are no package

import tiny_models
import torch
from transformers import AutoModel, AutoTokenizer

from mauve import InvalidParameterError, MauveWarning, compute_mauve
from mauve.comparison.paper import result_from_counts
from mauve.comparison.paper_features import Featurizer
from mauve.embed.cache import FeatureCache
from mauve.embed.transformers import TransformersEmbedder

ABSENT = torch.cuda.device_count()  # the number of a GPU that is not there
# Four sentences in other shares: k-means finds the four whatever the last bits are.
KINDS = [*tiny_models.SENTENCES[:3], "50 € and no more"]
HUMAN = [text for text, n in zip(KINDS, (16, 12, 8, 4), strict=True) for _ in range(n)]
MODEL = [text for text, n in zip(KINDS, (2, 6, 12, 10), strict=True) for _ in range(n)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_models.save("gpt2", tmp_path_factory.mktemp("tiny") / "gpt2")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "cache"))


def terminal_states(folder, texts, max_length=48, dtype=torch.float32):
    """Return what the paper takes: the last hidden state of the last token."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, dtype=dtype).eval()
    rows = []
    for text in texts:
        inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=max_length)
        with torch.no_grad():
            rows.append(model(**inputs).last_hidden_state[0, -1].numpy())
    return np.array(rows)


def same(first, second):
    """Compare scores, which do not depend on the order of the clusters but for rounding."""
    assert sorted(first.p_hist) == sorted(second.p_hist)
    assert sorted(first.q_hist) == sorted(second.q_hist)
    assert_allclose(first.divergence_curve, second.divergence_curve, atol=1e-12)
    assert_allclose(first.mauve, second.mauve, rtol=1e-12)


#: What the shares of the sentences give, whatever a model sees in them.
EXPECTED = result_from_counts([16, 12, 8, 4], [2, 6, 12, 10])


@pytest.mark.slow
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("max_length", [3, 256])
@pytest.mark.filterwarnings("ignore:.* are longer than the model reads")
def test_features_are_terminal_hidden_states(folder, wide, max_length):
    texts = tiny_models.TEXTS
    expected = terminal_states(
        folder, texts, min(max_length, 48), torch.float64 if wide else torch.float32
    )
    featurizer = Featurizer(str(folder), -1, max_length, wide, False)
    atol = 1e-12 if wide else 1e-4  # of numbers about 3; 2e-6 is seen in 32 bits
    assert_allclose(featurizer.prepare("p", None, None, texts)(), expected, atol=atol)
    ids = AutoTokenizer.from_pretrained(folder)(texts, verbose=False)["input_ids"]
    assert_allclose(featurizer.prepare("p", None, ids, None)(), expected, atol=atol)


def test_a_score_of_texts(folder):
    with pytest.warns(MauveWarning, match=rf"asked for the GPU {ABSENT} by 'device_id', and there"):
        result = compute_mauve(
            p_text=HUMAN,
            q_text=MODEL,
            device_id=ABSENT,
            max_text_length=256,
            num_buckets=4,
            featurize_model_name=str(folder),
        )
    same(result, EXPECTED)
    p, q = (terminal_states(folder, texts) for texts in (HUMAN, MODEL))
    same(result, compute_mauve(p_features=p, q_features=q, num_buckets=4))


def test_the_warning_points_at_the_caller(folder):
    ids = [[1, 2], [3, 4]]
    for inputs in ({"p_text": HUMAN[:2]}, {"p_tokens": ids}):
        with pytest.warns(MauveWarning, match="asked for the GPU") as caught:
            compute_mauve(
                **inputs, q_tokens=ids, device_id=ABSENT, featurize_model_name=str(folder)
            )
        assert [warning.filename for warning in caught] == [__file__]


def test_tokens_are_their_texts(folder):
    tokenizer = AutoTokenizer.from_pretrained(folder)
    options = {"featurize_model_name": str(folder), "num_buckets": 4}
    same(compute_mauve(p_text=HUMAN, q_text=MODEL, **options), EXPECTED)
    p, q = tokenizer(HUMAN)["input_ids"], tokenizer(MODEL)["input_ids"]
    same(compute_mauve(p_tokens=p, q_tokens=q, **options), EXPECTED)
    # The authors' package takes tensors with a batch of one.
    tensors = [torch.tensor([row]) for row in p]
    arrays = [np.array(row, dtype=np.uint16) for row in q]
    same(compute_mauve(p_tokens=tensors, q_tokens=arrays, **options), EXPECTED)
    same(compute_mauve(p_text=HUMAN, q_tokens=q, **options), EXPECTED)


def test_the_folder_may_be_a_path_and_the_texts_a_tuple_or_an_array(folder):
    result = compute_mauve(
        p_text=tuple(HUMAN), q_text=np.array(MODEL), num_buckets=4, featurize_model_name=folder
    )
    same(result, EXPECTED)


def test_features_are_cached(folder):
    call = {"p_text": HUMAN, "q_text": MODEL, "featurize_model_name": str(folder)}
    first = compute_mauve(**call)
    signature = TransformersEmbedder(folder, pooling="last", device="cpu").signature
    known, _ = FeatureCache().lookup(signature, KINDS)
    assert len(known) == len(KINDS)
    same(compute_mauve(**call), first)


def test_max_text_length(folder):
    with pytest.warns(MauveWarning, match=r"\d0 of the \d0 texts of '._text' are lo") as caught:
        compute_mauve(
            p_text=HUMAN, q_text=MODEL, max_text_length=3, featurize_model_name=str(folder)
        )
    assert [warning.filename for warning in caught] == [__file__] * 2


def test_tokens_that_are_cut_are_reported(folder):
    ids = [[1, 2, 3, 4], [1, 2]]
    with pytest.warns(MauveWarning, match="1 of the 2 texts of '._tokens' are longer") as caught:
        compute_mauve(
            p_tokens=ids, q_tokens=ids, max_text_length=3, featurize_model_name=str(folder)
        )
    assert len(caught) == 2


def test_sixty_four_bits(folder, tmp_path):
    result = compute_mauve(
        p_text=HUMAN,
        q_text=MODEL,
        num_buckets=4,
        use_float64=True,
        featurize_model_name=str(folder),
    )
    same(result, EXPECTED)
    assert not (tmp_path / "cache").exists()  # which holds 32 bits


def test_batch_size_changes_nothing(folder):
    call = {"p_text": HUMAN, "q_text": MODEL, "featurize_model_name": str(folder)}
    same(compute_mauve(**call, batch_size=8), compute_mauve(**call))


def test_verbose_says_what_is_embedded(folder, capsys):
    call = {"p_text": HUMAN, "q_text": MODEL, "featurize_model_name": str(folder)}
    compute_mauve(**call)
    assert capsys.readouterr().out == ""
    compute_mauve(**call, verbose=True)
    first, second, *_ = capsys.readouterr().out.splitlines()
    assert first == f"embedding 40 texts of 'p_text' with {folder}"
    assert second == f"embedding 30 texts of 'q_text' with {folder}"


def test_the_bundled_model_by_its_name():
    result = compute_mauve(
        p_text=HUMAN, q_text=MODEL, num_buckets=4, featurize_model_name="bundled"
    )
    same(result, EXPECTED)
    with pytest.raises(InvalidParameterError, match="left out: this model reads text alone"):
        compute_mauve(p_tokens=[[1], [2]], q_text=MODEL, featurize_model_name="bundled")


def test_a_folder_whose_name_begins_like_the_bundled_one(folder, tmp_path, monkeypatch):
    """It was once read with the default options of another embedder."""
    (tmp_path / "bundled-like").symlink_to(folder)
    monkeypatch.chdir(tmp_path)
    with pytest.warns(MauveWarning, match="texts of '._text' are longer than the model reads"):
        compute_mauve(
            p_text=HUMAN, q_text=MODEL, max_text_length=3, featurize_model_name="bundled-like"
        )


def test_texts_beside_features_are_not_used():
    p, q = np.random.default_rng(0).normal(size=(2, 20, 3))
    with pytest.warns(MauveWarning, match="'p_text' is not used by compute_mauve where 'p_feat"):
        result = compute_mauve(p_features=p, q_features=q, p_text=["a"] * 20)
    same(result, compute_mauve(p_features=p, q_features=q))
    with pytest.raises(InvalidParameterError, match=r"as many texts as 'p_features', 20.* Got 3"):
        compute_mauve(p_features=p, q_features=q, p_text=["a"] * 3)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"p_text": ["a", "", "b"]},
            r"must hold texts that are not empty\. .* position 1",
        ),
        ({"p_text": ["a", 3]}, r"'p_text' must hold texts only\. Got int at position 1 instead"),
        ({"p_text": ["a"]}, r"'p_text' parameter .* must hold at least 2 texts\. Got 1 instead"),
        ({"p_text": []}, r"'p_text' parameter .* must hold at least 2 texts\. Got 0 instead"),
        ({"p_text": "one text"}, r"'one text' must be the path of a file, or a list of texts"),
        ({"p_text": [[0.5, 1.0]]}, r"'p_text' .* must be a list of strings\. Got 'list' instead"),
        (
            {"p_text": set(HUMAN)},
            r"'p_text' must be texts, .* Got a set instead, which has",
        ),
        ({"p_tokens": [[1], []]}, r"must hold rows of token numbers\. Got an empty row at posit"),
        ({"p_tokens": [[1], [0.5]]}, r"rows of token numbers\. Got float64 at position 1 instead"),
        ({"p_tokens": [["a"], [1]]}, r"rows of token numbers\. Got <U1 at position 0 instead"),
        ({"p_tokens": [[1], [True]]}, r"rows of token numbers\. Got bool at position 1 instead"),
        ({"p_tokens": [[1], [[1, 2], [3]]]}, r"of token numbers\. Got object at position 1 inst"),
        ({"p_tokens": [[1], [50256]]}, r"token numbers in \[0, 399\].* Got 50256 at position 1"),
        ({"p_tokens": [[1, 2]]}, r"'p_tokens' parameter .* at least 2 texts\. Got 1 instead"),
        ({"p_tokens": []}, r"'p_tokens' parameter .* at least 2 texts\. Got 0 instead"),
        (
            {"p_text": HUMAN, "p_tokens": [[1], [2]]},
            r"needs one of .* Got p_tokens and p_text inst",
        ),
        ({}, r"needs one of p_features, p_tokens and p_text\. Got none instead"),
        ({"p_text": HUMAN, "max_text_length": 1}, r"'max_text_length' .* an int of at least 2"),
        ({"p_text": HUMAN, "device_id": -2}, r"'device_id' .* must be an int of at least -1\. Got"),
        ({"p_text": HUMAN, "device_id": "cuda"}, r"'device_id' .* must be an int of at least -1"),
        ({"p_text": HUMAN, "batch_size": 0}, r"'batch_size' .* must be an int of at least 1"),
        (
            {"p_text": HUMAN, "featurize_model_name": "/no/such/folder"},
            r"Got '/no/such/folder', which could not be loaded",
        ),
    ],
)
def test_what_can_be_wrong(folder, inputs, message):
    call = {"q_text": MODEL, "featurize_model_name": str(folder), **inputs}
    with pytest.raises(InvalidParameterError, match=message):
        compute_mauve(**call)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"quantizer": "foo"}, r"'quantizer' parameter of compute_mauve .* Got 'foo' instead"),
        ({"seed": -1}, r"'seed' parameter of compute_mauve .* Got -1 instead"),
        ({"num_buckets": "many"}, r"'num_buckets' .* an int or 'auto'\. Got 'many' instead"),
        ({"q_text": None}, r"needs one of q_features, q_tokens and q_text\. Got none instead"),
        ({"q_text": ["a", None]}, r"'q_text' must hold texts only\. Got missing values"),
        ({"q_text": ["a"]}, r"'q_text' parameter .* must hold at least 2 texts\. Got 1 instead"),
        ({"q_text": None, "q_tokens": [[1], []]}, r"'q_tokens' .* Got an empty row at position 1"),
    ],
)
def test_what_is_wrong_is_found_before_the_model_is_loaded(wrong, message):
    call = {"p_text": HUMAN, "q_text": MODEL, "featurize_model_name": "/no/such/folder", **wrong}
    with pytest.raises(InvalidParameterError, match=message):
        compute_mauve(**call)


def test_another_model_for_either_sample(folder):
    with pytest.raises(InvalidParameterError, match=r"as many columns as 'p_features', 5\. Got 32"):
        compute_mauve(p_features=np.ones((4, 5)), q_text=MODEL, featurize_model_name=str(folder))


def test_features_alone_need_no_model():
    """Neither the model nor the device are looked at, so nothing is warned of."""
    p = np.random.default_rng(0).normal(size=(20, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compute_mauve(p, p, featurize_model_name="/no/such/folder", device_id=ABSENT)


@pytest.mark.slow
def test_a_model_that_is_not_on_the_hub():
    """Without a network, a script ends with our sentence and no traceback of the libraries."""
    script = (
        "from mauve import compute_mauve\n"
        "compute_mauve(p_text=['a', 'b'], q_text=['c', 'd'], "
        "featurize_model_name='no-such/model')"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "HF_HUB_OFFLINE": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert "site-packages" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        "mauve.errors.InvalidParameterError: The 'featurize_model_name' parameter of compute_mauve "
        "must be the name of a model on the hub or its folder. Got 'no-such/model', which could "
        "not be loaded ("
    )
