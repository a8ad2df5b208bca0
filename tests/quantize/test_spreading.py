"""The network that spreads texts over a sphere: its losses, gradients and training."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from mauve.errors import ConvergenceError, InvalidParameterError
from mauve.quantize.lattice import Lattice

pytest.importorskip("torch")

import torch

from mauve.quantize import spreading
from mauve.quantize.spreading import (
    Network,
    apply_layers,
    mine_negatives,
    nearest_texts,
    rate_at,
    spread_losses,
    train,
)

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of torch wait for each other where several tests run at once."""
    with threadpool_limits(limits=1):
        yield


def rng(seed):
    return np.random.default_rng(seed)


def clustered(seed, n, d=10, centres=12):
    """Texts of a few topics: the same topics for every seed, other texts."""
    middle = rng(99).normal(size=(centres, d))
    drawn = rng(seed)
    features = middle[drawn.integers(centres, size=n)] + 0.3 * drawn.normal(size=(n, d))
    return features.astype(np.float32)


def on_sphere(seed, *shape):
    y = torch.from_numpy(rng(seed).normal(size=shape)).float()
    return torch.nn.functional.normalize(y, dim=-1)


def losses_for_autograd(outputs):
    """Both losses as torch would have them, in formulas that differ from those tested."""
    anchor, positive, negative = outputs.unbind(dim=1)
    excess = (anchor - positive).norm(dim=1) - (anchor - negative).norm(dim=1)
    square = (anchor[:, None] - anchor).square().sum(dim=-1) + 8 * torch.eye(len(anchor))
    return torch.stack([excess.relu().mean(), (square.amin(dim=1) + 1e-6).log().mean() / -2])


def test_losses_by_hand():
    one, two, three = np.eye(4)[:3]
    outputs = torch.tensor(np.array([[one, one, two], [two, three, two], [-one, one, two]]))
    triplet, koleo = spread_losses(outputs, 1.0)[0].tolist()
    # Excesses 0 - √2, √2 - 0 and 2 - √2; the nearest other texts are √2 away, all three.
    assert triplet == pytest.approx((2**0.5 + 2 - 2**0.5) / 3)
    assert koleo == pytest.approx(-np.log(2**0.5), abs=1e-5)


@pytest.mark.parametrize("uniformity", [0.05, 1.0])
def test_losses_and_their_gradient_are_those_of_autograd(uniformity):
    outputs = on_sphere(0, 64, 3, 4).requires_grad_()
    triplet, koleo = expected = losses_for_autograd(outputs)
    (triplet + uniformity * koleo).backward()
    losses, gradient = spread_losses(outputs.detach(), uniformity)
    assert_allclose(losses, expected.detach(), rtol=1e-5)
    assert_allclose(gradient, outputs.grad, atol=1e-5)


def test_koleo_is_lower_where_texts_are_spread():
    y = on_sphere(0, 64, 3, 4)
    narrow = torch.nn.functional.normalize(y + torch.tensor([2.0, 0, 0, 0]), dim=-1)
    assert spread_losses(y, 1.0)[0][1] < spread_losses(narrow, 1.0)[0][1]


def test_copies_are_not_driven_apart():
    y = on_sphere(1, 8, 3, 4)
    y[:] = y[0, 0]
    losses, gradient = spread_losses(y, 1.0)
    assert torch.isfinite(losses).all()
    assert_allclose(gradient, 0)


@pytest.mark.parametrize("layers", [2, 3])
def test_steps_are_those_of_autograd_and_sgd(layers):
    """Three roles in one call are three calls of a usual network; five updates end alike."""
    settings = Lattice(width=16, layers=layers, batch_size=8, momentum=0.5)
    network = Network(6, settings, CPU, rng(2))
    modules = []
    for matrix, _, _ in network.hidden:
        linear = torch.nn.Linear(*matrix.shape, bias=False)
        linear.weight.data.copy_(matrix.T)
        modules += [linear, torch.nn.BatchNorm1d(16), torch.nn.ReLU()]
    last = torch.nn.Linear(16, 4)
    last.weight.data.copy_(network.last[0])
    last.bias.data.copy_(network.last[1])
    usual = torch.nn.Sequential(*modules, last)
    sgd = torch.optim.SGD(usual.parameters(), lr=0.1, momentum=0.5)

    x = torch.from_numpy(clustered(3, 40, d=6))
    triplets = torch.from_numpy(rng(4).integers(40, size=(40, 3)))
    mean = spreading._Steps(network, x, settings).run(triplets, rate=0.1)
    total = torch.zeros(2)
    for batch in triplets.split(8):
        roles = [torch.nn.functional.normalize(usual(x[rows]), dim=1) for rows in batch.T]
        losses = losses_for_autograd(torch.stack(roles, dim=1))
        sgd.zero_grad()
        losses.sum().backward()
        sgd.step()
        total += losses.detach()

    assert_allclose(mean, total / 5, rtol=1e-3)
    ours = [p.T if p.ndim == 2 and p is not network.last[0] else p for p in network.parameters]
    for found, expected in zip(ours, usual.parameters(), strict=True):
        assert_allclose(found, expected.detach(), atol=1e-3)


def test_folded_layers_are_the_network_on_all_texts():
    network = Network(10, Lattice(width=32, layers=3), CPU, rng(4))
    x = torch.from_numpy(clustered(5, 300))
    layers, spread = network.fold(x)
    assert_allclose(spread, network.forward(x, roles=1)[0], atol=1e-5)
    assert_allclose(spread, apply_layers(layers, x), atol=1e-5)


