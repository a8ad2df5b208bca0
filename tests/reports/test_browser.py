"""The report as a browser shows it: Chromium, and axe-core's rules of accessibility."""

import os
import shutil

import numpy as np
import pytest

import mauve
from mauve.comparison.matrices import score_matrix
from mauve.reports.matrix import write_matrix
from mauve.reports.page import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
# All of axe-core's rules but those it has given up: A, AA and AAA, good practice, experiments.
RULES = ["wcag2a", "wcag2aa", "wcag2aaa", "wcag21a", "wcag21aa", "wcag22aa"]
RULES += ["best-practice", "experimental"]
SIZES = {"telephone": (360, 740), "desktop": (1440, 900)}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    # The superuser, as in a container, has no sandbox.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(explained, tmp_path_factory):
    comparison, explanation, measurements = explained
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(
        comparison, path, explanation=explanation, measurements=measurements, title="A report"
    )
    return path.as_uri()


@pytest.fixture
def visit(browser, address):
    """Return a function that opens the report, and lists of what was said and asked for."""
    contexts = []

    def opened(size="desktop", scheme="light", **options):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_axe_finds_nothing(visit, size, scheme):
    from axe_playwright_python.sync_playwright import Axe

    page = visit(size, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    results = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("telephone", "dark")])
def test_a_page_of_many_systems(browser, tmp_path, size, scheme):
    from axe_playwright_python.sync_playwright import Axe

    rng = np.random.default_rng(0)
    human, near = rng.normal(size=(2, 100, 4))
    systems = {f"a system with a long name, the {i}th": near + 0.05 * i for i in range(20)}
    comparison = mauve.compare(human, systems, n_clusterings=5, n_permutations=0, num_buckets=8)
    measurements = mauve.measure(human, systems, "frechet,mmd", comparison=comparison)
    write_report(comparison, tmp_path / "many.html", measurements=measurements)
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto((tmp_path / "many.html").as_uri())
    assert page.locator(".verdict:visible").count() == 6
    page.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    assert page.locator(".verdict:visible").count() == 20
    assert page.evaluate("document.documentElement.scrollWidth") == width
    results = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    assert results.violations_count == 0, results.generate_report()
    page.close()


@pytest.mark.parametrize("size", SIZES)
def test_the_page_is_no_wider_than_the_screen(visit, size):
    page = visit(size)
    page.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]


def test_no_word_on_the_console_and_no_request(visit, address):
    page = visit()
    page.get_by_role("button", name="Unfold all").click()
    page.get_by_role("button", name="fair").click()
    page.wait_for_load_state("networkidle")
    assert page.said == []
    assert [url for url in page.asked if not url.startswith("data:")] == [address]


def test_hostile_texts_are_text(visit):
    page = visit()
    page.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
    assert page.title() == "A report"  # a script in a text would have changed it
    whole = page.locator(".whole").filter(has_text="<script>document.title='run'</script>")
    assert whole.first.is_visible()
    assert whole.first.evaluate("(element) => getComputedStyle(element).unicodeBidi") == "isolate"
    assert page.locator("script").count() == 1
    assert page.locator("body img").count() == 0


def test_a_script_that_came_in_would_not_run(visit):
    page = visit()
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), "
        "{textContent: 'document.title = 1'}))"
    )
    assert page.title() == "A report"
    assert "Content Security Policy" in page.said[0]


def test_light_and_dark_are_those_of_the_system(visit):
    grounds = []
    for scheme in ("light", "dark"):
        page = visit(scheme=scheme)
        grounds.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        picture = page.locator(".picture text").first
        assert picture.evaluate("(element) => getComputedStyle(element).fill") != "rgb(0, 0, 0)"
    assert grounds[0] != grounds[1]


def test_it_reads_without_a_script(visit):
    page = visit(java_script_enabled=False)
    assert page.locator(".system").count() == 2
    assert page.locator(".system").last.is_visible()
    assert page.get_by_role("button").count() == 0
    folded = page.locator("details.text").first
    folded.locator("summary").click()
    assert folded.locator(".whole").is_visible()


def test_one_system_at_a_time_and_links_bring_others_back(visit):
    page = visit()
    page.get_by_role("button", name="fair").click()
    shown = page.locator(".system").filter(visible=True)
    assert shown.count() == 1
    assert shown.get_attribute("data-name") == "fair"
    hidden = page.locator(".system:not([data-name=fair])").get_attribute("id")
    page.locator(f"nav a[href='#{hidden}']").click()
    page.wait_for_function("document.querySelectorAll('.system[hidden]').length === 0")


def test_the_keyboard_reaches_texts_and_tables(visit):
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("details.text summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.text").first.get_attribute("open") is not None
    for region in page.locator(".scroll").all():
        assert region.get_attribute("tabindex") == "0"


def test_print_shows_every_system_on_paper(visit):
    page = visit(scheme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.locator("nav").is_visible()
    assert not page.locator(".tools").is_visible()
    assert page.locator(".snippet").first.is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.filterwarnings("ignore::mauve.MauveWarning")  # few texts
@pytest.mark.parametrize(("size", "scheme"), [("desktop", "dark"), ("telephone", "light")])
def test_the_page_of_a_matrix(browser, tmp_path, size, scheme):
    from axe_playwright_python.sync_playwright import Axe

    rng = np.random.default_rng(0)
    systems = {f"a_system_with_a_long_name_{i}": rng.normal(size=(60, 3)) + i for i in range(4)}
    matrix = score_matrix(rng.normal(size=(60, 3)), systems, n_clusterings=5, n_splits=2)
    assert len(matrix.warnings) == 2  # that the page shows
    write_matrix(matrix, tmp_path / "matrix.html")
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto((tmp_path / "matrix.html").as_uri())
    results = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    assert results.violations_count == 0, results.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert said == []
    context.close()
