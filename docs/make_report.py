"""Write the pictures of the README: parts of the report that ``mauve demo`` writes.

python docs/make_report.py     (needs Chromium, and Playwright of the ``dev`` extra)
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
WIDTH, MARGIN = 1180, 24
#: CSS selectors: a picture starts at the top of the one and holds all elements of the other.
PICTURES = {
    "report.png": ("body", ".verdicts"),
    "report-why.png": ("#system-1 figure", "#system-1 figure"),
}


def take_pictures(report: Path) -> None:
    """Open a report in a browser and save parts of it as pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": WIDTH, "height": 1200})
        page.goto(report.resolve().as_uri())
        for name, (first, last) in PICTURES.items():
            top = page.locator(first).first.bounding_box()["y"]
            boxes = [element.bounding_box() for element in page.locator(last).all()]
            left = max(min(box["x"] for box in boxes) - MARGIN, 0)
            right = min(max(box["x"] + box["width"] for box in boxes) + MARGIN, WIDTH)
            bottom = max(box["y"] + box["height"] for box in boxes) + MARGIN
            clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
            page.screenshot(path=IMAGES / name, full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mauve", "demo", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        take_pictures(Path(folder) / "report.html")
