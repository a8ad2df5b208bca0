"""On Ray an experiment has the results of one process, also when a machine is lost."""

import re
import shutil
import sys
import warnings
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))  # tests are no package

from ray_clusters import IGNORED, ray_cluster
from small_study import STEPS, change, start

from mauve.errors import InvalidParameterError
from mauve.experiment.directory import Directory
from mauve.experiment.on_ray import wait_for_record
from mauve.experiment.run import run_experiment
from mauve.experiment.steps import Step

pytestmark = IGNORED


@pytest.fixture(scope="module")
def cluster():
    """Two machines with a core each beside the head, which has none."""
    with ray_cluster(0) as started:
        yield started


def on_ray(config, folder, progress=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_experiment(config, folder, engine="ray", progress=progress)


@pytest.mark.slow
def test_a_machine_that_is_lost_costs_its_steps_alone(cluster, finished, study, tmp_path):
    machines, nodes = cluster

    def kill(step, done, total):
        if done == 8 and len(nodes) == 2:
            machines.remove_node(nodes.pop(), allow_graceful=False)

    finished_here = on_ray(study, tmp_path / "run", progress=kill)
    assert len(nodes) == 1
    assert sum(STEPS.values()) - 1 <= finished_here.n_done <= sum(STEPS.values())  # one twice
    expected = (finished[1] / "results.json").read_bytes()
    assert (tmp_path / "run" / "results.json").read_bytes() == expected
    assert [*(tmp_path / "run" / "claims").iterdir()] == []
    assert on_ray(study, tmp_path / "run").n_done == 0


@pytest.mark.slow
def test_a_change_is_computed_beside_another_process(cluster, finished, tmp_path):
    config, run = finished
    shutil.copytree(config.parent, tmp_path / "copy")
    config, run = tmp_path / "copy" / config.name, tmp_path / "copy" / run.name
    change(config, "seeds = [0, 1]", "seeds = [0, 1, 2]")
    other = start(config, run)
    here = on_ray(config, run).n_done
    said = other.communicate(timeout=60)[1]
    of_other = re.search(r"note: (?:(\d+) of \d+ steps done now|nothing)", said)
    assert here + int(of_other[1] or 0) == 8  # 1 generate, 2 embed, 3 score, 2 measure


@pytest.mark.slow
def test_an_error_of_a_step_is_the_one_of_one_process(cluster, study, tmp_path):
    change(study, "n = 30", "n = 300")
    with pytest.raises(InvalidParameterError, match=r"line 4: 'texts.n' must be at most \d+"):
        on_ray(study, tmp_path / "run")
    assert not [*(tmp_path / "run").glob("samples/*")]


@pytest.mark.slow
def test_a_model_without_the_decoder_is_found_first(cluster, study, tmp_path):
    change(study, '"ancestral"', '"contrastive:k=4,alpha=0.6"')
    with pytest.raises(InvalidParameterError, match=r"line \d+: the model 'n-gram' does not have"):
        on_ray(study, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_folder_that_a_machine_does_not_see(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"All machines .* must see .*read texts human"):
        wait_for_record(Directory(tmp_path), Step("read", "human", {}), seconds=0.1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"engine": "disk"}, "engine"),
        ({"workers": 2}, "workers.* left out unless engine='ray'"),
        ({"address": "auto"}, "address.* left out unless engine='ray'"),
        ({"engine": "ray", "workers": 0}, "workers"),
        ({"engine": "ray", "workers": 2, "address": "auto"}, "left out with an address"),
    ],
)
def test_settings_that_do_not_fit(study, tmp_path, settings, message):
    with pytest.raises(InvalidParameterError, match=message):
        run_experiment(study, tmp_path / "run", **settings)
