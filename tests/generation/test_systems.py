"""Samples of a comparison: which texts of which files, under which names."""

from pathlib import Path

from writers import WordWriter

import mauve
from mauve.generation.systems import make_systems, system_names
from mauve.generation.tasks import Example

EXAMPLES = [Example(f"Number {i}", f" is {i}.", str(i), {"site": "a.org"}) for i in range(4)]


def test_names_say_what_differs():
    samples = [
        (m, d, s) for m in "ab" for d, s in (("greedy", 0), ("top-k:k=4", 0), ("top-k:k=4", 1))
    ]
    assert system_names(samples) == [
        "a greedy", "a top-k:k=4 seed 0", "a top-k:k=4 seed 1",
        "b greedy", "b top-k:k=4 seed 0", "b top-k:k=4 seed 1",
    ]  # fmt: skip
    assert system_names(samples[:2]) == ["greedy", "top-k:k=4"]
    assert system_names(samples[:3], pool_seeds=True) == ["greedy", "top-k:k=4", "top-k:k=4"]


def test_texts_and_prompts_are_in_one_order(tmp_path: Path):
    generated = mauve.generate(
        WordWriter(), EXAMPLES, "greedy,ancestral", folder=tmp_path, seeds=[0, 1], max_tokens=4,
    )  # fmt: skip
    greedy, first, second = (sample.texts() for sample in generated)
    prompts = [example.prompt for example in EXAMPLES]

    systems = make_systems(EXAMPLES, generated.samples)
    assert systems.texts == {
        "greedy": greedy, "ancestral seed 0": first, "ancestral seed 1": second,
    }  # fmt: skip
    assert systems.prompts == dict.fromkeys(["human", *systems.texts], prompts)
    assert systems.human[1] == {"site": "a.org", "text": " is 1."}

    pooled = make_systems(EXAMPLES, generated.samples, pool_seeds=True)
    assert pooled.texts == {"greedy": greedy, "ancestral": first + second}
    assert pooled.prompts["ancestral"] == prompts * 2

    whole = make_systems(EXAMPLES, generated.samples, with_prompt=True)
    assert whole.human[1]["text"] == "Number 1 is 1."
    assert whole.texts["greedy"] == [p + t for p, t in zip(prompts, greedy, strict=True)]
    assert whole.digests() != systems.digests()
