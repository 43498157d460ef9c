"""The four tabs of Extrapolation in a real Chromium, one visit each at a desk and on a phone: what only a browser shows."""

from __future__ import annotations

from itertools import pairwise

import pytest

from alibi_viz.lessons import load
from tests.browser.actions import address_has, open_at, settle

TABS = ("extrapolation", "why", "early_token_curse", "recall")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def lower_edge(page) -> float:
    """Of the numbers and the title of the first chart's x axis."""
    chart = page.locator(".js-plotly-plot").first
    boxes = [text.bounding_box() for text in chart.locator(".xtick text, .xtitle").all()]
    assert boxes
    return max(box["y"] + box["height"] for box in boxes if box)


@pytest.mark.parametrize("name", TABS)
def test_on_a_phone_the_axis_stands_above_the_controls(new_page, app, name):
    page = open_at(new_page(**PHONE), f"{app}/{name}")
    side = page.locator(".st-key-stage_side").bounding_box()
    assert lower_edge(page) <= side["y"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


def test_at_a_desk_names_do_not_touch_and_tabs_take_settings_along(new_page, app):
    page = open_at(new_page(), f"{app}/extrapolation?ext_methods=alibi,rope,t5,sinusoidal,none,fire,sandwich")
    chart = page.locator(".js-plotly-plot").first
    edge, labels = chart.bounding_box(), chart.locator(".annotation-text")
    lines = ("RoPE", "Sinusoidal", "No positions", "T5 bias", "ALiBi", "FIRE", "Sandwich")
    boxes = [labels.get_by_text(name, exact=True).bounding_box() for name in lines]
    assert all(box["x"] + box["width"] <= edge["x"] + edge["width"] for box in boxes)
    tops = sorted((box["y"], box["y"] + box["height"]) for box in boxes)
    assert all(low[1] <= high[0] + 1 for low, high in pairwise(tops))

    page.get_by_role("link", name="Why it breaks", exact=True).click()
    page.get_by_role("heading", level=1, name=load("why").text("title")).wait_for()
    settle(page)
    page.locator(".st-key-stage_side").get_by_role("button", name="FIRE", exact=True).click()
    address_has(page, "ext_methods", "alibi,rope,t5,sinusoidal,none,sandwich")
    page.go_back()
    address_has(page, "ext_methods", "alibi,rope,t5,sinusoidal,none,sandwich,fire")
