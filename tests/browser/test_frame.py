"""Before a page has run, the place of its picture is not blank."""

from itertools import product
from typing import Any

import pytest

from alibi_viz.ui.shell import navigation
from benchmarks.pages import PICTURES, SIZES
from tests.cases import some

NEAR = 12  # pixels: half a line


@pytest.mark.parametrize("view", some(product(navigation.ICONS, SIZES), ("slopes", "phone")), ids="-".join)
def test_a_frame_stands_where_the_picture_will_be_until_it_is_painted(
    new_page: Any, app: str, view: tuple[str, str]
) -> None:
    name, size = view
    page, held = new_page(viewport=SIZES[size]), []
    page.route("**/_stcore/host-config*", lambda route: held.append(route))
    page.goto(f"{app}/{navigation.url_path(name)}")
    before = page.locator("#frame").bounding_box()
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    page.locator("#frame").wait_for(state="detached")
    drawn = page.locator(PICTURES).locator("canvas, .main-svg, .paper, .attention, .stCode")
    assert drawn.filter(visible=True).count() > 0  # a phone shows one matrix at a time, not always the first one
    after = page.locator(PICTURES).filter(visible=True).first.bounding_box()
    assert abs(before["x"] - after["x"]) < NEAR
    assert before["y"] < after["y"] + after["height"]
    assert after["y"] < before["y"] + before["height"]


@pytest.mark.slow
def test_no_frame_stands_before_the_sentence_that_is_there_instead_of_a_picture(new_page: Any, app: str) -> None:
    page = new_page()
    page.goto(f"{app}/attention?kv_heads=3")
    page.get_by_role("alert").filter(has_text="cannot share").wait_for()
    page.evaluate("() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))")
    assert page.locator("#frame").count() == 0
