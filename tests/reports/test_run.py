import json

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError

WORDS = "the a dog cat river house ran sat by near with old new rain sun day".split()  # noqa: SIM905


def written(seed, n=201, words=WORDS):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(words, size=25)) + "." for _ in range(n)]


def letters(batch):
    return [[text.count(letter) for letter in "aeiounst"] for text in batch]


@pytest.fixture(scope="module")
def systems():
    return {"same": written(1), "few words": written(2, words=WORDS[:5])}


@pytest.mark.slow
def test_compares_measures_and_explains_with_one_embedding(tmp_path, systems):
    calls = []

    def counted(batch):
        calls.append(len(batch))
        return letters(batch)

    written_report = mauve.report(
        written(0), systems, tmp_path / "r.html", embedder=counted, title="All of it", seed=3
    )
    assert calls == [603]
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
    human, model = rng.normal(size=(200, 4)), rng.normal(size=(200, 4)) + 1
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

    (tmp_path / "folder.html").mkdir()
    with pytest.raises(InvalidParameterError, match=r"must be a file\. It is a folder"):
        mauve.report(written(0), written(1), tmp_path / "folder.html", embedder=never)


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


def write_jsonl(path, texts, **fields):
    records = [
        {"text": text} | {name: values[i] for name, values in fields.items()}
        for i, text in enumerate(texts)
    ]
    path.write_text("\n".join(json.dumps(record) for record in records) + "\n")
    return path


@pytest.mark.slow
def test_other_fields_of_files_are_metadata(tmp_path):
    topics = ["river", "house", "sun"] * 67
    human = write_jsonl(tmp_path / "h.jsonl", written(0), topic=topics, score=[0.5] * 201)
    model = write_jsonl(tmp_path / "m.jsonl", written(1))
    report = mauve.report(human, {"m": model}, tmp_path / "r.html", embedder=letters)
    assert [field.field for field in report.explanation.fields] == ["topic"]
    assert 'id="metadata"' in report.path.read_text()
    report.comparison.to_html(tmp_path / "same.html")
    assert (tmp_path / "same.html").read_bytes() == report.path.read_bytes()
    none = mauve.report(human, {"m": model}, tmp_path / "n.html", embedder=letters, metadata={})
    assert none.explanation.fields == ()


@pytest.mark.slow
def test_takes_training_texts_and_the_options_of_explain(tmp_path, systems):
    report = mauve.report(
        written(0), systems, tmp_path / "r.html", embedder=letters, measures="copying-8",
        training=written(1), n_clusters=4, mixture=0.3,
    )  # fmt: skip
    assert report.measurements["same"]["copying-8"].value == 1.0
    assert len(report.explanation["same"].clusters) <= 4
    assert report.explanation.mixture == 0.3


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"measures": "nope"}, InvalidParameterError, "Got 'nope' instead"),
        ({"measures": "copying-8"}, InvalidParameterError, "training"),
        ({"title": 5}, InvalidParameterError, r"'title' parameter of report must be a string"),
        ({"metadata": {"bogus": {}}}, InvalidParameterError, "bogus"),
        ({"metadata": {"human": {"a": [1]}}}, InvalidParameterError, "1"),
        ({"n_clusters": 10_000}, InvalidParameterError, "n_clusters"),
        ({"mixture": 1.0}, InvalidParameterError, "'mixture'"),
        ({"tokenizer": "./nope.json"}, InvalidParameterError, "'tokenizer'"),
        ({"quantizer": "nope"}, InvalidParameterError, "'quantizer'"),
        ({"n_buckets": 5}, TypeError, r"report\(\) got an unexpected keyword argument 'n_buckets'"),
    ],
)
def test_wrong_arguments_are_found_before_texts_are_embedded(
    tmp_path, systems, options, error, message
):
    def never(batch):
        raise AssertionError("texts were embedded")

    with pytest.raises(error, match=message):
        mauve.report(written(0), systems, tmp_path / "r.html", embedder=never, **options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["report.txt", "report", None])
def test_the_path_must_end_in_html(path):
    with pytest.raises(InvalidParameterError, match=r"'path' .* must be a file that ends in .html"):
        mauve.report(written(0), written(1), path)


@pytest.fixture(scope="module")
def spaced_report(tmp_path_factory):
    """Return a report of a system whose texts start with a space, and of one without."""
    systems = {"spaced": [f" {text}" for text in written(1)], "plain": written(2)}

    def embed(batch):
        rows = zip(batch, letters(batch), strict=True)
        return [[*row, 9 * text.startswith(" ")] for text, row in rows]

    with pytest.warns(mauve.MauveWarning, match="start with white space"):
        return mauve.report(
            written(0), systems, tmp_path_factory.mktemp("ladder") / "r.html", embedder=embed,
            n_clusterings=5, measures="repetition",
        )  # fmt: skip


class TestLadder:
    @pytest.mark.slow
    def test_form_is_a_section_with_sentences_picture_and_table(self, spaced_report):
        page = spaced_report.path.read_text()
        assert '<li><a href="#form">Form</a></li>' in page
        section = page[page.index('<section id="form"') :].partition("</section>")[0]
        for sentence in (
            spaced_report.comparison.ladder()["spaced"].sentence,
            "no gap is shown, as the interval as given reaches the ceiling",
        ):
            assert sentence in section
        assert "most of this gap is form" in section
        assert 'aria-label="Scores as given and after each step' in section
        assert "<td>201</td>" in section
        assert "Left out: prompt" in section

    @pytest.mark.slow
    def test_one_that_is_there_is_not_computed_again(self, spaced_report, tmp_path):
        comparison = spaced_report.comparison
        ladder = comparison.ladder("ends,case")
        comparison.to_html(tmp_path / "r.html", ladder=ladder, measures="repetition")
        assert ladder["spaced"].sentence in (tmp_path / "r.html").read_text()

    @pytest.mark.slow
    def test_without(self, spaced_report, tmp_path):
        spaced_report.comparison.to_html(tmp_path / "r.html", ladder=False, measures="repetition")
        assert 'id="form"' not in (tmp_path / "r.html").read_text()

    @pytest.mark.slow
    def test_a_loaded_comparison_without_its_embedder_says_why_it_is_not_there(
        self, spaced_report, tmp_path
    ):
        spaced_report.comparison.save(tmp_path / "run.mauve")
        loaded = mauve.load(tmp_path / "run.mauve")
        with pytest.warns(mauve.MauveWarning, match="no section 'Form'.* must be loaded with the"):
            loaded.to_html(tmp_path / "r.html", measures="repetition")
        assert 'id="form"' not in (tmp_path / "r.html").read_text()
