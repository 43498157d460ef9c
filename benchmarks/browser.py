"""The app in a real Chromium: from the key press to the painted picture.

Pages that are compared stand open side by side and are pressed in turn, round after round; the median of the ratios is
quoted. A picture counts as painted one frame after the canvas was drawn.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from playwright.sync_api import Browser, Page

from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

ROUNDS = 15

_SCRIPT = """
window.painted = [];
addEventListener("alibi-viz:painted", ({detail}) => window.painted.push({...detail, at: performance.now()}));
/** Milliseconds from the next key press to the next picture of `key`, or to a new number if there is no picture. */
window.nextPicture = (key) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error("no picture came")), 20000);
  let start;
  addEventListener("keydown", () => { start = performance.now(); }, { capture: true, once: true });
  const done = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
  if (key) {
    const seen = ({detail}) => {
      if (start === undefined || detail.key !== key || detail.source !== "python") return;
      removeEventListener("alibi-viz:painted", seen);
      done();
    };
    addEventListener("alibi-viz:painted", seen);
    return;
  }
  const text = () => [...document.querySelectorAll("[data-testid=stMarkdown]")].map((one) => one.innerText).join();
  const before = text();
  const watch = new MutationObserver(() => {
    if (text() === before) return;
    watch.disconnect();
    done();
  });
  watch.observe(document.body, { subtree: true, childList: true, characterData: true });
});
"""


def opened(browser: Browser, address: str) -> Page:
    """A page that has come to rest."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.add_init_script(_SCRIPT)
    page.goto(address)
    page.wait_for_selector("input[type=range]")
    page.wait_for_timeout(3000)
    return page


def press(page: Page, label: str, key: str | None, forward: bool) -> float:
    """Milliseconds from one key press on a slider to its picture."""
    page.evaluate("(key) => { window.next = nextPicture(key); }", key)
    slider(page, label).press("ArrowRight" if forward else "ArrowLeft")
    value = float(page.evaluate("() => window.next"))
    page.wait_for_timeout(120)
    return value


def slider(page: Page, label: str):  # type: ignore[no-untyped-def]
    return page.get_by_label(label, exact=True).and_(page.locator("input[type=range]"))


def in_turn(pages: Sequence[tuple[Page, str, str | None]]) -> list[list[float]]:
    """Latencies of several pages, pressed in turn: one list a page."""
    rows: list[list[float]] = [[] for _ in pages]
    for turn in range(ROUNDS + 2):
        for row, (page, label, key) in zip(rows, pages, strict=True):
            row.append(press(page, label, key, forward=turn % 2 == 0))
    return [row[2:] for row in rows]


def ratio(first: Sequence[float], second: Sequence[float]) -> float:
    return statistics.median(a / b for a, b in zip(first, second, strict=True))


def _median(values: Sequence[float]) -> str:
    return f"median {statistics.median(values):.0f} ms"


def lengths(browser: Browser, address: str) -> list[Figure]:
    """A million tokens against a thousand, on the Bias page itself: one head more or less, every thumbnail new."""
    pages = [opened(browser, f"{address}/bias?n={n}") for n in (1_000, 1_000_000)]
    short, long = in_turn([(page, "Heads", "bias_thumbs") for page in pages])
    for page in pages:
        page.close()
    return [Figure("Bias page, n = 1,000,000 / n = 1,000", ratio(long, short), "x", 1.2, note=_median(long))]


def measure() -> list[Figure]:
    with chromium() as browser, serving("app.py") as address:
        return lengths(browser, address)
