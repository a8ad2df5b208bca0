"""Scores of one system: from its pair alone, with all of the variance in the interval."""

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pair_clouds import clouds, score
from ranked_clouds import QUICK
from threadpoolctl import threadpool_limits

import mauve
from mauve import compare
from mauve.hashes import feature_hashes
from mauve.inference.intervals import covariance, score_interval
from mauve.inference.quadratic_forms import PooledFeatures
from mauve.inference.two_sample import STATISTICS, two_sample_test

WORDS = ["rain", "sun", "wind", "snow", "cloud", "storm", "frost", "fog", "hail", "thaw"]


def texts_of(seed, n, skew=0.0):
    rng = np.random.default_rng(seed)
    weights = np.exp(-skew * np.arange(len(WORDS)))
    weights /= weights.sum()
    return [" ".join(words) for words in rng.choice(WORDS, size=(n, 14), p=weights)]


def word_counts(texts):
    """An embedder of one's own."""
    return [[text.split().count(word) + 0.01 * len(text) for word in WORDS] for text in texts]


class TestPluginOfAClassifier:
    """A classifier does not count texts that it learnt from, whatever the estimator."""

    @pytest.mark.parametrize("estimator", ["jackknife", "plugin"])
    def test_histograms_are_those_of_counted_texts(self, estimator):
        human, model = clouds(0, n=260)
        settings = {**QUICK, "quantizer": "classifier", "num_buckets": 5, "estimator": estimator}
        result = compare(human, model, **settings)["model"]
        assert not result.counted.all()
        counted = zip(result.labels, result.counted, result.p_hist, strict=True)
        for labels, is_counted, histogram in counted:
            counts = np.bincount(labels[:260][is_counted[:260]], minlength=5)
            assert_allclose(histogram, counts / counts.sum(), atol=1e-12)

    def test_one_source_is_not_distinguished_by_what_is_learnt(self):
        # More features than texts: counting what is learnt from as well gives 0.69.
        human, model = np.random.default_rng(3).normal(size=(2, 300, 600))
        result = compare(human, model, **QUICK)["model"].classifier
        assert result.mauve_plugin > 0.95

    def test_buckets_that_do_not_know_the_samples_count_all_texts(self):
        human, model = clouds(0, n=260)
        result = compare(human, model, **QUICK, estimator="plugin")["model"]
        assert result.counted.all()
        assert not result.classifier.counted.all()


class TestCompany:
    """A score depends on the human texts and on one system alone."""

    @pytest.mark.parametrize("quantizer", ["kmeans", "classifier"])
    def test_is_the_same_for_features_to_the_last_bit(self, quantizer):
        human, model = clouds(0, n=210)
        others = {"first": clouds(1, n=400)[1], "model": model, "far": clouds(2, shift=3)[1]}
        settings = {**QUICK, "quantizer": quantizer, "num_buckets": 5}
        alone = compare(human, model, **settings)["model"]
        beside = compare(human, others, **settings)["model"]
        assert alone == beside
        assert alone.to_dict() == beside.to_dict()

    @pytest.mark.parametrize(
        "embedder",
        [word_counts, pytest.param(None, marks=pytest.mark.slow)],
        ids=["own", "bundled"],
    )
    def test_is_the_same_for_texts_to_the_last_bit(self, embedder):
        human, model = texts_of(0, 200), texts_of(1, 220, skew=0.1)
        options = {"embedder": embedder, "n_clusterings": 5, "n_permutations": 20}
        alone = compare(human, {"a": model}, **options)["a"]
        others = {"b": texts_of(2, 300, skew=0.15), "a": model, "c": texts_of(3, 210)}
        beside = compare(human, others, **options)["a"]
        for number in ("mauve", "interval", "p_value", "type_1", "type_2", "ceiling", "js"):
            assert getattr(alone, number) == getattr(beside, number)
        assert alone.classifier.mauve == beside.classifier.mauve
        assert alone == beside

    def test_with_prompts(self):
        human, model = clouds(3, n=120)
        other = clouds(4, n=120)[1]
        prompts = np.arange(120) // 2
        alone = compare(human, {"a": model}, prompts=prompts, **QUICK)["a"]
        assert compare(human, {"b": other, "a": model}, prompts=prompts, **QUICK)["a"] == alone

    def test_differences_of_separate_calls_are_those_of_one(self, tmp_path):
        human, near = clouds(5, n=200, shift=0.2)
        far = clouds(6, n=260, shift=0.9)[1]
        together = compare(human, {"near": near, "far": far}, **QUICK)
        (within,) = together.differences()
        apart = [compare(human, {name: rows}, **QUICK) for name, rows in
                 (("near", near), ("far", far))]  # fmt: skip
        assert mauve.difference(apart[0]["near"], apart[1]["far"]) == within
        for comparison, name in zip(apart, ("near", "far"), strict=True):
            comparison.save(tmp_path / name)
        loaded = [mauve.load(tmp_path / name)[name] for name in ("near", "far")]
        assert mauve.difference(*loaded) == within
        assert within.pair.correlation > 0.05

    @pytest.mark.parametrize(
        ("change", "reason", "remedy"),
        [
            ({"seed": 1}, r"seed \(0 and 1\)", "use the same settings"),
            ({"num_buckets": 10}, r"k \(8 and 10\)", "use the same settings, and as many"),
            ({"clustering": "joint"}, "fit ", "use the same settings|one call of compare"),
            ({"human": True}, "different human texts", "compare both with the same human texts"),
        ],
    )
    def test_a_difference_that_is_refused_names_the_remedy(self, change, reason, remedy):
        human, near = clouds(7, n=150)
        change = dict(change)
        other_human = human[:-1] if change.pop("human", False) else human
        one = compare(human, {"near": near}, **QUICK)["near"]
        other = compare(other_human, {"near": near}, **{**QUICK, **change})["near"]
        with pytest.raises(mauve.InvalidParameterError, match=f"{reason}.* To compare .*{remedy}"):
            mauve.difference(one, other)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"clustering": "joint"},
        {"order": "pca-norm"},
        {"quantizer": "classifier"},
        {"interval": "bootstrap", "n_bootstrap": 30},
        {"prompts": range(260)},
    ],
    ids=["default", "joint", "pca-norm", "classifier", "bootstrap", "prompts"],
)
@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
@pytest.mark.parametrize("d", [30, 700])
def test_number_of_threads_does_not_matter(settings, d):
    human, model = np.random.default_rng(26).normal(size=(2, 260, d)).astype(np.float32)
    options = {"n_clusterings": 5, "n_permutations": 200, **settings}
    on_all = compare(human, model, **options)["model"]
    with threadpool_limits(limits=1):
        assert compare(human, model, **options)["model"] == on_all


