"""``mauve demo``."""

import json
import os
import re
import resource
import shlex
import subprocess
import sys

import pytest
from running import invoke

pytestmark = pytest.mark.slow

SYSTEMS = ("ancestral", "greedy", "nucleus")
ENV = {k: v for k, v in os.environ.items() if k != "FORCE_COLOR"} | {"COLUMNS": "80"}


def run(*arguments, cwd, env=ENV, **settings):
    return subprocess.run(
        [sys.executable, "-m", "mauve", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=env | {"MAUVE_CACHE": str(cwd / "cache")},
        timeout=240,
        **settings,
    )


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    (folder / "demo").mkdir()  # one that exists is used
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done = invoke("demo", MAUVE_CACHE=str(folder / "cache"))
    return folder, subprocess.CompletedProcess("demo", done.exit_code, done.stdout, done.stderr)


def test_writes_texts_picture_and_report(demo):
    folder, done = demo
    assert done.returncode == 0
    assert all(line.startswith("warning: ") for line in done.stderr.splitlines())
    names = {f"{name}.jsonl" for name in ["human", *SYSTEMS]} | {"curves.png", "report.html"}
    assert {path.name for path in (folder / "demo").iterdir()} == names
    assert (folder / "demo" / "curves.png").read_bytes().startswith(b"\x89PNG")
    for name in ("human", *SYSTEMS):
        lines = (folder / "demo" / f"{name}.jsonl").read_text("utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        assert len(records) == 500
        # Topics of the human texts alone: a continuation has that of its beginning.
        assert {*records[0]} == {"prompt", "text"} | ({"topic"} if name == "human" else set())
        if name == "human":
            assert len({record["topic"] for record in records}) > 5


def test_report_has_systems_clusters_topics_and_perplexity(demo):
    folder, done = demo
    assert re.search("^report: demo/report.html$", done.stdout, re.MULTILINE)
    page = (folder / "demo" / "report.html").read_text("utf-8")
    for part in (*SYSTEMS, "topic", "Gen. PPL", "perplexity", "Fréchet"):
        assert part in page


def test_prints_a_ranking_with_differences_and_a_line_for_each_system(demo):
    out = demo[1].stdout
    scores = re.findall(r"^(\w+) +(0\.\d+|1\.000) ", out, re.MULTILINE)
    assert {name for name, _ in scores} == {*SYSTEMS}
    assert [float(score) for _, score in scores] == sorted(
        (float(score) for _, score in scores), reverse=True
    )
    assert "(Holm)" in out
    for name in SYSTEMS:
        assert re.search(rf"^  {name}:\n    - \w+", out, re.MULTILINE)


def test_greedy_decoding_repeats_itself(demo):
    of_greedy = demo[1].stdout.split("  greedy:\n")[1]
    habits = "More repetition within a text|More wording shared|More common words"
    assert re.match(f"    - ({habits})", of_greedy)


def test_the_printed_command_gives_the_same_table(demo):
    folder, done = demo
    command = shlex.split(re.search("^again: (.*)$", done.stdout, re.MULTILINE)[1])
    assert command[:2] == ["mauve", "compare"]
    again = run(*command[1:], cwd=folder)
    assert again.returncode == 0
    assert again.stdout in done.stdout


def test_the_other_printed_command_explains_it(demo):
    folder, done = demo
    command = shlex.split(re.search("^explain: (.*)$", done.stdout, re.MULTILINE)[1])
    assert command[:2] == ["mauve", "explain"]
    explained = run(*command[1:], cwd=folder)
    assert explained.returncode == 0
    for name in SYSTEMS:
        assert re.search(rf"^{name}: MAUVE 0\.\d+", explained.stdout, re.MULTILINE)
    assert explained.stdout.count("writes too much of") == 3
    assert re.search("^metadata .*\n.*\ntopic +500 ", explained.stdout, re.MULTILINE)


def test_out_that_is_a_file(tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = run("demo", "--out", "taken", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert "'taken'" in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"


def demo_without(package, folder, cache):
    """Run the demo where a package fails to load, and check all but picture and report."""
    hidden = folder / "hidden" / package
    hidden.mkdir(parents=True)
    (hidden / "__init__.py").write_text("raise ImportError('as if it were not installed')")
    program = "import sys; sys.modules['jinja2'] = None; " if package == "jinja2" else ""
    paths = [str(hidden.parent), *filter(None, [ENV.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, "-c", f"{program}import mauve_eval; mauve_eval.main()", "demo"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=ENV | {"PYTHONPATH": os.pathsep.join(paths), "MAUVE_CACHE": str(cache)},
        timeout=240,
    )
    assert done.returncode == 0
    assert re.search("^nucleus +0[.]", done.stdout, re.MULTILINE)
    assert re.search("^explain: mauve explain demo/human.jsonl ", done.stdout, re.MULTILINE)
    assert "report:" not in done.stdout
    lines = done.stderr.splitlines()
    assert all(line.startswith("warning: ") for line in lines[:-1])
    written = {path.name for path in (folder / "demo").iterdir()}
    assert written >= {f"{name}.jsonl" for name in ["human", *SYSTEMS]}
    return written, lines[-1]


def test_without_matplotlib_there_is_no_picture(tmp_path, demo):
    written, note = demo_without("matplotlib", tmp_path, demo[0] / "cache")
    assert not written & {"curves.png", "report.html"}
    assert note == (
        "note: no picture and no report, which need matplotlib and jinja2: "
        'pip install "mauve-eval[report]"'
    )


def test_without_jinja_there_is_no_report(tmp_path, demo):
    written, note = demo_without("jinja2", tmp_path, demo[0] / "cache")
    assert "report.html" not in written
    assert "curves.png" in written
    assert note == 'note: no report, which needs jinja2: pip install "mauve-eval[report]"'


def test_a_full_disk_loses_neither_tables_nor_texts(tmp_path):
    limit = 300_000  # bytes: more than a file of texts, less than the report and the cache
    done = run(
        "demo",
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.returncode == 1
    assert "MAUVE is 1 if a system writes as people do" in done.stdout
    *_, warned, last = done.stderr.splitlines()
    assert last.startswith("error: 'demo/report.html' cannot be written (File too large)")
    assert warned.startswith("warning: ")
    assert done.stderr.count("features are computed and not kept") == 1
    names = {path.name for path in (tmp_path / "demo").iterdir()}
    assert names == {f"{name}.jsonl" for name in ["human", *SYSTEMS]}
