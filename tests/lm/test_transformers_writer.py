"""Texts of Transformers models equal those that one text at a time, read anew, would be."""

import json

import numpy as np
import pytest
import slow_writing as slow
import tiny_models
import torch
import transformers

from mauve.errors import InvalidParameterError, MauveError
from mauve.lm.decoding import parse_decoder
from mauve.lm.generation import CausalModelWriter
from mauve.lm.transformers_writer import TransformersWriter
from mauve.lm.writing import WritingOptions

PROMPTS = ["The cat", "People write about what they", "It", "one two three", "Naïve"]
N_TOKENS = 8
OTHER = {  # kinds that are not among the tiny models of embedders
    "windows": (
        transformers.MistralConfig(
            **tiny_models._GROUPED, vocab_size=300, sliding_window=4, initializer_range=0.2,
            bos_token_id=1, eos_token_id=2,
        )
    ),
    "no positions": (
        transformers.BloomConfig(
            hidden_size=32, n_layer=2, n_head=4, vocab_size=300, initializer_range=0.2,
            bos_token_id=1, eos_token_id=2,
        )
    ),
    "recurrent": (
        transformers.MambaConfig(
            hidden_size=16, num_hidden_layers=2, state_size=4, vocab_size=300,
            initializer_range=0.5, bos_token_id=1, eos_token_id=2,
        )
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tiny, tmp_path_factory):
    """Return a function that returns the folder of a model of some kind."""
    made = {}

    def get(kind):
        if kind not in OTHER:
            return tiny(kind, with_head=True)
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("model")
            tokenizer = tiny_models.llama_tokenizer()
            tokenizer.model_max_length = tiny_models.CONTEXT
            tokenizer.save_pretrained(made[kind])
            torch.manual_seed(0)
            config = OTHER[kind]
            config.vocab_size = len(tokenizer)
            transformers.AutoModelForCausalLM.from_config(config).save_pretrained(made[kind])
        return made[kind]

    return get


def texts(writer, spec, max_tokens=N_TOKENS, prompts=PROMPTS, **options):
    written = dict(
        writer.write(prompts, parse_decoder(spec), WritingOptions(max_tokens, **options))
    )
    assert sorted(written) == list(range(len(prompts)))
    return [written[i] for i in range(len(prompts))]


def slow_model(folder):
    """Return the model, the tokens of each prompt, the tokens that end a text, and its decoder."""
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    prompts = [tokenizer(prompt)["input_ids"] for prompt in PROMPTS]
    return slow.SlowModel(model), prompts, [tokenizer.eos_token_id], tokenizer


def decoded(tokenizer, tokens):
    return tokenizer.decode(tokens, skip_special_tokens=True)


TARGET = 150  # perplexity
SAMPLERS = [
    ("ancestral", "ancestral", None, {}),
    ("nucleus:0.7", "nucleus", 0.7, {}),
    ("top-k:5", "top-k", 5, {}),
    ("typical:0.6", "typical", 0.6, {}),
    ("min-p:0.2", "min-p", 0.2, {}),
    ("temperature:0.5", "ancestral", None, {"temperature": 0.5}),
    ("nucleus:0.9,temperature=1.5", "nucleus", 0.9, {"temperature": 1.5}),
]


@pytest.mark.parametrize("kind", ["gpt2", "llama", "windows", "no positions", "recurrent"])
def test_sampled_tokens_are_those_of_a_slow_implementation(folder, kind):
    """Texts of five prompts in a batch of two that is refilled."""
    writer = TransformersWriter(folder(kind), device="cpu", token_budget=2 * 24)
    model, prompts, ends, tokenizer = slow_model(folder(kind))
    for spec, rule, parameter, extra in SAMPLERS if kind == "gpt2" else SAMPLERS[:2]:
        for i, text in enumerate(texts(writer, spec, seed=5)):
            tokens, ended = slow.sample(
                model,
                prompts[i],
                rule,
                parameter,
                seed=[5, i],
                max_tokens=N_TOKENS,
                ends=ends,
                **extra,
            )
            assert (text.n_tokens, text.ended) == (len(tokens), ended)
            assert text.text == decoded(tokenizer, tokens)


@pytest.mark.parametrize("kind", ["gpt2", "llama", "windows", "recurrent"])
def test_greedy_and_contrastive_tokens_are_those_of_a_slow_implementation(folder, kind):
    writer = TransformersWriter(folder(kind), device="cpu", token_budget=6 * 24)
    model, prompts, ends, tokenizer = slow_model(folder(kind))
    for i, text in enumerate(texts(writer, "greedy")):
        tokens, ended = slow.greedy(model, prompts[i], max_tokens=N_TOKENS, ends=ends)
        assert (text.text, text.ended) == (decoded(tokenizer, tokens), ended)
    for k, alpha in ((3, 0.6), (2, 0.1)):
        for i, text in enumerate(texts(writer, f"contrastive:{k},alpha={alpha}", 5)):
            tokens, ended = slow.contrastive(model, prompts[i], k, alpha, max_tokens=5, ends=ends)
            assert (text.text, text.ended) == (decoded(tokenizer, tokens), ended)


def test_adversarial_texts_reach_the_perplexity(folder):
    writer = TransformersWriter(folder("gpt2"), device="cpu", dtype="float64", token_budget=60)
    model, prompts, ends, tokenizer = slow_model(folder("gpt2"))
    model.model.double()
    for i, text in enumerate(texts(writer, f"adversarial:perplexity={TARGET}", 20)):
        tokens, running = slow.adversarial(
            model, prompts[i], TARGET, 3, seed=[0, i], max_tokens=20, ends=ends
        )
        assert text.text == decoded(tokenizer, tokens)
        assert (text.n_tokens, text.ended) == (20, False)
        # The random tokens bring it above; then one token can reach it.
        assert max(running[:3]) > TARGET
        assert running[-1] == pytest.approx(TARGET, rel=0.05)


class TinyCausal:
    """A Transformers model as the protocol that n-gram models have."""

    def __init__(self, model, end):
        self._model, self.end = model, end
        self.vocabulary_size = model.model.config.vocab_size

    def next(self, contexts):
        return np.stack([self._model.probabilities([*context]) for context in contexts])

    def encode(self, text):
        return json.loads(text)

    def decode(self, tokens):
        return json.dumps([*tokens])


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["beam:4", "beam:3,no_repeat=2", "beam:3,length_power=0", "beam:1"]
)
def test_beam_search_is_that_of_any_model(folder, spec):
    """Two implementations: ours, and that of Transformers."""
    writer = TransformersWriter(folder("gpt2"), device="cpu", token_budget=200)
    model, prompts, ends, tokenizer = slow_model(folder("gpt2"))
    other = CausalModelWriter(TinyCausal(model, ends[0]), "tiny")
    expected = texts(other, spec, 8, prompts=[json.dumps(prompt) for prompt in prompts])
    for text, ours in zip(texts(writer, spec, 8), expected, strict=True):
        assert text.text == decoded(tokenizer, json.loads(ours.text))
        assert (text.n_tokens, text.ended) == (ours.n_tokens, ours.ended)


