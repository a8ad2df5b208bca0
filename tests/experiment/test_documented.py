"""The configs of docs/experiments.md are read, and name all keys."""

import re
import sys
from pathlib import Path

import pytest

from mauve.errors import InvalidParameterError
from mauve.experiment.config_file import config_of, read_config

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests are no package

from pages import PAGES, blocks

CONFIGS = [block.text for block in blocks(PAGES["docs/experiments.md"]) if block.language == "toml"]


def test_the_configs_are_read(tmp_path):
    whole, samples = (config_of(text, "study.toml", tmp_path) for text in CONFIGS)
    assert whole.max_tokens == 256
    assert whole.models[1].decoders == ("greedy", "ancestral")
    assert [file.seed for file in samples.samples[0].systems] == [0, 0, 1, 0]


@pytest.mark.parametrize("name", ["family", "bundled", "paper"])
def test_the_configs_of_the_benchmarks_are_read(name):
    config = read_config(Path(__file__).parents[2] / "benchmarks" / f"{name}.toml")
    assert len(config.models) >= 1
    assert "adversarial" in config.decoders


@pytest.mark.parametrize("table", ["texts", "tasks.stories", "models.large", "scores", "measures"])
def test_the_page_names_all_keys(table, tmp_path):
    """The error about an unknown key lists those that are known."""
    text = CONFIGS[0].replace("large = {", "large = {zzzz = 1, ")
    if table != "models.large":
        text = text.replace("zzzz = 1, ", "").replace(f"[{table}]", f"[{table}]\nzzzz = 1")
    with pytest.raises(InvalidParameterError, match=f"'{table}.zzzz' is not known") as caught:
        config_of(text, "study.toml", tmp_path)
    known = str(caught.value).partition("known is ")[2].rstrip(".").split(", ")
    assert [key for key in known if not re.search(rf"\b{key}\b( = |\])", CONFIGS[0])] == []
