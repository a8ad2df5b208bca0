"""Rules give the same sets of tokens in torch and NumPy, for one row and for many."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from mauve.lm.decoding import Ancestral, Greedy, MinP, Nucleus, Temperature, TopK, Typical
from mauve.lm.sampling import decode
from mauve.lm.truncation import nucleus, typical

DECODERS = [
    Greedy(), Ancestral(), Temperature(0.1), Temperature(0.7), Temperature(3.0),
    TopK(1), TopK(3), TopK(1000), Nucleus(0.1), Nucleus(0.5), Nucleus(0.9), Nucleus(1.0),
    Typical(0.2), Typical(0.9), Typical(1.0), MinP(0.05), MinP(0.5), MinP(1.0),
    Nucleus(0.9, temperature=0.7),
]  # fmt: skip


def by_rows(decoder, rows):
    return np.stack([decoder(row) for row in rows])


def random_rows(n, size, spread, seed=0):
    logits = np.random.default_rng(seed).normal(scale=spread, size=(n, size))
    weights = np.exp(logits)
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("spread", [0.1, 2, 10])
def test_same_as_numpy(decoder, spread):
    rows = random_rows(40, 50, spread)
    expected = by_rows(decoder, rows)
    assert_allclose(decode(decoder, torch.from_numpy(rows)).numpy(), expected, rtol=1e-12)
    assert_allclose(decode(decoder, rows), expected, rtol=1e-12)
    assert_allclose(decoder(rows.reshape(4, 10, 50)).reshape(40, 50), expected, rtol=1e-12)


# Few different numbers, so that most are equal to others, and zeros among them.
@given(
    rows=hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 9)),
                    elements=st.integers(0, 3)).filter(lambda rows: (rows.sum(axis=1) > 0).all()),
    decoder=st.sampled_from(DECODERS),
)  # fmt: skip
def test_ties_go_to_the_lowest_ids(rows, decoder):
    shares = rows / rows.sum(axis=1, keepdims=True)
    decoded = decode(decoder, torch.from_numpy(shares)).numpy()
    assert_allclose(decoded, by_rows(decoder, shares), rtol=1e-12)
    assert_array_equal(decoded > 0, by_rows(decoder, shares) > 0)


def test_a_sum_that_falls_short_by_a_rounding():
    shares = np.array([[0.4, 0.3, 0.2, 0.1]])
    assert 0.4 + 0.3 + 0.2 < 0.9
    decoded = decode(Nucleus(0.9), torch.from_numpy(shares)).numpy()
    assert_array_equal(decoded > 0, [[True, True, True, False]])


@pytest.mark.parametrize("spread", [0.1, 4])
@pytest.mark.parametrize(("rule", "decoder"), [(nucleus, Nucleus(0.95)), (typical, Typical(0.95))])
def test_sets_larger_than_the_head(rule, decoder, spread):
    rows = random_rows(30, 200, spread)
    expected = by_rows(decoder, rows)
    for n_head in (1, 8, 1000):
        assert_allclose(rule(rows, 0.95, n_head=n_head), expected, rtol=1e-12)
        in_torch = rule(torch.from_numpy(rows), 0.95, n_head=n_head).numpy()
        assert_allclose(in_torch, expected, rtol=1e-12)


def test_typical_against_the_definition_token_by_token():
    for row in random_rows(50, 40, 2):
        surprise = [-np.log(p) for p in row]
        entropy = sum(p * s for p, s in zip(row, surprise, strict=True))
        order = sorted(range(40), key=lambda i: (abs(surprise[i] - entropy), i))
        kept, mass = [], 0.0
        for token in order:
            kept.append(token)
            mass += row[token]
            if mass >= 0.7:
                break
        assert sorted(kept) == np.flatnonzero(Typical(0.7)(row)).tolist()


@pytest.mark.parametrize("decoder", DECODERS)
def test_float32_is_about_the_same(decoder):
    rows = random_rows(40, 5000, 3).astype(np.float32)
    decoded = decode(decoder, torch.from_numpy(rows)).double().numpy()
    wide = rows.astype(np.float64)
    expected = by_rows(decoder, wide / wide.sum(axis=1, keepdims=True))
    assert_allclose(decoded, expected, rtol=2e-6, atol=1e-40)


def test_a_low_temperature_makes_no_zeros_in_float32():
    decoded = decode(Temperature(0.1), torch.tensor([[1 - 1e-6, 1e-6]]))
    assert decoded[0, 1] == pytest.approx(1e-60, rel=1e-5)


def test_any_other_decoder():
    class Reversed(Greedy):
        def __call__(self, probabilities):
            return probabilities[::-1].copy()

    rows = random_rows(3, 7, 1)
    for decoder in (Reversed(), lambda row: row[::-1].copy()):
        decoded = decode(decoder, torch.from_numpy(rows)).numpy()
        assert_allclose(decoded, rows[:, ::-1], rtol=1e-12)
