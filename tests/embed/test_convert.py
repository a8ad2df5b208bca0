"""What pandas, polars, pyarrow, datasets, torch and NumPy pass is a sample; the rest is named."""

import collections
import subprocess
import sys

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy
import torch
from numpy.testing import assert_array_equal

from mauve.embed.samples import read_samples, read_source
from mauve.errors import InvalidParameterError

TEXTS = ["one text", "naïve 中文 🎉", "", "last"]
ROWS = np.arange(8, dtype=np.float32).reshape(4, 2) / 4  # exact in bfloat16
TURNS = [[{"by": "a", "said": text}] for text in TEXTS]
STRINGS = np.dtypes.StringDType()


def dataset():
    columns = {"text": TEXTS, "turns": TURNS, "rows": ROWS.tolist()}
    return datasets.Dataset.from_dict(columns)


class TestTexts:
    @pytest.mark.parametrize(
        "source",
        [
            pd.Series(TEXTS),
            pd.Series(TEXTS, index=[9, 8, 7, 6], dtype=object),
            pd.Series(TEXTS, dtype="category"),
            pd.Series(TEXTS, dtype="string[pyarrow]"),
            pd.Index(TEXTS),
            pl.Series(TEXTS),
            pa.array(TEXTS),
            pa.chunked_array([TEXTS[:1], TEXTS[1:]]),
            pa.array(TEXTS, pa.large_string()),
            np.array(TEXTS),
            np.array(TEXTS, dtype=object),
            np.array(TEXTS, dtype=STRINGS),
            np.ma.masked_array(TEXTS),
            dict(enumerate(TEXTS)).values(),
            dict.fromkeys(TEXTS).keys(),
            collections.deque(TEXTS),
        ],
        ids=lambda source: f"{type(source).__module__}.{type(source).__name__}",
    )
    def test_columns_of_any_package(self, source):
        sample = read_source(source, "human")
        assert sample.values == TEXTS
        assert {type(text) for text in sample.values} == {str}
        assert not sample.has_fields

    @pytest.mark.parametrize("as_iterator", [iter, lambda texts: (t for t in texts)])
    def test_iterators_are_read_once(self, as_iterator):
        assert read_source(as_iterator(TEXTS), "human").values == TEXTS

    def test_columns_of_datasets(self):
        column = dataset()["text"]
        assert type(column).__name__ == "Column"  # lazy, since datasets 4
        assert read_source(column, "human").values == TEXTS
        assert read_source(dataset().to_iterable_dataset(), "human").values == TEXTS

    @pytest.mark.parametrize(
        "table",
        [
            pd.DataFrame({"n": [1, 2, 3, 4], "text": TEXTS, "turns": TURNS}),
            pl.DataFrame({"n": [1, 2, 3, 4], "text": TEXTS, "turns": TURNS}),
            pa.table({"n": [1, 2, 3, 4], "text": TEXTS, "turns": TURNS}),
            pa.table({"text": TEXTS, "turns": TURNS}).to_batches()[0],
            dataset(),
            [{"text": text, "turns": turns} for text, turns in zip(TEXTS, TURNS, strict=True)],
        ],
        ids=lambda table: f"{type(table).__module__}.{type(table).__name__}",
    )
    def test_tables(self, table):
        sample = read_source(table, "human")
        assert (sample.values, sample.has_fields) == (TEXTS, True)
        assert read_source(table, "human", "turns.0.said").values == TEXTS
        with pytest.raises(
            InvalidParameterError,
            match=r"'story'\. Got .*turns\.0\.said.* instead: pass field='NAME'",
        ):
            read_source(table, "human", "story")

    def test_records_keep_prompts_and_metadata(self):
        records = [{"text": text, "prompt": "p", "site": "a.org"} for text in TEXTS]
        sample = read_source((record for record in records), "human")
        assert (sample.prompts, sample.metadata) == (["p"] * 4, {"site": ["a.org"] * 4})

    def test_a_numpy_file_of_strings(self, tmp_path):
        np.save(tmp_path / "a.npy", np.array(["one", "two"]))
        assert read_source(tmp_path / "a.npy", "human").values == ["one", "two"]


