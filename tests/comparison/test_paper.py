"""The paper's call: same arguments, same fields, same estimate."""

import inspect
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from threadpoolctl import threadpool_limits

from mauve import InvalidParameterError, MauveWarning, PaperResult, compute_mauve
from mauve.comparison.paper import result_from_counts
from mauve.frontier.curve import area, divergence_curve, frontier_integral
from mauve.frontier.histogram import krichevsky_trofimov

COUNTS = st.integers(1, 12).flatmap(
    lambda k: st.tuples(
        *[st.lists(st.integers(0, 30), min_size=k, max_size=k).filter(any) for _ in range(2)]
    )
)


def clouds(seed, *, n=80, d=4, shift=0.5, n_model=None):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=(n_model or n, d)) + shift


def test_signature_is_that_of_the_authors_package_and_one_more():
    expected = {
        "p_features": None,
        "q_features": None,
        "p_tokens": None,
        "q_tokens": None,
        "p_text": None,
        "q_text": None,
        "num_buckets": "auto",
        "pca_max_data": -1,
        "kmeans_explained_var": 0.9,
        "kmeans_num_redo": 5,
        "kmeans_max_iter": 500,
        "featurize_model_name": "gpt2-large",
        "device_id": -1,
        "max_text_length": 1024,
        "divergence_curve_discretization_size": 25,
        "mauve_scaling_factor": 5,
        "verbose": False,
        "seed": 25,
        "batch_size": 1,
        "use_float64": False,
        "quantizer": "kmeans",  # ours, at the end
    }
    result = inspect.signature(compute_mauve).parameters
    assert list(result) == list(expected)
    assert {name: parameter.default for name, parameter in result.items()} == expected
    assert {parameter.kind for parameter in result.values()} == {
        inspect.Parameter.POSITIONAL_OR_KEYWORD
    }


def test_result_has_the_fields_of_the_authors_package():
    result = compute_mauve(*clouds(0))
    for name in ("mauve", "frontier_integral", "mauve_star", "frontier_integral_star"):
        assert type(getattr(result, name)) is float
    assert result.num_buckets == 8
    assert result.p_hist.shape == result.q_hist.shape == (8,)
    assert result.divergence_curve.shape == (27, 2)
    assert isinstance(result, PaperResult)


class TestFromCounts:
    @given(COUNTS, st.sampled_from([0.1, 1.0, 5.0, 50.0]))
    @settings(deadline=None)
    def test_identical_counts_score_exactly_one(self, pair, scaling):
        result = result_from_counts(pair[0], pair[0], 25, scaling)
        assert result.mauve == 1.0
        assert result.mauve_star == 1.0
        assert result.frontier_integral == 0.0

    @given(COUNTS, st.sampled_from([0.5, 5.0, 20.0]))
    @settings(deadline=None)
    def test_scores_lie_in_the_unit_interval(self, pair, scaling):
        result = result_from_counts(*pair, 25, scaling)
        for value in (result.mauve, result.mauve_star):
            assert 0 < value <= 1
        for value in (result.frontier_integral, result.frontier_integral_star):
            assert -1e-15 <= value <= 1 + 1e-15

    @pytest.mark.slow
    @given(COUNTS)
    @settings(deadline=None)
    def test_is_symmetric(self, pair):
        one, other = result_from_counts(*pair), result_from_counts(*pair[::-1])
        assert_allclose(one.mauve, other.mauve, rtol=1e-9)
        assert_allclose(one.frontier_integral, other.frontier_integral, atol=1e-14)

    @given(COUNTS)
    @settings(deadline=None)
    def test_finer_curves_approach_the_exact_area(self, pair):
        p, q = (np.array(counts) / sum(counts) for counts in pair)
        result = result_from_counts(*pair, 2000)
        assert_allclose(result.mauve, area(p, q), atol=2e-3)

    def test_pieces_are_those_of_the_definition(self):
        a, b = [6, 3, 1, 0], [2, 3, 4, 1]
        result = result_from_counts(a, b, 25, 5.0)
        p, q = np.array(a) / 10, np.array(b) / 10
        assert_allclose(result.p_hist, p)
        assert_allclose(result.q_hist, q)
        inner = divergence_curve(p, q, np.linspace(1e-6, 1 - 1e-6, 25), 5.0)
        assert_array_equal(result.divergence_curve, np.concatenate([[[1, 0]], inner, [[0, 1]]]))
        assert_allclose(result.frontier_integral, frontier_integral(p, q))
        p_star, q_star = krichevsky_trofimov(a), krichevsky_trofimov(b)
        assert_allclose(result.frontier_integral_star, frontier_integral(p_star, q_star))
        assert result_from_counts(2 * np.array(a) + 1, 2 * np.array(b) + 1).mauve == pytest.approx(
            result.mauve_star
        )

    def test_disjoint_counts_approach_the_inverse_binomial(self):
        result = result_from_counts([5, 5, 0, 0], [0, 0, 2, 8], 2000, 5.0)
        assert_allclose(result.mauve * 252, 1, rtol=1e-3)


