import base64
import hashlib
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest
from hostile import EVIL, SCRIPT

import mauve
from mauve.reports.page import render_report, write_report

pytestmark = pytest.mark.slow


class Outline(HTMLParser):
    """Collects what tests ask of a page."""

    void = frozenset({"meta", "link", "br", "img"})

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.text, self.problems = [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(tag)

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.text.append(data)

    def values(self, attribute):
        return [attrs[attribute] for _, attrs in self.tags if attribute in attrs]


@pytest.fixture(scope="module")
def page(explained):
    comparison, explanation, measurements = explained
    return render_report(comparison, explanation=explanation, measurements=measurements, title=EVIL)


@pytest.fixture(scope="module")
def outline(page):
    return Outline(page)


def test_the_same_input_gives_the_same_bytes(explained, page):
    comparison, explanation, measurements = explained
    again = render_report(
        comparison, explanation=explanation, measurements=measurements, title=EVIL
    )
    assert again == page


def test_well_formed_with_unique_ids_and_links_that_lead_somewhere(outline):
    assert not outline.problems
    assert not outline.open
    ids = outline.values("id")
    assert len(set(ids)) == len(ids)
    targets = [href[1:] for href in outline.values("href") if href.startswith("#")]
    assert set(targets) <= set(ids)
    for attribute in ("aria-labelledby", "aria-describedby"):
        assert set(outline.values(attribute)) <= set(ids)


def test_headings_are_in_order(outline):
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert max(np.diff(levels)) == 1


def test_tables_have_captions_and_scopes(outline):
    names = [tag for tag, _ in outline.tags]
    assert names.count("table") == names.count("caption")
    assert all(attrs.get("scope") in ("row", "col") for tag, attrs in outline.tags if tag == "th")


def test_nothing_is_loaded_and_nothing_runs_but_our_script(page, outline):
    assert [tag for tag, _ in outline.tags].count("script") == 1
    assert not [tag for tag, _ in outline.tags if tag in ("img", "iframe", "object", "form")]
    for _, attrs in outline.tags:
        assert not [name for name in attrs if name.startswith("on") or name in ("style", "src")]
    assert all(href.startswith(("#", "data:")) for href in outline.values("href"))
    assert "url(http" not in page
    assert "@import" not in page


def test_the_policy_allows_our_style_and_script_alone(page, outline):
    policy = outline.values("content")[0]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_hostile_texts_and_names_are_shown_as_text(page, outline):
    assert SCRIPT not in page
    text = "".join(outline.text)
    assert SCRIPT in text
    assert r"$x_1$ \u202e\x1b[31m" in text
    # Nothing that a page would act on or hide is left, whatever a text had.
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", page
    )
    page.encode()


def test_numbers_of_the_comparison_are_there(explained, outline):
    comparison, explanation, measurements = explained
    text = "".join(outline.text)
    for name, result in comparison.items():
        assert f"MAUVE {result.mauve:.3f} ({result.interval[0]:.3f} to" in text
        for cluster in explanation[name].over:
            assert f"{cluster.type_1.value:.4f} nats" in text
    assert " distinguishable from human text (p = " in text
    assert f"{measurements['fair']['zipf'].value:.2f}" in text
    for warning in comparison.warnings:
        assert mauve.escape.escaped(warning) in text
    for result in comparison.values():
        assert result.signature in text


def test_a_long_text_does_not_make_a_long_page(page):
    assert "characters more" in page
    assert len(page.encode()) < 1_000_000


def test_two_hundred_long_texts_make_less_than_three_megabytes():
    """The worst that a character can do: five bytes once it is escaped, in every text."""
    rng = np.random.default_rng(0)
    places = {f"{i} " + "&" * 4000: 4 * np.eye(12, 12)[i % 12] for i in range(2400)}

    def embed(texts):
        return np.array([places[text] for text in texts]) + rng.normal(size=(len(texts), 12))

    texts = list(places)
    human = [text for i, text in enumerate(texts) if i % 12 < 6 or i < 600]
    model = [text for text in texts if text not in set(human)]
    comparison = mauve.compare(human, model, embedder=embed, cache=False, n_clusterings=10)
    page = render_report(comparison, explanation=mauve.explain(comparison, n_permutations=100))
    assert page.count('<details class="text">') > 100
    assert len(page.encode()) < 3_000_000


def test_without_explanation_sections_are_left_out(explained):
    comparison, explanation, _ = explained
    text = render_report(comparison)
    assert 'id="why"' not in text
    assert 'id="measures"' not in text
    assert 'id="scores"' in text
    assert not Outline(text).problems
    assert 'id="measures"' not in render_report(comparison, explanation=explanation)


def test_features_and_one_system(features):
    comparison, explanation = features
    page = render_report(comparison, explanation=explanation)
    outline = Outline(page)
    assert not outline.problems
    assert "Rows of the features, from 0:" in page
    rng = np.random.default_rng(0)
    alone = mauve.compare(*rng.normal(size=(2, 200, 4)), n_permutations=0, n_clusterings=5)
    page = render_report(alone)
    assert "not tested against human text" in page
    assert 'id="differences-table"' not in page
    assert "<h1>model and human text</h1>" in page


