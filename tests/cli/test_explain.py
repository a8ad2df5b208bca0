"""``mauve explain``."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from rich.cells import cell_len
from running import interrupt, invoke, run, start_long_work

import mauve

pytestmark = pytest.mark.slow

QUICK = ["--n-permutations", "100"]
TOPICS = {
    "garden": "rose tulip soil seed water spade leaf bloom hedge lawn",
    "sea": "wave sail harbour anchor tide gull deck storm coast fish",
    "city": "street tram bridge market tower crowd station lamp window square",
    "music": "violin chord tempo singer choir drum melody stage pitch tune",
}
SHARES = {
    "human": [0.25, 0.25, 0.25, 0.25],
    "good": [0.25, 0.25, 0.25, 0.25],
    "odd": [0.6, 0.2, 0.2, 0.0],  # much of the garden, no music
}
HOSTILE = "\x1b[31mred\x1b[0m [bold]x[/] \u202egnp\u202c \x07 :smile: \ud800 <script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of texts about four topics, which one system weights differently."""
    folder = tmp_path_factory.mktemp("explained")
    rng = np.random.default_rng(0)
    for name, shares in SHARES.items():
        lines = []
        for i, topic in enumerate(rng.choice([*TOPICS], size=200, p=shares)):
            words = rng.choice(TOPICS[topic].split(), size=30)
            record = {
                "text": f"{' '.join(words)}.",
                "topic": topic,
                "score": i / 7,
                "row": f"{name} {i}",
            }
            lines.append(json.dumps(record))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture
def in_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


# What it prints


def test_what_is_planted_is_named(in_folder):
    done = invoke("explain", "human.jsonl", "odd.jsonl", *QUICK)
    assert done.exit_code == 0, done.stderr
    much, little = done.stdout.split("writes too little of")
    assert much.index("odd: MAUVE") < much.index("writes too much of")
    garden, music = (set(TOPICS[topic].split()) for topic in ("garden", "music"))
    assert len(garden & set(re.findall(r"\w+", much))) > 3
    assert len(music & set(re.findall(r"\w+", little))) > 3
    assert re.search(r"^  topic +garden 100%, 4\d\.\d% of all texts \(p < 0\.0001\)", much, re.M)
    assert re.search(r"^  topic +music 100%", little, re.M)
    assert re.search(r"^  human \d+ +\w+ \w+ ", little, re.M)
    assert re.search(r"^metadata +texts +values", done.stdout, re.M)
    assert "A cluster is a group of texts" in done.stdout
    assert "signature: mauve:" in done.stdout
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("note: fields that are not used as metadata: row (nearly every")
    assert "score (not all values are short strings or whole numbers)" in done.stderr


def test_both_lists_of_texts(in_folder):
    done = invoke("explain", "human.jsonl", "odd.jsonl", "--n-clusters", 4, *QUICK)
    machine, uncovered = re.findall(r"\[cluster\]\):\n((?:  .*\n)+)", done.stdout)
    rows = re.compile(r"^ +\d\.\d\d +\d+ +\[\d+\]", re.MULTILINE)
    assert len(rows.findall(machine)) == len(rows.findall(uncovered)) == 3
    assert "why: " in machine
    assert "why: " in uncovered
    assert "the most machine-like texts of odd" in done.stdout
    assert set(re.findall(r"\w+", uncovered)) & set(TOPICS["music"].split())


def test_systems_stand_best_first(in_folder):
    done = invoke("explain", "human.jsonl", "odd.jsonl", "good.jsonl", *QUICK)
    assert done.exit_code == 0, done.stderr
    good, odd = re.split(r"^─{80}\nodd", done.stdout, flags=re.M)
    assert "good: MAUVE" in good
    assert re.search(r"^not distinguishable from human text with these samples \(p = ", good, re.M)
    assert re.search(r"None of \d+ clusters differs by more than chance would explain", good)
    assert "writes too" not in good
    assert "machine-like" not in good
    assert re.search(r"^distinguishable from human text \(p = ", odd, re.M)
    assert "writes too much of" in odd


@pytest.mark.slow
def test_top_and_examples(in_folder):
    def n_examples(*more):
        done = invoke("explain", "human.jsonl", "odd.jsonl", "--n-clusters", 4, *QUICK, *more)
        return len(re.findall(r"^  (?:human|model) \d+  ", done.stdout, re.M))

    assert n_examples("--examples", 0) == n_examples("--top", 0) == n_examples("--quiet") == 0
    assert n_examples("--top", 1, "--examples", 2) > n_examples("--top", 1)


