"""`make screenshots`: the pictures of docs/, from the running app, below 200 kB each; the README's, which moves;
and the stills of pages."""

from __future__ import annotations

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
#: Name of the picture -> address of the page, theme.
SHOTS = {
    "playground": ("/playground", "light"),
    "story": ("/story?step=2", "light"),
    "slopes": ("/slopes?heads=12", "light"),
    "bias": ("/bias", "light"),
    "attention": ("/attention?content=random", "dark"),
    "attention_model": ("/attention_model", "light"),
    "compare": ("/compare", "light"),
    "lab_sinusoidal": ("/lab_sinusoidal", "light"),
    "lab_rope": ("/lab_rope", "dark"),
    "lab_t5": ("/lab_t5", "light"),
    "lab_learned": ("/lab_learned", "light"),
    "heirs": ("/heirs", "light"),
    "extrapolation": ("/extrapolation", "light"),
    "write": ("/write?write_at=520", "light"),
    "why": ("/why", "light"),
    "train": ("/train", "light"),
    "early_token_curse": ("/early_token_curse", "light"),
    "recall": ("/recall", "light"),
    "today": ("/today", "light"),
    "use": ("/use", "light"),
    "models": ("/models?model_example=llama_3.1_8b", "light"),
    "pitfalls": ("/pitfalls?pitfall=cache_offset", "light"),
    "sources": ("/sources", "light"),
}
#: The README's picture: which bytes of the texts its frames show.
BYTES = (*range(32, 129, 6), *range(140, 521, 10))
MOVING_SIZE = 800, 500


def opened(browser: Browser, address: str, theme: str) -> Page:
    """A page when nothing runs and its figure is drawn."""
    context = browser.new_context(viewport=SIZE, color_scheme="dark" if theme == "dark" else "light")
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("h1")
    page.wait_for_selector(
        ".mv, .story, .slopes, .clocks, .playground, .compare, .heirs, .papers, .stCode, .js-plotly-plot"
    )
    page.wait_for_function("() => !document.querySelector('[data-testid=stStatusWidget]')", timeout=60_000)
    page.wait_for_timeout(1500)
    return page


def moving(browser: Browser, address: str) -> bytes:
    """An animated WebP of models that write on, beyond the length that they were trained on."""
    page = opened(browser, f"{address}/write?present=1&write_at=32", "light")
    page.locator(".st-key-keys_hint").wait_for(state="hidden")
    rail, frames = page.locator(".rail input"), []
    for byte in BYTES:
        rail.fill(str(byte))
        rail.blur()
        page.wait_for_timeout(60)
        frames.append(
            Image.open(io.BytesIO(page.screenshot())).convert("RGB").resize(MOVING_SIZE, Image.Resampling.LANCZOS)
        )
    page.context.close()
    out = io.BytesIO()
    times = [160] * (len(frames) - 1) + [2500]  # the last frame stays
    options = {"append_images": frames[1:], "duration": times, "quality": 40, "method": 6, "minimize_size": True}
    frames[0].save(out, "WEBP", save_all=True, loop=0, **options)
    if out.tell() > LIMIT:
        raise ValueError(f"The moving picture has {out.tell():,} bytes.")
    return out.getvalue()


def take(browser: Browser, address: str, theme: str) -> bytes:
    """A picture of the first screen of a page."""
    page = opened(browser, address, theme)
    picture = page.screenshot()
    page.context.close()
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
    end_in_good_order()  # server and browser too
    with serving("app.py") as address, chromium() as browser:
        (FOLDER / "moving.webp").write_bytes(moving(browser, address))
        for name, (path, theme) in SHOTS.items():
            data = small(take(browser, address + path, theme))
            (FOLDER / f"{name}.png").write_bytes(data)
            print(f"{FOLDER / name}.png  {len(data) / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
