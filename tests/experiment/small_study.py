"""A small experiment, and ways to run it."""

import subprocess
import sys
import warnings

from mauve.experiment.example import write_example
from mauve.experiment.run import run_experiment

#: Of an n-gram model, which writes thousands of texts a second.
STUDY = """\
name = "small"

[texts]
n = 30
lengths = [8, 16]
decoders = ["greedy", "ancestral"]
seeds = [0, 1]

[tasks.reference]
source = "human.jsonl"
prompt_tokens = 8

[models]
n-gram = "ngram:training.jsonl"

[scores]
scaling = [5, 1]
n_permutations = 0
n_clusterings = 4

[measures]
names = ["zipf", "repetition"]
"""
#: 1 task; 3 generate (greedy has one seed); 4 samples at 2 lengths to embed; 6 settings at the
#: base and 3 with another scaling at the greatest length; 6 to measure.
STEPS = {"task": 1, "read": 0, "generate": 3, "embed": 8, "score": 9, "measure": 6}


def write_study(folder, text=STUDY):
    """Write the config and the texts, and return the config."""
    write_example(folder)
    config = folder / "study.toml"
    config.write_text(text)
    return config


def change(config, old, new):
    """Change a part of a config that is there."""
    text = config.read_text()
    assert old in text
    config.write_text(text.replace(old, new))


def quietly(config, folder):
    """Run an experiment without its warnings, which are of few texts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_experiment(config, folder, progress=False)


def start(config, folder):
    """Start the experiment in a process of its own."""
    command = [sys.executable, "-m", "mauve", "experiment", "run", config, "--out", folder]
    return subprocess.Popen(
        [*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
