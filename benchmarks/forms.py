"""Plant a difference of form into human text, and see whether it is named first.

    python benchmarks/forms.py human.jsonl.gz                 # planted forms and P = Q
    python benchmarks/forms.py human.jsonl.gz --ladder        # does the ladder remove them?
    python benchmarks/forms.py human.jsonl.gz --systems a.jsonl.gz b.jsonl.gz   # real pairs

Texts of the first file are divided at random into two samples of --n texts, and one of them is
changed. What some human texts have already, such as curly quotes, is removed from both samples
before. Printed is in how many of --seeds cases the property that was planted is the first that is
named, in how many the warning of form names it first, and what else is named. P = Q is the same
without a change: nothing should be named in 95%.

A file with .xz holds documents between lines "<|doc|>": passages of whole paragraphs are cut
from 1,000 of them.

With --systems, everything that an explanation says of real texts in words is checked against
counts that share no code with the package: see ``sentences``.
"""

import argparse
import lzma
import re
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sentences import Counted, check_explanation

import mauve
from mauve.embed.load import load_samples
from mauve.explanation.properties import comparison_properties
from mauve.explanation.property_results import PropertyDifference
from mauve.text.form import check_form
from mauve.text.read import read_texts

Change = Callable[[str], str]

_SENTENCE = re.compile(r"(?<=[.!?]) +")


def straight(text: str) -> str:
    """Write all quotes as typewriters do."""
    return text.translate(str.maketrans("‘’“”", "''\"\""))


def whole(text: str) -> str:
    """Cut what follows the last end of a sentence."""
    end = max((match.end() for match in re.finditer(r"[.!?][\"'”’)]*(?=\s|$)", text)), default=None)
    return text[:end]


def curly(text: str) -> str:
    """Write all quotes as typographers do."""
    return re.sub(r'"([^"\n]*)"', "“\\1”", text).replace("'", "’")


