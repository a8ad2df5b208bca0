import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError

WORDS = "the a dog cat river house ran sat by near with old new rain sun day".split()  # noqa: SIM905


def written(seed, n=120, words=WORDS):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, size=25)) + "." for _ in range(n)]


@pytest.fixture(scope="module")
def systems():
    return {"same": written(1), "few words": written(2, words=WORDS[:5])}


@pytest.mark.slow
def test_compares_measures_and_explains_with_one_embedding(tmp_path, systems):
    calls = []

    def letters(batch):
        calls.append(len(batch))
        return [[text.count(letter) for letter in "aeiounst"] for text in batch]

    written_report = mauve.report(
        written(0), systems, tmp_path / "r.html", embedder=letters, title="All of it", seed=3
    )
    assert calls == [360]
    page = written_report.path.read_text()
    assert "<h1>All of it</h1>" in page
    for name in systems:
        assert f"MAUVE {written_report.comparison[name].mauve:.3f} (" in page
    assert [*written_report.explanation] == [*written_report.measurements] == [*systems]
    assert {m.name for m in written_report.measurements.measures} == {
        "zipf", "repetition", "distinct-4", "self-bleu", "frechet",
    }  # fmt: skip
    assert "seed:3" in written_report.measurements.signature


@pytest.mark.slow
def test_is_what_to_html_writes(tmp_path):
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(100, 4)), rng.normal(size=(100, 4)) + 1
    report = mauve.report(human, {"m": model}, tmp_path / "a.html", n_clusterings=5)
    report.comparison.to_html(tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert "Fréchet" in (tmp_path / "a.html").read_text()


@pytest.mark.slow
def test_takes_the_measures_asked_for(tmp_path, systems):
    report = mauve.report(
        written(0), systems, tmp_path / "r.html", measures="repetition", n_permutations=0,
        embedder=lambda batch: [[text.count(letter) for letter in "aeiou"] for text in batch],
        n_clusterings=5,
    )  # fmt: skip
    assert [m.name for m in report.measurements.measures] == ["repetition"]


def test_a_path_that_cannot_be_written_is_found_before_the_work(tmp_path):
    def never(batch):
        raise AssertionError("texts were embedded")

    with pytest.raises(InvalidParameterError, match=r"must be a file\. It is a folder"):
        mauve.report(written(0), written(1), tmp_path, embedder=never)


def test_a_failure_leaves_an_old_report_alone(tmp_path):
    path = tmp_path / "r.html"
    path.write_text("old")
    rng = np.random.default_rng(0)
    human, model = rng.normal(size=(100, 4)), rng.normal(size=(100, 4))
    with pytest.raises(InvalidParameterError, match="zipf"):
        mauve.report(human, model, path, measures="zipf", n_clusterings=5, n_permutations=0)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["r.html"]


@pytest.mark.slow
def test_warnings_point_at_the_caller(tmp_path):
    rng = np.random.default_rng(0)
    with pytest.warns(mauve.MauveWarning, match="texts") as caught:
        mauve.report(
            rng.normal(size=(30, 4)), rng.normal(size=(30, 4)), tmp_path / "r.html",
            n_permutations=0,
        )  # fmt: skip
    assert {warning.filename for warning in caught} == {__file__}
