"""`make screenshots`: the README's picture, which moves, from the running app."""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize

from alibi_viz.render import end_in_good_order
from benchmarks.chromium import chromium, serving

FOLDER = Path("docs/pictures")
LIMIT = 200_000  # bytes
SIZE: ViewportSize = {"width": 1280, "height": 800}
#: The README's picture: which bytes of the texts its frames show.
BYTES = (*range(32, 129, 6), *range(140, 521, 10))
MOVING_SIZE = 800, 500


def opened(browser: Browser, address: str) -> Page:
    """A page when nothing runs and its texts are drawn."""
    page = browser.new_page(viewport=SIZE)
    page.goto(address)
    page.wait_for_selector(".papers")
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')", timeout=60_000)
    page.wait_for_timeout(1500)
    return page


def moving(browser: Browser, address: str) -> bytes:
    """An animated WebP of models that write on, beyond the length that they were trained on."""
    page = opened(browser, f"{address}/write?present=1&write_at=32")
    page.locator(".st-key-keys_hint").wait_for(state="hidden")
    rail, frames = page.locator(".rail input"), []
    for byte in BYTES:
        rail.fill(str(byte))
        rail.blur()
        page.wait_for_timeout(60)
        frames.append(
            Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(MOVING_SIZE, Image.Resampling.LANCZOS)
        )
    page.close()
    out = io.BytesIO()
    times = [160] * (len(frames) - 1) + [2500]  # the last frame stays
    options = {"append_images": frames[1:], "duration": times, "quality": 40, "method": 6, "minimize_size": True}
    frames[0].save(out, "WEBP", save_all=True, loop=0, **options)
    if out.tell() > LIMIT:
        raise ValueError(f"The moving picture has {out.tell():,} bytes.")
    return out.getvalue()


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    end_in_good_order()  # server and browser too
    with serving("app.py") as address, chromium() as browser:
        (FOLDER / "moving.webp").write_bytes(moving(browser, address))
    return 0


if __name__ == "__main__":
    sys.exit(main())
