"""Generate: what is written, continued and refused."""

import json

import pytest
from writers import WordWriter

import mauve
from mauve.errors import InvalidParameterError, MauveError, OutputError
from mauve.generation.files import SampleFile, read_sample
from mauve.generation.tasks import Example
from mauve.generation.writing_run import missing_parts

PROMPTS = [f"Number {i}" for i in range(200)]


def generate(folder, writer=None, prompts=PROMPTS, decoders="ancestral", **options):
    options = {"max_tokens": 6, "progress": False} | options
    return mauve.generate(writer or WordWriter(), prompts, decoders, folder=folder, **options)


def test_every_decoder_and_seed_has_a_file(tmp_path):
    generated = generate(tmp_path, decoders="greedy,nucleus:0.9", seeds=[3, 4], min_tokens=2)
    assert [(s.decoder, s.seed) for s in generated] == [
        ("greedy", 0), ("nucleus:p=0.9", 3), ("nucleus:p=0.9", 4),
    ]  # fmt: skip
    assert len({tuple(sample.texts()) for sample in generated}) == 3
    for sample in generated:
        assert sample.path.is_relative_to(tmp_path / "samples" / "words")
        texts = read_sample(sample.path)
        assert [text.prompt for text in texts] == PROMPTS
        assert (sample.n_texts, sample.n_new) == (200, 200)
        assert sample.n_tokens == sum(text.n_tokens for text in texts) == sample.n_new_tokens
        assert sample.n_ended == sum(text.ended for text in texts) > 0
        assert min(text.n_tokens for text in texts) >= 2
        line = json.loads(sample.path.read_text().splitlines()[0])
        assert (line["model"], line["decoder"], line["seed"]) == (
            "words", sample.decoder, sample.seed,
        )  # fmt: skip
        sidecar = json.loads(sample.path.with_suffix(".json").read_bytes())["settings"]
        assert sidecar == {
            "model": "words@1", "decoder": sample.decoder, "seed": sample.seed, "max_tokens": 6,
            "min_tokens": 2,
        }  # fmt: skip
    assert generated.n_new == 600
    assert generated.table().splitlines()[1].split()[:5] == ["words", "greedy", "0", "200", "200"]
    assert json.loads(json.dumps(generated.to_dict()))["samples"][0]["n_texts"] == 200


def test_the_second_call_writes_nothing(tmp_path):
    first = generate(tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    writer = WordWriter()
    second = generate(tmp_path, writer)
    assert (second.n_new, writer.n_written, writer.calls) == (0, 0, [])
    assert second == first
    assert times == {
        path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    "error", [MauveError("The endpoint does not answer."), KeyboardInterrupt()]
)
def test_a_stopped_call_is_continued(tmp_path, error):
    whole = generate(tmp_path / "whole")[0].texts()
    writer = WordWriter(fail_after=70, error=error)
    with pytest.raises(type(error)) as caught:
        generate(tmp_path / "run", writer)
    assert "70 of 200 texts are kept in" in caught.value.__notes__[0]
    again = WordWriter()
    continued = generate(tmp_path / "run", again)[0]
    # The last texts of the writer come first: all positions before them are missing.
    assert (continued.n_new, again.calls) == (130, [(0, 130)])
    assert continued.texts() == whole
    lines = continued.path.read_text().splitlines()
    assert sorted(json.loads(line)["position"] for line in lines) == [*range(200)]


def test_nothing_is_left_of_a_call_that_wrote_nothing(tmp_path):
    with pytest.raises(MauveError) as caught:
        generate(tmp_path, WordWriter(fail_after=0))
    assert not hasattr(caught.value, "__notes__")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_more_prompts_continue_the_file_and_fewer_are_a_part_of_it(tmp_path):
    few = generate(tmp_path, prompts=PROMPTS[:50])[0].texts()
    writer = WordWriter()
    more = generate(tmp_path, writer)[0]
    assert writer.calls == [(50, 150)]
    assert more.texts() == generate(tmp_path / "whole")[0].texts()
    fewer = generate(tmp_path, prompts=PROMPTS[:50])[0]
    assert (fewer.n_texts, fewer.n_new, fewer.texts()) == (50, 0, few)
    assert len(read_sample(fewer.path)) == 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 7}, "another max tokens: '6', and '7' is asked for. Use max_tokens=6,"),
        ({"min_tokens": 1}, "another min tokens: '0', and '1' is asked for. Use min_tokens=0,"),
        ({"writer": WordWriter(signature="words@2")}, "another model: 'words@1', and 'words@2'"),
        ({"prompts": [*PROMPTS[:-1], "Another"]}, "it continues 'Number 199', and 'Another' is"),
    ],
)
def test_other_settings_are_refused(tmp_path, options, message):
    path = generate(tmp_path)[0].path
    before = path.read_bytes()
    with pytest.raises(InvalidParameterError, match=message):
        generate(tmp_path, **options)
    assert path.read_bytes() == before


