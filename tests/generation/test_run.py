"""Evaluate: every step from models to the report, and which steps a later call repeats."""

import json
import shutil
import warnings

import pytest
from writers import WordWriter, write_source

import mauve
from mauve.errors import InvalidParameterError, MauveError, MauveWarning, OutputError
from mauve.generation.locks import locked_folder
from mauve.generation.scoring import MEASURES

QUICK = {"n_permutations": 20, "n_clusterings": 4, "report": False, "progress": False,
         "measures": "zipf,repetition", "prompt_tokens": 40, "max_tokens": 30}  # fmt: skip


def evaluate(folder, source, models=None, decoders="greedy,ancestral", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MauveWarning)  # of few texts, and of random words
        return mauve.evaluate(
            models or WordWriter(), "text", source, decoders, folder=folder, **(QUICK | options)
        )


def times(folder):
    return {
        path.relative_to(folder).as_posix(): path.stat().st_mtime_ns
        for path in folder.rglob("*")
        if path.is_file()
    }


def changed(before, after):
    """Return the names of files that are new or were written again."""
    return {name for name, time in after.items() if before.get(name) != time}


@pytest.fixture(scope="module")
def first_run(tmp_path_factory, passages):
    """Return a folder with an evaluation."""
    folder = tmp_path_factory.mktemp("evaluated")
    source = write_source(folder / "texts.jsonl", passages)
    evaluate(folder / "run", source)
    return folder / "run"


@pytest.fixture
def run(first_run, source, tmp_path):
    """Return a copy of the folder, and the result that is in it."""
    folder = tmp_path / "run"
    shutil.copytree(first_run, folder)
    return folder, evaluate(folder, source)


@pytest.mark.slow
def test_the_result_and_its_files(run):
    folder, evaluation = run
    assert {*times(folder)} == {
        ".lock", "human.json", "human.jsonl", "manifest.json", "comparison.mauve", "measures.json",
        "results.json", "results.md", *(
            f"samples/words/{decoder}/seed-0.{kind}"
            for decoder in ("greedy", "ancestral") for kind in ("json", "jsonl")
        ),
    }  # fmt: skip
    assert [*evaluation] == ["greedy", "ancestral"]
    assert evaluation["greedy"] == evaluation.comparison["greedy"]
    assert mauve.load(folder / "comparison.mauve") == evaluation.comparison
    assert [*evaluation.measurements["greedy"]] == ["zipf", "repetition"]
    assert evaluation.report is None
    content = json.loads((folder / "results.json").read_bytes())
    # The folder has moved, and nothing was written in the second call.
    own = {"folder", "samples"}
    assert {k: v for k, v in content.items() if k not in own} == {
        k: v
        for k, v in json.loads(json.dumps(evaluation.to_dict(), allow_nan=False)).items()
        if k not in own
    }
    assert [sample["n_new"] for sample in content["samples"]] == [120, 120]
    assert [entry["name"] for entry in content["results"]] == ["greedy", "ancestral"]
    assert content["measures"]["human"]["n_texts"] == 120
    assert content["settings"]["decoders"] == ["greedy", "ancestral"]
    assert (folder / "results.md").read_text() == evaluation.to_markdown() + "\n"
    for part in (evaluation.comparison, evaluation.measurements):
        assert part.table() in evaluation.table()
        assert str(part) in str(evaluation)
        assert part.to_latex() in evaluation.to_latex()


@pytest.mark.slow
def test_what_is_compared_is_what_people_and_model_wrote(run):
    folder, evaluation = run
    rows = [json.loads(line) for line in (folder / "human.jsonl").read_text().splitlines()]
    compared = evaluation.comparison.compared.samples
    assert compared.texts["human"] == [row["text"] for row in rows]
    assert compared.texts["greedy"] == evaluation.samples[0].texts()
    prompts = [row["prompt"] for row in rows]
    assert compared.prompts == dict.fromkeys(("human", "greedy", "ancestral"), prompts)
    assert compared.metadata["human"]["topic"] == [row["metadata"]["topic"] for row in rows]


@pytest.mark.slow
def test_the_second_call_does_nothing(run, source):
    folder, first = run
    before, writer = times(folder), WordWriter()
    second = evaluate(folder, source, writer)
    assert (writer.calls, second.n_new) == ([], 0)
    assert changed(before, times(folder)) == set()
    assert second == first


@pytest.mark.slow
def test_one_more_decoder_is_generated_alone(run, source):
    folder, first = run
    before, writer = times(folder), WordWriter()
    second = evaluate(folder, source, writer, "greedy,ancestral,top-k:k=5")
    assert writer.calls == [(0, 120)]
    assert [sample.n_new for sample in second.samples] == [0, 0, 120]
    assert changed(before, times(folder)) == {
        "samples/words/top-k_k=5/seed-0.json", "samples/words/top-k_k=5/seed-0.jsonl",
        "comparison.mauve", "measures.json", "results.json", "results.md", "manifest.json",
    }  # fmt: skip
    assert second["greedy"].mauve == first["greedy"].mauve  # it does not depend on the others


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "repeated"),
    [
        ({"measures": "zipf"}, {"measures.json", "results.json", "results.md", "manifest.json"}),
        ({"scaling": 2.0}, {"comparison.mauve", "measures.json", "results.json", "results.md",
                            "manifest.json"}),
        ({"with_prompt": True}, {"comparison.mauve", "measures.json", "results.json", "results.md",
                                 "manifest.json"}),
    ],
)  # fmt: skip
def test_another_option_computes_what_depends_on_it(run, source, options, repeated):
    folder, _ = run
    before, writer = times(folder), WordWriter()
    evaluate(folder, source, writer, **options)
    assert writer.calls == []
    assert changed(before, times(folder)) == repeated


