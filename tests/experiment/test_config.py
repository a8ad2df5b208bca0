"""Bad configs are refused before any work, in one sentence with the line and the remedy."""

import re

import pytest
from small_study import STUDY, change, quietly

from mauve.errors import InvalidParameterError
from mauve.experiment.config_file import config_of, read_config
from mauve.experiment.toml_lines import parse_toml

#: What is replaced, by what, the line of the message, and a part of it.
BAD = [
    ('name = "small"', "name = small", 1, "no TOML"),
    ('name = "small"', "name = 3", 1, "'name' must be a text in quotes. Got 3 instead"),
    ('name = "small"', 'names = "small"', 1, "did you mean 'name'?"),
    ("[texts]", "[text]", 3, "did you mean 'texts'?"),
    ("n = 30", "n = 5", 4, "an int of at least 10. Got 5"),
    ("n = 30", "n = true", 4, "an int of at least 10. Got True"),
    ("n = 30", 'n = "30"', 4, "Got '30' instead"),
    ("n = 30\n", "", 3, "'texts.n' is missing"),
    ("lengths = [8, 16]\n", "", 3, "'texts.lengths' is missing"),
    ("lengths = [8, 16]", "lengths = []", 5, "write at least one"),
    ("lengths = [8, 16]", "lengths = [8, 0]", 5, "ints of at least 1"),
    ("lengths = [8, 16]", "lengths = [8, 8]", 5, "8 stands in 'lengths' twice: remove one"),
    ('["greedy", "ancestral"]', '["gredy"]', 6, "must be a decoder: one of greedy"),
    ('["greedy", "ancestral"]', '[\n "greedy",\n "nucleus:p=3",\n]', 8, "of the form"),
    ('["greedy", "ancestral"]', '["nucleus:0.9", "nucleus:p=0.9"]', 6, "remove one of them"),
    ("seeds = [0, 1]", "seeds = [0, -1]", 7, "ints of at least 0"),
    ("seeds = [0, 1]", "seeds = [0, 1]\nseeds = 3", 8, "stands in its table twice"),
    ("[tasks.reference]", "[tasks.a=b]", 9, "no TOML"),
    ("[tasks.reference]", '[tasks."a/b"]', 9, "without '/' and '='"),
    ('source = "human.jsonl"\n', "", 9, "'tasks.reference.source' is missing"),
    ('source = "human.jsonl"', 'source = "no.jsonl"', 10, "'no.jsonl' is not there"),
    ("prompt_tokens = 8", "prompt_tokens = 8\nmin_tokens = 20", 12, "at most 16"),
    ("prompt_tokens = 8", 'task = "new"', 11, "did you mean 'news'?"),
    ("prompt_tokens = 8", 'prompt_tokens = 8\ntask = "news"', 11, "cannot be given for the task"),
    ("ngram:training.jsonl", "ngram:no.jsonl", 14, "name the file of texts"),
    ("ngram:training.jsonl", "./no/model", 14, "name the folder of a causal language model"),
    ('n-gram = "ngram', 'n-gram = 3\nb = "ngram', 14, "a model in quotes"),
    ("[scores]", 'x_y = "bundled"\n"x:y" = "bundled"\n[scores]', 17, "are one name"),
    ('"ngram:training.jsonl"', '{model = "bundled", dtype = "int8"}', 14, "one of 'auto'"),
    ('"ngram:training.jsonl"', '{model = "bundled", decoders = ["beam:4"]}', 14, "add it there"),
    ("scaling = [5, 1]", "scaling = [5, -1]", 17, "numbers above 0"),
    ("scaling = [5, 1]", 'quantizers = ["kmean"]', 17, "must be one of 'kmeans'"),
    ("scaling = [5, 1]", "num_buckets = 1", 17, "ints of at least 2"),
    ("scaling = [5, 1]", "n = [30, 60]", 17, "at most n = 30 of [texts]. Got 60"),
    ("scaling = [5, 1]", 'vary = "every"', 17, "one of 'each', 'all'"),
    ("scaling = [5, 1]", "vary_lengths = [9]", 17, "one of the lengths"),
    ("scaling = [5, 1]", "confidence = 2", 17, "between 0 and 1"),
    ("scaling = [5, 1]", 'normalize = "upper"', 17, "normalize"),
    ("scaling = [5, 1]", 'embedders = ["a/b", "c/b"]', 17, "no name of its own"),
    ("scaling = [5, 1]", 'embedders = ["./no/embedder"]', 17, "name the folder of an embedder"),
    ('"zipf", "repetition"', '"zapf"', 22, "measures"),
    ('"zipf", "repetition"', '"copying-8"', 22, "training"),
    ("[measures]\n", '[measures]\ntraining = "no.txt"\n', 22, "is not there"),
]


