"""Fine-tuning: resumed training gives the same model, folders are whole, bad input is refused."""

import json
import shutil

import pytest
import torch
from small_language import END, WORDS, texts, tiny_model, word_tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback

import mauve
from mauve.errors import OutputError
from mauve.generation.finetune import finetune

pytestmark = pytest.mark.usefixtures("one_thread")

SETTINGS = {
    "batch": 8, "block_size": 32, "learning_rate": 1e-2, "epochs": 0.6, "save_steps": 4,
    "validation": 0.1, "device": "cpu",
}  # fmt: skip


class Stop(TrainerCallback):
    """Ends a training as Ctrl-C does."""

    def __init__(self, step):
        self.step = step

    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == self.step:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def small_folder(tmp_path_factory):
    """Return a folder with the tiny model, with dropout, and its tokenizer."""
    folder = tmp_path_factory.mktemp("small")
    tiny_model().save_pretrained(folder)
    word_tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def trained(small_folder, tmp_path_factory):
    """Return a training that was not interrupted."""
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("trained") / "model"
    return finetune(small_folder, texts(0), out, **SETTINGS)


def weights(folder):
    return (folder / "model.safetensors").read_bytes()


@pytest.mark.slow
def test_result_and_folder(trained, small_folder):
    # 180 texts of 24 words, each with an end: 4,500 tokens are 140 blocks of 32 and 20 more.
    assert (trained.n_texts, trained.n_validation_texts) == (180, 20)
    assert (trained.n_blocks, trained.n_tail) == (140, 20)
    assert (trained.n_steps, trained.batch) == (11, 8)  # 0.6 of 18 steps, rounded up
    assert trained.perplexity < trained.perplexity_before
    model = AutoModelForCausalLM.from_pretrained(trained.folder)
    tokenizer = AutoTokenizer.from_pretrained(trained.folder)
    ids = tokenizer(" ".join(WORDS), return_tensors="pt")["input_ids"]
    assert model(ids).logits.shape == (1, len(WORDS), len(WORDS) + 1)
    assert tokenizer.eos_token == END
    assert not (trained.folder / "checkpoints").exists()
    assert weights(trained.folder) != weights(small_folder)


@pytest.mark.slow
def test_perplexity_is_that_of_the_model(trained):
    # 20 texts that are held out are 500 tokens, of which 15 whole blocks are read.
    assert json.loads((trained.folder / "finetune.json").read_text())["result"]["loss"] > 0
    model = AutoModelForCausalLM.from_pretrained(trained.folder)
    uniform = len(WORDS) + 1
    assert trained.perplexity_before == pytest.approx(uniform, rel=0.3)  # random weights
    assert 2 < trained.perplexity < uniform  # two words may follow each
    assert model.dtype == torch.float32


@pytest.mark.slow
@pytest.mark.parametrize("step", [3, 4, 9])
def test_interrupted_training_gives_the_same_model(trained, small_folder, tmp_path, step):
    out = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        finetune(small_folder, texts(0), out, callbacks=[Stop(step)], **SETTINGS)
    with pytest.raises(ValueError, match="Unrecognized model"):
        AutoModelForCausalLM.from_pretrained(out)
    resumed = finetune(small_folder, texts(0), out, **SETTINGS)
    assert weights(out) == weights(trained.folder)
    assert resumed.to_dict() == trained.to_dict() | {"folder": str(out)}


@pytest.mark.slow
def test_a_checkpoint_that_is_not_whole_is_not_resumed(trained, small_folder, tmp_path):
    out = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        finetune(small_folder, texts(0), out, callbacks=[Stop(9)], **SETTINGS)
    last = out / "checkpoints" / "checkpoint-8"
    (last / "trainer_state.json").write_text('{"global_')  # as where a process was killed
    finetune(small_folder, texts(0), out, **SETTINGS)
    assert weights(out) == weights(trained.folder)


