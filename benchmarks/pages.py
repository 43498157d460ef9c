"""Every page in a real Chromium: how soon its picture is there, and how much of the page moves while it is being drawn.

Opened by its address (the server has served the page before, the browser has its scripts), and by a click in the menu of
a session that is under way. A picture counts when it has been painted: one frame after it is in the document.
"""

import statistics

from playwright.sync_api import Browser, Page, ViewportSize

from alibi_viz.lessons import load
from alibi_viz.ui.shell import navigation
from benchmarks.chromium import chromium, serving
from benchmarks.report import Figure

SIZES: dict[str, ViewportSize] = {"desk": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
ROUNDS = 2
#: Where a page has its picture: one with its own hands on top has the key of its page.
PICTURES = ", ".join(f".st-key-{key}" for key in ("stage", *navigation.ICONS))
#: Installed before the page's own scripts. Components draw in shadow roots, so the search goes into them.
WATCH = """
window.moved = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;
}).observe({ type: "layout-shift", buffered: true });
{
  const kinds = "canvas, .main-svg, .paper, .attention, .stCode";
  const find = (root) => [...root.querySelectorAll("*")].flatMap((one) => one.shadowRoot ? find(one.shadowRoot) : [])
    .concat([...root.querySelectorAll(kinds)]).filter((one) => one.getBoundingClientRect().width > 20);
  const places = "PICTURES";
  const pictures = () => [...document.querySelectorAll(places)].flatMap(find);
  /** Milliseconds on the page's clock when a picture is painted that was not there before; title: of its page. */
  window.pictureOf = (title, before = new Set()) => new Promise((resolve) => {
    const look = () => {
      const here = document.querySelector("h1")?.innerText.trim() === title;
      if (here && pictures().some((one) => !before.has(one))) setTimeout(() => resolve(performance.now()));
      else requestAnimationFrame(look);
    };
    look();
  });
  window.clickTo = (link, title) => {
    const before = new Set(pictures()), begun = performance.now();
    link.click();
    return window.pictureOf(title, before).then((at) => at - begun);
  };
}
"""
DONE = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-testid=stSkeleton], [data-testid=stStatusWidget]")"""


def new_page(browser: Browser, size: ViewportSize) -> Page:
    context = browser.new_context(viewport=size)
    context.set_default_timeout(60_000)
    context.add_init_script(WATCH.replace("PICTURES", PICTURES))
    return context.new_page()


def by_address(page: Page, address: str, lesson: str) -> tuple[float, float]:
    """Milliseconds until a lesson's picture is painted, and the layout shift until the page has come to rest."""
    page.goto(f"{address}/{navigation.url_path(lesson)}", wait_until="commit")
    page.wait_for_function("() => window.pictureOf")
    seconds = float(page.evaluate("(title) => pictureOf(title)", _title(lesson)))
    page.wait_for_function(DONE)
    page.wait_for_timeout(500)
    return seconds, float(page.evaluate("() => moved"))


def by_menu(page: Page, lesson: str) -> float:
    """Milliseconds from a click in the menu to the painted picture of a lesson."""
    menu = f"[data-testid=stSidebarNavLink][href$='/{navigation.url_path(lesson)}']"
    link = page.locator(
        f"{menu}, .st-key-tabs [href='{lesson}']"
    ).first  # what has no entry is a tab of the lesson before
    took = float(link.evaluate("(link, title) => clickTo(link, title)", _title(lesson)))
    page.wait_for_function(DONE)
    page.wait_for_timeout(200)
    return took


def _title(lesson: str) -> str:
    return load(lesson).text("title").strip()


def opened(browser: Browser, address: str, size: str) -> list[Figure]:
    """All pages by their addresses."""
    page = new_page(browser, SIZES[size])
    times: dict[str, list[float]] = {lesson: [] for lesson in navigation.ICONS}
    shifts: dict[str, list[float]] = {lesson: [] for lesson in navigation.ICONS}
    for turn in range(ROUNDS + 1):
        for lesson in navigation.ICONS:
            took, shift = by_address(page, address, lesson)
            if turn:  # the first one warms server and browser
                times[lesson].append(took)
                shifts[lesson].append(shift)
    page.context.close()
    return [
        _slowest(f"page by its address to first picture, {size}", times),
        _largest(f"layout shift (CLS), {size}", shifts),
    ]


def turned(browser: Browser, address: str) -> list[Figure]:
    """All pages by the menu, one after the other, in one session."""
    page = new_page(browser, SIZES["desk"])
    by_address(page, address, navigation.FIRST)
    lessons = [*[*navigation.ICONS][1:], navigation.FIRST]
    times: dict[str, list[float]] = {lesson: [] for lesson in lessons}
    for turn in range(ROUNDS + 1):
        for lesson in lessons:
            took = by_menu(page, lesson)
            if turn:
                times[lesson].append(took)
    page.context.close()
    return [_slowest("page by the menu to first picture, desk", times)]


def _slowest(name: str, times: dict[str, list[float]]) -> Figure:
    """The slowest page's median; all medians in the note."""
    medians = {lesson: statistics.median(values) for lesson, values in times.items()}
    return Figure(f"{name}: slowest", max(medians.values()), "ms", 1500, note=_ranked(medians, ".0f"))


def _largest(name: str, shifts: dict[str, list[float]]) -> Figure:
    worst = {lesson: max(values) for lesson, values in shifts.items()}
    return Figure(f"{name}: largest", max(worst.values()), "", 0.1, note=_ranked(worst, ".3f"))


def _ranked(values: dict[str, float], form: str) -> str:
    ordered = sorted(values.items(), key=lambda item: -item[1])
    return ", ".join(f"{lesson} {value:{form}}" for lesson, value in ordered)


def measure() -> list[Figure]:
    with serving("app.py") as address, chromium() as browser:
        return [*opened(browser, address, "desk"), *opened(browser, address, "phone"), *turned(browser, address)]