def test_the_rate_is_cut_at_half_and_at_three_quarters():
    rates = [rate_at(epoch, Lattice(epochs=8)) for epoch in range(8)]
    assert_allclose(rates, [0.1] * 4 + [0.05] * 2 + [0.01] * 2)


def test_nearest_texts_against_distances(monkeypatch):
    monkeypatch.setattr(spreading, "_CHUNK", 32)
    x = torch.from_numpy(clustered(6, 100))
    found = nearest_texts(x, x, 5, exclude_self=True)
    distance = torch.cdist(x, x).fill_diagonal_(float("inf"))
    assert_array_equal(found, distance.argsort(dim=1)[:, :5])


def test_negatives_have_the_rank_asked_for():
    y = on_sphere(7, 200, 4)
    ranked = torch.cdist(y, y).argsort(dim=1)
    assert_array_equal(mine_negatives(y, y, 20, rng(0)), ranked[:, 20])
    assert_array_equal(nearest_texts(y, y, 21)[:, -1], ranked[:, 20])  # as on a GPU


def test_negatives_of_a_large_sample_are_sought_in_a_part(monkeypatch):
    """The mean true rank is near the one asked for.

    Rank 5 of 100 drawn from 1,000 has rank 50 on average, and the mean of 1,000 is within
    10 of it but for a chance below 1e-6. Guards against a rank that is not scaled.
    """
    monkeypatch.setattr(spreading, "_MAX_MINED", 100)
    y = on_sphere(8, 1000, 4)
    negative = mine_negatives(y, y, 50, rng(1))
    distance = torch.cdist(y, y)
    ranks = (distance < distance.gather(1, negative[:, None])).sum(dim=1)
    assert 35 < ranks.float().mean() < 65


def test_training_spreads_held_out_texts_and_keeps_neighbours():
    """Both held-out losses fall; the texts cover more cells, evenly, and topics stay together."""
    features, new = clustered(9, 800), clustered(10, 800)
    settings = Lattice(epochs=12, width=64, patience=12)
    start = train(features, Lattice(epochs=1, width=64, learning_rate=1e-6), CPU, rng(0))
    end = train(features, settings, CPU, rng(0))
    triplet, koleo = end.held_out_losses.T
    assert end.held_out_losses.shape == (12, 2)
    assert koleo[-1] < koleo[0] - 0.2
    assert triplet[-1] + koleo[-1] < triplet[0] + koleo[0]
    assert cell_entropy(end, new) > cell_entropy(start, new) + 0.5
    assert neighbours_kept(end, new) > 5 * 10 / 800  # five times what chance keeps


def cell_entropy(cells, features):
    counts = np.bincount(cells.assign(features), minlength=744)
    share = counts[counts > 0] / counts.sum()
    return -(share * np.log(share)).sum()


def neighbours_kept(cells, features):
    """Share of the ten nearest texts that are among the ten nearest on the sphere."""
    x, y = torch.from_numpy(features), torch.from_numpy(cells.spread(features))
    before = nearest_texts(x, x, 10, exclude_self=True)
    after = nearest_texts(y, y, 10, exclude_self=True)
    return (before[:, :, None] == after[:, None]).any(dim=2).float().mean()


def test_early_stopping_keeps_the_best_epoch():
    settings = Lattice(epochs=60, width=32, patience=2, learning_rate=0.5)
    found = train(clustered(11, 300), settings, CPU, rng(1))
    total = found.held_out_losses.sum(axis=1)
    assert len(total) == len(found.losses) < 60
    assert total.argmin() == len(total) - 3


def test_scale_and_offset_of_the_features_do_not_matter():
    """Batch normalisation undoes both, at any size: its epsilon must not come into it."""
    features = clustered(12, 200)
    settings = Lattice(epochs=1, width=16)
    plain = train(features, settings, CPU, rng(2)).losses
    for scale in (2.0**-60, 2.0**40):
        assert_allclose(train(features * scale, settings, CPU, rng(2)).losses, plain, atol=1e-3)
    assert_allclose(train(features + 4, settings, CPU, rng(2)).losses, plain, atol=1e-2)


def test_progress_is_told_by_epoch():
    told = []
    settings = Lattice(epochs=3, width=8, on_epoch=lambda done, total: told.append((done, total)))
    train(clustered(13, 100), settings, CPU, rng(3))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_loss_that_is_no_number_stops_the_training(monkeypatch):
    monkeypatch.setattr(
        spreading,
        "spread_losses",
        lambda y, _: (torch.full((2,), float("nan")), torch.zeros(y.shape)),
    )
    with pytest.raises(
        ConvergenceError, match=r"nan.* in epoch 1: use a 'learning_rate' below 0.1"
    ):
        train(clustered(14, 100), Lattice(epochs=2, width=8), CPU, rng(4))


def test_a_rate_beyond_reason_is_told():
    with pytest.raises(ConvergenceError, match=r"in epoch \d: use a 'learning_rate' below 1e\+38"):
        train(clustered(14, 100), Lattice(epochs=4, width=8, learning_rate=1e38), CPU, rng(4))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_features_that_are_no_numbers(value):
    features = clustered(15, 100)
    features[3, 2] = value
    with (
        np.errstate(invalid="ignore"),
        pytest.raises(
            InvalidParameterError, match="'features' parameter of Lattice must be finite"
        ),
    ):
        train(features, Lattice(epochs=1, width=8), CPU, rng(5))
