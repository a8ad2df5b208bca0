"""The ladder: its scores are those of a comparison of normalised texts."""

import json
import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import mauve
from mauve.comparison.ladder import Ladder, Rung, SystemLadder
from mauve.errors import InvalidParameterError, MauveError
from mauve.text.steps import RUNGS

SUBJECTS = ("the ship", "a baker", "our road", "that old song", "the winter", "my neighbour")
VERBS = ("turned", "waited", "fell silent", "went north", "came back", "broke")
ENDS = ("at night.", "in the rain.", "for years.", "before the war.", "with a sigh.", "too late.")


def some_texts(n, seed):
    """Return texts of a few sentences, each different."""
    rng = np.random.default_rng(seed)

    def sentence():
        subject, verb, end = (rng.choice(words) for words in (SUBJECTS, VERBS, ENDS))
        return f"{subject} {verb} {end}".capitalize()

    return [" ".join(sentence() for _ in range(rng.integers(3, 7))) + f" {i}." for i in range(n)]


class Hashed:
    """Counts of letters, spaces and beginnings: a text's features whatever its batch."""

    signature = "hashed"

    def __init__(self):
        self.embedded = []

    def embed(self, texts, on_progress=None):
        self.embedded += texts
        rows = np.zeros((len(texts), 24), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for letter in text:
                row[ord(letter) % 16] += 1 / (len(text) or 1)
            for i, mark in enumerate((" ", "\n", "“", "*", "A")):
                row[16 + i] = 3 * (mark in text[:1]) + text.count(mark) / 8
            row[23] = len(text) / 200
        n = np.array([len(text.split()) for text in texts])
        return mauve.Embedded(rows, n, n < 0)


def quietly(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        return function(*args, **kwargs)


HUMAN = some_texts(120, 0)
SETTINGS = {"n_clusterings": 5, "num_buckets": 8, "seed": 3}


@pytest.fixture(scope="module")
def compared():
    """Return a comparison of a system with leading spaces and blank lines, and its embedder."""
    embedder = Hashed()
    spaced = [f" {text}".replace(". ", ".\n\n") for text in some_texts(120, 1)]
    plain = some_texts(120, 2)
    comparison = quietly(
        mauve.compare, HUMAN, {"spaced": spaced, "plain": plain}, embedder=embedder,
        n_permutations=50, cache=False, **SETTINGS,
    )  # fmt: skip
    return comparison, embedder


@pytest.mark.slow
def test_rungs_are_scores_of_compare_to_the_last_bit(compared):
    comparison, _ = compared
    ladder = comparison.ladder("all", progress=False)
    texts = comparison.compared.texts
    for name, system in ladder.items():
        assert [rung.step for rung in system] == [None, *RUNGS]
        for rung in system.rungs:
            wanted = quietly(
                mauve.compare, texts["human"], {name: texts[name]}, embedder=Hashed(),
                n_permutations=0, normalize=rung.steps, empty="keep", **SETTINGS,
            )[name]  # fmt: skip
            assert (rung.mauve, rung.interval) == (wanted.mauve, wanted.interval), rung.step
            assert rung.signature == wanted.signature


def test_rungs_of_joint_clusterings_are_those_of_all_systems():
    texts = {"a": [f" {t}" for t in some_texts(60, 1)], "b": some_texts(60, 2)}
    settings = {"embedder": Hashed(), "clustering": "joint", "n_clusterings": 5}
    comparison = quietly(mauve.compare, HUMAN[:60], texts, n_permutations=0, **settings)
    wanted = quietly(
        mauve.compare, HUMAN[:60], texts, n_permutations=0, normalize="ends", **settings
    )
    ladder = comparison.ladder(["ends"], progress=False)
    assert [ladder[name][1].mauve for name in texts] == [wanted[name].mauve for name in texts]
    assert [ladder[name][1].signature for name in texts] == [wanted[n].signature for n in texts]


def test_only_steps_that_remove_a_difference_have_rungs(compared):
    comparison, _ = compared
    ladder = comparison.ladder(progress=False)
    assert "ends" in [rung.step for rung in ladder["spaced"]]
    found = comparison["spaced"].form.steps
    assert [*ladder["spaced"].left_out] == [step for step in RUNGS if step not in found]
    assert [rung.step for rung in ladder["plain"]] == [None]
    assert ladder["plain"].left_out == dict.fromkeys(RUNGS, "no difference of form found")
    rung = ladder["spaced"][1]
    assert (rung.n_human_changed, rung.n_model_changed) == (0, 120)


def test_only_changed_texts_are_embedded_and_each_once(compared):
    comparison, embedder = compared
    n_before = len(embedder.embedded)
    comparison.ladder("ends,space,case", progress=False)
    new = embedder.embedded[n_before:]
    assert len(new) == len(set(new))
    assert not set(new) & {t for texts in comparison.compared.texts.values() for t in texts}
    # Stripped and then collapsed texts of one system, and all texts in lower case.
    assert len(new) == 2 * 120 + 3 * 120


def test_planted_space_is_back_at_the_ceiling_after_ends():
    # Two halves of one source, one of them with a leading space.
    texts = some_texts(300, 5)
    planted = [f" {text}" for text in texts[150:]]
    comparison = quietly(
        mauve.compare, texts[:150], {"planted": planted}, embedder=Hashed(), n_permutations=50,
        n_clusterings=10,
    )  # fmt: skip
    ladder = comparison.ladder(progress=False)["planted"]
    assert [rung.step for rung in ladder] == [None, "ends"]
    assert ladder[0].interval[1] < ladder.ceiling
    assert ladder[1].interval[1] >= comparison["planted"].ceiling_low
    assert ladder.sentence == (
        f"{ladder[0].mauve:.3f} as given, {ladder[1].mauve:.3f} without white space at the ends: "
        "most of this gap is form."
    )


@pytest.mark.slow
def test_bundled_model_also_after_loading(tmp_path):
    human, model = some_texts(60, 0), [f"  {text}" for text in some_texts(60, 1)]
    comparison = quietly(mauve.compare, human, model, n_permutations=0)
    ladder = comparison.ladder("ends,space", progress=False)
    comparison.save(tmp_path / "run.mauve")
    again = mauve.load(tmp_path / "run.mauve").ladder("ends,space", progress=False)
    assert again.to_dict() == ladder.to_dict()
    wanted = quietly(mauve.compare, human, model, n_permutations=0, normalize="ends,space")
    assert ladder["model"][-1].mauve == wanted["model"].mauve


def test_a_loaded_comparison_needs_its_embedder_for_new_texts_alone(compared, tmp_path):
    comparison, _ = compared
    comparison.save(tmp_path / "run.mauve")
    with pytest.raises(MauveError, match=r"must be loaded with the embedder 'hashed'"):
        mauve.load(tmp_path / "run.mauve").ladder("ends", progress=False)
    loaded = mauve.load(tmp_path / "run.mauve", embedder=Hashed())
    ladder = comparison.ladder("ends", progress=False)
    assert loaded.ladder("ends", progress=False).to_dict() == ladder.to_dict()


def test_steps_behind_a_comparison_are_not_taken_again():
    texts = [f" {text}\n\n{text}" for text in some_texts(40, 1)]
    comparison = quietly(
        mauve.compare, HUMAN[:40], texts, embedder=Hashed(), n_permutations=0, strip=True
    )
    ladder = comparison.ladder("ends,space", progress=False)["model"]
    assert [rung.step for rung in ladder] == [None, "space"]
    assert ladder.left_out == {"ends": "already applied"}
    assert "emb:hashed:strip+space|" in ladder[1].signature
    wanted = quietly(
        mauve.compare, HUMAN[:40], texts, embedder=Hashed(), n_permutations=0, strip=True,
        normalize="space",
    )  # fmt: skip
    assert ladder[1].mauve == wanted["model"].mauve


def test_a_length_that_no_text_has_is_left_out():
    texts = ["---"] * 20 + some_texts(20, 1)
    comparison = quietly(mauve.compare, HUMAN[:40], texts, embedder=Hashed(), n_permutations=0)
    ladder = comparison.ladder("markup,length", progress=False)["model"]
    assert [rung.step for rung in ladder] == [None, "markup"]
    assert ladder.left_out == {"length": "too many texts would have no word"}


def test_steps_without_a_defined_score_are_left_out():
    cases = ["".join(letters) for letters in product(*(c + c.upper() for c in "yes"))] * 3
    systems = {"shouted": [*map(str.upper, cases)], "other": some_texts(24, 1)}
    comparison = quietly(mauve.compare, cases, systems, embedder=Hashed(), n_permutations=0)
    ladder = comparison.ladder("case,space", progress=False)
    assert [rung.step for rung in ladder["shouted"]] == [None]  # whose features are all equal
    said = "no score is defined, as all features would be equal"
    assert ladder["shouted"].left_out == {"space": said, "case": said}
    assert [rung.step for rung in ladder["other"]] == [None, "space", "case"]


def test_features_have_no_ladder():
    rng = np.random.default_rng(0)
    comparison = quietly(mauve.compare, *rng.normal(size=(2, 40, 4)), n_permutations=0)
    with pytest.raises(
        InvalidParameterError, match=r"Comparison.ladder needs texts.* Got features"
    ):
        comparison.ladder()


def test_bad_steps(compared):
    comparison, _ = compared
    with pytest.raises(
        InvalidParameterError,
        match=r"The 'steps' parameter of Comparison.ladder must be 'all' or names of steps, prompt",
    ):
        comparison.ladder("spce")


NO_GAP = "no gap is shown, as the interval as given reaches"
LEFT_OUT = dict.fromkeys([*RUNGS][1:], "no difference of form found")


def rungs(*scores, width=0.01):
    steps = [None, *RUNGS]
    return tuple(
        Rung(step, (), score, (score - width, min(1.0, score + width)), 0, 0, "")
        for step, score in zip(steps, scores, strict=False)
    )


@pytest.mark.parametrize(
    ("scores", "ceiling", "width", "verdict"),
    [
        ((0.6, 0.9), 0.99, 0.01, "most of this gap is form"),
        ((0.6, 0.9), None, 0.01, "most of this gap is form"),
        ((0.6, 0.9), 0.99, 0.2, "part of this gap may be form"),
        ((0.6, 0.75), 0.99, 0.01, "part of this gap is form"),
        ((0.6, 0.62), 0.99, 0.001, "little of this gap is form"),
        ((0.6, 0.5), 0.99, 0.001, "without these differences of form the gap is larger"),
        ((0.6,), 0.99, 0.01, "no difference of form was found that a step removes"),
        ((0.98, 0.99), 0.99, 0.02, f"{NO_GAP} the ceiling, 0.990"),
        ((0.99,), None, 0.02, f"{NO_GAP} 1"),
    ],
)  # fmt: skip
def test_verdicts_follow_from_the_numbers(scores, ceiling, width, verdict):
    system = SystemLadder("m", rungs(*scores, width=width), {}, ceiling, 0.95, 100, 100)
    assert system.verdict == verdict
    assert system.sentence.endswith(f": {verdict}.")


def test_the_ladder_of_one_system_prints_and_compares_as_that_of_all():
    one = SystemLadder("a<b>", rungs(0.6, 0.9), LEFT_OUT, 0.99, 0.95, 100, 100)
    assert str(one) == str(Ladder([one]))
    assert one._repr_html_() == Ladder([one])._repr_html_()
    assert repr(one) == "SystemLadder(a<b>: as given=0.600, prompt=0.900)"
    assert one == SystemLadder("a<b>", rungs(0.6, 0.9), LEFT_OUT, 0.99, 0.95, 100, 100)
    assert Ladder([one]) != Ladder([replace(one, ceiling=None)])
    for ladder in (one, Ladder([one])):
        with pytest.raises(TypeError, match=r"unhashable type: '(System)?Ladder'"):
            hash(ladder)


def test_results_as_text_markdown_html_and_json():
    ladder = Ladder(
        [
            SystemLadder("a<b>", rungs(0.6, 0.9), LEFT_OUT, 0.99, 0.95, 100, 100),
            SystemLadder("c", rungs(0.7), LEFT_OUT | {"prompt": "x"}, 0.99, 0.95, 100, 100),
        ]
    )
    assert ladder.table().splitlines()[:3] == [
        "system  step      MAUVE   95% interval  human changed  system changed",
        "a<b>    as given  0.600  0.590 - 0.610",
        "a<b>    prompt    0.900  0.890 - 0.910              0               0",
    ]
    said = str(ladder).splitlines()
    assert said[-2] == "a<b>: 0.600 as given, 0.900 without prompts: most of this gap is form."
    assert said[-1] == "c: 0.700 as given: no difference of form was found that a step removes."
    assert "a&lt;b&gt;" in ladder._repr_html_()
    assert "<b>" not in ladder._repr_html_()
    assert ladder.to_markdown().startswith("| system | step | MAUVE |")
    assert ladder.to_latex().startswith(r"\begin{tabular}{llrrrr}")
    assert ladder.left_out.startswith("Left out: ends, space, ")
    assert ladder.left_out.endswith(" and length (no difference of form found).")
    assert repr(ladder) == "Ladder(a<b>=as given/prompt, c=as given)"
    written = json.loads(json.dumps(ladder.to_dict()))["systems"][0]
    assert written["rungs"][1]["interval"] == [0.89, 0.91]
    assert written["closed"] == pytest.approx(0.3 / 0.39)