class TestEndToEnd:
    @pytest.mark.parametrize(("n", "k", "scaling"), [(50, 5, 5), (80, 20, 1), (100, 1, 50)])
    def test_identical_samples_score_exactly_one(self, n, k, scaling):
        features, _ = clouds(1, n=n)
        result = compute_mauve(
            features, features.copy(), num_buckets=k, mauve_scaling_factor=scaling
        )
        assert result.mauve == 1.0
        assert_array_equal(result.p_hist, result.q_hist)

    def test_separated_clouds_score_almost_nothing(self):
        rng = np.random.default_rng(2)
        away = np.array([10.0, 0, 0])
        result = compute_mauve(
            rng.normal(size=(80, 3)) + away,
            rng.normal(size=(80, 3)) - away,
            divergence_curve_discretization_size=1000,
        )
        assert_allclose(result.mauve, 1 / 252, rtol=1e-2)

    def test_shuffled_texts_get_exactly_the_same_score(self):
        p, q = clouds(3, n_model=100)
        rng = np.random.default_rng(4)
        shuffled = compute_mauve(rng.permutation(p), rng.permutation(q))
        assert shuffled.mauve == compute_mauve(p, q).mauve

    def test_swapping_the_samples_changes_nothing(self):
        p, q = clouds(5, n_model=100)
        assert_allclose(compute_mauve(p, q).mauve, compute_mauve(q, p).mauve, rtol=1e-9)

    def test_same_seed_same_result_on_any_number_of_threads(self):
        p, q = clouds(6, n=200, d=20)
        free = compute_mauve(p, q, num_buckets=20)
        with threadpool_limits(limits=1):
            alone = compute_mauve(p, q, num_buckets=20)
        assert free.mauve == alone.mauve
        assert_array_equal(free.p_hist, alone.p_hist)
        assert compute_mauve(p, q, num_buckets=20, seed=1).mauve != free.mauve

    def test_falls_as_the_scaling_grows(self):
        p, q = clouds(7)
        scores = [compute_mauve(p, q, mauve_scaling_factor=c).mauve for c in (1, 2, 5, 10)]
        assert np.all(np.diff(scores) < 0)

    def test_falls_with_the_distance(self):
        scores = [compute_mauve(*clouds(8, shift=shift)).mauve for shift in (0, 1, 3)]
        assert np.all(np.diff(scores) < 0)

    @pytest.mark.parametrize(("n", "n_model", "k"), [(80, 80, 8), (80, 300, 8), (12, 15, 2)])
    def test_automatic_number_of_buckets(self, n, n_model, k):
        assert compute_mauve(*clouds(9, n=n, n_model=n_model)).num_buckets == k

    @pytest.mark.parametrize("k", [np.int64(6), 6])
    def test_integers_of_numpy_are_integers(self, k):
        assert compute_mauve(*clouds(10), num_buckets=k).num_buckets == 6

    def test_as_many_buckets_as_texts_are_allowed(self):
        result = compute_mauve(*clouds(11, n=10), num_buckets=20, kmeans_explained_var=1.0)
        assert_allclose(result.p_hist.sum(), 1)
        assert_allclose(result.mauve, 1 / 252, rtol=0.2)  # 20 buckets, a text each

    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_any_layout_gives_the_same(self, dtype):
        p, q = (x.astype(np.float32) for x in clouds(12))
        expected = compute_mauve(p, q).mauve
        read_only = p.astype(dtype)
        read_only.flags.writeable = False
        assert compute_mauve(read_only, np.asfortranarray(q.astype(dtype))).mauve == expected
        assert compute_mauve(p.tolist(), q[::-1]).mauve == expected

    def test_samples_are_not_changed(self):
        p, q = (x.astype(np.float32) for x in clouds(13))
        before = p.copy(), q.copy()
        compute_mauve(p, q, pca_max_data=50)
        assert_array_equal(p, before[0])
        assert_array_equal(q, before[1])

    def test_components_may_be_fitted_on_fewer_texts(self):
        p, q = clouds(14)
        result = compute_mauve(p, q, pca_max_data=50)
        assert 0 < result.mauve <= 1
        assert compute_mauve(p, q, pca_max_data=160).mauve == compute_mauve(p, q).mauve

    def test_verbose_prints_and_otherwise_nothing_does(self, capsys):
        p, q = clouds(15)
        compute_mauve(p, q)
        assert capsys.readouterr().out == ""
        compute_mauve(p, q, verbose=True)
        assert "clustering 160 texts" in capsys.readouterr().out

    def test_the_best_of_all_restarts_is_kept(self, capsys):
        """The first restarts are the same whatever their number."""
        p, q = clouds(15, n=200)
        objectives = []
        for restarts in (1, 2, 4, 8, 16):
            compute_mauve(p, q, kmeans_num_redo=restarts, verbose=True)
            objectives.append(float(re.search(r"objective (\S+),", capsys.readouterr().out)[1]))
        assert objectives == sorted(objectives, reverse=True)
        assert objectives[-1] < objectives[0]

    def test_an_explained_variance_of_one_is_allowed(self):
        assert 0 < compute_mauve(*clouds(16), kmeans_explained_var=1.0).mauve <= 1


