"""What the browser tests do on a page of the app, and how they wait: for conditions, never by the clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

LISTEN = """
window.painted = [];
addEventListener("alibi-viz:painted", (event) => window.painted.push(event.detail));
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
# As the Back button: the address changes, and Streamlit shows the page that belongs to it.
GO = """(path) => { history.pushState({}, "", path); dispatchEvent(new PopStateEvent("popstate", {state: {}})); }"""


def settle(page: Any) -> None:
    """Wait until the page shows the end of its run."""
    page.evaluate("window.stillFor = 0")
    page.wait_for_function(STILL)


def open_at(page: Any, address: str) -> Any:
    """Load an address, as a reader who follows a link."""
    page.goto(address)
    settle(page)
    return page


def open_room(teacher: Any) -> str:
    """The code of a new room."""
    teacher.get_by_role("button", name="Class").first.click()
    teacher.get_by_role("button", name="Open a room").click()
    code = teacher.locator("[data-testid=stPopoverBody] h3")
    code.wait_for()
    return str(code.inner_text())


def go(page: Any, path: str) -> None:
    """Turn to another lesson without loading the app again."""
    title = page.locator("h1").inner_text()
    page.evaluate(GO, path)
    page.locator("h1").filter(has_not_text=title).wait_for()
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


def drag(page: Any, label: str, *, start: float, stop: float, moves: int) -> None:
    """Drag a slider from one share of its width to another, and let go."""
    for _ in dragging(page, label, start=start, stop=stop, moves=moves):
        pass


def query(page: Any) -> dict[str, list[str]]:
    """What the address line says of the page's own controls."""
    return parse_qs(urlsplit(page.url).query)


def address_has(page: Any, key: str, value: str) -> None:
    """Wait until the address line says so."""
    page.wait_for_function(
        "([key, value]) => new URLSearchParams(location.search).get(key) === value", arg=[key, value]
    )


def address_falls(page: Any, key: str, below: int) -> int:
    """Wait until a number in the address line is less than it was; returns it."""
    less = "([key, below]) => { const now = new URLSearchParams(location.search).get(key); return now && now < below; }"
    page.wait_for_function(less, arg=[key, below])
    return int(query(page)[key][0])


def cells(page: Any, name: str) -> Any:
    """The canvas of the first panel whose title holds `name`."""
    return page.locator(".panel", has_text=name).locator(".plot").first


def point_at(page: Any, panel: Any, x: float, y: float) -> None:
    """Move the mouse to a share of a panel's width and height."""
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])


def gone(page: Any, text: str) -> None:
    """Wait until a text does not stand on the page any more."""
    page.wait_for_function("(text) => !document.body.innerText.includes(text)", arg=text)


def wait_for_paint(page: Any, key: str) -> None:
    """Wait until a matrix view has drawn something."""
    page.wait_for_function("(key) => painted.some((event) => event.key === key)", arg=key)


def pictures(page: Any) -> list[str]:
    """The pixels of every panel."""
    read = "all => all.map((panel) => [...panel.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL()).join())"
    return page.locator(".panel").evaluate_all(read)


def painted(page: Any, key: str) -> list[dict[str, Any]]:
    """What a matrix view has drawn so far: by its preview or from PyTorch, and for which value."""
    return [event for event in page.evaluate("() => painted") if event["key"] == key]
