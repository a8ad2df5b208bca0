"""No command opens a connection, and none leaves files but its outputs and the cache."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import typer

from mauve.cli import app
from mauve.experiment.example import write_example

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace"),
]

# ONNX Runtime sends nothing where one of these is set, and so would pass for the wrong reason.
SILENCING = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "GITLAB_CI", "ORT_RUNNING_UNIT_TESTS")
TELEMETRY = ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK")
OWN = ("MAUVE_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "FORCE_COLOR")
ENV = {k: v for k, v in os.environ.items() if k not in (*SILENCING, *TELEMETRY, *OWN)}
#: What Matplotlib writes when it first looks for fonts, whoever uses it.
FONTS = {".cache/matplotlib", ".config/matplotlib", ".cache/fontconfig"}
QUICK = ["--n-permutations", "50", "--n-clusterings", "5"]


class Watched:
    """A finished program: how it ended, its connections, and the files that it wrote.

    Attributes
    ----------
    network : list of str
        System calls that speak to a network, and those that read how to look up hosts.
    left : set of Path
        Files and folders that it made or opened for writing, that are still there, and that are
        not in the working folder.
    kept : set of str
        Folders of two levels in the home folder that hold files; a new one unless it is given.
    """

    def __init__(self, folder, *command, home=None, **env):
        if home is None:
            home = tempfile.mkdtemp(prefix="home-", dir=folder)
        trace = folder / "trace.txt"
        calls = "trace=network,open,openat,creat,mkdir,mkdirat"
        watch = [
            "strace",
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-s",
            "4096",
            "-e",
            calls,
            "-e",
            "signal=none",
        ]
        done = subprocess.run(
            [*watch, "-o", str(trace), sys.executable, *map(str, command)],
            capture_output=True,
            text=True,
            cwd=folder,
            env=ENV | {"HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"} | env,
            timeout=500,
        )
        self.kept = kept_in(Path(home))
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        lines = trace.read_text("utf-8", "replace").splitlines()
        trace.unlink()
        self.network = [line for line in lines if re.search("AF_INET|resolv.conf", line)]
        self.left = set()
        for line in lines:
            name = re.search(r'(?:open|openat|creat|mkdir|mkdirat)\((?:\w+, )?"([^"]*)"', line)
            writes = re.search(r"O_CREAT|O_WRONLY|O_RDWR|\b(?:creat|mkdir|mkdirat)\(", line)
            if name and writes and " = -1 " not in line:
                path = Path(os.path.normpath(folder / name[1]))
                if folder not in path.parents and path.exists() and path != Path(os.devnull):
                    self.left.add(path)

    def assert_offline(self, allowed=frozenset()):
        """Check that it ended well, with no connection and no file but the allowed ones."""
        assert (self.code, self.network) == (0, []), self.err
        assert self.left == set()
        assert self.kept <= {".cache/mauve"} | allowed


def kept_in(home):
    """Return the folders of two levels that hold the files in a home folder."""
    files = [path.relative_to(home) for path in home.rglob("*") if path.is_file()]
    return {"/".join(file.parts[:2]) for file in files}


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Return a folder with files of texts and of features."""
    folder = tmp_path_factory.mktemp("samples")
    words = "the a cat dog sat ran under over green table house while nobody looked at it"
    for seed, name in enumerate(("human", "model")):
        rng = random.Random(seed)
        texts = [" ".join(rng.choices(words.split(), k=30)) + "." for _ in range(80)]
        lines = [json.dumps({"text": text, "kind": i % 2}) for i, text in enumerate(texts)]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
        features = np.random.default_rng(seed).normal(size=(100, 8)).astype(np.float32)
        np.save(folder / f"{name}.npy", features)
    return folder


TEXTS, FEATURES = ("human.jsonl", "model.jsonl"), ("human.npy", "model.npy")

GENERATE = "generate bundled --prompts human.jsonl -n 4 --max-tokens 4 -o g"
EVALUATE = (
    "evaluate bundled --source human.jsonl -n 40 --prompt-tokens 8 --max-tokens 8 "
    f"--unreadable warn --no-report --out e {' '.join(QUICK)}"
)

