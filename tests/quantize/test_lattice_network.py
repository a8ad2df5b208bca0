"""The network that spreads texts over a sphere: its losses, gradients and updates."""

import numpy as np
import pytest
from clustered_features import clustered
from numpy.testing import assert_allclose, assert_array_equal

pytest.importorskip("torch")

import torch

from mauve.quantize.lattice_network import (
    Network,
    Steps,
    apply_layers,
    mean_losses,
    mine_negatives,
    nearest_texts,
    spread_losses,
)

CPU = torch.device("cpu")

pytestmark = pytest.mark.usefixtures("one_thread")


def rng(seed):
    return np.random.default_rng(seed)


def on_sphere(seed, *shape):
    y = torch.from_numpy(rng(seed).normal(size=shape)).float()
    return torch.nn.functional.normalize(y, dim=-1)


def plain_losses(outputs):
    """Both losses from all distances, in formulas that differ from those tested."""
    anchor, positive, negative = outputs.unbind(dim=1)
    excess = (anchor - positive).norm(dim=1) - (anchor - negative).norm(dim=1)
    square = (anchor[:, None] - anchor).square().sum(dim=-1) + 8 * torch.eye(len(anchor))
    return torch.stack([excess.relu().mean(), (square.amin(dim=1) + 1e-6).log().mean() / -2])


def test_losses_by_hand():
    x, y, z = np.eye(4)[:3]
    outputs = torch.tensor(np.array([[x, x, y], [y, z, y], [-x, x, y]]))
    triplet, koleo = spread_losses(outputs)
    # Excesses 0 - √2, √2 - 0 and 2 - √2; the nearest other texts are √2 away, all three.
    assert float(triplet) == pytest.approx((2**0.5 + 2 - 2**0.5) / 3)
    assert float(koleo) == pytest.approx(-np.log(2**0.5), abs=1e-5)


def gradient_of(losses, outputs, uniformity):
    outputs = outputs.clone().requires_grad_()
    triplet, koleo = losses(outputs)
    (triplet + uniformity * koleo).backward()
    return outputs.grad


@pytest.mark.parametrize("uniformity", [0.05, 1.0])
def test_losses_and_their_gradient_are_those_of_all_distances(uniformity):
    outputs = on_sphere(0, 64, 3, 4)
    assert_allclose(torch.stack(spread_losses(outputs)), plain_losses(outputs), rtol=1e-5)
    assert_allclose(
        gradient_of(spread_losses, outputs, uniformity),
        gradient_of(plain_losses, outputs, uniformity),
        atol=1e-5,
    )


def test_mean_losses_are_those_of_full_batches():
    outputs = on_sphere(2, 20, 3, 4)
    batches = [torch.stack(spread_losses(outputs[start : start + 8])) for start in (0, 8)]
    assert_allclose(mean_losses(outputs, 8), sum(batches) / 2, rtol=1e-6)
    assert_allclose(mean_losses(outputs[:5], 8), torch.stack(spread_losses(outputs[:5])))


def test_koleo_is_lower_where_texts_are_spread():
    y = on_sphere(0, 64, 3, 4)
    narrow = torch.nn.functional.normalize(y + torch.tensor([2.0, 0, 0, 0]), dim=-1)
    assert spread_losses(y)[1] < spread_losses(narrow)[1]


def test_copies_are_not_pushed_apart():
    y = on_sphere(1, 8, 3, 4)
    y[:] = y[0, 0]
    assert torch.isfinite(torch.stack(spread_losses(y))).all()
    assert_allclose(gradient_of(spread_losses, y, 1.0), 0)


@pytest.mark.parametrize("layers", [2, 3])
def test_steps_are_those_of_a_network_of_torch_modules(layers):
    """Three roles in one call are three calls of a usual network; five updates end alike."""
    network = Network(6, 16, 4, n_layers=layers, device=CPU, rng=rng(2))
    modules = []
    for matrix, _, _ in network.hidden:
        linear = torch.nn.Linear(*matrix.shape, bias=False)
        linear.weight.data.copy_(matrix.detach().T)
        modules += [linear, torch.nn.BatchNorm1d(16), torch.nn.ReLU()]
    last = torch.nn.Linear(16, 4)
    last.weight.data.copy_(network.last[0])
    last.bias.data.copy_(network.last[1])
    usual = torch.nn.Sequential(*modules, last)
    sgd = torch.optim.SGD(usual.parameters(), lr=0.1, momentum=0.5)

    x = torch.from_numpy(clustered(3, 40, d=6))
    triplets = torch.from_numpy(rng(4).integers(40, size=(40, 3)))
    steps = Steps(network, x, batch_size=8, momentum=0.5, uniformity=1.0)
    mean = steps.run(triplets, rate=0.1)
    total = torch.zeros(2)
    for batch in triplets.split(8):
        roles = [torch.nn.functional.normalize(usual(x[rows]), dim=1) for rows in batch.T]
        losses = plain_losses(torch.stack(roles, dim=1))
        sgd.zero_grad()
        losses.sum().backward()
        sgd.step()
        total += losses.detach()

    assert_allclose(mean, total / 5, rtol=1e-3)
    ours = [p.T if p.ndim == 2 and p is not network.last[0] else p for p in network.parameters]
    for parameter, expected in zip(ours, usual.parameters(), strict=True):
        assert_allclose(parameter.detach(), expected.detach(), atol=1e-3)


def test_folded_layers_are_the_network_on_all_texts():
    network = Network(10, 32, 4, n_layers=3, device=CPU, rng=rng(4))
    x = torch.from_numpy(clustered(5, 300))
    layers, spread = network.fold(x)
    assert_allclose(spread, network.forward(x, roles=1).detach(), atol=1e-5)
    assert_allclose(spread, apply_layers(layers, x), atol=1e-5)


def test_nearest_texts_against_distances():
    x = torch.from_numpy(clustered(6, 100))
    nearest = nearest_texts(x, x, 5, exclude_self=True, chunk=32)
    distance = torch.cdist(x, x).fill_diagonal_(float("inf"))
    assert_array_equal(nearest, distance.argsort(dim=1)[:, :5])


def test_negatives_have_the_requested_rank():
    y = on_sphere(7, 200, 4)
    ranked = torch.cdist(y, y).argsort(dim=1)
    assert_array_equal(mine_negatives(y, y, 20, rng(0)), ranked[:, 20])
    assert_array_equal(nearest_texts(y, y, 21)[:, -1], ranked[:, 20])  # as on a GPU


def test_negatives_of_a_large_sample_are_sought_in_a_part():
    """The mean true rank is near the requested one.

    Rank 5 of 100 drawn from 1,000 has rank 50 on average, and the mean of 1,000 is within
    10 of it but for a chance below 1e-6. Guards against a rank that is not scaled.
    """
    y = on_sphere(8, 1000, 4)
    negative = mine_negatives(y, y, 50, rng(1), max_texts=100)
    distance = torch.cdist(y, y)
    ranks = (distance < distance.gather(1, negative[:, None])).sum(dim=1)
    assert 35 < ranks.float().mean() < 65
