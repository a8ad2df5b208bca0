"""Every sample against every other, in the buckets of all samples together."""

import json
import warnings
from itertools import combinations

import numpy as np
import pytest

import mauve
from mauve.comparison.matrices import score_matrix
from mauve.comparison.matrix_results import Matrix, MatrixScore
from mauve.errors import InvalidParameterError

pytestmark = pytest.mark.slow


def clouds(n=300, seed=0):
    rng = np.random.default_rng(seed)
    shifts = {"human": 0, "near": 0.3, "far": 1.5, "twin of far": 1.5}
    return {name: rng.normal(size=(n, 4)) + shift for name, shift in shifts.items()}


def systems(samples):
    return {name: rows for name, rows in samples.items() if name != "human"}


@pytest.fixture(scope="module")
def matrix():
    samples = clouds()
    return score_matrix(samples["human"], systems(samples), progress=False)


def test_scores_are_those_of_a_joint_comparison(matrix):
    samples = clouds()
    options = {"clustering": "joint", "num_buckets": "n/10", "n_permutations": 0}
    joint = mauve.compare(samples["human"], systems(samples), progress=False, **options)
    for name, result in joint.items():
        assert matrix["human", name].mauve == pytest.approx(result.mauve, abs=1e-12)
        assert matrix["human", name].interval == pytest.approx(result.interval, abs=1e-9)
    # Any sample may be the first one.
    others = {name: rows for name, rows in samples.items() if name != "far"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)  # some buckets hold no text of a pair
        turned = mauve.compare(samples["far"], others, progress=False, **options)
    for name, result in turned.items():
        assert matrix["far", name].mauve == pytest.approx(result.mauve, abs=1e-9)


def test_who_is_like_whom(matrix):
    assert [*matrix] == [*combinations(matrix.names, 2)]
    assert matrix.nearest("far") == "twin of far"
    assert matrix.others("near")[0] == "human"
    assert matrix["far", "twin of far"] == matrix["twin of far", "far"]
    assert matrix["far", "twin of far"].interval[0] > matrix["far", "human"].interval[1]
    sentences = " ".join(matrix.sentences())
    assert "'far' writes more like 'twin of far'" in sentences
    assert "'near' writes more like" not in sentences
    assert "On average systems score" in sentences
    order = matrix.order()
    assert abs(order.index("far") - order.index("twin of far")) == 1
    assert abs(order.index("human") - order.index("near")) == 1


def test_the_human_spread_is_that_of_one_source(matrix):
    assert len(matrix.spread) == 20
    assert [*matrix.spread] == sorted(matrix.spread)
    assert 0.9 < matrix.spread[0] <= matrix.spread[-1] <= 1
    assert matrix["near", "human"].mauve < np.median(matrix.spread)


def test_the_order_of_texts_and_systems_does_not_matter(matrix):
    samples = clouds()
    names = ["twin of far", "near", "far"]
    turned = score_matrix(
        samples["human"][::-1], {name: samples[name][::-1] for name in names}, progress=False
    )
    for pair in matrix:
        assert turned[pair].mauve == pytest.approx(matrix[pair].mauve, abs=1e-12)
    assert turned.spread == pytest.approx(matrix.spread, abs=1e-12)


def test_prompts_keep_their_texts_together():
    samples = clouds(200)
    prompts = [f"p{i // 2}" for i in range(200)]
    matrix = score_matrix(
        samples["human"], {"near": samples["near"]}, prompts=prompts, progress=False
    )
    assert "by-prompt" in matrix.signature
    assert len(matrix.spread) == 20


def test_every_format(matrix):
    as_dict = json.loads(json.dumps(matrix.to_dict(), allow_nan=False))
    assert len(as_dict["pairs"]) == 6
    assert as_dict["human_spread"] == [*matrix.spread]
    titles, rows = matrix.rows()
    assert titles[:2] == ["", "human"]
    assert rows[0][1] == f"{np.median(matrix.spread):.3f}"
    assert [row[1 + i] for i, row in enumerate(rows)][1:] == [""] * 3
    assert "<table" in matrix._repr_html_()
    assert matrix.to_markdown().count("\n") >= 5
    assert matrix.sentences()[-1] in str(matrix)


def test_wrong_arguments_and_warnings(matrix):
    samples = clouds(130)
    with pytest.raises(InvalidParameterError, match="'n_splits'"):
        score_matrix(samples["human"], samples["near"], n_splits=1)
    with pytest.raises(InvalidParameterError, match="Got 'fra' instead"):
        matrix.others("fra")
    with pytest.raises(KeyError):
        matrix["human", "fra"]
    with pytest.warns(mauve.MauveWarning, match="Samples have 100 to 130 texts"):
        made = score_matrix(samples["human"], samples["near"][:100], progress=False)
    assert "|n:130+100|" in made.signature


def test_differences_of_form_are_named_as_in_a_comparison():
    rng = np.random.default_rng(0)
    words = "rain wind snow sun cloud storm road house garden river".split()  # noqa: SIM905
    human = [" ".join(rng.choice(words, 12)) + "." for _ in range(60)]
    model = [f"**{' '.join(rng.choice(words, 12))}**" for _ in range(60)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        made = score_matrix(human, {"bold": model}, embedder="bundled", progress=False)
    assert any(message.startswith("The form of 'bold' differs") for message in made.warnings)
    assert any("'bold' has 60 texts: below 100" in message for message in made.warnings)
    assert any(message.startswith("There are only 6 buckets") for message in made.warnings)


def test_scores_of_zero_have_a_tree():
    scores = {("h", "a"): MatrixScore(0.0, (0, 0)), ("h", "b"): MatrixScore(0.0, (0, 0)),
              ("a", "b"): MatrixScore(1.0, (1, 1))}  # fmt: skip
    matrix = Matrix(("h", "a", "b"), "h", scores, (), 5, 0.95, {}, "")
    assert np.isfinite(matrix.linkage()).all()
    assert matrix.rows()[1][0][1] == ""
