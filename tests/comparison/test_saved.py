"""A saved comparison is the same when it is loaded."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
from ranked_clouds import QUICK, clouds

import mauve
from mauve import InvalidParameterError, MauveError, compare, get_embedder
from mauve.embed.saved import SavedEmbedder
from mauve.measures.material import load_training
from mauve.measures.run import measure_samples
from mauve.quantize.drmm import DRMM
from mauve.quantize.lattice import Lattice
from mauve.reports.page import render_report

WORDS = ["rain", "sun", "wind", "snow", "cloud", "storm", "frost", "fog", "hail", "thaw"]


class Slices:
    """A quantizer of one's own: buckets along the first axis."""

    signature = "slices"

    def fit(self, features, num_buckets, rng):
        edges = np.quantile(features[:, 0], np.linspace(0, 1, num_buckets + 1)[1:-1])

        class Partition:
            def assign(self, features):
                return np.searchsorted(edges, features[:, 0]).astype(np.int32)

        return Partition()


def lengths(texts):
    """An embedder of one's own: how often each word occurs."""
    return [[text.count(word) + 0.1 * len(text) for word in WORDS] for text in texts]


def texts_of(seed, n=120, word="rain"):
    rng = np.random.default_rng(seed)
    return [f"{word} " + " ".join(rng.choice(WORDS, size=rng.integers(5, 12))) for _ in range(n)]


def saved_and_loaded(comparison, folder, **options):
    path = folder / "run.mauve"
    comparison.save(path, **options)
    return mauve.load(path)


def check_equal(loaded, comparison):
    """Every number is equal, and every array has its type."""
    assert loaded == comparison
    assert [*loaded] == [*comparison]
    assert loaded.to_dict() == comparison.to_dict()
    assert loaded.differences() == comparison.differences()
    assert loaded.rank() == comparison.rank()
    assert str(loaded) == str(comparison)
    for name, result in comparison.items():
        again = loaded[name]
        assert hash(again) == hash(result)
        assert again.equivalence(0.2) == result.equivalence(0.2)
        assert again.texts_needed(0.1) == result.texts_needed(0.1)
        for array in ("labels", "counted", "p_hist", "divergence_curve"):
            assert getattr(again, array).dtype == getattr(result, array).dtype
            assert getattr(again, array).flags.writeable
        assert again.influence == result.influence
        assert again.form == result.form
    ours, theirs = loaded.compared, comparison.compared
    assert ours.samples.origin == theirs.samples.origin
    assert ours.samples.texts == theirs.samples.texts
    assert ours.samples.prompts == theirs.samples.prompts
    assert ours.samples.forms == theirs.samples.forms
    for name, features in theirs.samples.features.items():
        np.testing.assert_array_equal(ours.samples.features[name], features)
        assert ours.samples.features[name].dtype == features.dtype
        assert ours.samples.n_truncated(name) == theirs.samples.n_truncated(name)
    assert [*ours.pairs] == [*theirs.pairs]
    for name, pair in theirs.pairs.items():
        for array in ("labels", "counted", "is_human", "blocks", "groups"):
            np.testing.assert_array_equal(getattr(ours.pairs[name], array), getattr(pair, array))
        plans = ours.plans[name], theirs.plans[name]
        assert plans[0].quantizer.signature == plans[1].quantizer.signature
        assert dataclasses.replace(plans[0], quantizer=plans[1].quantizer) == plans[1]