@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
def test_order_of_texts_with_prompts_does_not_matter_where_answers_are_copies():
    """The same answer to several prompts: copies of a text that are not of one prompt."""
    rng = np.random.default_rng(27)
    human, model = (rng.integers(4, size=(n, 2)).astype(float) for n in (120, 130))
    prompts = {"human": rng.integers(50, size=120), "model": rng.integers(60, size=130)}
    options = {**QUICK, "num_buckets": 6}
    before = compare(human, model, prompts=prompts, **options)["model"]
    first, second = rng.permutation(120), rng.permutation(130)
    moved = {"human": prompts["human"][first], "model": prompts["model"][second]}
    after = compare(human[first], model[second], prompts=moved, **options)["model"]
    for number in ("mauve", "p_value", "ceiling", "ceiling_low", "type_1"):
        assert getattr(after, number) == getattr(before, number)
    assert_allclose(after.interval, before.interval, rtol=1e-10)
    assert after.classifier.mauve == before.classifier.mauve
    assert_allclose(after.influence.human, before.influence.human, atol=1e-14)


class TestOddFeatures:
    """All numbers are finite, without a warning of NumPy."""

    @pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
    @pytest.mark.parametrize(
        "change",
        [
            lambda rows: rows * 1e-30,
            lambda rows: rows * 1e37,
            lambda rows: np.column_stack([rows, np.full(len(rows), 7.0)]),
            lambda rows: np.concatenate([rows[:-1], np.full((1, 4), 1e18)]),
            lambda rows: np.where(np.arange(len(rows))[:, None] % 2, rows, 0.0),
            lambda rows: np.round(rows),
        ],
        ids=["tiny", "huge", "constant", "far away", "zeros", "copies"],
    )
    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
    def test_are_compared(self, change, order):
        human, model = (change(rows.astype(float)) for rows in clouds(28, shift=0.3))
        result = score(human, model, order=order)
        numbers = [result.mauve, *result.interval, result.p_value, result.ceiling, result.js]
        assert np.isfinite([*numbers, result.classifier.mauve, *result.classifier.interval]).all()
        assert result.mauve > 0.2

    @pytest.mark.parametrize(("n", "n_model"), [(10, 10), (11, 13), (10, 90), (25, 25)])
    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")
    def test_few_texts_are_compared(self, n, n_model):
        human, model = clouds(29, n=n, n_model=n_model)
        result = compare(human, model, n_clusterings=5, n_permutations=20)["model"]
        assert any("From 200 texts of each sample" in message for message in result.warnings)
        assert 0 < result.interval[0] <= result.mauve <= result.interval[1] <= 1
        assert 0 < result.classifier.mauve <= 1
        assert result.counted.any(axis=1).all()


