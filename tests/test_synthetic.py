import numpy as np
import pytest

import mauve
from mauve.synthetic import FAULTS, synthetic_features


@pytest.fixture(scope="module")
def comparison():
    features = synthetic_features(seed=1)
    return mauve.compare(features.pop("human"), features, n_permutations=200)


def test_shapes_and_names():
    features = synthetic_features(150, 6)
    assert list(features) == ["human", *FAULTS]
    for made in features.values():
        assert made.shape == (150, 6)
        assert made.dtype == np.float32
        assert np.isfinite(made).all()


def test_same_seed_same_features():
    one, two, other = (synthetic_features(50, seed=seed) for seed in (3, 3, 4))
    for name in one:
        np.testing.assert_array_equal(one[name], two[name])
        assert not np.array_equal(one[name], other[name])


def test_samples_differ_from_each_other():
    features = synthetic_features(50)
    first_rows = {made[0].tobytes() for made in features.values()}
    assert len(first_rows) == len(features)


def test_faults_are_as_described():
    features = synthetic_features(2000, seed=5)
    human, shifted = features["human"], features["slightly-off"]
    # The mean of 16 features over 2000 texts has an error of 0.04 at most: topics differ
    # by about 1, and each feature adds 1 more.
    assert (shifted - human).mean() == pytest.approx(0.25, abs=0.1)
    repeated = features["repeats-itself"]
    # Forty originals and noise of 0.5: texts are nearer to their nearest than human ones.
    assert _nearest_distance(repeated) < 0.7 * _nearest_distance(human)


def _nearest_distance(features):
    part = features[:300].astype(np.float64)
    distance = np.linalg.norm(part[:, None] - part[None], axis=-1)
    np.fill_diagonal(distance, np.inf)
    return distance.min(axis=1).mean()


def test_scores_spread(comparison):
    assert comparison.rank() == list(FAULTS)
    low = {"same-source": 0.98, "slightly-off": 0.9, "misses-a-topic": 0.5, "repeats-itself": 0.02}
    high = {"same-source": 1, "slightly-off": 0.98, "misses-a-topic": 0.7, "repeats-itself": 0.2}
    for name, result in comparison.items():
        assert low[name] <= result.mauve <= high[name]


def test_only_the_same_source_passes_for_human(comparison):
    assert [r.p_value > 0.05 for r in comparison.values()] == [True, False, False, False]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"n_texts": 0}, "'n_texts' parameter of synthetic_features must be an int of at least 1"),
        ({"n_features": 0}, "'n_features' parameter"),
        ({"seed": -1}, "'seed' parameter"),
    ],
)
def test_errors(arguments, match):
    with pytest.raises(mauve.InvalidParameterError, match=match):
        synthetic_features(**arguments)
