"""Bias in a real Chromium: a thumbnail opens its head, and a window of a million tokens stays exact."""

from __future__ import annotations

import re

import pytest

from tests.browser.actions import address_falls, address_has, open_at, point_at, settle


def test_a_thumbnail_opens_its_head_and_a_zoom_stays_exact(app, page):
    open_at(page, f"{app}/bias?n=1000000&head=8&bias_open=heads")
    page.locator(".panel", has_text=re.compile("^6")).locator(".plot").first.click()
    page.get_by_text("Head 6, slope 1/64", exact=True).wait_for()
    address_has(page, "head", "6")
    settle(page)
    span = 1_000_000
    for _ in range(3):
        page.get_by_role("button", name="Zoom in (+)").click()
        span = address_falls(page, "span", below=span)
        settle(page)
    assert span > 0
    point_at(page, page.locator(".panel .plot").first, 0.3, 0.8)
    text = page.get_by_text(re.compile("the distance is")).first.inner_text().replace("−", "-")
    text = re.sub(r"(?<=\d),(?=\d)", "", text)  # thousands are set apart
    i, j, distance, slope, product = re.search(
        r"Query (\d+), key (\d+): the distance is (\d+)\. The bias is -([\d.]+) × \d+ = -([\d.]+)\.", text
    ).groups()
    assert int(i) - int(j) == int(distance)
    assert float(slope) * int(distance) == pytest.approx(float(product), rel=1e-3)
