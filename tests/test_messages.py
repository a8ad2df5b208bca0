"""Bad values, walked through every public function and every command.

An error in Python names the function that was called and its parameter; on the command line it
names the flag. Neither speaks the language of the other.
"""

import ast
import inspect
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import mauve
from mauve.cli import app
from mauve.cli.option_groups import PanelCommand

FLAG = re.compile(r"(?<!\w)--[a-z]")
PYTHON = re.compile(r"parameters? of |\b[a-z]+(_[a-z]+)+\b|(?<!#)\b[a-z]+=")
TEXTS = [f"Text number {i} is about nothing at all." for i in range(24)]


class Bad:
    """What no parameter takes."""

    def __repr__(self):
        return "BAD"


@pytest.fixture(scope="module")
def features():
    return np.random.default_rng(0).normal(size=(2, 60, 4)).astype(np.float32)


@pytest.fixture(scope="module")
def comparison(features):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        return mauve.compare(features[0], {"a": features[1], "b": features[1] + 1})


def message(function, *args, **kwargs):
    with pytest.raises(mauve.MauveError) as caught:
        function(*args, **kwargs)
    assert not FLAG.search(str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Data are named by their sample; these need a model, or are kept for the authors' package.
DATA = {"human", "systems", "p_features", "q_features"}
UNUSED = {
    "measure": {"tokenizer", "language_model", "device"},
    "explain": {"device"},
    "compute_mauve": {
        "featurize_model_name", "device_id", "max_text_length", "verbose", "use_float64",
    },
    "report": {"path", "options"},
}  # fmt: skip


def parameters(function):
    names = inspect.signature(function).parameters
    return [name for name in names if name not in DATA | UNUSED.get(function.__name__, set())]


class TestFunctions:
    @pytest.mark.parametrize("name", parameters(mauve.compare))
    def test_compare(self, features, name):
        found = message(mauve.compare, *features, **{name: Bad()})
        assert found.startswith(f"The '{name}' parameter of compare must ")

    @pytest.mark.parametrize("name", parameters(mauve.compare))
    def test_compare_of_texts(self, name):
        found = message(mauve.compare, TEXTS, TEXTS[::-1], **{name: Bad()})
        assert found.startswith(f"The '{name}' parameter of compare must ")

    @pytest.mark.parametrize("name", parameters(mauve.measure))
    def test_measure(self, features, name):
        values = {"measures": "frechet", name: Bad()}
        found = message(mauve.measure, *features, **values)
        if name == "training":  # a sample, named as one
            assert found.startswith("'training' must hold real numbers")
        else:
            assert found.startswith(f"The '{name}' parameter of measure must ")

    @pytest.mark.parametrize("name", ["tokenizer", "language_model"])
    def test_measure_of_texts(self, name):
        values = {"measures": "zipf,perplexity", name: Bad()}
        found = message(mauve.measure, TEXTS, TEXTS[::-1], **values)
        assert found.startswith(f"The '{name}' parameter of measure must ")

    @pytest.mark.parametrize("name", parameters(mauve.explain))
    def test_explain(self, comparison, name):
        values = {"comparison": comparison, name: Bad()}
        found = message(mauve.explain, **values)
        assert found.startswith(f"The '{name}' parameter of explain must ")

    @pytest.mark.parametrize("name", parameters(mauve.compute_mauve))
    def test_compute_mauve(self, features, name):
        found = message(mauve.compute_mauve, *features, **{name: Bad()})
        assert found.startswith(f"The '{name}' parameter of compute_mauve must ")

    @pytest.mark.parametrize(
        "name", sorted({*parameters(mauve.report), *parameters(mauve.compare)})
    )
    def test_report(self, features, name, tmp_path):
        found = message(mauve.report, *features, tmp_path / "report.html", **{name: Bad()})
        if name == "training":
            assert found.startswith("'training' must hold real numbers")
        else:
            assert found.startswith(f"The '{name}' parameter of report must ")
        assert not (tmp_path / "report.html").exists()

    def test_get_embedder(self):
        assert "'spec' parameter of get_embedder must" in message(mauve.get_embedder, 5)
        for name in ("pooling", "max_length", "token_budget"):
            found = message(mauve.get_embedder, "bundled", **{name: Bad()})
            assert found.startswith(f"The '{name}' parameter of get_embedder must ")
        assert "Got layer instead" in message(mauve.get_embedder, "bundled", layer=3)

    def test_methods(self, comparison):
        result = comparison["a"]
        found = message(result.texts_needed, 0.1, power=1)
        assert found.startswith("The 'power' parameter of MauveResult.texts_needed must be ")
        found = message(mauve.difference(result, comparison["b"]).equivalence, Bad())
        assert found.startswith("The 'margin' parameter of Difference.equivalence must ")


class TestReasons:
    """A limit says why it is what it is."""

    @pytest.mark.parametrize(
        ("name", "value", "reason"),
        [
            ("num_buckets", 31, "the smallest sample has 60 texts, and a bucket takes two"),
            ("scaling", 101, "1/binom(2c, c), is 1e-59 at 100"),
            ("limit", 9, "a comparison needs as many texts"),
            ("n_clusterings", 1, "the spread over clusterings is a part of the interval"),
            ("n_bootstrap", 5, "from fewer resamples a standard error is off by more than"),
        ],
    )
    def test_in_python(self, features, name, value, reason):
        assert reason in message(mauve.compare, *features, **{name: value})

    def test_of_too_few_texts(self, features):
        found = message(mauve.compare, features[0][:9], features[1])
        assert "at least 10 texts for compare, which learns from half of them" in found

    def test_of_clusters(self, comparison):
        found = message(mauve.explain, comparison, n_clusters=100)
        assert "there are 180 texts, and a cluster needs 10" in found

    def test_only_the_limit_that_was_missed_is_explained(self, features):
        assert message(mauve.compare, *features, num_buckets=1).endswith("Got 1 instead.")

    def test_confidence_of_one(self, features):
        found = message(mauve.compare, *features, confidence=1)
        assert found.endswith("a real number between 0 and 1, both excluded. Got 1 instead.")


def test_an_embedder_for_features_is_refused(features):
    for embedder in ("bundled", mauve.get_embedder("bundled"), len):
        found = message(mauve.compare, *features, embedder=embedder)
        assert "'embedder' parameter of compare must be left out for features" in found


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # as if it were not installed
import numpy as np
import mauve
try:
    mauve.compare(np.eye(20), np.eye(20), quantizer=sys.argv[1], device=sys.argv[2])
except mauve.MissingExtraError as error:
    print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("quantizer", "device", "what"),
    [
        ("drmm", "auto", "The quantizer 'drmm'"),
        ("lattice", "auto", "The quantizer 'lattice'"),
        ("kmeans", "cuda", "Clustering on 'cuda'"),
    ],
)
def test_what_needs_torch_is_named(quantizer, device, what):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, quantizer, device], capture_output=True, text=True
    )
    assert done.stdout == (
        f"{what} needs torch, which is not installed: "
        "pip install \"mauve-eval[torch]\", or use quantizer='kmeans' on the CPU.\n"
    )


