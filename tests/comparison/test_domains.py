"""Domains: each has human texts of its own, and all count equally in the mean."""

import json

import numpy as np
import pytest

import mauve
from mauve.comparison.domains import compare_domains
from mauve.errors import InvalidParameterError

pytestmark = pytest.mark.slow

QUICK = {"n_permutations": 0, "n_clusterings": 5, "progress": False}


def cloud(n, shift, seed):
    return np.random.default_rng(seed).normal(size=(n, 4)) + shift


def pairs():
    return {
        "news": (cloud(220, 0, 0), {"a": cloud(220, 0.4, 1), "b": cloud(220, 1.2, 2)}),
        "poems": (cloud(300, 9, 3), {"a": cloud(300, 9.8, 4)}),
    }


@pytest.fixture(scope="module")
def domains():
    return compare_domains(pairs(), **QUICK)


def test_each_domain_is_compared_with_its_own_human_texts(domains):
    for name, (human, systems) in pairs().items():
        alone = mauve.compare(human, systems, **QUICK)
        assert [*domains[name]] == [*alone]
        for system, result in alone.items():
            assert domains[name][system].mauve == result.mauve
            assert domains[name][system].interval == result.interval
    assert [*domains] == ["news", "poems"]
    assert domains.systems == ("a", "b")


def test_the_mean_has_an_interval_narrower_than_those_of_the_domains(domains):
    mean = domains.mean("a")
    results = [domains[name]["a"] for name in domains]
    assert mean.mauve == pytest.approx(np.mean([result.mauve for result in results]))
    low, high = mean.interval
    assert low < mean.mauve < high
    widths = [result.interval[1] - result.interval[0] for result in results]
    assert high - low < max(widths)
    only = domains.mean("b")
    assert only.domains == ("news",)
    assert only.interval == pytest.approx(domains["news"]["b"].interval)


def test_tables_leave_out_what_is_absent(domains):
    titles, rows = domains.rows()
    assert titles == ["system", "news", "poems", "mean", "95% interval"]
    assert rows[1][:3] == ["b", f"{domains['news']['b'].mauve:.3f}", "--"]
    assert domains.to_markdown().startswith("| system | news | poems |")
    assert "<table" in domains._repr_html_()
    as_dict = json.loads(json.dumps(domains.to_dict(), allow_nan=False))
    assert as_dict["means"]["b"]["domains"] == ["news"]


def test_prompts_by_domain():
    human, system = cloud(80, 0, 5), cloud(80, 1, 6)
    prompts = {"x": [f"p{i}" for i in range(80)]}
    with pytest.warns(mauve.MauveWarning):
        compared = compare_domains({"x": (human, {"a": system})}, prompts=prompts, **QUICK)
    assert "by-prompt" in compared["x"]["a"].signature
    assert all(message.startswith("x: ") for message in compared.warnings)


def test_what_is_no_domain():
    with pytest.raises(InvalidParameterError, match="at least one domain"):
        compare_domains({})
    with pytest.raises(InvalidParameterError, match="pair of human texts and systems for 'news'"):
        compare_domains({"news": cloud(5, 0, 0)})


def test_an_unknown_system_is_named(domains):
    with pytest.raises(InvalidParameterError, match=r"one of 'a', 'b'. Got 'c' instead"):
        domains.mean("c")
