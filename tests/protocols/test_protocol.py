"""Protocols as tables: what they hold, and what a wrong table is told."""

import inspect

import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.measures.registry import check_names
from mauve.protocols.catalogue import NAMES, built_in, get_protocol
from mauve.protocols.protocol import Protocol
from mauve.quantize.registry import tenth_of

MINE = """
title = "Our lab's"
source = "our paper"
[samples]
texts = 400
min_texts = 20
words = 50
[score]
embedder = "bundled"
num_buckets = 20
scaling = 2
seeds = [1, 2]
[report]
measures = "diversity"
"""


def test_those_of_the_package_are_complete():
    assert [*built_in()] == [*NAMES]
    for name, protocol in built_in().items():
        assert protocol.name == name
        assert len(protocol.source) > 10
        assert protocol.references
        if protocol.report.measures:
            check_names(protocol.report.measures)
        again = protocol.to_dict()
        again.pop("name")
        assert Protocol.from_table(name, again) == protocol


def test_alce_is_what_its_code_does():
    protocol = get_protocol("alce")
    assert (protocol.samples.words, protocol.samples.tokens) == (100, 512)
    assert protocol.samples.join_prompt
    assert protocol.samples.strip_punctuation
    assert protocol.score.percent
    assert protocol.basis == "code"


def test_paper_2021_is_what_the_text_of_the_paper_says():
    protocol = get_protocol("paper-2021")
    samples, score, report = protocol.samples, protocol.score, protocol.report
    assert (samples.texts, samples.tokens, samples.join_prompt) == (5000, 1024, False)
    assert tenth_of(samples.texts) == 500  # the default number of buckets of the paper
    assert (score.method, score.embedder, score.num_buckets) == ("authors", "gpt2-large", "n/10")
    assert (score.scaling, score.restarts, score.explained_variance) == (5, 5, 0.9)
    iterations = inspect.signature(mauve.compute_mauve).parameters["kmeans_max_iter"].default
    assert iterations == 500
    # The columns of its tables, of tokens of GPT-2, beside those that need the model under test.
    assert report.measures == "perplexity,zipf,repetition,distinct-4,self-bleu-1000"
    assert (report.tokenizer, report.language_model) == ("gpt2", "gpt2-large")
    assert protocol.basis == "paper"


def test_a_protocol_of_ones_own(tmp_path):
    path = tmp_path / "lab.toml"
    path.write_text(MINE, encoding="utf-8")
    protocol = get_protocol(path)
    assert (protocol.name, protocol.samples.words) == ("lab", 50)
    assert protocol.score.seeds == (1, 2)
    assert protocol.score.scaling == 2.0
    assert get_protocol(protocol) is protocol


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ('texts = "many"', r"'samples.texts' of the protocol 'lab' must be a whole number"),
        ("texts = 5", r"at least 10. Got 5 instead"),
        ("texts = true", r"a whole number of at least 10. Got True"),
        ("min_texts = 900", r"'samples.min_texts' .* at most 'samples.texts', 400. Got 900"),
        ("texst = 5", r"only keys it can have: samples.texts, .*Got 'samples.texst'"),
        ('prompts = "some"', r"one of 'required', 'optional', 'none'. Got 'some'"),
        ("join_prompt = 1", r"'samples.join_prompt' .* must be true or false. Got 1"),
    ],
)
def test_a_wrong_key_is_named(tmp_path, change, match):
    path = tmp_path / "lab.toml"
    key = change.split(" =")[0]
    lines = [line for line in MINE.splitlines() if not line.startswith(f"{key} =")]
    lines.insert(lines.index("[samples]") + 1, change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InvalidParameterError, match=match):
        get_protocol(path)


@pytest.mark.parametrize(
    ("score", "match"),
    [
        ({"seeds": []}, r"'score.seeds' .* a list of whole numbers"),
        ({"seeds": [1, 1]}, r"a list of different numbers"),
        ({"seeds": 3}, r"a list of whole numbers"),
        ({"num_buckets": "n/2"}, r"at least 2 or 'n/10'. Got 'n/2'"),
        ({"num_buckets": 1}, r"at least 2 or 'n/10'. Got 1"),
        ({"scaling": 0}, r"a number above 0, at most 100. Got 0"),
        ({"scaling": float("nan")}, r"a number above 0"),
        ({"explained_variance": 1.5}, r"at most 1. Got 1.5"),
        ({"method": "theirs"}, r"one of 'authors', 'ours'"),
        ("k-means", r"The key 'score' .* must be a table. Got 'k-means'"),
    ],
)
def test_a_wrong_score_is_named(score, match):
    with pytest.raises(InvalidParameterError, match=match):
        Protocol.from_table("mine", {"title": "a", "source": "b", "score": score})


@pytest.mark.parametrize("measures", ["zipf,nope", "zipf,-zipf"])
def test_measures_are_checked_before_the_work(measures):
    table = {"title": "a", "source": "b", "report": {"measures": measures}}
    with pytest.raises(InvalidParameterError, match=r"'report.measures' of the protocol 'mine' i"):
        Protocol.from_table("mine", table)


def test_what_is_no_protocol(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"one of paper-2021, .* Got 'paper' instead"):
        get_protocol("paper")
    with pytest.raises(InvalidParameterError, match="cannot be read"):
        get_protocol(tmp_path / "absent.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("title = ", encoding="utf-8")
    with pytest.raises(InvalidParameterError, match="must be a protocol in TOML"):
        get_protocol(broken)
    broken.write_text('title = "a"', encoding="utf-8")
    with pytest.raises(InvalidParameterError, match="must have the key 'source'"):
        get_protocol(broken)