class TestFewTexts:
    def test_are_left_out_of_the_differences_with_a_warning_that_says_how_many_are_needed(self):
        human, near = clouds(8, n=200)
        systems = {"near": near, "few": near[:150] + 1, "far": near + 2}
        with pytest.warns(mauve.MauveWarning, match=r"150 texts .* From 200 texts of each sample"):
            comparison = compare(human, systems, n_clusterings=5, n_permutations=0)
        pairs = [(pair.first, pair.second) for pair in comparison.differences()]
        assert pairs == [("near", "far")]
        assert comparison.ranked_differences() == comparison.differences()
        assert [message for message in comparison.warnings if "200" in message]

    def test_two_systems_of_few_texts_are_compared(self):
        human, near = clouds(9, n=200)
        with pytest.warns(mauve.MauveWarning, match="150 texts of a sample"):
            comparison = compare(
                human, {"a": near[:150], "b": near[:150] + 2}, n_clusterings=5, n_permutations=0
            )
        assert len(comparison.differences()) == 1


class TestIdentity:
    @pytest.mark.parametrize("quantizer", ["kmeans", "classifier"])
    @pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
    @pytest.mark.parametrize("n", [200, 313])
    def test_identical_samples_score_exactly_one(self, quantizer, order, n):
        human, _ = clouds(10, n=n, d=12)
        settings = {"n_clusterings": 5, "n_permutations": 20, "order": order}
        result = compare(human, human.copy(), quantizer=quantizer, **settings)["model"]
        for scored in (result, result.classifier or result):
            assert scored.mauve == 1
            assert scored.interval == (1, 1)
        assert result.p_value == 1

    def test_identical_texts_score_exactly_one(self):
        texts = texts_of(11, 200)
        options = {"embedder": word_counts, "n_clusterings": 5, "n_permutations": 20}
        with pytest.warns(mauve.MauveWarning, match="also stand in the other sample"):
            result = compare(texts, texts[::-1], **options)["model"]
        assert result.mauve == result.classifier.mauve == 1
        assert result.p_value == 1


class TestSizes:
    @pytest.mark.slow
    def test_a_score_does_not_drift_with_the_number_of_texts(self):
        """The same buckets for any number of texts: means of ten pairs of each size.

        Scores have standard deviations of 0.062 and 0.027, so means differ by 0.021: with 0.1
        allowed, false alarms are below 1e-5.
        """
        means = [
            np.mean(
                [
                    compare(
                        *clouds(seed, n=n, d=8, shift=0.35), n_clusterings=10, n_permutations=0
                    )["model"].mauve
                    for seed in range(10)
                ]
            )
            for n in (200, 1000)
        ]
        assert abs(means[0] - means[1]) < 0.1
        assert 0.8 < np.mean(means) < 0.92

    def test_unequal_sizes(self):
        human, model = clouds(12, n=200, n_model=900)
        result, swapped = score(human, model), score(model, human)
        assert (result.n_human, result.n_model) == (200, 900)
        assert result.n_learning == swapped.n_learning == 64
        assert_allclose(result.mauve, swapped.mauve, rtol=1e-9)
        assert_allclose(result.classifier.mauve, swapped.classifier.mauve, rtol=1e-3)

    @pytest.mark.parametrize(("n", "num_buckets"), [(100, 10), (250, 25), (1000, 100)])
    def test_the_paper_s_number_of_buckets(self, n, num_buckets):
        result = score(*clouds(13, n=n), num_buckets="n/10", n_permutations=0)
        assert (result.num_buckets, result.n_learning) == (num_buckets, 8 * num_buckets)
        assert result.warnings == ()

    @pytest.mark.parametrize("n_learning", [16, 60, 100])
    def test_the_number_of_texts_that_are_learnt_from_can_be_chosen(self, n_learning):
        result = score(*clouds(14), n_learning=n_learning)
        assert result.n_learning == n_learning
        assert (result.counted.sum(axis=1) == 200 - n_learning).all()
        assert f"|fit:pair-{n_learning}x5|" in result.signature
        assert result.warnings == ()

    @pytest.mark.parametrize(
        ("n_learning", "rule"),
        [
            (6, r"an int in \[8, 100\]"),
            (101, r"an int in \[8, 100\]"),
            (65, "even, half human"),
            (64.0, "an int"),
            (True, "an int"),
            ("all", "an int"),
        ],
    )
    def test_other_numbers_are_refused(self, n_learning, rule):
        with pytest.raises(mauve.InvalidParameterError, match=f"'n_learning' parameter .* {rule}"):
            score(*clouds(14), n_learning=n_learning)


