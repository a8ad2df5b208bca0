"""What an independent check of the measures found, each with a test that failed before."""

import warnings

import numpy as np
import pytest
from measured_samples import make_sample

import mauve
from mauve.lm.reference import split_reference
from mauve.measures.estimate import deal_texts
from mauve.measures.material import size_warnings
from mauve.measures.mmd import squared_mmd
from mauve.measures.protocol import MeasuredSample
from mauve.measures.registry import get_measures
from mauve.measures.repetition import REPETITION, ends_in_run
from mauve.measures.saved import measurements_from_dict
from mauve.measures.tokenizers import get_tokenizer


def words_sample(texts):
    (table,) = get_tokenizer("words").tables([texts])
    groups = deal_texts(np.arange(len(texts), dtype=np.uint64))
    return MeasuredSample("model", groups, texts=texts, tokens=table)


def test_a_run_of_one_character_is_a_repetition():
    runs = ["It rained " + "!" * 40, "Then " + "a" * 12 + "\n", "哈" * 10, "and so on" + "." * 30]
    usual = ["It ended...", "Hooray!!!", "All", "", "10,000"]
    assert [ends_in_run(text) for text in runs + usual] == [True] * 4 + [False] * 5
    sample = words_sample((runs + usual) * 4)
    assert REPETITION.estimate(sample, sample).value == pytest.approx(4 / 9)


def test_frechet_unbiased_says_how_many_texts_it_needs():
    rng = np.random.default_rng(0)
    few, many = (make_sample(rng.normal(size=(n, 20)), f"of {n}") for n in (39, 41))
    [measure] = get_measures("frechet-unbiased", {"features"})
    [message] = size_warnings([measure], few, {"model": many})
    assert "needs at least 40 texts of each sample" in message
    assert "'of 39' has 39" in message
    assert size_warnings([measure], many, {"model": many}) == ()
    assert size_warnings(get_measures("mmd", {"features"}), few, {"model": few}) == ()
    assert "2 d texts" in measure.summary


def test_mmd_of_equal_distributions_is_mostly_negative():
    """Of 300 pairs, 0.64 were; half of them would be 5 standard errors away."""
    rng = np.random.default_rng(3)
    values = [squared_mmd(*rng.normal(size=(2, 60, 2))) for _ in range(300)]
    assert 0.53 < np.mean(np.array(values) < 0) < 0.75
    assert abs(np.mean(values)) < 4 * np.std(values) / 300**0.5


@pytest.mark.slow
def test_what_a_loop_does_to_zipf_depends_on_the_tokenizer():
    human = ["".join(passage) for passage in split_reference(120).passages]
    loops = [" ".join((text.split()[:12] * 5)[:55]) for text in human]
    gaps = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)  # numbers of tokens differ
        for tokenizer in ("words", "bundled"):
            measured = mauve.measure(human, loops, "zipf", tokenizer=tokenizer, progress=False)
            gaps[tokenizer] = measured["model"]["zipf"].value - measured.human["zipf"].value
    assert gaps["words"] < gaps["bundled"]


def test_intervals_that_rare_texts_make_too_narrow_are_named():
    """Of 300 samples of 50 continuations by GPT-2 large, 18% had an interval above the mean."""
    human = [f"One text of {i}, and all words of it are new." for i in range(400)]
    options = {"measures": "distinct-4,diversity,zipf", "progress": False}
    enough = mauve.measure(human, human, **options)
    assert enough.notes == ()
    few = mauve.measure(human, human[:399], **options)
    [note] = few.notes
    assert "fewer than 400 texts" in note
    assert "decide distinct-4, diversity: the interval is then too narrow" in note
    assert note in str(few)
    assert few.to_dict()["notes"] == [note]
    assert measurements_from_dict(few.to_dict()) == few
    assert mauve.measure(human[:60], human[:60], "zipf", progress=False).notes == ()