class MetricModule:
    """Calls `compute_mauve` by keyword as Hugging Face evaluate's metric does."""

    def compute(self, predictions, references, **options):
        settings = {
            "p_features": None,
            "q_features": None,
            "p_tokens": None,
            "q_tokens": None,
            "num_buckets": "auto",
            "pca_max_data": -1,
            "kmeans_explained_var": 0.9,
            "kmeans_num_redo": 5,
            "kmeans_max_iter": 500,
            "featurize_model_name": "gpt2-large",
            "device_id": -1,
            "max_text_length": 1024,
            "divergence_curve_discretization_size": 25,
            "mauve_scaling_factor": 5,
            "verbose": True,
            "seed": 25,
        }
        return compute_mauve(p_text=predictions, q_text=references, **{**settings, **options})


class TestMetricModule:
    def test_features_in_place_of_text(self, capsys):
        p, q = clouds(17)
        result = MetricModule().compute(None, None, p_features=p, q_features=q)
        assert result.mauve == compute_mauve(p, q).mauve
        assert 0 <= result.frontier_integral <= 1
        assert "clustering" in capsys.readouterr().out

    def test_features_beside_the_text_they_were_made_from(self):
        """Its predictions and references are required, so features come with their texts."""
        p, q = clouds(17)
        texts = ["a text"] * 80
        with pytest.warns(MauveWarning, match="_text' is not used by compute_mauve"):
            result = MetricModule().compute(texts, texts, p_features=p, q_features=q)
        assert result.mauve == compute_mauve(p, q).mauve


