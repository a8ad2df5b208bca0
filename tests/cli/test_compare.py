"""``mauve compare``."""

import gzip
import json
import re

import pytest
from running import QUICK, invoke, word_texts

import mauve
from mauve.cli.compare import needs_language_model
from mauve.embed.bundled import BundledEmbedder


def test_scores_are_those_of_the_library(features):
    result = invoke("compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--seed", 3, "--json")
    printed = json.loads(result.stdout)
    systems = {"good": "good.npy", "bad": "bad.npy"}
    expected = mauve.compare("human.npy", systems, n_permutations=50, n_clusterings=5, seed=3)
    assert printed == {"version": mauve.__version__, **expected.to_dict()}


def test_json_is_all_of_stdout(features):
    result = invoke("compare", "human.npy", "good.npy", "bad.npy", *QUICK, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert [r["name"] for r in json.loads(result.stdout)["results"]] == ["good", "bad"]


def test_another_quantizer(features):
    done = invoke(
        "compare", "human.npy", "good.npy", "--quantizer", "drmm", "--n-permutations", "0", "--json"
    )
    assert done.exit_code == 0, done.stderr
    assert "quant:drmm:3x3" in json.loads(done.stdout)["results"][0]["signature"]
    wrong = invoke("compare", "human.npy", "good.npy", "--quantizer", "som")
    assert wrong.exit_code == 2
    assert "must be one of kmeans, classifier, drmm, lattice" in " ".join(wrong.stderr.split())


@pytest.mark.slow
def test_markdown_and_latex(features):
    arguments = ["compare", "human.npy", "bad.npy", "g_1=good.npy", *QUICK]
    markdown = invoke(*arguments, "--markdown")
    assert markdown.exit_code == 0
    title, rule, best, worst = markdown.stdout.splitlines()
    assert title.startswith("| system | MAUVE | 95% interval |")
    assert set(rule) == {*"|-:"}
    assert best.startswith(r"| g\_1 | ")
    assert worst.startswith("| bad | ")
    latex = invoke(*arguments, "--latex", "--measures", "frechet").stdout
    assert latex.startswith(r"\begin{tabular}{l")
    assert latex.count(r"\begin{tabular}") == 2
    assert r"g\_1" in latex
    wrong = invoke(*arguments, "--latex", "--markdown")
    assert wrong.exit_code == 2
    assert "only one of --json, --markdown and --latex" in " ".join(wrong.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("more", [[], ["--quiet"], ["--json"]])
def test_of_forty_systems_the_neighbours_in_the_ranking_are_compared(features, more):
    systems = [f"system{i:02}={'good' if i % 2 else 'bad'}.npy" for i in range(40)]
    result = invoke("compare", "human.npy", *systems, *QUICK, "--plot", "curves.png", *more)
    assert (result.exit_code, result.stderr) == (0, "")
    if "--json" in more:
        assert len(json.loads(result.stdout)["differences"]) == 780
        return
    rows = re.findall(r"^(system\d\d) +(system\d\d) ", result.stdout, re.M)
    assert len(rows) == 39
    assert [higher for higher, _ in rows[1:]] == [lower for _, lower in rows[:-1]]
    legend = "Of 780 pairs the 39 neighbours in the ranking are shown; --json has all."
    assert (legend in " ".join(result.stdout.split())) == ("--quiet" not in more)


@pytest.mark.parametrize("more", [[], ["--quiet"]])
def test_the_legend_defines_every_symbol_of_the_tables(features, more):
    printed = " ".join(invoke("compare", "human.npy", "good.npy", *QUICK, *more).stdout.split())
    for definition in (
        "system's texts Q", "human text P", "mixture R", "n is the number of texts",
        "Classifier is MAUVE in the buckets of a classifier", "The ceiling is", "p (= human) is",
    ):  # fmt: skip
        assert (definition in printed) == (not more)
    assert "p (Holm)" not in printed, "one system has no pairs"


def test_measures_with_a_language_model():
    assert needs_language_model("zipf,perplexity")
    assert needs_language_model("all")
    assert not needs_language_model("text,features,model")


# Files of texts


@pytest.mark.slow
def test_files_of_texts(text_folder):
    done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK)
    assert done.exit_code == 0
    assert "against 120 human texts" in done.stdout
    assert f"emb:{BundledEmbedder().signature}" in done.stdout


@pytest.mark.slow
def test_other_formats_give_the_same_score(text_folder):
    (text_folder / "human.txt").write_text("\n".join(word_texts(0)) + "\n")
    (text_folder / "model.csv.gz").write_bytes(
        gzip.compress(("text\n" + "\n".join(word_texts(1)) + "\n").encode())
    )
    jsonl = invoke("compare", "human.jsonl", "model.jsonl", "--json", *QUICK)
    other = invoke("compare", "human.txt", "model.csv.gz", "--json", *QUICK)
    piped = invoke(
        "compare", "human.txt", "model=-", "--json", *QUICK,
        stdin=(text_folder / "model.jsonl").read_text(),
    )  # fmt: skip
    scores = [json.loads(done.stdout)["results"][0] for done in (jsonl, other, piped)]
    assert scores[0] == scores[1] == scores[2]
    assert scores[0]["name"] == "model"
    assert scores[0]["form"]["findings"] == []


@pytest.mark.slow
def test_features_of_embed_give_about_the_same_score(text_folder):
    # Texts are assigned to blocks by a hash of the text or of its features, so the clusterings
    # differ, as with another seed.
    for name in ("human", "model"):
        assert invoke("embed", f"{name}.jsonl", "-o", f"{name}.npy").exit_code == 0
    of_texts, of_features = (
        json.loads(invoke("compare", f"human.{kind}", f"model.{kind}", "--json", *QUICK).stdout)
        for kind in ("jsonl", "npy")
    )
    assert of_features["results"][0]["mauve"] == pytest.approx(
        of_texts["results"][0]["mauve"], abs=0.1
    )


@pytest.mark.slow
def test_by_prompt(text_folder):
    alone = json.loads(invoke("compare", "human.jsonl", "model.jsonl", "--json", *QUICK).stdout)
    done = invoke("compare", "human.jsonl", "model.jsonl", "--by-prompt", "--json", *QUICK)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["results"][0]["mauve"] != alone["results"][0]["mauve"]


def test_by_prompt_without_prompts(text_folder):
    (text_folder / "model.txt").write_text("\n".join(word_texts(1)) + "\n")
    done = invoke("compare", "human.jsonl", "model.txt", "--by-prompt")
    assert done.exit_code == 1
    assert "'model.txt' must have the field 'prompt' in every record" in done.stderr


@pytest.mark.slow
def test_a_warning_of_form_names_the_remedy(text_folder):
    lines = [json.dumps({"text": " " + text}) for text in word_texts(0)]
    (text_folder / "human.jsonl").write_text("\n".join(lines) + "\n")
    done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK)
    assert "0% of the texts of 'model' and 100% of human texts start with white" in done.stderr
    assert "strip all texts with --strip." in done.stderr
    stripped = invoke("compare", "human.jsonl", "model.jsonl", "--strip", *QUICK)
    assert "white space" not in stripped.stderr
    assert ":strip|" in stripped.stdout


