"""The examples of docs/training.md run."""

import json
import sys
from pathlib import Path

import pytest
import torch
from small_language import blocks, texts, tiny_model, word_tokenizer

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests are no package

import pages

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.slow
def test_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, rows in {"stories": texts(0, 800), "held_out": texts(1, 200)}.items():
        Path(f"{name}.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in rows))
    tokenizer = word_tokenizer()
    tokenizer.pad_token = tokenizer.eos_token  # for the collator of a Trainer
    for name in ("gpt2", "gpt2-medium"):
        tiny_model().save_pretrained(name)
        tokenizer.save_pretrained(name)
    names = {
        "model": tiny_model(), "train": blocks(texts(0, 40)), "validation": blocks(texts(1, 9)),
        "tokenizer": tokenizer,
    }  # fmt: skip
    page = pages.PAGES["docs/training.md"]
    examples = [block.text for block in pages.blocks(page) if block.language == "python"]
    assert len(examples) == 3
    # What the tiny model can read, in a training of some steps without trackers.
    smaller = {
        '"gpt2-stories"': '"gpt2-stories", block_size=64, batch=8',
        "prompt_tokens=35, max_tokens=256": "prompt_tokens=4, max_tokens=20",
        'eval_strategy="steps", eval_steps=500': 'eval_strategy="steps", eval_steps=2, '
        'max_steps=2, report_to="none", disable_tqdm=True, use_cpu=True, '
        "dataloader_pin_memory=False",
        "eval_steps=500": "eval_steps=20",
    }
    for i, example in enumerate(examples):
        for old, new in smaller.items():
            example = example.replace(old, new)
        example = example.replace("gpt2-stories", f"gpt2-stories-{i}")
        own = {**names}
        exec(example, own)
        names["score"] = own.get("score")
        names["mauve"] = own["mauve"]
    before, after = map(float, capsys.readouterr().out.splitlines()[0].split())
    assert after < before
    assert names["score"] is None or torch.tensor(names["score"].result.mauve).isfinite()
