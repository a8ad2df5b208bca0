"""The commands, the configs and the Python of docs/experiments.md work."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from mauve.errors import InvalidParameterError
from mauve.experiment.config_file import config_of, read_config

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))  # for invoke

PAGE = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_configs_are_read(tmp_path):
    whole, samples = (config_of(text, "study.toml", tmp_path) for text in blocks("toml"))
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
    text = blocks("toml")[0].replace("large = {", "large = {zzzz = 1, ")
    if table != "models.large":
        text = text.replace("zzzz = 1, ", "").replace(f"[{table}]", f"[{table}]\nzzzz = 1")
    with pytest.raises(InvalidParameterError, match=f"'{table}.zzzz' is not known") as caught:
        config_of(text, "study.toml", tmp_path)
    known = str(caught.value).partition("known is ")[2].rstrip(".").split(", ")
    assert [key for key in known if not re.search(rf"\b{key}\b( = |\])", blocks("toml")[0])] == []


@pytest.mark.slow
def test_the_commands_run(tmp_path, monkeypatch, capsys):
    """With fewer texts, as the bundled model writes slowly."""
    from running import invoke

    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line)[1:] for line in blocks("sh")[0].splitlines()]
    assert invoke(*commands[0]).exit_code == 0
    config = Path("study/experiment.toml")
    small = config.read_text()
    for old, new in [
        ("n = 100 ", "n = 20 "), ('"greedy", "ancestral", "nucleus:p=0.9"', '"greedy"'),
        ('bundled = "bundled"\n', ""), ("n = [100, 50]", "n = [20, 15]"),
    ]:  # fmt: skip
        assert old in small
        small = small.replace(old, new)
    config.write_text(small)
    for command in commands[1:]:
        done = invoke(*command)
        assert done.exit_code == 0, done.stderr
    assert "signature: mauve:" in done.stdout
    Path("people.csv").write_text("model,decoder,liked,discriminator\nn-gram,greedy,1,0.9\n")
    for line in (*blocks("sh")[1].splitlines(), *blocks("sh")[2].splitlines()):
        done = invoke(*shlex.split(line)[1:])
        assert done.exit_code == 0, done.stderr
    assert Path("length.pdf").is_file()
    assert Path("paper/index.md").is_file()
    [snippet] = blocks("python")
    with pytest.warns(UserWarning, match="have warnings"):
        exec(compile(snippet, "experiments.md", "exec"), {})
    assert capsys.readouterr().out.startswith("n-gram greedy 0 0.")
