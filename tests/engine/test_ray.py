"""On Ray the scores are those of one machine, also when machines are lost."""

import socket
import warnings

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError, MauveError

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

QUICK = {"n_clusterings": 6, "n_permutations": 20, "num_buckets": 10, "progress": False}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::mauve.MauveWarning"),
    # Ray leaves sockets and files to the end of the process, and warns of its own interfaces.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster():
    """Three machines with four cores beside the head, which has none."""
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False}
    )
    nodes = [cluster.add_node(num_cpus=cores) for cores in (2, 1, 1)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    cluster.wait_for_nodes()
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Human texts and a system's, in six files each."""
    folder = tmp_path_factory.mktemp("texts")
    rng = np.random.default_rng(0)
    for name, letters in {"human": "abcdefgh", "model": "abcdefff"}.items():
        for i in range(6):
            lines = ["".join(rng.choice([*letters, " "], size=30)) + "." for _ in range(60)]
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


def test_no_cluster_at_the_address(texts):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    if ray.is_initialized():
        ray.shutdown()
    with pytest.raises(MauveError, match=f"Ray cluster at the address '{address}'. None answers"):
        mauve.compare_files(*texts, engine="ray", address=address, **settings())
