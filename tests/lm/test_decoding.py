"""Decoders against their definitions, and the strings that name them."""

from itertools import accumulate

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mauve.errors import InvalidParameterError
from mauve.lm.decoding import (
    DECODERS,
    Adversarial,
    Ancestral,
    Beam,
    Contrastive,
    Greedy,
    MinP,
    Nucleus,
    Temperature,
    TopK,
    Typical,
    parse_decoder,
    parse_sampler,
)

# Whole numbers make equal probabilities frequent and sums comparable without rounding.
WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=30).filter(any)
SPECS = [
    "greedy", "ancestral", "temperature:0.7", "topk:3", "nucleus:0.8", "typical:0.8", "min-p:0.3",
]  # fmt: skip


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


class TestTypical:
    def test_hand_values(self):
        weights = [0.5, 0.2, 0.2, 0.1]  # surprise 0.69, 1.61, 1.61, 2.30; 1.22 expected
        p = np.array(weights)
        sets = {0.2: [1], 0.21: [1, 2], 0.4: [1, 2], 0.41: [0, 1, 2], 0.9: [0, 1, 2], 1: range(4)}
        for share, tokens in sets.items():
            assert_allclose(Typical(share)(p), shares(weights, list(tokens)), rtol=1e-14)

    def test_impossible_tokens_are_never_kept(self):
        assert_allclose(Typical(1)(np.array([0, 0.7, 0.3])), [0, 0.7, 0.3], rtol=1e-15)
        assert_allclose(Typical(0.99)(np.array([0, 0.7, 0.3])), [0, 0.7, 0.3], rtol=1e-15)


class TestMinP:
    @given(WEIGHTS, st.integers(1, 20))
    def test_keeps_what_is_a_share_of_the_most_probable(self, weights, twentieths):
        kept = [i for i, w in enumerate(weights) if 20 * w >= twentieths * max(weights)]
        decoded = MinP(twentieths / 20)(np.array(weights) / sum(weights))
        assert_allclose(decoded, shares(weights, kept), rtol=1e-13)

    def test_of_one_keeps_all_of_the_most_probable(self):
        assert_allclose(MinP(1)(np.array([0.4, 0.2, 0.4])), [0.5, 0, 0.5], rtol=1e-15)


class TestTemperatureBeforeTruncation:
    @pytest.mark.parametrize(
        ("both", "after"),
        [
            (TopK(2, temperature=0.5), TopK(2)),
            (Nucleus(0.6, temperature=0.5), Nucleus(0.6)),
            (Typical(0.6, temperature=0.5), Typical(0.6)),
            (MinP(0.3, temperature=0.5), MinP(0.3)),
        ],
    )
    def test_is_the_one_after_the_other(self, both, after):
        p = np.array([0.4, 0.3, 0.2, 0.1])
        assert_array_equal(both(p), after(Temperature(0.5)(p)))
        assert (both(p) != after(p)).any()