def test_texts_that_json_keeps(in_folder):
    def n_kept(*more):
        done = invoke(
            "explain", "human.jsonl", "odd.jsonl", "--n-clusters", 4, *QUICK, "--json", *more
        )
        clusters = json.loads(done.stdout)["explanation"]["systems"][0]["clusters"]
        return max(len(cluster["typical_human"]) for cluster in clusters)

    assert n_kept() == 5
    assert n_kept("--n-texts", 2) == 2
    assert n_kept("--n-texts", 2, "--examples", 3) == 3


def test_quiet_prints_tables_only(in_folder):
    done = invoke("explain", "human.jsonl", "odd.jsonl", *QUICK, "--quiet")
    assert done.exit_code == 0
    assert done.stderr == ""
    for absent in ("against", "signature", "A cluster is", "machine-like"):
        assert absent not in done.stdout
    assert "writes too much of" in done.stdout


@pytest.mark.slow
def test_perplexity_of_clusters(in_folder):
    done = invoke(
        "explain", "human.jsonl", "odd.jsonl", *QUICK, "--language-model", "bundled", "--top", 1
    )
    assert re.search(
        r"^  texts +30 and 30 words \(human and model\); perplexity \d+ ", done.stdout, re.M
    )
    without = invoke("explain", "human.jsonl", "odd.jsonl", *QUICK)
    assert "perplexity" not in without.stdout


def test_another_mixture(in_folder):
    arguments = ["explain", "human.jsonl", "odd.jsonl", *QUICK, "--n-clusters", 4, "--mixture", 0.2]
    done = invoke(*arguments)
    assert re.search(r"^type I 0\.\d+, type II 0\.\d+, with mixture λ = 0\.2$", done.stdout, re.M)
    assert "0.69" not in " ".join(done.stdout.split("A cluster is")[1].split())


def test_features_have_positions_in_place_of_texts(features):
    done = invoke("explain", "human.npy", "bad.npy", "good.npy", *QUICK, "--n-clusters", 5)
    assert done.exit_code == 0, done.stderr
    assert done.stderr == ""
    assert re.search(r"^cluster \d +\d+\.\d% ", done.stdout, re.M)
    assert re.search(r"^  model \d+$", done.stdout, re.M)
    assert re.search(r"^   0\.\d\d +\d+  \[\d\]$", done.stdout, re.M)
    assert "named after its words" not in done.stdout


# Other formats


def test_json_is_what_the_library_says(in_folder):
    done = invoke(
        "explain", "human.jsonl", "odd.jsonl", *QUICK, "--n-clusters", 4, "--seed", 3, "--json",
        "--metadata", "topic", "--confidence", 0.9, "--num-buckets", 12, "--n-clusterings", 10,
    )  # fmt: skip
    assert done.stderr == ""
    printed = json.loads(done.stdout)
    records = {
        name: [json.loads(line) for line in Path(f"{name}.jsonl").read_text().splitlines()]
        for name in ("human", "odd")
    }
    texts = {name: [record["text"] for record in records[name]] for name in records}
    topics = {name: {"topic": [r["topic"] for r in records[name]]} for name in records}
    comparison = mauve.compare(
        texts["human"], {"odd": texts["odd"]}, n_permutations=100, seed=3, confidence=0.9,
        num_buckets=12, n_clusterings=10,
    )  # fmt: skip
    expected = mauve.explain(comparison, n_clusters=4, n_permutations=100, seed=3, metadata=topics)
    assert printed == {
        "version": mauve.__version__,
        **comparison.to_dict(),
        "explanation": json.loads(json.dumps(expected.to_dict())),
    }


def test_texts_add_up_to_the_divergences(in_folder, tmp_path):
    path = tmp_path / "texts.jsonl"
    done = invoke(
        "explain", "human.jsonl", "odd.jsonl", "good.jsonl", *QUICK, "--texts", path, "--json",
        "--quiet",
    )  # fmt: skip
    assert done.exit_code == 0
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(lines) == 4 * 200  # the human texts once for each system
    for system in json.loads(done.stdout)["explanation"]["systems"]:
        pair = [line for line in lines if line["system"] == system["name"]]
        sums = {
            sample: sum(line["contribution"] for line in pair if line["sample"] == sample)
            for sample in ("human", system["name"])
        }
        # Sums of 200 numbers below 1.
        assert sums["human"] == pytest.approx(system["type_2"], abs=1e-12)
        assert sums[system["name"]] == pytest.approx(system["type_1"], abs=1e-12)


