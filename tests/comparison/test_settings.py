"""Signatures of comparisons."""

import pytest
from ranked_clouds import QUICK, clouds

import mauve
from mauve import compare
from mauve.comparison.settings import format_signature, parse_signature
from mauve.hashes import digest_hashes, feature_hashes
from mauve.quantize.kmeans import KMeans


class TestSignature:
    def test_names_every_setting(self):
        human, systems = clouds(4)
        result = compare(
            human,
            systems["near"][:120],
            num_buckets=9,
            n_clusterings=10,
            scaling=2.5,
            quantizer=KMeans(n_restarts=2),
            estimator="laplace",
            explained_variance=0.8,
            order="pca-norm",
            seed=7,
            n_permutations=0,
        )["model"]
        parts = dict(part.split(":", 1) for part in result.signature.split("|"))
        assert parts["mauve"] == mauve.__version__
        assert parts["emb"] == "features-4"
        assert parts["reduce"] == "pca-norm-0.8"
        assert parts["quant"].startswith("kmeans:best-of-2")
        assert parts["k"] == "9"
        assert parts["fit"] == "pair-72x10"
        assert parts["c"] == "2.5"
        assert parts["est"] == "laplace"
        assert parts["human"] == digest_hashes(feature_hashes(human))
        assert "joint" not in parts
        assert parts["n"] == "150+120"
        assert parts["seed"] == "7"

    def test_joint_clusterings_have_a_checksum_of_all_texts(self):
        human, systems = clouds(4)
        parts = parse_signature(
            compare(human, systems, clustering="joint", **QUICK)["near"].signature
        )
        assert parts["fit"] == "2of5x5"
        assert len(parts["joint"]) == 8

    @pytest.mark.slow
    def test_what_does_not_change_the_score_is_left_out(self, comparison):
        human, systems = clouds(0)
        other = compare(
            human, systems, confidence=0.5, **{**QUICK, "n_permutations": 3}, interval="bootstrap"
        )
        assert other["near"].mauve == comparison["near"].mauve
        assert other["near"].signature == comparison["near"].signature


class TestParse:
    def test_reads_what_was_written(self, comparison):
        signature = comparison["near"].signature
        assert format_signature(parse_signature(signature)) == signature

    def test_values_may_hold_colons(self):
        assert parse_signature("emb:http://a:80/v1|k:5") == {"emb": "http://a:80/v1", "k": "5"}
