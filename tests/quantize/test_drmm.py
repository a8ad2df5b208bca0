"""Deep residual mixture models, on the CPU."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax, logsumexp
from threadpoolctl import threadpool_limits

import mauve
from mauve.errors import ConvergenceError, InvalidParameterError

pytest.importorskip("torch")

import torch

from mauve.quantize.drmm import DRMM
from mauve.quantize.drmm_model import Gradient, Layers, Paths, Shape
from mauve.quantize.drmm_train import USAGE

SMALL = DRMM(n_layers=2, n_components=3, epochs=5)


@pytest.fixture(autouse=True)
def one_thread():
    """Threads of torch wait for each other where several tests run at once."""
    with threadpool_limits(limits=1):
        yield


def make_features(seed, n=600, d=6):
    return np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32)


def make_paths(seed, n=600, d=8, noise=0.1):
    """Return texts that are a sum of one of three points and one of three nearer ones."""
    rng = np.random.default_rng(seed)
    far, near = 10 * np.eye(d)[:3], 2 * np.eye(d)[3:6]
    path = rng.integers(3, size=(2, n))
    texts = far[path[0]] + near[path[1]] + rng.normal(scale=noise, size=(n, d))
    return texts.astype(np.float32), path[0] * 3 + path[1]


def make_deep(seed, n=2000, d=20, noise=0.4):
    """Return texts that are sums of three random points, one of six in each layer."""
    rng = np.random.default_rng(seed)
    texts = rng.normal(scale=noise, size=(n, d))
    for layer in range(3):
        texts += rng.normal(scale=0.6**layer, size=(6, d))[rng.integers(6, size=n)]
    return texts.astype(np.float32)


def make_layers(seed, n_layers=3, n_components=4, dim=5):
    """Return a model with random parameters, none of them special."""
    layers = Layers.zeros(Shape(n_layers, n_components, dim), torch.device("cpu"))
    layers.theta.normal_(generator=torch.Generator().manual_seed(seed))
    return layers


def fit(quantizer, features, seed=0):
    return quantizer.fit(features, quantizer.num_buckets, np.random.default_rng(seed))


def plain_loss(layers, x, rho):
    """The loss as its formula says, with residuals formed, for autograd."""
    dim = x.shape[1]
    residual, chosen, loss = x, [], 0
    for layer in range(len(layers.means)):
        log_variance = layers.log_variances[layer]
        distance = (residual[:, None] - layers.means[layer]).square().sum(dim=-1)
        log_normal = -distance / (2 * log_variance.exp()) - dim / 2 * log_variance
        latent = torch.zeros_like(log_normal)
        for j, earlier in enumerate(chosen):
            latent = latent + layers.tables[layer, :, j].log_softmax(dim=-1).T[earlier]
        log_joint = layers.logits[layer].log_softmax(dim=-1) + log_normal + latent
        expected = (log_normal + rho * latent).argmax(dim=1, keepdim=True)
        loss = loss - log_joint.gather(1, expected).mean()
        loss = loss - USAGE * log_normal.max(dim=0).values.mean()
        chosen.append(log_joint.argmax(dim=1))
        residual = (residual - layers.means[layer][chosen[-1]]).detach()
    return loss


@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_gradient_is_that_of_the_loss(rho):
    layers = make_layers(0)
    x = torch.from_numpy(make_features(1, n=64, d=5))
    found = Gradient(layers, 64, USAGE)(x, x.square().sum(dim=1, keepdim=True), rho)
    parts = [layers.means, layers.log_variances, layers.logits, layers.tables]
    leaves = [part.clone().requires_grad_() for part in parts]
    plain_loss(Layers(layers.theta, *leaves), x, rho).backward()
    expected = torch.cat([leaf.grad.flatten() for leaf in leaves])
    assert_allclose(found, expected, atol=2e-5)
    assert expected.abs().max() > 0.1


def brute_force(layers, x):
    """log p(x, path) for every path, by the formula, in double precision."""
    dim = x.shape[1]
    means, tables = layers.means.numpy().astype(float), layers.tables.numpy().astype(float)
    variance = np.exp(float(layers.log_variances[-1]))
    log_w = log_softmax(layers.logits[-1].numpy().astype(float))
    columns = []
    for path in product(range(means.shape[1]), repeat=len(means)):
        centre = sum(means[layer, k] for layer, k in enumerate(path))
        column = -((x - centre) ** 2).sum(axis=1) / (2 * variance)
        column += log_w[path[-1]] - dim / 2 * np.log(2 * np.pi * variance)
        for j, k in enumerate(path[:-1]):
            column += log_softmax(tables[-1, path[-1], j])[k]
        columns.append(column)
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_path_and_likelihood_are_those_of_brute_force(n_layers):
    layers = make_layers(2, n_layers=n_layers)
    features = make_features(3, n=200, d=5)
    expected, paths = brute_force(layers, features.astype(float)), Paths.of(layers)
    x = torch.from_numpy(features)
    assert_array_equal(paths.most_likely(x), expected.argmax(axis=1))
    assert_allclose(paths.log_likelihood(x), logsumexp(expected, axis=1), rtol=1e-4)


def test_density_integrates_to_one():
    features = make_features(4, d=1)
    line = np.linspace(-8, 8, 20_001, dtype=np.float32)[:, None]
    density = np.exp(fit(SMALL, 5 * features).log_likelihood(5 * line))
    assert_allclose(density.sum() * 5 * 16 / 20_000, 1, rtol=1e-3)


def test_finds_the_paths_that_made_the_texts():
    features, path = make_paths(5)
    labels = fit(SMALL, features).assign(features)
    assert labels.dtype == np.int32
    pairs = set(zip(labels.tolist(), path.tolist(), strict=True))
    assert len(pairs) == len({label for label, _ in pairs}) == 9
    # The first layer tells the far points apart: cells 0 to 2 share one of them, and so on.
    assert len({(label // 3, true // 3) for label, true in pairs}) == 3


def test_training_raises_the_likelihood_of_new_texts():
    """Guards against training that undoes the start.

    The seeds are fixed. Should the random stream change: of 100 fits 90 raised it, the mean of
    four did in all but 0.1 % of draws from those (the start is good, and the loss counts one path
    of each text only).
    """
    settings = DRMM(n_layers=3, n_components=6, patience=20, held_out=0.3)
    history = np.mean([fit(settings, make_deep(seed), seed).history for seed in range(4)], axis=0)
    assert history.shape == (21,)
    assert history[0] < history[20]


def test_training_makes_up_for_a_bad_start(monkeypatch):
    """Guards against a wrong sign, from random texts as means.

    The seeds are fixed; none of 100 others failed, so the false-alarm probability is below 3 %.
    """
    monkeypatch.setattr("mauve.quantize.drmm_train._LLOYD", 0)
    settings = DRMM(n_layers=2, n_components=5, patience=20, held_out=0.3)
    history = fit(settings, make_features(6, n=1500, d=8)).history
    assert history[0] < history[5] < history[10]
    assert history[20] > history[0] + 0.4


def test_every_component_is_used():
    features = make_features(8, n=2000, d=30)
    labels = fit(DRMM(n_layers=2, n_components=10, epochs=5), features).assign(features)
    assert len(np.unique(labels // 10)) == len(np.unique(labels % 10)) == 10
    assert len(np.unique(labels)) > 80


def test_same_seed_same_labels_and_another_others():
    features = make_features(9)
    one, two, other = (fit(SMALL, features, seed).assign(features) for seed in (1, 1, 2))
    assert_array_equal(one, two)
    assert (one != other).any()


def test_threads_do_not_change_the_labels():
    features = make_features(10, n=700, d=300)
    alone = fit(SMALL, features)
    with threadpool_limits(limits=2):
        shared = fit(SMALL, features)
        assert_array_equal(shared.assign(features), alone.assign(features))
    assert torch.equal(shared.layers.theta, alone.layers.theta)


def test_fits_on_several_threads_at_once():
    features = make_features(11)
    expected = [fit(SMALL, features, seed).assign(features) for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda seed: fit(SMALL, features, seed).assign(features), range(4))
        for labels, alone in zip(found, expected, strict=True):
            assert_array_equal(labels, alone)


def test_unit_of_the_features_does_not_matter():
    features = make_features(12)
    one, two = (fit(SMALL, features * unit) for unit in (np.float32(1), np.float32(2**-40)))
    assert_array_equal(one.assign(features), two.assign(features * np.float32(2**-40)))
    shift = 6 * 40 * np.log(2)  # a density grows as its unit shrinks
    found = two.log_likelihood(features * np.float32(2**-40))
    assert_allclose(found, one.log_likelihood(features) + shift, rtol=1e-6)


def test_global_random_state_is_left_alone():
    before = torch.get_rng_state()
    fit(SMALL, make_features(13))
    assert torch.equal(torch.get_rng_state(), before)


def test_texts_that_the_components_fit_exactly():
    features, path = make_paths(14, noise=0)
    labels = fit(SMALL, features).assign(features)
    assert len(set(zip(labels.tolist(), path.tolist(), strict=True))) == 9


def test_early_stopping_keeps_the_best_model():
    features = make_features(15, n=500, d=20)
    settings = DRMM(n_layers=1, n_components=20, epochs=40, patience=2, learning_rate=0.05)
    fitted = fit(settings, features)
    best = int(np.argmax(fitted.history))
    assert len(fitted.history) == best + 3 < 41
    seed = int(np.random.default_rng(0).integers(1 << 63))
    held_out = torch.randperm(500, generator=torch.Generator().manual_seed(seed))[:50]
    found = fitted.log_likelihood(features[held_out.numpy()]).mean()
    assert_allclose(found, fitted.history[best], rtol=1e-5)


def test_progress():
    calls = []
    settings = DRMM(n_layers=1, n_components=2, epochs=3, on_epoch=lambda *done: calls.append(done))
    assert fit(settings, make_features(16)).history == ()
    assert calls == [(1, 3), (2, 3), (3, 3)]


def test_signature():
    assert DRMM().signature == "drmm:3x10:epochs-20:batch-64:lr-0.005"
    assert DRMM(patience=3, device="cuda").signature.endswith(":lr-0.005:stop-3-0.1")
    assert DRMM(on_epoch=print) == DRMM()
    assert (DRMM().num_buckets, SMALL.num_buckets) == (1000, 9)


def test_works_as_the_quantizer_of_a_comparison():
    rng = np.random.default_rng(17)
    human, model = rng.normal(size=(2, 200, 4))
    settings = {"n_clusterings": 5, "n_permutations": 20, "num_buckets": 9}
    here = mauve.compare(human, model + 0.5, **settings)["model"]
    there = mauve.compare(human, model + 0.5, quantizer=SMALL, **settings)["model"]
    assert abs(here.mauve - there.mauve) < 0.1
    assert "quant:drmm:2x3:epochs-5:batch-64:lr-0.005|" in there.signature


def test_import_does_not_need_torch():
    code = "import sys, mauve.quantize.drmm; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("n_layers", 0, "an int of at least 1"),
        ("n_components", 1, "an int of at least 2"),
        ("epochs", 2.5, "an int of at least 1"),
        ("batch_size", True, "an int of at least 1"),
        ("learning_rate", 0, "a real number above 0"),
        ("patience", 0, "an int of at least 1"),
        ("held_out", 0.6, "above 0 and at most 0.5"),
    ],
)
def test_settings_are_checked(name, value, rule):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of DRMM must be .*{rule}"):
        DRMM(**{name: value})


def test_another_number_of_clusters_is_refused():
    with pytest.raises(
        InvalidParameterError, match=r"'num_buckets' .* 9 for a DRMM .* Got 10 inst"
    ):
        SMALL.fit(make_features(18), 10, np.random.default_rng(0))


@pytest.mark.parametrize("n_distinct", [1, 8])
def test_texts_too_much_alike_are_refused(n_distinct):
    features = np.repeat(make_features(19, n=n_distinct), 100, axis=0)
    with pytest.raises(InvalidParameterError, match=f"at least 9 diff.* Got {n_distinct} instead"):
        fit(SMALL, features)


def test_fewer_texts_than_a_batch_are_refused():
    with pytest.raises(
        InvalidParameterError, match=r"at least 64 texts, its 'batch_size'. Got 50 instead"
    ):
        fit(SMALL, make_features(20, n=50))


def test_features_that_are_not_finite_are_refused():
    features = make_features(21)
    features[3, 2] = np.nan
    with pytest.raises(InvalidParameterError, match=r"must be finite\. Got NaN or infinity"):
        fit(SMALL, features)


def test_divergence_is_an_error():
    settings = DRMM(n_layers=2, n_components=3, learning_rate=1e30)
    with pytest.raises(ConvergenceError, match=r"diverged in epoch 1 of 20: .* below 1e\+30"):
        fit(settings, make_features(22))
