"""Features of sentence-transformers models are what their own library gives."""

import shutil

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (
    Normalize,
    Pooling,
    StaticEmbedding,
    Transformer,
    WordEmbeddings,
)
from sentence_transformers.sentence_transformer.modules.tokenizer import WhitespaceTokenizer
from tiny_models import TEXTS, bert_tokenizer
from transformers import AutoTokenizer

from mauve.embed.protocol import Embedder
from mauve.embed.sentence import SentenceEmbedder
from mauve.errors import InvalidParameterError

LIMIT = 24


@pytest.fixture(scope="module")
def model(tiny, tmp_path_factory):
    """Return the folder of a model that averages and normalises the states of tiny BERT."""
    body = Transformer(str(tiny("bert")), max_seq_length=LIMIT)
    library = SentenceTransformer(modules=[body, Pooling(32), Normalize()], device="cpu")
    folder = tmp_path_factory.mktemp("sentence") / "model"
    library.save(str(folder))
    return folder


@pytest.fixture(scope="module")
def lengths(tiny):
    tokenizer = AutoTokenizer.from_pretrained(tiny("bert"))
    return np.array([len(row) for row in tokenizer(TEXTS, verbose=False)["input_ids"]])


def embedder(folder, **options):
    return SentenceEmbedder(folder, device="cpu", **options)


def test_features_are_those_of_the_library(model, lengths):
    expected = SentenceTransformer(str(model), device="cpu").encode(TEXTS)
    embedded = embedder(model).embed(TEXTS)
    assert isinstance(embedder(model), Embedder)
    assert_allclose(embedded.features, expected, atol=1e-6)  # of unit length, in 32 bits
    assert embedded.features.dtype == np.float32
    assert_array_equal(embedded.n_tokens, np.minimum(lengths, LIMIT))
    assert_array_equal(embedded.truncated, lengths > LIMIT)
    assert embedded.n_truncated > 0


@pytest.mark.parametrize("limit", [3, 9, LIMIT])
def test_max_length(model, lengths, limit):
    other = SentenceTransformer(str(model), device="cpu")
    other.max_seq_length = limit
    limited = embedder(model, max_length=limit)
    embedded = limited.embed(TEXTS)
    assert limited.max_length == limit
    assert_allclose(embedded.features, other.encode(TEXTS), atol=1e-6)
    assert_array_equal(embedded.n_tokens, np.minimum(lengths, limit))
    assert_array_equal(embedded.truncated, lengths > limit)


def test_chunks_do_not_change_features(model):
    whole = embedder(model).embed(TEXTS)
    seen = []
    parts = embedder(model, chunk_size=4).embed(TEXTS, lambda *step: seen.append(step))
    assert_allclose(parts.features, whole.features, atol=1e-6)
    assert seen == [("embedding", n, len(TEXTS)) for n in (4, 8, 11)]


def test_odd_texts(model):
    embedded = embedder(model).embed(["", "a\ud800b", "a\ufffdb", "\x00", "x" * 5000])
    assert np.isfinite(embedded.features).all()
    assert_allclose(embedded.features[1], embedded.features[2], atol=1e-6)


def test_a_prompt_of_the_model_counts(model, tmp_path):
    body = SentenceTransformer(str(model), device="cpu")
    library = SentenceTransformer(
        modules=[*body],
        prompts={"query": "The cat sat on "},
        default_prompt_name="query",
        device="cpu",
    )
    library.save(str(tmp_path))
    embedded = embedder(tmp_path).embed(["the mat", "The cat sat on the mat. " * 3])
    assert_allclose(embedded.features, library.encode(["the mat", "The cat sat on the mat. " * 3]))
    assert embedded.n_tokens.tolist() == [8, 24]  # [CLS] the cat sat on the mat [SEP]
    assert embedded.truncated.tolist() == [False, True]


def test_static_embeddings_read_all_of_a_text(tmp_path):
    tokenizer = bert_tokenizer().backend_tokenizer
    library = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=16)])
    library.save(str(tmp_path))
    embedded = embedder(tmp_path).embed(TEXTS)
    assert_allclose(embedded.features, library.encode(TEXTS), atol=1e-6)
    assert embedded.n_truncated == 0
    assert embedded.n_tokens.max() > 100
    assert embedder(tmp_path).max_length == 0
    with pytest.raises(InvalidParameterError, match="left out: this model reads all of a text"):
        embedder(tmp_path, max_length=5)


def test_word_vectors_do_not_count_tokens(tmp_path):
    vocabulary = ["cat", "dog", "mat", "sat"]
    words = WordEmbeddings(WhitespaceTokenizer(vocabulary), np.eye(4, dtype=np.float32))
    library = SentenceTransformer(modules=[words, Pooling(4)], device="cpu")
    library.save(str(tmp_path))
    embedded = embedder(tmp_path).embed(["cat sat", "dog"])
    assert_allclose(embedded.features, [[0.5, 0, 0, 0.5], [0, 1, 0, 0]])
    assert embedded.n_tokens.tolist() == [-1, -1]
    assert embedded.n_truncated == 0


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_a_model_without_a_padding_token(tiny, kind):
    """The library makes a mean of it; alone, texts need no padding."""
    pooled = embedder(tiny(kind))
    together = pooled.embed(TEXTS).features
    alone = np.concatenate([pooled.embed([text]).features for text in TEXTS])
    assert_allclose(together, alone, atol=1e-5)


@pytest.mark.slow
def test_sixteen_bits_are_about_the_same(model):
    wide = embedder(model).embed(TEXTS).features
    half = embedder(model, dtype="bfloat16").embed(TEXTS).features
    assert half.dtype == np.float32
    lengths = np.linalg.norm(half, axis=1)
    assert ((wide * half).sum(axis=1) / lengths).min() > 0.99


def test_signatures_differ_where_features_do(model, tiny):
    every = [
        embedder(model),
        embedder(model, max_length=9),
        embedder(model, dtype="bfloat16"),
        embedder(tiny("bert")),
    ]
    assert len({each.signature for each in every}) == len(every)
    assert embedder(str(model)).signature == every[0].signature
    assert every[0].signature.startswith("sentence:model@")


@pytest.mark.parametrize("name", ["no-such/model", "/no/such/folder"])
def test_a_model_that_is_not_there(name):
    pattern = rf"sentence-transformers model after 'sentence:'\. Got '{name}', which could not be"
    with pytest.raises(InvalidParameterError, match=pattern) as caught:
        embedder(name)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__  # no traceback but ours


def test_a_model_without_a_name():
    with pytest.raises(
        InvalidParameterError, match=r"a name on the hub, or a folder\. Got 'sentence:'"
    ):
        embedder("")


@pytest.mark.parametrize("file", ["modules.json", "model.safetensors", "tokenizer.json"])
def test_a_damaged_folder(model, tmp_path, file):
    folder = shutil.copytree(model, tmp_path / "damaged")
    content = (folder / file).read_bytes()
    (folder / file).write_bytes(content[: len(content) // 2])
    with pytest.raises(InvalidParameterError, match="damaged', which could not be loaded"):
        embedder(folder)


@pytest.mark.parametrize("length", [1, 25, 8.0])
def test_impossible_length(model, length):
    with pytest.raises(InvalidParameterError, match=rf"an int in \[2, 24\]\. Got {length} instead"):
        embedder(model, max_length=length)


def test_a_device_that_is_not_there(model):
    with pytest.raises(InvalidParameterError, match=r"a device of this machine\. Got 'cuda:77'"):
        SentenceEmbedder(model, device="cuda:77")
