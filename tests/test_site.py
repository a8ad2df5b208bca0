"""The documentation site builds without warnings, its links lead somewhere, and all can read it."""

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

DOCS = Path(__file__).parents[1] / "docs"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
MAIN_PAGES = [
    "index",
    "tutorials/own-data",
    "tutorials/study",
    "inputs",
    "measures",
    "method",
    "cli",
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site as `make docs` does, from a copy of the folder."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
         "-d", folder / "doctrees", DOCS, folder / "html"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {value for name, value in attributes if name in ("id", "name")}
        self.links += [values[name] for name in ("href", "src") if values.get(name)]


def test_every_page_is_in_the_menu(site):
    menu = Page(site / "index.html").links
    for path in DOCS.rglob("*.md"):
        name = path.relative_to(DOCS).with_suffix("").as_posix()
        assert name == "index" or f"{name}.html" in menu


def test_no_link_is_broken(site):
    pages = {path: Page(path) for path in site.rglob("*.html")}
    assert len(pages) > 20
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.exists(), f"{path.name} links to {link}"
            if parts.fragment and target in pages and target.name not in ("genindex.html",):
                assert unquote(parts.fragment) in pages[target].anchors, f"{path.name}: {link}"


def test_nothing_is_fetched_from_other_hosts(site):
    for path in site.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link)\b[^>]*(?:src|href)="(\w+:)?//', path.read_text()
        )
        assert fetched == []


def test_formulas_are_drawn(site):
    assert (site / "method.html").read_text("utf-8").count("<math") > 10
    for path in site.rglob("*.html"):
        assert not re.search(r"\$\$|\\frac|\\sum", path.read_text("utf-8")), path.name


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (1200, "light")])
def test_all_can_read_it(site, width, scheme):
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        size = {"width": width, "height": 800}
        page = browser.new_page(viewport=size, color_scheme=scheme)
        for name in MAIN_PAGES:
            page.goto((site / f"{name}.html").as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            results = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
            assert results.violations_count == 0, results.generate_report()
        browser.close()