class TestInterval:
    @pytest.mark.parametrize("by_prompt", [False, True])
    def test_has_the_variance_over_texts_and_over_clusterings(self, by_prompt):
        prompts = np.arange(100) // 2 if by_prompt else None
        result = score(*clouds(15), prompts=prompts)
        influence = result.influence
        influences = np.concatenate([influence.human, influence.model])
        groups = np.arange(200)
        if by_prompt:
            of_texts = np.concatenate([influence.human_prompt, influence.model_prompt])
            groups = np.unique(of_texts, return_inverse=True)[1]
        of_texts = covariance(influences, influences, groups)
        of_clusterings = influence.by_clustering @ influence.by_clustering
        assert of_clusterings > 0
        assert_allclose(result.deviance_error**2, of_texts + of_clusterings)
        expected = score_interval(result.mauve, result.deviance_error, 0.95)
        assert result.interval == expected

    def test_more_clusterings_make_it_narrower(self):
        few, many = (score(*clouds(16), n_clusterings=n) for n in (3, 40))
        of_few, of_many = (np.square(r.influence.by_clustering).sum() for r in (few, many))
        assert of_many < of_few
        assert many.deviance_error < few.deviance_error


class TestPermutationTest:
    def test_is_that_of_the_features(self):
        human, model = clouds(17, shift=0.2)
        samples = [human, model]
        pooled = PooledFeatures(samples, [feature_hashes(rows) for rows in samples])
        expected = two_sample_test(pooled, 20, seed=0)
        result = score(human, model)
        assert result.p_value == expected.p_value
        assert result.test_statistic == expected.largest
        assert result.test_statistic in STATISTICS

    def test_does_not_depend_on_the_buckets(self):
        human, model = clouds(18, n=160, shift=0.2)
        values = {
            score(human, model, **changed).p_value
            for changed in ({}, {"num_buckets": 5}, {"quantizer": "classifier"},
                            {"clustering": "joint"}, {"estimator": "plugin"})
        }  # fmt: skip
        assert len(values) == 1

    def test_sees_what_lies_within_buckets(self):
        """Nine features that vary, and one that hardly does and differs by two deviations."""
        rng = np.random.default_rng(19)
        human, model = rng.normal(size=(2, 300, 10)) * np.r_[np.ones(9), 0.05]
        model[:, 9] += 0.1
        with pytest.warns(mauve.MauveWarning, match="the test distinguishes it"):
            result = compare(human, model, n_clusterings=10, n_permutations=199)["model"]
        assert result.mauve > 0.98
        assert result.p_value == 1 / 200
        assert result.classifier.mauve < 0.6
        assert result.classifier.interval[1] < result.interval[0]

    def test_prompts_are_exchanged_within(self):
        """Prompts vary more than the samples differ."""
        rng = np.random.default_rng(20)
        prompts = 5 * rng.normal(size=(120, 4))
        human, model = (prompts + 0.3 * rng.normal(size=(120, 4)) + shift for shift in (0, 0.3))
        settings = {**QUICK, "n_permutations": 99}
        assert compare(human, model, **settings)["model"].p_value > 0.1
        with_prompts = compare(human, model, prompts=range(120), **settings)["model"]
        assert with_prompts.p_value == 0.01


class TestClassifier:
    def test_is_the_same_beside_joint_clusterings(self):
        human, model = clouds(21)
        beside_joint = score(human, model, clustering="joint").classifier
        assert beside_joint == score(human, model).classifier

    def test_has_numbers_of_its_own(self):
        result = score(*clouds(22, n=200))
        sharper = result.classifier
        assert sharper.num_buckets == 10
        assert sharper.n_learning == 200
        assert sharper.p_value is None
        assert sharper.ceiling is None
        assert "|quant:classifier:ridge|k:10|fit:pair-200x5|" in sharper.signature
        assert 0 < sharper.interval[0] <= sharper.mauve <= sharper.interval[1] <= 1
        assert sharper.classifier is None

    def test_scores_of_two_systems_by_it_can_be_compared(self):
        human, near = clouds(23, n=200)
        comparison = compare(human, {"near": near, "far": near + 1}, **QUICK)
        near_by, far_by = (comparison[name].classifier for name in ("near", "far"))
        assert mauve.difference(near_by, far_by).difference == near_by.mauve - far_by.mauve
        with pytest.raises(mauve.InvalidParameterError, match=r"quant \(kmeans.* and classifier"):
            mauve.difference(comparison["near"], far_by)

    def test_sees_a_difference_that_is_linear_best(self):
        """Shifted normal samples: along the shift nothing is lost."""
        result = score(*clouds(24, n=300, d=10, shift=0.35), n_clusterings=10)
        assert result.classifier.mauve < result.mauve

    def test_none_is_shown_where_the_score_is_its_own(self):
        result = score(*clouds(25, n=200), quantizer="classifier", num_buckets="auto")
        assert result.classifier is None
        assert result.to_dict()["classifier"] is None
        assert "classifier" not in result.to_metrics()
        assert "classifier" not in str(result)
        assert dataclasses.replace(result, name="other") != result
