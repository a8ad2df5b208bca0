"""compare, end to end on small clouds of points."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pair_clouds import clouds, score
from ranked_clouds import QUICK
from scipy.stats import binom

import mauve
from mauve import InvalidParameterError, compare
from mauve.frontier.estimators import ESTIMATORS

AWAY = np.array([10.0, 0, 0])


class TestIdentity:
    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    @pytest.mark.parametrize(("n", "k", "scaling"), [(100, 8, 5), (160, 20, 1), (250, 3, 20)])
    def test_identical_samples_score_exactly_one(self, estimator, n, k, scaling):
        human, _ = clouds(0, n=n)
        result = score(human, human.copy(), num_buckets=k, scaling=scaling, estimator=estimator)
        assert result.mauve == 1.0
        assert result.mauve_plugin == 1.0
        assert result.p_value == 1.0
        assert result.interval == (1.0, 1.0)

    @pytest.mark.slow
    @pytest.mark.parametrize("n", [100, 105, 130, 300])
    def test_identical_samples_of_any_size_score_exactly_one(self, n):
        for seed in range(5):
            for k in (2, 5, 12):
                human, _ = clouds(seed, n=n)
                assert score(human, human.copy(), num_buckets=k, n_permutations=0).mauve == 1.0

    def test_identical_samples_with_prompts_score_exactly_one(self):
        human, _ = clouds(1)
        assert score(human, human.copy(), prompts=range(100)).mauve == 1.0

    @pytest.mark.parametrize("scaling", [1, 5])
    @pytest.mark.parametrize("estimator", ["jackknife", "plugin"])
    def test_well_separated_clouds_get_the_least_score(self, estimator, scaling):
        """Opposite directions, so that unit length keeps them apart: 1/binom(2c, c)."""
        rng = np.random.default_rng(0)
        human = rng.normal(size=(100, 3)) + AWAY
        model = rng.normal(size=(100, 3)) - AWAY
        result = score(human, model, estimator=estimator, scaling=scaling)
        least = {1: 1 / 2, 5: 1 / 252}[scaling]
        assert_allclose(result.mauve, least, rtol=1e-5)
        assert result.p_value == 1 / 21
        assert_allclose([result.type_1, result.type_2, result.js], np.log(2), atol=1e-6)
        assert_allclose(result.frontier_integral, 1, atol=1e-6)


class TestSymmetry:
    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ["jackknife", "plugin", "krichevsky-trofimov"])
    def test_swapping_the_samples_changes_nothing_but_the_types_of_error(self, estimator):
        human, model = clouds(1, n_model=130)
        one = score(human, model, estimator=estimator)
        other = score(model, human, estimator=estimator)
        assert_allclose(one.mauve, other.mauve, rtol=1e-9)
        assert_allclose(one.interval, other.interval, rtol=1e-7)
        assert_allclose(one.mauve_plugin, other.mauve_plugin, rtol=1e-12)
        assert_allclose([one.type_1, one.type_2], [other.type_2, other.type_1], rtol=1e-7)

    @pytest.mark.parametrize("estimator", ["jackknife", "plugin"])
    def test_shuffled_texts_get_exactly_the_same_score(self, estimator):
        human, model = clouds(2, n_model=120)
        rng = np.random.default_rng(3)
        before = score(human, model, estimator=estimator)
        after = score(rng.permutation(human), rng.permutation(model), estimator=estimator)
        assert after.mauve == before.mauve
        assert after.mauve_plugin == before.mauve_plugin
        assert_allclose(after.interval, before.interval, rtol=1e-10)

    @pytest.mark.parametrize("interval", ["influence", "bootstrap"])
    def test_shuffled_texts_draw_the_same_permutations(self, interval):
        human, model = clouds(2, n_model=120)
        rng = np.random.default_rng(3)
        settings = {"n_permutations": 50, "interval": interval, "n_bootstrap": 20}
        before = score(human, model, **settings)
        after = score(rng.permutation(human), rng.permutation(model), **settings)
        assert (after.ceiling, after.ceiling_low) == (before.ceiling, before.ceiling_low)
        assert_allclose(after.interval, before.interval, rtol=1e-10)

    def test_shuffled_texts_with_copies_get_exactly_the_same_score(self):
        human, model = clouds(4)
        human[50:] = human[:50]
        model[:20] = human[:20]
        rng = np.random.default_rng(5)
        before = score(human, model)
        after = score(rng.permutation(human), rng.permutation(model))
        assert after.mauve == before.mauve

    def test_shuffled_texts_keep_their_labels(self):
        human, model = clouds(6)
        order = np.random.default_rng(7).permutation(100)
        before, after = score(human, model), score(human[order], model)
        assert_array_equal(after.labels[:, :100], before.labels[:, :100][:, order])
        assert_array_equal(after.labels[:, 100:], before.labels[:, 100:])

    def test_prompts_travel_with_their_texts(self):
        human, model = clouds(8)
        prompts = np.arange(100)
        rng = np.random.default_rng(9)
        first, second = rng.permutation(100), rng.permutation(100)
        before = score(human, model, prompts=prompts)
        after = score(
            human[first],
            model[second],
            prompts={"human": prompts[first], "model": prompts[second]},
        )
        assert after.mauve == before.mauve
        assert_allclose(after.interval, before.interval, rtol=1e-10)


class TestSeeds:
    def test_same_seed_same_result(self):
        human, model = clouds(10)
        one, two = score(human, model, seed=3), score(human, model, seed=3)
        assert one.to_dict() == two.to_dict()
        assert_array_equal(one.labels, two.labels)

    def test_another_seed_another_clustering(self):
        human, model = clouds(10)
        one, two = score(human, model, seed=3), score(human, model, seed=4)
        assert one.mauve != two.mauve
        assert abs(one.mauve - two.mauve) < 0.2

    def test_number_of_permutations_does_not_change_the_score(self):
        human, model = clouds(10)
        without = score(human, model, n_permutations=0)
        assert without.mauve == score(human, model).mauve
        assert without.p_value is None
        assert without.ceiling is None
        assert without.ceiling_low is None


class TestScore:
    def test_falls_with_the_distance(self):
        scores = [score(*clouds(11, shift=shift)).mauve for shift in (0, 0.5, 1, 2, 4)]
        assert np.all(np.diff(scores) < 0)
        assert scores[0] > 0.9
        assert 0 < scores[-1] < 0.05

    @pytest.mark.slow
    def test_falls_as_the_scaling_grows(self):
        human, model = clouds(12)
        scores = [score(human, model, scaling=c).mauve for c in (0.5, 1, 2, 5, 10)]
        assert np.all(np.diff(scores) < 0)

    @pytest.mark.slow
    @pytest.mark.parametrize("estimator", ESTIMATORS)
    def test_every_estimator_gives_a_score_within_its_interval(self, estimator):
        result = score(*clouds(13), estimator=estimator)
        assert 0 < result.interval[0] <= result.mauve <= result.interval[1] <= 1
        assert 0 < result.ceiling_low <= result.ceiling <= 1
        assert f"est:{estimator}" in result.signature

    def test_plugin_estimate_stands_beside_the_corrected_one(self):
        result = score(*clouds(14))
        plugin = score(*clouds(14), estimator="plugin")
        assert result.mauve_plugin == plugin.mauve
        assert result.mauve > plugin.mauve
        assert plugin.ceiling < result.ceiling

    def test_more_confidence_makes_a_wider_interval(self):
        human, model = clouds(15)
        low = score(human, model, confidence=0.5)
        high = score(human, model, confidence=0.99)
        assert high.interval[0] < low.interval[0] < low.mauve < low.interval[1] < high.interval[1]
        assert low.mauve == high.mauve

    def test_bootstrap_intervals_are_about_as_wide_as_those_of_the_influences(self):
        """100 bootstrap draws: their s.d. has a relative standard error of 7%."""
        human, model = clouds(16)
        one = score(human, model)
        two = score(human, model, interval="bootstrap", n_bootstrap=100)
        assert two.mauve == one.mauve
        assert_allclose(two.deviance_error, one.deviance_error, rtol=0.6)
        again = score(human, model, interval="bootstrap", n_bootstrap=100)
        assert again.interval == two.interval

    def test_the_order_of_reduction_matters_and_is_signed(self):
        human, model = clouds(17)
        one, two = score(human, model), score(human, model, order="pca-norm")
        assert one.mauve != two.mauve
        assert "reduce:pca-norm-0.9" in two.signature

    def test_histograms_are_those_of_the_labels(self):
        result = score(*clouds(18, n_model=120))
        assert result.labels.shape == result.counted.shape == (5, 220)
        assert result.p_hist.shape == result.q_hist.shape == (5, 8)
        for labels, p, q in zip(result.labels, result.p_hist, result.q_hist, strict=True):
            assert_allclose(p, np.bincount(labels[:100], minlength=8) / 100)
            assert_allclose(q, np.bincount(labels[100:], minlength=8) / 120)

    def test_types_of_error_are_the_divergences_to_the_middle_of_both(self):
        """All human texts in one cloud, half of the model's in another: R has 3/4 and 1/4.

        KL(P|R) = log(4/3), of type II, and KL(Q|R) = log(2/3)/2 + log(2)/2, of type I.
        """
        rng = np.random.default_rng(0)
        one = rng.normal(size=(1000, 3)) + AWAY
        both = rng.normal(size=(1000, 3)) + np.repeat([AWAY, -AWAY], 500, axis=0)
        of_p, of_q = np.log(4 / 3), np.log(4 / 3) / 2
        result, swapped = score(one, both), score(both, one)
        assert_allclose([result.type_1, result.type_2], [of_q, of_p], atol=0.02)
        assert_allclose([swapped.type_1, swapped.type_2], [of_p, of_q], atol=0.02)

    @pytest.mark.parametrize(
        ("rule", "expected"), [("auto", (25, 200)), ("n/10", (20, 160)), (12, (12, 96))]
    )
    def test_buckets_are_learnt_from_eight_texts_each(self, rule, expected):
        result = score(*clouds(19, n=200, n_model=330), num_buckets=rule)
        assert (result.num_buckets, result.n_learning) == expected
        assert result.counted.sum(axis=1).tolist() == [530 - expected[1]] * 5

    def test_is_the_same_in_any_company_to_the_last_bit(self):
        human, model = clouds(20, n=200)
        alone = compare(human, {"a": model}, **QUICK)["a"]
        others = {"b": clouds(21, n=200)[1], "a": model, "few": clouds(22, n=110)[1]}
        assert compare(human, others, **QUICK)["a"] == alone

    def test_joint_clusterings_depend_on_the_company_a_little(self):
        human, model = clouds(20, n=200)
        settings = {**QUICK, "clustering": "joint"}
        alone = compare(human, {"a": model}, **settings)["a"]
        together = compare(human, {"a": model, "b": clouds(21, n=200)[1]}, **settings)["a"]
        assert 0 < abs(alone.mauve - together.mauve) < 0.1


class TestPermutationTest:
    @pytest.mark.slow
    def test_is_valid_end_to_end(self):
        """80 pairs from one source: p ≤ 0.1 at most one time in ten.

        Bin(80, 0.1) exceeds the bound with a probability of 1e-4. Guards against clusters
        that know which sample a text is from.
        """
        values = []
        for seed in range(80):
            human, model = clouds(1000 + seed, n=100, d=3, shift=0.0)
            values.append(score(human, model, n_permutations=19, num_buckets=6).p_value)
        assert np.sum(np.array(values) <= 0.1) <= binom.isf(1e-4, 80, 0.1)
        assert np.mean(values) > 0.3

    def test_permutations_that_change_nothing_give_a_p_value_of_one(self):
        """Human and model texts of each prompt are copies; 50 human texts have no partner.

        Swapping copies changes nothing and there is nothing to swap the 50 with, so every
        permutation has the observed histograms.
        """
        rng = np.random.default_rng(0)
        model = rng.normal(size=(100, 3)) + AWAY
        human = np.concatenate([model, rng.normal(size=(50, 3)) - AWAY])
        prompts = {"human": range(150), "model": range(100)}
        result = score(human, model, prompts=prompts, n_permutations=99)
        assert result.p_value == 1.0


class TestForms:
    @pytest.mark.slow
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_wider_types_and_other_layouts_give_the_same_score(self, dtype, tmp_path):
        human, model = clouds(22)
        expected = score(human, model).mauve
        strided = np.repeat(human, 2, axis=1)[:, ::2].astype(dtype)
        read_only = model.astype(dtype)
        read_only.flags.writeable = False
        np.save(tmp_path / "human.npy", human)
        forms = [
            (human.astype(dtype), model.astype(dtype)),
            (np.asfortranarray(human), model[::-1]),
            (strided, read_only),
            (human.tolist(), model),
            (tmp_path / "human.npy", model),
            (
                str(tmp_path / "human.npy"),
                np.load(tmp_path / "human.npy", mmap_mode="r") * 0 + model,
            ),
        ]
        for one, two in forms:
            assert score(one, two).mauve == expected

    @pytest.mark.slow
    @pytest.mark.parametrize("dtype", [np.float16, np.int16, np.uint8])
    def test_narrow_and_integer_types_work(self, dtype):
        human, model = ((20 * (x + 6)).astype(dtype) for x in clouds(23))
        wide = score(human.astype(np.float32), model.astype(np.float32))
        assert score(human, model).mauve == wide.mauve

    @pytest.mark.slow
    @pytest.mark.parametrize("order", ["norm-pca", "pca-norm"])
    def test_samples_are_not_changed(self, order):
        for dtype in (np.float32, np.float64):
            human, model = (x.astype(dtype) for x in clouds(24))
            before = human.copy(), model.copy()
            score(human, model, order=order)
            assert_array_equal(human, before[0])
            assert_array_equal(model, before[1])

    def test_memory_mapped_files_are_not_changed(self, tmp_path):
        human, model = clouds(25)
        path = tmp_path / "human.npy"
        np.save(path, human)
        before = path.read_bytes()
        score(np.load(path, mmap_mode="r+"), model)
        score(path, model)
        assert path.read_bytes() == before

    def test_text_goes_through_the_embedder(self):
        human, model = clouds(26)
        rows = {f"text {i}": row for i, row in enumerate(np.concatenate([human, model]))}
        texts = [*rows]

        def embedder(batch):
            return [rows[text] for text in batch]

        result = score(texts[: len(human)], texts[len(human) :], embedder=embedder)
        # Other blocks than for features, whose hash is another: as another seed.
        low, high = result.interval
        assert low < score(human, model).mauve < high

    def test_score_of_texts_does_not_hang_on_the_last_bit_of_their_features(self):
        human, model = clouds(26)
        rows = np.concatenate([human, model])
        texts = [f"text {i}" for i in range(len(rows))]
        places = {text: i for i, text in enumerate(texts)}
        scores = [
            score(
                texts[: len(human)],
                texts[len(human) :],
                embedder=lambda batch, scale=scale: [rows[places[t]] * scale for t in batch],
            ).mauve
            for scale in (1.0, 1.0 + 3e-7)
        ]
        assert scores[0] == pytest.approx(scores[1], abs=1e-3)

    def test_text_and_features_cannot_be_mixed(self):
        human, _ = clouds(25)
        with pytest.raises(
            InvalidParameterError, match=r"all text or all features\. Got text for model alone"
        ):
            compare(human, ["a text"] * 20)

    def test_one_system_without_a_name_is_called_model(self):
        assert list(compare(*clouds(28), **QUICK)) == ["model"]

    def test_systems_come_in_the_order_given(self):
        human, model = clouds(29)
        comparison = compare(human, {"z": model, "a": model + 1, "m": model - 1}, **QUICK)
        assert list(comparison) == ["z", "a", "m"]

    def test_a_quantizer_of_the_user(self):
        """Any object with `fit` and `signature` will do: here, buckets along the first axis."""

        class Slices:
            signature = "slices"

            def __init__(self):
                self.calls = []

            def fit(self, features, n_clusters, rng):
                self.calls.append((len(features), n_clusters))
                inner = np.linspace(0, 1, n_clusters + 1)[1:-1]
                edges = np.quantile(features[:, 0], inner)

                class Cells:
                    def assign(self, features):
                        return np.searchsorted(edges, features[:, 0]).astype(np.int32)

                return Cells()

        quantizer = Slices()
        human, model = clouds(30, shift=0.0)
        result = score(human, model, quantizer=quantizer)
        assert quantizer.calls == [(64, 8)] * 5  # eight texts for each bucket
        assert result.mauve > 0.9
        assert "quant:slices" in result.signature
        assert score(human, model + 3, quantizer=Slices()).mauve < 0.5

    def test_progress_is_reported_to_the_end(self):
        seen = []
        human, model = clouds(31)
        compare(
            human,
            {"a": model, "b": model},
            progress=lambda *step: seen.append(step),
            **QUICK,
        )
        assert sorted(done for _, done, _ in seen) == list(range(1, 15))
        assert {steps for _, _, steps in seen} == {14}
        assert [what for what, _, _ in seen] == (["clustering"] * 5 + ["testing"] * 2) * 2

    @pytest.mark.slow
    @pytest.mark.parametrize("device", ["auto", "cpu"])
    def test_plain_devices_use_the_same_clustering(self, device):
        human, model = clouds(32)
        assert score(human, model, device=device).mauve == score(human, model).mauve

    @pytest.mark.slow
    @pytest.mark.parametrize("value", [np.int64(8), np.uint8(8)])
    def test_integers_of_numpy_are_integers(self, value):
        human, model = clouds(33)
        result = score(human, model, num_buckets=value, seed=np.int32(0))
        assert result.mauve == score(human, model).mauve
        assert type(result.num_buckets) is int


class TestEqualTexts:
    """Human texts and those of one system are all equal, which must not end the comparison."""

    @pytest.mark.parametrize("options", [{}, {"clustering": "joint"}, {"quantizer": "classifier"}])
    def test_of_one_system_leave_the_others_unaffected(self, options):
        human, (_, other) = np.ones((200, 4)), clouds(60, n=200)
        alone = compare(human, {"other": other}, **QUICK, **options)
        with pytest.warns(mauve.MauveWarning, match="all texts of 'equal' are in one bucket"):
            both = compare(human, {"equal": np.ones((220, 4)), "other": other}, **QUICK, **options)
        assert both["equal"].mauve == 1
        assert both["equal"].interval == (1, 1)
        assert both["equal"].p_value == 1
        assert "'equal'" in both["equal"].warnings[0]
        assert not any("'equal'" in warning for warning in both["other"].warnings)
        if not options.get("clustering"):
            assert both["other"] == alone["other"]

    def test_are_measured_beside_other_systems(self):
        systems = {"equal": np.ones((200, 4)), "other": clouds(60, n=200)[1]}
        with pytest.warns(mauve.MauveWarning, match="all texts of 'equal' are in one bucket"):
            measured = mauve.measure(np.ones((200, 4)), systems, measures=["mauve"])
        assert measured["equal"]["mauve"].value == 1
        assert measured["other"]["mauve"].value < 0.1

    @pytest.mark.filterwarnings("ignore:.* buckets are empty")
    def test_but_for_one_that_few_clusterings_are_learnt_from(self):
        human, model = np.ones((300, 3)), np.ones((300, 3))
        human[7] = [-1, 2, 3]
        # Each of 10 clusterings is learnt from a third of the human texts.
        assert score(human, model, n_clusterings=10).mauve > 0.99


class TestPrompts:
    def test_texts_of_one_prompt_that_vary_together_make_a_narrower_interval(self):
        """Texts of both samples are near their prompt, so their counts vary together."""
        rng = np.random.default_rng(0)
        topic = rng.normal(size=(200, 4))
        human, model = (topic + 0.1 * rng.normal(size=(200, 4)) + shift for shift in (0, 0.6))
        apart = score(human, model, num_buckets=10)
        paired = score(human, model, num_buckets=10, prompts=range(200))
        assert paired.deviance_error < 0.85 * apart.deviance_error

    @pytest.mark.slow
    def test_several_texts_a_prompt_make_a_wider_interval(self):
        """Five near copies a prompt tell hardly more than one text: error up by sqrt(5) or so."""
        rng = np.random.default_rng(1)
        human, model = (
            np.repeat(rng.normal(size=(40, 4)), 5, axis=0) + 0.1 * rng.normal(size=(200, 4)) + shift
            for shift in (0, 0.6)
        )
        prompts = {"human": np.repeat(range(40), 5), "model": np.repeat(range(40, 80), 5)}
        # Few clusterings would add as much to both errors.
        settings = {"num_buckets": 10, "n_clusterings": 40}
        apart = score(human, model, **settings)
        grouped = score(human, model, prompts=prompts, **settings)
        assert grouped.deviance_error > 1.5 * apart.deviance_error

    @pytest.mark.slow
    @pytest.mark.parametrize(("clustering", "least"), [("pair", 0.8), ("joint", 0.95)])
    def test_a_noisy_copy_of_a_system_is_correlated_with_it_through_the_prompts(
        self, clustering, least
    ):
        """Joint clusterings are the same for both systems, others are learnt from each."""
        rng = np.random.default_rng(2)
        topic = rng.normal(size=(200, 4))
        human, system, other = (topic + 0.5 * rng.normal(size=(200, 4)) for _ in range(3))
        systems = {
            "system": system + 0.6,
            "copy": system + 0.6 + 0.05 * rng.normal(size=(200, 4)),
            "other": other + 0.6,
        }
        settings = {**QUICK, "clustering": clustering, "n_clusterings": 40, "n_permutations": 0}
        apart = compare(human, systems, **settings)
        paired = compare(human, systems, prompts=range(200), **settings)

        def correlation(comparison, first, second):
            return mauve.difference(comparison[first], comparison[second]).pair.correlation

        assert correlation(paired, "system", "copy") > least
        assert correlation(paired, "system", "copy") > correlation(apart, "system", "copy") + 0.2
        assert correlation(paired, "system", "copy") > correlation(paired, "system", "other")
        wide = mauve.difference(apart["system"], apart["copy"]).interval
        narrow = mauve.difference(paired["system"], paired["copy"]).interval
        assert narrow[1] - narrow[0] < 0.6 * (wide[1] - wide[0])

    @pytest.mark.slow
    @pytest.mark.parametrize("prompts", [None, range(100)])
    def test_a_system_does_not_differ_from_itself(self, prompts):
        human, model = clouds(34)
        comparison = compare(human, {"a": model, "b": model.copy()}, prompts=prompts, **QUICK)
        (difference,) = comparison.differences()
        assert difference.difference == 0
        assert difference.p_value == 1
        assert difference.interval[0] <= 0 <= difference.interval[1]

    def test_prompts_may_be_anything_that_prints(self):
        human, model = clouds(35)
        words = [f"prompt {i}" for i in range(100)]
        assert (
            score(human, model, prompts=words).mauve
            == score(human, model, prompts={"human": words, "model": np.array(words)}).mauve
        )

    def test_wrong_length_is_refused(self):
        with pytest.raises(
            InvalidParameterError, match=r"each of the 100 texts of 'human'\. Got 99 instead"
        ):
            score(*clouds(36), prompts=range(99))

    def test_wrong_length_for_a_system_is_refused(self):
        prompts = {"human": range(100), "model": range(101)}
        with pytest.raises(InvalidParameterError, match=r"texts of 'model'\. Got 101 instead"):
            score(*clouds(36), prompts=prompts)

    @pytest.mark.parametrize("missing", ["human", "model"])
    def test_a_missing_system_is_refused(self, missing):
        prompts = {name: range(100) for name in ("human", "model") if name != missing}
        with pytest.raises(InvalidParameterError, match=f"Got none for '{missing}' instead"):
            score(*clouds(36), prompts=prompts)

    @pytest.mark.parametrize(
        "prompts",
        [
            ["one"] * 100,
            ["one", "two"] * 50,
            {"human": range(100), "model": [0] * 100},
        ],
    )
    def test_too_few_prompts_for_five_blocks_are_refused(self, prompts):
        with pytest.raises(InvalidParameterError, match="prompts"):
            score(*clouds(36), prompts=prompts)

    def test_fewer_texts_in_two_blocks_than_buckets_are_refused(self):
        """80 of 100 texts answer one prompt, so some pairs of blocks hold few of the others."""
        human, model = clouds(36)
        prompts = np.concatenate([np.zeros(80), np.arange(1, 21)])
        with pytest.raises(InvalidParameterError, match=r"prompts|num_buckets"):
            score(human, model, prompts=prompts, num_buckets=50)


class TestBadInput:
    @pytest.mark.parametrize("bad", [np.nan, np.inf])
    @pytest.mark.parametrize("sample", [0, 1])
    def test_numbers_that_are_not_finite(self, sample, bad):
        samples = list(clouds(43))
        samples[sample][5, 1] = bad
        name = ("human", "model")[sample]
        with pytest.raises(InvalidParameterError, match=f"'{name}' must hold finite .* row 5"):
            compare(*samples)

    @pytest.mark.parametrize("shape", [(100,), (100, 2, 2)])
    def test_wrong_number_of_dimensions(self, shape):
        human, _ = clouds(44)
        with pytest.raises(InvalidParameterError, match="'model' must have two dimensions"):
            compare(human, np.ones(shape))

    def test_different_numbers_of_features(self):
        human, model = clouds(45)
        with pytest.raises(
            InvalidParameterError, match=r"as many features as 'human', 4\. Got 3 .* one model"
        ):
            compare(human, model[:, :3])

    def test_empty_sample(self):
        human, model = clouds(46)
        with pytest.raises(InvalidParameterError, match="'model' must hold at least one text"):
            compare(human, model[:0])

    @pytest.mark.parametrize("n", [1, 9])
    def test_too_few_texts(self, n):
        human, model = clouds(47)
        with pytest.raises(
            InvalidParameterError, match=rf"'model' must have at least 10 texts .* Got {n} instead"
        ):
            compare(human, model[:n])

    @pytest.mark.parametrize("k", [1, 0, -3, 51, 1000])
    def test_number_of_buckets_out_of_range(self, k):
        with pytest.raises(
            InvalidParameterError, match=rf"'num_buckets' .* an int in \[2, 50\]\. Got {k} instead"
        ):
            compare(*clouds(48), num_buckets=k)

    @pytest.mark.parametrize("k", [8.0, True, None])
    def test_number_of_buckets_that_is_no_integer(self, k):
        with pytest.raises(InvalidParameterError, match="'num_buckets' parameter of compare must"):
            compare(*clouds(48), num_buckets=k)

    def test_number_of_buckets_in_words(self):
        with pytest.raises(InvalidParameterError, match="an int, 'auto' or 'n/10'"):
            compare(*clouds(48), num_buckets="many")

    @pytest.mark.parametrize("scaling", [0, -1, float("nan"), float("inf"), "5", True])
    def test_scaling_must_be_positive(self, scaling):
        with pytest.raises(InvalidParameterError, match=r"'scaling' .* a real number above 0"):
            compare(*clouds(49), scaling=scaling)

    def test_scaling_beyond_what_a_float_can_hold_is_refused(self):
        """The least score is 1/binom(2c, c), which underflows before c reaches 1000."""
        human, model = clouds(49, shift=3)
        with pytest.raises(InvalidParameterError, match=r"'scaling' .* at most 100\. Got 101"):
            score(human, model, scaling=101)
        result = score(human, model, scaling=100)
        assert 0 <= result.interval[0] <= result.mauve <= result.interval[1] <= 1

    @pytest.mark.parametrize(
        ("name", "value", "rule"),
        [
            ("estimator", "kt", "must be one of 'jackknife', 'plugin'"),
            ("quantizer", "som", "must be one of 'kmeans', 'classifier', 'drmm', 'lattice'"),
            ("order", "pca", "must be one of 'norm-pca', 'pca-norm'"),
            ("interval", "normal", "must be one of 'influence', 'bootstrap'"),
            ("seed", -1, "an int of at least 0"),
            ("seed", 1.5, "an int of at least 0"),
            ("seed", True, "an int of at least 0"),
            ("n_clusterings", 1, "an int of at least 2"),
            ("n_clusterings", 10.0, "an int of at least 2"),
            ("n_learning", 7, r"an int in \[12, 100\]"),
            ("n_learning", 102, r"an int in \[12, 100\]"),
            ("n_learning", 65, "even, half human and half of the system"),
            ("clustering", "all", "must be one of 'pair', 'joint'"),
            ("n_bootstrap", 5, "an int of at least 20"),
            ("n_permutations", -1, "an int of at least 0"),
            ("confidence", 1, "between 0 and 1, both excluded. Got 1 "),
            ("confidence", 0, "between 0 and 1, both excluded"),
            ("explained_variance", 1.5, "above 0 and at most 1"),
            ("explained_variance", 0, "above 0 and at most 1"),
        ],
    )
    def test_parameters_out_of_range(self, name, value, rule):
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter .* {rule}"):
            compare(*clouds(50), **{name: value})

    def test_unknown_device(self):
        pytest.importorskip("torch")
        with pytest.raises(InvalidParameterError, match=r"device of this machine\. Got 'warp'"):
            score(*clouds(51), device="warp")

    def test_constant_features(self):
        with pytest.raises(InvalidParameterError, match="must vary from text to text"):
            score(np.ones((100, 3)), np.ones((100, 3)))

    def test_no_systems(self):
        with pytest.raises(InvalidParameterError, match=r"'systems' .* at least one"):
            compare(clouds(52)[0], {})

    def test_embedder_that_loses_rows(self):
        with pytest.raises(InvalidParameterError, match=r"Got 39 rows for 40 texts instead"):
            compare(["a"] * 20, ["b"] * 20, embedder=lambda texts: np.ones((len(texts) - 1, 3)))

    @pytest.mark.parametrize("result", [None, 3.0, np.ones(40)])
    def test_embedder_that_returns_no_table(self, result):
        with pytest.raises(InvalidParameterError, match="The embedder's result must"):
            compare(["a"] * 20, ["b"] * 20, embedder=lambda texts: result)

    def test_embedder_that_returns_nan(self):
        with pytest.raises(InvalidParameterError, match=r"The embedder's result must hold finite"):
            compare(["a"] * 20, ["b"] * 20, embedder=lambda texts: np.full((40, 2), np.nan))

    def test_too_few_texts_are_rejected_before_they_are_embedded(self):
        with pytest.raises(InvalidParameterError, match=r"'model' must have at least 10 texts"):
            compare(["a"] * 20, ["b"] * 9, embedder=lambda texts: 1 / 0)

    def test_empty_texts_are_named_by_position(self):
        with pytest.raises(
            InvalidParameterError, match=r"'model' must .* not empty. Got empty .* position 3"
        ):
            compare(["a"] * 20, ["b", "b", "b", "", *["b"] * 9])

    def test_unknown_way_with_empty_texts(self):
        with pytest.raises(InvalidParameterError, match=r"'empty' .* 'error', 'keep'. Got 'drop'"):
            compare(["a"] * 20, ["b"] * 20, empty="drop")

    def test_truncated_file(self, tmp_path):
        human, model = clouds(53)
        path = tmp_path / "model.npy"
        np.save(path, model)
        path.write_bytes(path.read_bytes()[:500])
        with pytest.raises(InvalidParameterError, match=r"model\.npy' could not be read"):
            compare(human, path)

    def test_pickled_file(self, tmp_path):
        human, _ = clouds(54)
        path = tmp_path / "model.npy"
        np.save(path, np.array([[{}]], dtype=object), allow_pickle=True)
        with pytest.raises(InvalidParameterError, match=r"model\.npy' holds Python objects"):
            compare(human, path)

    @pytest.mark.parametrize("quantizer", [None, object(), 3])
    def test_a_quantizer_that_cannot_fit(self, quantizer):
        with pytest.raises(InvalidParameterError, match="'quantizer'"):
            score(*clouds(55), quantizer=quantizer)

    @pytest.mark.parametrize("label", [8, 99, -1])
    def test_a_quantizer_whose_labels_are_no_buckets(self, label):
        class Partition:
            def assign(self, features):
                return np.full(len(features), label, dtype=np.int32)

        class Wrong:
            signature = "wrong"

            def fit(self, features, n_clusters, rng):
                return Partition()

        with pytest.raises(InvalidParameterError, match=r"quantizer|labels"):
            score(*clouds(55), quantizer=Wrong())

    def test_names_that_print_alike(self):
        human, model = clouds(56)
        with pytest.raises(InvalidParameterError, match="'systems'"):
            compare(human, {1: model, "1": model + 1}, **QUICK)


def test_text_options_are_refused_for_features():
    human, model = clouds(61)
    with pytest.raises(InvalidParameterError, match=r"'(strip|match_length)' .* left out"):
        compare(human, model, strip=True)