@pytest.mark.slow
def test_trained_but_not_saved(trained, small_folder, tmp_path):
    class StopAtEnd(TrainerCallback):
        def on_train_end(self, args, state, control, **kwargs):
            raise KeyboardInterrupt

    out = tmp_path / "model"
    with pytest.raises(KeyboardInterrupt):
        finetune(small_folder, texts(0), out, callbacks=[StopAtEnd()], **SETTINGS)
    finetune(small_folder, texts(0), out, **SETTINGS)
    assert weights(out) == weights(trained.folder)


@pytest.mark.slow
def test_finished_training_is_not_repeated(trained, small_folder):
    again = finetune(small_folder, texts(0), trained.folder, callbacks=[Stop(1)], **SETTINGS)
    assert again.was_finished
    assert again.perplexity == trained.perplexity


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "change", "message"),
    [
        (texts(0), {"learning_rate": 1e-3}, r"learning_rate is 0\.01 and not 0\.001"),
        (texts(0), {"seed": 1, "batch": 4}, "batch is 8 and not 4, seed is 0 and not 1"),
        (texts(1), {}, "texts is '.*' and not"),
    ],
)
def test_other_settings_are_refused(trained, small_folder, rows, change, message):
    before = weights(trained.folder)
    with pytest.raises(mauve.InvalidParameterError, match=message):
        finetune(small_folder, rows, trained.folder, **SETTINGS | change)
    assert weights(trained.folder) == before


@pytest.mark.slow
def test_parts_of_a_batch_make_the_same_steps(trained, small_folder, tmp_path):
    # Without dropout the sum of the parts' gradients is that of the whole batch.
    plain = tmp_path / "plain"
    tiny_model(dropout=0.0).save_pretrained(plain)
    word_tokenizer().save_pretrained(plain)
    losses = [
        finetune(plain, texts(0), tmp_path / str(n), batch_size=n, **SETTINGS).perplexity
        for n in (8, 2)
    ]
    assert losses[1] == pytest.approx(losses[0], rel=1e-2)  # Adam turns roundings into steps


@pytest.mark.slow
def test_from_scratch(tmp_path, small_folder):
    options = SETTINGS | {"epochs": 0.1, "from_scratch": True}
    done = finetune("1x32", texts(0, 30), tmp_path / "preset", **options)
    model = AutoModelForCausalLM.from_pretrained(done.folder)
    assert (model.config.n_layer, model.config.n_embd, model.config.vocab_size) == (1, 32, 8192)
    finetune(small_folder, texts(0, 30), tmp_path / "folder", **options)
    made = AutoModelForCausalLM.from_pretrained(tmp_path / "folder")
    assert made.config.vocab_size == len(WORDS) + 1
    assert weights(tmp_path / "folder") != weights(small_folder)
    finetune(small_folder, texts(0, 30), tmp_path / "seed", **options, seed=1)
    assert weights(tmp_path / "folder") != weights(tmp_path / "seed")
    settings = tmp_path / "config.json"
    shutil.copy(small_folder / "config.json", settings)
    finetune(settings, texts(0, 30), tmp_path / "json", tokenizer=small_folder, **options)
    assert weights(tmp_path / "json") == weights(tmp_path / "folder")


@pytest.mark.slow
def test_texts_of_a_task_have_their_prompts(small_folder, tmp_path):
    rows = [{"prompt": "a bird ", "text": text} for text in texts(0, 30)]
    done = finetune(
        small_folder, rows, tmp_path / "out", task="text", **SETTINGS | {"validation": 0}
    )
    assert done.n_blocks * 32 + done.n_tail == 30 * (2 + 24 + 1)
    assert (done.perplexity, done.n_validation_texts) == (None, 0)


