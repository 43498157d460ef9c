"""Extrapolation and where the break comes from, in a real Chromium: names of lines, one cursor, links that come back."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.browser.actions import (
    address_has,
    cells,
    gone,
    open_at,
    pictures,
    point_at,
    query,
    settle,
    slider,
    wait_for_paint,
)

NAMES = ["ALiBi", "RoPE", "T5 bias", "Sinusoidal"]


@pytest.mark.slow
def test_four_heads_share_one_cursor(app, page):
    open_at(page, f"{app}/why?why_open=attention")
    wait_for_paint(page, "ext_matrices")
    panel = cells(page, "Sinusoidal")
    panel.scroll_into_view_if_needed()
    before = pictures(page)
    assert len(before) == 4
    point_at(page, panel, 0.4, 0.85)
    readout = page.get_by_text(re.compile("bytes back: ALiBi")).first
    readout.wait_for()
    assert all(one != other for one, other in zip(before, pictures(page), strict=True))
    numbers = re.findall(rf"({'|'.join(NAMES)}) ([\d.]+)", readout.inner_text().split("back:")[1])
    assert [name for name, _ in numbers] == NAMES
    assert len({number for _, number in numbers}) == 4

    sentence = page.locator("p", has_text="Weight on the nearest").inner_text()
    slider(page, "Head").press("End")  # the head follows the hand
    address_has(page, "ext_head", "8")
    gone(page, sentence)


@pytest.mark.slow
def test_names_at_the_end_of_lines_do_not_touch(app, page):
    """And they lie inside the drawing; the line of learned positions says where it ends."""
    open_at(page, f"{app}/extrapolation")
    chart = page.locator(".js-plotly-plot").first
    chart.locator(".annotation-text", has_text="ends here").wait_for()
    edge = chart.bounding_box()
    labels = chart.locator(".annotation-text")
    lines = ("RoPE", "Sinusoidal", "No positions", "T5 bias", "ALiBi")
    boxes = [labels.get_by_text(name, exact=True).bounding_box() for name in lines]
    assert all(box["x"] + box["width"] <= edge["x"] + edge["width"] for box in boxes)
    tops = sorted((box["y"], box["y"] + box["height"]) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(tops))


@pytest.mark.slow
def test_one_unit_is_in_the_link_and_the_limitation_leads_on(app, page):
    open_at(page, f"{app}/extrapolation?extrapolation_open=paper")
    page.locator(".st-key-stage_more summary").click()
    page.get_by_role("button", name="The same unit as the paper").click()
    address_has(page, "ext_quantity", "ratio")
    settle(page)
    page.reload()
    settle(page)
    assert query(page)["ext_unit"] == ["times L"]
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .ytitle').length >= 3")
    titles = page.locator(".js-plotly-plot .ytitle").all_text_contents()
    assert titles == ["loss above that at L, nats per word"] * 3
    page.get_by_text("What did the runs give, in detail?").click()
    page.get_by_test_id("stMain").get_by_role("link", name="The early token curse").click()
    page.get_by_role("heading", name="Why does a longer window help?").wait_for()


@pytest.mark.slow
def test_a_head_opens_on_the_attention_page_as_it_was(app, page):
    """The same text, layer, head and model: nothing is corrected there."""
    open_at(page, f"{app}/why?why_open=attention&ext_head=6&ext_layer=1&ext_read=one+two+one+two+one+%F0%9F%99%82")
    wait_for_paint(page, "ext_matrices")
    page.get_by_test_id("stMain").get_by_role("link", name="RoPE", exact=True).click()
    page.get_by_role("heading", name="Attention").first.wait_for()
    settle(page)
    address = query(page)
    assert (address["model"], address["head"]) == (["rope"], ["6"])
    assert address["passage"] == ["one two one two one 🙂"]
    assert page.locator("[data-testid=stAlert]").count() == 0
    assert page.locator("[data-testid=stException]").count() == 0
