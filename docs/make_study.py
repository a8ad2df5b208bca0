"""Write the pictures of docs/study.md: the annotation page and the dashboard of a small study.

python docs/make_study.py     (needs Chromium, and Playwright of the ``dev`` extra)

The texts are made of templates, and the ratings of the dashboard are simulated.
"""

import itertools
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from mauve.study.settings import StudySettings
from mauve.study.store.assignment import next_item
from mauve.study.store.control import exclude
from mauve.study.store.creation import create_study
from mauve.study.store.database import Study
from mauve.study.store.people import annotator_of, enrol, new_operator_token, record_consent
from mauve.study.store.records import Answer, Assignment
from mauve.study.store.submission import submit

IMAGES = Path(__file__).parent / "images"

TOWNS = ("Ashby", "Brenton", "Corran", "Dunmore", "Elsworth", "Fenwick")
THINGS = ("railway station", "swimming pool", "market hall", "cinema", "lighthouse")
PROMPT = (
    "The council of {town} met on Tuesday evening to decide what to do with the old {thing}, which "
    "has stood empty for eleven years."
)
TEXTS = {
    "human": (
        " Most of those who spoke wanted to keep it. Ruth Hanley, who runs the bakery across the "
        "road, said that the roof of the {thing} could be repaired for less than it would cost to "
        "pull it down, and offered to rent a room in it herself. The council put off its vote "
        "until the surveyor reports next month."
    ),
    "large, nucleus": (
        " The mayor of {town} said that there were three offers for the {thing}, and that none of "
        "them was as high as the council had hoped. A decision is expected before the summer. “We "
        "have waited for eleven years,” he said, “so we can wait for another eleven weeks.”"
    ),
    "large, pure": (
        " Councillors, among them two swans, heard that the {thing} may be sold by weight. In "
        "{town} nobody has weighed a building since the flood, and the scales are in the {thing}. "
        "A motion to lend the roof to a neighbour was carried, then set down again by the door."
    ),
    "small, nucleus": (
        " The council said that the {thing} is an important {thing}, and that the people of {town} "
        "are the people of {town}. The council said that it would decide on the {thing}. The "
        "{thing} was opened, and the council said that the {thing} would be a {thing} for the "
        "people of {town}."
    ),
}
#: How much people like each source, for the simulation.
MERIT = {"human": 2.0, "large, nucleus": 1.2, "large, pure": 0.3, "small, nucleus": 0.0}


class Clock:
    """A clock that the simulation sets."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time in seconds since 1970."""
        return self.now


def make_study(location: Path, clock: Clock) -> Study:
    """Create a study of human text and three systems."""
    places = [*itertools.product(TOWNS, THINGS)]
    samples = {
        name: [
            {"prompt": PROMPT.format(town=town, thing=thing),
             "text": text.format(town=town, thing=thing)}
            for town, thing in places
        ]
        for name, text in TEXTS.items()
    }  # fmt: skip
    human = samples.pop("human")
    settings = StudySettings(
        title="How well do programs write?", ratings_per_pair=30, min_tokens=40, overlap=0.4,
        attention_every=10, repeat_every=10, enrolment="open",
    )  # fmt: skip
    return create_study(location, settings, human, samples, clock=clock)


def merit(text: str) -> float:
    """Return how much people like the source of a text, or little for shuffled words."""
    for name, template in TEXTS.items():
        for town, thing in itertools.product(TOWNS, THINGS):
            if text.strip() == template.format(town=town, thing=thing).strip():
                return MERIT[name]
    return -4.0


def simulate(study: Study, clock: Clock) -> None:
    """Have nine people rate pairs; one is careless and fast."""
    rng = random.Random(7)
    for person, n_items in enumerate([24, 21, 19, 17, 16, 14, 12, 9, 5]):
        session = enrol(study)
        annotator = annotator_of(study, session)
        assert annotator is not None
        record_consent(study, annotator, study.settings.consent_version)
        is_careless = person == 6
        for number in range(n_items):
            item = next_item(study, annotator)
            if not isinstance(item, Assignment):
                break
            seconds = rng.uniform(9, 20) if is_careless else rng.lognormvariate(4.1, 0.4) + 10
            clock.now += seconds + 3
            first, second, third = (_choice(item, rng, is_careless) for _ in range(3))
            answer = Answer(
                item.lease, f"simulated-{person}-{number}", (first, second, third),
                active_seconds=seconds, wall_seconds=seconds + 2,
            )  # fmt: skip
            submit(study, annotator, answer)
        next_item(study, annotator)
    exclude(study, 7, "answers without reading")


def _choice(item: Assignment, rng: random.Random, is_careless: bool) -> int:
    if is_careless:
        return rng.choice([1, 2, 4, 5])
    lead = merit(item.left) - merit(item.right) + rng.gauss(0, 1.0)
    return sum(lead < bound for bound in (1.3, 0.15, -0.15, -1.3)) + 1


@contextmanager
def served(location: Path) -> Iterator[str]:
    """Serve a study, and yield its address."""
    command = [sys.executable, "-m", "mauve", "study", "serve", str(location), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().removeprefix("page:").strip()
    finally:
        process.terminate()
        process.wait()


def annotation_page(browser: Browser, address: str, path: Path, **options: Any) -> None:
    """Take a picture of a pair with two answers."""
    page = browser.new_page(**options)
    page.goto(address)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Agree").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Pair 1").wait_for()
    page.locator("#choice-1-4").check()
    page.locator("#choice-2-2").check()
    page.mouse.move(0, 0)
    page.locator("#item-title").focus()
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=path, full_page=True)
    page.close()


def dashboard(browser: Browser, address: str, token: str, path: Path, **options: Any) -> None:
    """Take a picture of the dashboard."""
    page = browser.new_page(**options)
    page.goto(f"{address}operator#token={token}")
    page.locator("#agreement tr").first.wait_for()
    page.screenshot(path=path, full_page=True)
    page.close()


def take_pictures(folder: Path, images: Path, **options: Any) -> None:
    """Make a study in a folder, and write its two pictures."""
    location = folder / "study.sqlite"
    clock = Clock(time.time() - 6 * 3600)
    study = make_study(location, clock)
    simulate(study, clock)
    token = new_operator_token(study)
    study.close()
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with served(location) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        dashboard(browser, address, token, images / "study-dashboard.png", **options)
        annotation_page(browser, address, images / "study-page.png", **options)
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        take_pictures(Path(temporary), IMAGES, viewport={"width": 1180, "height": 800})
