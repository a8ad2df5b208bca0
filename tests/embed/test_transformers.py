"""Features are the hidden states of the same model called directly."""

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
import transformers
from numpy.testing import assert_allclose, assert_array_equal
from tiny_models import CONTEXT, SENTENCES, TEXTS, roberta_tokenizer, save
from transformers import (
    AutoModel,
    AutoTokenizer,
    BertGenerationConfig,
    T5Config,
    T5EncoderModel,
    T5Model,
    XLNetConfig,
)

from mauve.embed.protocol import Embedder
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError

KINDS = ["gpt2", "roberta", "bert", "llama", "qwen2", "qwen3"]
CAUSAL = {"gpt2", "llama", "qwen2", "qwen3"}
BUDGETS = [1, 64, 4096]  # every text alone, a few at a time, all at once
ODD = ["", "a\ud800b", "\x00", "<|endoftext|>", "</s><s>[SEP]", " \n", "🐈‍⬛", "x" * 3000]
BY_HAND = {
    "last": lambda states: states[-1],
    "cls": lambda states: states[0],
    "mean": lambda states: states.mean(axis=0),
    "max": lambda states: states.max(axis=0),
}


def direct(folder, texts, max_length=CONTEXT, layer=-1, dtype=torch.float32):
    """Return the hidden states of each text, one call of the model for each."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, dtype=dtype).eval()
    if model.config.model_type == "t5":
        model = model.get_encoder()
    states = []
    for text in texts:
        inputs = tokenizer(text, return_tensors="pt", truncation=True, max_length=max_length)
        with torch.no_grad():
            out = model(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                output_hidden_states=True,
            )
        assert torch.equal(out.hidden_states[-1], out.last_hidden_state)
        states.append(out.hidden_states[layer][0].numpy())
    return states


def make_embedder(folder, **options):
    return TransformersEmbedder(folder, device="cpu", **options)


# Tolerances: hidden states are about 3 and 32-bit products differ in their last bits with the
# shape of the batch; 2e-6 is seen.


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_last_is_the_terminal_hidden_state_for_any_batch_size(tiny, kind):
    states = direct(tiny(kind), TEXTS)
    embedder = make_embedder(tiny(kind), pooling="last")
    assert embedder.max_length == CONTEXT
    for budget in BUDGETS:
        embedder.token_budget = budget
        embedded = embedder.embed(TEXTS)
        assert_allclose(embedded.features, [rows[-1] for rows in states], atol=1e-4)
        assert embedded.n_tokens.tolist() == [len(rows) for rows in states]
        assert embedded.features.dtype == np.float32


@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
@pytest.mark.parametrize("kind", ["gpt2", "roberta", "bert", "llama"])
def test_other_poolings_by_hand(tiny, kind, pooling):
    expected = [BY_HAND[pooling](rows) for rows in direct(tiny(kind), TEXTS)]
    embedder = make_embedder(tiny(kind), pooling=pooling)
    for budget in BUDGETS:
        embedder.token_budget = budget
        assert_allclose(embedder.embed(TEXTS).features, expected, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("layer", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("kind", ["gpt2", "bert", "llama"])
def test_layers_are_numbered_as_in_transformers(tiny, kind, layer):
    states = direct(tiny(kind), TEXTS, layer=layer)
    embedded = make_embedder(tiny(kind), pooling="last", layer=layer).embed(TEXTS)
    assert_allclose(embedded.features, [rows[-1] for rows in states], atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_the_default_pooling(tiny, kind):
    assert make_embedder(tiny(kind)).pooling == ("last" if kind in CAUSAL else "mean")


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_truncation_is_counted(tiny, kind):
    tokenizer = AutoTokenizer.from_pretrained(tiny(kind))
    lengths = np.array([len(row) for row in tokenizer(TEXTS, verbose=False)["input_ids"]])
    for limit in (5, 23, None):
        embedder = make_embedder(tiny(kind), pooling="last", max_length=limit)
        limit = limit or CONTEXT
        embedded = embedder.embed(TEXTS)
        assert_array_equal(embedded.truncated, lengths > limit)
        assert_array_equal(embedded.n_tokens, np.minimum(lengths, limit))
        assert_allclose(
            embedded.features, [rows[-1] for rows in direct(tiny(kind), TEXTS, limit)], atol=1e-4
        )
    assert embedded.n_truncated > 0


def test_roberta_reads_two_tokens_less_than_it_has_positions(tmp_path):
    """A model of 514 positions reads 512 tokens, as it counts from the padding token on."""
    folder = save("roberta", tmp_path / "roberta", max_position_embeddings=514)
    embedder = make_embedder(folder, pooling="last")
    assert embedder.max_length == 512
    texts = [" ".join(SENTENCES) * 30, "short"]
    embedded = embedder.embed(texts)
    assert (embedded.n_tokens.tolist()[0], embedded.truncated.tolist()) == (512, [True, False])
    assert_allclose(embedded.features, [rows[-1] for rows in direct(folder, texts, 512)], atol=1e-4)


def test_the_tokenizer_may_read_less_than_the_model(tmp_path):
    folder = save("gpt2", tmp_path / "gpt2", n_positions=96)
    assert make_embedder(folder).max_length == CONTEXT


@pytest.mark.parametrize("kind", KINDS)
def test_odd_texts_have_finite_features_in_any_company(tiny, kind):
    embedder = make_embedder(tiny(kind), pooling="last")
    alone = np.concatenate([embedder.embed([text]).features for text in ODD])
    assert np.isfinite(alone).all()
    together = embedder.embed([*TEXTS, *ODD]).features[len(TEXTS) :]
    assert_allclose(together, alone, atol=1e-4)
    assert_allclose(embedder.embed(["a\ufffdb"]).features[0], alone[1], atol=1e-4)


def test_order_and_duplicates(tiny):
    embedder = make_embedder(tiny("gpt2"))
    embedded = embedder.embed(TEXTS)
    assert_allclose(embedder.embed(TEXTS[::-1]).features[::-1], embedded.features, atol=1e-4)
    first, second = (i for i, text in enumerate(TEXTS) if text == "The cat sat on the mat.")
    assert_array_equal(embedded.features[first], embedded.features[second])
    assert_array_equal(embedder.embed(TEXTS).features, embedded.features)


def test_no_text_has_no_features(tiny):
    assert make_embedder(tiny("gpt2")).embed([]).features.shape == (0, 32)
    assert make_embedder(tiny("gpt2"), pooling="surprisal").embed([]).features.shape == (0, 34)


def test_tokens_instead_of_texts(tiny):
    embedder = make_embedder(tiny("llama"))
    ids = AutoTokenizer.from_pretrained(tiny("llama"))(TEXTS)["input_ids"]
    assert_allclose(embedder.embed_tokens(ids), embedder.embed(TEXTS).features, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gpt2", "bert"])
def test_several_devices_share_the_work(tiny, kind):
    seen = []
    one = TransformersEmbedder(tiny(kind), device="cpu")
    two = TransformersEmbedder(tiny(kind), device="cpu,cpu", token_budget=64)
    texts = TEXTS * 5
    embedded = two.embed(texts, lambda *step: seen.append(step))
    assert_allclose(embedded.features, one.embed(texts).features, atol=1e-4)
    assert [step[1] for step in seen] == sorted(step[1] for step in seen)
    assert seen[-1] == ("embedding", len(texts), len(texts))
    assert two.signature == one.signature


def test_sixteen_bits_are_about_the_same(tiny):
    wide = make_embedder(tiny("gpt2")).embed(TEXTS).features
    half = make_embedder(tiny("gpt2"), dtype="bfloat16").embed(TEXTS).features
    assert half.dtype == np.float32
    lengths = np.linalg.norm(wide, axis=1) * np.linalg.norm(half, axis=1)
    assert ((wide * half).sum(axis=1) / lengths).min() > 0.99


def test_sixty_four_bits(tiny):
    states = direct(tiny("gpt2"), TEXTS, dtype=torch.float64)
    embedded = make_embedder(tiny("gpt2"), dtype="float64").embed(TEXTS)
    assert embedded.features.dtype == np.float64
    assert_allclose(embedded.features, [rows[-1] for rows in states], atol=1e-12)


def test_progress_ends_at_the_number_of_texts(tiny):
    seen = []
    embedder = make_embedder(tiny("gpt2"), token_budget=64)
    embedder.embed(TEXTS, lambda *step: seen.append(step))
    assert seen[-1] == ("embedding", len(TEXTS), len(TEXTS))
    assert len(seen) > 3


def test_loading_is_quiet_and_leaves_the_settings_as_they_were(tiny, capfd):
    logging = transformers.logging
    for bars in (True, False):
        (logging.enable_progress_bar if bars else logging.disable_progress_bar)()
        before = logging.get_verbosity()
        make_embedder(tiny("llama")).embed(["a"])  # has a head that is not used
        assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == (before, bars)
    logging.enable_progress_bar()
    assert capfd.readouterr() == ("", "")


# Models that look both ways though others of their kind, or their name, do not.


def test_a_causal_model_whose_mask_was_taken_away(tmp_path):
    folder = save("llama", tmp_path / "two-ways", is_causal=False, with_head=False)
    states = direct(folder, TEXTS)
    assert not np.allclose(states[0][0], direct(folder, ["Yes"])[0][0])
    embedder = make_embedder(folder)
    assert embedder.pooling == "mean"
    assert_allclose(embedder.embed(TEXTS).features, [x.mean(axis=0) for x in states], atol=1e-4)


BERT_GENERATION = BertGenerationConfig(
    vocab_size=400, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
    max_position_embeddings=CONTEXT, pad_token_id=1, initializer_range=0.2,
)  # fmt: skip
XLNET = XLNetConfig(
    vocab_size=400, d_model=32, d_head=8, n_layer=2, n_head=4, d_inner=48,
    pad_token_id=1, initializer_range=0.2,
)  # fmt: skip


@pytest.mark.parametrize("config", [BERT_GENERATION, XLNET])
def test_kinds_that_are_causal_as_decoders_only(tmp_path, config):
    torch.manual_seed(0)
    tokenizer = roberta_tokenizer()
    tokenizer.model_max_length = CONTEXT  # XLNet itself has no limit
    tokenizer.save_pretrained(tmp_path)
    AutoModel.from_config(config).save_pretrained(tmp_path)
    embedder = make_embedder(tmp_path)
    assert (embedder.pooling, embedder.max_length) == ("mean", CONTEXT)
    states = direct(tmp_path, TEXTS)
    assert_allclose(embedder.embed(TEXTS).features, [x.mean(axis=0) for x in states], atol=1e-4)


@pytest.mark.parametrize("kind", [T5Model, T5EncoderModel])
def test_of_an_encoder_and_a_decoder_the_encoder_is_taken(tmp_path, kind):
    torch.manual_seed(0)
    tokenizer = roberta_tokenizer()
    tokenizer.model_max_length = CONTEXT
    tokenizer.save_pretrained(tmp_path)
    shape = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
    config = T5Config(vocab_size=len(tokenizer), pad_token_id=1, decoder_start_token_id=1, **shape)
    kind(config).save_pretrained(tmp_path)
    embedder = make_embedder(tmp_path)
    states = direct(tmp_path, TEXTS)
    assert_allclose(embedder.embed(TEXTS).features, [x.mean(axis=0) for x in states], atol=1e-4)


# Signatures.


def test_signatures_differ_where_features_do(tiny, tmp_path):
    folder = tiny("gpt2")
    other = save("gpt2", tmp_path / "gpt2", layer_norm_epsilon=1e-3)
    every = [
        make_embedder(folder),
        make_embedder(other),
        make_embedder(folder, pooling="mean"),
        make_embedder(folder, layer=1),
        make_embedder(folder, max_length=16),
        make_embedder(folder, dtype="bfloat16"),
        make_embedder(tiny("llama")),
    ]
    signatures = [each.signature for each in every]
    assert len({*signatures}) == len(every)
    assert make_embedder(str(folder), layer=2).signature == signatures[0]  # the last of two
    assert all(isinstance(each, Embedder) for each in every)


def test_remote_code_is_in_the_signature(tiny):
    plain, remote = (
        make_embedder(tiny("gpt2"), trust_remote_code=trust).signature for trust in (False, True)
    )
    assert remote == f"{plain}:remote-code"


def test_a_bar_in_the_name_does_not_reach_the_signature(tiny, tmp_path):
    folder = shutil.copytree(tiny("gpt2"), tmp_path / "a|b")
    assert make_embedder(folder).signature.startswith("a_b@")


# What can go wrong.


@pytest.mark.parametrize("name", ["no-such/model", "no-such-model", "/no/such/folder", "", "a b/c"])
def test_a_model_that_is_not_there(name):
    pattern = rf"name of a model on the hub or its folder\. Got '{name}', which could not be loaded"
    with pytest.raises(InvalidParameterError, match=pattern) as caught:
        make_embedder(name)
    assert "\n" not in str(caught.value)
    assert caught.value.__suppress_context__  # no traceback but ours


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("damage", ["cut", "empty", "missing", "braces"])
def test_a_damaged_folder(tiny, tmp_path, file, damage):
    folder = shutil.copytree(tiny("gpt2"), tmp_path / "damaged")
    content = (folder / file).read_bytes()
    (folder / file).unlink()
    if damage != "missing":
        damaged = {"cut": content[: len(content) // 2], "empty": b"", "braces": b"{}"}[damage]
        (folder / file).write_bytes(damaged)
    with pytest.raises(InvalidParameterError, match="damaged', which could not be loaded"):
        make_embedder(folder).embed(["a"])


@pytest.mark.parametrize("change", [{"n_embd": 64}, {"n_embd": "wide"}, {"n_head": 5}])
def test_weights_of_another_shape(tiny, tmp_path, change):
    folder = shutil.copytree(tiny("gpt2"), tmp_path / "damaged")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **change}))
    with pytest.raises(InvalidParameterError, match="damaged', which could not be loaded"):
        make_embedder(folder).embed(["a"])


def test_weights_of_another_model_are_not_made_up(tiny, tmp_path):
    folder = shutil.copytree(tiny("gpt2"), tmp_path / "damaged")
    shutil.copy(tiny("llama") / "model.safetensors", folder)
    pattern = r"a model with all of its weights\. Got '.*damaged', where 28 are not found, 'h\.0"
    with pytest.raises(InvalidParameterError, match=pattern):
        make_embedder(folder).embed(["a"])


def test_a_head_is_not_made_up(tmp_path):
    folder = save("llama", tmp_path / "llama", with_head=False)
    make_embedder(folder, pooling="last").embed(["a"])
    with pytest.raises(InvalidParameterError, match=r"1 are not found, 'lm_head\.weight'"):
        make_embedder(folder, pooling="surprisal").embed(["a"])


@pytest.mark.parametrize("pooling", ["first", "", "Mean"])
def test_unknown_pooling(tiny, pooling):
    with pytest.raises(InvalidParameterError, match="must be one of 'last', 'mean', 'max', 'cls'"):
        make_embedder(tiny("gpt2"), pooling=pooling)


def test_surprisal_needs_a_causal_model(tiny):
    with pytest.raises(InvalidParameterError, match="must be another one for a model that is not"):
        make_embedder(tiny("bert"), pooling="surprisal")


def test_surprisal_needs_the_last_layer(tiny):
    with pytest.raises(InvalidParameterError, match=r"must be -1 with pooling='surprisal'"):
        make_embedder(tiny("gpt2"), pooling="surprisal", layer=1)
    assert make_embedder(tiny("gpt2"), pooling="surprisal", layer=2).layer == -1


def test_surprisal_needs_plain_logits(tmp_path):
    folder = save("llama", tmp_path / "llama", logit_scale=0.5)
    with pytest.raises(InvalidParameterError, match="another one for a model with 'logit_scale'"):
        make_embedder(folder, pooling="surprisal")


@pytest.mark.parametrize("layer", [3, -4, 1.0, None])
def test_a_layer_that_is_not_there(tiny, layer):
    with pytest.raises(InvalidParameterError, match=rf"int in \[-3, 2\]\. Got {layer} instead"):
        make_embedder(tiny("gpt2"), layer=layer)


@pytest.mark.parametrize("length", [1, 0, -5, 8.0, "8"])
def test_impossible_length(tiny, length):
    with pytest.raises(
        InvalidParameterError, match=r"'max_length' .* must be an int of at least 2"
    ):
        make_embedder(tiny("gpt2"), max_length=length)


def test_a_device_that_is_not_there(tiny):
    with pytest.raises(InvalidParameterError, match=r"a device of this machine\. Got 'cuda:77'"):
        TransformersEmbedder(tiny("gpt2"), device="cuda:77")


def test_unknown_number_type(tiny):
    with pytest.raises(InvalidParameterError, match=r"'dtype' .* of TransformersEmbedder must"):
        make_embedder(tiny("gpt2"), dtype="float8")


def test_rows_without_a_token(tiny):
    with pytest.raises(InvalidParameterError, match=r"Got an empty row at position 1 instead"):
        make_embedder(tiny("gpt2")).embed_tokens([[1], []])


@pytest.mark.parametrize("token", [-1, 400, 50256])
def test_tokens_of_another_model(tiny, token):
    pattern = rf"token numbers in \[0, 399\].* Got {token} at position 1 instead"
    with pytest.raises(InvalidParameterError, match=pattern):
        make_embedder(tiny("gpt2")).embed_tokens([[1], [3, token, 2]])


def test_an_error_of_the_model_itself_is_not_hidden(tmp_path):
    """Only errors about memory make batches smaller."""
    folder = save("gpt2", tmp_path / "gpt2", pad_token_id=4000)  # not in the vocabulary
    with pytest.raises(IndexError, match="index out of range"):
        make_embedder(folder).embed(["a", "a longer one"])


OUT_OF_MEMORY = """
import resource, sys
from pathlib import Path

