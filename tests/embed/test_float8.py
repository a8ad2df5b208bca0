"""Products of 8-bit floats, which CPUs compute too, slowly: the numbers, not the speed."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from transformers import AutoModel

from mauve.embed.bundled import MODEL
from mauve.embed.float8 import Float8Linear, row_scaled, use_float8
from mauve.embed.replica import Replica
from mauve.embed.transformers import TransformersEmbedder
from mauve.errors import InvalidParameterError

#: Half of the distance of two numbers with three bits of mantissa, of the lower one.
STEP = 2**-4


def test_rounding_keeps_three_bits():
    """Of numbers down to 2^-6 / 448 of the largest of the row; smaller ones lose bits."""
    rows = torch.randn(300, 64, generator=torch.Generator().manual_seed(0))
    rows *= 10.0 ** torch.arange(-30, 30, 0.2)[:, None]
    rounded, scales = row_scaled(rows)
    assert rounded.dtype == torch.float8_e4m3fn
    assert scales.shape == (300, 1)
    largest = rows.abs().max(dim=1, keepdim=True).values
    least = largest * 2**-6 / 448
    error = (rounded.float() * scales - rows).abs()
    assert (error <= STEP * torch.maximum(rows.abs(), least) * 1.001).all()
    assert_allclose((rounded.float().abs().max(dim=1).values), 448)


def test_a_layer_is_the_product_of_what_was_rounded():
    """Beside it the sums, of 32 bits, and the result, of 8 bits of mantissa."""
    generator = torch.Generator().manual_seed(0)
    weight, states = (torch.randn(n, 48, generator=generator).bfloat16() for n in (32, 7))
    bias = torch.randn(32, generator=generator).bfloat16()
    out = Float8Linear(weight, bias)(states)
    (a, a_scales), (b, b_scales) = row_scaled(states), row_scaled(weight)
    exact = (a.double() * a_scales) @ (b.double() * b_scales).T + bias.double()
    size = (a.double().abs() * a_scales) @ (b.double().abs() * b_scales).T + bias.double().abs()
    assert ((out.double() - exact).abs() <= 2**-8 * exact.abs() + 2**-14 * size).all()
    float32 = states.float() @ weight.float().T + bias.float()
    assert (out.float() - float32).norm() < 0.05 * float32.norm()


def test_features_are_close_to_those_of_float32():
    """Errors of 4% in each of 16 products add up to 16%: a cosine of 0.987; 0.987 is seen."""
    ids = [[*range(start, start + n)] for start, n in ((5, 40), (300, 1), (700, 13))]
    features = []
    for dtype, is_float8 in ((torch.float32, False), (torch.bfloat16, True)):
        model = AutoModel.from_pretrained(MODEL, dtype=dtype)
        device = torch.device("cpu")
        replica = Replica(model, device, True, "last", -1, 0, is_float8=is_float8)
        hidden, _ = replica.forward(ids).on_host()
        features.append(hidden.astype(np.float64))
    a, b = features
    cosine = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert cosine.min() > 0.97
    assert cosine.max() < 1 - 1e-5  # bfloat16 alone has 1e-5


def test_the_layers_of_all_blocks_are_replaced():
    model = AutoModel.from_pretrained(MODEL, dtype=torch.bfloat16)
    assert use_float8(model) == 4 * model.config.n_layer
    assert model.dtype == torch.bfloat16
    assert use_float8(model) == 0


def test_odd_sides_stay():
    class Odd(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.odd, self.even = torch.nn.Linear(15, 16), torch.nn.Linear(16, 32)

    odd = Odd()
    odd.base_model = odd.odd  # no parts of its own
    assert use_float8(odd) == 0
    odd.base_model = torch.nn.Sequential(odd.odd, odd.even)
    assert use_float8(odd) == 1


def test_hardware_without_it_is_refused():
    with pytest.raises(InvalidParameterError, match=r"'dtype' .*'float8' on cpu, .*'bfloat16'"):
        TransformersEmbedder(MODEL, device="cpu", dtype="float8")


def test_models_that_are_not_causal_are_refused(tiny):
    with pytest.raises(InvalidParameterError, match="not causal"):
        TransformersEmbedder(tiny("bert"), device="cpu", dtype="float8")
