"""Samples in files have the scores that they have in memory, whatever the files and their order."""

import gzip
import json
import resource
from contextlib import contextmanager

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mauve
from mauve.engine import merging, sources
from mauve.engine.merging import number_of_units
from mauve.errors import InvalidParameterError, MauveError, OutputError

WORDS = ["rain", "sun", "wind", "snow", "cloud", "storm", "frost", "fog", "hail", "thaw"]
QUICK = {"n_clusterings": 10, "n_permutations": 60, "num_buckets": 10}
NUMBERS = (
    "mauve", "mauve_plugin", "mauve_star", "frontier_integral", "js", "type_1", "type_2",
    "p_value", "test_statistic", "ceiling", "ceiling_low", "deviance_error", "num_buckets",
    "n_learning", "n_human", "n_model", "signature", "confidence", "warnings",
)  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::mauve.MauveWarning")


def clouds(n=(900, 700, 800), d=6):
    rng = np.random.default_rng(0)
    human, near, far = (
        (rng.normal(size=(size, d)) + shift).astype(np.float32)
        for size, shift in zip(n, (0, 0.2, 0.5), strict=True)
    )
    human[500:580] = human[0]  # copies, also across files and samples
    near[:50] = human[0]
    return human, {"near": near, "far": far}


@contextmanager
def room_for(n_bytes):
    """Let the system refuse to write more than some bytes to a file, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def write_files(folder, name, rows, n_files, seed=0):
    """Write rows in another order to some files."""
    order = np.random.default_rng(seed).permutation(len(rows))
    ends = np.sort(np.random.default_rng(seed).choice(len(rows), n_files - 1, replace=False))
    for i, part in enumerate(np.split(rows[order], ends)):
        np.save(folder / f"{name}-{i}.npy", part)
    return str(folder / f"{name}-*.npy")


def assert_same(streamed, whole, rtol=1e-9):
    assert [*streamed] == [*whole]
    for name in whole:
        pairs = [(streamed[name], whole[name])]
        if whole[name].classifier is not None:
            pairs.append((streamed[name].classifier, whole[name].classifier))
        for one, other in pairs:
            for number in NUMBERS:
                a, b = getattr(one, number), getattr(other, number)
                if isinstance(b, float):
                    assert a == pytest.approx(b, rel=rtol, abs=rtol), (name, number)
                else:
                    assert a == b, (name, number)
            assert_allclose(one.interval, other.interval, rtol=rtol)
            assert_allclose(one.divergence_curve, other.divergence_curve, rtol=rtol)
            assert one.texts_needed(0.05) == other.texts_needed(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("n_files", "rows"), [(1, 256), (2, 256), (7, 13)])
def test_features_in_any_files_have_the_score_of_memory(tmp_path, n_files, rows, monkeypatch):
    """Also in so many pieces that influences are added in groups of several."""
    monkeypatch.setattr(sources, "PART_ROWS", rows)
    human, systems = clouds()
    whole = mauve.compare(human, systems, **QUICK)
    at = write_files(tmp_path, "human", human, n_files, seed=n_files)
    files = {name: write_files(tmp_path, name, rows, 2) for name, rows in systems.items()}
    streamed = mauve.compare_files(at, files, **QUICK)
    assert_same(streamed, whole)
    [one], [other] = streamed.differences(), whole.differences()
    assert_allclose(one.interval, other.interval, rtol=1e-6)  # of n/(n-1), the n of one system
    assert one.p_value == pytest.approx(other.p_value, rel=1e-4)
    assert streamed.n_tested == {"human": 900, "near": 700, "far": 800}


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"quantizer": "classifier"},
        {"estimator": "krichevsky-trofimov"},
        {"num_buckets": 30, "n_learning": 600},  # every text is dealt more than once
        {"order": "pca-norm", "n_permutations": 0},
        {"seed": 7, "scaling": 2.0, "confidence": 0.8},
    ],
)
def test_settings_mean_the_same(tmp_path, settings):
    human, systems = clouds()
    settings = {**QUICK, **settings}
    files = {name: write_files(tmp_path, name, rows, 2) for name, rows in systems.items()}
    streamed = mauve.compare_files(write_files(tmp_path, "human", human, 3), files, **settings)
    assert_same(streamed, mauve.compare(human, systems, **settings))


def test_little_memory_gives_the_same(tmp_path, monkeypatch):
    """Hashes are sorted range by range, and one hundred of them at once."""
    from mauve.engine import drawing, streaming

    ranges = []
    whole = drawing.sorted_hashes

    def sorted_hashes(shards, n_texts, at_once):
        for part in whole(shards, n_texts, 100):
            ranges.append(len(part))
            yield part

    monkeypatch.setattr(drawing, "sorted_hashes", sorted_hashes)
    assert streaming.draw_texts is drawing.draw_texts
    human, systems = clouds()
    at = write_files(tmp_path, "human", human, 3)
    near = write_files(tmp_path, "near", systems["near"], 2)
    streamed = mauve.compare_files(at, {"near": near}, **QUICK)
    assert len(ranges) == 9 + 7
    assert_same(streamed, mauve.compare(human, {"near": systems["near"]}, **QUICK))


@pytest.mark.slow
def test_the_ceiling_of_many_texts_is_that_of_single_ones(tmp_path, monkeypatch):
    """Units of texts are permuted instead of texts: the same mean, within the error of 100 draws.

    Its standard error is the spread of the scores divided by 10; four of them are missed by
    chance in 1 of 16,000 cases, and the seed is fixed.
    """
    human, systems = clouds(n=(4000, 3000, 10))
    files = [write_files(tmp_path, "h", human, 2), write_files(tmp_path, "m", systems["near"], 1)]
    settings = {"n_permutations": 100, "n_clusterings": 6}
    singles = mauve.compare_files(files[0], files[1], **settings)["model"]
    monkeypatch.setattr(merging, "FEW_TEXTS", 100)
    units = mauve.compare_files(files[0], files[1], **settings)["model"]
    assert units.ceiling != singles.ceiling
    spread = (singles.ceiling - singles.ceiling_low) / 1.64
    assert abs(units.ceiling - singles.ceiling) < 4 * np.sqrt(2) * spread / 10
    assert units.mauve == singles.mauve


def test_units_have_about_equally_many_texts():
    assert number_of_units(200_000, 50_000) == (2000, 500)


class TestTexts:
    """Texts are embedded part by part, in other batches than in memory."""

    def texts(self, seed, n, skew=0.0):
        words = np.array(
            ["rain", "sun", "wind", "snow", "cloud", "storm", "frost", "fog", "hail", "thaw"]
        )
        weights = np.exp(-skew * np.arange(10))
        rng = np.random.default_rng(seed)
        drawn = rng.choice(words, size=(n, 9), p=weights / weights.sum())
        return [f"The {' '.join(part)}." for part in drawn]

    def files(self, folder, human, model):
        """Write Parquet, JSON lines and compressed JSON lines."""
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        for i, part in enumerate(np.array_split(human, 3)):
            table = pyarrow.table({"text": [*map(str, part)]})
            parquet.write_table(table, folder / f"human-{i}.parquet")
        for i, part in enumerate(np.array_split(model, 2)):
            lines = "".join(json.dumps({"text": str(text)}) + "\n" for text in part)
            (folder / f"model-{i}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
        return str(folder / "human-*.parquet"), str(folder / "model-*.jsonl.gz")

    @pytest.mark.slow
    def test_an_embedder_of_ones_own(self, tmp_path, monkeypatch):
        monkeypatch.setattr(sources, "PART_ROWS", 64)
        human, model = self.texts(0, 300), [f"  {t} " for t in self.texts(1, 240, skew=0.1)]

        def embedder(texts):
            return [[text.count(letter) for letter in "abcdefghijklmnopqrst "] for text in texts]

        settings = {**QUICK, "embedder": embedder, "strip": True, "normalize": "case"}
        streamed = mauve.compare_files(*self.files(tmp_path, human, model), **settings)
        whole = mauve.compare(human, model, cache=False, **settings)
        assert_same(streamed, whole)
        assert streamed["model"].form.to_dict() == whole["model"].form.to_dict()

    @pytest.mark.slow
    def test_the_bundled_embedder(self, tmp_path):
        human, model = self.texts(0, 80), self.texts(1, 70, skew=0.2)
        streamed = mauve.compare_files(*self.files(tmp_path, human, model), **QUICK)["model"]
        whole = mauve.compare(human, model, cache=False, **QUICK)["model"]
        assert streamed.mauve == pytest.approx(whole.mauve, abs=1e-4)
        assert streamed.signature == whole.signature

    def test_an_embedder_that_cannot_be_had_is_an_error_before_the_work(self, tmp_path):
        at = self.files(tmp_path, self.texts(0, 20), self.texts(1, 20))
        with pytest.raises(InvalidParameterError, match="layer"):
            mauve.compare_files(*at, embedder_settings={"layer": 3}, folder=tmp_path / "work")
        assert not (tmp_path / "work").exists()

    def test_normalisation_by_several_samples_is_refused(self, tmp_path):
        at = self.files(tmp_path, self.texts(0, 20), self.texts(1, 20))
        with pytest.raises(InvalidParameterError, match="length"):
            mauve.compare_files(*at, normalize="length")

    def test_an_empty_text_is_named_with_its_file(self, tmp_path, monkeypatch):
        monkeypatch.setattr(sources, "PART_ROWS", 8)
        human = self.texts(0, 30)
        human[27] = ""
        at = self.files(tmp_path, human, self.texts(1, 20))
        with pytest.raises(InvalidParameterError, match=r"human-2\.parquet"):
            mauve.compare_files(*at)


class TestFolder:
    """Shards stay in a folder, and a second run reuses them."""

    @pytest.fixture
    def files(self, tmp_path):
        human, systems = clouds(n=(300, 300, 10))
        at = write_files(tmp_path, "human", human, 2)
        return at, write_files(tmp_path, "model", systems["near"], 2)

    def run(self, files, folder, **settings):
        quick = {"n_clusterings": 3, "n_permutations": 0, "progress": False}
        return mauve.compare_files(*files, folder=folder, **quick, **settings)["model"]

    def test_a_second_run_writes_nothing(self, files, tmp_path):
        first = self.run(files, tmp_path / "work")
        written = {p: p.stat().st_mtime_ns for p in (tmp_path / "work").rglob("*.shard")}
        assert len(written) == 8
        assert self.run(files, tmp_path / "work") == first
        again = {p: p.stat().st_mtime_ns for p in (tmp_path / "work").rglob("*.shard")}
        assert again == written

    def test_a_missing_shard_is_made_again(self, files, tmp_path):
        first = self.run(files, tmp_path / "work")
        lost = tmp_path / "work" / "buckets-1" / "000001-000000.shard"
        lost.unlink()
        assert self.run(files, tmp_path / "work") == first
        assert lost.exists()

    def test_a_truncated_shard_is_named(self, files, tmp_path):
        first = self.run(files, tmp_path / "work")
        cut = tmp_path / "work" / "buckets-0" / "000000-000000.shard"
        cut.write_bytes(cut.read_bytes()[:-100])
        with pytest.raises(InvalidParameterError, match=r"0.000000-000000\.shard'.* remove"):
            self.run(files, tmp_path / "work")
        cut.unlink()
        assert self.run(files, tmp_path / "work") == first

    def test_an_empty_shard_is_named(self, files, tmp_path):
        """What a machine that lost its power can leave behind."""
        self.run(files, tmp_path / "work")
        (tmp_path / "work" / "hashes-1" / "000001-000000.shard").write_bytes(b"")
        with pytest.raises(InvalidParameterError, match=r"1.000001-000000\.shard'.* cut .* remove"):
            self.run(files, tmp_path / "work")

    def test_changed_input_is_named(self, files, tmp_path):
        self.run(files, tmp_path / "work")
        changed = tmp_path / "human-0.npy"
        np.save(changed, np.load(changed) + 1)
        with pytest.raises(InvalidParameterError, match=r"human-0\.npy' before that"):
            self.run(files, tmp_path / "work")

    def test_other_settings_are_named(self, files, tmp_path):
        self.run(files, tmp_path / "work")
        with pytest.raises(InvalidParameterError, match="buckets"):
            self.run(files, tmp_path / "work", seed=1)

    def test_another_version_is_named(self, files, tmp_path, monkeypatch):
        from mauve.engine import streaming

        self.run(files, tmp_path / "work")
        monkeypatch.setattr(streaming, "version", lambda name: "99")
        with pytest.raises(InvalidParameterError, match=r'version "[0-9.]+" and not "99"'):
            self.run(files, tmp_path / "work")

    def test_a_full_disk_is_named_and_what_is_done_is_reused(self, tmp_path):
        """Two small files and a large one, whose shard finds no space."""
        human, systems = clouds(n=(600, 600, 10))
        for name, size in {"a": 100, "b": 100, "c": 400}.items():
            np.save(tmp_path / f"{name}.npy", human[:size])
        np.save(tmp_path / "model.npy", systems["near"])
        files, work = (str(tmp_path / "[abc].npy"), tmp_path / "model.npy"), tmp_path / "work"
        shard = r"The shard '.*hashes-0.000002-000000\.shard' cannot be written \(File too large\)"
        with room_for(4_000), pytest.raises(OutputError, match=rf"{shard}: make space.* the 2 fin"):
            self.run(files, work)
        written = {p: p.stat().st_mtime_ns for p in work.rglob("*.shard")}
        assert len(written) == 2
        assert not [*work.rglob("*.tmp")]
        first = self.run(files, work)
        assert {p: p.stat().st_mtime_ns for p in written} == written
        assert first == self.run(files, None)
        with room_for(4_000), pytest.raises(OutputError, match=rf"{shard}: use folder='DIR'"):
            self.run(files, None)

    def test_a_folder_that_takes_no_files_is_named(self, files, tmp_path):
        work = tmp_path / "work"
        work.mkdir()
        (work / "hashes-0").symlink_to("/proc/self")  # not for root either
        with pytest.raises(OutputError, match=r"hashes-0.000000-000000\.shard' cannot .* writable"):
            self.run(files, work)

    def test_no_temporary_folder(self, files, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
        with pytest.raises(OutputError, match=r"No temporary folder .* use folder='DIR'"):
            self.run(files, None)

    def test_a_shard_that_is_lost_on_the_way_is_named(self, files, tmp_path):
        """Somebody cleans up while results are merged; the next run makes what is missing."""
        work = tmp_path / "work"

        def clean(step, done, total):
            if step == "merging" and done == 1:
                (work / "buckets-1" / "000001-000000.shard").unlink(missing_ok=True)

        settings = {"n_clusterings": 3, "n_permutations": 0, "folder": work}
        lost = r"buckets-1.000001-000000\.shard' must be there\. It is missing: run the same"
        with pytest.raises(InvalidParameterError, match=lost):
            mauve.compare_files(*files, progress=clean, **settings)
        assert self.run(files, work) == self.run(files, None)

    def test_a_folder_that_cannot_be_made(self, files, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(MauveError, match="file/work' cannot be made"):
            self.run(files, tmp_path / "file" / "work")


class TestErrors:
    def test_no_file_matches(self, tmp_path):
        with pytest.raises(InvalidParameterError, match="No file that can be read matches"):
            mauve.compare_files(str(tmp_path / "*.npy"), str(tmp_path / "*.npy"))

    def test_a_folder_without_files(self, tmp_path):
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "a.txt").write_text("one\n" * 20)
        with pytest.raises(InvalidParameterError, match=r"The folder .* Got none .*\*\*/\*\.jsonl"):
            mauve.compare_files(str(tmp_path), str(tmp_path))

    def test_no_files(self):
        with pytest.raises(InvalidParameterError, match=r"at least one file\. Got \[\] instead"):
            mauve.compare_files([], [])

    @pytest.mark.parametrize("name", ["b.txt", "b.jsonl", "b.csv", "b.parquet"])
    def test_an_empty_file_among_others(self, tmp_path, name):
        (tmp_path / "a.txt").write_text("one\n" * 20)
        (tmp_path / name).write_text("text\n" if name == "b.csv" else "")
        if name == "b.parquet":
            pyarrow = pytest.importorskip("pyarrow")
            parquet = pytest.importorskip("pyarrow.parquet")
            parquet.write_table(
                pyarrow.table({"text": pyarrow.array([], "string")}), tmp_path / name
            )
        with pytest.raises(InvalidParameterError, match=rf"{name}' holds no texts"):
            mauve.compare_files(str(tmp_path / "a.txt"), str(tmp_path / "*"), progress=False)

    def test_files_of_different_widths(self, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(20, 3))
        np.save(tmp_path / "b.npy", np.eye(20, 4))
        with pytest.raises(InvalidParameterError, match=r"b\.npy.* as many features as .*a\.npy"):
            mauve.compare_files(str(tmp_path / "*.npy"), str(tmp_path / "a.npy"))

    def test_text_and_features(self, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(20, 3))
        (tmp_path / "b.txt").write_text("one\n" * 20)
        with pytest.raises(InvalidParameterError, match=r"texts or files of features"):
            mauve.compare_files(str(tmp_path), str(tmp_path / "a.npy"))

    def test_nan_is_named_with_its_file(self, tmp_path):
        rows = np.ones((sources.PART_ROWS + 40, 3), dtype=np.float32)
        rows[-7, 1] = np.nan
        np.save(tmp_path / "a.npy", rows)
        with pytest.raises(InvalidParameterError, match=r"a\.npy' .*row 16417"):
            mauve.compare_files(str(tmp_path / "a.npy"), str(tmp_path / "a.npy"))

    def test_few_texts(self, tmp_path):
        np.save(tmp_path / "a.npy", np.eye(3))
        with pytest.raises(InvalidParameterError, match="at least 10 texts"):
            mauve.compare_files(str(tmp_path / "a.npy"), str(tmp_path / "a.npy"))

    def test_arrays_are_for_compare(self):
        with pytest.raises(InvalidParameterError, match=r"mauve\.compare takes what is in memory"):
            mauve.compare_files(np.eye(20), np.eye(20))

    @pytest.mark.parametrize("memory", ["1MB", "much", True, 10])
    def test_too_little_memory(self, tmp_path, memory):
        np.save(tmp_path / "a.npy", np.eye(20))
        with pytest.raises(InvalidParameterError, match="at least 256 MiB"):
            mauve.compare_files(str(tmp_path / "a.npy"), str(tmp_path / "a.npy"), memory=memory)

    def test_what_needs_texts_in_memory(self, tmp_path):
        np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(40, 3)))
        at = str(tmp_path / "a.npy")
        comparison = mauve.compare_files(at, at, **QUICK)
        for refused in (
            lambda: comparison.save(tmp_path / "run.mauve"),
            lambda: comparison.to_html(tmp_path / "page.html"),
            comparison.ladder,
            lambda: mauve.explain(comparison),
        ):
            with pytest.raises(MauveError, match="--limit 100000"):
                refused()