@pytest.mark.slow
def test_no_cache(text_folder):
    done = invoke("compare", "human.jsonl", "model.jsonl", "--no-cache", *QUICK)
    assert done.exit_code == 0
    assert not (text_folder / "cache").exists()


@pytest.mark.slow
def test_cache_that_cannot_be_written_is_a_warning(text_folder):
    (text_folder / "cache").write_text("a file where a folder should be")
    done = invoke("compare", "human.jsonl", "model.jsonl", *QUICK)
    assert done.exit_code == 0
    assert done.stderr.startswith("warning: ")
    assert "cache" in done.stderr


def test_two_files_from_stdin(text_folder):
    done = invoke("compare", "-", "model=-", stdin="a\n")
    assert done.exit_code == 2
    assert "only one of the files can be -" in done.stderr


def test_unreadable_texts(tmp_path):
    german = "Das ist nicht das Haus, das wir gesucht haben, aber es ist sehr schön und alt."
    for name in ("human", "model"):
        lines = [f"{german} Und {name} {i}." for i in range(30)]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")
    files = ["compare", str(tmp_path / "human.txt"), str(tmp_path / "model.txt"), "--no-cache"]
    refused = invoke(*files)
    assert refused.exit_code == 1
    assert "German, and the embedder reads English" in refused.stderr
    assert "--embedder sentence:" in refused.stderr
    assert "--unreadable warn" in refused.stderr
    warned = invoke(*files, "--unreadable", "warn", "--json")
    assert warned.exit_code == 0
    assert warned.stderr.startswith("warning: 100% of the texts of 'human' are in other languages")
    assert json.loads(warned.stdout)["warnings"][0].startswith("100% of the texts of 'human'")
