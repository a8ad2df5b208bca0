"""Embedders, quantizers and measures of users: by decorator, by entry point, and as objects."""

import inspect
import os
import pydoc
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import mauve
from mauve.comparison.settings import INTERVALS
from mauve.embed.registry import OWN_EMBEDDERS
from mauve.errors import InvalidParameterError
from mauve.frontier.estimators import ESTIMATORS
from mauve.frontier.histogram import SMOOTHINGS
from mauve.measures.registry import OWN_MEASURES
from mauve.plugins import PluginError, Plugins
from mauve.quantize.reduce import ORDERS
from mauve.quantize.registry import OWN_QUANTIZERS, QUANTIZERS, QuantizerName
from mauve.text.normalize import EMPTY

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
pytestmark = pytest.mark.filterwarnings("ignore::mauve.MauveWarning")


@pytest.fixture(autouse=True)
def registered_for_one_test(monkeypatch):
    for plugins in (OWN_EMBEDDERS, OWN_QUANTIZERS, OWN_MEASURES):
        monkeypatch.setattr(plugins, "registered", {})


@pytest.fixture
def features():
    return np.random.default_rng(0).normal(size=(2, 100, 4))


class TestPage:
    def test_examples_are_short(self):
        assert len(EXAMPLES) == 4
        lines = [[line for line in example.splitlines() if line] for example in EXAMPLES]
        assert max(map(len, lines)) <= 13

    def test_readme_names_it(self):
        assert "docs/extending.md" in (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")


class TestDecorators:
    def test_built_in_names_cannot_be_taken(self):
        for register, name in (
            (mauve.register_embedder, "bundled"),
            (mauve.register_quantizer, "kmeans"),
            (mauve.register_measure, "zipf"),
            (mauve.register_measure, "default"),
            (mauve.register_measure, "distinct-7"),
        ):
            said = f"parameter of {register.__name__} must be another name than those of this"
            with pytest.raises(InvalidParameterError, match=said):
                register(name)  # at once, not when something is decorated

    @pytest.mark.parametrize("name", ["", "With Space", "a,b", 3, "Upper"])
    def test_odd_names_are_refused(self, name):
        for register in (mauve.register_embedder, mauve.register_quantizer, mauve.register_measure):
            said = f"parameter of {register.__name__} must be lower-case letters and digits"
            with pytest.raises(InvalidParameterError, match=said):
                register(name)

    def test_a_cell_may_run_again_and_another_function_may_not(self):
        def lengths(texts):
            return [[len(text)] for text in texts]

        def others(texts):
            return lengths(texts)

        mauve.register_embedder("mine")(lengths)
        mauve.register_embedder("mine")(lengths)
        with pytest.raises(InvalidParameterError, match="no other embedder is registered by"):
            mauve.register_embedder("mine")(others)

    def test_another_measure_of_the_same_name_is_refused(self):
        def estimate(sample, human):
            raise AssertionError

        own = mauve.Measure(
            name="own", title="own", direction="lower", needs=frozenset({"texts"}),
            estimate=lambda sample, human: None, is_statistic=True,
        )  # fmt: skip
        mauve.register_measure(own)
        mauve.register_measure(own)
        with pytest.raises(InvalidParameterError, match="no other measure is registered by"):
            mauve.register_measure(replace(own, estimate=estimate))

    def test_a_measure_must_have_the_name_of_its_entry_point(self):
        own = mauve.Measure(
            name="zipf", title="own", direction="lower", needs=frozenset({"texts"}),
            estimate=lambda sample, human: None, is_statistic=True,
        )  # fmt: skip
        OWN_MEASURES.registered["mine"] = (own, None)  # as an entry point is
        with pytest.raises(PluginError, match=r"'mine' .* names itself 'zipf'"):
            mauve.measure(["A text."] * 12, ["Another."] * 12, "zipf,mine")

    def test_what_is_missing_is_named(self):
        class Half:
            signature = "half"

        with pytest.raises(InvalidParameterError, match="it has no 'fit'"):
            mauve.register_quantizer("half")(Half)
        with pytest.raises(InvalidParameterError, match="it has no 'embed'"):
            mauve.register_embedder("half")(Half)

    def test_names_are_listed_in_errors(self, features):
        mauve.register_quantizer("kept")(KeptQuantizer)
        with pytest.raises(InvalidParameterError, match="'lattice', 'kept'"):
            mauve.compare(*features, quantizer="no")
        mauve.register_measure("own")(lambda texts: [1.0 for _ in texts])
        with pytest.raises(InvalidParameterError, match=r"all, own\. Got 'no'"):
            mauve.measure(*features, "no")

    @pytest.mark.parametrize(
        ("values", "got"),
        [([1.0], r"the shape \(1,\)"), ([np.nan] * 12, "NaN or infinity"), ("no", "a number for")],
    )
    def test_results_of_a_measure_are_checked(self, values, got):
        mauve.register_measure("odd")(lambda texts: values)
        with pytest.raises(InvalidParameterError, match=f"The measure 'odd' must return.*{got}"):
            mauve.measure(["A text."] * 12, ["Another."] * 12, "odd")

    def test_the_interval_is_that_of_a_mean(self):
        rng = np.random.default_rng(0)
        texts = ["!" * n + "." for n in rng.integers(0, 9, 400)]
        mauve.register_measure("marks")(lambda texts: [text.count("!") for text in texts])
        marks = mauve.measure(texts, texts[::-1], "marks")["model"]["marks"]
        counts = [text.count("!") for text in texts]
        assert marks.value == pytest.approx(np.mean(counts))
        half = (marks.interval[1] - marks.interval[0]) / 2
        # The error of the jackknife over 50 groups is itself off by about 10%.
        assert half == pytest.approx(1.96 * np.std(counts) / 20, rel=0.3)


class KeptQuantizer:
    signature = "kept"

    def fit(self, features, num_buckets, rng):
        return self

    def assign(self, features):
        return (features[:, 0] > 0).astype(int)


class HalvesQuantizer(KeptQuantizer):
    signature = "halves"
    fit = property()  # it has none

    def fit_pair(self, features, is_human, num_buckets, rng):
        return self


class TestObjects:
    def test_a_quantizer_that_knows_the_samples(self, features):
        for quantizer in (HalvesQuantizer(), "halves"):
            mauve.register_quantizer("halves")(HalvesQuantizer)
            result = mauve.compare(*features, quantizer=quantizer, num_buckets=2)["model"]
            assert result.mauve > 0
            assert "quant:halves|" in result.signature

    @pytest.mark.parametrize("clustering", ["pair", "joint"])
    def test_a_fit_that_returns_nothing_is_named(self, features, clustering):
        class Forgets(KeptQuantizer):
            def fit(self, features, num_buckets, rng):
                pass

        said = "parameter of {} must have a method '{}' that returns .* 'assign'. Got NoneType"
        options = {"quantizer": Forgets(), "num_buckets": 2}
        with pytest.raises(InvalidParameterError, match=said.format("compare", "fit")):
            mauve.compare(*features, clustering=clustering, **options)
        with pytest.raises(InvalidParameterError, match=said.format("compute_mauve", "fit")):
            mauve.compute_mauve(*features, **options)

    def test_a_fit_pair_that_returns_nothing_is_named(self, features):
        class Forgets(HalvesQuantizer):
            def fit_pair(self, features, is_human, num_buckets, rng):
                pass

        with pytest.raises(InvalidParameterError, match="must have a method 'fit_pair' that ret"):
            mauve.compare(*features, quantizer=Forgets(), num_buckets=2)

    def test_buckets_that_are_none_are_named_by_compute_mauve_too(self, features):
        class TooMany(KeptQuantizer):
            def assign(self, features):
                return np.full(len(features), 7)

        with pytest.raises(InvalidParameterError, match=r"assign each of 200 texts .* \[0, 2\)"):
            mauve.compute_mauve(*features, quantizer=TooMany(), num_buckets=2)

    def test_quantizer(self, features):
        assert mauve.compare(*features, quantizer=KeptQuantizer(), num_buckets=2)["model"].mauve > 0
        with pytest.raises(InvalidParameterError, match=r"it is a class: pass KeptQuantizer\(\)"):
            mauve.compare(*features, quantizer=KeptQuantizer)

    def test_what_an_object_lacks_is_named(self, features):
        texts = [f"Text {i}." for i in range(12)]
        for name, value, missing in (
            ("quantizer", 3, "it has no 'signature' and no 'fit'"),
            ("embedder", 3, "it has no 'signature' and no 'embed'"),
        ):
            with pytest.raises(InvalidParameterError, match=f"Got 3 instead: {missing}"):
                mauve.compare(texts, texts, **{name: value})
        with pytest.raises(InvalidParameterError, match=r"it has .* no 'log_probabilities'"):
            mauve.measure(texts, texts, "perplexity", language_model=3)
        with pytest.raises(InvalidParameterError, match="names and of Measure objects"):
            mauve.measure(texts, texts, ["zipf", 3])

    def test_protocols_are_exported(self):
        assert isinstance(mauve.get_embedder("bundled"), mauve.Embedder)
        assert isinstance(KeptQuantizer(), mauve.Quantizer)
        assert isinstance(KeptQuantizer(), mauve.Partition)
        assert isinstance(HalvesQuantizer(), mauve.PairQuantizer)
        assert isinstance(mauve.register_measure("one")(len), mauve.Measure)
        assert inspect.isclass(mauve.TokenScorer)


MODULE = """
import numpy as np
import mauve

class Letters:
    def __init__(self, alphabet="etaoins"):
        self.alphabet, self.signature = alphabet, f"letters:{alphabet}"
    def embed(self, texts, on_progress=None):
        rows = np.array([[text.count(c) for c in self.alphabet] for text in texts], np.float32)
        return mauve.Embedded(rows, np.full(len(texts), -1), np.zeros(len(texts), bool))

class Slices:
    signature = "slices"
    def fit(self, features, num_buckets, rng):
        made = Slices()
        made.edges = np.quantile(features[:, 0], np.arange(1, num_buckets) / num_buckets)
        return made
    def assign(self, features):
        return np.searchsorted(self.edges, features[:, 0])

@mauve.register_measure("commas", summary="commas of a text")
def commas(texts):
    return [text.count(",") for text in texts]

half = object()
"""
ENTRY_POINTS = """
[mauve.embedders]
letters = tiny_plugin:Letters
half = tiny_plugin:half

[mauve.quantizers]
slices = tiny_plugin:Slices
kmeans = tiny_plugin:Slices

[mauve.measures]
commas = tiny_plugin:commas
broken = tiny_plugin_that_is_not_there:measure
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder with an installed distribution, for commands."""
    site = tmp_path / "site"
    info = site / "tiny_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "tiny_plugin.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    rng = np.random.default_rng(0)
    for name in ("human", "model"):
        words = rng.choice(["rain,", "sun", "we", "read", "a", "book,"], size=(60, 8))
        (tmp_path / f"{name}.txt").write_text("\n".join(" ".join(row) for row in words))
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "cache"))


