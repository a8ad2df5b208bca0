"""The front door of the measures."""

import json
import warnings

import numpy as np
import pytest

import mauve
from mauve.embed.bundled import MODEL
from mauve.errors import InvalidParameterError
from mauve.measures.protocol import Measure
from mauve.measures.registry import MEASURES as ALL_MEASURES

pytestmark = pytest.mark.slow

_WORDS = [f"{a}{b}" for a in ("ba", "do", "ki", "lu", "me") for b in ("n", "r", "st", "lo", "ve")]


def _texts(n, seed, n_words=30, repeat=False):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(_WORDS) + 1)
    rows = rng.choice(_WORDS, size=(n, n_words), p=weights / weights.sum())
    return [" ".join(row) + (" and so on and so on" if repeat else ".") for row in rows]


#: Those that need no prompts.
MEASURES = {
    name: measure
    for name, measure in ALL_MEASURES.items()
    if "prompted_log_probabilities" not in measure.needs
}


@pytest.fixture(scope="module")
def human():
    return _texts(60, 0)


@pytest.fixture(scope="module")
def systems():
    return {"good": _texts(60, 1), "loop": _texts(50, 2, n_words=10, repeat=True)}


@pytest.fixture(autouse=True)
def _few_texts_are_meant():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        yield


@pytest.fixture(scope="module")
def everything(human, systems):
    models = {"good": f"{MODEL}@nucleus:0.9", "none": f"{MODEL}@greedy"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        return mauve.measure(
            human, systems, "all", models=models, training=_texts(40, 3), device="cpu"
        )


def test_all_measures_are_there(everything):
    assert [measure.name for measure in everything.measures] == list(MEASURES)
    assert list(everything) == ["good", "loop", "none"]
    assert everything["good"].keys() == MEASURES.keys()
    model_measures = {name for name, m in MEASURES.items() if "model" in m.needs}
    assert everything["loop"].keys() == MEASURES.keys() - model_measures
    assert everything["none"].keys() == model_measures  # a model without texts
    statistics = {name for name, m in MEASURES.items() if m.is_statistic}
    assert everything.human.keys() == statistics


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_declares_itself(name):
    measure = MEASURES[name]
    assert measure.name == name
    assert measure.title
    assert measure.summary
    assert measure.direction in ("higher", "lower", "human")
    assert measure.low < measure.high
    # Only a statistic has a value of human text to be near to.
    assert measure.is_statistic or measure.direction != "human"


@pytest.mark.parametrize("name", MEASURES)
def test_every_value_is_in_its_interval_and_range(everything, name):
    measure = MEASURES[name]
    for values in [*everything.values(), everything.human]:
        if name not in values:
            continue
        value = values[name]
        low, high = value.interval
        assert measure.low <= low <= value.value <= high <= measure.high
        assert value.standard_error >= 0
        if value.gap is not None:
            assert 0 <= value.gap_interval[0] <= value.gap <= value.gap_interval[1]


def test_a_loop_is_seen(everything):
    assert everything["loop"]["repetition"].value == 1
    assert everything["good"]["repetition"].value < 0.5
    assert everything["loop"]["distinct-4"].value < everything["good"]["distinct-4"].value
    for name in ("perplexity", "frechet", "mmd", "vocabulary", "mauve", "discriminator"):
        assert everything.rank(name)[0] == "good", name


def _all(human, systems, **options):
    models = {"good": f"{MODEL}@nucleus:0.9"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        return mauve.measure(human, systems, "all", models=models, device="cpu", **options)


@pytest.fixture(scope="module")
def reversed_texts(human, systems):
    backwards = {name: texts[::-1] for name, texts in reversed(systems.items())}
    return _all(human[::-1], backwards, training=_texts(40, 3)[::-1])


@pytest.mark.parametrize("name", MEASURES)
def test_the_order_of_texts_does_not_matter(everything, reversed_texts, name):
    value, before = reversed_texts["good"][name], everything["good"][name]
    assert value.value == pytest.approx(before.value, rel=1e-6, abs=1e-9)
    assert value.interval == pytest.approx(before.interval, rel=1e-4, abs=1e-7)


_PROMPTS = {name: [str(i // 2) for i in range(60)] for name in ("human", "good")}
_PROMPTS["loop"] = [str(i) for i in range(50)]


@pytest.fixture(scope="module", params=[None, _PROMPTS], ids=["texts", "prompts"])
def alone_and_beside(request, human, systems):
    options = {"prompts": request.param, "cache": False, "training": _texts(40, 3)}
    return _all(human, {"good": systems["good"]}, **options), _all(human, systems, **options)


@pytest.mark.parametrize("name", MEASURES)
def test_a_value_does_not_depend_on_the_other_systems(alone_and_beside, name):
    alone, beside = (measurements["good"][name] for measurements in alone_and_beside)
    assert alone.value == pytest.approx(beside.value, rel=1e-4, abs=1e-7)
    assert alone.interval == pytest.approx(beside.interval, rel=1e-2, abs=1e-5)


@pytest.mark.parametrize("name", ["precision", "coverage", "mauve-nn", "mmd", "discriminator"])
def test_copies_do_not_bring_the_order_of_texts_back(name):
    rng = np.random.default_rng(0)
    human = rng.integers(0, 3, size=(60, 2)).astype(float)
    model = rng.integers(0, 3, size=(50, 2)).astype(float)
    values = [
        mauve.measure(human[order], model[::step], name)["model"][name]
        for order, step in ((slice(None), 1), (slice(None, None, -1), -1))
    ]
    assert values[0] == values[1]


def test_few_human_texts_make_a_wide_interval_of_what_is_a_share_of_them():
    rng = np.random.default_rng(0)
    measurements = mauve.measure(
        rng.normal(size=(20, 2)), rng.normal(size=(2000, 2)), "recall,coverage"
    )
    for name in ("recall", "coverage"):
        assert measurements["model"][name].value == 1
        assert measurements["model"][name].interval[0] < 0.9


def test_mauve_is_that_of_compare(human, systems, everything):
    scores = mauve.compare(human, systems, n_permutations=0)
    for name, result in scores.items():
        value = everything[name]["mauve"]
        assert value.value == result.mauve
        assert value.interval == result.interval
        by_classifier = everything[name]["mauve-classifier"]
        assert by_classifier.value == result.classifier.mauve
        assert by_classifier.interval == result.classifier.interval


def test_a_comparison_by_the_classifier_gives_both_scores(human, systems):
    scores = mauve.compare(human, systems, quantizer="classifier", n_permutations=0)
    measured = mauve.measure(human, systems, "mauve,mauve-classifier", comparison=scores)
    for name, result in scores.items():
        assert measured[name]["mauve"] == measured[name]["mauve-classifier"]
        assert measured[name]["mauve-classifier"].value == result.mauve


def test_identical_samples(human):
    measurements = mauve.measure(human, human, "text,frechet,mmd,precision,recall,coverage")
    values = measurements["model"]
    for name in measurements.human:
        assert values[name].gap == 0
    assert values["vocabulary"].value == pytest.approx(1)
    assert values["frechet"].value == pytest.approx(0, abs=1e-6)
    assert values["precision"].value == values["recall"].value == values["coverage"].value == 1


def test_training_features_must_have_the_same_width():
    rng = np.random.default_rng(0)
    with pytest.raises(InvalidParameterError, match=r"as many features as 'human', 4\. Got 7"):
        mauve.measure(
            rng.normal(size=(20, 4)), rng.normal(size=(20, 4)), training=rng.normal(size=(20, 7))
        )


def test_a_comparison_need_not_be_made_twice(human, systems):
    scores = mauve.compare(human, systems, num_buckets=5, n_permutations=0)
    measurements = mauve.measure(human, systems, "mauve", comparison=scores)
    assert measurements["good"]["mauve"].interval == scores["good"].interval
    assert "|k:5|" in measurements.signature
    wider = mauve.measure(human, systems, "mauve", comparison=scores, confidence=0.99)
    (low, high), (least, most) = scores["good"].interval, wider["good"]["mauve"].interval
    assert least < low < high <= most
    with pytest.raises(InvalidParameterError, match=r"'comparison' .* of the systems"):
        mauve.measure(human, systems["good"], "mauve", comparison=scores)
    others = {**systems, "good": systems["good"][1:]}
    with pytest.raises(InvalidParameterError, match=r"'comparison' .* must be of the same texts"):
        mauve.measure(human, others, "mauve", comparison=scores)


def test_features_have_the_measures_of_features(human):
    rng = np.random.default_rng(0)
    people, model = rng.normal(size=(80, 5)), rng.normal(size=(80, 5)) + 1
    measurements = mauve.measure(people, model)
    assert [measure.name for measure in measurements.measures] == ["frechet", "mauve"]
    assert "emb:features-5" in measurements.signature
    with pytest.raises(
        InvalidParameterError,
        match=r"'measures' .* 'zipf' needs texts in place",
    ):
        mauve.measure(people, model, "zipf")


def test_prompts_pair_the_samples(human):
    prompts = [f"prompt {i}" for i in range(60)]
    # Texts that share their length with the human text of the prompt.
    rng = np.random.default_rng(5)
    lengths = rng.integers(5, 40, size=60)
    people = [text[: 4 * n] for text, n in zip(human, lengths, strict=True)]
    model = [text[: 4 * n] for text, n in zip(_texts(60, 9), lengths, strict=True)]
    alone = mauve.measure(people, model, "compression,perplexity")
    paired = mauve.measure(people, model, "compression,perplexity", prompts=prompts)
    assert paired["model"]["perplexity"].value == alone["model"]["perplexity"].value
    assert "se:50-by-prompt" in paired.signature
    shuffled = {"human": prompts, "model": prompts[::-1]}
    other = mauve.measure(people, model, "perplexity", prompts=shuffled)
    assert other["model"]["perplexity"].gap_interval != paired["model"]["perplexity"].gap_interval


def test_the_prompt_is_read_but_not_scored(human):
    prompts = [text[:40] for text in human]
    rest = [text[40:] for text in human]
    alone = mauve.measure(rest, rest, "perplexity")
    after = mauve.measure(rest, rest, "perplexity", prompts=prompts, prompt_context=True)
    assert after.human["perplexity"].value != alone.human["perplexity"].value
    assert "-after-prompt" in after.signature
    with pytest.raises(InvalidParameterError, match=r"'prompt_context' .* without 'prompts'"):
        mauve.measure(rest, rest, "perplexity", prompt_context=True)


def test_a_system_may_be_called_human_or_training(human, systems):
    measurements = mauve.measure(
        human,
        {"human": systems["good"], "training": systems["loop"]},
        "copying-2,zipf",
        training=_texts(40, 3),
    )
    assert measurements.human_name == "human (reference)"
    assert list(measurements) == ["human", "training"]
    assert measurements["training"]["copying-2"].value != measurements["human"]["copying-2"].value


def test_tokenizer_is_in_the_signature_and_matters(human, systems):
    words = mauve.measure(human, systems, "zipf")
    pieces = mauve.measure(human, systems, "zipf", tokenizer="bundled")
    assert "tok:words" in words.signature
    assert "tok:bundled" in pieces.signature
    assert words["good"]["zipf"].value != pieces["good"]["zipf"].value


def test_samples_of_different_size_are_pointed_out(human, systems):
    message = "'loop' has 800 tokens and 'human' 1860: zipf, distinct-4 change with the size"
    with pytest.warns(mauve.MauveWarning, match=message) as said:
        mauve.measure(human, systems, "zipf,distinct-4,repetition")
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", mauve.MauveWarning)
        mauve.measure(human, systems, "repetition")


def test_a_custom_measure(human, systems):
    from mauve.measures.estimate import ratio

    def long_words(sample, human):
        counts = np.array([[len(w) > 3, 1] for t in sample.texts for w in t.split()], dtype=float)
        texts = np.repeat(np.arange(len(sample.texts)), [len(t.split()) for t in sample.texts])
        sums = [np.bincount(texts, weights=column) for column in counts.T]
        return ratio(*sums, sample.groups)

    mine = Measure(
        name="long-words", title="Long", direction="human", needs=frozenset({"texts"}),
        estimate=long_words, is_statistic=True,
    )  # fmt: skip
    measurements = mauve.measure(human, systems, ["zipf", mine])
    assert 0 < measurements.human["long-words"].value < 1


def test_progress_is_reported(human, systems):
    steps = []
    mauve.measure(human, systems, "zipf,distinct-4", progress=lambda *step: steps.append(step))
    assert steps == [
        ("measuring zipf", 0, 2), ("measuring distinct-4", 1, 2), ("measuring", 2, 2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "blue"}, "'measures' parameter of measure must be among .*Got 'blue'"),
        ({"measures": []}, "at least one name"),
        ({"measures": "copying-8"}, "needs what the systems were trained on, training=SAMPLE"),
        ({"measures": "sparsemax"}, "needs the model behind each system, models="),
        ({"measures": "distinct-0"}, "distinct"),
        ({"confidence": 1.0}, "'confidence' parameter of measure"),
        ({"seed": -1}, "'seed' parameter of measure"),
        ({"empty": "drop"}, "'empty' parameter of measure"),
        ({"models": {"good": "@greedy"}}, "a mapping to 'MODEL@DECODER'"),
        ({"models": {"good": "gpt2@nuclear"}}, "nuclear"),
        ({"prompts": ["one"]}, "'prompts' parameter of measure must have one prompt for each"),
        ({"training": np.ones((20, 4))}, "'training' parameter .* same kind as 'human', texts"),
        ({"training": ["one"]}, "'training' must have at least 10 texts for measure"),
        ({"training": ["a b"] * 10, "measures": "zipf"}, "'training' parameter .* left out"),
        ({"models": {"x": "gpt2"}, "measures": "zipf"}, "'models' parameter .* left out"),
        ({"models": {"human": "gpt2"}}, "without 'human', the human texts"),
    ],
)
def test_what_cannot_be_used_is_named(human, systems, options, message):
    with pytest.raises(InvalidParameterError, match=message):
        mauve.measure(human, systems, **options)


def test_no_system_is_an_error(human):
    with pytest.raises(InvalidParameterError, match="one sample or a mapping"):
        mauve.measure(human, {})


def test_everything_is_json(everything):
    held = json.loads(json.dumps(everything.to_dict(), allow_nan=False))
    assert held["systems"][2]["model"] == f"{MODEL}@greedy"
