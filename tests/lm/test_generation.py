"""Texts are drawn from the model's distribution, end where it says, and follow the seed."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2

import mauve
from mauve.errors import InvalidParameterError, MauveWarning
from mauve.lm.decoding import Adversarial, Ancestral, Greedy, Nucleus, TopK
from mauve.lm.generation import CausalModelWriter, draw, generate
from mauve.lm.ngram import NGramModel
from mauve.lm.reference import split_reference
from mauve.lm.writing import WritingOptions
from mauve.text.words import tokenize

SENTENCES = [
    "the cat sat on the mat.",
    "the dog sat on the cat.",
    "a dog ran to the mat.",
    "a cat ran off.",
    "the mat was a rug, the dog was not.",
]


@pytest.fixture(scope="module")
def model():
    return NGramModel.fit([tokenize(sentence) for sentence in SENTENCES], order=3)


class Echo:
    """A model of three tokens: repeats the last one, and ends a text of four tokens."""

    vocabulary_size = 3
    end = 0

    def __init__(self):
        self.calls = []

    def encode(self, text):
        return ["$ab".index(letter) for letter in text]

    def decode(self, tokens):
        return "".join("$ab"[token] for token in tokens)

    def next(self, contexts):
        self.calls.append([tuple(context) for context in contexts])
        return np.eye(3)[[c[-1] if len(c) < 4 else self.end for c in contexts]]


def check_frequencies(counts, probabilities):
    """Refuse counts that chance makes once in a million, by Pearson's chi-squared.

    Outcomes with an expected count below ten are merged: the law holds for large counts.
    """
    expected = probabilities * counts.sum()
    rare = expected < 10
    observed = np.append(counts[~rare], counts[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    observed, expected = observed[expected > 0], expected[expected > 0]
    statistic = ((observed - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(1e-6, len(observed) - 1)


class TestDraw:
    def test_frequencies_are_the_probabilities(self):
        """Guards the blocks; fails by chance once in a million seeds."""
        probabilities = 1 / np.arange(1, 301)
        probabilities[::7] = 0
        probabilities /= probabilities.sum()
        rng = np.random.default_rng(0)
        tokens = [draw(probabilities, rng) for _ in range(20_000)]
        counts = np.bincount(tokens, minlength=300)
        assert not counts[::7].any()
        check_frequencies(counts, probabilities)

    @pytest.mark.parametrize("size", [1, 127, 128, 129, 400])
    def test_the_only_token_with_a_probability_is_drawn(self, size):
        rng = np.random.default_rng(0)
        for token in {0, size // 2, size - 1}:
            probabilities = np.zeros(size)
            probabilities[token] = 1e-300
            assert draw(probabilities, rng) == token


class TestDistribution:
    """Whole texts of up to three tokens; each test fails by chance once in a million seeds."""

    N = 4000

    @pytest.mark.slow
    @pytest.mark.parametrize("decoder", [Ancestral(), TopK(2), Nucleus(0.6)])
    def test_texts_are_as_frequent_as_the_product_of_their_steps(self, model, decoder):
        counts = Counter(generate(model, decoder, ["a"] * self.N, max_tokens=3, seed=2))
        expected = dict(self._texts(model, decoder, model.encode("a"), 3))
        assert set(counts) <= set(expected)
        probabilities = np.array(list(expected.values()))
        assert probabilities.sum() == pytest.approx(1, rel=1e-12)
        check_frequencies(np.array([counts[text] for text in expected]), probabilities)

    def _texts(self, model, decoder, context, n_left):
        """Yield every text the decoder can write, with its probability."""
        if not n_left:
            yield model.decode(context), 1.0
            return
        [probabilities] = model.next([context])
        after = decoder(probabilities)
        for token in np.flatnonzero(after).tolist():
            if token == model.end:
                yield model.decode(context), after[token]
                continue
            for text, probability in self._texts(model, decoder, [*context, token], n_left - 1):
                yield text, after[token] * probability


class TestGenerate:
    def test_greedy_takes_the_most_probable_token_each_time(self, model):
        [text] = generate(model, Greedy(), ["the"], max_tokens=12)
        context = model.encode("the")
        while len(context) < 13 and (token := int(model.next([context]).argmax())) != model.end:
            context.append(token)
        assert text == model.decode(context)

    def test_same_seed_same_texts(self, model):
        first, again, other = (
            generate(model, Ancestral(), [""] * 20, max_tokens=10, seed=seed) for seed in (3, 3, 4)
        )
        assert first == again
        assert first != other
        assert len(set(first)) > 10  # each text has its own random numbers

    def test_a_text_depends_on_its_position_and_not_on_the_others(self, model):
        prompts = ["the", "a", "", "the cat"]
        texts = generate(model, Ancestral(), prompts, max_tokens=10)
        assert generate(model, Ancestral(), prompts[:2], max_tokens=10) == texts[:2]
        others = generate(model, Ancestral(), ["a dog", "", "", "off"], max_tokens=10)
        assert others[2] == texts[2]

    @pytest.mark.parametrize("batch_size", [1, 3, 7, 100])
    def test_batch_size_does_not_change_the_texts(self, model, batch_size):
        expected = generate(model, Ancestral(), ["a"] * 7, max_tokens=10)
        texts = generate(model, Ancestral(), ["a"] * 7, max_tokens=10, batch_size=batch_size)
        assert texts == expected

    def test_texts_end_at_the_end_of_a_document_or_at_the_limit(self):
        sentence = "one two three four five."
        model = NGramModel.fit([tokenize(sentence)] * 2)
        assert generate(model, Greedy(), [""], max_tokens=50) == [sentence]
        assert generate(model, Greedy(), [""], max_tokens=3) == ["one two three"]

    def test_prompts_are_kept_as_they_are(self, model):
        prompt = "Unheard-of  words:\tthe cat"
        [text] = generate(model, Ancestral(), [prompt], max_tokens=5)
        assert text.startswith(prompt)
        assert "<unk>" not in text

    def test_no_prompts_no_texts(self, model):
        assert generate(model, Greedy(), [], max_tokens=5) == []

    def test_a_text_that_can_only_end_cannot_go_on(self):
        writer = CausalModelWriter(Echo(), "echo")
        written = writer.write(["a"], Greedy(), WritingOptions(9, min_tokens=5))
        match = "'min_tokens' parameter of .* must allow a text to end where no other token can"
        with pytest.raises(InvalidParameterError, match=match.replace("parameter of .* ", "")):
            list(written)

    def test_any_causal_model_will_do(self):
        texts = generate(Echo(), Ancestral(), ["a", "bbb", "ab"], max_tokens=9)
        assert texts == ["aaaa", "bbbb", "abbb"]

    def test_contexts_grow_by_one_token_and_ended_ones_leave(self):
        echo = Echo()
        generate(echo, Greedy(), ["a", "bbb", "ab"], max_tokens=9)
        assert echo.calls == [
            [(1,), (2, 2, 2), (1, 2)],
            [(1, 1), (2, 2, 2, 2), (1, 2, 2)],
            [(1, 1, 1), (1, 2, 2, 2)],
            [(1, 1, 1, 1)],
        ]

    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            ({"max_tokens": 0}, "'max_tokens' parameter of generate must be an int of at least 1"),
            ({"seed": -1}, "'seed' parameter of generate must be an int of at least 0. Got -1"),
            ({"batch_size": 0}, "'batch_size' parameter of generate must be an int of at least 1"),
            ({"prompts": "the"}, "'prompts' parameter of generate must be a list of strings. Got "),
        ],
    )
    def test_errors(self, model, arguments, match):
        with pytest.raises(InvalidParameterError, match=match):
            generate(model, Greedy(), **{"prompts": ["a"], "max_tokens": 5} | arguments)


@pytest.mark.slow
def test_mauve_of_adversarial_texts_is_low():
    """They have the perplexity of human text, and hardly anything else of it."""
    reference = split_reference(200)
    model = NGramModel.fit(reference.training)
    prompts = ["".join(passage[:8]) for passage in reference.passages]
    human = ["".join(passage[8:]) for passage in reference.passages]
    perplexity = model.perplexity(reference.passages)
    writer = CausalModelWriter(model, "n-gram")
    written = {
        decoding.name: [
            text.text for _, text in writer.write(prompts, decoding, WritingOptions(64, 64))
        ]
        for decoding in (Adversarial(perplexity), Nucleus(0.9))
    }
    with pytest.warns(MauveWarning, match="form|lines"):
        scores = {name: each.mauve for name, each in mauve.compare(human, written).items()}
    assert scores["adversarial"] < 0.1
    assert scores["adversarial"] < scores["nucleus"] / 2
