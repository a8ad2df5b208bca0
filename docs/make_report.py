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
#: CSS selector of the element that each picture starts at, and the height of the picture.
PICTURES = {"report.png": ("body", 585), "report-why.png": ("#system-1", 880)}


def take_pictures(report: Path) -> None:
    """Open a report in a browser and save parts of it as pictures."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        page = browser.new_page(viewport={"width": WIDTH, "height": 1200})
        page.goto(report.resolve().as_uri())
        for name, (selector, height) in PICTURES.items():
            box = page.locator(selector).bounding_box()
            left = max(box["x"] - MARGIN, 0)
            width = min(box["width"] + 2 * MARGIN, WIDTH - left)
            clip = {"x": left, "y": box["y"], "width": width, "height": height}
            page.screenshot(path=IMAGES / name, full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mauve", "demo", "--out", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        take_pictures(Path(folder) / "report.html")
