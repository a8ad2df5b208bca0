"""The manifest of a Ray job on Kubernetes can be read, and its command exists."""

import shlex
import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests are no package

from pages import ROOT, check_command


def test_the_manifest_has_the_command_of_a_ray_job():
    job = yaml.safe_load((ROOT / "deploy" / "kuberay.yaml").read_text("utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    command = job["spec"]["entrypoint"]
    assert shlex.split(command)[:2] == ["mauve", "compare"]
    check_command(command)
    [workers] = job["spec"]["rayClusterSpec"]["workerGroupSpecs"]
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
