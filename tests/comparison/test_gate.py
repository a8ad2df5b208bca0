"""The gate: worse, not worse, or too few texts, and baselines in a file."""

import json

import numpy as np
import pytest

import mauve
from mauve.comparison.baseline import read_baseline, write_baseline
from mauve.comparison.gate import Outcome, check
from mauve.errors import InvalidParameterError

OPTIONS = {"n_permutations": 0, "n_clusterings": 5, "progress": False}
RNG = np.random.default_rng(0)
HUMAN = RNG.normal(size=(1000, 4))
MODEL = RNG.normal(size=(1000, 4)) + 0.4


def compared(model=MODEL, human=HUMAN, **options):
    return mauve.compare(human, {"m": model}, **(OPTIONS | options))


BEFORE = compared()


class TestOutcomes:
    def test_the_same_texts_are_not_worse(self):
        [done] = check(BEFORE, BEFORE, margin=0.1)
        assert (done.outcome, done.difference) == (Outcome.NOT_WORSE, 0.0)
        assert done.interval[0] > -0.1

    def test_a_clear_loss_is_worse_whatever_the_margin(self):
        after = compared(MODEL + 0.5)
        for margin in (0.001, 0.02):
            [done] = check(after, BEFORE, margin=margin)
            assert done.outcome is Outcome.WORSE
        assert done.interval[1] < 0
        assert "is worse than the baseline: MAUVE" in done.message

    def test_a_loss_below_the_margin_is_accepted(self):
        after = compared(MODEL + 0.2)
        [done] = check(after, BEFORE, margin=0.5)
        assert done.difference < 0
        assert done.outcome is Outcome.NOT_WORSE

    def test_a_gain(self):
        [done] = check(compared(MODEL - 0.3), BEFORE, margin=0.001)
        assert done.outcome is Outcome.NOT_WORSE

    def test_too_few_texts(self):
        [done] = check(compared(RNG.normal(size=(250, 4)) + 0.4), BEFORE, margin=0.005)
        assert done.outcome is Outcome.TOO_FEW
        assert done.n_texts == 250
        assert done.n_needed > 1000
        assert f"about {done.n_needed:,} texts per sample are needed, not 250" in done.message

    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")  # few texts
    def test_buckets_that_are_coarser_than_those_of_the_baseline(self):
        few = compared(MODEL[:60])
        [done] = check(few, BEFORE, margin=0.2)
        assert done.outcome is Outcome.TOO_FEW
        assert (done.mauve, done.difference, done.interval) == (few["m"].mauve, None, None)
        assert (done.n_texts, done.n_needed) == (60, 200)
        assert "learnt from 200 texts per sample or more, not 60" in done.message
        assert [c.outcome for c in check(compared(MODEL[:200]), BEFORE, margin=0.5)] == [
            Outcome.NOT_WORSE
        ]

    @pytest.mark.filterwarnings("ignore::mauve.MauveWarning")  # few texts
    @pytest.mark.parametrize("options", [{"scaling": 3}, {"n_clusterings": 6}, {"seed": 1}])
    def test_other_settings_are_refused_whatever_the_number_of_texts(self, options):
        with pytest.raises(InvalidParameterError, match="signatures differ"):
            check(compared(MODEL[:60], **options), BEFORE)
        with pytest.raises(InvalidParameterError, match="signatures differ in k"):
            check(BEFORE, compared(MODEL[:60]))

    def test_four_times_the_margin_needs_a_sixteenth_of_the_texts(self):
        after = compared(RNG.normal(size=(250, 4)) + 0.4)
        [narrow], [wide] = (check(after, BEFORE, margin=margin) for margin in (0.01, 0.04))
        assert narrow.n_needed == pytest.approx(16 * wide.n_needed, abs=16)

    def test_the_needed_texts_suffice_where_nothing_changed(self):
        """The bound that they give is 2.49 standard errors from no difference, for power 0.8."""
        [few] = check(compared(), BEFORE, margin=0.02)
        low = few.interval[0] * np.sqrt(few.n_texts / few.n_needed)
        assert low == pytest.approx(-0.02 * 1.645 / 2.487, rel=0.1)  # the interval is skewed

    def test_outcomes_follow_from_the_interval(self):
        """The two tests are the ends of the interval at 1 - 2 α."""
        for shift in (0.0, 0.05, 0.1, 0.2, 0.4):
            for margin in (0.005, 0.02, 0.1):
                [done] = check(compared(MODEL + shift), BEFORE, margin=margin)
                low, high = done.interval
                expected = Outcome.TOO_FEW if high >= 0 else Outcome.WORSE
                assert done.outcome is (Outcome.NOT_WORSE if low > -margin else expected)