import numpy as np
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError

def embed_with(extra):
    "Return an embedder that may use some more bytes than the process has now."
    embedder = TransformersEmbedder(sys.argv[1], device="cpu")
    embedder.embed(["a"])  # everything is loaded
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + extra
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    return embedder

texts = [f"{i} " + "The cat sat on the mat. " * (i % 3 + 1) for i in range(60)]
embedder = embed_with(40 << 20)
first = embedder.token_budget
embedded = embedder.embed(texts)
smaller = embedder.token_budget
again = embedder.embed(texts)
print(first, smaller, embedder.token_budget)
try:
    embedder.embed([*texts, "The cat sat on the mat. " * 150])
except InvalidParameterError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
embedder.token_budget = 64
expected = embedder.embed(texts)
print(np.abs(embedded.features - expected.features).max() < 1e-4, len(embedded.features))
print(np.abs(again.features - expected.features).max() < 1e-4)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited by a Linux call")
def test_batches_that_do_not_fit_the_memory_become_smaller(tmp_path):
    """A real one, of a process that may not have more memory.

    The wide layer of a thousand tokens takes 64 MB several times over, where 40 MB are to be
    had: too much for all texts at once, and for one of a thousand tokens, but not for a few.
    """
    folder = save("gpt2", tmp_path / "wide", n_inner=16384, n_layer=1, n_positions=1024)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "model_max_length": 1024}))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", OUT_OF_MEMORY, str(folder)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    budgets, too_long, first, second = done.stdout.splitlines()
    before, smaller, after = map(int, budgets.split())
    assert (before, after) == (4096, smaller)
    assert 24 <= smaller < 600
    assert too_long.startswith("The 'max_length' parameter of TransformersEmbedder must be such")
    assert too_long.endswith(
        "Got 1024, and a text of 1024 tokens does not fit: use a smaller one, or another device."
    )
    assert (first, second) == ("True 60", "True")


@pytest.mark.parametrize("budget", [0, 2.5])
def test_impossible_budget(tiny, budget):
    with pytest.raises(InvalidParameterError, match=rf"'token_budget' .* least 1\. Got {budget}"):
        make_embedder(tiny("gpt2"), token_budget=budget)