class TestFeatures:
    def test_is_equal(self, comparison, tmp_path):
        check_equal(saved_and_loaded(comparison, tmp_path), comparison)

    def test_without_permutations_with_plugin_estimates_and_a_level(self, tmp_path):
        settings = {**QUICK, "n_permutations": 0, "estimator": "plugin", "confidence": 0.8}
        comparison = compare(*clouds(1), **settings, order="pca-norm", interval="bootstrap")
        loaded = saved_and_loaded(comparison, tmp_path)
        check_equal(loaded, comparison)
        for setting in ("estimator", "confidence", "order", "interval", "seed", "by_prompt"):
            assert getattr(loaded.compared.settings, setting) == getattr(
                comparison.compared.settings, setting
            )

    @pytest.mark.slow
    @pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int32])
    def test_features_keep_their_type_and_order(self, tmp_path, dtype):
        human, systems = clouds(2)
        human = np.asfortranarray((10 * human).astype(dtype))
        systems = {name: (10 * rows).astype(dtype) for name, rows in systems.items()}
        comparison = compare(human, systems, **QUICK)
        loaded = saved_and_loaded(comparison, tmp_path)
        check_equal(loaded, comparison)
        assert loaded.compared.samples.features["human"].flags.f_contiguous
        measured = [
            measure_samples(which.compared.samples, "features", comparison=which)
            for which in (loaded, comparison)
        ]
        assert measured[0] == measured[1]

    def test_can_be_explained(self, comparison, tmp_path):
        loaded = saved_and_loaded(comparison, tmp_path)
        assert mauve.explain(loaded) == mauve.explain(comparison)

    def test_can_be_compared_with_the_original(self, comparison, tmp_path):
        loaded = saved_and_loaded(comparison, tmp_path)
        across = mauve.difference(loaded["near"], comparison["far"])
        assert across == mauve.difference(comparison["near"], comparison["far"])

    def test_a_score_of_another_call_can_be_compared(self, comparison, tmp_path):
        human, systems = clouds(0)
        loaded = saved_and_loaded(comparison, tmp_path)
        far = compare(human, {"far": systems["far"]}, **QUICK)["far"]
        across = mauve.difference(loaded["near"], far)
        assert across == mauve.difference(comparison["near"], comparison["far"])
        sharper = mauve.difference(loaded["near"].classifier, far.classifier)
        within = (comparison[name].classifier for name in ("near", "far"))
        assert sharper == mauve.difference(*within)

    def test_joint_clusterings(self, tmp_path):
        comparison = compare(*clouds(2), clustering="joint", **QUICK)
        check_equal(saved_and_loaded(comparison, tmp_path), comparison)

    def test_a_loaded_one_can_be_saved_again(self, comparison, tmp_path):
        loaded = saved_and_loaded(comparison, tmp_path)
        loaded.save(tmp_path / "again.mauve")
        first, again = (tmp_path / name for name in ("run.mauve", "again.mauve"))
        with zipfile.ZipFile(first) as one, zipfile.ZipFile(again) as two:
            assert one.namelist() == two.namelist()
            assert one.comment == two.comment  # a checksum over all members

    def test_a_sample_that_a_limit_drew(self, tmp_path):
        human, systems = clouds(2)
        comparison = compare(human, systems, limit=120, **QUICK)
        metadata = {"near": {"row": [*range(150)]}}
        loaded = saved_and_loaded(comparison, tmp_path, metadata=metadata)
        check_equal(loaded, comparison)
        samples = comparison.compared.samples
        drawn = samples.kept["near"]
        assert loaded.compared.samples.metadata == {"near": {"row": drawn.tolist()}}
        assert loaded.compared.samples.n_given == samples.n_given
        np.testing.assert_array_equal(loaded.compared.samples.kept["near"], drawn)

    def test_names_of_any_kind(self, tmp_path):
        human, systems = clouds(3)
        named = {"../a/b": systems["near"], "\ud800 é\n": systems["far"], "human": human}
        comparison = compare(human, named, **QUICK)
        loaded = saved_and_loaded(comparison, tmp_path)
        check_equal(loaded, comparison)
        assert loaded.compared.human_name == "human (reference)"

    def test_an_embedder_is_refused(self, comparison, tmp_path):
        comparison.save(tmp_path / "run.mauve")
        with pytest.raises(InvalidParameterError, match="parameter of load must be left out"):
            mauve.load(tmp_path / "run.mauve", embedder="bundled")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantizer", "settings"),
    [
        ("kmeans", {}),
        (DRMM(n_layers=2, n_components=2, epochs=2), {"num_buckets": "auto"}),
        (Lattice(epochs=2, width=8), {"num_buckets": "auto"}),
        (Slices(), {}),
    ],
    ids=["kmeans", "drmm", "lattice", "own"],
)
@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
def test_any_quantizer(quantizer, settings, tmp_path):
    human, systems = clouds(4)
    comparison = compare(human, systems, quantizer=quantizer, **{**QUICK, **settings})
    loaded = saved_and_loaded(comparison, tmp_path)
    check_equal(loaded, comparison)
    assert mauve.explain(loaded) == mauve.explain(comparison)
    if quantizer == "kmeans":
        return
    again = {**QUICK, "num_buckets": "auto"}
    with pytest.raises(MauveError, match="cannot be fitted again: pass a quantizer to compare"):
        compare(human, systems, quantizer=loaded.compared.plans["near"].quantizer, **again)


