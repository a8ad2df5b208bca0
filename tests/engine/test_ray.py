"""On Ray the scores are those of one machine, also when machines are lost."""

import socket
import socketserver
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests are no package

from ray_clusters import IGNORED, ray, ray_cluster

import mauve
from mauve.engine import ray_engine
from mauve.engine.limiting import draw_files
from mauve.errors import InvalidParameterError, MauveError, OutputError

QUICK = {"n_clusterings": 6, "n_permutations": 20, "num_buckets": 10, "progress": False}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::mauve.MauveWarning"),
    *IGNORED,
]


@pytest.fixture(scope="module")
def cluster():
    """Three machines with four cores, the first of them the head."""
    # Processes that wait are kept for the next test.
    with ray_cluster(2, num_workers_soft_limit=8) as started:
        yield started


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Human texts and a system's, in four files each."""
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(0)
    for name, letters in {"human": "abcdefgh", "model": "abcdefff"}.items():
        for i in range(4):
            lines = ["".join(rng.choice([*letters, " "], size=30)) + "." for _ in range(40)]
            (folder / f"{name}-{i}.txt").write_text("\n".join(lines) + "\n")
    return str(folder / "human-*.txt"), str(folder / "model-*.txt")


def embedder_of(seconds):
    """Return an embedder that takes some seconds, and travels to other processes whole."""

    def letters(texts):
        import time

        time.sleep(seconds)
        return [[text.count(letter) for letter in "abcdefgh "] for text in texts]

    return letters


def settings(seconds=0.0):
    return {**QUICK, "embedder": embedder_of(seconds), "unreadable": "warn"}


@pytest.fixture(scope="module")
def on_one_machine(texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mauve.compare_files(*texts, **settings())


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_same(cluster, texts, on_one_machine, workers):
    assert mauve.compare_files(*texts, engine="ray", workers=workers, **settings()) == (
        on_one_machine
    )


def test_an_error_of_a_text_is_the_one_of_one_machine(cluster, texts, tmp_path):
    (tmp_path / "bad.txt").write_text("one\n" * 20 + "\n" + "two\n")
    with pytest.raises(InvalidParameterError, match=r"bad\.txt.* blank lines"):
        mauve.compare_files(texts[0], str(tmp_path / "bad.txt"), engine="ray", **settings())


def test_an_error_of_an_embedder_is_told(cluster, texts):
    def fails(texts):
        if len(texts) > 40:  # the drawn ones, in this process
            return [[text.count(letter) for letter in "abcdefgh "] for text in texts]
        raise RuntimeError("no such model")

    with pytest.raises(MauveError, match=r"machine .*RuntimeError: no such model.* run") as told:
        mauve.compare_files(*texts, engine="ray", workers=1, **settings() | {"embedder": fails})
    assert "in fails" in told.value.__notes__[0]


def test_a_piece_that_ends_its_process_is_given_up(cluster, texts, monkeypatch):
    """As one does that needs more memory than there is; Ray itself would try for ever."""

    def ends(texts):
        import os

        if len(texts) <= 40:  # not the drawn ones, which this process embeds
            os._exit(1)
        return [[text.count(letter) for letter in "abcdefgh "] for text in texts]

    monkeypatch.setattr(ray_engine, "RETRIES", 2)
    with pytest.raises(MauveError, match=r"Ray could not finish the work .* short of memory"):
        mauve.compare_files(*texts, engine="ray", workers=1, **settings() | {"embedder": ends})


def test_a_folder_that_takes_no_files_is_named(cluster, texts, tmp_path):
    (tmp_path / "hashes-1").symlink_to("/proc/self")
    with pytest.raises(OutputError, match=r"shard '.*hashes-1.00000\d-000000\.shard' cannot be wr"):
        mauve.compare_files(*texts, engine="ray", folder=tmp_path, **settings())


def test_a_limit_draws_the_same_texts(cluster, texts):
    files = dict(zip(("human", "model"), texts, strict=True))
    here, there = (
        draw_files(files, 50, engine=engine, progress=False) for engine in ("disk", "ray")
    )
    for name in files:
        assert there[name].values == here[name].values
        assert there[name].drawn.tolist() == here[name].drawn.tolist()


def test_machines_that_are_lost_cost_their_shards_alone(cluster, texts, on_one_machine, tmp_path):
    """One is killed while texts are embedded, and another one while results are merged."""
    machines, nodes = cluster
    killed = []

    def kill(step, done, total):
        if step in ("assigning", "merging") and done == 2 and step not in killed:
            killed.append(step)
            machines.remove_node(nodes.pop(), allow_graceful=False)

    comparison = mauve.compare_files(
        *texts, engine="ray", folder=tmp_path / "work", **{**settings(0.3), "progress": kill}
    )
    assert killed == ["assigning", "merging"]
    assert comparison == on_one_machine


def test_the_address_of_a_cluster_is_one(cluster):
    machines, _ = cluster
    ray_engine.check_address(machines.address)


def test_another_version_on_a_machine_is_named(cluster, texts, monkeypatch):
    monkeypatch.setattr(ray_engine, "version", lambda name: "99")
    with pytest.raises(MauveError, match=r"All machines must have mauve-eval 99, .* has [0-9.]+"):
        mauve.compare_files(*texts, engine="ray", **settings())


class Silent(socketserver.BaseRequestHandler):
    """Answers in another language than Ray."""

    def handle(self):
        self.request.recv(100)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_clients_outside_of_the_cluster_are_refused(texts):
    with pytest.raises(InvalidParameterError, match=r"'address' .*ray://a:1.* ray job submit"):
        mauve.compare_files(*texts, engine="ray", address="ray://a:1", **settings())


def test_what_is_no_ray_is_named(texts):
    """Ray itself would wait for minutes."""
    if ray.is_initialized():
        ray.shutdown()
    with socketserver.TCPServer(("127.0.0.1", 0), Silent) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = "{}:{}".format(*server.server_address)
        with pytest.raises(InvalidParameterError, match=r"None can be used \(what answers is no"):
            mauve.compare_files(*texts, engine="ray", address=address, **settings())
        server.shutdown()


def test_no_cluster_at_the_address(texts):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    if ray.is_initialized():
        ray.shutdown()
    with pytest.raises(MauveError, match=f"Ray cluster at the address '{address}'. None can be"):
        mauve.compare_files(*texts, engine="ray", address=address, **settings())
