"""``mauve domains``: each domain as if compared alone, the mean, JSON, and errors in one line."""

import json
import random

import pytest
from running import invoke

pytestmark = pytest.mark.slow

WORDS = {
    "sea": "the old ship sailed over a grey sea in the storm at night with all hands",
    "bread": "knead flour and water for the dough then bake it in a hot oven until brown",
}
QUICK = ["--n-permutations", "0", "--n-clusterings", "5"]


def write(path, kinds, seed, extra=""):
    rng = random.Random(seed)
    with path.open("w") as file:
        for i in range(60 * len(kinds)):
            kind = kinds[i % len(kinds)]
            text = " ".join(rng.choices(WORDS[kind].split(), k=12)) + extra
            file.write(json.dumps({"text": text, "kind": kind, "prompt": f"p{i // 4}"}) + "\n")


@pytest.fixture
def files(tmp_path):
    write(tmp_path / "human.jsonl", ["sea", "bread"], 0)
    write(tmp_path / "a.jsonl", ["bread", "sea"], 1, " again and again")
    write(tmp_path / "b.jsonl", ["sea"], 2)
    write(tmp_path / "sea.jsonl", ["sea"], 0)
    return tmp_path


def test_a_row_for_each_system_and_a_column_for_each_domain(files):
    paths = [files / f"{name}.jsonl" for name in ("human", "a", "b")]
    done = invoke("domains", *paths, "--by", "kind", *QUICK)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.split()[:4] == ["system", "sea", "bread", "mean"]
    lines = [line.split() for line in done.stdout.splitlines()]
    assert "its mean is that of its own domains" in " ".join(done.stdout.split())
    assert "classifier" in next(line for line in lines if line[:2] == ["domain", "system"])
    of_domains = [line[:2] for line in lines if len(line) > 5 and line[0] in WORDS]
    assert sorted(of_domains) == [["bread", "a"], ["sea", "a"], ["sea", "b"]]
    assert max(map(len, done.stdout.partition("\nsignature")[0].splitlines())) <= 80
    assert "warning: sea: " in done.stderr
    as_dict = json.loads(invoke("domains", *paths, "--by", "kind", *QUICK, "--json").stdout)
    assert as_dict["by"] == "kind"
    assert as_dict["means"]["b"]["domains"] == ["sea"]
    scores = {
        (domain, result["name"]): result["mauve"]
        for domain, each in as_dict["domains"].items()
        for result in each["results"]
    }
    assert as_dict["means"]["a"]["mauve"] == pytest.approx(
        (scores["sea", "a"] + scores["bread", "a"]) / 2
    )
    assert scores["sea", "a"] < scores["sea", "b"]
    alone = files / "sea_of_human.jsonl"
    lines = [line for line in paths[0].read_text().splitlines(True) if '"sea"' in line]
    alone.write_text("".join(lines))
    by_hand = json.loads(invoke("compare", alone, paths[2], *QUICK, "--json").stdout)
    assert by_hand["results"][0]["mauve"] == scores["sea", "b"]


def test_tables_and_prompts(files):
    paths = [files / f"{name}.jsonl" for name in ("human", "a")]
    done = invoke("domains", *paths, "--by", "kind", "--by-prompt", *QUICK, "--quiet", "--latex")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(r"\begin{tabular}")
    done = invoke("domains", *paths, "--by", "kind", *QUICK, "--markdown")
    assert done.stdout.startswith("| system | sea | bread | mean |")


def test_errors_are_one_line(files):
    human, a = files / "human.jsonl", files / "a.jsonl"
    done = invoke("domains", human, a)
    assert (done.exit_code, "--by" in done.stderr) == (2, True)
    done = invoke("domains", human, a, "--by", "colour")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "--by must be a field of all samples" in done.stderr
    done = invoke("domains", human, a, "--by", "kind", "--prompts", human)
    assert done.exit_code == 2
    assert "--by-prompt" in done.stderr
    write(files / "few.jsonl", ["sea"], 5)
    (files / "few.jsonl").write_text((files / "few.jsonl").read_text().splitlines()[0] + "\n")
    done = invoke("domains", files / "sea.jsonl", files / "few.jsonl", "--by", "kind", *QUICK)
    assert done.exit_code == 1
    assert done.stderr.startswith("error: sea: ")
