"""The first training run of a server that nobody has asked for anything: seconds from Play to the first step in sight."""

import re
import tempfile
import time

from playwright.sync_api import Browser

from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

LIMIT = 8.0  # seconds
STEP = re.compile(r" · step [1-9][\d,]* of ")


def first_step(browser: Browser, wait: float) -> float:
    """Seconds from the press on Play, `wait` seconds after the page stood, to the first step that it tells."""
    with tempfile.TemporaryDirectory() as data, serving("app.py", data) as address:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{address}/train")
        play = page.get_by_role("button", name="Play", exact=True)
        play.wait_for(timeout=60_000)
        time.sleep(wait)
        began = time.perf_counter()
        play.click()
        page.get_by_text(STEP).first.wait_for(timeout=120_000)
        seconds = time.perf_counter() - began
        page.close()
        return seconds


def measure() -> list[Figure]:
    with chromium() as browser:
        return [
            Figure("cold server: Play to the first step, pressed at once", first_step(browser, 0), "s", LIMIT),
            Figure("cold server: Play to the first step, pressed after 5 s", first_step(browser, 5), "s", LIMIT),
        ]
