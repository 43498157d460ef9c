"""Pictures fill their place: what is really drawn, measured in the pixels, at three sizes and on a projector.

Marks are axes, labels and cells, not an empty canvas. Their place on a desk lies between the line of the title and the
window's end, as wide as the picture; on a phone it is as wide as the screen.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from alibi_viz.ui.shell import navigation
from benchmarks.pages import PICTURES
from tests.browser.actions import go, open_at, settle
from tests.browser.drawn import drawn
from tests.cases import some

SIZES = {"desk": (1280, 800), "wide": (1440, 900), "phone": (390, 844)}
SHARE = 0.7  # of the place's width and height
PHONE = 300  # pixels of a picture's height there
LEAST_TYPE = 18  # pixels of type, presented in 720 lines
LOWER = {
    "train": 0.5,  # its buttons and its status stand above the picture
    "story": 0.45,  # its first scene compares two matrices, so both are in sight
    "slopes": 0.58,  # their hands stand above them
    "bias": 0.58,
}
SMALL_TYPE = {"today"}  # forty names, a line a name: on a projector its table of methods or models alone is read
WITHOUT_PLOT = {"sources", "use", "models", "pitfalls", "glossary"}  # tables, forms and sources
PLOTS = [lesson for lesson in navigation.ICONS if lesson not in WITHOUT_PLOT and lesson != "playground"]
LOOKS = some(PLOTS, "extrapolation")


@pytest.fixture(scope="module")
def shared(app, new_shared_page):
    width, height = SIZES["desk"]
    return open_at(new_shared_page(viewport={"width": width, "height": height}), f"{app}/story")


def turned_to(page, lesson, size):
    width, height = size
    if navigation.url_path(lesson) != urlsplit(page.url).path.strip("/"):
        go(page, f"/{lesson}")
    page.set_viewport_size({"width": width, "height": height})
    settle(page)
    page.get_by_test_id("stMain").evaluate("(one) => one.scrollTo(0, 0)")
    return page


def covered(page) -> tuple[float, float]:
    """Shares of the width and of the height of the picture's place that its marks span."""
    place, title = page.locator(PICTURES).bounding_box(), page.locator("h1").bounding_box()
    marks, end = drawn(page.locator(PICTURES)), page.viewport_size["height"]
    top = title["y"] + title["height"]
    wide = min(marks["right"], place["x"] + place["width"]) - max(marks["left"], place["x"])
    return wide / place["width"], (min(marks["bottom"], end) - max(marks["top"], top)) / (end - top)


@pytest.mark.parametrize("lesson", LOOKS)
def test_a_picture_fills_its_place_on_a_desk(shared, lesson):
    for size in ("desk", "wide"):
        wide, high = covered(turned_to(shared, lesson, SIZES[size]))
        assert wide >= SHARE, (size, wide)
        assert high >= LOWER.get(lesson, SHARE), (size, high)


@pytest.mark.parametrize("lesson", LOOKS)
def test_on_a_phone_a_picture_is_as_wide_as_the_screen(shared, lesson):
    page = turned_to(shared, lesson, SIZES["phone"])
    marks = drawn(page.locator(PICTURES))
    assert marks["right"] - marks["left"] >= 0.78 * SIZES["phone"][0], marks  # names at the lines' ends need the rest
    assert marks["bottom"] - marks["top"] >= PHONE * LOWER.get(lesson, SHARE) / SHARE, marks


@pytest.mark.parametrize("lesson", LOOKS)
def test_presented_the_back_row_reads_it(new_page, app, lesson):
    page = new_page(viewport={"width": 1280, "height": 720})
    open_at(page, f"{app}/{navigation.url_path(lesson)}?present=true")
    marks = drawn(page.locator(PICTURES))
    assert marks["type"] >= LEAST_TYPE or lesson in SMALL_TYPE, marks
    place = page.locator(PICTURES).bounding_box()
    assert marks["right"] - marks["left"] >= SHARE * place["width"], marks
    assert marks["bottom"] - marks["top"] >= LOWER.get(lesson, SHARE) * 0.78 * 720, (
        marks
    )  # below the title and its question
