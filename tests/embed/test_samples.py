"""Whatever a user has, turned into features, or one sentence why not."""

import gzip
import io

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from safetensors.numpy import save_file

import mauve
from mauve.embed.samples import load_features, read_sample
from mauve.errors import InvalidParameterError

FEATURES = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
TEXTS = [f"text number {i}" for i in range(12)]


def lengths(texts):
    """An embedder that needs no model."""
    return np.array([[len(text), text.count(" ")] for text in texts])


class TestArrays:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.uint32])
    def test_every_real_type_is_kept(self, dtype):
        source = (10 * FEATURES).astype(np.int8).astype(dtype) if dtype != np.uint32 else None
        source = np.arange(48, dtype=dtype).reshape(12, 4) if source is None else source
        sample = read_sample(source, "human")
        assert_array_equal(sample, source)
        assert sample.dtype == source.dtype

    def test_lists_of_lists_and_tuples(self):
        assert_array_equal(read_sample([[1, 2], [3, 4]], "a"), [[1, 2], [3, 4]])
        assert_array_equal(read_sample(((1.5,), (2.5,)), "a"), [[1.5], [2.5]])

    @pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
    def test_numbers_that_are_not_finite_are_refused_with_their_row(self, bad):
        source = FEATURES.copy()
        source[7, 2] = bad
        with pytest.raises(InvalidParameterError, match=r"'human' must hold finite .* in row 7"):
            read_sample(source, "human")

    def test_rows_are_checked_beyond_the_first_part(self):
        source = np.zeros((5000, 2), dtype=np.float32)
        source[4999, 0] = np.nan
        with pytest.raises(InvalidParameterError, match="in row 4999"):
            read_sample(source, "human")

    def test_numbers_too_large_for_32_bits_are_refused(self):
        source = FEATURES.astype(float)
        source[3] = 1e300
        with pytest.raises(InvalidParameterError, match=r"fit 32 bits\. .* in row 3"):
            read_sample(source, "human")

    @pytest.mark.parametrize("shape", [(), (12,), (3, 2, 2)])
    def test_any_other_number_of_dimensions_is_refused(self, shape):
        with pytest.raises(InvalidParameterError, match=r"two dimensions, .* Got the shape \("):
            read_sample(np.ones(shape), "human")

    @pytest.mark.parametrize("shape", [(0, 4), (4, 0)])
    def test_empty_arrays_are_refused(self, shape):
        with pytest.raises(InvalidParameterError, match="at least one text with at least one"):
            read_sample(np.ones(shape), "human")

    def test_an_empty_list_is_refused(self):
        with pytest.raises(InvalidParameterError, match="'human' must"):
            read_sample([], "human")

    @pytest.mark.parametrize(
        "source",
        [[[None, 1]], np.ones((2, 2), dtype=bool), np.ones((2, 2), dtype=complex), [[b"a"]]],
    )
    def test_anything_but_real_numbers_is_refused(self, source):
        with pytest.raises(InvalidParameterError, match="'human' must hold real numbers"):
            read_sample(source, "human")

    def test_rows_of_unequal_lengths_are_refused(self):
        with pytest.raises(InvalidParameterError, match="NumPy cannot convert to an array"):
            read_sample([[1, 2], [3]], "human")


