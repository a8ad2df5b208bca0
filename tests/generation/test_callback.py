"""The score in training: logged, right, and without a trace in the training."""

import math
import random

import numpy as np
import pytest
import torch
from small_language import (
    logged,
    texts,
    tiny_model,
    trainer,
    word_pairs,
    word_tokenizer,
)
from transformers import EarlyStoppingCallback, TrainerCallback

import mauve
from mauve.generation.callback import MauveCallback

pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]

NAMES = {"eval_mauve", "eval_mauve_low", "eval_mauve_high", "eval_mauve_p_value"}


def callback(**options):
    options = {
        "prompt_tokens": 4, "max_tokens": 20, "decoder": "ancestral", "embedder": word_pairs,
        "n_permutations": 50, "batch_size": 64,
    } | options  # fmt: skip
    return MauveCallback(texts(2), **options)


@pytest.mark.parametrize("when", [{"every_steps": 3}, {}])
def test_training_is_the_same_as_without(tmp_path, when):
    settings = {} if when else {"eval_strategy": "steps", "eval_steps": 3}
    alone = trainer(tmp_path / "alone", **settings)
    alone.train()
    scored = trainer(tmp_path / "scored", [callback(**when)], **settings)
    scored.train()
    assert len(logged(alone, "loss")) == 12
    for name in ("loss", "grad_norm", "eval_loss"):
        assert logged(scored, name) == logged(alone, name)
    assert len(logged(scored, "eval_mauve")) == 4
    for one, other in zip(
        alone.model.state_dict().values(), scored.model.state_dict().values(), strict=True
    ):
        assert torch.equal(one, other)


def test_states_are_put_back(tmp_path):
    class Look(TrainerCallback):
        def states(self, model, processing_class):
            return (
                random.getstate(), torch.get_rng_state().tolist(),
                np.random.get_state()[1].tolist(),  # noqa: NPY002
                [part.training for part in model.modules()], torch.is_grad_enabled(),
                model.config.use_cache, processing_class.padding_side, model.generation_config,
            )  # fmt: skip

    class Before(Look):
        def on_step_end(self, args, state, control, model, processing_class, **kwargs):
            # The callback moves itself to the front: this is after it, so keep those of the start.
            self.after = self.states(model, processing_class)

        def on_pre_optimizer_step(self, args, state, control, model, processing_class, **kwargs):
            self.before = self.states(model, processing_class)

    look = Before()
    model = tiny_model()
    model.transformer.drop.eval()  # as where a part of a model is frozen
    made = trainer(tmp_path, [callback(every_steps=1), look], model=model, max_steps=1)
    made.train()
    assert look.before == look.after
    assert len(logged(made, "eval_mauve")) == 1


def test_score_rises_as_the_model_learns(tmp_path):
    # An untrained model writes words at random, and one that has learnt which two may follow
    # writes the language itself. With six seeds of model, texts and data the scores were 0.006
    # to 0.009 before the first step and 0.64 to 0.85 after the last, far from these bounds.
    scored = callback(every_steps=40)
    made = trainer(tmp_path, [scored], max_steps=80, eval_on_start=True)
    made.train()
    scores = logged(made, "eval_mauve")
    assert len(scores) == 3
    assert scores[0] < 0.1
    assert scores[-1] > 0.4
    assert scored.result.mauve == scores[-1]
    assert len(scored.texts) == 200
    entries = [entry for entry in made.state.log_history if "eval_mauve" in entry]
    for entry in entries:
        assert entry.keys() >= NAMES
        assert all(math.isfinite(entry[name]) for name in NAMES)
        assert 0 <= entry["eval_mauve_low"] <= entry["eval_mauve"] <= entry["eval_mauve_high"] <= 1


@pytest.mark.filterwarnings("ignore:.*length:mauve.MauveWarning")
def test_score_is_that_of_compare(tmp_path):
    scored = callback(every_steps=12)
    made = trainer(tmp_path, [scored])
    made.train()
    assert scored.human == [" " + " ".join(text.split()[4:]) for text in texts(2)]
    assert scored.prompts == [" ".join(text.split()[:4]) for text in texts(2)]
    compared = mauve.compare(
        scored.human, scored.texts, embedder=word_pairs, empty="keep", prompts=scored.prompts,
        n_permutations=50, cache=False,
    )  # fmt: skip
    assert scored.result == compared["model"]
    assert logged(made, "eval_mauve") == [compared["model"].mauve]
    assert logged(made, "eval_mauve_p_value") == [compared["model"].p_value]


