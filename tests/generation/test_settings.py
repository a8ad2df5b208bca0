"""Decoders, seeds and names: what is read from strings, and the files of each setting."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from writers import WordWriter

from mauve.errors import InvalidParameterError
from mauve.generation.settings import (
    Setting,
    file_name,
    name_models,
    parse_decoders,
    parse_seeds,
    settings_of,
)
from mauve.lm.decoding import Greedy, Nucleus, parse_decoder

SPECS = ["greedy", "ancestral", "temperature:0.7", "top-k:k=40", "nucleus:p=0.95,temperature=0.8",
         "beam:b=8,no_repeat=4", "contrastive:k=4,alpha=0.6", "adversarial"]  # fmt: skip


@given(st.lists(st.sampled_from(SPECS), min_size=1, max_size=8, unique=True))
def test_decoders_are_split_where_they_begin(specs):
    assert parse_decoders(",".join(specs)) == [parse_decoder(spec) for spec in specs]


def test_decoders_of_python():
    assert parse_decoders(["greedy", Nucleus(0.9)]) == [Greedy(), Nucleus(0.9)]
    assert parse_decoders(Greedy()) == [Greedy()]


@pytest.mark.parametrize(
    ("decoders", "message"),
    [
        ("nuclear:0.9", "must be a decoder"),
        ("greedy,,ancestral", "must be a decoder"),
        ("nucleus:0.9,nucleus:p=0.9", "all different. Got 'nucleus:p=0.9'"),
        ([], "a decoder such as"),
        (3, "a decoder such as"),
    ],
)
def test_other_decoders(decoders, message):
    with pytest.raises(InvalidParameterError, match=message):
        parse_decoders(decoders)


@pytest.mark.parametrize("seeds", [-1, 1.5, "0", [], [0, 0], [0, True]])
def test_other_seeds(seeds):
    with pytest.raises(InvalidParameterError, match="seeds"):
        parse_seeds(seeds)


def test_names_of_models():
    writer = WordWriter()
    models = ["bundled", "org/small", "runs/step-100/", "http://localhost:8000/v1", writer]
    names = ["bundled", "small", "step-100", "localhost:8000/v1", "words"]
    assert name_models(models) == dict(zip(names, models, strict=True))
    assert name_models({"a": "gpt2", "b": "gpt2"}) == {"a": "gpt2", "b": "gpt2"}


@pytest.mark.parametrize(
    ("models", "message"),
    [
        (["a/gpt2", "b/gpt2"], "Got two called 'gpt2' instead: name one of them as in NAME=b/gpt2"),
        ({"a:b": "x", "a/b": "y"}, "Got 'a:b' and 'a/b' instead"),
        ([], "at least one model"),
        ({"": "x"}, "at least one character"),
    ],
)
def test_models_that_cannot_be_named(models, message):
    with pytest.raises(InvalidParameterError, match=message):
        name_models(models)


@given(st.text(min_size=1))
def test_a_file_name_is_one_part_of_a_path(name):
    made = file_name(name)
    assert made not in ("", ".", "..")
    assert not set(made) & set('/\\:*?"<>|\0')


def test_files_of_all_decoders_differ():
    settings = settings_of(["a", "b"], parse_decoders(",".join(SPECS)), [0, 1])
    paths = {setting.path(Path("run")) for setting in settings}
    assert len(paths) == len(settings) == 2 * (2 * 5 + 3)
    beam = Setting("a", parse_decoder("beam:8,no_repeat=4"), 0)
    assert beam.path(Path()).as_posix() == "samples/a/beam_b=8_no_repeat=4/seed-0.jsonl"
