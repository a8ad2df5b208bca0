"""Shards that are embedded apart are checked and merged."""

import json
import os
import resource

import numpy as np
import pytest

import mauve
from mauve.embed.feature_files import read_features
from mauve.engine import embedding, sources
from mauve.engine.embedding import embed_shard, merge_shards, owner
from mauve.engine.sources import Preparation, find_sample
from mauve.engine.stages import EmbedderChoice
from mauve.errors import InvalidParameterError, OutputError

WORDS = ["rain", "sun", "wind", "snow", "cloud"]
QUICK = {"n_clusterings": 4, "n_permutations": 0, "num_buckets": 5}
pytestmark = pytest.mark.filterwarnings("ignore::mauve.MauveWarning")


def embedder(texts):
    return [[text.count(letter) for letter in "abcdefghinorstuw"] for text in texts]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PART_ROWS", 20)
    rng = np.random.default_rng(0)
    for i in range(3):
        texts = [" ".join(rng.choice(WORDS, size=6)) for _ in range(50)]
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        (tmp_path / f"{i}.jsonl").write_text(lines)
    return tmp_path / "*.jsonl"


def embed(files, folder, shard, n_shards, **preparation):
    sample = find_sample("texts", files, Preparation(**preparation))
    return embed_shard(
        sample,
        folder,
        shard,
        n_shards,
        embedder=EmbedderChoice(embedder, {}),
        unreadable="warn",
        on_progress=lambda *_: None,
    )


@pytest.mark.parametrize("n_shards", [1, 2, 7])
def test_any_number_of_shards_gives_the_same(files, tmp_path, n_shards):
    done = [embed(files, tmp_path / "out", i, n_shards) for i in reversed(range(n_shards))]
    assert sum(shard.n_texts for shard in done) == 150
    merged = merge_shards(tmp_path / "out")
    assert (merged.n_texts, merged.n_files) == (150, 9)
    lines = [line for i in range(3) for line in (tmp_path / f"{i}.jsonl").read_text().splitlines()]
    texts = [json.loads(line)["text"] for line in lines]
    paths = sorted((tmp_path / "out").glob("*.safetensors"))
    rows = np.concatenate([read_features(path)[0] for path in paths])
    assert rows.tolist() == embedder(texts)
    streamed = mauve.compare_files(tmp_path / "out", tmp_path / "out", **QUICK)["model"]
    assert streamed.n_human == 150
    assert streamed.mauve == mauve.compare(rows, rows, **QUICK)["model"].mauve
    assert streamed.signature.split("|")[1] == f"emb:{merged.origin}"


def test_every_part_has_one_owner():
    for n_pieces, n_shards in [(1, 4), (3, 2), (10, 10)]:
        owners = {owner(piece, part, n_pieces, n_shards) for piece in range(n_pieces)
                  for part in range(4)}  # fmt: skip
        assert owners == set(range(n_shards))


def test_what_is_done_is_not_embedded_again(files, tmp_path):
    assert embed(files, tmp_path / "out", 0, 2).n_new == 100
    assert embed(files, tmp_path / "out", 0, 2).n_new == 0
    part = tmp_path / "out" / ".shards" / "000002-000001.shard"
    part.unlink()
    assert embed(files, tmp_path / "out", 0, 2).n_new == 20


def test_a_missing_shard_is_named(files, tmp_path):
    embed(files, tmp_path / "out", 0, 2)
    with pytest.raises(InvalidParameterError, match=r"1\.jsonl.*--shard 2/2"):
        merge_shards(tmp_path / "out")
    with pytest.raises(InvalidParameterError, match="mauve merge"):
        mauve.compare_files(tmp_path / "out", tmp_path / "out", **QUICK)


def test_a_truncated_shard_is_named(files, tmp_path):
    embed(files, tmp_path / "out", 0, 1)
    cut = tmp_path / "out" / "000001-000002.safetensors"
    os.truncate(cut, 100)
    with pytest.raises(InvalidParameterError, match=r"000001-000002\.safetensors.* It has 100"):
        merge_shards(tmp_path / "out")
    cut.unlink()
    with pytest.raises(InvalidParameterError, match=r"000001-000002\.safetensors.* missing"):
        merge_shards(tmp_path / "out")


def test_a_full_disk_is_named_and_what_is_done_is_reused(files, tmp_path):
    """The features of a part of 20 texts have 1.4 kB, those of the last part of a file less."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        with pytest.raises(OutputError, match=r"000000-000000\.safetensors' .*: make space"):
            embed(files, tmp_path / "out", 0, 1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not [*(tmp_path / "out").iterdir()]
    assert embed(files, tmp_path / "out", 0, 1).n_new == 150


def test_changed_input_is_named(files, tmp_path):
    embed(files, tmp_path / "out", 0, 1)
    with (tmp_path / "1.jsonl").open("a") as file:
        file.write('{"text": "more"}\n')
    with pytest.raises(InvalidParameterError, match=r"state .* and not"):
        embed(files, tmp_path / "out", 0, 1)


def test_other_settings_and_versions_are_named(files, tmp_path, monkeypatch):
    embed(files, tmp_path / "out", 0, 2)
    with pytest.raises(InvalidParameterError, match="shards 2 and not 3"):
        embed(files, tmp_path / "out", 0, 3)
    monkeypatch.setattr(embedding, "version", lambda name: "99")
    embed(files, tmp_path / "out", 1, 2)
    with pytest.raises(InvalidParameterError, match="differ in version"):
        merge_shards(tmp_path / "out")


def test_a_file_in_place_of_a_folder(files, tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(InvalidParameterError, match="out' must be a folder"):
        embed(files, tmp_path / "out", 0, 1)


def test_a_folder_without_shards(tmp_path):
    with pytest.raises(InvalidParameterError, match="It has no markers"):
        merge_shards(tmp_path)
