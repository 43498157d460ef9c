"""The lesson of pitfalls in a browser: question and pictures on the first screen, the answer, and the next one."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.actions import open_at, settle

FLAT, SQUARE = "slopes_power", "cache_offset"  # pictures one below the other, or side by side


@pytest.mark.parametrize("pitfall", [FLAT, SQUARE])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_question_and_pictures_share_the_first_screen(new_page, app, width, height, pitfall):
    page = open_at(new_page(viewport={"width": width, "height": height}), f"{app}/pitfalls?pitfall={pitfall}")
    plots, asked = (page.locator(place).bounding_box() for place in (".plots", ".st-key-question_open"))
    assert asked["y"] + asked["height"] <= plots["y"]
    assert plots["y"] + plots["height"] <= height
    assert plots["height"] >= 320
    drawn = [box for plot in page.locator(".plots canvas.base").all() if (box := plot.bounding_box())]
    assert len(drawn) == (1 if width == 390 and pitfall == SQUARE else 2), "on a phone a square picture fills the place"
    assert all(box["width"] * box["height"] >= 40_000 for box in drawn)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_an_answer_shows_the_mistake_and_leads_to_the_next(new_page, app):
    page = open_at(new_page(), f"{app}/pitfalls")
    assert page.locator(".presets").is_hidden()
    page.get_by_role("button", name="A", exact=True).click()
    page.get_by_text("You chose").wait_for()
    page.get_by_text("The correct rows are not in order").wait_for()
    assert page.locator(".title").all_inner_texts() == ["A: correct", "B: the mistake"]
    page.locator(".preset", has_text="Next").click()
    page.locator(".st-key-question_open").wait_for()
    settle(page)
    assert parse_qs(urlsplit(page.url).query) == {"pitfall": ["slopes_blog"]}
    page.go_back()
    page.get_by_text("You chose").wait_for()
