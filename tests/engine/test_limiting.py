"""A limit draws from files the texts that it draws from memory."""

import json

import numpy as np
import pytest

import mauve
from mauve.engine import limiting, sources
from mauve.engine.limiting import draw_files
from mauve.errors import InvalidParameterError

QUICK = {"n_clusterings": 3, "n_permutations": 20, "num_buckets": 5}
WORDS = ["rain", "sun", "wind", "snow", "cloud", "storm"]
pytestmark = pytest.mark.filterwarnings("ignore::mauve.MauveWarning")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(sources, "PART_ROWS", 64)


def texts_of(seed, n=300, n_prompts=60):
    """Records with copies of texts, of the same and of other prompts."""
    rng = np.random.default_rng(seed)
    return [
        {
            "text": " ".join(rng.choice(WORDS, size=3)) + ".",
            "prompt": f"Say {rng.integers(n_prompts)}",
            "site": str(rng.choice(["a.org", "b.org"])),
        }
        for _ in range(n)
    ]


def write(folder, name, records, n_files):
    for i, part in enumerate(np.array_split(np.arange(len(records)), n_files)):
        lines = "".join(json.dumps(records[row]) + "\n" for row in part)
        (folder / f"{name}-{i}.jsonl").write_text(lines)
    return str(folder / f"{name}-*.jsonl")


def embedder(texts):
    return [[text.count(letter) for letter in "acdfhilmnorstuw"] for text in texts]


@pytest.mark.parametrize("by_prompt", [False, True])
def test_the_texts_are_those_of_memory(tmp_path, by_prompt, monkeypatch):
    """With hashes sorted in one range and in several."""
    human, model = texts_of(0), texts_of(1, n=220)
    files = {"human": write(tmp_path, "h", human, 3), "model": write(tmp_path, "m", model, 1)}
    prompts = None
    if by_prompt:
        prompts = {"human": [r["prompt"] for r in human], "model": [r["prompt"] for r in model]}
    settings = {**QUICK, "embedder": embedder, "unreadable": "warn", "seed": 3}
    whole = mauve.compare(human, model, limit=80, prompts=prompts, cache=False, **settings)
    for hash_bytes in (64, 1 << 40):
        monkeypatch.setattr(limiting, "HASH_BYTES", hash_bytes)
        monkeypatch.setattr(limiting, "LEAST_HASHES", 100)
        drawn = draw_files(files, 80, seed=3, by_prompt=by_prompt, progress=False)
        samples = whole.compared.samples
        assert {n: sorted(s.values) for n, s in drawn.items()} == {
            name: sorted(texts) for name, texts in samples.texts.items()
        }
        assert [drawn["human"].drawn.tolist()] == [samples.kept["human"].tolist()]
        assert drawn["human"].metadata["site"] == [
            human[row]["site"] for row in drawn["human"].drawn
        ]
        again = mauve.compare(
            drawn["human"],
            drawn["model"],
            prompts={name: sample.prompts for name, sample in drawn.items()} if by_prompt else None,
            cache=False,
            **settings,
        )
        assert again == whole
        assert again.compared.samples.n_given == {"human": 300, "model": 220}


def test_features_are_drawn_from_rows(tmp_path):
    rows = np.random.default_rng(0).normal(size=(700, 5)).astype(np.float32)
    rows[100:140] = rows[0]
    np.save(tmp_path / "a.npy", rows[:500])
    np.save(tmp_path / "b.npy", rows[500:])
    np.save(tmp_path / "model.npy", rows[:30] + 1)
    files = {"human": str(tmp_path / "[ab].npy"), "model": tmp_path / "model.npy"}
    drawn = draw_files(files, 200, progress=False)
    assert len(drawn["model"].values) == drawn["model"].total == 30
    again = mauve.compare(drawn["human"], drawn["model"], **QUICK)
    assert again == mauve.compare(rows, rows[:30] + 1, limit=200, **QUICK)


def test_a_second_run_reuses_hashes(tmp_path):
    files = {"human": write(tmp_path, "h", texts_of(0), 2)}
    first = draw_files(files, 50, folder=tmp_path / "work", progress=False)
    written = {p: p.stat().st_mtime_ns for p in (tmp_path / "work").rglob("*.shard")}
    assert len(written) == 6
    second = draw_files(files, 90, folder=tmp_path / "work", progress=False)
    assert {p: p.stat().st_mtime_ns for p in (tmp_path / "work").rglob("*.shard")} == written
    assert {*first["human"].drawn} < {*second["human"].drawn}
    with pytest.raises(InvalidParameterError, match="prepared"):
        draw_files(files, 50, by_prompt=True, folder=tmp_path / "work", progress=False)


def test_what_cannot_be_drawn_by_prompt(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(30))
    with pytest.raises(InvalidParameterError, match="must be texts to be drawn by prompt"):
        draw_files({"human": tmp_path / "a.npy"}, 20, by_prompt=True)
    (tmp_path / "b.txt").write_text("one\n" * 30)
    with pytest.raises(InvalidParameterError, match=r"b\.txt' must have the field 'prompt'"):
        draw_files({"human": tmp_path / "b.txt"}, 20, by_prompt=True)


def test_an_empty_text_is_refused_also_where_it_is_not_drawn(tmp_path):
    records = [*texts_of(0, n=99), {"text": ""}]
    files = {"human": write(tmp_path, "h", records, 2)}
    with pytest.raises(InvalidParameterError, match=r"h-1\.jsonl.*empty"):
        draw_files(files, 20, progress=False)
    drawn = draw_files(files, 20, empty="keep", progress=False)
    assert len(drawn["human"].values) == 20


def test_the_limit_is_checked(tmp_path):
    with pytest.raises(InvalidParameterError, match=r"'limit' .*at least 10"):
        draw_files({"human": tmp_path}, 5)