@pytest.mark.slow
@pytest.mark.parametrize("name", ["comparison.mauve", "measures.json", "results.md", "human.jsonl"])
def test_a_damaged_file_is_written_again(run, source, name):
    folder, first = run
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2])
    writer = WordWriter()
    assert evaluate(folder, source, writer) == first
    assert writer.calls == []
    assert len((folder / name).read_bytes()) == len(whole)


@pytest.mark.slow
def test_a_stopped_call_is_continued(run, source, tmp_path):
    _, whole = run
    folder = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        evaluate(folder, source, WordWriter(fail_after=150, error=KeyboardInterrupt()))
    writer = WordWriter()
    continued = evaluate(folder, source, writer)
    assert writer.n_written == 90
    assert [sample.n_new for sample in continued.samples] == [0, 90]
    assert continued.comparison == whole.comparison


@pytest.mark.slow
def test_prompts_on_both_sides_and_pooled_seeds(tmp_path, source):
    options = {"seeds": [0, 1], "n": 60, "with_prompt": True}
    evaluation = evaluate(tmp_path / "run", source, pool_seeds=True, **options)
    compared = evaluation.comparison.compared.samples
    assert compared.sizes == {"human": 60, "greedy": 60, "ancestral": 120}
    for name, texts in compared.texts.items():
        prompts = compared.prompts[name]
        assert all(t.startswith(p) for p, t in zip(prompts, texts, strict=True))
    by_seed = evaluate(tmp_path / "run", source, **options)
    assert [*by_seed] == ["greedy", "ancestral seed 0", "ancestral seed 1"]
    assert by_seed.n_new == 0


@pytest.mark.slow
def test_several_models_have_the_same_prompts(tmp_path, source):
    models = {"one": WordWriter(signature="one@1"), "two": WordWriter(signature="two@1")}
    evaluation = evaluate(tmp_path / "run", source, models, "ancestral", n=60)
    assert [*evaluation] == ["one ancestral", "two ancestral"]
    assert models["one"].calls == models["two"].calls == [(0, 60)]
    assert evaluation.settings["models"] == {"one": "one@1", "two": "two@1"}


@pytest.mark.slow
def test_a_report_is_written_once(tmp_path, source):
    options = {"report": True, "ladder": False, "title": "Random words", "n": 60}
    folder = tmp_path / "run"
    evaluation = evaluate(folder, source, decoders="ancestral", **options)
    assert evaluation.report == folder / "report.html"
    assert "<title>Random words" in evaluation.report.read_text()
    before = times(folder)
    evaluate(folder, source, decoders="ancestral", **options)
    assert changed(before, times(folder)) == set()
    evaluate(folder, source, decoders="ancestral", **options | {"title": "Words"})
    assert changed(before, times(folder)) == {"report.html", "manifest.json"}


def test_measures_of_an_evaluation_are_known():
    assert "perplexity" in MEASURES.split(",")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scaling": -1}, InvalidParameterError, "'scaling'"),
        ({"num_buckets": "many"}, InvalidParameterError, "num_buckets"),
        ({"embedder": 3}, InvalidParameterError, "embedder"),
        ({"measures": "zip"}, InvalidParameterError, "zip"),
        ({"decoders": "nuclear"}, InvalidParameterError, "decoders"),
        ({"n": 5}, InvalidParameterError, "must have at least"),
        ({"n": 0}, InvalidParameterError, "'n' parameter of evaluate"),
        ({"with_prompt": "no"}, InvalidParameterError, "with_prompt"),
        ({"limit": 50}, TypeError, "unexpected keyword argument 'limit'"),
        ({"bucket": 50}, TypeError, "unexpected keyword argument 'bucket'"),
    ],
)
def test_errors_come_before_the_first_text(tmp_path, source, options, error, message):
    writer = WordWriter()
    with pytest.raises(error, match=message):
        evaluate(tmp_path / "run", source, writer, **options)
    assert writer.calls == []


def test_two_calls_on_one_folder(tmp_path, source):
    folder = tmp_path / "run"
    folder.mkdir()
    with (
        locked_folder(folder, "evaluated"),
        pytest.raises(OutputError, match="run' is being evaluated by another process"),
    ):
        evaluate(folder, source)


def test_an_error_of_the_model_says_what_is_kept(tmp_path, source):
    with pytest.raises(MauveError) as caught:
        evaluate(tmp_path / "run", source, WordWriter(fail_after=130))
    assert "10 of 120 texts are kept in" in caught.value.__notes__[0]