def test_best_checkpoint_by_mauve(tmp_path):
    made = trainer(
        tmp_path, [callback()], max_steps=40, eval_strategy="steps", eval_steps=10,
        save_strategy="steps", save_steps=10, load_best_model_at_end=True,
        metric_for_best_model="eval_mauve", greater_is_better=True,
    )  # fmt: skip
    made.train()
    scores = logged(made, "eval_mauve")
    assert made.state.best_metric == max(scores)
    assert made.state.best_global_step == 10 * (1 + scores.index(max(scores)))


def test_early_stopping_by_mauve(tmp_path):
    # A model that does not learn scores the same every time, and stopping comes before the
    # callback in the list.
    callbacks = [EarlyStoppingCallback(early_stopping_patience=2), callback()]
    made = trainer(
        tmp_path, callbacks, max_steps=40, eval_strategy="steps", eval_steps=2,
        save_strategy="steps", save_steps=2, learning_rate=0.0, load_best_model_at_end=True,
        metric_for_best_model="eval_mauve", greater_is_better=True, save_total_limit=1,
    )  # fmt: skip
    made.train()
    assert made.state.global_step == 6
    assert len(set(logged(made, "eval_mauve"))) == 1


def test_evaluations_between_scores_have_none(tmp_path):
    made = trainer(tmp_path, [callback(every_steps=6)], eval_strategy="steps", eval_steps=4)
    made.train()
    at = [entry["step"] for entry in made.state.log_history if "eval_mauve" in entry]
    assert at == [6, 12]
    assert "eval_mauve" in made.evaluate()  # of step 12, which is scored
    assert "test_mauve" in made.evaluate(metric_key_prefix="test")


def test_added_to_a_trainer_that_is_there(tmp_path):
    made = trainer(tmp_path)
    made.add_callback(callback(every_steps=12))
    made.train()
    assert len(logged(made, "eval_mauve")) == 1


def test_given_prompts_and_other_end(tmp_path):
    rows = [text.split() for text in texts(2)]
    scored = MauveCallback(
        [" ".join(row[4:]) for row in rows], prompts=[" ".join(row[:4]) for row in rows],
        max_tokens=20, decoder="ancestral", embedder=word_pairs, n_permutations=0, every_steps=12,
    )  # fmt: skip
    made, cut = trainer(tmp_path, [scored]), callback(every_steps=12)
    made.train()
    other = trainer(tmp_path, [cut])
    other.train()
    assert scored.texts == cut.texts
    assert "eval_mauve_p_value" not in made.state.log_history[-2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"every_steps": None},
            "'every_steps' .*must be given where the Trainer does not evaluate",
        ),
        ({"max_tokens": 61}, "max_tokens=60"),
        ({"prompt_tokens": 30}, "more than prompt_tokens=30 tokens, which are cut. Got 200 of 200"),
        ({"prompts": ["a"]}, "one prompt for each human text. Got 1 for 200"),
    ],
)
def test_bad_use_is_refused_before_the_first_step(tmp_path, options, message):
    made = trainer(tmp_path, [callback(**{"every_steps": 3} | options)])
    with pytest.raises(mauve.InvalidParameterError, match=message):
        made.train()
    assert made.state.global_step == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"every_steps": 0}, "'every_steps' .*must be an int of at least 1"),
        ({"decoder": "nuclear"}, "must be a decoder"),
        ({"seed": -1}, "'seed' .*must be an int of at least 0"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(mauve.InvalidParameterError, match=message):
        callback(**options)


def test_bad_human_texts():
    with pytest.raises(mauve.InvalidParameterError, match="at least 10 texts"):
        MauveCallback(["a text"] * 9)
    with pytest.raises(mauve.InvalidParameterError, match="must be texts"):
        MauveCallback(np.eye(20))


def test_outside_of_a_trainer():
    with pytest.raises(mauve.InvalidParameterError, match="callbacks of a Trainer"):
        callback(every_steps=1).on_train_begin(None, None, None)


def test_tokenizer_without_an_end(tmp_path):
    tokenizer = word_tokenizer()
    tokenizer.eos_token = tokenizer.bos_token = None
    model = tiny_model()
    model.generation_config.eos_token_id = model.config.eos_token_id = None
    made = trainer(tmp_path, [callback(every_steps=1)], model=model, tokenizer=tokenizer)
    with pytest.raises(mauve.InvalidParameterError, match="must have an end-of-text token"):
        made.train()
