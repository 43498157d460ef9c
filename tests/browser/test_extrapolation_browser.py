"""Extrapolation in a real Chromium: both charts, the sign where learned positions end, one cursor, links that come back."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.browser.test_compare_browser import PICTURES
from tests.browser.test_pages import cells, open_at, query, settle, slider

NAMES = ["ALiBi", "RoPE", "T5 bias", "Sinusoidal"]
DRAWN = "() => painted.some((one) => one.key === 'ext_matrices')"


@pytest.fixture
def app(serve) -> str:
    return serve("app.py")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_fits_its_window(app, new_page, width, scheme):
    page = new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    open_at(page, app + "/extrapolation")
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth") <= 0
    assert page.locator("[data-testid=stException]").count() == 0


def test_every_line_has_its_name_and_learned_has_its_end(app, page):
    """The names at the right end do not touch each other, and lie inside the drawing."""
    open_at(page, app + "/extrapolation")
    chart = page.locator(".js-plotly-plot").first
    chart.locator(".annotation-text", has_text="ends here").wait_for()
    edge = chart.bounding_box()
    boxes = []
    for name in ("RoPE", "Sinusoidal", "No positions", "T5 bias", "ALiBi"):
        boxes.append(chart.locator(".annotation-text").get_by_text(name, exact=True).bounding_box())
    for box in boxes:
        assert box["x"] + box["width"] <= edge["x"] + edge["width"]
    tops = sorted((box["y"], box["y"] + box["height"]) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(tops))


def test_ratios_are_in_the_link(app, page):
    open_at(page, app + "/extrapolation")
    page.get_by_role("button", name="Both charts as ratios").click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('ext_quantity') === 'ratio'")
    settle(page)
    page.reload()
    settle(page)
    assert query(page)["ext_unit"] == ["times L"]
    titles = page.locator(".js-plotly-plot .ytitle")
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .ytitle').length >= 2")
    assert titles.first.text_content() == titles.nth(1).text_content() == "perplexity ÷ that at L"


def test_one_cursor_in_four_trained_heads(app, page):
    open_at(page, app + "/extrapolation")
    page.wait_for_function(DRAWN)
    panel = cells(page, "Sinusoidal")
    panel.scroll_into_view_if_needed()
    before = page.locator(".panel").evaluate_all(PICTURES)
    assert len(before) == 4
    box = panel.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + box["height"] * 0.85)
    readout = page.get_by_text(re.compile("bytes back: ALiBi")).first
    readout.wait_for()
    after = page.locator(".panel").evaluate_all(PICTURES)
    assert all(one != other for one, other in zip(before, after, strict=True))
    numbers = re.findall(rf"({'|'.join(NAMES)}) ([\d.]+)", readout.inner_text().split("back:")[1])
    assert [name for name, _ in numbers] == NAMES
    assert len({number for _, number in numbers}) == 4


def test_the_head_follows_the_hand(app, page):
    open_at(page, app + "/extrapolation")
    page.wait_for_function(DRAWN)
    before = page.locator("p", has_text="Weight on the nearest").inner_text()
    handle = slider(page, "Head")
    handle.scroll_into_view_if_needed()
    handle.press("End")
    page.wait_for_function("() => new URLSearchParams(location.search).get('ext_head') === '8'")
    page.wait_for_function("(before) => !document.body.innerText.includes(before)", arg=before)


def test_a_head_opens_on_the_attention_page_as_it_was(app, page):
    """The same text, layer, head and model: nothing is corrected there."""
    open_at(page, app + "/extrapolation?ext_head=6&ext_layer=1&ext_read=one+two+one+two+one+%F0%9F%99%82")
    page.wait_for_function(DRAWN)
    page.get_by_test_id("stMain").get_by_role("link", name="RoPE", exact=True).click()
    page.get_by_role("heading", name="Attention").first.wait_for()
    settle(page)
    found = query(page)
    assert (found["model"], found["head"]) == (["rope"], ["6"])
    assert found["passage"] == ["one two one two one 🙂"]
    assert page.locator("[data-testid=stAlert]").count() == 0
    assert page.locator("[data-testid=stException]").count() == 0


def test_the_honest_limit_leads_to_its_page(app, page):
    open_at(page, app + "/extrapolation")
    page.get_by_test_id("stMain").get_by_role("link", name="The early token curse").click()
    page.get_by_role("heading", name="The early token curse").wait_for()