@pytest.mark.slow
def test_no_message_is_worded_on_import():
    """Then it would not know which function or command was called."""
    words = {"parameter", "option", "called", "either", "by_world", "has_option"}
    for path in Path(mauve.__file__).parent.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                calls = [n for n in ast.walk(node.value) if isinstance(n, ast.Call)]
                names = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
                assert not names & words, (path, node.lineno)


class TestStackLevel:
    @pytest.mark.slow
    def test_warnings_point_at_the_line_of_the_user(self, features, tmp_path):
        few = features[:, :30]
        for call in (
            lambda: mauve.compare(*few),
            lambda: mauve.measure(*few, "mauve"),
            lambda: mauve.report(*few, tmp_path / "report.html"),
        ):
            with pytest.warns(mauve.MauveWarning) as caught:
                call()
            assert {Path(warning.filename) for warning in caught} == {Path(__file__)}

    def test_remedies_are_options_of_the_function(self, features):
        few = features[:, :30]
        with pytest.warns(mauve.MauveWarning) as caught:
            mauve.compare(*few, num_buckets=10)
        messages = [str(warning.message) for warning in caught]
        assert any("use a smaller num_buckets." in text for text in messages)
        assert not any(map(FLAG.search, messages))


@pytest.fixture
def files(tmp_path, monkeypatch, features):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAUVE_CACHE", str(tmp_path / "cache"))
    for name, rows in zip(("human", "model"), features, strict=True):
        np.save(f"{name}.npy", rows)
    for name in ("human", "model"):
        Path(f"{name}.txt").write_text("\n".join(TEXTS))


def stderr(*arguments):
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code in (1, 2), result.output
    # The last line; Typer prints the usage above its own errors.
    return result.stderr.strip().splitlines()[-1]


