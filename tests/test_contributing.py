"""The path of one text and the file tree in CONTRIBUTING.md are true."""

import importlib
import re
from pathlib import Path

import mauve

ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def resolve(name):
    """Return the object of a dotted name."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def path_steps():
    section = CONTRIBUTING.split("## The path of one text")[1].split("\n## ")[0]
    return re.findall(r"^\d+\. `([\w.]+)`", section, re.MULTILINE)


def test_the_path_has_at_most_fifteen_steps_that_exist():
    steps = path_steps()
    assert 8 <= len(steps) <= 15
    for name in steps:
        target = resolve(name)
        assert callable(target)
        assert f"{target.__module__}.{target.__qualname__}" == name, "it is defined elsewhere"


def test_other_names_exist():
    for name in re.findall(r"`(mauve(?:\.\w+)+)`", CONTRIBUTING):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            resolve(name)


def test_the_tree_names_every_module_and_no_other():
    tree = re.search(r"^```\nsrc/mauve/\n(.*?)^```$", CONTRIBUTING, re.MULTILINE | re.DOTALL)[1]
    package, named = "", set()
    for line in tree.splitlines():
        folder = re.match(r"  ([\w/]+)/ ", line)
        if folder:
            package = f"{folder[1]}/"
        elif re.match(r"  \w+\.py", line):
            package = ""
        named |= {package + name for name in re.findall(r"\b(\w+\.py)\b", line)}
    source = ROOT / "src" / "mauve"
    modules = {path.relative_to(source).as_posix() for path in source.rglob("*.py")}
    assert named == {name for name in modules if not name.endswith(("__init__.py", "__main__.py"))}


def test_no_public_function_hides_a_module():
    for name in set(mauve.__all__) - {"compute_mauve"}:  # where the authors' package has it
        assert not (ROOT / "src" / "mauve" / name).exists()
        assert not (ROOT / "src" / "mauve" / f"{name}.py").exists()


def test_no_module_has_more_than_400_lines():
    source = ROOT / "src" / "mauve"
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in source.rglob("*.py")}
    assert {path.name: n for path, n in lengths.items() if n > 400} == {}


def test_the_tree_of_the_starting_package():
    for path in (ROOT / "src" / "mauve_eval").glob("*.py"):
        assert path.name == "__init__.py" or f"  {path.name} " in CONTRIBUTING
