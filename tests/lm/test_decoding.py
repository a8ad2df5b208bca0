"""Decoders against their definitions, and the strings that name them."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mauve.errors import InvalidParameterError
from mauve.lm.decoding import DECODERS, Ancestral, Greedy, Nucleus, Temperature, TopK, parse_decoder

# Whole numbers make equal probabilities frequent and sums comparable without rounding.
WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=30).filter(any)
SPECS = ["greedy", "ancestral", "temperature:0.7", "topk:3", "nucleus:0.8"]


def most_probable(weights):
    return sorted(range(len(weights)), key=lambda token: (-weights[token], token))


def shares(weights, tokens):
    truncated = np.where(np.isin(np.arange(len(weights)), tokens), weights, 0)
    return truncated / truncated.sum()


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
@given(weights=WEIGHTS)
def test_decoders_return_distributions_and_leave_their_input(spec, weights):
    probabilities = np.array(weights) / sum(weights)
    before = probabilities.copy()
    decoded = parse_decoder(spec)(probabilities)
    assert_array_equal(probabilities, before)
    assert decoded.shape == probabilities.shape
    assert decoded.min() >= 0
    assert_allclose(decoded.sum(), 1, rtol=1e-14)
    assert not decoded[probabilities == 0].any()


class TestGreedy:
    @given(WEIGHTS)
    def test_is_the_most_probable_token_and_of_equal_ones_the_first(self, weights):
        decoded = Greedy()(np.array(weights) / sum(weights))
        assert_array_equal(decoded, np.eye(len(weights))[weights.index(max(weights))])


class TestTemperature:
    @given(WEIGHTS)
    def test_of_one_changes_nothing(self, weights):
        p = np.array(weights) / sum(weights)
        assert_allclose(Temperature(1)(p), Ancestral()(p), rtol=1e-14)

    @pytest.mark.parametrize("temperature", [0.5, 2.0])
    def test_equals_the_softmax_of_divided_logits(self, temperature):
        logits = np.random.default_rng(0).normal(scale=3, size=50)
        p = np.exp(logits) / np.exp(logits).sum()
        expected = np.exp(logits / temperature) / np.exp(logits / temperature).sum()
        assert_allclose(Temperature(temperature)(p), expected, rtol=1e-12)

    def test_near_zero_is_greedy_and_a_high_one_uniform(self):
        p = np.array([0.2, 0.5, 0.3, 0.0])
        assert_array_equal(Temperature(1e-300)(p), Greedy()(p))
        assert_allclose(Temperature(1e9)(p), [1 / 3, 1 / 3, 1 / 3, 0], rtol=1e-8)


class TestTopK:
    @given(WEIGHTS, st.integers(1, 35))
    def test_keeps_the_k_most_probable_tokens(self, weights, k):
        decoded = TopK(k)(np.array(weights) / sum(weights))
        assert_allclose(decoded, shares(weights, most_probable(weights)[:k]), rtol=1e-14)

    def test_of_one_is_greedy(self):
        p = np.array([0.1, 0.4, 0.4, 0.1])
        assert_array_equal(TopK(1)(p), Greedy()(p))


class TestNucleus:
    @pytest.mark.parametrize(
        ("p", "tokens"),
        [
            (0.39, [0]),
            (0.4, [0]),
            (0.41, [0, 2]),  # 0.4 falls short, so the token that crosses is kept too
            (0.7, [0, 2]),
            (0.9, [0, 1, 2]),  # 0.4 + 0.3 + 0.2, which is 0.8999999999999999 in floats
            (0.91, [0, 1, 2, 3]),
            (1, [0, 1, 2, 3]),
        ],
    )
    def test_hand_values(self, p, tokens):
        weights = [0.4, 0.2, 0.3, 0.1]
        assert_allclose(Nucleus(p)(np.array(weights)), shares(weights, tokens), rtol=1e-14)

    def test_tokens_of_equal_probability_are_taken_from_the_first_on(self):
        assert_array_equal(Nucleus(0.5)(np.full(4, 0.25)), [0.5, 0.5, 0, 0])

    @given(WEIGHTS, st.data())
    def test_is_the_smallest_set_that_reaches_p(self, weights, data):
        target = data.draw(st.integers(1, sum(weights)))
        _check_nucleus(weights, target)

    # Probabilities from 0.1 down to 1e-8, as a language model has them.
    @given(st.integers(0, 10**6))
    @example(0)
    @example(10**6)
    def test_is_the_smallest_set_among_many_tokens(self, target):
        weights = (10**6 / np.arange(1, 1001) ** 2).astype(int)
        shuffled = np.random.default_rng(0).permutation(weights).tolist()
        _check_nucleus(shuffled, 1 + target * (sum(shuffled) - 1) // 10**6)


def _check_nucleus(weights, target):
    """Compare with the first tokens whose weights add up to `target`, in whole numbers."""
    ranked = most_probable(weights)
    totals = accumulate(weights[token] for token in ranked)
    size = 1 + sum(total < target for total in totals)
    decoded = Nucleus(target / sum(weights))(np.array(weights) / sum(weights))
    assert sorted(np.flatnonzero(decoded)) == sorted(ranked[:size])
    assert_allclose(decoded, shares(weights, ranked[:size]), rtol=1e-13)


class TestParseDecoder:
    @pytest.mark.parametrize(
        ("spec", "expected"),
        [
            ("greedy", Greedy()),
            ("ancestral", Ancestral()),
            ("temperature:0.7", Temperature(0.7)),
            ("temperature:2", Temperature(2)),
            ("topk:40", TopK(40)),
            ("nucleus:0.9", Nucleus(0.9)),
            ("nucleus:.95", Nucleus(0.95)),
            ("nucleus:1", Nucleus(1)),
        ],
    )
    def test_names_and_numbers(self, spec, expected):
        assert parse_decoder(spec) == expected

    def test_every_registered_decoder_is_named_here(self):
        assert {spec.split(":")[0] for spec in SPECS} == set(DECODERS)

    @pytest.mark.parametrize(
        "spec",
        ["", "beam", "Greedy", "nucleus", "nucleus:", "nucleus:most", "greedy:1", "greedy:", ":1"],
    )
    def test_malformed_specs_are_refused(self, spec):
        match = rf"one of 'greedy', .* 'nucleus:NUMBER'\. Got '{spec}' instead"
        with pytest.raises(InvalidParameterError, match=match):
            parse_decoder(spec)

    @pytest.mark.parametrize(
        ("spec", "match"),
        [
            ("topk:0", "'k' parameter of TopK must be an int of at least 1. Got 0 instead"),
            ("topk:2.5", "'k' parameter of TopK must be an int of at least 1. Got 2.5 instead"),
            ("nucleus:0", "'p' parameter of Nucleus must be a real number above 0 and at most 1"),
            ("nucleus:1.5", "'p' parameter of Nucleus .* Got 1.5 instead"),
            ("nucleus:nan", "'p' parameter of Nucleus .* Got nan instead"),
            ("temperature:0", "'temperature' parameter of Temperature must be a real number abov"),
            ("temperature:-1", "'temperature' parameter of Temperature .* Got -1.0 instead"),
            ("temperature:inf", "'temperature' parameter of Temperature .* Got inf instead"),
        ],
    )
    def test_numbers_out_of_range_are_refused(self, spec, match):
        with pytest.raises(InvalidParameterError, match=match):
            parse_decoder(spec)
