"""The stills of pages (alibi_viz/ui/shell/stills.py): small pictures of their pictures, and where these stand.

`make screenshots` makes all; `python -m benchmarks.stills slopes bias` those of these pages.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Collection
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, Page

from alibi_viz.lessons import languages
from alibi_viz.ui.shell import navigation, stills
from benchmarks.chromium import chromium, serving
from benchmarks.pages import PICTURES, SIZES, new_page
from tests.browser.clipping import with_squares

MENU, PADDING = {"desk": 300, "phone": 0}, {"desk": 40, "phone": 16}  # pixels beside the column, as still.css has them
TALLER = 160  # pixels
WIDTH, QUALITY = {"desk": 360, "phone": 180}, 55  # pixels of a still; of 100
BOX = """(places) => {
  const place = [...document.querySelectorAll(places)].find((one) => one.getBoundingClientRect().height > 120);
  if (!place) return null;
  const { left, top, width, bottom } = place.getBoundingClientRect();
  const height = Math.min(bottom, innerHeight) - top; // what is in sight
  const key = [...place.classList].find((name) => name.startsWith("st-key-")).slice("st-key-".length);
  return { key, left, top, width, height };
}"""


def make(browser: Browser, address: str, names: Collection[str] = tuple(navigation.ICONS)) -> None:
    """The files of these pages anew; those of pages that are no more go."""
    stills.FOLDER.mkdir(exist_ok=True)
    places = {name: place for name, place in stills.places().items() if name in navigation.ICONS}
    for size in stills.SIZES:
        page = new_page(browser, SIZES[size])
        for name in names:
            places[name] = places.get(name, {}) | _made(page, address, name, size)
        page.context.close()
    ordered = {name: places[name] for name in navigation.ICONS if name in places}
    stills.PLACES.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    for file in stills.FOLDER.glob("*.webp"):
        if file.name.partition(".")[0] not in places:
            file.unlink()


def _made(page: Page, address: str, name: str, size: str) -> dict[str, Any]:
    """Save the still of a page in one size. Returns its place, as `stills.places` has it."""
    top, place = dict[str, int](), dict[str, Any]()
    for language in languages.LANGUAGES:
        box = _opened(page, f"{address}/{navigation.url_path(name)}?lang={language}")
        top[language] = round(box["top"])
        if language == languages.ENGLISH:
            place = _across(box, size) | {"height": _height(page, size, box["height"])}
            _save(page, name, size, "light")
    _opened(page, f"{address}/{navigation.url_path(name)}", "dark")  # Python draws a chart for a theme when it runs
    _save(page, name, size, "dark")
    return {"key": box["key"], size: place | {"top": top}}


def _opened(page: Page, address: str, look: Literal["light", "dark"] = "light") -> Any:
    page.emulate_media(color_scheme=look)
    page.goto(address)
    page.wait_for_selector("h1")
    page.wait_for_selector("#still", state="detached")
    page.wait_for_function(BOX, arg=PICTURES)
    page.wait_for_function("() => document.querySelector('[data-test-script-state=notRunning]')")
    with_squares(page)  # a lead in Chinese has its lines also where no font has Chinese
    page.wait_for_timeout(600)
    return page.evaluate(BOX, PICTURES)


def _across(box: Any, size: str) -> dict[str, int]:
    """The place between the edges of the column."""
    left, width = MENU[size] + PADDING[size], SIZES[size]["width"] - PADDING[size]
    return {"left": round(box["left"] - left), "right": round(width - box["left"] - box["width"])}


def _height(page: Page, size: str, height: float) -> list[float]:
    """In pixels, and as a share of the window's height: of two windows."""
    whole = SIZES[size]
    page.set_viewport_size({"width": whole["width"], "height": whole["height"] + TALLER})
    page.wait_for_timeout(600)
    share = min(1.0, round((page.evaluate(BOX, PICTURES)["height"] - height) / TALLER, 2))
    page.set_viewport_size(whole)
    page.wait_for_timeout(600)
    return [round(height - share * whole["height"]), share]


def _save(page: Page, name: str, size: str, look: str) -> None:
    """The picture, too small to be read."""
    box = page.evaluate(BOX, PICTURES)
    clip = {"x": box["left"], "y": box["top"], "width": box["width"], "height": box["height"]}
    image = Image.open(io.BytesIO(page.screenshot(clip=clip))).convert("RGB")
    width = WIDTH[size]
    small = image.resize((width, round(image.height * width / image.width)), Image.Resampling.BOX)
    small.save(stills.FOLDER / stills.file(name, size, look), "WEBP", quality=QUALITY, method=6)


def main() -> int:
    names = sys.argv[1:] or list(navigation.ICONS)
    with serving("app.py") as address, chromium() as browser:
        make(browser, address, names)
    return 0


if __name__ == "__main__":
    sys.exit(main())