NPY, TXT = ("human.npy", "model.npy"), ("human.txt", "model.txt")
BAD_OPTIONS = [
    (NPY, "--num-buckets", "500"), (NPY, "--num-buckets", "ten"), (NPY, "--quantizer", "no"),
    (NPY, "--n-clusterings", "1"), (NPY, "--n-learning", "3"), (NPY, "--scaling", "1000"),
    (NPY, "--scaling", "-1"), (NPY, "--estimator", "no"), (NPY, "--explained-variance", "2"),
    (NPY, "--order", "no"), (NPY, "--confidence", "1"), (NPY, "--seed", "-1"),
    (NPY, "--n-permutations", "-1"), (NPY, "--device", "nowhere"), (NPY, "--embedder", "bundled"),
    (NPY, "--pooling", "mean"), (NPY, "--layer", "3"), (NPY, "--max-length", "9"),
    (NPY, "--dtype", "float32"), (NPY, "--revision", "main"), (NPY, "--empty", "no"),
    (NPY, "--strip", None), (NPY, "--match-length", None), (NPY, "--prompts", "no.txt"),
    (NPY, "--normalize", "space"), (TXT, "--normalize", "spce"),
    (NPY, "--by-prompt", None), (TXT, "--layer", "3"), (TXT, "--pooling", "max"),
    (TXT, "--max-length", "999"), (TXT, "--dtype", "float32"), (TXT, "--embedder", "http://"),
    (TXT, "--embedder", "sentence:"), (TXT, "--revision", "main"), (TXT, "--prompts", "no.txt"),
]  # fmt: skip
BY_COMMAND = {
    "compare": [
        *BAD_OPTIONS, (NPY, "--interval", "no"), (NPY, "--n-bootstrap", "3"),
        (NPY, "--margin", "1"), (NPY, "--measures", "no"), (NPY, "--measures", "zipf"),
        (NPY, "--model", "a=b@c"), (NPY, "--plot", "x.gif"), (NPY, "--report", "x.pdf"),
        (NPY, "--metadata", "site"),
    ],
    "explain": [
        *BAD_OPTIONS, (NPY, "--n-clusters", "99"), (NPY, "--n-clusters", "few"),
        (NPY, "--mixture", "1"), (NPY, "--n-texts", "-1"), (NPY, "--language-model", "bundled"),
        (NPY, "--n-permutations", "5"), (TXT, "--metadata", "site"), (NPY, "--report", "x.pdf"),
    ],
    "measure": [
        *(case for case in BAD_OPTIONS if case[1] not in {
            "--num-buckets", "--quantizer", "--n-clusterings", "--n-learning", "--scaling",
            "--estimator",
            "--explained-variance", "--order", "--n-permutations", "--device",
        }),
        (NPY, "--measures", "no"), (NPY, "--measures", "zipf"), (NPY, "--measures", "sparsemax"),
        (NPY, "--measures", "copying-8"), (NPY, "--prompt-context", None),
        (NPY, "--model", "a=b@greedy"), (TXT, "--model", "a=b@no"),
        (TXT, "--tokenizer", "no.json"), (NPY, "--training", "human.txt"),
    ],
}  # fmt: skip


class TestCommands:
    @pytest.mark.parametrize(
        ("command", "inputs", "flag", "value"),
        [(command, *case) for command, cases in BY_COMMAND.items() for case in cases],
    )
    def test_flags_are_named(self, files, command, inputs, flag, value):
        found = stderr(command, *inputs, flag, *([] if value is None else [value]))
        assert flag in found, found
        assert not PYTHON.search(found), found

    @pytest.mark.parametrize(
        ("flag", "value"),
        [
            ("--layer", "3"), ("--pooling", "max"), ("--max-length", "999"), ("--empty", "no"),
            ("--dtype", "float32"), ("--embedder", "http://"), ("--embedder", "sentence:"),
        ],
    )  # fmt: skip
    def test_embed(self, files, flag, value):
        found = stderr("embed", "human.txt", "-o", "out.npy", flag, value)
        assert flag in found
        assert not PYTHON.search(found), found
        assert not Path("out.npy").exists()

    def test_cache(self, files):
        assert not PYTHON.search(stderr("cache", "clear", "--embedder", "no"))

    def test_files_are_named(self, files):
        Path("few.txt").write_text("One.\nTwo.\n")
        Path("empty.txt").write_text("\n\n".join(TEXTS))
        for system, said in {
            "no.npy": "'no.npy' must be the path of a file. No such file",
            "few.txt": "at least 10 texts for mauve compare",
            "model.npy": "HUMAN and SYSTEM must be all text or all features",
        }.items():
            found = stderr("compare", "human.txt", system)
            assert said in found
            assert not PYTHON.search(found), found

    @pytest.mark.slow
    def test_warnings_have_flags(self, files):
        rows = np.load("human.npy")
        np.save("few.npy", rows[:20])
        Path("spaced.txt").write_text("\n".join(f"  {text}" for text in TEXTS * 5))
        Path("plain.txt").write_text("\n".join(TEXTS * 5))
        for arguments, flag in {
            ("human.npy", "few.npy", "--num-buckets", "9"): "use a smaller --num-buckets.",
            ("human.npy", "few.npy"): "From 200 texts of each sample on",
            ("plain.txt", "spaced.txt"): "strip all texts with --strip.",
        }.items():
            done = CliRunner().invoke(app, ["compare", *arguments, "--quiet"])
            assert done.exit_code == 0
            assert flag in done.stderr
            assert not PYTHON.search(done.stderr), done.stderr

    def test_every_command_names_its_flags(self):
        commands = [info.cls for info in app.registered_commands]
        for group in app.registered_groups:
            commands += [info.cls for info in group.typer_instance.registered_commands]
        assert len(commands) >= 8
        assert all(issubclass(command, PanelCommand) for command in commands)