class TestFeatures:
    @pytest.mark.parametrize(
        "source",
        [
            torch.tensor(ROWS),
            torch.tensor(ROWS, dtype=torch.bfloat16),
            torch.tensor(ROWS, dtype=torch.float16),
            torch.tensor(ROWS, requires_grad=True),
            torch.nn.Parameter(torch.tensor(ROWS)),
            list(torch.tensor(ROWS, dtype=torch.bfloat16)),
            pd.DataFrame(ROWS),
            pd.Series(list(ROWS)),
            pl.DataFrame(ROWS),
            pl.Series(ROWS.tolist()),
            pa.array(ROWS.tolist()),
            np.ma.masked_array(ROWS),
            [*ROWS],
        ],
        ids=lambda source: f"{type(source).__module__}.{type(source).__name__}",
    )
    def test_rows_of_any_package(self, source):
        assert_array_equal(read_source(source, "human").values, ROWS)

    def test_iterators_of_rows(self):
        assert_array_equal(read_source((row for row in ROWS), "human").values, ROWS)

    @pytest.mark.parametrize("form", [None, "numpy", "torch"])
    def test_columns_of_datasets(self, form):
        formatted = dataset().with_format(form)
        assert_array_equal(read_source(formatted, "human", "rows").values, ROWS)
        assert_array_equal(read_source(formatted["rows"], "human").values, ROWS)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (set(TEXTS), r"Got a set instead, which has no order, so that prompts .*: pass a list"),
        (frozenset(TEXTS), r"Got a frozenset instead, which has no order"),
        ({"a": TEXTS}, r"Got a dict of name a instead: pass one of its values; only 'systems'"),
        (datasets.DatasetDict(train=dataset()), r"Got a DatasetDict of name train instead"),
        (dict(enumerate(TEXTS)).items(), r"Got dict_items instead: pass the values\(\) alone"),
        (b"one text", r"Got bytes instead: decode it"),
        ([b"one", b"two"], r"Got bytes at position 0 instead: decode them"),
        (np.array([b"one"]), r"Got bytes at position 0 instead: decode them"),
        (None, r"Got None instead"),
        ([], r"a list of at least one text\. Got none instead"),
        (iter([]), r"a list of at least one text\. Got none instead"),
        (pd.Series([], dtype=str), r"a list of at least one text\. Got none instead"),
        ([["one"], ["two"]], r"Got a list at position 0 instead: pass one flat list"),
        (pd.DataFrame({"text": TEXTS}).to_numpy(), r"Got a list at position 0 instead"),
        (pd.Series(["one", None, "two", None]), r"Got missing values at positions 1, 3 instead"),
        (pd.Series(["one", pd.NA], dtype="string"), r"Got missing values at position 1 instead"),
        (pd.Series([np.nan, "one"], dtype=object), r"Got missing values at position 0 instead"),
        (pl.Series(["one", None]), r"Got missing values at position 1 instead"),
        (pa.array(["one", None]), r"Got missing values at position 1 instead"),
        (
            np.array(["one", None], np.dtypes.StringDType(na_object=None)),
            r"Got missing values at position 1 instead",
        ),
        ([None, None], r"Got missing values at positions 0, 1 instead"),
        ([[1.0, 2.0], None], r"have features for each text\. Got missing values at position 1"),
        (
            np.ma.masked_array(ROWS, mask=ROWS[2, 1] == ROWS),
            r"Got masked values in row 2 instead: fill or remove them",
        ),
        (np.ma.masked_array(TEXTS, mask=[0, 1, 0, 1]), r"Got masked values in rows 1, 3 instead"),
        (torch.empty(2, 2, device="meta"), r"Got a tensor without data"),
        (torch.eye(2).to_sparse(), r"cannot convert to an array instead \(.*to_dense"),
        (scipy.sparse.eye(3), r"Got a sparse dia_.* instead: pass its toarray\(\)"),
        (pl.DataFrame({"text": TEXTS}).lazy(), r"Got a LazyFrame instead: collect\(\) it first"),
        (pd.DataFrame([["a", "b"]], columns=["text", "text"]), r"one column 'text'\. Got text, te"),
        (np.array("one"), r"Got a single string instead: pass a list"),
        ("One text.", r"'One text\.' must be the path of a file, or a list of texts\. No such"),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_sample_gets_one_sentence(source, message):
    with pytest.raises(InvalidParameterError, match=message) as caught:
        read_source(source, "human")
    assert "\n" not in str(caught.value)


def test_open_files_are_named(tmp_path):
    (tmp_path / "a.txt").write_text("one\n")
    message = "Got an open file instead: pass its path"
    with (
        (tmp_path / "a.txt").open() as file,
        pytest.raises(InvalidParameterError, match=message),
    ):
        read_source(file, "human")


class TestFields:
    RECORDS = ({"text": "a", "story": "b"},)

    def test_by_sample(self):
        sources = {"human": self.RECORDS, "model": self.RECORDS, "plain": ["c"]}
        samples = read_samples(sources, {"model": "story"})
        assert [sample.values for sample in samples.values()] == [["a"], ["b"], ["c"]]

    def test_for_all_that_have_fields(self):
        samples = read_samples({"human": self.RECORDS, "plain": ["c"]}, "story")
        assert [sample.values for sample in samples.values()] == [["b"], ["c"]]

    @pytest.mark.parametrize(
        ("field", "message"),
        [
            ("story", r"left out for samples without fields: .* Got 'story' for 'human' instead"),
            ({"human": "text"}, r"left out for samples without .* Got 'text' for 'human' instead"),
            ({"model": "story"}, r"a mapping from 'human' to names\. Got \{'model': 'story'\}"),
            ("", r"must be the name of a field"),
            (3, r"must be the name of a field"),
            ({"human": None}, r"must be the name of a field"),
        ],
    )
    def test_where_there_are_none(self, field, message):
        with pytest.raises(InvalidParameterError, match=message):
            read_samples({"human": ["a"]}, field)


@pytest.mark.slow
def test_none_of_these_packages_is_imported():
    """In a process of its own, since this one has imported them all."""
    program = (
        "import sys, mauve\n"
        "from mauve.embed.samples import read_source\n"
        "read_source(['a'], 'human'), read_source((t for t in 'ab'), 'human')\n"
        "print({'pandas', 'polars', 'datasets', 'pyarrow', 'torch'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
