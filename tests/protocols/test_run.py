"""Scores by a protocol: those of the authors' method, beside ours, with a recipe."""

import json
import warnings

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.protocols.protocol import Protocol
from mauve.protocols.run import follow_protocol

MINE = Protocol.from_table(
    "mine",
    {
        "title": "Ours",
        "source": "our paper",
        "samples": {"texts": 150, "min_texts": 20, "tokens": 64, "words": 30},
        "score": {
            "embedder": "bundled", "num_buckets": 12, "scaling": 2, "seeds": [3, 4], "percent": True
        },
        "report": {"measures": "diversity,coherence", "language_model": "bundled"},
    },
)  # fmt: skip
_WORDS = "the a river house old man saw came into night rain and then he she went home".split()  # noqa: SIM905


def texts(n, seed, offset=0):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(_WORDS[offset:], 40)) + f" {i}." for i in range(n)]


@pytest.fixture(autouse=True)
def _form_of_words_at_random():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        yield


def follow(*samples, **options):
    return follow_protocol(*samples, progress=False, **options)


def test_features_are_scored_as_compute_mauve_does():
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(2, 120, 5))
    result = follow(human, {"a": model + 0.7, "b": human}, protocol=MINE)
    for name, features in (("a", model + 0.7), ("b", human)):
        expected = [
            mauve.compute_mauve(
                p_features=human, q_features=features, num_buckets=12, mauve_scaling_factor=2,
                seed=seed,
            ).mauve
            for seed in (3, 4)
        ]  # fmt: skip
        assert result.reported[name].by_seed == tuple(expected)
        assert result.reported[name].mauve == pytest.approx(np.mean(expected))
        assert result.reported[name].deviation == pytest.approx(np.std(expected, ddof=1))
    assert result.reported["b"].mauve == 1
    ours = mauve.compare(human, {"a": model + 0.7, "b": human}, progress=False)
    assert result.comparison["a"].mauve == ours["a"].mauve
    assert result.comparison["a"].interval == ours["a"].interval
    assert result.measurements is None


@pytest.mark.slow
def test_texts_are_prepared_and_measured():
    human, model = texts(120, 0), texts(120, 1, 2)
    prompts = {"human": [f"p {i}" for i in range(120)], "model": [f"p {i}" for i in range(120)]}
    result = follow(human, model, protocol=MINE, prompts=prompts)
    cut = [" ".join(text.split()[:30]) for text in human]
    assert sorted(result.comparison.compared.samples.texts["human"]) == sorted(cut)
    assert result.measurements["model"].keys() == {"diversity", "coherence"}
    assert result.comparison["model"].signature.count("bundled") == 1
    assert ":64" in result.comparison["model"].signature

    row = result.rows()[0]
    shown = row["MAUVE as in mine (%)"]
    assert shown.startswith(f"{100 * result.reported['model'].mauve:.1f} ± ")
    assert result.deviations == ("120 texts in place of 150",)
    for part in ("'mine' (our paper)", "120 texts of each", "30 words", "k = 12", "c = 2", "3, 4"):
        assert part in result.recipe
    assert result.comparison["model"].signature in result.recipe
    assert "<table" in result._repr_html_()
    assert result.to_markdown().startswith("| system |")
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["protocol"]["name"] == "mine"
    assert result.recipe in str(result)


def test_what_replaces_a_part_of_the_protocol_is_in_the_recipe():
    def lengths(batch):
        return [[len(text), text.count("e"), text.count("a")] for text in batch]

    result = follow(texts(60, 0), texts(60, 1), protocol=MINE, embedder=lengths, measures="")
    assert "features of callable:" in result.recipe
    assert result.measurements is None
    assert "other measures beside the score" in result.deviations


def test_the_recipe_says_how_much_of_a_text_is_read():
    table = MINE.to_dict() | {"samples": {"texts": 60, "min_texts": 20, "tokens": 1024}}
    table.pop("name")
    long = Protocol.from_table("long", table)
    result = follow(texts(60, 0), texts(60, 1), protocol=long, measures="")
    assert "511 tokens read in place of 1024" in result.deviations  # the bundled model reads fewer
    assert "60 texts of each sample, at most 511 tokens of each, features of" in result.recipe
    features = np.random.default_rng(0).normal(size=(2, 60, 4))
    result = follow(*features, protocol=long)
    assert "60 texts of each sample, given features, k = 12" in result.recipe


def test_as_many_texts_as_the_protocol_says_are_drawn():
    rng = np.random.default_rng(1)
    human, model = rng.normal(size=(2, 400, 4))
    result = follow(human, model, protocol=MINE)
    assert result.comparison.compared.samples.sizes == {"human": 150, "model": 150}
    assert "150 texts of each sample" in result.recipe


def test_the_default_is_our_score_alone():
    rng = np.random.default_rng(2)
    human, model = rng.normal(size=(2, 100, 4))
    result = follow(human, model, protocol="default")
    assert result.reported == {}
    assert [*result.rows()[0]][:2] == ["system", "ours"]
    assert result.recipe.startswith("MAUVE was computed from 100 texts of each sample")


def test_samples_that_do_not_fit_are_refused():
    with pytest.raises(InvalidParameterError, match="at least 20 texts"):
        follow(texts(19, 0), texts(60, 1), protocol=MINE)
    with pytest.raises(InvalidParameterError, match="prompt of every text"):
        follow(texts(150, 0), texts(150, 1), protocol="alce", embedder="bundled")
    with pytest.raises(InvalidParameterError, match="left out for features"):
        follow(np.eye(30), np.eye(30), protocol=MINE, embedder="bundled")
