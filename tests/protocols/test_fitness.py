"""Samples that do not fit a protocol are refused, or a warning says why."""

import pytest

from mauve.embed.samples import Sample
from mauve.errors import InvalidParameterError
from mauve.protocols.catalogue import get_protocol
from mauve.protocols.fitness import check_samples, prompts_of
from mauve.protocols.prepare import prepared_texts
from mauve.protocols.protocol import Protocol, SampleRules


def texts(n, n_words=110):
    return [f"text {i} " + "word " * (n_words - 2) for i in range(n)]


def prompts(n):
    return [f"prompt {i}" for i in range(n)]


CONTRASTIVE = get_protocol("contrastive-search")
CONDITIONAL = get_protocol("diffusion-conditional")
UNCONDITIONAL = get_protocol("diffusion-unconditional")


def test_too_few_texts_are_refused():
    samples = {"human": Sample(texts(300)), "model": Sample(texts(99))}
    with pytest.raises(InvalidParameterError, match=r"'model' must have at least 250 .* Got 99"):
        check_samples(CONTRASTIVE, samples)


def test_fewer_texts_and_unequal_numbers_are_warned_of():
    samples = {"human": Sample(texts(1000)), "model": Sample(texts(700))}
    fewer, unequal = check_samples(CONTRASTIVE, samples)
    assert fewer.startswith("'model' has 700 texts: the protocol")
    assert "Samples have 700 to 1000 texts" in unequal
    # Of a larger sample as many are drawn.
    many = {"human": Sample(texts(1000)), "model": Sample(texts(1700))}
    assert check_samples(CONTRASTIVE, many) == []


def test_more_buckets_than_texts_are_refused():
    table = {"title": "a", "source": "b", "samples": {"min_texts": 10, "texts": 30}}
    protocol = Protocol.from_table("mine", table | {"score": {"num_buckets": 56}})
    samples = {"human": Sample(["a"] * 90), "m": Sample(["b"] * 25), "n": Sample(["c"] * 40)}
    with pytest.raises(InvalidParameterError, match=r"'score.num_buckets' .* at most 55, .*Got 56"):
        check_samples(protocol, samples)


def test_short_texts_are_warned_of():
    samples = {"human": Sample(texts(1000)), "model": Sample(texts(1000, 40))}
    [message] = check_samples(CONTRASTIVE, samples)
    assert "Texts of 'model' are too short, 40 words" in message
    assert "reads 128 tokens, about 96 words" in message


def test_prompts_on_one_side_are_refused_or_ignored():
    samples = {"human": Sample(texts(9), prompts(9)), "model": Sample(texts(9))}
    with pytest.raises(InvalidParameterError, match=r"prompts on one side only, none for 'model'"):
        prompts_of(CONTRASTIVE, samples)
    found, [message] = prompts_of(get_protocol("paper-2021"), samples)
    assert found is None
    assert "prompts on one side only, none for 'model'" in message
    found, [message] = prompts_of(UNCONDITIONAL, samples)
    assert found is None
    assert "without prompts: those of 'human' are not read" in message


def test_prompts_that_are_lacking():
    samples = {"human": Sample(texts(9)), "model": Sample(texts(9))}
    with pytest.raises(InvalidParameterError, match=r"Got none for 'human', 'model' instead"):
        prompts_of(CONTRASTIVE, samples)
    assert prompts_of(get_protocol("default"), samples) == (None, [])
    given = {"human": prompts(9), "model": prompts(9)}
    assert prompts_of(CONTRASTIVE, samples, given) == (given, [])


def test_other_prompts_and_numbers_of_continuations():
    human, model = Sample(texts(4), prompts(4)), Sample(texts(8), ["prompt 0", "other"] * 4)
    _, (unknown, number) = prompts_of(CONDITIONAL, {"human": human, "model": model})
    assert unknown.startswith("1 of 2 prompts of 'model' have no human text")
    assert "'model' has 4 texts for each prompt" in number
    five = Sample(texts(20), prompts(4) * 5)
    assert prompts_of(CONDITIONAL, {"human": human, "model": five})[1] == []


def test_texts_are_made_as_the_code_of_alce_does():
    rules = get_protocol("alce").samples
    question, answer = "Who was\n it?", " It was he [1]. " + "and " * 120
    [text] = prepared_texts(rules, [answer], [question])
    words = (question + " " + answer.strip()).split()
    assert text == " ".join(words[:100]).rstrip(".,!?")
    assert prepared_texts(rules, ["Yes?!."], [""]) == ["Yes"]


def test_joining_keeps_one_space():
    rules = SampleRules(join_prompt=True)
    pairs = [("a", "b"), ("a ", "b"), ("a", " b"), ("", "b"), ("a", "")]
    joined = [prepared_texts(rules, [text], [prompt])[0] for prompt, text in pairs]
    assert joined == ["a b", "a b", "a b", "b", "a"]
    assert prepared_texts(SampleRules(), ["b."], ["a"]) == ["b."]