class TestBatches:
    @pytest.mark.parametrize(
        ("kind", "spec"),
        [
            ("gpt2", "temperature:4"),
            ("llama", "nucleus:0.8"),
            ("gpt2", "contrastive:k=2,alpha=0.5"),
        ],
    )
    def test_their_size_does_not_change_texts(self, folder, kind, spec):
        prompts = PROMPTS * 4
        per_text = 2 if spec.startswith("contrastive") else 1
        written = [
            texts(
                TransformersWriter(folder(kind), device="cpu", token_budget=n * 28 * per_text),
                spec, 16, prompts,
            )
            for n in (1, 3, 8)
        ]  # fmt: skip
        assert written[0] == written[1] == written[2]
        # Texts of different lengths, so that places become free at different times.
        assert spec != "temperature:4" or len({text.n_tokens for text in written[0]}) > 2

    def test_a_later_start_does_not_change_texts(self, folder):
        writer = TransformersWriter(folder("gpt2"), device="cpu")
        whole = texts(writer, "ancestral")
        rest = dict(
            writer.write(PROMPTS[3:], parse_decoder("ancestral"), WritingOptions(N_TOKENS), first=3)
        )
        assert [rest[i] for i in range(2)] == whole[3:]

    def test_several_devices_share_the_prompts(self, folder):
        one = TransformersWriter(folder("gpt2"), device="cpu", token_budget=64)
        two = TransformersWriter(folder("gpt2"), device="cpu,cpu", token_budget=64)
        assert texts(two, "nucleus:0.9", prompts=PROMPTS * 4) == texts(
            one, "nucleus:0.9", prompts=PROMPTS * 4
        )

    def test_progress_counts_texts(self, folder):
        calls = []
        writer = TransformersWriter(folder("gpt2"), device="cpu")
        options = WritingOptions(3)
        for _ in writer.write(PROMPTS, parse_decoder("greedy"), options,
                              on_progress=lambda *call: calls.append(call)):  # fmt: skip
            pass
        assert calls == [("writing", n, 5) for n in range(1, 6)]

    def test_a_reader_may_stop_early(self, folder):
        for device in ("cpu", "cpu,cpu"):
            writer = TransformersWriter(folder("gpt2"), device=device, token_budget=32)
            written = writer.write(PROMPTS, parse_decoder("greedy"), WritingOptions(3))
            next(written)
            written.close()