class TestText:
    @pytest.mark.parametrize("source", [TEXTS, tuple(TEXTS), np.array(TEXTS)])
    def test_comes_as_a_list_of_plain_strings(self, source):
        texts = read_sample(source, "human")
        assert texts == TEXTS
        assert type(texts) is list
        assert type(texts[0]) is str

    @pytest.mark.parametrize("item", [None, 3, float("nan"), b"bytes"])
    def test_items_that_are_no_text_among_texts_are_refused(self, item):
        with pytest.raises(InvalidParameterError, match="'human' must hold texts only"):
            read_sample([*TEXTS, item], "human")

    @pytest.mark.parametrize("name", ["human.txt", "human.jsonl", "human.csv.gz"])
    def test_files_of_text_are_read(self, tmp_path, name):
        contents = {
            "human.txt": "one\ntwo\n",
            "human.jsonl": '{"text": "one"}\n{"text": "two"}\n',
            "human.csv.gz": "text\none\ntwo\n",
        }[name].encode()
        path = tmp_path / name
        path.write_bytes(gzip.compress(contents) if name.endswith(".gz") else contents)
        assert read_sample(path, "human") == ["one", "two"]
        assert read_sample(str(path), "human") == ["one", "two"]

    def test_names_of_files_are_not_texts(self, tmp_path):
        paths = [tmp_path / f"{i}.txt" for i in range(3)]
        for path in paths:
            path.write_text("a text\n")
        with pytest.raises(InvalidParameterError, match=r"names of files, .* a mapping from names"):
            read_sample([str(path) for path in paths], "model")

    def test_text_where_features_are_wanted(self):
        with pytest.raises(
            InvalidParameterError, match=r"'p' must be features of shape .* Got text"
        ):
            load_features(TEXTS, "p")