def run(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "mauve", *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
class TestEntryPoints:
    def test_compare(self):
        done = run(
            "compare", "human.txt", "model.txt", "--embedder", "letters", "--quantizer", "slices"
        )
        assert done.returncode == 0, done.stderr
        assert "emb:letters:etaoins" in done.stdout.replace("\n", "")
        assert "quant:slices" in done.stdout.replace("\n", "")

    def test_measures(self):
        done = run("measure", "human.txt", "model.txt", "--measures", "commas")
        assert done.returncode == 0, done.stderr
        assert "commas" in done.stdout

    def test_a_broken_one_is_named_and_breaks_no_other(self):
        listed = run("measure", "--list")
        assert listed.returncode == 0
        assert re.search(r"^commas +nearest to human +commas of a text$", listed.stdout, re.M)
        assert "warning: The measure 'broken' of the distribution 'tiny-plugin'" in listed.stderr
        done = run("measure", "human.txt", "model.txt", "--measures", "broken")
        assert done.returncode == 1
        assert done.stderr.startswith("error: The measure 'broken' of the distribution 'tiny-plu")
        assert "ModuleNotFoundError" in done.stderr

    def test_one_that_cannot_be_used_is_named(self):
        done = run("compare", "human.txt", "model.txt", "--embedder", "half")
        assert done.returncode == 1
        assert "'half' of the distribution 'tiny-plugin' cannot be used: it has no" in done.stderr

    def test_a_built_in_name_stays_ours(self):
        done = run("compare", "human.txt", "model.txt", "--quantizer", "no")
        assert done.returncode == 2
        assert "must be one of kmeans, classifier, drmm, lattice, slices. Got 'no'" in done.stderr
        code = (
            "import mauve, warnings; warnings.simplefilter('error');"
            "from mauve.quantize.registry import get_quantizer, quantizer_names;"
            "print(get_quantizer('kmeans')); quantizer_names()"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.startswith("KMeans(")
        assert "'kmeans' of the distribution 'tiny-plugin' is ignored" in done.stderr


class TestDistributions:
    """Entry points of installed distributions, found in this process."""

    @pytest.fixture
    def colours(self, tmp_path, monkeypatch):
        (tmp_path / "tiny_colours.py").write_text("mauve, red, dark = '#e0b0ff', '#ff0000', ''\n")
        offers = {
            "first": "mauve = tiny_colours:mauve\nred = tiny_colours:red\ngrey = tiny_colours:red",
            "second": "grey = tiny_colours:mauve\ndark = tiny_colours:dark\nno = tiny_colours:no",
        }
        for name, points in offers.items():
            info = tmp_path / f"{name}-1.0.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (info / "entry_points.txt").write_text(f"[mauve.colours]\n{points}\n")
        monkeypatch.syspath_prepend(tmp_path)
        return Plugins("colour", {"red"}.__contains__, lambda value: "" if value else "no light")

    @pytest.mark.filterwarnings("default::mauve.MauveWarning")
    def test_each_that_can_be_used_is(self, colours):
        with pytest.warns(mauve.MauveWarning) as caught:
            assert colours.loaded() == {"mauve": "#e0b0ff"}
        messages = [str(warning.message) for warning in caught]
        assert messages[0].startswith("The colour 'red' of the distribution 'first' is ignored")
        assert len(messages) == 4  # red, grey, dark and no

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("grey", r"offered by the distributions '(first' and 'second|second' and 'first)'"),
            ("dark", "'dark' of the distribution 'second' cannot be used: no light"),
            ("no", r"'no' .* could not be loaded from 'tiny_colours:no' \(AttributeError"),
        ],
    )
    def test_others_are_named(self, colours, name, message):
        with pytest.raises(PluginError, match=message):
            colours.get(name)

    def test_names(self, colours):
        assert sorted(colours.names()) == ["dark", "grey", "mauve", "no"]