def test_another_process_that_writes(tmp_path):
    path = generate(tmp_path)[0].path
    settings = json.loads(path.with_suffix(".json").read_bytes())["settings"]
    with SampleFile(path, settings), pytest.raises(OutputError, match="is being written by"):
        generate(tmp_path)


def test_several_models(tmp_path):
    models = {"a": WordWriter(signature="a@1"), "b": WordWriter(signature="b@1")}
    generated = generate(tmp_path, models)
    assert [(s.model, s.signature) for s in generated] == [("a", "a@1"), ("b", "b@1")]


def test_prompts_of_files_and_examples(tmp_path):
    (tmp_path / "prompts.txt").write_text("One\nTwo\n")
    sample = generate(tmp_path / "a", prompts=tmp_path / "prompts.txt")[0]
    assert [text.prompt for text in read_sample(sample.path)] == ["One", "Two"]
    assert sample.texts(with_prompt=True) == [
        prompt + text for prompt, text in zip(["One", "Two"], sample.texts(), strict=True)
    ]
    examples = [Example("One", " man.", "x"), Example("Two", " men.", "y")]
    again = generate(tmp_path / "b", prompts=examples)[0]
    assert [text.id for text in read_sample(again.path)] == ["x", "y"]


def test_a_task(tmp_path, source):
    options = {"source": source, "task": "text", "prompt_tokens": 40, "max_tokens": 60}
    generated = generate(tmp_path / "run", prompts=None, n=30, **options)
    human_lines = (tmp_path / "run" / "human.jsonl").read_text().splitlines()
    human = [json.loads(line) for line in human_lines]
    assert [text.prompt for text in read_sample(generated[0].path)] == [h["prompt"] for h in human]
    assert all(len((row["prompt"] + row["text"]).encode()) <= 100 for row in human)
    texts = {json.loads(line)["text"] for line in source.read_text().splitlines()}
    assert all(any(t.startswith(row["prompt"] + row["text"]) for t in texts) for row in human)
    writer = WordWriter()
    more = generate(tmp_path / "run", writer, prompts=None, n=50, **options)
    assert writer.calls == [(30, 20)]
    assert more[0].n_texts == 50
    for changes, message in [
        ({"prompt_tokens": 41}, "human.jsonl' was written with another prompt tokens: '40'"),
        ({"seed": 1}, "human.jsonl' was written with another seed: '0', and '1' is asked for"),
        ({"max_tokens": 50}, "another max tokens: '60', and '50' is asked for"),
    ]:
        with pytest.raises(InvalidParameterError, match=message):
            generate(tmp_path / "run", prompts=None, n=30, **(options | changes))
    source.write_text(source.read_text().replace("the", "thee"))
    with pytest.raises(InvalidParameterError, match="another source"):
        generate(tmp_path / "run", prompts=None, n=30, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompts": []}, "'prompts' .* at least one prompt"),
        ({"prompts": ["One", 2]}, "strings, or examples of a task"),
        ({"prompts": None}, "must be given, or"),
        ({"task": "text"}, "must be given, or"),
        ({"prompts": None, "task": "text"}, "must be given, or"),
        ({"folder": ""}, "the path of a folder"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"min_tokens": 7}, "min_tokens"),
    ],
)
def test_what_cannot_be_generated(tmp_path, options, message):
    options = {"folder": tmp_path / "run"} | options
    with pytest.raises(InvalidParameterError, match=message):
        generate(**options)
    assert not (tmp_path / "run").exists()


def test_a_decoder_that_the_model_does_not_have_is_found_before_the_first_text(tmp_path):
    match = r"'decoders' .* probabilities alone\. Got 'contrastive:k=4,alpha=0\.6' instead"
    with pytest.raises(InvalidParameterError, match=match):
        mauve.generate("bundled", ["Once"], "greedy,contrastive", folder=tmp_path, max_tokens=4)
    assert not (tmp_path / "samples").exists()


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "run").write_text("")
    with pytest.raises(InvalidParameterError, match="must be a folder"):
        generate(tmp_path / "run")


def test_progress_counts_texts_and_tells_the_speed(tmp_path):
    steps = []
    generate(tmp_path, prompts=PROMPTS[:3], progress=lambda *step: steps.append(step))
    assert steps[0] == ("writing", 0, 3)
    assert [step[1:] for step in steps[1:]] == [(1, 3), (2, 3), (3, 3)]
    assert all(step[0].startswith("writing · ") for step in steps[1:])
    assert all(step[0].endswith(" tokens/s") for step in steps[1:])


def test_parts_are_joined_over_short_gaps_alone():
    assert missing_parts(set(), 5) == [(0, 5)]
    assert missing_parts({*range(5)}, 5) == []
    assert missing_parts({1, 2}, 5, long_gap=2) == [(0, 1), (3, 5)]
    assert missing_parts({1}, 5, long_gap=2) == [(0, 5)]
