"""Hostile addresses, texts and clicks in a real browser: no error in the console, nothing asked of another host."""

from __future__ import annotations

import contextlib
import random
from typing import Any
from urllib.parse import urlencode

import pytest

from alibi_viz.ui.shell import navigation
from tests.browser.actions import settle
from tests.hostile import nonsense
from tests.hostile.looking import NIGHTLY
from tests.hostile.test_texts import BOXES

#: What leads to another host though it came from a reader: an element's own attribute, since its property holds the page's.
TAKEN_FOR_MARKUP = f"""() => [...document.querySelectorAll("[src], [href]")]
  .filter((element) => /^(https?:)?\\/\\/[^?]*{nonsense.HOST}|^javascript:/.test(
    element.getAttribute("src") ?? element.getAttribute("href")))
  .map((element) => element.outerHTML)"""
EXCEPTION = "[data-testid=stException], [data-testid=stBidiComponentError]"


def look(page: Any) -> None:
    """What must hold after anything."""
    settle(page)
    assert page.evaluate(TAKEN_FOR_MARKUP) == []
    assert page.locator(EXCEPTION).all_inner_texts() == []


def visit(page: Any, address: str) -> None:
    page.goto(address)
    look(page)


@pytest.mark.slow
def test_hostile_addresses_in_a_browser(app, new_page):
    page = new_page()
    for number in range(max(20, NIGHTLY // 100)):
        lesson, url = nonsense.link(random.Random(f"browser {number}"))
        print(number, lesson, url)
        visit(page, f"{app}/{navigation.url_path(lesson)}?{urlencode(url, doseq=True)}")


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "url", "key"), BOXES)
def test_hostile_texts_in_a_browser(app, new_page, lesson, url, key):
    """Every piece of markup, wherever a page shows a reader's text: in words, tables, pictures and their titles."""
    page = new_page()
    visit(page, f"{app}/{navigation.url_path(lesson)}?{urlencode(url)}")
    rng = random.Random(f"{lesson} {key}")
    for text in ("\n\n".join(nonsense.MARKUP), nonsense.text(rng, 2_000), *nonsense.MARKUP[:3]):
        box = page.locator(f".st-key-{key} textarea, .st-key-{key} input").first
        if not box.is_visible():
            page.locator(".st-key-stage_more summary").first.click()
        box.fill(text.encode(errors="replace").decode().replace("\0", ""))
        box.press("Control+Enter")
        box.blur()
        look(page)
        assert box.input_value() or not text, "it was typed"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Download", exact=True).click()  # which puts the settings into a caption
    look(page)


@pytest.mark.slow
def test_random_clicks_in_a_browser(app, new_page):
    page, rng = new_page(), random.Random("clicks")
    for _ in range(max(5, NIGHTLY // 500)):
        lesson, url = nonsense.link(rng)
        said = f"?{urlencode(url, doseq=True)}" if rng.random() < 0.5 else ""
        visit(page, f"{app}/{navigation.url_path(lesson)}{said}")
        for _ in range(8):
            click(page, rng)
        look(page)


def click(page: Any, rng: random.Random) -> None:
    """Click on something that can be clicked, or press a key."""
    from playwright.sync_api import Error

    with contextlib.suppress(Error):  # it may be covered, or gone by now
        if rng.random() < 0.2:
            keys = ["ArrowRight", "ArrowLeft", "Space", "Enter", "Escape", "Tab", "t", "1", "Home", "End"]
            page.keyboard.press(rng.choice(keys))
            return
        places = page.locator("main button:visible, main summary:visible, main input:visible, main canvas:visible")
        places.nth(rng.randrange(max(1, places.count()))).click(timeout=1_000)
