"""Every kind of name, and the options of each."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

from mauve.embed.bundled import BundledEmbedder
from mauve.embed.endpoint import EndpointEmbedder
from mauve.embed.protocol import Embedder
from mauve.embed.registry import CallableEmbedder, get_embedder
from mauve.embed.sentence import SentenceEmbedder
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError

ENDPOINT = "http://localhost:1/v1#model=some"


def test_the_bundled_model_is_the_default():
    assert isinstance(get_embedder(), BundledEmbedder)
    assert get_embedder().signature == get_embedder("bundled").signature


def test_options_reach_the_bundled_model():
    embedder = get_embedder("bundled", pooling="mean", max_length=100)
    assert (embedder.pooling, embedder.max_length) == ("mean", 100)


def test_a_transformers_model(tiny):
    embedder = get_embedder(
        str(tiny("gpt2")), pooling="max", layer=1, max_length=9, dtype="float64", device="cpu"
    )
    assert isinstance(embedder, TransformersEmbedder)
    expected = TransformersEmbedder(
        tiny("gpt2"), pooling="max", layer=1, max_length=9, dtype="float64", device="cpu"
    )
    assert embedder.signature == expected.signature


def test_a_sentence_transformers_model(tiny, tmp_path):
    body = Transformer(str(tiny("bert")))
    SentenceTransformer(modules=[body, Pooling(32)], device="cpu").save(str(tmp_path / "model"))
    embedder = get_embedder(f"sentence:{tmp_path / 'model'}", device="cpu", max_length=7)
    assert isinstance(embedder, SentenceEmbedder)
    assert embedder.max_length == 7


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_endpoint(scheme):
    embedder = get_embedder(f"{scheme}://localhost:1/v1#model=some", batch_size=3)
    assert isinstance(embedder, EndpointEmbedder)
    assert (embedder.batch_size, embedder.model) == (3, "some")
    assert get_embedder(ENDPOINT, model="other").model == "other"


def test_an_embedder_is_left_as_it_is():
    embedder = BundledEmbedder()
    assert get_embedder(embedder) is embedder


@pytest.mark.parametrize("spec", ["bundled", ENDPOINT, BundledEmbedder(), len])
def test_options_that_are_none_are_left_out(spec):
    assert isinstance(get_embedder(spec, pooling=None, layer=None, nonsense=None), Embedder)


@pytest.mark.parametrize("spec", ["bundled", ENDPOINT, BundledEmbedder(), len])
def test_a_device_is_for_those_who_have_one(spec):
    """The command line passes one always."""
    assert isinstance(get_embedder(spec, device="cpu"), Embedder)


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        (
            "bundled",
            {"layer": 1},
            r"'bundled' must be .* has: pooling, max_length, .*\. Got layer inst",
        ),
        ("bundled", {"b": 1, "a": 2}, r"Got a, b instead"),
        (
            ENDPOINT,
            {"pooling": "mean"},
            r"options it has: model, api_key, .*\. Got pooling instead",
        ),
        ("sentence:x", {"pooling": "mean"}, r"has: max_length, dtype, device, .*\. Got pooling"),
        ("gpt2", {"batch_size": 8}, r"has: pooling, layer, .*\. Got batch_size"),
        ("gpt2", {"model": "other"}, r"has: pooling, .* Got model instead"),
    ],
)
def test_unknown_options(spec, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        get_embedder(spec, **options)


def test_an_embedder_takes_no_options():
    with pytest.raises(InvalidParameterError, match=r"a name, to take pooling\. Got <built-in"):
        get_embedder(len, pooling="mean")


@pytest.mark.parametrize("spec", [None, 3, ["bundled"]])
def test_what_is_no_embedder(spec):
    with pytest.raises(InvalidParameterError, match="must be a name, an Embedder or a callable"):
        get_embedder(spec)


@pytest.mark.parametrize("spec", ["", "no-such-model", "bundle"])
def test_a_name_that_nothing_has(spec):
    with pytest.raises(InvalidParameterError, match=f"Got '{spec}', which could not be loaded"):
        get_embedder(spec)


def test_sentence_without_a_name():
    with pytest.raises(
        InvalidParameterError, match=r"'spec' parameter of get_embedder must be 'sentence:' and"
    ):
        get_embedder("sentence:")


HIDDEN = """
import sys
[module, spec] = sys.argv[1:]
sys.modules[module] = None  # as if it were not installed
from mauve import MissingExtraError, get_embedder
get_embedder("bundled").embed(["a text"])
assert "torch" not in sys.modules or sys.modules["torch"] is None, "the bundled model needs none"
try:
    get_embedder(spec)
except MissingExtraError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "spec", "extra"),
    [
        ("transformers", "gpt2", "transformers"),
        ("torch", "gpt2", "transformers"),
        ("sentence_transformers", "sentence:x", "sentence"),
    ],
)
def test_a_missing_extra(module, spec, extra):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", HIDDEN, module, spec],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == (
        f"The embedder '{spec}' needs {module}, which is not installed: "
        f"pip install \"mauve-eval[{extra}]\", or use the embedder 'bundled'.\n"
    )


def lengths(texts):
    return [[len(text), 1] for text in texts]


def test_a_function_as_an_embedder():
    embedder = get_embedder(lengths)
    assert isinstance(embedder, CallableEmbedder)
    assert embedder.signature == "callable:lengths"
    rows = embedder.embed(("ab", "", "abc"))
    assert rows.features.tolist() == [[2, 1], [0, 1], [3, 1]]
    assert rows.features.dtype == np.float32
    assert (rows.n_tokens.tolist(), rows.n_truncated) == ([-1, -1, -1], 0)


def test_a_function_gets_a_list():
    assert get_embedder(lambda texts: [[float(type(texts) is list)]]).embed(("a",)).features == 1


def test_an_object_that_can_be_called():
    class Ones:
        def __call__(self, texts):
            return np.ones((len(texts), 2), dtype=np.float64)

    embedder = get_embedder(Ones())
    assert embedder.signature.startswith("callable:")
    assert embedder.signature.endswith("Ones")
    assert embedder.embed(["a"]).features.dtype == np.float32


def test_a_bar_in_the_name_does_not_reach_the_signature():
    def function(texts):
        return lengths(texts)

    function.__qualname__ = "a|b"
    assert get_embedder(function).signature == "callable:a_b"


@pytest.mark.parametrize(
    "result",
    [[[1.0, 2.0], [3.0]], torch.ones(1, 2, requires_grad=True)],
    ids=["ragged", "with a gradient"],
)
def test_a_function_that_returns_no_array(result):
    with pytest.raises(InvalidParameterError, match="NumPy cannot convert to an array"):
        get_embedder(lambda texts: result).embed(["a"])


def test_what_a_function_returns_is_checked_by_those_who_use_it():
    assert get_embedder(lambda texts: "nonsense").embed(["a"]).features.ndim == 0
