"""Texts side by side are read as each of them alone, whatever came and went before."""

import numpy as np
import pytest
import torch
import transformers

from mauve.lm.slots import Head, RereadSlots, Slots, bytes_per_token
from mauve.lm.step_graphs import Columns, takes_any_mask

SHAPE = {
    "vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 48, "initializer_range": 0.2,
    "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0,
}  # fmt: skip
OLDER = {
    "vocab_size": 97, "n_embd": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.2,
    "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
CONFIGS = {
    "GPT-2": transformers.GPT2Config(**OLDER),
    "Llama": transformers.LlamaConfig(**SHAPE),
    "sliding windows": transformers.MistralConfig(**SHAPE, sliding_window=3),
    "windows in some layers, capped logits": transformers.Gemma2Config(
        **SHAPE, sliding_window=3, head_dim=8
    ),
    "biases by distance": transformers.BloomConfig(
        vocab_size=97, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.2,
        bos_token_id=0, eos_token_id=0,
    ),
    "positions from the mask": transformers.OPTConfig(
        vocab_size=97, hidden_size=32, word_embed_proj_dim=32, num_hidden_layers=2,
        num_attention_heads=4, ffn_dim=48, init_std=0.2, bos_token_id=0, eos_token_id=0,
        pad_token_id=1,
    ),
}  # fmt: skip


def head_of(config):
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_config(config)
    return Head(model, torch.device("cpu"))


@pytest.mark.parametrize("name", CONFIGS)
def test_logits_are_those_of_each_text_alone(name):
    """Three hundred steps, so that columns move, with texts that end and begin at random."""
    head = head_of(CONFIGS[name])
    rng = np.random.default_rng(0)
    slots = Slots(head, 3, 40, None)
    texts = {}
    for step in range(300):
        free = [row for row in range(3) if row not in texts]
        if free:
            texts.update({row: rng.integers(97, size=rng.integers(1, 9)).tolist() for row in free})
            logits = slots.admit(free, [texts[row] for row in free]).logits
            compare(head, logits, [texts[row] for row in free])
        tokens = rng.integers(97, size=3)
        logits = slots.step(torch.from_numpy(tokens)).logits
        for row, token in enumerate(tokens.tolist()):
            texts[row].append(token)
        if step % 10 == 0:
            compare(head, logits, [texts[row] for row in range(3)])
        for row in range(3):
            if len(texts[row]) == 40 or rng.random() < 0.03:
                slots.release(row)
                del texts[row]


def compare(head, logits, texts):
    alone = [RereadSlots(head, 1).admit([0], [text]).logits[0] for text in texts]
    torch.testing.assert_close(logits, torch.stack(alone), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["GPT-2", "Llama"])
def test_whole_blocks_of_columns_give_the_same(name):
    """What a graph records on a GPU: the columns after the last token are hidden by the mask."""
    head = head_of(CONFIGS[name])
    assert takes_any_mask(head.model)
    rng = np.random.default_rng(0)
    slots = Slots(head, 3, 200, None)
    slots.admit([0, 1], [[*range(90)], [5, 6]])
    for step in range(140):
        if step == 60:
            slots.release(0)
            slots.admit([0, 2], [[7, 8, 9], [4]])
        predicted = slots.step(torch.from_numpy(rng.integers(97, size=3)))
        slots._positions -= 1
        states, logits = slots.read_blocks(Columns(0, slots._end).in_blocks())
        slots._positions += 1
        rows = [0, 1, 2] if step >= 60 else [0, 1]
        torch.testing.assert_close(logits[rows], predicted.logits[rows], rtol=1e-4, atol=1e-4)
        expected = torch.stack(predicted.states)[rows]
        torch.testing.assert_close(states[rows], expected, rtol=1e-4, atol=1e-4)


def test_windows_and_biases_take_masks_of_their_own():
    taking = [name for name, config in CONFIGS.items() if takes_any_mask(head_of(config).model)]
    assert taking == ["GPT-2", "Llama", "positions from the mask"]


@pytest.mark.parametrize("slots_of", [lambda head: Slots(head, 4, 20, None),
                                      lambda head: RereadSlots(head, 4)])  # fmt: skip
def test_select_and_keep(slots_of):
    head = head_of(CONFIGS["Llama"])
    slots = slots_of(head)
    slots.admit([0, 1, 2, 3], [[1, 2], [3, 4, 5], [3, 4, 5], [6]])
    slots.release(0)
    slots.step(torch.tensor([9, 10, 11, 12]))
    slots.keep(torch.tensor([0, 2, 2, 3]))  # row 1 goes on as row 2 did
    slots.select([1, 3])
    predicted = slots.step(torch.tensor([20, 21]))
    compare(head, predicted.logits, [[3, 4, 5, 11, 20], [6, 12, 21]])
    assert [states.shape for states in predicted.states] == [(1, 32), (1, 32)]


class TestBytesPerToken:
    @pytest.mark.parametrize("name", CONFIGS)
    def test_keys_and_values_of_two_layers(self, name):
        heads = {"Llama": 2, "sliding windows": 2, "windows in some layers, capped logits": 2}
        expected = 2 * 2 * heads.get(name, 4) * 8 * 4  # parts, layers, heads, width, bytes
        assert bytes_per_token(head_of(CONFIGS[name])) == expected

    def test_none_for_models_that_keep_a_state(self):
        config = transformers.MambaConfig(
            vocab_size=97, hidden_size=16, num_hidden_layers=2, state_size=4,
            bos_token_id=0, eos_token_id=0, pad_token_id=0,
        )  # fmt: skip
        assert bytes_per_token(head_of(config)) is None

    def test_none_for_models_that_count_positions_wrongly(self):
        head = head_of(CONFIGS["GPT-2"])
        head.takes_positions = False  # those of the columns then
        assert bytes_per_token(head) is None
