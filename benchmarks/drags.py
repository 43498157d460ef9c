"""Hands in a real Chromium: the frames of a page while a slider is dragged, and the time from its release until PyTorch's
numbers are painted.

The events are made inside the page: a driver outside sends some 15 to 30 moves a second, and would measure itself.
"""

import statistics
from dataclasses import dataclass

from playwright.sync_api import Browser, Page

from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
TEXT_128 = "+".join(WORDS.split() * 8)
LONG = 50.0  # milliseconds: from here on a frame is a long one, and the hand feels it
TURNS, SECONDS = 6, 1.5  # drags of a page, the first of which compiles the scripts; of one drag
DRAGGED = {  # address -> its slider
    "": "ALiBi’s strength",
    "slopes": "Heads",
    "bias?n=512": "Heads",
    f"attention?content=random&text={TEXT_128}": "Strength of ALiBi",
}
SIZES = (1_000, 1_000_000)  # tokens of the bias matrix, dragged in turn

_DRAG = """
([label, seconds, start, stop]) => new Promise((resolve) => {
  const find = (root) => [...root.querySelectorAll("*")].flatMap((one) => one.shadowRoot ? find(one.shadowRoot) : [])
    .concat([...root.querySelectorAll("input[type=range]")]);
  const input = find(document).find((one) => one.ariaLabel === label), row = input.getRootNode().querySelector(".hands");
  const begun = performance.now(), gaps = [], low = Number(input.min), wide = Number(input.max) - low;
  let last = begun;
  const release = () => {
    const released = performance.now();
    const watch = new MutationObserver(() => {
      if (row.dataset.state !== "settled") return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve({ gaps, answered: performance.now() - released })));
    });
    input.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    watch.observe(row, { attributes: true });
  };
  const step = (now) => {
    gaps.push(now - last);
    last = now;
    const part = Math.min(1, (performance.now() - begun) / (1000 * seconds));
    input.value = String(low + (start + (stop - start) * part) * wide);
    input.dispatchEvent(new InputEvent("input", { bubbles: true }));
    if (part < 1) requestAnimationFrame(step);
    else release();
  };
  input.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  requestAnimationFrame(step);
})
"""


@dataclass
class Dragged:
    """Milliseconds of all frames while a slider moved, and from each release until the answer is painted."""

    frames: list[float]
    answers: list[float]


def opened(browser: Browser, address: str) -> Page:
    """A page that has come to rest."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(address)
    page.wait_for_selector("input[type=range]")
    page.wait_for_timeout(3000)
    return page


def drag(pages: list[Page], label: str) -> list[Dragged]:
    """Drag the slider of several pages in turn, to and fro."""
    results = [Dragged([], []) for _ in pages]
    for turn in range(TURNS):
        for page, result in zip(pages, results, strict=True):
            found = page.evaluate(_DRAG, [label, SECONDS, *((0.1, 0.9) if turn % 2 == 0 else (0.9, 0.1))])
            page.wait_for_timeout(500)
            if turn:
                result.frames += found["gaps"]
                result.answers.append(found["answered"])
    return results


def figures_of(browser: Browser, address: str, path: str, label: str) -> list[Figure]:
    page = opened(browser, f"{address}/{path}")
    (result,) = drag([page], label)
    page.close()
    long, name = sum(gap > LONG for gap in result.frames), path.partition("&")[0] or "playground"
    note = f"{long} of {len(result.frames)} frames longer than {LONG:.0f} ms, the longest {max(result.frames):.0f} ms"
    rate = 1000 / statistics.mean(result.frames)
    return [
        Figure(f"drag of “{label}”, {name}: frames", rate, "a second", 30, at_least=True, note=note),
        Figure(f"release of “{label}”, {name}: to the painted answer", statistics.median(result.answers), "ms", 150),
    ]


def lengths(browser: Browser, address: str) -> list[Figure]:
    """A million tokens against a thousand, on the Bias page itself."""
    pages = [opened(browser, f"{address}/bias?n={n}") for n in SIZES]
    short, long = drag(pages, "Heads")
    for page in pages:
        page.close()
    ratio = statistics.median(long.answers) / statistics.median(short.answers)
    return [Figure("Bias page, n = 1,000,000 / n = 1,000: release to the painted answer", ratio, "x", 1.2)]


def measure() -> list[Figure]:
    with serving("app.py") as address, chromium() as browser:
        figures = [figure for path, label in DRAGGED.items() for figure in figures_of(browser, address, path, label)]
        return figures + lengths(browser, address)