class TestNames:
    def test_one_against_one(self):
        [done] = check({"other": BEFORE["m"]}, {"b": BEFORE["m"]}, margin=0.1)
        assert done.outcome is Outcome.NOT_WORSE

    def test_names_that_are_missing(self):
        with pytest.raises(InvalidParameterError, match=r"score of 'c'\. Got a, b instead: give"):
            check({"c": BEFORE["m"]}, {"a": BEFORE["m"], "b": BEFORE["m"]})

    @pytest.mark.parametrize("options", [{"margin": 0}, {"margin": 1.5}, {"alpha": 0.5}])
    def test_options(self, options):
        with pytest.raises(InvalidParameterError, match=next(iter(options))):
            check(BEFORE, BEFORE, **options)

    def test_a_margin_that_no_loss_could_reach(self):
        with pytest.raises(InvalidParameterError, match=r"'margin'.* below the score of the basel"):
            check(BEFORE, BEFORE, margin=BEFORE["m"].mauve)

    def test_other_settings_are_refused(self):
        with pytest.raises(InvalidParameterError, match=r"signatures differ in c \("):
            check(compared(scaling=3), BEFORE)
        with pytest.raises(InvalidParameterError, match="against different human texts"):
            check(compared(human=HUMAN[:500]), BEFORE)


class TestFiles:
    def test_give_the_same_check(self, tmp_path):
        after = compared(MODEL + 0.1)
        write_baseline(BEFORE.values(), tmp_path / "a.json")
        assert check(after, read_baseline(tmp_path / "a.json")) == check(after, BEFORE)

    def test_keep_prompts_for_pairs(self, tmp_path):
        prompts = [f"prompt {i % 250}" for i in range(1000)]
        before, after = (compared(m, prompts=prompts) for m in (MODEL, MODEL + 0.05))
        write_baseline(before.values(), tmp_path / "a.json")
        assert check(after, read_baseline(tmp_path / "a.json")) == check(after, before)

    def test_hold_no_texts(self, tmp_path):
        texts = [f"{i * 7919 % 1000} is the secret number, and more of it." for i in range(200)]
        other = [f"{i * 7907 % 1009} was no secret, so we all stayed in." for i in range(200)]
        comparison = mauve.compare(texts, other, **OPTIONS)
        write_baseline(comparison.values(), tmp_path / "a.json")
        assert "secret" not in (tmp_path / "a.json").read_text()

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "must be a baseline in JSON"),
            ("[]", "Got JSON of another kind"),
            ("[" * 10**5, "must be a baseline in JSON"),
            ('{"results": []}', "Got JSON of another kind"),
            ('{"kind": "mauve baseline", "format": 9}', "of format 1. Got 9"),
            ('{"kind": "mauve baseline", "format": 1}', "It is damaged"),
            ('{"kind": "mauve baseline", "format": 1, "scores": [{}]}', "It is damaged"),
            ('{"kind": "mauve baseline", "format": 1, "scores": []}', "0 scores of 0 systems"),
        ],
    )
    def test_that_are_wrong(self, tmp_path, content, message):
        (tmp_path / "a.json").write_text(content)
        with pytest.raises(InvalidParameterError, match=message):
            read_baseline(tmp_path / "a.json")

    @pytest.mark.parametrize("number", [float("nan"), 2.0, "x", None])
    def test_numbers_that_are_wrong(self, tmp_path, number):
        write_baseline(BEFORE.values(), tmp_path / "a.json")
        values = json.loads((tmp_path / "a.json").read_text())
        values["scores"][0]["mauve"] = number
        (tmp_path / "a.json").write_text(json.dumps(values))
        with pytest.raises(InvalidParameterError, match="It is damaged"):
            read_baseline(tmp_path / "a.json")

    def test_scores_that_do_not_fit_together(self, tmp_path):
        path = tmp_path / "a.json"
        write_baseline(BEFORE.values(), path)
        values = json.loads(path.read_text())
        score = values["scores"][0]
        for name in ("human", "model"):
            cut = {**score["influence"], name: score["influence"][name][:5]}
            path.write_text(json.dumps({**values, "scores": [{**score, "influence": cut}]}))
            with pytest.raises(InvalidParameterError, match=f"5 influences of 1000 {name} texts"):
                read_baseline(path)
        path.write_text(json.dumps({**values, "scores": [score, score]}))
        with pytest.raises(InvalidParameterError, match="2 scores of 1 systems"):
            read_baseline(path)
        score["influence"]["model_prompt"] = [1, 2]
        path.write_text(json.dumps(values))
        with pytest.raises(InvalidParameterError, match="2 prompts in model_prompt"):
            read_baseline(path)

    def test_that_are_missing(self):
        with pytest.raises(InvalidParameterError, match=r"No such file.*: write one with mauve ch"):
            read_baseline("no-such-file.json")