def test_many_systems_have_few_cards_each_and_no_link_leads_nowhere():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 300, 6))
    systems = {f"system {i}": near + 0.1 * i for i in range(12)}
    comparison = mauve.compare(human, systems, n_clusterings=5, n_permutations=20)
    explanation = mauve.explain(comparison, n_clusters=20, n_permutations=100)
    page = render_report(comparison, explanation=explanation)
    outline = Outline(page)
    assert "see the table" in page
    assert "Differences of neighbours in the ranking as a table" in page
    assert "11 of 66 pairs." in page
    assert "more systems" not in page
    ids = set(outline.values("id"))
    assert {href[1:] for href in outline.values("href") if href.startswith("#")} <= ids


def test_thirteen_systems_are_folded_and_measures_are_columns():
    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 100, 4))
    systems = {f"system {i}": near + 0.1 * i for i in range(13)}
    comparison = mauve.compare(human, systems, n_clusterings=5, n_permutations=0, num_buckets=8)
    measurements = mauve.measure(human, systems, "frechet", comparison=comparison)
    steps = []
    page = render_report(
        comparison, measurements=measurements, progress=lambda *step: steps.append(step)
    )
    assert ("drawing", 13, 13) in steps
    assert "<summary>7 more systems</summary>" in page
    assert page.count('<li class="verdict') == 13
    assert "Grey: 7 others." in page
    rows = page.split('id="measures-table"')[1].split("</table>")[0].count("<tr>")
    assert rows == 1 + 13 + 1, "the heading, the systems, and human text"
    values = [measurements[name]["frechet"].value for name in systems]
    shown = re.findall(r"<td[^>]*>([\d.]+)", page.split('id="measures-table"')[1])[:13]
    assert [*map(float, shown)] == pytest.approx(values, rel=0.05)


def test_symbols_are_defined_under_the_table(features):
    comparison, _ = features
    page = render_report(comparison)
    after = page.split('id="scores-table"')[1].split("</table>", 1)[1]
    legend = after.split('<p class="legend">')[1].split("</p>")[0]
    assert legend.startswith("P is human text, Q the text of a system, and R = (P + Q)/2")
    assert "c = 5." in legend


def test_no_difference_is_said(features):
    comparison, explanation = features
    assert not explanation["near"].over
    page = render_report(comparison, explanation=explanation)
    assert "No cluster differs from human text by more than chance." in page


def test_written_as_a_whole_or_not_at_all(features, tmp_path):
    comparison, explanation = features
    path = tmp_path / "report.html"
    write_report(comparison, path, explanation=explanation)
    assert path.read_text(encoding="utf-8") == render_report(comparison, explanation=explanation)
    assert list(tmp_path.iterdir()) == [path]
    write_report(comparison, str(path))
    assert path.read_text(encoding="utf-8") == render_report(comparison)
    with pytest.raises(mauve.InvalidParameterError, match="must be a folder that you may write"):
        write_report(comparison, tmp_path / "nowhere" / "report.html")


def test_an_explanation_of_something_else_is_refused(features, explained):
    with pytest.raises(mauve.InvalidParameterError, match=r"of this comparison: mauve.explain"):
        render_report(features[0], explanation=explained[1])
    with pytest.raises(mauve.InvalidParameterError, match=r"what mauve\.compare returns"):
        render_report("a comparison")


@pytest.mark.parametrize("package", ["jinja2", "matplotlib"])
def test_a_missing_package_is_named_with_its_remedy(package):
    """In a process of its own, where the import fails as it does without the package."""
    script = (
        f"import sys; sys.modules['{package}'] = None\n"
        "import numpy as np, mauve\n"
        "from mauve.reports.page import render_report\n"
        "human, model = np.random.default_rng(0).normal(size=(2, 100, 4))\n"
        "try: render_report(mauve.compare(human, model, n_clusterings=5))\n"
        "except mauve.MissingExtraError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f'The report needs {package}, which is not installed: pip install "mauve-eval[report]".\n'
    )


def test_parts_of_another_comparison_are_refused(explained):
    comparison, _, measurements = explained
    features = np.random.default_rng(0).normal(size=(2, 300, 4))
    other = mauve.compare(features[0], {"other": features[1]}, n_permutations=0)
    explanation = mauve.explain(other, n_permutations=100)
    for parts, message in [
        ({"explanation": comparison}, "'explanation' .* what mauve.explain returns"),
        ({"explanation": explanation}, r"'explanation' .* mauve\.explain\(comparison\)"),
        ({"measurements": comparison}, "'measurements' .* what mauve.measure returns"),
    ]:
        with pytest.raises(mauve.InvalidParameterError, match=message):
            render_report(comparison, **parts)
    with pytest.raises(mauve.InvalidParameterError, match=r"'measurements' .* \['other'\]"):
        render_report(other, measurements=measurements)
