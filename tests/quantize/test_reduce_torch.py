import numpy as np
import pytest
from numpy.testing import assert_allclose

from mauve.errors import InvalidParameterError
from mauve.quantize.gpu import reduce_on_device
from mauve.quantize.reduce import reduce_features


def cloud(seed, n=300, d=12):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) * np.arange(1, d + 1) + 3).astype(np.float32)


@pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
@pytest.mark.parametrize("share", [0.5, 0.9, 1.0])
def test_spans_what_the_other_does(order, share):
    options = {"explained_variance": share, "order": order}
    here, reduction = reduce_features(cloud(0), **options)
    there, on_device = reduce_on_device(cloud(0), **options, device="cpu")
    assert here.shape == there.shape
    # Components have no sign, so distances are what must agree.
    for one, two in ((here, there), (reduction.apply(cloud(1)), on_device.apply(cloud(1)))):
        assert_allclose(one @ one.T, two @ two.T, atol=1e-4 * np.abs(one @ one.T).max())


def test_row_of_zeros_and_huge_rows():
    data = cloud(2)
    data[0] = 0
    data[1] *= 1e30
    found, _ = reduce_on_device(data, explained_variance=0.9, order="norm-pca", device="cpu")
    assert np.isfinite(found).all()


def test_constant_features():
    with pytest.raises(InvalidParameterError, match="must vary from text to text"):
        reduce_on_device(
            np.ones((20, 3), np.float32), explained_variance=0.9, order="norm-pca", device="cpu"
        )


def test_unknown_device():
    with pytest.raises(InvalidParameterError, match=r"device of this machine\. Got 'warp'"):
        reduce_on_device(cloud(0), explained_variance=0.9, order="norm-pca", device="warp")
