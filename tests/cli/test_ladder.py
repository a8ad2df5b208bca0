"""``--normalize``, ``--strip-prompt`` and ``--ladder``."""

import json

import pytest
from running import QUICK, invoke, word_texts

import mauve
from mauve.embed.registry import OWN_EMBEDDERS


@pytest.fixture
def spaced(text_folder):
    """Work in a folder where the texts of spaced.txt start with a space."""
    (text_folder / "human.txt").write_text("\n".join(word_texts(0)) + "\n")
    (text_folder / "spaced.txt").write_text("\n".join(f"  {t}" for t in word_texts(1)) + "\n")
    return text_folder


def signature(*arguments):
    done = invoke("compare", *arguments, *QUICK, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["results"][0]["signature"]


@pytest.mark.slow
def test_normalize_is_in_the_signature(spaced):
    files = ("human.txt", "spaced.txt")
    assert ":case|" in signature(*files, "--normalize", "case")
    both = signature(*files, "--normalize", "ends,space")
    assert ":space+strip|" in both
    assert signature(*files, "--strip", "--normalize", "space") == both
    assert ":prompt+strip|" in signature(*files, "--strip-prompt", "--strip")
    assert ":prompt+case|" in signature(*files, "--strip-prompt", "--normalize", "case")


@pytest.mark.slow
def test_prompts_of_the_file_are_removed(text_folder):
    for name in ("human", "model"):
        texts = [f"Tell me of {i}: {t}" for i, t in enumerate(word_texts(len(name)))]
        records = [{"text": t, "prompt": t[: t.index(":") + 1]} for t in texts]
        (text_folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))
    files = ("human.jsonl", "model.jsonl", "--by-prompt", *QUICK)
    assert invoke("compare", *files, "--strip-prompt", "--save", "a.mauve").exit_code == 0
    assert mauve.load("a.mauve").compared.texts["model"] == word_texts(5)


def test_embed_takes_the_steps_of_one_text(spaced):
    done = invoke("embed", "spaced.txt", "-o", "a.safetensors", "--normalize", "space,ends")
    assert done.exit_code == 0
    assert done.stdout.rstrip().endswith(":space+strip")
    done = invoke("embed", "spaced.txt", "-o", "b.npy", "--normalize", "length")
    assert done.exit_code == 1
    assert "--normalize must be names of steps, markup, " in done.stderr
    assert "Got 'length' instead: 'length' looks at more than one sample" in done.stderr
    assert not (spaced / "b.npy").exists()


@pytest.mark.slow
def test_ladder_is_printed_after_the_table(spaced):
    done = invoke("compare", "human.txt", "spaced.txt", *QUICK, "--ladder", "--save", "run.mauve")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith("spaced  ")][1:] == [
        ["spaced", "as"],
        ["spaced", "ends"],
    ]
    said = " ".join(done.stdout.split())
    assert " without white space at the ends: " in said
    assert "Left out: prompt, space, " in said
    assert max(map(len, lines[:-1])) <= 80
    shown = invoke("show", "run.mauve", "--ladder")
    assert shown.stdout.splitlines()[1:] == lines[1:]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flag", "start"), [("--markdown", "| spaced | ends |"), ("--latex", "spaced & ends &")]
)
def test_ladder_in_other_formats(spaced, flag, start):
    done = invoke("compare", "human.txt", "spaced.txt", *QUICK, "--ladder", flag)
    assert any(line.startswith(start) for line in done.stdout.splitlines())


@pytest.mark.slow
def test_ladder_in_json_is_that_of_python(spaced):
    done = invoke("compare", "human.txt", "spaced.txt", *QUICK, "--ladder", "--json")
    printed = json.loads(done.stdout)["ladder"]["systems"][0]
    assert [rung["step"] for rung in printed["rungs"]] == [None, "ends"]
    wanted = json.loads(
        invoke("compare", "human.txt", "spaced.txt", *QUICK, "--strip", "--json").stdout
    )["results"][0]
    assert printed["rungs"][1]["mauve"] == wanted["mauve"]
    assert printed["rungs"][1]["signature"] == wanted["signature"]


def test_features_have_no_ladder(features):
    done = invoke("compare", "human.npy", "good.npy", "--ladder")
    assert done.exit_code == 1
    assert done.stderr.strip() == (
        "error: 'human.npy' holds features, which have no form to change: leave out --ladder."
    )


def lengths_but_once():
    """Return an embedder that fails after its first call, as a server that goes down."""
    calls = []

    def embed(texts):
        calls.append(len(texts))
        if len(calls) > 1:
            raise mauve.MauveError("The server is down.")
        return [[len(text), text.count("a"), text.count("t")] for text in texts]

    return embed


def test_a_ladder_that_cannot_be_computed_loses_nothing_else(spaced, monkeypatch):
    monkeypatch.setattr(OWN_EMBEDDERS, "registered", {})
    files = ("human.txt", "spaced.txt", *QUICK, "--embedder", "once", "--no-cache", "--ladder")
    printed = []
    for more in (["--save", "run.mauve", "--quiet"], ["--json"]):
        mauve.register_embedder("once")(lengths_but_once())
        done = invoke("compare", *files, *more)
        OWN_EMBEDDERS.registered.clear()
        assert done.exit_code == 1
        assert done.stderr.splitlines()[-1] == "error: The server is down."
        printed.append(done.stdout)
    assert "\nspaced " in printed[0]
    assert json.loads(printed[1])["results"][0]["name"] == "spaced"
    shown = invoke("show", "run.mauve", "--ladder", "--report", "a.html", "--quiet")
    assert shown.exit_code == 1
    assert "\nspaced " in shown.stdout
    assert (spaced / "a.html").exists()
    last = shown.stderr.splitlines()[-1]
    assert last.startswith("error: The saved comparison must be loaded with the embedder 'callable")
    assert last.endswith(" or compare the texts again.")
    assert "has no section 'Form'" not in shown.stderr  # said once


@pytest.mark.parametrize("command", ["compare", "measure", "explain"])
@pytest.mark.parametrize("flag", ["--strip-prompt", "--normalize", "--strip", "--match-length"])
def test_features_have_no_text_to_change(features, command, flag):
    more = ["space"] if flag == "--normalize" else []
    done = invoke(command, "human.npy", "good.npy", flag, *more)
    assert done.exit_code == 1
    assert done.stderr == (
        f"error: {flag} must be left out for features, which have no text to change: give the "
        "texts instead.\n"
    )


def test_a_saved_comparison_of_features_has_no_ladder(features):
    assert invoke("compare", "human.npy", "good.npy", *QUICK, "--save", "a.mauve").exit_code == 0
    done = invoke("show", "a.mauve", "--ladder")
    assert done.exit_code == 1
    assert "\ngood " in done.stdout
    assert done.stderr.splitlines()[-1].startswith("error: mauve show needs texts, whose form")


@pytest.mark.slow
def test_no_ladder_leaves_the_section_out(spaced):
    files = ("human.txt", "spaced.txt", *QUICK)
    assert invoke("compare", *files, "--report", "a.html").exit_code == 0
    assert '<section id="form"' in (spaced / "a.html").read_text()
    assert invoke("compare", *files, "--report", "b.html", "--no-ladder").exit_code == 0
    assert '<section id="form"' not in (spaced / "b.html").read_text()
