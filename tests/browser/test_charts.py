"""What stands around a Plotly chart: its camera beside it, and no box of Plotly's own."""

from __future__ import annotations

import pytest

from tests.browser.actions import open_at


@pytest.mark.slow
@pytest.mark.parametrize("path", ["extrapolation", "today"])
def test_the_camera_stands_beside_the_chart_while_the_pointer_is_on_it(new_page, app, path):
    page = open_at(new_page(), f"{app}/{path}")
    chart, camera = page.locator(".js-plotly-plot").first, page.locator(".modebar").first
    page.mouse.move(5, 5)
    page.wait_for_function("() => getComputedStyle(document.querySelector('.modebar-group')).opacity === '0'")
    chart.hover()
    page.wait_for_function("() => getComputedStyle(document.querySelector('.modebar-group')).opacity === '1'")
    button, box = camera.locator("svg").bounding_box(), chart.bounding_box()
    assert button["x"] >= box["x"] + box["width"]
    with page.expect_download() as download:
        camera.locator(".modebar-btn").click()
    assert download.value.suggested_filename.endswith(".png")


def test_a_click_on_the_legend_hides_a_line_and_brings_no_box(new_page, app):
    page = open_at(new_page(), f"{app}/lab_t5")
    page.locator(".legendtoggle").first.click(force=True)
    page.wait_for_function("() => [...document.querySelectorAll('.traces')].some((one) => one.style.opacity === '0.5')")
    assert page.locator(".notifier-note").count() == 0
