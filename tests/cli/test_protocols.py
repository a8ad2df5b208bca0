"""``mauve protocols``, and ``mauve compare --protocol``."""

import json

import numpy as np
import pytest
from running import invoke

LAB = """
title = "Ours"
source = "our paper"
[samples]
texts = 100
min_texts = 20
[score]
num_buckets = 10
[report]
measures = "frechet"
"""


def test_protocols_are_listed_with_their_sources():
    done = invoke("protocols")
    assert done.exit_code == 0
    assert done.stdout.startswith("paper-2021: The MAUVE paper")
    assert "k = n/10, c = 5, seed 0, 1, 2, 3, 4" in done.stdout
    listed = json.loads(invoke("protocols", "--json").stdout)
    assert [each["name"] for each in listed][-1] == "default"
    assert listed[4]["samples"]["words"] == 100


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    for name, shift in (("human", 0), ("model", 0.5)):
        np.save(tmp_path / f"{name}.npy", rng.normal(size=(100, 4)) + shift)
    (tmp_path / "lab.toml").write_text(LAB, encoding="utf-8")
    return [str(tmp_path / name) for name in ("human.npy", "model.npy", "lab.toml")]


def test_a_score_by_a_protocol_stands_beside_ours(files):
    human, model, lab = files
    done = invoke("compare", human, model, "--protocol", lab)
    assert done.exit_code == 0
    head, _, row = done.stdout.splitlines()[:3]
    assert "MAUVE as in lab" in head
    assert "95% interval" in head
    assert row.startswith("model")
    recipe = done.stdout.splitlines()[-1]  # in one line, to copy
    assert recipe.startswith("MAUVE (Pillutla et al., 2021) was computed by the protocol 'lab'")
    assert "(our paper), with given features" in recipe
    assert "plug-in score of the authors' package" in done.stdout
    quiet = invoke("compare", human, model, "--protocol", lab, "--quiet").stdout
    assert "plug-in" not in quiet
    assert quiet.splitlines()[-1] == recipe

    as_dict = json.loads(invoke("compare", human, model, "--protocol", lab, "--json").stdout)
    assert 0 < as_dict["reported"]["model"]["mauve"] < 1
    assert as_dict["comparison"]["results"][0]["interval"]
    with_measures = invoke(
        "compare", human, model, "--protocol", lab, "--measures", "frechet", "--markdown"
    )
    assert with_measures.stdout.startswith("| system |")


def test_what_a_protocol_fixes_cannot_be_given(files):
    human, model, lab = files
    for flags in (
        ["--num-buckets", "5"],
        ["--strip"],
        ["--n-permutations", "9"],
        ["--limit", "50"],
    ):
        done = invoke("compare", human, model, "--protocol", lab, *flags)
        assert done.exit_code == 1
        assert f"{flags[0]} must be left out with --protocol" in done.stderr
    done = invoke("compare", human, model, "--protocol", "papr")
    assert done.exit_code == 1
    assert "--protocol must be one of paper-2021" in done.stderr


def test_no_warning_advises_what_a_protocol_refuses(tmp_path):
    rng = np.random.default_rng(0)
    words = ["rain", "wind", "snow", "sun", "cloud", "storm", "road", "house", "garden"]
    texts = [" ".join(rng.choice(words, size=20)).capitalize() + "." for _ in range(120)]
    spaced = [text.replace(" ", "\n\n", 1) for text in reversed(texts)]
    lab = tmp_path / "lab.toml"
    lab.write_text(LAB.replace("min_texts = 20", "min_texts = 20\ntokens = 40"), encoding="utf-8")
    paths = []
    for name, sample in (("human", texts), ("model", spaced)):
        paths.append(str(tmp_path / f"{name}.json"))
        (tmp_path / f"{name}.json").write_text(json.dumps(sample), encoding="utf-8")
    options = ["--embedder", "bundled", "--no-cache"]
    done = invoke("compare", *paths, *options, "--protocol", str(lab))
    assert done.exit_code == 0, done.stderr
    assert "blank line" in done.stderr
    assert "--normalize" not in done.stderr
    assert "--normalize" in invoke("compare", *paths, *options, "--n-permutations", "0").stderr