class TestParseDecoder:
    @pytest.mark.parametrize(
        ("spec", "expected", "canonical"),
        [
            ("greedy", Greedy(), "greedy"),
            ("ancestral", Ancestral(), "ancestral"),
            ("temperature:0.7", Temperature(0.7), "temperature:0.7"),
            ("temperature:temperature=2", Temperature(2), "temperature:2"),
            ("topk:40", TopK(40), "top-k:k=40"),
            ("top-k:k=500", TopK(500), "top-k:k=500"),
            ("nucleus:0.9", Nucleus(0.9), "nucleus:p=0.9"),
            ("nucleus:.95", Nucleus(0.95), "nucleus:p=0.95"),
            ("nucleus:1", Nucleus(1), "nucleus:p=1"),
            ("nucleus:p=0.9, temperature=0.8", Nucleus(0.9, temperature=0.8),
             "nucleus:p=0.9,temperature=0.8"),
            ("nucleus:temperature=1,p=0.9", Nucleus(0.9), "nucleus:p=0.9"),
            ("typical:0.2", Typical(0.2), "typical:p=0.2"),
            ("min-p:p=0.05", MinP(0.05), "min-p:p=0.05"),
            ("beam", Beam(4), "beam:b=4"),
            ("beam:8,no_repeat=4", Beam(8, no_repeat=4), "beam:b=8,no_repeat=4"),
            ("beam:b=8,length_power=0", Beam(8, length_power=0), "beam:b=8,length_power=0"),
            ("contrastive:k=5,alpha=0.4", Contrastive(5, 0.4), "contrastive:k=5,alpha=0.4"),
            ("contrastive", Contrastive(), "contrastive:k=4,alpha=0.6"),
            ("adversarial", Adversarial(), "adversarial"),
            ("adversarial:12.6,share=0.2", Adversarial(12.6, share=0.2),
             "adversarial:perplexity=12.6,share=0.2"),
        ],
    )  # fmt: skip
    def test_names_and_numbers(self, spec, expected, canonical):
        assert parse_decoder(spec) == expected
        assert str(expected) == canonical
        assert parse_decoder(canonical) == expected

    def test_which_depend_on_the_seed(self):
        random = {name for name, make in DECODERS.items() if make.is_random}
        assert set(DECODERS) - random == {"greedy", "beam", "contrastive"}

    @pytest.mark.parametrize("spec", ["", "Greedy", "beams:4", ":1", "nucleus,0.9"])
    def test_unknown_names_are_refused(self, spec):
        match = rf"one of greedy, beam, .* nucleus, .*, adversarial\. Got '{spec}' instead"
        with pytest.raises(InvalidParameterError, match=match):
            parse_decoder(spec)

    @pytest.mark.parametrize(
        ("spec", "match"),
        [
            ("nucleus", "of the form 'nucleus:p=NUMBER'. Got 'nucleus' instead: p is missing"),
            ("nucleus:temperature=2", "instead: p is missing"),
            ("nucleus:", "instead: p is '', which is not a number"),
            ("nucleus:most", "instead: p is 'most', which is not a number"),
            ("nucleus:0.9,0.8", "it has '0.8', and nucleus has the parameters p, temperature"),
            ("nucleus:p=0.9,p=0.8", "it has 'p=0.8', and nucleus has the parameters p, temp"),
            ("nucleus:k=9", "it has 'k=9', and nucleus has the parameters p, temperature"),
            ("greedy:1", "it has '1', and greedy has no parameters"),
            ("greedy:", "of the form 'greedy'. Got 'greedy:' instead"),
            ("beam:b=4,repeat=2", "beam has the parameters b, no_repeat, length_power"),
        ],
    )
    def test_unknown_parameters_are_refused(self, spec, match):
        with pytest.raises(InvalidParameterError, match=match):
            parse_decoder(spec)

    @pytest.mark.parametrize(
        ("spec", "problem"),
        [
            ("topk:0", "'k' must be an int of at least 1"),
            ("topk:2.5", "'k' must be an int of at least 1"),
            ("nucleus:0", "'p' must be a real number above 0 and at most 1"),
            ("nucleus:1.5", "'p' must be a real number above 0 and at most 1"),
            ("nucleus:nan", "'p' must be a real number above 0 and at most 1"),
            ("nucleus:0.9,temperature=0", "'temperature' must be a real number above 0"),
            ("typical:2", "'p' must be a real number above 0 and at most 1"),
            ("min-p:0", "'p' must be a real number above 0 and at most 1"),
            ("temperature:0", "'temperature' must be a real number above 0"),
            ("temperature:-1", "'temperature' must be a real number above 0"),
            ("temperature:inf", "'temperature' must be a real number above 0"),
            ("beam:0", "'b' must be an int of at least 1"),
            ("beam:4,no_repeat=-1", "'no_repeat' must be an int of at least 0"),
            ("contrastive:alpha=2", "'alpha' must be a real number above 0 and at most 1"),
            ("adversarial:1", "'perplexity' must be a real number above 1"),
            ("adversarial:share=1", "'share' must be a real number between 0 and 1, both excl"),
        ],
    )
    def test_numbers_out_of_range_are_refused(self, spec, problem):
        """The decoder is quoted, as it may be one of several."""
        match = rf"'spec' parameter of parse_decoder must be .*\. Got '{spec}' instead: {problem}"
        with pytest.raises(InvalidParameterError, match=match):
            parse_decoder(spec)

    @pytest.mark.parametrize("spec", ["beam:4", "contrastive", "adversarial"])
    def test_searches_have_no_distribution(self, spec):
        match = "distribution of the next token: one of greedy, ancestral, .*min-p. Got 'SPEC'"
        with pytest.raises(InvalidParameterError, match=match.replace("SPEC", spec)):
            parse_sampler(spec)