class TestTypes:
    def test_choices_have_one_definition(self):
        parameters = inspect.signature(mauve.compare).parameters
        for name, choices in {
            "estimator": ESTIMATORS, "interval": INTERVALS, "order": ORDERS, "empty": EMPTY,
        }.items():  # fmt: skip
            assert get_args(parameters[name].annotation) == tuple(choices)
        assert get_args(QuantizerName) == tuple(QUANTIZERS)
        assert {*ESTIMATORS} == {"jackknife", "plugin", *SMOOTHINGS} - {"none"}

    @pytest.mark.parametrize(
        "function",
        [mauve.compare, mauve.measure, mauve.explain, mauve.report, mauve.compute_mauve,
         mauve.get_embedder, mauve.register_measure],
    )  # fmt: skip
    def test_help_is_readable(self, function):
        text = pydoc.plain(pydoc.render_doc(function))
        signature = text.partition("\n    ")[0]
        n_parameters = len(inspect.signature(function).parameters)
        assert len(signature) < 100 + 45 * n_parameters, "aliases are not written out"
        assert "numpy._typing" not in text
        if "human" in inspect.signature(function).parameters:
            assert "human: 'SampleLike'" in signature

    def test_help_of_the_package_names_its_functions(self):
        text = pydoc.plain(pydoc.render_doc(mauve))
        head = text.partition("PACKAGE CONTENTS")[0]
        for name in mauve.__all__:
            if inspect.isfunction(getattr(mauve, name)):
                assert name in head
