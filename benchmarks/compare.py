"""The Compare page: six matrices against one, and the server's time for one choice.

Server time is a whole run of the page in Streamlit's test runner, for a head that no earlier result is of: nothing comes
from memory.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from playwright.sync_api import Browser
from streamlit.testing.v1 import AppTest

from benchmarks.browser import in_turn, opened, ratio
from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

APP = Path(__file__).resolve().parents[1] / "app.py"
HEADS = range(2, 9)


def matrices(browser: Browser, address: str) -> Figure:
    """One press on a slider to the painted picture: six matrices of 256 x 256 against one, in turn.

    Both orders count alike, since the page that is pressed second finds the server warm.
    """
    pages = [opened(browser, f"{address}/?count={count}") for count in (1, 6)]
    one, six = in_turn([(page, "x", "m") for page in pages])
    six_first, one_second = in_turn([(page, "x", "m") for page in reversed(pages)])
    one, six = one + one_second, six + six_first
    for page in pages:
        page.close()
    note = f"medians {statistics.median(one):.0f} and {statistics.median(six):.0f} ms"
    return Figure("six 256 x 256 matrices / one", ratio(six, one), "x", 2.0, note=note)


def server_time(times: int) -> Figure:
    """Median milliseconds of one run of the page after another head was chosen; times: lengths of its text."""
    at = AppTest.from_file(str(APP), default_timeout=60).run()
    at.switch_page("pages/compare/page.py")
    at.query_params["times"], at.query_params["head"] = str(times), "1"
    at.run()
    took = []
    for head in HEADS:
        at.query_params["head"] = str(head)
        start = time.perf_counter()
        at.run()
        took.append(1000 * (time.perf_counter() - start))
    return Figure(f"Compare page, server time of one head, {times} times the text", statistics.median(took), "ms", 300)


def measure() -> list[Figure]:
    figures = [server_time(times) for times in (1, 16)]
    with serving("benchmarks/apps/matrices.py") as address, chromium() as browser:
        return [matrices(browser, address), *figures]
