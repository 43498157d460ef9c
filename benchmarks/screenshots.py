"""`make screenshots`: the README's pictures, from the running app, below 200 kB each."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, ViewportSize

from benchmarks.chromium import chromium, serving

FOLDER = Path("benchmarks/pictures")
LIMIT = 200_000  # bytes
SIZE: ViewportSize = {"width": 1280, "height": 800}
#: Name of the picture -> address of the page, theme. What is on the first screen, with no question before it.
SHOTS = {
    "story": ("/?scene=6", "light"),
    "start": ("/start", "light"),
    "slopes": ("/slopes?heads=12", "light"),
    "bias": ("/bias", "light"),
    "attention": ("/attention?content=random", "dark"),
    "compare": ("/compare", "light"),
    "lab_sinusoidal": ("/lab_sinusoidal", "light"),
    "lab_rope": ("/lab_rope", "dark"),
    "lab_t5": ("/lab_t5", "light"),
    "lab_learned": ("/lab_learned", "light"),
    "lab_alibi": ("/lab_alibi", "dark"),
    "extrapolation": ("/extrapolation", "light"),
    "why": ("/why", "light"),
    "train": ("/train", "light"),
    "early_token_curse": ("/early_token_curse", "light"),
    "recall": ("/recall", "light"),
    "today": ("/today", "light"),
    "use": ("/use?use_show=beyond", "light"),
    "models": ("/models?model_example=llama_3.1_8b", "light"),
    "cost": ("/cost", "light"),
    "pitfalls": ("/pitfalls?pitfall=cache_offset", "light"),
    "sources": ("/sources", "light"),
}


def take(browser: Browser, address: str, theme: str) -> bytes:
    """A picture of the first screen of a page, when nothing runs and its figure is drawn."""
    context = browser.new_context(viewport=SIZE, color_scheme="dark" if theme == "dark" else "light")
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("h1")
    page.wait_for_selector(".mv, .cv, .wv, .clocks, .js-plotly-plot")
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')", timeout=60_000)
    page.wait_for_timeout(1500)
    picture = page.screenshot()
    context.close()
    return picture


def small(picture: bytes) -> bytes:
    """The picture in all its colours if that fits the limit, else with as many as fit: a colour bar should stay smooth."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    for colours in (None, 256, 128):
        out = io.BytesIO()
        reduced = image if colours is None else image.quantize(colours, dither=Image.Dither.NONE)
        reduced.save(out, "PNG", optimize=True)
        if out.tell() <= LIMIT:
            return out.getvalue()
    raise ValueError("The picture cannot be made small enough.")


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    with serving("app.py") as address, chromium() as browser:
        for name, (path, theme) in SHOTS.items():
            data = small(take(browser, address + path, theme))
            (FOLDER / f"{name}.png").write_bytes(data)
            print(f"{FOLDER / name}.png  {len(data) / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
