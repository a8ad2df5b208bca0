"""A language of twelve words that a tiny model learns in seconds, and a Trainer for it."""

import itertools
import random

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    PrinterCallback,
    Trainer,
    TrainingArguments,
    default_data_collator,
    set_seed,
)

WORDS = [
    "a", "bird", "cat", "dog", "eats", "finds", "green", "house", "is", "little", "over", "the",
]  # fmt: skip
END = "<end>"


def texts(seed, n=200, length=24):
    """Return texts in which each word is followed by one of two words."""
    rng = random.Random(seed)
    rows = []
    for _ in range(n):
        row = [rng.randrange(len(WORDS))]
        while len(row) < length:
            row.append((row[-1] * 5 + rng.choice([1, 4])) % len(WORDS))
        rows.append(" ".join(WORDS[i] for i in row))
    return rows


def word_tokenizer():
    """Return a tokenizer with one token for each word."""
    vocabulary = {word: i for i, word in enumerate([END, *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=END))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=END, eos_token=END, model_max_length=64
    )


def tiny_model(seed=0, dropout=0.1):
    """Return a GPT-2 of one layer with random weights."""
    set_seed(seed)
    config = GPT2Config(
        n_layer=1, n_embd=32, n_head=2, n_positions=64, vocab_size=len(WORDS) + 1,
        bos_token_id=0, eos_token_id=0, resid_pdrop=dropout, embd_pdrop=dropout,
    )  # fmt: skip
    return GPT2LMHeadModel(config)


def blocks(rows, size=32):
    """Return texts in blocks of tokens, as a Trainer takes them."""
    tokenizer = word_tokenizer()
    ids = [token for row in rows for token in [*tokenizer(row)["input_ids"], 0]]
    parts = [torch.tensor(ids[i : i + size]) for i in range(0, len(ids) - size, size)]
    return [{"input_ids": part, "labels": part} for part in parts]


def word_pairs(rows):
    """Return how often each word follows each other: features of texts."""
    number = {word: i for i, word in enumerate(WORDS)}
    counts = torch.zeros(len(rows), len(WORDS) + 1, len(WORDS) + 1)
    for row, text in enumerate(rows):
        numbers = [number.get(word, len(WORDS)) for word in text.split()]
        for first, second in itertools.pairwise(numbers):
            counts[row, first, second] += 1
    return counts.flatten(1).numpy() + 1e-3


def trainer(folder, callbacks=(), *, model=None, tokenizer=None, **settings):
    """Return a Trainer of the tiny model on the language, on the CPU."""
    settings = {
        "max_steps": 12, "per_device_train_batch_size": 8, "learning_rate": 1e-2,
        "logging_steps": 1, "save_strategy": "no", "lr_scheduler_type": "constant",
    } | settings  # fmt: skip
    arguments = TrainingArguments(
        str(folder), use_cpu=True, report_to="none", disable_tqdm=True, log_level="error",
        dataloader_pin_memory=False, **settings,
    )  # fmt: skip
    made = Trainer(
        tiny_model() if model is None else model,
        arguments,
        train_dataset=blocks(texts(0, 300)),
        eval_dataset=blocks(texts(1, 20)),
        processing_class=word_tokenizer() if tokenizer is None else tokenizer,
        data_collator=default_data_collator,
        callbacks=list(callbacks),
    )
    made.remove_callback(PrinterCallback)
    return made


def logged(trainer, name):
    """Return the values of one name in the log."""
    return [entry[name] for entry in trainer.state.log_history if name in entry]
