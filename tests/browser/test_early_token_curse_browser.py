"""The Early token curse page in a real Chromium: it fits, its figures follow the hand, and a link comes back."""

from __future__ import annotations

import re

import pytest

from tests.browser.test_pages import open_at, query, settle, slider

PAGE = "/early_token_curse"
INSIDE = """() => [...document.querySelectorAll('.js-plotly-plot .barlayer .bartext')].every((text) => {
    const label = text.getBoundingClientRect();
    const chart = text.closest('.js-plotly-plot').getBoundingClientRect();
    return label.left >= chart.left - 1 && label.right <= chart.right + 1;
})"""


SIZES = """() => [...document.querySelectorAll('.js-plotly-plot .barlayer .bartext')].map((text) => {
    const matrix = text.transform.baseVal.consolidate()?.matrix;
    return parseFloat(getComputedStyle(text).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
})"""


@pytest.fixture
def app(serve) -> str:
    return serve("app.py")


def summaries(page) -> list[str]:
    """The line over each of the two pictures of the sentence."""
    return page.get_by_text(re.compile(r"^\d+ pass(es)? · ")).all_inner_texts()


def drawn(page) -> None:
    page.wait_for_function("() => document.querySelectorAll('.js-plotly-plot .barlayer .bartext').length > 16")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_the_page_fits_its_window(app, new_page, width, scheme):
    page = new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    open_at(page, app + PAGE)
    drawn(page)
    assert page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth") <= 0
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.evaluate(INSIDE)


def test_long_words_stay_legible_on_a_phone(app, new_page):
    page = new_page(viewport={"width": 390, "height": 844})
    open_at(page, app + PAGE + "?curse_text=" + "+".join(["incomprehensibility"] * 12))
    drawn(page)
    assert min(page.evaluate(SIZES)) >= 9.9


def test_dragging_the_window_changes_passes_and_context(app, page):
    open_at(page, app + PAGE)
    drawn(page)
    before = summaries(page)
    assert [one.split(" ·")[0] for one in before] == ["2 passes", "4 passes"]
    handle = slider(page, "Window (words)")
    box = handle.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.4, y)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + box["width"] * (0.4 + 0.075 * step), y)
    page.get_by_text(re.compile(r"^1 pass · ")).first.wait_for()  # while the button is still down
    page.wait_for_timeout(1000)  # a hand that rests before it lets go is heard too
    page.mouse.up()
    page.wait_for_function("() => new URLSearchParams(location.search).get('curse_window') === '7'")
    page.get_by_text("With windows of 7 words").wait_for()  # the words follow when the hand lets go
    assert [one.split(" ·")[0] for one in summaries(page)] == ["1 pass", "1 pass"]


def test_a_link_opens_the_same_picture(app, page):
    open_at(page, app + PAGE + "?curse_window=2&curse_stride=1&curse_least=2&curse_text=one+two+three+four+five")
    drawn(page)
    first = summaries(page)
    assert [one.split(" ·")[0] for one in first] == ["2 passes", "3 passes"]
    assert query(page)["curse_window"] == ["2"]
    page.reload()
    settle(page)
    drawn(page)
    assert summaries(page) == first


def test_a_readers_words_are_text_and_never_code(app, page):
    open_at(page, app + PAGE)
    drawn(page)
    box = page.get_by_label("Your sentence", exact=True)
    box.fill("<img src> $x$ two")
    box.press("Enter")
    page.wait_for_function("() => document.querySelector('.js-plotly-plot').textContent.includes('src')")
    assert page.locator(".js-plotly-plot img").count() == 0
    cells = page.locator(".js-plotly-plot").first.locator(".barlayer .bartext").all_text_contents()
    assert {"<", "img", "src", "$"} <= set(cells)