def test_files_are_named_on_stderr(in_folder, tmp_path):
    paths = [tmp_path / "texts.jsonl", tmp_path / "report.html"]
    done = invoke(
        "explain", "human.jsonl", "odd.jsonl", *QUICK, "--metadata", "none",
        "--texts", paths[0], "--report", paths[1], "--json",
    )  # fmt: skip
    assert done.stderr.splitlines() == [f"texts: {paths[0]}", f"report: {paths[1]}"]
    assert json.loads(done.stdout)["explanation"]["fields"] == []
    page = paths[1].read_text()
    assert page.startswith("<!doctype html>")
    assert "odd" in page


def test_markdown_and_latex(in_folder):
    arguments = ["explain", "human.jsonl", "a_b=odd.jsonl", "good.jsonl", *QUICK, "--quiet"]
    markdown = invoke(*arguments, "--markdown").stdout
    assert re.findall(r"^## .*$", markdown, re.M) == ["## good", r"## a\_b"]
    assert markdown.count("\n|---|---|---:|") == 2
    latex = invoke(*arguments, "--latex").stdout
    assert re.findall(r"^% .*$", latex, re.M) == ["% good", "% a_b"]
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 2


# Metadata


@pytest.mark.parametrize(
    ("option", "fields"), [("topic", ["topic"]), ("none", []), (" topic ,topic", ["topic"])]
)
def test_fields_that_are_named(in_folder, option, fields):
    done = invoke("explain", "human.jsonl", "odd.jsonl", *QUICK, "--metadata", option, "--json")
    assert done.stderr == ""
    summaries = json.loads(done.stdout)["explanation"]["fields"]
    assert [summary["field"] for summary in summaries] == fields


def test_a_field_that_says_nothing_is_named_with_the_reason(in_folder):
    done = invoke("explain", "human.jsonl", "odd.jsonl", *QUICK, "--metadata", "row", "--json")
    assert done.stderr.startswith("note: fields that are not used as metadata: row (nearly every")
    assert "400 values, 400 texts" in done.stderr


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("source", "error: 'source' of --metadata must be a field of the files. They have topic"),
        ("score", "error: The field 'score' of --metadata must have strings of up to 200"),
    ],
)
def test_fields_that_cannot_be_used(in_folder, field, message):
    done = invoke("explain", "human.jsonl", "odd.jsonl", "--metadata", field)
    assert done.exit_code == 1
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


def test_metadata_of_a_system_called_human(in_folder):
    arguments = ["explain", "human.jsonl", "human=odd.jsonl", *QUICK, "--metadata", "topic"]
    explanation = json.loads(invoke(*arguments, "--json").stdout)["explanation"]
    assert explanation["fields"][0]["n_texts"] == 400
    assert explanation["systems"][0]["human_name"] == "human (reference)"


# Names and texts from anywhere


