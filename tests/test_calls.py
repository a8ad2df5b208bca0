"""Messages name the function or command that was called, and options as the user writes them."""

import threading
from dataclasses import dataclass

import numpy as np
import pytest

import mauve
from mauve.calls import Command, called, command_line, either, has_option, option, parameter
from mauve.errors import InvalidParameterError
from mauve.quantize.lattice import Lattice
from mauve.threads import parallel_map

FLAGS = {"seed": "--seed", "human": "HUMAN", "strip": "--strip", "no_cache": "--no-cache"}
COMMAND = Command("mauve compare", FLAGS)


@pytest.fixture
def features():
    return np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)


class TestPython:
    def test_the_function_is_the_one_that_was_called(self, features, tmp_path):
        with pytest.raises(InvalidParameterError, match=r"'seed' parameter of compare must"):
            mauve.compare(features, features, seed=-1)
        with pytest.raises(InvalidParameterError, match=r"'seed' parameter of measure must"):
            mauve.measure(features, features, "frechet", seed=-1)
        with pytest.raises(InvalidParameterError, match=r"'seed' parameter of report must"):
            mauve.report(features, features, tmp_path / "report.html", seed=-1)
        with pytest.raises(InvalidParameterError, match=r"'quantizer' .* of compute_mauve must"):
            mauve.compute_mauve(features, features, quantizer="foo")

    def test_what_a_method_rejects_may_belong_to_the_class(self, features):
        with pytest.raises(InvalidParameterError, match=r"'epochs' parameter of Lattice must"):
            Lattice(epochs=0)
        with pytest.raises(InvalidParameterError, match=r"'device' parameter of Lattice must"):
            Lattice(device="nowhere", batch_size=10).fit(features, 744, np.random.default_rng(0))

    def test_code_of_the_user_is_not_named(self):
        def compare(seed):
            return called(), parameter("seed"), has_option("seed")

        assert compare(1) == ("mauve", "'seed'", False)

    def test_a_function_that_the_user_passes_may_call_the_package(self, features):
        def embed(texts):
            assert called() == "compare"
            return mauve.get_embedder("bundled", max_length=0).embed(texts).features

        with pytest.raises(InvalidParameterError, match="'max_length' parameter of get_embedder"):
            mauve.compare(["a text"] * 20, ["a text"] * 20, embedder=embed)

    def test_keywords_in_options_count(self):
        with pytest.raises(InvalidParameterError, match="'pooling' parameter of get_embedder"):
            mauve.get_embedder("bundled", pooling="no")

    def test_worker_threads_know_the_call(self, features):
        @dataclass(frozen=True)
        class Odd:
            signature = "odd"

            def fit(self, features, num_buckets, rng):
                assert threading.current_thread() is not threading.main_thread()
                return self

            def assign(self, features):
                return np.full(len(features), 99)

        with pytest.raises(InvalidParameterError, match="'quantizer' parameter of compare must"):
            mauve.compare(features, features[::-1], quantizer=Odd(), num_buckets=3)


class TestCommandLine:
    def test_flags_take_the_place_of_parameters(self):
        with command_line(COMMAND):
            assert called() == "mauve compare"
            assert parameter("seed") == "--seed"
            assert parameter("human", "seed") == "HUMAN and --seed"
            assert option("seed", 3) == "--seed 3"
            assert option("cache", False) == "--no-cache"
            assert has_option("strip")
            assert either("spec", "human") == "human"
        assert option("seed", 3) == "seed=3"

    def test_a_parameter_without_a_flag_is_quoted_and_of_no_function(self, features):
        with (
            command_line(COMMAND),
            pytest.raises(InvalidParameterError, match=r"^'scaling' must be"),
        ):
            mauve.compare(features, features, scaling=-1)

    def test_worker_threads_know_the_command(self):
        with command_line(COMMAND):
            assert parallel_map(lambda _: parameter("seed"), range(3)) == ["--seed"] * 3
