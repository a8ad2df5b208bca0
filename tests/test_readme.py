"""The README is short, and its links and those of the documentation lead to files."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # tests are no package

from pages import PAGES, ROOT, blocks

from mauve.measures.registry import GROUPS

README = PAGES["README.md"]


def test_there_are_examples():
    languages = [block.language for block in blocks(README)]
    assert languages.count("python") >= 2
    assert languages.count("console") >= 2


def test_the_readme_is_short():
    assert len(README.read_text("utf-8").split()) < 1500


def test_the_number_of_measures_is_true():
    n = len(GROUPS["all"]) - len({"mauve"})
    assert f"computes {n} other measures" in README.read_text("utf-8")
    assert f"has {n} of them beside MAUVE" in PAGES["docs/glossary.md"].read_text("utf-8")


def test_links_and_pictures_exist():
    for page in [*PAGES.values(), ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
