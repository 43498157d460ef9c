"""Extrapolation: its first chart, a control while models are trained, and how long it takes to see a break.

A control's time runs from the click to the new chart on the screen. It is taken with nothing running, then with two runs
going, which keep two workers busy; then with nothing again, so that a machine that slows down does not count.
"""

import json
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

CLICKS = 10
DEMO = "train=alibi,sinusoidal"
BUSY = "train=alibi,rope&train_steps=5000&train_seed=1"
CHART = ".js-plotly-plot .scatterlayer .trace path"
LINES = f"[...document.querySelectorAll('{CHART}')].slice(0, 12).map((one) => one.getAttribute('d')).join()"
NEW = f"(old) => {{ const now = {LINES}; return now && now !== old; }}"


def opened(browser: Browser, address: str, path: str, waits_for: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 1000}).new_page()
    page.set_default_timeout(180_000)
    page.goto(f"{address}/{path}")
    page.wait_for_selector(waits_for)
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')")
    return page


def training(browser: Browser, address: str, query: str) -> Page:
    """The page that trains, with these runs in its controls."""
    return opened(browser, address, f"train?{query}", ".st-key-train_play")


def first_chart(browser: Browser, address: str) -> Figure:
    """A cold page: from its address to its first chart, no model trained."""
    page = browser.new_context().new_page()
    start = time.perf_counter()
    page.goto(f"{address}/extrapolation")
    page.wait_for_selector(CHART, timeout=60_000)
    took = time.perf_counter() - start
    page.context.close()
    return Figure("Extrapolation: first chart, cold page", took, "s", note="nothing is trained for it")


def click(page: Page, name: str) -> float:
    """Milliseconds from a click on a control to the new chart."""
    old = page.evaluate(f"() => {LINES}")
    start = time.perf_counter()
    page.get_by_role("radio", name=name, exact=True).click()
    page.wait_for_function(NEW, arg=old, polling="raf")
    took = 1000 * (time.perf_counter() - start)
    page.wait_for_timeout(500)
    return took


def clicks(page: Page) -> list[float]:
    return [click(page, ("nonoverlapping", "sliding")[number % 2]) for number in range(CLICKS)]


def while_training(browser: Browser, address: str) -> Figure:
    """A control with two runs going against the same with none."""
    page, trainer = opened(browser, address, "extrapolation", CHART), training(browser, address, BUSY)
    clicks(page)
    before = clicks(page)
    trainer.get_by_role("button", name="Play", exact=True).click()
    trainer.get_by_text(" left").first.wait_for()
    during = clicks(page)
    trainer.get_by_role("button", name="Reset", exact=True).click()
    trainer.get_by_text("not trained yet").first.wait_for()
    page.wait_for_timeout(3000)
    after = clicks(page)
    page.context.close()
    trainer.context.close()
    idle, busy = statistics.median(before + after), statistics.median(during)
    note = f"medians {busy:.0f} and {idle:.0f} ms"
    return Figure("Extrapolation: a control while two runs train / none", busy / idle, "x", 1.5, note=note)


def demo(browser: Browser, address: str, data: Path) -> list[Figure]:
    """From Play to both models measured at 4 L, workers not started yet; and what the runs gave."""
    page = training(browser, address, DEMO)
    start = time.perf_counter()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("() => document.body.innerText.includes('It breaks')")
    seen = time.perf_counter() - start
    page.get_by_text("in sliding windows (perplexity per byte)").wait_for()
    page.wait_for_function("() => document.body.innerText.split('finished, 800 steps').length > 2")
    whole = time.perf_counter() - start
    page.context.close()
    name = "ALiBi and sinusoidal, 800 steps: from Play to"
    return [
        Figure(f"{name} the first word that one breaks", seen, "s", 120, note="on a sample, while it is trained"),
        Figure(f"{name} all measurements up to 16 L", whole, "s", 120, note=ratios(data)),
    ]


def ratios(data: Path) -> str:
    """Perplexity at 4 L against that at L, of every run in the folder."""
    notes = []
    for record in sorted((data / "runs").glob("*/run.json")):
        run = json.loads(record.read_text())
        perplexity = {e["length"]: e.get("perplexity") for e in run["evaluations"] if e["stride"] == e["length"]}
        length = run["config"]["length"]
        notes.append(f"{run['config']['method']} {perplexity[4 * length] / perplexity[length]:.3f} times at 4 L")
    return ", ".join(notes)


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as data, serving("app.py", data) as address, chromium() as browser:
        first = first_chart(browser, address)
        return [first, *demo(browser, address, Path(data)), while_training(browser, address)]
