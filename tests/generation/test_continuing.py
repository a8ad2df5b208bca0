"""Continuations of a model in training: by its own generate, whatever the batch."""

import pytest
import torch
from small_language import END, tiny_model, word_tokenizer

from mauve.generation.continuing import continue_prompts, evaluation_mode
from mauve.generation.held_out import hold_out
from mauve.lm.decoding import parse_sampler
from mauve.lm.writing import WritingOptions

pytestmark = pytest.mark.usefixtures("one_thread")

PROMPTS = [[1], [2, 3, 4, 5], [6, 7], [8, 9, 10, 11, 12, 1, 2], [3]]


def texts(model, decoder, positions=(0, 1, 2, 3, 4), batch_size=5, max_tokens=12, endings=(0,)):
    with evaluation_mode(model):
        return continue_prompts(
            model, [PROMPTS[i] for i in positions], parse_sampler(decoder),
            max_tokens=max_tokens, endings=endings, seed=3, positions=positions,
            batch_size=batch_size,
        )  # fmt: skip


def one_by_one(model, prompt, n):
    """Return the most probable tokens, without a cache and without padding."""
    row, model = [*prompt], model.eval()
    for _ in range(n):
        with torch.no_grad():
            token = int(model(torch.tensor([row])).logits[0, -1].argmax())
        if token == 0:
            break
        row.append(token)
    return row[len(prompt) :]


def test_greedy_is_the_most_probable_token():
    model = tiny_model(4)
    wanted = [one_by_one(model, prompt, 12) for prompt in PROMPTS]
    assert texts(model, "greedy") == wanted


@pytest.mark.parametrize(
    "decoder",
    ["ancestral", "temperature:0.7", "top-k:3", "nucleus:0.8", "min-p:0.5", "typical:0.8"],
)
def test_a_text_does_not_depend_on_those_beside_it(decoder):
    model = tiny_model(4)
    whole = texts(model, decoder)
    assert texts(model, decoder, batch_size=2) == whole
    assert texts(model, decoder, positions=[3, 1]) == [whole[3], whole[1]]


def test_settings_of_the_model_are_neither_used_nor_changed():
    model = tiny_model(4)
    wanted = texts(model, "ancestral")
    config = model.generation_config
    config.repetition_penalty, config.temperature, config.max_length = 5.0, 0.01, 3
    assert texts(model, "ancestral") == wanted
    assert model.generation_config is config
    assert config.repetition_penalty == 5.0


def test_a_text_ends_before_its_ending():
    model = tiny_model(4)
    whole = texts(model, "ancestral", endings=[0])
    ending = whole[1][3]
    cut = texts(model, "ancestral", endings=[0, ending])
    assert cut == [row[: row.index(ending)] if ending in row else row for row in whole]


@pytest.mark.slow
def test_texts_are_those_of_a_writer(tmp_path):
    from mauve.lm.writers import get_writer

    model, tokenizer = tiny_model(4), word_tokenizer()
    model.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    human = ["a bird cat dog eats finds", "green house is little over the"]
    held_out = hold_out(human, None, model, tokenizer, prompt_tokens=2, max_tokens=20)
    with evaluation_mode(model):
        rows = continue_prompts(
            model, held_out.rows, parse_sampler("nucleus:0.9"), max_tokens=20,
            endings=held_out.endings, seed=3, positions=[0, 1], batch_size=2,
        )  # fmt: skip
    writer = get_writer(str(tmp_path), device="cpu")
    written = dict(
        writer.write(held_out.prompts, parse_sampler("nucleus:0.9"), WritingOptions(20, seed=3))
    )
    assert [held_out.text(i, row) for i, row in enumerate(rows)] == [
        written[i].text for i in range(2)
    ]
    assert END not in written[0].text
