"""Log-probabilities are those of the same model called directly, one token at a time."""

import numpy as np
import pytest
import torch
import transformers
from numpy.testing import assert_allclose
from tiny_models import CONTEXT, TEXTS, gpt2_tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

from mauve.errors import InvalidParameterError
from mauve.lm.causal import TransformersScorer
from mauve.measures.perplexity import corpus_perplexity

PROMPTS = [f"{i} people said " * (i % 3) for i in range(len(TEXTS))]


def direct(folder, texts, prompts=None, stride=CONTEXT // 2, dtype=torch.float64):
    """Score every token with a separate call, given the tokens of its window before it."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).eval()
    begin = [] if tokenizer.bos_token_id is None else [tokenizer.bos_token_id]
    expected = []
    for text, prompt in zip(texts, prompts or [""] * len(texts), strict=True):
        before = begin + tokenizer(prompt, add_special_tokens=False)["input_ids"]
        ids = before + tokenizer(text, add_special_tokens=False)["input_ids"]
        scores = []
        end = min(len(ids), max(CONTEXT, max(1, len(before)) + stride))
        for position in range(max(1, len(before)), len(ids)):
            if position == end:
                end = min(len(ids), end + stride)
            window = ids[max(0, end - CONTEXT) : position]
            with torch.no_grad():
                logits = model(torch.tensor([window])).logits[0, -1]
            scores.append(float(logits.log_softmax(0)[ids[position]]))
        expected.append(np.array(scores))
    return expected


def scorer(folder, **options):
    return TransformersScorer(folder, device="cpu", **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "prompts"),
    [("gpt2", None), ("gpt2", PROMPTS), ("llama", None), ("qwen2", PROMPTS), ("qwen3", None)],
)
def test_tokens_one_by_one(tiny, kind, prompts):
    """Some texts are several times as long as the context."""
    expected = direct(tiny(kind), TEXTS, prompts)
    for dtype, tolerance in {"float64": 1e-10, "float32": 1e-4}.items():
        scores = scorer(tiny(kind), dtype=dtype).log_probabilities(TEXTS, prompts=prompts)
        assert max(len(text) for text in scores) > 3 * CONTEXT
        for actual, reference in zip(scores, expected, strict=True):
            assert_allclose(actual, reference, atol=tolerance)
        assert corpus_perplexity(scores) == pytest.approx(corpus_perplexity(expected), rel=1e-4)


def test_loss_of_transformers(tiny):
    """What users compute today: the loss of a text that fits the context."""
    tokenizer = AutoTokenizer.from_pretrained(tiny("llama"))
    model = AutoModelForCausalLM.from_pretrained(tiny("llama")).eval()
    ids = tokenizer("The cat sat on the mat.", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        loss = float(model(input_ids=ids, labels=ids).loss)
    scores = scorer(tiny("llama")).log_probabilities(["The cat sat on the mat."])
    assert corpus_perplexity(scores) == pytest.approx(np.exp(loss), rel=1e-4)


@pytest.mark.parametrize("budget", [1, 100])
def test_batches_do_not_change_scores(tiny, budget):
    expected = scorer(tiny("gpt2")).log_probabilities(TEXTS)
    scores = scorer(tiny("gpt2"), token_budget=budget).log_probabilities(TEXTS)
    assert_allclose(np.concatenate(scores), np.concatenate(expected), atol=1e-4)


def test_logits_by_small_parts_are_the_same(tiny):
    expected = scorer(tiny("gpt2")).log_probabilities(TEXTS)
    budget = 7 * len(gpt2_tokenizer())  # the logits of seven positions
    scores = scorer(tiny("gpt2"), logit_budget=budget).log_probabilities(TEXTS)
    assert_allclose(np.concatenate(scores), np.concatenate(expected), atol=1e-4)


def test_progress_ends_at_its_total(tiny):
    steps = []
    scorer(tiny("gpt2")).log_probabilities(TEXTS, lambda *step: steps.append(step))
    what, n_done, total = steps[-1]
    assert (what, n_done) == ("scoring", total)


def test_several_devices_share_the_work(tiny):
    expected = scorer(tiny("gpt2")).log_probabilities(TEXTS * 3)
    shared = TransformersScorer(tiny("gpt2"), device="cpu,cpu", token_budget=100)
    scores = shared.log_probabilities(TEXTS * 3)
    assert_allclose(np.concatenate(scores), np.concatenate(expected), atol=1e-4)


def test_first_token_without_a_beginning_of_text_is_not_scored(tiny):
    tokenizer = AutoTokenizer.from_pretrained(tiny("qwen2"))
    n = len(tokenizer("a long one")["input_ids"])
    after, alone, single, empty = scorer(tiny("qwen2")).log_probabilities(
        ["a long one", "a long one", "a", ""], prompts=["after", "", "", ""]
    )
    assert (len(after), len(alone), len(single), len(empty)) == (n, n - 1, 0, 0)
    assert [*map(len, scorer(tiny("qwen2")).log_probabilities(["a", ""]))] == [0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("option", ["logit_scale", "final_logit_softcapping", "logits_scaling"])
def test_models_that_change_logits_behind_the_head(tmp_path, option):
    config, kind, changed = {
        "logit_scale": (transformers.CohereConfig, transformers.CohereForCausalLM, 0.1),
        "final_logit_softcapping": (transformers.Gemma2Config, transformers.Gemma2ForCausalLM, 2.0),
        "logits_scaling": (transformers.GraniteConfig, transformers.GraniteForCausalLM, 5.0),
    }[option]
    tokenizer = gpt2_tokenizer()
    torch.manual_seed(0)
    shape = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "intermediate_size": 48,
        "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
        "initializer_range": 0.2, "max_position_embeddings": CONTEXT,
        "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": 0,
    }  # fmt: skip
    model = kind(config(**shape, **{option: changed}))
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    texts = TEXTS[:4]
    scores = scorer(tmp_path).log_probabilities(texts)
    for actual, reference in zip(scores, direct(tmp_path, texts), strict=True):
        assert_allclose(actual, reference, atol=1e-4)


def test_sixteen_bits_are_about_the_same(tiny):
    """Softmax of float32 logits in either case."""
    wide = corpus_perplexity(scorer(tiny("gpt2")).log_probabilities(TEXTS))
    half = corpus_perplexity(scorer(tiny("gpt2"), dtype="bfloat16").log_probabilities(TEXTS))
    assert half == pytest.approx(wide, rel=0.05)


def test_max_length_is_the_window_not_a_cut(tiny):
    whole = scorer(tiny("gpt2")).log_probabilities(TEXTS)
    short = scorer(tiny("gpt2"), max_length=8, stride=2).log_probabilities(TEXTS)
    assert [len(text) for text in whole] == [len(text) for text in short]


def test_signature(tiny):
    signature = scorer(tiny("gpt2"), max_length=20, stride=5).signature
    assert signature.startswith(f"{tiny('gpt2').name}@")
    assert signature.endswith(":20:5:float32")


def test_models_that_are_not_causal(tiny):
    rule = r"'model' parameter of TransformersScorer must be a causal language model"
    with pytest.raises(InvalidParameterError, match=rule + r".* of the kind 'bert'\."):
        scorer(tiny("bert"))


def test_models_that_are_not_there(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"'model' .* the name of a model"):
        scorer(tmp_path / "nothing")


def test_models_without_a_head(tiny):
    with pytest.raises(InvalidParameterError, match=r"'lm_head.weight' among them"):
        scorer(tiny("llama", with_head=False)).log_probabilities(["a"])


def test_lengths_and_devices_that_are_not_there(tiny):
    with pytest.raises(InvalidParameterError, match=rf"'max_length' .* \[2, {CONTEXT}\]. Got 4000"):
        scorer(tiny("gpt2"), max_length=4000)
    with pytest.raises(InvalidParameterError, match=r"'device' .* of TransformersScorer"):
        TransformersScorer(tiny("gpt2"), device="cuda:99")


def test_a_number_type_that_is_too_narrow(tiny, tmp_path):
    model = AutoModelForCausalLM.from_pretrained(tiny("gpt2"))
    with torch.no_grad():
        model.transformer.ln_f.weight *= 1e5  # float16 ends at 65,504
    model.save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(tiny("gpt2")).save_pretrained(tmp_path)
    (scores,) = scorer(tmp_path, dtype="float32").log_probabilities(["a cat"])
    assert np.isfinite(scores).all()
    with pytest.raises(
        InvalidParameterError, match=r"'dtype' .* wide enough .* Got float16, .*32'"
    ):
        scorer(tmp_path, dtype="float16").log_probabilities(["a cat"])


@pytest.mark.parametrize("name", ["token_budget", "logit_budget"])
def test_budgets_that_hold_nothing(tiny, name):
    with pytest.raises(InvalidParameterError, match=rf"'{name}' .* at least 1. Got 0"):
        scorer(tiny("gpt2"), **{name: 0})
