"""The card of each page, which others show beside a link to it: its question in large letters, and its picture.

A browser draws them from the pages that are built, where there is one and Playwright to drive it.
"""

import os
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CARD, ICON = {"width": 1200, "height": 630}, {"width": 180, "height": 180}
#: Over the look of a page that is part of another one.
CSS = """
.embedded, .embedded [data-picture] { --stage-height: 440px; }
.embedded main { padding: 36px 56px; }
.embedded h1 { display: block !important; margin: 0 0 20px; font-size: 56px; }
body.embedded #lesson > h1 { position: static; clip-path: none; }
.embedded h1::before { content: attr(data-app); display: block; color: var(--st-primary-color); font-size: 26px; }
#lesson:not(:has(> .picture-frame, > .stage > .picture-frame)) > h1 + p { display: block !important; font-size: 32px; }
.embedded :is(.whole, .row, .picture-frame ~ .picture-frame) { display: none; }
"""
HANDS = ".hands, .presets, .chips { display: none !important; }"
#: Set the name of the app, hide the hands of the pictures, and wait until these are drawn.
READY = """async (hands) => {
  document.querySelector("h1").dataset.app = document.title.split(" · ").pop();
  const frames = [...document.querySelectorAll("#lesson > .picture-frame, .stage > .picture-frame")];
  while (!frames.every((frame) => frame.matches(".drawn, :has(.main-svg)"))) await new Promise(requestAnimationFrame);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(hands);
  for (const { shadowRoot } of frames) shadowRoot?.adoptedStyleSheets.push(sheet);
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}"""


def browser() -> str:
    """The path of a browser that can draw; "" where there is none."""
    found = [os.environ.get("ALIBI_VIZ_BROWSER"), *map(shutil.which, NAMES)]
    return next(filter(None, found), "") if find_spec("playwright") else ""


def draw(files: Sequence[Path]) -> None:
    """The card of each page, beside it; and of an SVG the icon that phones want."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        page = opened.new_page(color_scheme="light", reduced_motion="reduce")
        for file in files:
            is_page = file.suffix == ".html"
            page.set_viewport_size(CARD if is_page else ICON)
            page.goto(f"{file.as_uri()}?embed=card")
            if is_page:
                page.add_style_tag(content=CSS)
                page.evaluate(READY, HANDS)
            drawn = file.with_name("card.png" if is_page else "icon.png")
            page.screenshot(path=drawn, animations="disabled", omit_background=True)
        opened.close()
