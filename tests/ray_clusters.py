"""A cluster of Ray with several machines, each some processes on this one."""

from contextlib import contextmanager

import pytest

ray = pytest.importorskip("ray")
cluster_utils = pytest.importorskip("ray.cluster_utils")

#: Ray leaves sockets and files to the end of the process, and warns of its own interfaces.
IGNORED = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@contextmanager
def ray_cluster(head_cores, **system):
    """Start a head and two machines with a core each; yield the cluster and the machines."""
    # A machine that is dead is noticed after 5 seconds in place of 15, one that is slow not sooner.
    noticed = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 1000,
        "health_check_failure_threshold": 5,
        "health_check_timeout_ms": 3000,
    }
    head = {
        "num_cpus": head_cores,
        "include_dashboard": False,
        "_system_config": noticed | system,
    }
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    cluster.wait_for_nodes()
    yield cluster, nodes
    ray.shutdown()
    cluster.shutdown()
