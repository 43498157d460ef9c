"""A slider dragged in a real Chromium: the page's frames while the hand moves, previews, and PyTorch's picture after."""

from __future__ import annotations

import statistics

from playwright.sync_api import Browser, Page

from benchmarks import playground
from benchmarks.browser import opened, slider
from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
TEXT_128 = "+".join(WORDS.split() * 8)
LONG = 50.0  # milliseconds: from here on a frame is a long one, and the hand feels it
DRAGGED = (  # address, slider, view: pictures with a closed form, up to 128 curves or 512 x 512 cells
    ("slopes", "Heads", "slopes"),
    ("bias?n=512", "Heads", "bias_large"),
    ("bias", "Sequence length n", "bias_large"),
)


_DRAG = """
([label, seconds, start, stop]) => new Promise((resolve) => {
  const find = (root) => [...root.querySelectorAll("*")].flatMap((one) => one.shadowRoot ? find(one.shadowRoot) : [])
    .concat([...root.querySelectorAll("input[type=range]")]);
  const input = find(document).find(
    (one) => (one.ariaLabel ?? one.closest(".slider")?.querySelector(".label")?.textContent) === label);
  const begun = performance.now(), top = Number(input.max);
  let last = begun;
  window.gaps = [];
  input.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  const step = (now) => {
    window.gaps.push(now - last);
    last = now;
    const part = Math.min(1, (performance.now() - begun) / (1000 * seconds));
    input.value = String(Math.round((start + (stop - start) * part) * top));
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    if (part < 1) { requestAnimationFrame(step); return; }
    window.released = performance.now();
    input.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    resolve((window.released - begun) / 1000);
  };
  requestAnimationFrame(step);
})
"""


def drag(page: Page, label: str, seconds: float, start: float, stop: float) -> float:
    """Drag a slider evenly, a move in every frame; returns the seconds that it took.

    The events are made inside the page: a driver outside sends some 15 to 30 moves a second, and would measure itself.
    """
    return float(page.evaluate(_DRAG, [label, seconds, start, stop]))


def previews(browser: Browser, address: str) -> list[Figure]:
    """Frames a second while the strength is dragged at 128 tokens, and PyTorch's picture after the release."""
    page = opened(browser, f"{address}/attention?content=random&text={TEXT_128}")
    slider(page, "Strength of ALiBi").scroll_into_view_if_needed()
    frames, waits, last_right = [], [], 0
    for turn in range(5):
        page.evaluate("() => { painted.length = 0; }")
        ends = (0.1, 0.9) if turn % 2 == 0 else (0.9, 0.1)
        seconds = drag(page, "Strength of ALiBi", 2.0, *ends)
        page.wait_for_timeout(2500)
        events = [event for event in page.evaluate("() => painted") if event["key"] == "attention_stages"]
        frames.append(sum(event["source"] == "preview" for event in events) / seconds)
        released = page.evaluate("() => released")
        value = float(page.locator("input[type=number][aria-label='Strength of ALiBi']").input_value())
        final = [event for event in events if event["source"] == "python" and abs(event["value"] - value) < 1e-9]
        waits.append(max(final[0]["at"] - released, 0.0) if final else float("inf"))
        last_right += events[-1]["source"] == "python" and abs(events[-1]["value"] - value) < 1e-9
    page.close()
    return [
        Figure("drag at n = 128: previews", statistics.median(frames), "a second", 30, at_least=True),
        Figure("release to PyTorch's picture, n = 128", statistics.median(waits), "ms", 150),
        Figure("drags that end on the last value", last_right, "of 5", 5, at_least=True),
    ]


def closed_forms(browser: Browser, address: str) -> list[Figure]:
    """Previews a second while a slider is dragged whose picture the browser computes, and the page's long frames."""
    return [_closed_form(browser, f"{address}/{path}", label, view) for path, label, view in DRAGGED]


def _closed_form(browser: Browser, address: str, label: str, view: str) -> Figure:
    page, rates, gaps = opened(browser, address), list[float](), list[float]()
    for turn in range(4):
        page.evaluate("() => { painted.length = 0; }")
        seconds = drag(page, label, 2.0, *((0.05, 0.95) if turn % 2 == 0 else (0.95, 0.05)))
        page.wait_for_timeout(1000)
        if turn:  # the first one compiles the scripts
            events = [event for event in page.evaluate("() => painted") if event["key"] == view]
            rates.append(sum(event["source"] == "preview" for event in events) / seconds)
            gaps += page.evaluate("() => gaps")
    page.close()
    long = sum(gap > LONG for gap in gaps)
    note = f"{long} of {len(gaps)} frames longer than {LONG:.0f} ms, the longest {max(gaps):.0f} ms"
    what = f"drag of “{label}”, {address.rsplit('/', 1)[1]}: previews"
    return Figure(what, statistics.median(rates), "a second", 30, at_least=True, note=note)


def measure() -> list[Figure]:
    with serving("app.py") as address, chromium() as browser:
        figures = [figure for part in (previews, closed_forms) for figure in part(browser, address)]
    return figures + playground.measure()