COMMANDS = [
    ["--version"],
    ["--help"],
    ["compare", *TEXTS, *QUICK, "--json"],
    ["compare", *FEATURES, *QUICK],
    ["compare", *TEXTS, *QUICK, "--normalize", "prompt,space,case", "--quantizer", "classifier"],
    ["compare", *TEXTS, *QUICK, "--ladder", "--quiet"],
    ["measure", *TEXTS],
    ["explain", *TEXTS, "--n-clusterings", "5", "--n-permutations", "100"],
    ["embed", TEXTS[0], "--out", "embedded.npy"],
    GENERATE.split(),
    EVALUATE.split(),
    ["finetune", "1x32", TEXTS[0], "--from-scratch", "-o", "m", "--device", "cpu", "--batch", "8"],
    ["matrix", *TEXTS],
    ["domains", *TEXTS, "--by", "kind", *QUICK],
    ["protocols"],
    ["cache", "info"],
    ["cache", "path"],
    ["cache", "clear"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_commands(samples, command):
    Watched(samples, "-m", "mauve", *command).assert_offline()


PICTURES = [
    ["compare", *TEXTS, *QUICK, "--report", "r.html", "--plot", "c.png", "--measures", "text"],
    ["compare", *FEATURES, *QUICK, "--report", "r.html"],
    ["demo"],
]


@pytest.mark.parametrize("command", PICTURES, ids=" ".join)
def test_commands_with_pictures(samples, command):
    Watched(samples, "-m", "mauve", *command).assert_offline(FONTS)


def test_a_saved_comparison(samples):
    save = ["compare", *TEXTS, *QUICK, "--save", "saved.mauve"]
    Watched(samples, "-m", "mauve", *save).assert_offline()
    show = ["show", "saved.mauve", "--report", "r.html", "--ladder"]
    Watched(samples, "-m", "mauve", *show).assert_offline(FONTS)


EXPERIMENT = """\
name = "small"
texts = {n = 30, lengths = [8], decoders = ["ancestral"], seeds = [0]}
tasks.reference = {source = "human.jsonl", prompt_tokens = 8}
models = {n-gram = "ngram:training.jsonl"}
scores = {n_permutations = 0, n_clusterings = 4}
measures = {names = ["zipf"]}
"""


def watch_all(folder, *commands):
    """Check that commands, one after the other, are offline."""
    for command in commands:
        Watched(folder, "-m", "mauve", *command.split()).assert_offline()


def test_a_check_against_a_baseline(samples):
    check = " ".join(["check", *TEXTS, *QUICK])
    watch_all(samples, f"{check} --write baseline.json")
    watch_all(samples, f"{check} --against baseline.json --margin 0.5")


def test_shards_that_are_merged(samples):
    shards = [f"embed human.jsonl --shard {i}/2 --out shards" for i in (1, 2)]
    watch_all(samples, *shards, "merge shards")


def test_an_experiment(tmp_path):
    write_example(tmp_path)
    (tmp_path / "study.toml").write_text(EXPERIMENT)
    watch_all(tmp_path, "experiment run study.toml --out run", "experiment status run")


def test_a_study_without_its_server(samples):
    # A server listens; that its pages load nothing from elsewhere is tested in tests/study.
    with open(samples / "human.jsonl") as file:
        texts = [json.loads(line)["text"] for line in file]
    for name in ("people", "program"):
        lines = [json.dumps({"prompt": text[:40], "text": text[::-1]}) for text in texts]
        (samples / f"{name}.jsonl").write_text("\n".join(lines))
    create = "study create study.sqlite people.jsonl program.jsonl"
    options = "--min-tokens 1 --all-prompts --ratings-per-pair 5"
    watch_all(samples, f"{create} {options}", "study status study.sqlite")


def test_every_command_is_watched():
    elsewhere = {"show", "check", "merge", "experiment", "study"}
    watched = {command[0] for command in (*COMMANDS, *PICTURES)} | elsewhere
    assert watched >= set(typer.main.get_command(app).commands)


def test_nothing_is_looked_up_later(samples):
    # ONNX Runtime looks up its host nine seconds after it was imported.
    program = "import time, mauve; mauve.get_embedder('bundled').embed(['a text']); time.sleep(12)"
    Watched(samples, "-c", program).assert_offline()


@pytest.mark.parametrize("home", ["/proc/nonexistent", "a file"])
def test_a_home_folder_that_cannot_be_written(samples, home):
    # Neither can be written by root either.
    home = str(samples / "human.jsonl") if home == "a file" else home
    command = ["compare", *TEXTS, *QUICK, "--report", "r.html"]
    done = Watched(samples, "-m", "mauve", *command, home=home)
    assert (done.code, done.network) == (0, [])
    assert "\nmodel " in done.out
    lines = done.err.splitlines()
    assert all(line.startswith(("warning: ", "note: ", "report: ")) for line in lines), done.err
    assert sum("features are computed and not kept" in line for line in lines) == 1
    again = Watched(samples, "-m", "mauve", "cache", "info", home=home)
    assert again.code in (0, 1)
    assert len(again.err.splitlines()) == again.code


def test_the_watch_sees_connections_and_files(samples):
    program = (
        "import pathlib, socket, tempfile; pathlib.Path.home().joinpath('left').write_text('x'); "
        "open(tempfile.mkstemp()[1], 'w'); "
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(('127.0.0.1', 9))"
    )
    done = Watched(samples, "-c", program, TMPDIR="/tmp")
    assert any("connect(" in call for call in done.network)
    assert [path.parent for path in done.left] == [Path("/tmp")]
    assert done.kept == {"left"}


@pytest.mark.parametrize(("value", "kept"), [(None, "1"), ("", "1"), ("0", "0")])
def test_a_value_of_the_user_is_kept(value, kept):
    env = ENV if value is None else ENV | {"ORT_DISABLE_TELEMETRY": value}
    program = "import os, mauve; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env
    )
    assert done.stdout == f"{kept}\n"
