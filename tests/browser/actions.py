"""What the browser tests do on a page of the app, and how they wait: for conditions, never by the clock."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from alibi_viz.lessons.languages import LANGUAGES, tag

DESK, PHONE, PROJECTOR = (
    {"width": width, "height": height} for width, height in ((1280, 800), (390, 844), (1280, 720))
)
#: For all pages: what is painted, and all elements below one, also those in shadow roots.
LISTEN = """
window.painted = [];
addEventListener("alibi-viz:painted", (event) => window.painted.push(event.detail));
window.all = (root) => [...root.querySelectorAll("*")].flatMap(
  (one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
"""
# Python is done, nothing is waited for, and the height of the page has not changed for eight frames.
STILL = """() => {
  const app = document.querySelector("[data-testid=stApp]");
  const height = document.querySelector("[data-testid=stMain]")?.scrollHeight;
  const done = app?.dataset.testScriptState === "notRunning" && document.querySelector("h1")
    && !document.querySelector("[data-testid=stSkeleton], [data-testid=stStatusWidget]");
  window.stillFor = done && height === window.heightBefore ? window.stillFor + 1 : 0;
  window.heightBefore = height;
  return window.stillFor >= 8;
}"""
# A browser that is late, by `late(ms)`: for so long it hears nothing, and asks again for what it asked for last.
LATE = """window.WebSocket = class extends WebSocket {
  send(data) {
    super.send(data);
    window.late = (ms) => this.late(ms, data);
  }
  addEventListener(type, listener) {
    super.addEventListener(type, async (event) => {
      const before = Promise.all([this.heard, this.quiet]);
      await (this.heard = before.then(() => new Promise((end) => setTimeout(end))));
      listener.call(this, event);
    });
  }
  late(ms, data) {
    const again = setInterval(() => super.send(data), 60);
    this.quiet = new Promise((end) => setTimeout(end, ms)).then(() => clearInterval(again));
  }
};"""


def settle(page: Any) -> None:
    """Wait until the page shows the end of its run."""
    page.evaluate("window.stillFor = 0")
    page.wait_for_function(STILL)


def open_at(page: Any, address: str) -> Any:
    """Load an address, as a reader who follows a link."""
    page.goto(address)
    settle(page)
    return page


def present(page: Any, address: str) -> Any:
    """Load an address that is presented. From then on its keys are heard: their script may come after the page."""
    open_at(page, address)
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/keys.js'))"
    )
    settle(page)
    return page


def speak(page: Any, language: str) -> None:
    """Choose a language in the row at the top."""
    page.locator(".st-key-choose_language button").click()
    page.get_by_role("menuitem", name=LANGUAGES[language]).click()
    page.wait_for_function("(tag) => document.documentElement.lang === tag", arg=tag(language))
    settle(page)


def slider(page: Any, label: str) -> Any:
    """The handle of a drag slider."""
    return page.get_by_label(label, exact=True).and_(page.locator("input[type=range]"))


def dragging(page: Any, label: str, *, start: float, stop: float, moves: int) -> Iterator[int]:
    """Drag a slider from one share of its width to another. Yields after every move; the button goes up after the last."""
    box = slider(page, label).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    for move in range(1, moves + 1):
        page.mouse.move(box["x"] + (start + (stop - start) * move / moves) * box["width"], y)
        yield move
    page.mouse.up()


def query(page: Any) -> dict[str, list[str]]:
    """What the address line says of the page's own controls."""
    return parse_qs(urlsplit(page.url).query)


def value_of(page: Any, key: str) -> str:
    """What the address line says of a control, as soon as it says something."""
    page.wait_for_function("(key) => new URLSearchParams(location.search).has(key)", arg=key)
    return query(page)[key][0]


def address_has(page: Any, key: str, value: str) -> None:
    page.wait_for_function(
        "([key, value]) => new URLSearchParams(location.search).get(key) === value", arg=[key, value]
    )


def address_lacks(page: Any, *keys: str) -> None:
    """Wait until the address line says nothing of these."""
    none = "(keys) => !keys.some((key) => new URLSearchParams(location.search).has(key))"
    page.wait_for_function(none, arg=list(keys))


def point_at(page: Any, panel: Any, x: float, y: float) -> None:
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])


def finger(page: Any, points: list[tuple[float, float]]) -> None:
    """One finger along these places of the window."""
    touch = page.context.new_cdp_session(page)
    kinds = ["touchStart", *["touchMove"] * (len(points) - 1)]
    for kind, (x, y) in zip(kinds, points, strict=True):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def painted(page: Any, key: str) -> list[dict[str, Any]]:
    """What a matrix view has drawn so far: by its preview or from PyTorch, and for which value."""
    return [event for event in page.evaluate("() => painted") if event["key"] == key]


def cover(one: list[float], other: list[float], slack: float = 1.0) -> bool:
    """Whether two boxes (left, top, right, bottom) cover each other by more than `slack` pixels both ways."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return width > slack and height > slack + 2  # the box of a line of text is higher than its letters
