"""Every code block of the README and of the documentation runs, or is checked."""

import contextlib
import importlib.util
import json
import re
import shutil
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package

from pages import PAGES, ROOT, blocks, check_command, run_command, run_page

from mauve.embed.registry import OWN_EMBEDDERS
from mauve.measures.registry import OWN_MEASURES
from mauve.quantize.registry import OWN_QUANTIZERS

WORDS = ["rain", "wind", "snow", "sun", "cloud", "storm", "road", "house", "garden", "river",
         "friend", "letter", "music", "bread"]  # fmt: skip
QUICK = "--n-clusterings 2 --n-permutations 0 --quiet"
#: Blocks of these languages need more than files: they run in the test that is named.
ELSEWHERE = {
    "docs/study.md": ("tests/study/server/test_documentation.py", ("python", "console")),
    "docs/trackers.md": ("tests/integrations/test_trackers.py", ("python",)),
    "docs/training.md": ("tests/generation/test_training_docs.py", ("python",)),
}


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    """Return a folder that holds what `mauve demo` writes, in `demo`."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        run_command("mauve demo")
    return folder


def write_texts(name, n, n_words, seed, n_sentences=3):
    """Write texts of sentences about some of the words, each with the prompt of its number."""
    rng = np.random.default_rng(seed)
    with open(name, "w", encoding="utf-8") as file:
        for i in range(n):
            pairs = rng.choice(WORDS[:n_words], size=(n_sentences, 2))
            text = " ".join(f"The {a} came before the {b}." for a, b in pairs)
            file.write(json.dumps({"prompt": f"Day {i}.", "text": text}) + "\n")


def two_samples():
    write_texts("human.jsonl", 300, 14, seed=0)
    write_texts("model.jsonl", 300, 12, seed=1)


def check_files():
    write_texts("human.jsonl", 300, 14, seed=0)
    write_texts("new.jsonl", 300, 14, seed=1)  # like human text, so that few texts are enough
    run_command("mauve check human.jsonl model=new.jsonl --write baseline.json --quiet")


def parts_of_samples():
    rng = np.random.default_rng(0)
    for name in ("human", "model"):
        Path(name).mkdir()
        for i in range(2):
            np.save(f"{name}/{i}.npy", rng.normal(size=(20_000, 4)).astype(np.float32))
    Path("texts").mkdir()
    for i in range(2):
        write_texts(f"texts/{i}.jsonl", 20, 14, seed=i)


def small_experiment():
    run_command("mauve experiment example study")
    config = Path("study/experiment.toml")
    small = config.read_text("utf-8")
    for old, new in [
        ("n = 100 ", "n = 20 "), ('"greedy", "ancestral", "nucleus:p=0.9"', '"greedy"'),
        ('bundled = "bundled"\n', ""), ("n = [100, 50]", "n = [20, 15]"),
    ]:  # fmt: skip
        assert old in small
        small = small.replace(old, new)
    config.write_text(small, "utf-8")
    Path("people.csv").write_text("model,decoder,liked,discriminator\nn-gram,greedy,1,0.9\n")


#: Pages that suppose files, and what writes them.
FILES = {
    "docs/check.md": check_files,
    "docs/evaluate.md": lambda: write_texts("texts.jsonl", 40, 14, 0, n_sentences=12),
    "docs/extending.md": two_samples,
    "docs/protocols.md": two_samples,
    "docs/scale.md": parts_of_samples,
}
#: What is run in place of what stands on a page, so that it takes no minutes.
SMALLER = {
    "docs/evaluate.md": {
        "--out run": "--out run -n 20 --max-tokens 6 --measures repetition",
        'folder="run"': 'folder="run", n=20, max_tokens=6, measures="repetition"',
    },
    "docs/measures.md": {
        "mauve measure demo": "mauve measure --limit 60 demo",
        "mauve compare demo": f"mauve compare --limit 60 {QUICK} demo",
    },
    "docs/scale.md": {
        "--memory 1GB": f"--memory 1GB {QUICK}",
        "features features": f"features features {QUICK}",
        'folder="shards"': 'folder="shards", n_clusterings=2, n_permutations=2',
    },
}


@pytest.fixture
def own_names(monkeypatch):
    """Forget what a page registers."""
    for plugins in (OWN_EMBEDDERS, OWN_QUANTIZERS, OWN_MEASURES):
        monkeypatch.setattr(plugins, "registered", dict(plugins.registered))


@pytest.mark.slow
@pytest.mark.usefixtures("own_names")
@pytest.mark.parametrize("name", [name for name in PAGES if blocks(PAGES[name])])
def test_every_block(name, tmp_path, monkeypatch, request):
    monkeypatch.chdir(tmp_path)

    def copy_demo():
        shutil.copytree(request.getfixturevalue("demo"), tmp_path, dirs_exist_ok=True)

    FILES.get(name, lambda: None)()
    test, languages = ELSEWHERE.get(name, ("", ()))
    assert not test or Path(name).name in (ROOT / test).read_text("utf-8")
    run_page(
        PAGES[name], smaller=SMALLER.get(name), elsewhere=languages,
        instead={
            "mauve demo": copy_demo, "mauve demo --out demo": copy_demo,
            "mauve experiment example study": small_experiment,
        },
    )  # fmt: skip


def test_there_are_blocks():
    found = [block for page in PAGES.values() for block in blocks(page)]
    assert sum(not block.not_run for block in found) > 70


@pytest.mark.parametrize("name", PAGES)
def test_names_in_sentences_exist(name):
    """Commands with their options, modules and functions, and files of this repository."""
    text = re.sub(r"^```.*?^```$", "", PAGES[name].read_text("utf-8"), flags=re.M | re.S)
    text = re.sub(r"\n(?=[^\n])", " ", text)  # names that lines break
    for code in re.findall(r"`([^`\n]+)`", text):
        command = re.fullmatch(r"(mauve [a-z]|python (benchmarks|training|docs)/)[^`]*", code)
        if command and not re.search("…", code):
            check_command(code.replace("...", ""))
        dotted = re.fullmatch(r"(mauve(?:\.\w+)+)(?:\(.*\))?", code)
        if dotted:
            resolve(dotted[1])
        if re.fullmatch(r"(?:src/mauve|tests|docs|benchmarks|training|deploy)/[\w/.-]+\.\w+", code):
            assert (ROOT / code).exists(), f"{name}: {code}"


def resolve(name):
    """Return the place of a module, or what a module holds, and load no more than is needed."""
    owner, _, attribute = name.rpartition(".")
    if attribute == "__file__":
        return resolve(owner)
    if name == "mauve.MauveCallback":
        return name  # it would load torch
    with contextlib.suppress(ModuleNotFoundError):  # where the owner is no package
        if spec := importlib.util.find_spec(name):
            return spec
    found = resolve(owner)
    return getattr(
        importlib.import_module(owner) if isinstance(found, ModuleSpec) else found, attribute
    )