class TestBadInput:
    @pytest.mark.parametrize("sample", ["p", "q"])
    def test_one_sample_only(self, sample):
        features, _ = clouds(18)
        other = {"p": "q", "q": "p"}[sample]
        with pytest.raises(
            InvalidParameterError, match=rf"one of {other}_features, .* Got none instead"
        ):
            compute_mauve(**{f"{sample}_features": features})

    def test_nothing_at_all(self):
        with pytest.raises(InvalidParameterError, match=r"one of p_features, .* Got none"):
            compute_mauve()

    def test_text_beside_features_is_not_used_and_says_so(self):
        p, q = clouds(19)
        with pytest.warns(MauveWarning, match="'p_text' is not used .* 'p_features' is given"):
            result = compute_mauve(p_features=p, q_features=q, p_text=["a"] * 80)
        assert result.mauve == compute_mauve(p, q).mauve

    @pytest.mark.parametrize("n", [0, 79])
    def test_text_beside_features_must_be_as_many(self, n):
        p, q = clouds(19)
        with pytest.raises(
            InvalidParameterError, match=rf"as many texts as 'p_features', 80, .* Got {n} instead"
        ):
            compute_mauve(p_features=p, q_features=q, p_text=["a"] * n)

    def test_tokens_and_text_without_features(self):
        with pytest.raises(InvalidParameterError, match="Got p_tokens and p_text instead"):
            compute_mauve(p_tokens=[[1]] * 9, p_text=["a"] * 9, q_text=["b"] * 9)

    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    def test_numbers_that_are_not_finite(self, bad):
        p, q = clouds(20)
        q[3, 0] = bad
        with pytest.raises(InvalidParameterError, match=r"'q_features' must hold finite .* row 3"):
            compute_mauve(p, q)

    @pytest.mark.parametrize("shape", [(80,), (80, 2, 2)])
    def test_wrong_number_of_dimensions(self, shape):
        p, _ = clouds(21)
        with pytest.raises(InvalidParameterError, match="'q_features' must have two dimensions"):
            compute_mauve(p, np.ones(shape))

    def test_different_numbers_of_features(self):
        p, q = clouds(22)
        with pytest.raises(
            InvalidParameterError, match=r"as many columns as 'p_features', 4\. Got 3"
        ):
            compute_mauve(p, q[:, :3])

    def test_empty_sample(self):
        p, q = clouds(23)
        with pytest.raises(InvalidParameterError, match="'p_features' must hold at least one text"):
            compute_mauve(p[:0], q)

    def test_a_single_text(self):
        p, q = clouds(24)
        with pytest.raises(InvalidParameterError, match=r"at least 2 texts\. Got 1 instead"):
            compute_mauve(p, q[:1])

    @pytest.mark.parametrize("k", [0, -1, 161])
    def test_number_of_buckets_out_of_range(self, k):
        with pytest.raises(
            InvalidParameterError, match=rf"'num_buckets' .* an int in \[1, 160\]\. Got {k}"
        ):
            compute_mauve(*clouds(25), num_buckets=k)

    @pytest.mark.parametrize("k", [8.0, True, None, "many"])
    def test_number_of_buckets_that_is_no_integer(self, k):
        with pytest.raises(InvalidParameterError, match="'num_buckets' parameter of compute_mauve"):
            compute_mauve(*clouds(25), num_buckets=k)

    @pytest.mark.parametrize(
        ("name", "value", "rule"),
        [
            ("mauve_scaling_factor", 0, "a real number above 0"),
            ("mauve_scaling_factor", -2, "a real number above 0"),
            ("mauve_scaling_factor", float("nan"), "a real number above 0"),
            ("kmeans_explained_var", 1.1, "above 0 and at most 1"),
            ("kmeans_explained_var", 0, "above 0 and at most 1"),
            ("kmeans_num_redo", 0, "an int of at least 1"),
            ("kmeans_max_iter", 0, "an int of at least 1"),
            ("kmeans_max_iter", True, "an int of at least 1"),
            ("divergence_curve_discretization_size", 1, "an int of at least 2"),
            ("divergence_curve_discretization_size", 2.5, "an int of at least 2"),
            ("pca_max_data", -2, "an int of at least -1"),
            ("seed", -1, "an int of at least 0"),
            ("seed", None, "an int of at least 0"),
        ],
    )
    def test_parameters_out_of_range(self, name, value, rule):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter .* {rule}"):
            compute_mauve(*clouds(26), **{name: value})

    def test_constant_features(self):
        with pytest.raises(InvalidParameterError, match="must vary from text to text"):
            compute_mauve(np.ones((20, 3)), np.ones((20, 3)))


def test_a_quantizer_that_knows_the_samples_is_refused():
    human, model = np.random.default_rng(0).normal(size=(2, 100, 4))
    with pytest.raises(InvalidParameterError, match=r"'quantizer' .* does not know the samples"):
        compute_mauve(human, model, quantizer="classifier")
    with pytest.raises(InvalidParameterError, match=r"'kmeans', 'drmm', 'lattice'\. Got 'k'"):
        compute_mauve(human, model, quantizer="k")