@pytest.mark.parametrize(("old", "new", "line", "message"), BAD, ids=[each[3] for each in BAD])
def test_bad_configs_are_refused_with_the_line(study, tmp_path, old, new, line, message):
    change(study, old, new)
    with pytest.raises(InvalidParameterError) as caught:
        quietly(study, tmp_path / "run")
    assert re.match(rf"'study.toml', line {line}: ", str(caught.value)), caught.value
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()  # nothing was started


def test_decoders_that_a_model_cannot_do_are_refused_first(study, tmp_path):
    change(
        study, '"ancestral"]', '"ancestral",\n  "adversarial:perplexity=20",\n  "contrastive:4"]'
    )
    with pytest.raises(InvalidParameterError) as caught:
        quietly(study, tmp_path / "run")
    assert "'study.toml', line 8: the model 'n-gram' does not have the decoder" in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_a_model_may_have_fewer_decoders(study, tmp_path):
    own = '{model = "ngram:training.jsonl", decoders = ["greedy"]}'
    change(study, '"ngram:training.jsonl"', own)
    assert quietly(study, tmp_path / "run").results.levels("decoder") == ["greedy"]


def test_texts_must_fit_the_context(study, tmp_path):
    change(study, '"ngram:training.jsonl"', '"bundled"')
    change(study, "[8, 16]", "[8, 510]")
    with pytest.raises(InvalidParameterError, match="line 11: the model 'n-gram' reads 511 tokens"):
        quietly(study, tmp_path / "run")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: there is nothing to score"),
        (
            '[models]\na = "bundled"\n[texts]\nn = 20\nlengths = 9',
            "line 1: there are models and no",
        ),
        (
            '[tasks.a]\nsource = "h.txt"\n[texts]\nn = 20\nlengths = 9',
            "line 1: there are tasks and",
        ),
        ('[samples.a]\nhuman = "h.txt"', "line 1: 'samples.a' has no systems"),
        ("tasks = 3", "line 1: 'tasks' must be a table, under the heading"),
        (
            'texts.seeds = [1]\n[samples.a]\nhuman = "h.txt"\nsystems.m = "m.txt"',
            "line 1: 'texts.seeds' is for models",
        ),
    ],
)
def test_incomplete_configs(tmp_path, text, message):
    with pytest.raises(InvalidParameterError, match=re.escape(message)):
        config_of(text, "study.toml", tmp_path)


def test_files_that_are_no_config(tmp_path):
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        read_config(tmp_path / "no.toml")
    (tmp_path / "study.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(InvalidParameterError, match="save it as UTF-8"):
        read_config(tmp_path / "study.toml")


def test_embedders_may_have_names(tmp_path):
    config = config_of(
        STUDY.replace("[measures]", '[scores.embedders]\nown = "bundled"\n[measures]'),
        "study.toml",
        tmp_path,
    )
    assert config.scores.embedders == {"own": "bundled"}
    assert config.scores.base["embedder"] == "own"


def test_lines_of_values_over_several_lines():
    lines = ["a = 1", "b = [", '  "x", # "y"', "", '  "y",', "]", "# c", "[t]", 'd.e = """', '1"""']
    text = "\r\n".join(lines)
    document = parse_toml(text, "a.toml")
    found = {
        path: document.line(path) for path in [("a",), ("b",), ("b", 1), ("t",), ("t", "d", "e")]
    }
    assert [*found.values()] == [1, 2, 5, 8, 9]
    assert document.line(("t", "no")) == 8