class TestFiles:
    @staticmethod
    def npy_bytes(array):
        file = io.BytesIO()
        np.save(file, array, allow_pickle=True)
        return file.getvalue()

    @pytest.mark.parametrize("as_type", [str, lambda path: path])
    def test_npy(self, tmp_path, as_type):
        path = tmp_path / "human.npy"
        np.save(path, FEATURES)
        assert_array_equal(read_sample(as_type(path), "human"), FEATURES)

    def test_npy_is_mapped_and_not_read_at_once(self, tmp_path):
        path = tmp_path / "human.npy"
        np.save(path, FEATURES)
        features = read_sample(path, "human")
        assert isinstance(features, np.memmap)
        assert not features.flags.writeable

    def test_npy_in_fortran_order_and_big_endian(self, tmp_path):
        path = tmp_path / "human.npy"
        np.save(path, np.asfortranarray(FEATURES.astype(">f8")))
        assert_array_equal(read_sample(path, "human"), FEATURES)

    def test_npy_gz(self, tmp_path):
        path = tmp_path / "human.npy.gz"
        path.write_bytes(gzip.compress(self.npy_bytes(FEATURES)))
        assert_array_equal(read_sample(path, "human"), FEATURES)

    def test_safetensors_with_one_tensor_of_any_name(self, tmp_path):
        path = tmp_path / "human.safetensors"
        save_file({"hidden": FEATURES}, path)
        assert_array_equal(read_sample(path, "human"), FEATURES)

    def test_safetensors_with_one_called_features(self, tmp_path):
        path = tmp_path / "human.safetensors"
        save_file({"ids": np.arange(12), "features": FEATURES}, path)
        assert_array_equal(read_sample(path, "human"), FEATURES)

    def test_safetensors_with_several_others_names_them(self, tmp_path):
        path = tmp_path / "human.safetensors"
        save_file({"first": FEATURES, "second": FEATURES}, path)
        with pytest.raises(InvalidParameterError, match=r"one tensor, .* Got first, second"):
            read_sample(path, "human")

    def test_safetensors_with_several_others_are_not_called_cut_short(self, tmp_path):
        path = tmp_path / "human.safetensors"
        save_file({"first": FEATURES, "second": FEATURES}, path)
        with pytest.raises(InvalidParameterError, match=r"Got first, second instead\.$"):
            read_sample(path, "human")

    @pytest.mark.parametrize("keep", [0, 5, 60, 200])
    def test_truncated_npy(self, tmp_path, keep):
        path = tmp_path / "human.npy"
        path.write_bytes(self.npy_bytes(FEATURES)[:keep])
        with pytest.raises(InvalidParameterError, match=r"could not be read as a \.npy file"):
            read_sample(path, "human")

    @pytest.mark.parametrize("keep", [0, 5, 100])
    def test_truncated_npy_gz(self, tmp_path, keep):
        path = tmp_path / "human.npy.gz"
        path.write_bytes(gzip.compress(self.npy_bytes(FEATURES))[:keep])
        with pytest.raises(InvalidParameterError, match=r"could not be read as a \.npy\.gz file"):
            read_sample(path, "human")

    @pytest.mark.parametrize("keep", [0, 7, 40, 200])
    def test_truncated_safetensors(self, tmp_path, keep):
        path = tmp_path / "human.safetensors"
        save_file({"features": FEATURES}, path)
        path.write_bytes(path.read_bytes()[:keep])
        with pytest.raises(InvalidParameterError, match=r"could not be read as a \.safetensors"):
            read_sample(path, "human")

    @pytest.mark.parametrize("suffix", [".npy", ".npy.gz", ".safetensors"])
    def test_other_contents_than_the_suffix_says(self, tmp_path, suffix):
        path = tmp_path / f"human{suffix}"
        path.write_bytes(b"A text that is no array at all. " * 20)
        with pytest.raises(InvalidParameterError, match="could not be read as a"):
            read_sample(path, "human")

    @pytest.mark.parametrize("damage", ["gzip", "header"])
    def test_damaged_in_the_middle(self, tmp_path, damage):
        path = tmp_path / "human.npy.gz"
        whole = self.npy_bytes(FEATURES)
        if damage == "gzip":
            contents = gzip.compress(whole)
            contents = contents[:15] + bytes(255 - byte for byte in contents[15:])
        else:
            contents = gzip.compress(whole.replace(b"}", b" "))  # a bracket that never closes
        path.write_bytes(contents)
        with pytest.raises(InvalidParameterError, match=r"could not be read as a \.npy\.gz file"):
            read_sample(path, "human")

    def test_pickled_objects_are_never_loaded(self, tmp_path):
        path = tmp_path / "human.npy"
        path.write_bytes(self.npy_bytes(np.array([[print, "x"]], dtype=object)))
        with pytest.raises(InvalidParameterError, match=r"holds Python objects"):
            read_sample(path, "human")
        packed = tmp_path / "human.npy.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        with pytest.raises(InvalidParameterError, match=r"holds Python objects"):
            read_sample(packed, "human")

    def test_pickles_under_the_name_of_an_array_are_never_loaded(self, tmp_path):
        import pickle

        path = tmp_path / "human.npy"
        path.write_bytes(pickle.dumps(FEATURES))
        with pytest.raises(InvalidParameterError, match="could not be read as a"):
            read_sample(path, "human")

    @pytest.mark.parametrize("name", ["missing.npy", "missing", "no/where"])
    def test_missing_files(self, tmp_path, name):
        with pytest.raises(InvalidParameterError, match="must be the path of a file"):
            read_sample(tmp_path / name, "human")

    def test_a_long_text_instead_of_a_path(self):
        """What happens to those who pass one text where a list of texts is meant."""
        with pytest.raises(InvalidParameterError, match=r"\.\.\.' must be the path .* or a list"):
            read_sample("One day a text stood where a list should be. " * 100, "human")

    @pytest.mark.parametrize("name", ["human.h5", "human", "human.gz"])
    def test_other_suffixes_are_refused(self, tmp_path, name):
        path = tmp_path / name
        path.write_bytes(b"anything")
        with pytest.raises(InvalidParameterError, match=r"must end in \.npy, .* or \.safetensors"):
            read_sample(path, "human")

    def test_message_names_the_path_of_bad_features(self, tmp_path):
        path = tmp_path / "human.npy"
        np.save(path, np.full((3, 2), np.nan))
        with pytest.raises(InvalidParameterError, match=r"human\.npy' must hold finite"):
            read_sample(path, "human")


def test_a_list_of_samples_needs_names():
    texts = [f"text {i}" for i in range(20)]
    with pytest.raises(InvalidParameterError, match=r"'systems' .* of compare .*a list of s"):
        mauve.compare(texts, [texts, texts])


@pytest.mark.parametrize("number", [3, 2.5, np.float64(1)])
def test_a_number_is_no_sample(number):
    with pytest.raises(InvalidParameterError, match="'human' must be texts, features or a path"):
        mauve.compare(number, ["text"] * 20)
