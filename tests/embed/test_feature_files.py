"""Files of features: pickles are never loaded, and other files get a remedy."""

import gzip
import pickle
import warnings

import numpy as np
import pytest

from mauve.embed.feature_files import read_features
from mauve.errors import InvalidParameterError


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_arrays_of_objects(tmp_path, pack):
    np.save(tmp_path / "a.npy", np.array([[1.0], [2.0, 3.0]], dtype=object))
    path = tmp_path / ("b.npy" if pack is bytes else "b.npy.gz")
    path.write_bytes(pack((tmp_path / "a.npy").read_bytes()))
    with pytest.raises(
        InvalidParameterError,
        match=r"holds Python objects, which may run any code .* so they are not: write .*np\.s",
    ) as caught:
        read_features(path)
    assert "cut short" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("a.npz", r"holds several arrays: save one of them with np\.save"),
        ("a.pt", r"may run any code .* write a tensor with safetensors\.torch\.save_file"),
        ("a.PTH", r"may run any code"),
        ("a.pkl", r"may run any code .* texts as JSON lines, features with np\.save"),
        ("a.arrow", r"write a \.parquet file"),
        ("a.xlsx", r"write a \.csv file"),
        ("a.zip", r"pass the files in it"),
        ("a.jsonl.zst", r"decompress it, or use \.gz"),
        ("a.h5", r"must end in \.npy, .* if it holds features, or in \.txt, .* Got '\.h5' instead"),
        ("a", r"must end in .* Got 'a' instead"),
    ],
)
def test_other_files_get_a_remedy(tmp_path, name, remedy):
    (tmp_path / name).write_bytes(pickle.dumps([1]))
    with pytest.raises(InvalidParameterError, match=remedy):
        read_features(tmp_path / name)


def test_folders_are_named(tmp_path):
    with pytest.raises(
        InvalidParameterError, match=r"must be a file\. It is a folder: pass a file"
    ):
        read_features(tmp_path)


def test_new_versions_of_the_format(tmp_path):
    """A header over 65,535 bytes has version 2, one with other letters version 3."""
    array = np.zeros(3, dtype=[(f"{'é' * 20}{i}", "f4") for i in range(3)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # some releases of NumPy mention version 3
        np.save(tmp_path / "a.npy", array)
    assert read_features(tmp_path / "a.npy")[0].dtype == array.dtype