class TestLengths:
    def test_min_tokens_and_max_tokens(self, folder):
        writer = TransformersWriter(folder("gpt2"), device="cpu")
        free = texts(writer, "temperature:3", 25, PROMPTS * 12)
        assert any(text.n_tokens < 5 and text.ended for text in free)
        held = texts(writer, "temperature:3", 25, PROMPTS * 12, min_tokens=5)
        assert min(text.n_tokens for text in held) >= 5
        assert max(text.n_tokens for text in held) == 25
        assert all(text.ended == (text.n_tokens < 25) for text in held)
        for before, after in zip(free, held, strict=True):
            assert before.n_tokens < 5 or before == after

    @pytest.mark.parametrize("spec", ["greedy", "contrastive:k=3,alpha=0.5"])
    def test_min_tokens_of_searches(self, folder, tmp_path, spec):
        model, prompts, ends, _ = slow_model(folder("gpt2"))
        if spec == "greedy":
            tokens, _ = slow.greedy(model, prompts[0], max_tokens=3, ends=ends)
        else:
            tokens, _ = slow.contrastive(model, prompts[0], 3, 0.5, max_tokens=3, ends=ends)
        model = model.model
        model.generation_config.eos_token_id = tokens[2]
        model.save_pretrained(tmp_path)
        transformers.AutoTokenizer.from_pretrained(folder("gpt2")).save_pretrained(tmp_path)
        writer = TransformersWriter(tmp_path, device="cpu")
        assert texts(writer, spec, 20, PROMPTS[:1])[0].n_tokens <= 2
        assert texts(writer, spec, 20, PROMPTS[:1], min_tokens=9)[0].n_tokens >= 9

    def test_the_beginning_of_text_stands_before_an_empty_prompt(self, folder):
        [text] = texts(TransformersWriter(folder("gpt2"), device="cpu"), "greedy", prompts=[""])
        model, _, ends, tokenizer = slow_model(folder("gpt2"))
        tokens, _ = slow.greedy(model, [tokenizer.bos_token_id], max_tokens=N_TOKENS, ends=ends)
        assert text.text == decoded(tokenizer, tokens)

    def test_settings_of_the_model_are_not_used(self, folder, tmp_path):
        model = transformers.AutoModelForCausalLM.from_pretrained(folder("gpt2"))
        model.generation_config.repetition_penalty = 5.0
        model.generation_config.eos_token_id = [7, 9]
        model.save_pretrained(tmp_path)
        transformers.AutoTokenizer.from_pretrained(folder("gpt2")).save_pretrained(tmp_path)
        writer = TransformersWriter(tmp_path, device="cpu")
        slow_one, prompts, _, tokenizer = slow_model(folder("gpt2"))
        for spec in ("greedy", "beam:1"):
            for i, text in enumerate(texts(writer, spec)):
                tokens, _ = slow.greedy(slow_one, prompts[i], max_tokens=N_TOKENS, ends=[7, 9])
                assert text.text == decoded(tokenizer, tokens)


class TestErrors:
    @pytest.mark.parametrize("decoder", ["greedy", "beam:2"])
    def test_prompts_that_leave_no_room(self, folder, decoder):
        writer = TransformersWriter(folder("gpt2"), device="cpu")
        match = (
            r"at most 48 tokens in this model. Got a prompt of \d+ tokens at position 1 instead: "
            r"use max_tokens=\d+, or shorter prompts"
        )
        with pytest.raises(InvalidParameterError, match=match):
            writer.write(["a", "word " * 9], parse_decoder(decoder), WritingOptions(40))

    def test_an_empty_prompt_without_a_beginning(self, folder):
        writer = TransformersWriter(folder("qwen2"), device="cpu")
        match = "without a beginning-of-text token. Got an empty prompt at position 1"
        with pytest.raises(InvalidParameterError, match=match):
            writer.write(["a", ""], parse_decoder("greedy"), WritingOptions(4))

    def test_adversarial_without_a_target(self, folder):
        writer = TransformersWriter(folder("gpt2"), device="cpu")
        with pytest.raises(InvalidParameterError, match="use 'adversarial:perplexity=NUMBER'"):
            writer.write(["a"], parse_decoder("adversarial"), WritingOptions(4))

    def test_models_that_are_not_causal_or_not_there(self, folder, tiny):
        with pytest.raises(InvalidParameterError, match="must be a causal language model"):
            TransformersWriter(tiny("bert"), device="cpu")
        with pytest.raises(MauveError, match="Got 'no-such-model', which could not be loaded"):
            TransformersWriter("no-such-model", device="cpu")


def test_attention_that_rounds_otherwise_each_time_is_off_while_texts_are_written(folder):
    writer = TransformersWriter(folder("gpt2"), device="cpu")
    is_on = torch.backends.cuda.cudnn_sdp_enabled
    before = is_on()
    try:
        torch.backends.cuda.enable_cudnn_sdp(True)
        texts = writer.write(PROMPTS, parse_decoder("greedy"), WritingOptions(3))
        next(texts)
        assert not is_on()
        texts.close()  # as if the rest were not wanted
        assert is_on()
    finally:
        torch.backends.cuda.enable_cudnn_sdp(before)
