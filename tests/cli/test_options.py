"""Options: their names, values and defaults, and that they reach the library."""

import inspect
import json
import re

import pytest
from running import invoke
from typer.main import get_command

import mauve
from mauve.cli import app

#: Keywords of Python that have no flag of the same name, and why.
NO_FLAG = {
    "progress": "the progress bar is drawn where stderr is a terminal",
    "comparison": "the commands compare first where it is needed",
    "cache": "a flag can only switch something on: --no-cache",
    "models": "a mapping, here one --model for each system",
}
#: Options that have another default than the keyword, and why.
OTHER_DEFAULT = {
    "n_permutations": "explain takes as many as for the comparison, 1000; in Python it may be None",
    "measures": "compare adds measures only where they are named",
}


@pytest.mark.parametrize("command", ["compare", "measure", "explain"])
def test_every_keyword_of_python_is_a_flag(command):
    keywords = {
        parameter.name
        for parameter in inspect.signature(getattr(mauve, command)).parameters.values()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    flags = {
        flag for parameter in get_command(app).commands[command].params for flag in parameter.opts
    }
    missing = {name for name in keywords if f"--{name.replace('_', '-')}" not in flags}
    assert missing == keywords & set(NO_FLAG)


def test_defaults_are_those_of_python():
    for name in ("compare", "measure", "explain"):
        python = inspect.signature(getattr(mauve, name)).parameters
        for option in get_command(app).commands[name].params:
            if option.name in python and option.name not in OTHER_DEFAULT:
                default = python[option.name].default
                if default is not inspect.Parameter.empty:
                    assert option.default == default, (name, option.name)


def test_options_reach_the_library(features):
    options = {
        "--num-buckets": 15,
        "--n-clusterings": 5,
        "--scaling": 2,
        "--estimator": "laplace",
        "--confidence": 0.8,
        "--interval": "bootstrap",
        "--n-bootstrap": 20,
        "--n-permutations": 30,
        "--explained-variance": 0.7,
        "--order": "pca-norm",
        "--seed": 4,
        "--device": "cpu",
    }
    flat = [part for option in options.items() for part in option]
    printed = json.loads(invoke("compare", "human.npy", "good.npy", *flat, "--json").stdout)
    expected = mauve.compare(
        "human.npy",
        {"good": "good.npy"},
        num_buckets=15,
        n_clusterings=5,
        scaling=2,
        estimator="laplace",
        confidence=0.8,
        interval="bootstrap",
        n_bootstrap=20,
        n_permutations=30,
        explained_variance=0.7,
        order="pca-norm",
        seed=4,
        device="cpu",
    )
    assert printed["results"] == expected.to_dict()["results"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare"], "Missing argument"),
        (["compare", "human.npy"], "Missing argument 'SYSTEM'"),
        (["nonsense"], "No such command"),
        (["compare", "human.npy", "good.npy", "--nonsense"], "No such option"),
        (["compare", "human.npy", "good.npy", "--estimator", "magic"], "must be one of jackknife"),
        (["compare", "human.npy", "good.npy", "--interval", "magic"], "must be one of influence"),
        (["compare", "human.npy", "good.npy", "--order", "magic"], "must be one of norm-pca"),
        (["compare", "human.npy", "good.npy", "--num-buckets", "ten"], "'auto' or 'n/10'"),
        (
            ["compare", "human.npy", "good.npy", "--confidence", "1"],
            "between 0 and 1, both excluded",
        ),
        (
            ["compare", "human.npy", "good.npy", "--confidence", "nan"],
            "between 0 and 1, both excluded",
        ),
        (["compare", "human.npy", "good.npy", "--margin", "0"], "between 0 and 1, both excluded"),
        (["compare", "human.npy", "good.npy", "--scaling", "0"], "must be above 0"),
        (["compare", "human.npy", "good.npy", "--scaling", "inf"], "must be above 0"),
        (["compare", "human.npy", "good.npy", "--explained-variance", "1.1"], "at most 1"),
        (["compare", "human.npy", "good.npy", "--n-permutations", "-1"], "--n-permutations"),
        (["compare", "human.npy", "good.npy", "--n-bootstrap", "2"], "--n-bootstrap"),
        (["compare", "human.npy", "good.npy", "--n-clusterings", "1"], "--n-clusterings"),
        (["compare", "human.npy", "good.npy", "--plot", "x.gif"], "must end in .png, .svg or .pdf"),
        (["compare", "human.npy", "good.npy", "--training", "x.txt"], "need --measures"),
        (["compare", "human.npy", "good.npy", "--prompts", "x", "--by-prompt"], "cannot both be"),
    ],
)
def test_usage_errors(features, arguments, message):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--num-buckets", "5000"], r"--num-buckets must be an int in \[2, 100\]"),
        (["--clustering", "joint", "--n-clusterings", "7"], "must be a multiple of 5"),
        (["--device", "nonsense"], "must be a device of this machine"),
    ],
)
def test_errors_of_the_library(features, option, message):
    result = invoke("compare", "human.npy", "good.npy", *option)
    assert result.exit_code == 1
    assert re.search(f"^error: .*{message}", result.stderr)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--seed", "-1"], "'--seed': must be greater than or equal to 0. Got '-1' instead."),
        (["--limit", "x"], "'--limit': must be a valid integer. Got 'x' instead."),
        (["--limit", "5"], "'--limit': must be at least 10. Got 5 instead: a comparison needs as"),
        (["--save", "a.html", "--report", "a.html"], "--save and --report must be different files"),
    ],
)
def test_messages_of_options_name_the_value(option, message):
    done = invoke("compare", "human.npy", "good.npy", *option)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
