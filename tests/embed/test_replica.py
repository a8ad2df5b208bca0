"""Texts in one batch, packed or padded, have the hidden states that each has alone."""

from itertools import chain

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from tiny_models import SHAPES
from transformers import (
    AutoConfig,
    AutoModel,
    BloomConfig,
    Gemma2Config,
    GPT2Config,
    LlamaConfig,
    MiniMaxConfig,
    MistralConfig,
    Qwen2Config,
    Qwen3Config,
)

from mauve.embed.replica import Replica, can_pack, fuse_activations, layout, use_packed_attention

LENGTHS = [40, 1, 13, 2, 13, 48]
CPU = torch.device("cpu")


def random_model(config, **options):
    torch.manual_seed(0)
    shape = {"vocab_size": 60, "initializer_range": 0.2, **options}
    return AutoModel.from_config(config(**shape)).eval()


def rows():
    rng = np.random.default_rng(0)
    return [rng.integers(3, 60, size=n).tolist() for n in LENGTHS]


def states(model, **inputs):
    with torch.inference_mode():
        return model(**inputs, use_cache=False).last_hidden_state


def alone(model):
    return [states(model, input_ids=torch.tensor([row]))[0].numpy() for row in rows()]


MODELS = [
    (GPT2Config, SHAPES["gpt2"]),
    (GPT2Config, {**SHAPES["gpt2"], "scale_attn_weights": False}),
    (LlamaConfig, SHAPES["llama"]),
    (LlamaConfig, {**SHAPES["llama"], "num_key_value_heads": 1}),
    (Qwen2Config, SHAPES["qwen2"]),
    (Qwen3Config, SHAPES["qwen3"]),
]


@pytest.mark.parametrize(("config", "shape"), MODELS)
def test_packed_is_as_alone(config, shape):
    model = random_model(config, **shape)
    assert can_pack(model)
    expected = np.concatenate(alone(model))
    use_packed_attention(model)
    starts = torch.tensor([0, *np.cumsum(LENGTHS)], dtype=torch.int32)
    positions = torch.cat([torch.arange(n) for n in LENGTHS])
    with layout(starts, max(LENGTHS)):
        flat = torch.tensor([[*chain(*rows())]])
        packed = states(model, input_ids=flat, position_ids=positions[None])
    # Numbers about 3 in 32 bits; 2e-6 is seen.
    assert_allclose(packed[0].numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("pooling", ["last", "mean"])
@pytest.mark.parametrize(("config", "shape"), MODELS)
def test_a_replica_that_packs_is_as_one_that_pads(config, shape, pooling):
    padding = Replica(random_model(config, **shape), CPU, True, pooling, -1, 0)
    assert not padding.packs  # 32 bits on a CPU
    packing = Replica(random_model(config, **shape), CPU, True, pooling, -1, 0)
    packing.packs = True
    use_packed_attention(packing.model)
    fuse_activations(packing.model)
    expected, _ = padding.forward(rows()).on_host()
    packed, _ = packing.forward(rows()).on_host()
    assert_allclose(packed, expected, atol=1e-5)
    pooled = [x[-1] if pooling == "last" else x.mean(axis=0) for x in alone(padding.model)]
    assert_allclose(expected, pooled, atol=1e-5)


def test_the_layout_is_forgotten_afterwards():
    model = random_model(GPT2Config, **SHAPES["gpt2"])
    use_packed_attention(model)
    with pytest.raises(AttributeError, match="layout"):
        states(model, input_ids=torch.tensor([[1, 2]]))


def test_fused_activations_are_the_same():
    model = random_model(GPT2Config, **SHAPES["gpt2"])
    expected = alone(model)
    fuse_activations(model)
    assert sum(isinstance(module, torch.nn.GELU) for module in model.modules()) == 2
    for fused, plain in zip(alone(model), expected, strict=True):
        assert_allclose(fused, plain, atol=1e-5)


def test_other_activations_are_left_alone():
    model = random_model(LlamaConfig, **SHAPES["llama"])
    before = [type(module) for module in model.modules()]
    fuse_activations(model)
    assert [type(module) for module in model.modules()] == before


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        (MistralConfig, {**SHAPES["llama"], "sliding_window": 16}),
        (
            Qwen2Config,
            {
                **SHAPES["qwen2"],
                "use_sliding_window": True,
                "sliding_window": 16,
                "max_window_layers": 1,
            },
        ),
        (GPT2Config, {**SHAPES["gpt2"], "reorder_and_upcast_attn": True}),
        (GPT2Config, {**SHAPES["gpt2"], "scale_attn_by_inverse_layer_idx": True}),
        (GPT2Config, {**SHAPES["gpt2"], "n_embd": 24, "n_head": 2}),  # heads of width 12
        (LlamaConfig, {**SHAPES["llama"], "head_dim": 264}),
        (Gemma2Config, {**SHAPES["llama"], "head_dim": 8}),  # caps the logits
        (MiniMaxConfig, {**SHAPES["llama"], "num_local_experts": 2, "head_dim": 8}),  # a state
        (BloomConfig, {"hidden_size": 32, "n_layer": 1, "n_head": 4}),  # its own attention
    ],
)
def test_what_cannot_be_packed(config, shape):
    assert not can_pack(random_model(config, **shape))


def test_a_model_without_a_sliding_window_can_be_packed():
    assert can_pack(random_model(MistralConfig, **SHAPES["llama"], sliding_window=None))


def test_a_model_without_attention_cannot_be_packed():
    config = AutoConfig.for_model(
        "mamba", hidden_size=16, num_hidden_layers=1, vocab_size=60, state_size=4
    )
    assert not can_pack(AutoModel.from_config(config))


def test_the_token_budget_of_a_cpu():
    replica = Replica(random_model(GPT2Config, **SHAPES["gpt2"]), CPU, True, "last", -1, 0)
    assert replica.token_budget() == 4096
    assert replica.token_budget(on_cpu=60) == 60