@pytest.mark.slow
def test_callback_in_fine_tuning(small_folder, tmp_path):
    from small_language import word_pairs

    callback = mauve.MauveCallback(
        texts(2), prompt_tokens=4, max_tokens=20, embedder=word_pairs, n_permutations=0
    )
    finetune(
        small_folder, texts(0), tmp_path / "out", eval_steps=6, callbacks=[callback], **SETTINGS
    )
    assert 0 < callback.result.mauve < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"block_size": 1000}, "block_size=64"),
        ({"batch_size": 3}, "use 1, 2, 4, 8"),
        ({"batch": 0}, "'batch' .*at least 1"),
        ({"epochs": 0}, "'epochs' .*above 0"),
        ({"validation": 1}, "'validation' .*between 0 and 1"),
        ({"learning_rate": float("nan")}, "'learning_rate'"),
        ({"device": "cuda"}, "'device' .*one of 'auto', 'cpu'"),
        ({"dtype": "bfloat16"}, "'dtype' .*on this machine"),
        ({"validation": 0, "eval_steps": 2}, "'validation' .*above 0"),
    ],
)
def test_bad_parameters(small_folder, tmp_path, change, message):
    if change.get("dtype") and torch.cuda.is_available():
        change = {"dtype": "float16"}
        message = "'dtype'"
    with pytest.raises(mauve.InvalidParameterError, match=message):
        finetune(small_folder, texts(0), tmp_path / "out", **SETTINGS | change)
    assert not (tmp_path / "out" / "config.json").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no texts"),
        ("a bird\n", "at least one block of 32 tokens to train on. Got 3 tokens .*block_size=3"),
    ],
)
def test_bad_texts(small_folder, tmp_path, content, message):
    path = tmp_path / "texts.txt"
    path.write_text(content)
    with pytest.raises(mauve.InvalidParameterError, match=message):
        finetune(small_folder, path, tmp_path / "out", **SETTINGS | {"validation": 0})


def test_one_text_cannot_be_held_out(small_folder, tmp_path):
    with pytest.raises(mauve.InvalidParameterError, match="validation=0"):
        finetune(small_folder, texts(0, 1), tmp_path / "out", **SETTINGS)


@pytest.mark.parametrize(
    ("model", "from_scratch", "message"),
    [
        ("./no-such-model", False, "'./no-such-model', which could not be loaded"),
        ("2x33", True, "multiple of 32"),
        ("./no-such.json", True, "preset such as '2x128'"),
    ],
)
def test_bad_models(tmp_path, model, from_scratch, message):
    with pytest.raises(mauve.InvalidParameterError, match=message):
        finetune(model, texts(0), tmp_path / "out", from_scratch=from_scratch, **SETTINGS)


class Start(TrainerCallback):
    """Starts the same training again in the middle of one."""

    def __init__(self, start):
        self.start = start

    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step == 2:
            with pytest.raises(OutputError, match="model' is being trained in by another process"):
                self.start()


def test_two_at_once_do_not_write_one_folder(trained, small_folder, tmp_path):
    def train(*callbacks):
        out = tmp_path / "model"
        return finetune(small_folder, texts(0), out, callbacks=callbacks, **SETTINGS)

    assert weights(train(Start(train)).folder) == weights(trained.folder)


def test_folder_of_something_else(small_folder, tmp_path):
    with pytest.raises(mauve.InvalidParameterError, match="which holds other files"):
        finetune(small_folder, texts(0), small_folder, **SETTINGS)
    (tmp_path / "file").write_text("")
    with pytest.raises(mauve.InvalidParameterError, match="which is a file"):
        finetune(small_folder, texts(0), tmp_path / "file", **SETTINGS)
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "finetune.json").write_text("{")
    with pytest.raises(mauve.InvalidParameterError, match="is damaged"):
        finetune(small_folder, texts(0), tmp_path / "damaged", **SETTINGS)


@pytest.mark.slow
def test_random_states_are_kept(small_folder, tmp_path):
    torch.manual_seed(5)
    wanted = torch.rand(3)
    torch.manual_seed(5)
    finetune(small_folder, texts(0, 30), tmp_path / "out", **SETTINGS | {"epochs": 0.1})
    assert torch.equal(torch.rand(3), wanted)