@pytest.mark.slow
def test_hostile_names_texts_and_metadata(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    for name, topics in {"human": ["sea", "city"], "model": ["sea", "sea"]}.items():
        lines = []
        for i in range(120):
            topic = topics[i % 2]
            body = " ".join(rng.choice(TOPICS[topic].split(), size=20))
            text = f"{HOSTILE}\r\n\n{body} {HOSTILE}" + "x" * (i == 0) * 10**6
            lines.append(json.dumps({"text": text, f"{HOSTILE}\n": f"{topic}\n{HOSTILE}"}))
        Path(f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    system = f"{HOSTILE}\n".replace("\ud800", "")
    done = invoke("explain", "human.jsonl", f"{system}=model.jsonl", *QUICK, "--n-clusters", 4)
    assert done.exit_code == 0, done.stderr
    assert "writes too" in done.stdout
    printed = done.stdout + done.stderr
    assert all(letter.isprintable() or letter == "\n" for letter in printed)
    assert r"\x1b[31mred\x1b[0m [bold]x[/] \u202egnp" in printed
    assert ":smile:" in printed
    assert_fits(done.stdout, 80)


def assert_fits(printed, columns):
    for line in printed.splitlines():
        if not line.startswith(("against ", "signature: ")):  # to be copied as a whole
            assert cell_len(line) <= columns, line


@pytest.mark.parametrize("columns", [80, 120])
def test_width(in_folder, columns):
    done = invoke(
        "explain", "human.jsonl", "a-rather-long-name=odd.jsonl", *QUICK, COLUMNS=str(columns)
    )
    assert_fits(done.stdout, columns)
    assert max(map(len, done.stdout.splitlines())) > columns - 10


def test_a_narrow_terminal_ends_in_no_error(in_folder):
    assert invoke("explain", "human.jsonl", "odd.jsonl", *QUICK, COLUMNS="15").exit_code == 0


@pytest.mark.slow
def test_no_colour_in_a_pipe(features):
    code, out, err = run("explain", "human.npy", "bad.npy", *QUICK)
    assert (code, err) == (0, "")
    assert "\x1b" not in out


@pytest.mark.slow
def test_a_terminal_that_lacks_the_letters(features):
    ascii_only = {"PYTHONIOENCODING": "ascii"}
    code, _, err = run("explain", "human.npy", "bad.npy", *QUICK, env=ascii_only)
    assert (code, err) == (0, "")


# What goes wrong


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n-clusters", "many"], "a whole number or 'auto'"),
        (["--mixture", "1"], "between 0 and 1, both excluded. Got 1"),
        (["--n-permutations", "99"], "--n-permutations"),
        (["--texts", "texts.csv"], "'texts.csv' must end in .jsonl"),
        (["--texts", "human.jsonl"], "'human.jsonl' is one of the files to read"),
        (["--texts", "./odd.jsonl"], "is one of the files to read"),
        (["--report", "report.pdf"], "'report.pdf' must end in .html"),
        (["--json", "--latex"], "only one of --json, --markdown and --latex"),
        (["--interval", "bootstrap"], "No such option"),
    ],
)
def test_usage_errors(in_folder, arguments, message):
    before = Path("odd.jsonl").read_bytes()
    done = invoke("explain", "human.jsonl", "odd.jsonl", *arguments)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert Path("odd.jsonl").read_bytes() == before


@pytest.mark.parametrize("option", ["--texts", "--report"])
@pytest.mark.parametrize("place", ["nowhere", "human.npy", "/proc"])
def test_where_nothing_can_be_written(features, option, place):
    path = f"{place}/a{'.jsonl' if option == '--texts' else '.html'}"
    # The missing system shows that the file is checked first.
    done = invoke("explain", "human.npy", "nowhere.npy", option, path)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: '{path}' cannot be written")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n-clusters", "1"], r"--n-clusters must be an int in \[2, 40\]"),
        (
            ["--language-model", "bundled"],
            "'human.npy' holds features, which no language",
        ),
        (["--embedder", "gpt2"], "'human.npy' holds features, which no embedder reads"),
        (["--metadata", "topic"], "'topic' of --metadata must be a field of the files. They have"),
    ],
)
def test_errors_are_one_line(features, arguments, message):
    done = invoke("explain", "human.npy", "good.npy", *QUICK, *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert re.search(f"^error: .*{message}", done.stderr)
    assert done.stderr.count("\n") == 1


def test_a_language_model_that_does_not_exist(in_folder):
    done = invoke("explain", "human.jsonl", "odd.jsonl", "--language-model", "no/such/model")
    assert done.exit_code == 1
    assert "no/such/model" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_ctrl_c_half_way_leaves_nothing(tmp_path):
    outputs = ["--texts", "texts.jsonl", "--report", "report.html"]
    process, files = start_long_work(tmp_path, "explain", *outputs)
    assert interrupt(process) == (130, b"", b"error: interrupted\n")
    assert sorted(tmp_path.iterdir()) == files


def test_failed_run_keeps_the_old_files(features):
    for name in ("texts.jsonl", "report.html"):
        Path(name).write_text("old")
    done = invoke(
        "explain", "human.npy", "nowhere.npy", "--texts", "texts.jsonl", "--report", "report.html"
    )
    assert done.exit_code == 1
    assert Path("texts.jsonl").read_text() == Path("report.html").read_text() == "old"