def unfinished(text: str) -> str:
    """Cut the last sentence in the middle."""
    sentences = _SENTENCE.split(text.rstrip())
    words = sentences[-1].split()
    last = " ".join(words[: max(1, len(words) // 2)]).rstrip(".!?,;:\"'”’)]")
    return " ".join([*sentences[:-1], last])


def lower_start(text: str) -> str:
    """Write the first letter in lower case."""
    return re.sub(r"[^\W\d_]", lambda letter: letter[0].lower(), text, count=1)


def capital_start(text: str) -> str:
    """Write the first letter as a capital."""
    return re.sub(r"[^\W\d_]", lambda letter: letter[0].upper(), text, count=1)


def as_it_is(text: str) -> str:
    """Return a text as it is."""
    return text


#: What is planted: what is done to both samples before, the change, the keys of the properties
#: that may be named, and the step that removes it.
PLANTED: dict[str, tuple[Change, Change, set[str], str]] = {
    "blank lines between sentences": (
        as_it_is,
        lambda text: _SENTENCE.sub("\n\n", text),
        {"blank_lines", "blank_line_rate"},
        "space",
    ),
    "curly quotes": (straight, curly, {"curly_quotes"}, "typography"),
    "a leading space": (str.lstrip, lambda text: f" {text}", {"leading_space"}, "ends"),
    "lower case": (as_it_is, str.lower, {"no_capitals"}, "case"),
    "Markdown bullets": (
        as_it_is,
        lambda text: "\n".join(f"- {sentence}" for sentence in _SENTENCE.split(text)),
        {"bullets", "bullet_rate"},
        "markup",
    ),
    "HTML paragraphs": (
        as_it_is,
        lambda text: "".join(f"<p>{part}</p>" for part in text.split("\n\n")),
        {"html"},
        "markup",
    ),
    "emoji": (as_it_is, lambda text: f"{text.rstrip()} 😀", {"emoji"}, "emoji"),
    "a capital at the beginning": (lower_start, capital_start, {"starts_lower"}, "case"),
    "spaces before punctuation": (
        as_it_is,
        lambda text: re.sub(r"(?<=\w)([,.;:!?])(?=\s|$)", r" \1", text),
        {"spaces_before_marks"},
        "space",
    ),
    "a final half sentence": (whole, unfinished, {"unfinished"}, "sentences"),
    "doubled spaces": (
        as_it_is,
        lambda text: text.replace(" ", "  "),
        {"double_spaces"},
        "space",
    ),
    "cut to one length": (
        as_it_is,
        lambda text: " ".join(text.split()[:60]),
        {"words"},
        "length",
    ),
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
    for title, (before, change, keys, step) in PLANTED.items():
        firsts: Counter[str] = Counter()
        warned: Counter[str] = Counter()
        sentence = ""
        for seed in range(seeds):
            human, model = ([*map(before, sample)] for sample in halves(texts, n, seed))
            model = [*map(change, model)]
            found = named(human, model)
            firsts[found[0].key if found else "nothing"] += 1
            sentence = sentence or (found[0].sentence if found else "")
            form = check_form(human, model, name="model").findings
            warned[form[0].step or form[0].kind if form else "nothing"] += 1
        right = sum(count for key, count in firsts.items() if key in keys)
        wrong = {key: count for key, count in firsts.items() if key not in keys}
        other = {key: count for key, count in warned.items() if key != step}
        print(
            f"{title:30} named first in {right:3} of {seeds} {wrong or ''}  warned of first in "
            f"{warned[step]:3} {other or ''}  {sentence}",
            flush=True,
        )
    pairs = [halves(texts, n, 10_000 + seed) for seed in range(seeds)]
    n_named = sum(bool(named(*pair)) for pair in pairs)
    n_warned = sum(bool(check_form(*pair, name="model").findings) for pair in pairs)
    print(f"{'P = Q':30} anything named in {n_named} of {seeds}, warned of in {n_warned}")


def print_ladder(texts: list[str], n: int, seeds: int) -> None:
    """Print whether each planted form is removed at its step."""
    for title, (before, change, _, step) in PLANTED.items():
        closed, first = 0, ""
        for seed in range(seeds):
            human, model = ([*map(before, sample)] for sample in halves(texts, n, seed))
            given = mauve.compare(human, {"model": [*map(change, model)]}, progress=False)
            ladder = given.ladder(progress=False)["model"]
            at = [rung for rung in ladder.rungs if rung.step == step]
            # What is left by chance between two halves of the human text, treated alike.
            same = mauve.compare(human, {"model": model}, progress=False, normalize=at[0].steps
                                 if at else None)["model"]  # fmt: skip
            reached = bool(at) and at[0].interval[1] >= min(1.0, ladder.ceiling or 1.0)
            removed = bool(at) and at[0].mauve >= same.mauve - 0.02
            closed += reached and removed
            rungs = ", ".join(f"{rung.step or 'as given'} {rung.mauve:.3f}" for rung in ladder)
            line = f"{rungs} (ceiling {ladder.ceiling:.3f}, without a change {same.mauve:.3f})"
            first = first or line
            if not (reached and removed):
                print(f"  {title}, seed {seed}: {line}", flush=True)
        print(
            f"{title:30} at its ceiling after '{step}' in {closed} of {seeds}: {first}", flush=True
        )


def print_systems(human: Path, systems: list[Path], limit: int | None) -> None:
    """Print the sentences about real systems, and whether they hold."""
    verdicts: Counter[str] = Counter()
    for path in systems:
        comparison = mauve.compare(
            human, {path.name: path}, empty="keep", limit=limit, progress=False
        )
        explanation = mauve.explain(comparison, progress=False)
        samples = comparison.compared.samples
        people, model = (samples.texts or {}).values()
        prompts = None
        if samples.all_prompts is not None:
            prompts = samples.all_prompts[: len(people)], samples.all_prompts[len(people) :]
        texts = Counted(people, model, prompts=prompts)
        print(f"\n{path.name}")
        for sentence, verdict in check_explanation(explanation, path.name, texts):
            verdicts["not checked" if verdict is None else "true" if verdict else "FALSE"] += 1
            if not verdict:
                print(f"  {'FALSE' if verdict is False else 'not checked'}: {sentence}")
        found = explanation[path.name].properties
        for difference in found.ranked if found else ():
            kind = "form" if difference.is_form else "    "
            print(f"    {kind} {difference.alone:5.2f}  {difference.sentence}")
    print(f"\nsentences and counts: {dict(verdicts)}")


def passages(path: Path, n: int = 1000) -> list[str]:
    """Return passages of whole paragraphs, 80 to 300 words, each of another document."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        documents = file.read(40_000_000).split("<|doc|>")
    rng = np.random.default_rng(0)
    found: list[str] = []
    for i in rng.permutation(len(documents)).tolist():
        paragraphs = [p.strip() for p in re.split(r"\n\s*\n", documents[i]) if p.strip()]
        chosen: list[str] = []
        for paragraph in paragraphs[int(rng.integers(max(1, len(paragraphs)))) :]:
            chosen.append(paragraph)
            if len(" ".join(chosen).split()) >= 100:
                break
        if 80 <= len(" ".join(chosen).split()) <= 300:
            found.append("\n\n".join(chosen))
        if len(found) == n:
            break
    return found


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("texts", type=Path, help="human texts")
    parser.add_argument("--n", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--ladder", action="store_true")
    parser.add_argument("--limit", type=int, help="texts of each sample, with --systems")
    parser.add_argument("--systems", type=Path, nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", mauve.MauveWarning)
    if arguments.systems:
        print_systems(arguments.texts, arguments.systems, arguments.limit)
        return
    is_corpus = arguments.texts.suffix == ".xz"
    texts = passages(arguments.texts) if is_corpus else [*read_texts(arguments.texts).texts]
    texts = [text for text in texts if text.strip()]
    if arguments.ladder:
        print_ladder(texts, arguments.n, arguments.seeds)
    else:
        print_planted(texts, arguments.n, arguments.seeds)


if __name__ == "__main__":
    main()
