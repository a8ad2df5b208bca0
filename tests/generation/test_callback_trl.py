"""The score in a training by TRL, whose trainers log averages of their own."""

import pytest
from small_language import logged, texts, tiny_model, word_pairs, word_tokenizer
from transformers import PrinterCallback

from mauve.generation.callback import MauveCallback

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of TRL about itself
]


def test_training_is_the_same_as_without(tmp_path):
    from datasets import Dataset
    from trl import SFTConfig, SFTTrainer

    def train(*callbacks):
        tokenizer = word_tokenizer()
        tokenizer.pad_token = tokenizer.eos_token
        settings = SFTConfig(
            str(tmp_path), max_steps=6, per_device_train_batch_size=8, learning_rate=1e-2,
            logging_steps=2, eval_strategy="steps", eval_steps=3, save_strategy="no",
            max_length=32, use_cpu=True, bf16=False, report_to="none", disable_tqdm=True,
        )  # fmt: skip
        trainer = SFTTrainer(
            tiny_model(), settings, train_dataset=Dataset.from_dict({"text": texts(0, 80)}),
            eval_dataset=Dataset.from_dict({"text": texts(1, 16)}), processing_class=tokenizer,
            callbacks=[*callbacks],
        )  # fmt: skip
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        return trainer

    alone = train()
    scored = train(
        MauveCallback(
            texts(2), prompt_tokens=4, max_tokens=20, embedder=word_pairs, n_permutations=0,
            every_steps=2,
        )
    )  # fmt: skip
    assert len(logged(scored, "eval_mauve")) == 3
    # A log in training mode would take the averages that belong beside the loss.
    for name in ("loss", "entropy", "mean_token_accuracy", "eval_loss", "eval_entropy"):
        assert logged(alone, name)
        assert logged(scored, name) == logged(alone, name)