METADATA = {
    "human": {"site": ["a.org", "b.org"] * 60, "year": [1999, None] * 60},
    "dry": {"site": ["a.org"] * 60 + ["c.org"] * 60},
}


class TestTexts:
    @pytest.fixture(scope="class")
    @classmethod
    def comparison(cls):
        systems = {"wet": texts_of(1), "dry": texts_of(2, word="sun")}
        return compare(texts_of(0), systems, **QUICK)

    @pytest.fixture(scope="class")
    @classmethod
    def path(cls, comparison, tmp_path_factory):
        path = tmp_path_factory.mktemp("saved") / "run"
        comparison.save(path, metadata=METADATA)
        return path

    @pytest.fixture(scope="class")
    @classmethod
    def loaded(cls, path):
        return mauve.load(path)

    def test_is_equal(self, loaded, comparison):
        check_equal(loaded, comparison)
        assert loaded["dry"].form.unit == "tokens"

    def test_explanations_are_equal(self, loaded, comparison):
        ours, theirs = (
            mauve.explain(which, metadata=METADATA, n_permutations=100)
            for which in (loaded, comparison)
        )
        assert ours == theirs
        assert ours.to_dict() == theirs.to_dict()
        assert [s.texts() for s in ours.values()] == [s.texts() for s in theirs.values()]

    @pytest.mark.slow
    def test_measurements_are_equal(self, loaded, comparison):
        texts = comparison.compared.texts
        human, systems = texts["human"], {name: texts[name] for name in comparison}
        names = "zipf,self-bleu,frechet,mauve"
        ours, theirs = (
            mauve.measure(human, systems, names, comparison=which) for which in (loaded, comparison)
        )
        assert ours == theirs
        assert ours == measure_samples(loaded.compared.samples, names, comparison=loaded)

    def test_plots_are_equal(self, loaded, comparison):
        for plot in ("plot", "plot_ranking", "plot_errors"):
            lines = [
                [line.get_xydata().tolist() for line in getattr(which, plot)().lines]
                for which in (loaded, comparison)
            ]
            assert lines[0] == lines[1]

    @pytest.mark.slow
    def test_reports_are_equal_with_the_saved_metadata(self, loaded, comparison, tmp_path):
        loaded.to_html(tmp_path / "loaded.html")
        comparison.to_html(tmp_path / "new.html", metadata=METADATA)
        comparison.to_html(tmp_path / "bare.html")
        page, new, bare = (
            (tmp_path / name).read_text() for name in ("loaded.html", "new.html", "bare.html")
        )
        assert page == new
        assert page != bare
        assert render_report(loaded) == render_report(comparison)

    def test_metadata_comes_back(self, loaded):
        assert loaded.compared.samples.metadata == METADATA

    def test_other_texts_are_embedded_by_the_bundled_model(self, loaded, comparison):
        ours, theirs = (
            load_training(texts_of(9), which.compared.samples).features["training"]
            for which in (loaded, comparison)
        )
        np.testing.assert_array_equal(ours, theirs)

    def test_another_embedder_is_refused(self, path):
        with pytest.raises(
            InvalidParameterError,
            match=r"'embedder' parameter of load must be 'bundled-.*:surprisal:512', which "
            r"embedded the texts of the comparison. Got 'callable:lengths' instead",
        ):
            mauve.load(path, embedder=lengths)

    def test_holds_no_path_and_nothing_to_run(self, path):
        with zipfile.ZipFile(path) as archive:
            assert {name.rpartition(".")[2] for name in archive.namelist()} == {"json", "npy"}
            summary = archive.read("comparison.json") + archive.read("contents.json")
        assert os.fspath(path.parent).encode() not in summary

    def test_fields_of_files_are_saved_by_default(self, tmp_path):
        for name, seed in (("human", 0), ("model", 1)):
            lines = (
                json.dumps({"text": text, "site": f"{i % 3}.org"})
                for i, text in enumerate(texts_of(seed))
            )
            (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
        comparison = compare(tmp_path / "human.jsonl", tmp_path / "model.jsonl", **QUICK)
        loaded = saved_and_loaded(comparison, tmp_path)
        check_equal(loaded, comparison)
        sites = [f"{i % 3}.org" for i in range(120)]
        assert loaded.compared.samples.metadata == {
            "human": {"site": sites}, "model": {"site": sites},
        }  # fmt: skip

    @pytest.mark.parametrize(
        ("metadata", "message"),
        [
            (3, "a dict of fields for each sample. Got int"),
            ({"wet": 3}, "a dict of fields for 'wet'. Got int"),
            ({"wet": {"site": 3}}, "a list for 'site' of 'wet'. Got int"),
            ({"nobody": {}}, "must have fields of the samples human, wet, dry. Got nobody"),
            ({"wet": {"site": ["a"]}}, "120 values for 'site' of 'wet', .* Got 1 values instead"),
            ({"wet": {"a": [b"a"] * 120}}, "strings, finite numbers or None for 'a' .* Got bytes"),
            ({"wet": {"a": [np.inf] * 120}}, "strings, finite numbers or None for 'a' .* Got inf"),
        ],
    )
    def test_bad_metadata_is_named_and_nothing_written(
        self, comparison, tmp_path, metadata, message
    ):
        with pytest.raises(InvalidParameterError, match=f"'metadata' parameter of .*{message}"):
            comparison.save(tmp_path / "run", metadata=metadata)
        assert [*tmp_path.iterdir()] == []


class TestPromptsAndOwnEmbedder:
    @pytest.fixture(scope="class")
    @classmethod
    def comparison(cls):
        systems = {"wet": texts_of(1), "copies": texts_of(0)[:60] * 2}
        with pytest.warns(mauve.MauveWarning):
            return compare(
                texts_of(0), systems, embedder=lengths, prompts=np.repeat(range(60), 2), **QUICK
            )

    def test_is_equal(self, comparison, tmp_path):
        loaded = saved_and_loaded(comparison, tmp_path)
        check_equal(loaded, comparison)
        assert "-by-prompt" in loaded["wet"].signature
        assert mauve.explain(loaded) == mauve.explain(comparison)
        ours, theirs = (
            measure_samples(which.compared.samples, "zipf,frechet")
            for which in (loaded, comparison)
        )
        assert ours == theirs

    def test_an_embedder_that_only_sounds_bundled_is_needed_too(self):
        embedded = get_embedder(lengths).embed(["rain"])
        saved = SavedEmbedder("bundled-by-me", ["rain"], embedded)
        with pytest.raises(MauveError, match="loaded with the embedder 'bundled-by-me'"):
            saved.embed(["sun"])

    def test_other_texts_need_the_embedder_again(self, comparison, tmp_path):
        comparison.save(tmp_path / "run")
        samples = mauve.load(tmp_path / "run").compared.samples
        with pytest.raises(
            MauveError,
            match=r"must be loaded with the embedder 'callable:lengths' to embed other texts: "
            r"mauve\.load\(path, embedder=\.\.\.\)",
        ):
            load_training(texts_of(9), samples).features  # noqa: B018 - embeds
        samples = mauve.load(tmp_path / "run", embedder=lengths).compared.samples
        assert load_training(texts_of(9), samples).features["training"].shape == (120, 10)


class TestWriting:
    def test_an_error_leaves_the_old_file(self, comparison, tmp_path):
        path = tmp_path / "run"
        comparison.save(path)
        before = path.read_bytes()
        with pytest.raises(InvalidParameterError, match="metadata"):
            comparison.save(path, metadata={"near": {"a": [object()] * 150}})
        assert path.read_bytes() == before
        assert [*tmp_path.iterdir()] == [path]

    def test_a_folder_that_is_not_there_is_named(self, comparison, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"nowhere/run' cannot be written"):
            comparison.save(tmp_path / "nowhere" / "run")

    def test_what_is_no_path_is_named(self, comparison):
        with pytest.raises(InvalidParameterError, match=r"'path' parameter of .*save must be"):
            comparison.save(3)
        with pytest.raises(InvalidParameterError, match="'path' parameter of load must be"):
            mauve.load(comparison)

    @pytest.mark.slow
    def test_killed_at_any_time_leaves_a_whole_file(self, comparison, tmp_path):
        """Six processes save over one file and are killed at random: it is always whole."""
        path = tmp_path / "run"
        comparison.save(path)
        comparison.save(tmp_path / "source")
        script = (
            "import sys, mauve\n"
            "comparison = mauve.load(sys.argv[1])\n"
            "print('ready', flush=True)\n"
            "while True: comparison.save(sys.argv[2])\n"
        )
        for round_ in range(3):
            jobs = [
                subprocess.Popen(
                    [sys.executable, "-c", script, tmp_path / "source", path],
                    stdout=subprocess.PIPE,
                )
                for _ in range(2)
            ]
            for job in jobs:
                assert job.stdout.readline() == b"ready\n"
            time.sleep(0.05 + 0.03 * round_)
            for job in jobs:
                job.send_signal(signal.SIGKILL)
                job.communicate()
            assert mauve.load(path) == comparison


class TestBadFiles:
    """One sentence for each, and no array of the size that a file claims."""

    @pytest.fixture
    def path(self, comparison, tmp_path):
        path = tmp_path / "run.mauve"
        comparison.save(path)
        return path

    def refused(self, path, message):
        with pytest.raises(InvalidParameterError, match=message) as raised:
            mauve.load(path)
        text = str(raised.value)
        assert text.startswith(f"'{path}' ")
        assert len(text) < len(str(path)) + 400
        assert "\n" not in text

    def rewritten(self, path, change=lambda members: None, comment=None, seal=False):
        """Write the members again after a change; `seal` also writes the checksums again."""
        import hashlib

        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
            comment = archive.comment if comment is None else comment
        change(members)
        if seal:
            contents = json.loads(members.pop("contents.json"))
            contents["checksums"] = {
                name: hashlib.blake2b(data, digest_size=16).hexdigest()
                for name, data in members.items()
            }
            members["contents.json"] = json.dumps(contents).encode()
            comment = hashlib.blake2b(members["contents.json"], digest_size=16).hexdigest().encode()
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in members.items():
                kind = zipfile.ZIP_STORED if name.endswith(".npy") else zipfile.ZIP_DEFLATED
                archive.writestr(name, data, kind)
            archive.comment = comment

    def test_missing(self, tmp_path):
        self.refused(tmp_path / "none.mauve", "cannot be read .No such file or directory.")

    def test_a_folder(self, tmp_path):
        self.refused(tmp_path, "cannot be read .Is a directory.")

    @pytest.mark.parametrize("content", [b"", b"MAUVE", b'{"a": 1}', bytes(range(256)) * 4])
    def test_another_kind_of_file(self, tmp_path, content):
        path = tmp_path / "run"
        path.write_bytes(content)
        self.refused(path, "must hold a saved comparison. It is a file of another kind")

    def test_another_zip(self, tmp_path):
        with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
            archive.writestr("a.txt", "a")
        self.refused(tmp_path / "other.zip", "It is another zip file")

    @pytest.mark.parametrize("share", [0.05, 0.5, 0.95, 0.9999])
    def test_cut_short(self, path, share):
        data = path.read_bytes()
        path.write_bytes(data[: int(share * len(data))])
        self.refused(path, "It is cut short: save it again|contents.json was changed")

    def test_every_damaged_byte_is_found(self, path):
        data = path.read_bytes()
        rng = np.random.default_rng(0)
        for place in rng.integers(len(data), size=60):
            damaged = bytearray(data)
            damaged[place] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            try:
                loaded = mauve.load(path)
            except InvalidParameterError:
                continue
            path.write_bytes(data)  # a byte that means nothing, such as a date
            assert loaded == mauve.load(path)

    @pytest.mark.parametrize(("mark", "damage"), [(b"}", b"|"), (b"(", b"\n")])
    def test_a_damaged_header_of_an_array(self, path, mark, damage):
        def damaged(members):
            name = next(name for name in members if name.endswith(".npy"))
            members[name] = members[name].replace(mark, damage, 1)

        self.rewritten(path, damaged)
        self.refused(path, "It is damaged|was changed")

    @pytest.mark.parametrize(
        ("version", "remedy"), [(3, "pip install --upgrade mauve-eval"), (1, "make it again")]
    )
    def test_another_format(self, path, version, remedy):
        def changed(members):
            contents = json.loads(members["contents.json"])
            contents |= {"version": version, "written_by": "mauve-eval 9.0"}
            members["contents.json"] = json.dumps(contents).encode()

        self.rewritten(path, changed, seal=True)
        self.refused(
            path,
            f"was written by mauve-eval 9.0 in format {version}, and this version reads format 2: "
            f"{remedy}",
        )

    @pytest.mark.parametrize(
        "change",
        [
            lambda members: members.update({"comparison.json": b"{}"}),
            lambda members: members.update({"more.json": b"{}"}),
            lambda members: members.pop("result-0-labels.npy"),
            lambda members: members.update(
                {"contents.json": members["contents.json"].replace(b"eval", b"evil")}
            ),
        ],
    )
    def test_changed_by_hand(self, path, change):
        self.rewritten(path, change)
        self.refused(path, "as it was saved. .* was changed: save it again")

    def test_a_score_that_was_edited(self, path):
        def better(members):
            summary = json.loads(members["comparison.json"])
            summary["results"][0]["mauve"] = 0.99
            members["comparison.json"] = json.dumps(summary).encode()

        self.rewritten(path, better)
        self.refused(path, "Its comparison.json was changed")

    @pytest.mark.parametrize(
        "change",
        [
            lambda summary: summary.pop("results"),
            lambda summary: summary["settings"].update(estimator="magic"),
            lambda summary: summary["plans"][0].update(num_buckets=3),
            lambda summary: summary["samples"].update(near=149),
            lambda summary: summary["results"].pop(),
            lambda summary: summary["results"][0].update(surprise=1),
            lambda summary: summary.update(plans=[]),
        ],
    )
    def test_forged_contents(self, path, change):
        """With right checksums: still an error of one sentence."""

        def forge(members):
            summary = json.loads(members["comparison.json"])
            change(summary)
            members["comparison.json"] = json.dumps(summary).encode()

        self.rewritten(path, forge, seal=True)
        self.refused(path, "It is damaged or was changed .*: save it again")

    @pytest.mark.parametrize(
        ("descr", "shape"),
        [
            ("<f8", (10**12, 1000)),
            ("<f8", (-1, 5)),
            ("|O", (3,)),
            ("<U10", (3,)),
            ([("a", "<f8")], (3,)),
        ],
    )
    def test_absurd_arrays(self, path, descr, shape):
        header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
        data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 24
        self.rewritten(path, lambda members: members.update({"hashes.npy": data}), seal=True)
        self.refused(path, "It is damaged or was changed .ValueError: ")

    @pytest.mark.slow
    def test_an_array_that_is_compressed_is_refused(self, path):
        def bomb(members):
            members["bomb.json"] = b" " * (1 << 29)

        self.rewritten(path, bomb, seal=True)
        assert path.stat().st_size < 2_000_000
        self.refused(path, "bomb.json expands to 536,870,912 bytes")

    def test_json_of_a_great_depth(self, path):
        self.rewritten(path, lambda m: m.update({"comparison.json": b"[" * 10**6}), seal=True)
        self.refused(path, "It is damaged or was changed")
