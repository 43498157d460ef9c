"""The site without a server: below a path of a plain static server and from the disk, page by page."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from alibi_viz.ui.exporting import main
from tests.browser.axe import violations

pytestmark = pytest.mark.slow  # every lesson is computed, and its page opened twice


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """A test prints nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder, one level below what is served."""
    folder = tmp_path_factory.mktemp("site") / "below"
    assert main("site", str(folder)) == 0
    return folder


@pytest.fixture(scope="module", params=["static server", "disk"])
def address(request, site):
    if request.param == "disk":
        yield site.as_uri()
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.parent))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{site.name}"
        server.shutdown()


RANGES = "input[type=range]:visible:enabled"
PICTURES = "all => all.filter((canvas) => canvas.checkVisibility()).map((canvas) => canvas.toDataURL()).join()"


def shown(page, url, tab):
    """The page, anew, with this tab open and its picture drawn."""
    page.goto(url)
    if tab:
        page.locator(".tabs button").nth(tab).click()
    page.locator("section:not([hidden]) .note").first.wait_for(state="attached")
    assert page.locator(".trouble:visible").count() == 0, (url, tab)
    return page


def moves(page, slider, key) -> bool:
    """Whether the pictures change when the slider goes ten steps on, or to its beginning."""
    before = page.locator("canvas").evaluate_all(PICTURES)
    slider.focus()
    page.keyboard.press(key)
    page.wait_for_timeout(150)
    return page.locator("canvas").evaluate_all(PICTURES) != before


def test_every_page_opens_and_every_slider_moves_its_picture(site, address, new_page):
    page, asked = new_page(viewport={"width": 1280, "height": 800}), []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/index.html")
    assert violations(page) == []
    links = page.locator("main a").evaluate_all("all => all.map((link) => link.getAttribute('href'))")
    assert sorted([*links, "index.html"]) == sorted(file.name for file in site.glob("*.html"))
    for link in links:
        for at in range(max(1, shown(page, f"{address}/{link}", 0).locator(".tabs button").count())):
            sliders = shown(page, f"{address}/{link}", at).locator(RANGES).count()
            for number in range(sliders):  # from the first setting each: one may leave nothing to do for another
                slider = shown(page, f"{address}/{link}", at).locator(RANGES).nth(number)
                assert any(moves(page, slider, key) for key in ("PageUp", "Home")), (link, at, number)
        assert violations(page) == [], link
    assert all(url.startswith((address, "data:", "blob:")) for url in asked)


def test_a_tab_or_an_arrow_shows_its_scene(address, new_page):
    page = new_page(viewport={"width": 1280, "height": 800}, color_scheme="dark")
    page.goto(f"{address}/story.html")
    note, seen = page.locator("section:visible p.note").first, []
    for turn in (lambda: None, page.locator(".tabs button").nth(2).click, lambda: page.keyboard.press("ArrowRight")):
        turn()
        seen.append(note.inner_text())
    assert len(set(seen)) == 3


def test_what_was_written_for_the_first_setting_goes(address, new_page):
    page = new_page(viewport={"width": 1280, "height": 800})
    page.goto(f"{address}/slopes.html")
    page.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    assert page.locator("[data-setting='Heads']").inner_text() == "9"
    assert page.locator(".note").is_hidden()
    assert "Heads: 9" in page.locator(".alt").first.inner_text()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").first.click()
    assert download.value.suggested_filename.endswith("-9.png")
