"""Plant a difference of form into human text, and see whether it is named first.

    python benchmarks/forms.py human.jsonl.gz                 # planted forms and P = Q
    python benchmarks/forms.py human.jsonl.gz --ladder        # does the ladder remove them?
    python benchmarks/forms.py human.jsonl.gz --systems a.jsonl.gz b.jsonl.gz   # real pairs

Texts of the first file are divided at random into two samples of --n texts, and one of them is
changed. Printed is in how many of --seeds cases the property that was planted is the first that is
named, and what else is. P = Q is the same without a change: nothing should be named in 95%.

With --systems, every sentence about real texts is checked against counts that share no code with
the package: how many texts have the words or the form.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

import mauve
from mauve.embed.load import load_samples
from mauve.explanation.properties import comparison_properties
from mauve.explanation.property_results import PropertyDifference
from mauve.text.read import read_texts

Change = Callable[[str], str]

_SENTENCE = re.compile(r"(?<=[.!?]) +")


def curly(text: str) -> str:
    """Write all quotes as typographers do."""
    return re.sub(r'"([^"\n]*)"', "“\\1”", text).replace("'", "’")


def unfinished(text: str) -> str:
    """Cut the last sentence in the middle."""
    sentences = _SENTENCE.split(text.rstrip())
    words = sentences[-1].split()
    last = " ".join(words[: max(1, len(words) // 2)]).rstrip(".!?,;:\"'”’)]")
    return " ".join([*sentences[:-1], last])


PLANTED: dict[str, tuple[Change, set[str]]] = {
    "blank lines between sentences": (
        lambda text: _SENTENCE.sub("\n\n", text),
        {"blank_lines", "blank_line_rate"},
    ),
    "curly quotes": (curly, {"curly_quotes"}),
    "a leading space": (lambda text: f" {text.lstrip()}", {"leading_space"}),
    "lower case": (str.lower, {"no_capitals"}),
    "Markdown bullets": (
        lambda text: "\n".join(f"- {sentence}" for sentence in _SENTENCE.split(text)),
        {"bullets", "bullet_rate"},
    ),
    "a final half sentence": (unfinished, {"unfinished"}),
    "doubled spaces": (lambda text: text.replace(" ", "  "), {"double_spaces"}),
    "cut to one length": (lambda text: " ".join(text.split()[:60]), {"words"}),
}
STEPS = {
    "blank lines between sentences": "space",
    "curly quotes": "typography",
    "a leading space": "ends",
    "lower case": "case",
    "Markdown bullets": "markup",
    "a final half sentence": "sentences",
    "doubled spaces": "space",
    "cut to one length": "length",
}


def halves(texts: list[str], n: int, seed: int) -> tuple[list[str], list[str]]:
    """Draw two samples of `n` texts."""
    order = np.random.default_rng(seed).permutation(len(texts))
    return [texts[i] for i in order[:n]], [texts[i] for i in order[n : 2 * n]]


def named(human: list[str], model: list[str]) -> tuple[PropertyDifference, ...]:
    """Return the properties in which two samples differ."""
    samples = load_samples({"human": human, "model": model}, empty="keep")
    return comparison_properties(samples)["model"].ranked


def print_planted(texts: list[str], n: int, seeds: int) -> None:
    """Print how often each planted form is named first, and what is named for P = Q."""
    for title, (change, keys) in PLANTED.items():
        firsts: Counter[str] = Counter()
        sentence = ""
        for seed in range(seeds):
            human, model = halves(texts, n, seed)
            found = named(human, [change(text) for text in model])
            firsts[found[0].key if found else "nothing"] += 1
            sentence = sentence or (found[0].sentence if found else "")
        right = sum(count for key, count in firsts.items() if key in keys)
        wrong = {key: count for key, count in firsts.items() if key not in keys}
        print(f"{title:32} first in {right:4} of {seeds}  {wrong or ''}  {sentence}", flush=True)
    n_named = [len(named(*halves(texts, n, 10_000 + seed))) for seed in range(seeds)]
    print(f"{'P = Q':32} something named in {np.mean(np.array(n_named) > 0):.1%} of {seeds}")


def print_ladder(texts: list[str], n: int) -> None:
    """Print the score of each planted form as given, at its step, and after all steps."""
    for title, (change, _) in PLANTED.items():
        human, model = halves(texts, n, 0)
        comparison = mauve.compare(human, {"model": [change(text) for text in model]}, empty="keep")
        rungs = comparison.ladder()["model"].rungs
        step = STEPS[title]
        scores = ", ".join(f"{rung.step or 'as given'} {rung.mauve:.3f}" for rung in rungs)
        print(f"{title:32} expected at {step}: {scores}", flush=True)


def holds(difference: PropertyDifference, human: list[str], model: list[str]) -> bool | None:
    """Whether a sentence is true of the texts; None if this script cannot tell."""
    shares = re.fullmatch(
        r"(<?[\d.]+)% of its texts (.+), (<?[\d.]+)% of human texts do\.", difference.sentence
    )
    if shares is None:
        means = re.match(
            r"(\w+).*: on average ([\d.,]+).*, ([\d.,]+)%? in human", difference.sentence
        )
        if means is None:
            return None
        higher = float(means[2].replace(",", "")) > float(means[3].replace(",", ""))
        return None if means[1] == "A" else (means[1] in ("More", "Longer", "Less")) == higher
    what = shares[2]
    if phrase := re.fullmatch(r"have the words? “(.+)”", what):
        pattern = re.compile(rf"(?<![^\W_]){re.escape(phrase[1])}(?![^\W_])")
        flat = [
            [re.sub(r"\s+", " ", t.lower().replace("’", "'")) for t in s] for s in (human, model)
        ]
        counted = [np.mean([bool(pattern.search(text)) for text in sample]) for sample in flat]
    elif what == "have blank lines":
        counted = [np.mean([bool(re.search(r"\n\s*\n", t)) for t in s]) for s in (human, model)]
    elif what == "start with white space":
        counted = [np.mean([t[:1].isspace() for t in s]) for s in (human, model)]
    elif what == "have curly quotes or apostrophes":
        counted = [np.mean([any(c in t for c in "‘’“”") for t in s]) for s in (human, model)]
    else:
        return None
    printed = [float(shares[i].lstrip("<")) for i in (3, 1)]
    return all(abs(p - 100 * c) < 0.11 for p, c in zip(printed, counted, strict=True))


def print_systems(human: list[str], systems: list[Path]) -> None:
    """Print the sentences about real systems, and whether they hold."""
    verdicts: Counter[str] = Counter()
    for path in systems:
        model = [*map(str, read_texts(path).texts)]
        print(f"\n{path.name}")
        for difference in named(human, model):
            verdict = holds(difference, human, model)
            verdicts["not checked" if verdict is None else "true" if verdict else "FALSE"] += 1
            mark = {None: " ", True: "+", False: "FALSE"}[verdict]
            kind = "form" if difference.is_form else "    "
            print(f"  {mark} {kind} {difference.alone:5.2f}  {difference.sentence}")
    print(f"\nsentences: {dict(verdicts)}")


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", type=Path, help="human texts")
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--ladder", action="store_true")
    parser.add_argument("--systems", type=Path, nargs="+")
    arguments = parser.parse_args()
    texts = [*map(str, read_texts(arguments.texts).texts)]
    if arguments.systems:
        print_systems(texts, arguments.systems)
    elif arguments.ladder:
        print_ladder(texts, arguments.n)
    else:
        print_planted(texts, arguments.n, arguments.seeds)


if __name__ == "__main__":
    main()
