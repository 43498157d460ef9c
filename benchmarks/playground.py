"""The playground in a real Chromium: frames while a hand moves, PyTorch's answer after it, and the server's CPU for it."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Iterator

from playwright.sync_api import Browser, Page

from benchmarks.browser import opened
from benchmarks.chromium import chromium, cpu_seconds, server
from benchmarks.pages import SIZES, by_address, new_page
from benchmarks.report import Figure

LONG = 50.0  # milliseconds: from here on a frame is a long one, and the hand feels it
TEXT_64 = "+".join(f"word{n % 40}" for n in range(64))
ADDRESSES = {
    16: "/playground",
    256: "/playground?ratio=16",
    1024: f"/playground?ratio=16&text={TEXT_64}",
}  # words in all
HANDS = ("curve", "query", "rail", "strength")
TURNS, SECONDS = 4, 1.5
CHANGES = 20
ROUNDS = 5

#: Drags one part evenly, a move in every frame, and resolves to what was painted meanwhile. The events are made inside
#: the page: a driver outside sends some 15 to 30 moves a second, and would measure itself.
_DRAG = """
(hero, [hand, seconds, backwards]) => new Promise((resolve) => {
  const root = hero.closest(".playground"), pull = root.querySelector("button.pull");
  const strength = root.querySelector("#hand-strength");
  const box = hero.getBoundingClientRect(), knob = pull.getBoundingClientRect();
  const at = (x, y) => [box.left + x * box.width, box.top + y * box.height];
  const [gx, gy] = hero.dataset.grip.split(",").map(Number), from = at(gx, gy);
  const ends = {
    curve: [from, at(backwards ? gx + 0.1 : gx - 0.2, gy)],
    query: [at(0.7, 0.52), at(0.3, 0.52)],
    rail: [[knob.left + 9, knob.top + 9], [backwards ? box.right - 180 : box.right - 30, knob.top + 9]],
    strength: [[0.2, 0], [0.9, 0]],
  }[hand];
  const target = { rail: pull, strength }[hand] ?? hero;
  if (backwards && (hand === "query" || hand === "strength")) ends.reverse();
  const send = (type, [x, y]) => {
    if (hand !== "strength") {
      const pointer = { pointerId: 1, pointerType: "mouse", isPrimary: true, clientX: x, clientY: y };
      return target.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, ...pointer }));
    }
    if (type === "pointermove") {
      target.value = String(x * Number(target.max));
      target.dispatchEvent(new InputEvent("input", { bubbles: true }));
    } else if (type === "pointerup") target.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const begun = performance.now(), gaps = [];
  let last = begun;
  window.painted.length = 0;
  send("pointerdown", ends[0]);
  const step = (now) => {
    gaps.push(now - last);
    last = now;
    const part = Math.min(1, (performance.now() - begun) / (1000 * seconds));
    send("pointermove", [0, 1].map((axis) => ends[0][axis] + part * (ends[1][axis] - ends[0][axis])));
    if (part < 1) { requestAnimationFrame(step); return; }
    const released = performance.now(), frames = window.painted.length;
    send("pointerup", ends[1]);
    const answered = () => {
      const answer = window.painted.find((one) => one.source === "python" && one.at > released);
      if (!answer && performance.now() - released < 5000) { setTimeout(answered, 20); return; }
      const wait = answer ? answer.at - released : 5000, rate = (1000 * frames) / (released - begun);
      resolve({ rate, gaps: gaps.slice(1), wait });
    };
    answered();
  };
  requestAnimationFrame(step);
})
"""


def drags(browser: Browser, address: str) -> Iterator[Figure]:
    """Frames a second for each part that a hand can move, and the wait for PyTorch's numbers."""
    waits = []
    for words, path in ADDRESSES.items():
        page = opened(browser, address + path)
        hero = page.locator("canvas.arcs")
        hero.wait_for()
        for hand in HANDS:
            turns = [hero.evaluate(_DRAG, [hand, SECONDS, turn % 2 == 1]) for turn in range(TURNS + 1)][1:]
            gaps = [gap for turn in turns for gap in turn["gaps"]]
            waits += [turn["wait"] for turn in turns]
            long = sum(gap > LONG for gap in gaps)
            note = f"{long} of {len(gaps)} frames longer than {LONG:.0f} ms, the longest {max(gaps):.0f} ms"
            rate, least = statistics.median(turn["rate"] for turn in turns), 30 if words > 256 else 50
            yield Figure(f"playground, {words} words, {hand}", rate, "frames a second", least, at_least=True, note=note)
        page.close()
    note = f"{len(waits)} drags, the longest {max(waits):.0f} ms"
    yield Figure("playground: release to PyTorch's numbers", statistics.median(waits), "ms", 150, note=note)


def answers(page: Page, process: subprocess.Popen[bytes]) -> Figure:
    """CPU of the server for a change by a key."""
    hero, before = page.locator("canvas.arcs"), cpu_seconds(process)
    for change in range(CHANGES):
        hero.press("ArrowRight" if change % 2 else "ArrowLeft")
        page.locator(".playground[data-source=python]").wait_for()
    page.wait_for_timeout(500)
    return Figure("playground: CPU of a change", 1000 * (cpu_seconds(process) - before) / CHANGES, "ms", 25)


def first_picture(browser: Browser, address: str) -> Iterator[Figure]:
    """From the address to the painted picture, and from the page's title to it, once server and browser are warm."""
    page = new_page(browser, SIZES["desk"])
    page.add_init_script(_TITLED)
    took, after = [], []
    for _ in range(ROUNDS + 1):
        took.append(by_address(page, address, "playground")[0])
        after.append(float(page.evaluate("() => first.picture - first.title")))
    page.context.close()
    yield Figure("playground: address to first picture", statistics.median(took[1:]), "ms", 1000)
    yield Figure("playground: title to first frame", statistics.median(after[1:]), "ms", 300)


#: When the page's title stood, and when the first frame was painted.
_TITLED = """
window.first = {};
addEventListener("alibi-viz:painted", () => { window.first.picture ??= performance.now(); });
{
  const look = () => {
    if (document.querySelector("h1")?.innerText.trim()) window.first.title = performance.now();
    else requestAnimationFrame(look);
  };
  look();
}
"""


def measure() -> list[Figure]:
    with server("app.py") as (address, process), chromium() as browser:
        figures = [*drags(browser, address), *first_picture(browser, address)]
        page = opened(browser, f"{address}/playground")
        figures.append(answers(page, process))
        page.close()
    return figures
